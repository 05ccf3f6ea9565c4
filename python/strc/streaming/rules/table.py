"""What the rules are, and how they enter the table."""

from __future__ import annotations

from collections.abc import Callable

from ...ir import Instruction, Named, Param
from ..builder import Builder, Refused
from ..resampling import time_alone
from ..timing import whole
from ..values import Timed, Value

Rule = Callable[[Builder, Instruction, list[Value]], "Value | tuple[Value, ...]"]
RULES: dict[str, Rule] = {}
PADDED: set[str] = set()
MERGED: set[str] = set()


def rule(names: str, takes_padding: bool = False, takes_merged: bool = False) -> Callable[[Rule], Rule]:
    """Enters a function as that of these operators. `takes_padding`: it knows what to do with padding that is no frames yet; `takes_merged`: with time that
    is together with others in one dimension.
    """

    def enter(function: Rule) -> Rule:
        for name in names.split():
            RULES[name] = function
            if takes_padding:
                PADDED.add(name)
            if takes_merged:
                MERGED.add(name)
        return function

    return enter


def by_rule(build: Builder, instruction: Instruction, args: list[Value]) -> Value | tuple[Value, ...]:
    """What an operator gives in the stream. Raises `Refused`."""
    if instruction.op not in RULES:
        raise Refused(f"'{instruction.op}' has no form that works frame by frame")
    if instruction.op not in MERGED:
        args = [time_alone(build, arg) for arg in args]
    if instruction.op not in PADDED:
        args = [whole(build, arg) for arg in args]
    return RULES[instruction.op](build, instruction, args)


def only(args: list[Value]) -> Timed:
    """The one argument, which changes with time."""
    (x,) = args
    assert isinstance(x, Timed)
    return x


def integer(value: Param) -> int:
    assert isinstance(value, int)
    return value


def numbers(value: Param) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value,)
    assert isinstance(value, tuple)
    return tuple(integer(number) for number in value)


def named(instruction: Instruction, *names: str) -> tuple[Param, ...]:
    """The parameters of these names, as far as they are given."""
    return tuple(param for param in instruction.params if isinstance(param, Named) and param.name in names)
