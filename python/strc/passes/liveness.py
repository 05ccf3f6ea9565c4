"""Which variables are still needed where, and instructions without use."""

from __future__ import annotations

from dataclasses import replace

from ..ir import Program


def live_after(program: Program) -> list[frozenset[int]]:
    """For every instruction the variables that are needed behind it."""
    live = frozenset(program.results)
    found = []
    for instruction in reversed(program.instructions):
        found.append(live)
        if instruction.var in live:
            live = live - {instruction.var} | frozenset(instruction.args)
    return found[::-1]


def eliminate_dead(program: Program) -> Program:
    """Without the instructions whose variable nobody needs."""
    kept = [
        instruction
        for instruction, live in zip(program.instructions, live_after(program))
        if instruction.var in live
    ]
    return replace(program, instructions=kept)
