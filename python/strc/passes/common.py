"""Instructions that compute the same."""

from __future__ import annotations

from dataclasses import replace

from ..ir import Program

# Two dropouts or two sources of random numbers are not the same value.
DIFFERENT_EACH_TIME = {"dropout"}


def eliminate_common(program: Program) -> Program:
    """The first of several instructions with equal operator, parameters and arguments stands for all of them."""
    same: dict[int, int] = {}
    known: dict[tuple[object, ...], int] = {}
    kept = []
    for instruction in program.instructions:
        args = tuple(same.get(number, number) for number in instruction.args)
        # repr tells 1 from 1.0 and True, which are equal.
        key: tuple[object, ...] = (instruction.op, repr(instruction.params), args)
        if not args:
            # What is stored is made where it is used, rather than carried from one module to another.
            key = (*key, instruction.origin.frames)
        if key in known and instruction.op not in DIFFERENT_EACH_TIME:
            same[instruction.var] = known[key]
            continue
        known[key] = instruction.var
        kept.append(replace(instruction, args=args))
    results = tuple(same.get(number, number) for number in program.results)
    return replace(program, instructions=kept, results=results)
