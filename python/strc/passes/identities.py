"""Instructions that give what they get."""

from __future__ import annotations

from dataclasses import replace

from ..ir import Instruction, Program


NEUTRAL = {"mul_scalar": 1, "add_scalar": 0, "sub_scalar": 0}


def is_identity(instruction: Instruction) -> bool:
    """True if the result is the only argument; `dropout` does nothing when a model runs."""
    if len(instruction.args) != 1:
        return False
    given = instruction.positional
    if instruction.op in NEUTRAL:
        # A real number could change the type of elements.
        return type(given[0]) is int and given[0] == NEUTRAL[instruction.op]
    if instruction.op == "permute":
        return isinstance(given[0], tuple) and given[0] == tuple(range(len(given[0])))
    return instruction.op == "dropout" or instruction.op == "cat"


def drop_identities(program: Program) -> Program:
    """What used the result of an identity uses its argument."""
    same: dict[int, int] = {}
    kept = []
    for instruction in program.instructions:
        args = tuple(same.get(number, number) for number in instruction.args)
        if is_identity(instruction):
            same[instruction.var] = args[0]
        else:
            kept.append(replace(instruction, args=args))
    return replace(program, instructions=kept, results=tuple(same.get(number, number) for number in program.results))
