"""Operands in turns: an operator over numbers takes one of each operand, again and again, where frames follow each other."""

from __future__ import annotations

from dataclasses import replace

from .tree import Leaf, Pass, Pick, Pipe, Split, Stream, pipe


def in_turns(stream: Stream, operators: set[str]) -> Stream:
    """With joins before these operators that take one item of each branch."""
    if isinstance(stream, Split):
        return replace(stream, branches=tuple(in_turns(branch, operators) for branch in stream.branches))
    parts = stream.parts if isinstance(stream, Pipe) else (stream,)
    made: list[Stream] = []
    for part in parts:
        if isinstance(part, Leaf) and part.node.instruction and part.node.instruction.op in operators:
            before = made.pop() if made and joins_each(made[-1]) else Split(False, tuple(Pass((size,)) for size in part.takes))
            assert isinstance(before, (Split, Pick))
            made.append(replace(before, in_turns=True))
        made.append(in_turns(part, operators) if isinstance(part, Split) else part)
    return pipe(*made) if len(made) > 1 else made[0]


def joins_each(stream: Stream) -> bool:
    """Is it a splitjoin whose branches give one value each, or what only drops some?"""
    if isinstance(stream, Pick):
        return len(set(stream.numbers)) == len(stream.numbers)
    return isinstance(stream, Split) and all(branch.pushes == 1 for branch in stream.branches)
