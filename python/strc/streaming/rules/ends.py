"""Padding, and what is cut off."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Instruction
from ..builder import Builder, Refused
from ..places import part as places_of
from ..resampling import time_alone
from ..timing import padded, whole, windowed
from ..values import Value
from .features import framed
from .table import integer, numbers, only, rule


@rule("pad", takes_padding=True)
def pad(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    amounts = list(numbers(instruction.positional[0]))
    rest = instruction.positional[1:]
    mode, value = rest[0] if rest else "constant", rest[1] if len(rest) > 1 else 0.0
    at = 2 * (x.from_right - 1)
    before, after = (amounts[at], amounts[at + 1]) if at < len(amounts) else (0, 0)
    if (before, after) != (0, 0) and mode != "constant":
        raise Refused(
            f"it fills the ends with what is inside (mode {mode!r}), which is not there yet when the first frame comes: pad with a constant on the left "
            "(functional.pad(x, (n, 0)))"
        )
    others = amounts[:at] + [0, 0][: len(amounts) - at] + amounts[at + 2 :]
    if any(others):
        x = whole(build, x)
        shape = (*build.shape[: x.axis], x.steps, *build.shape[x.axis + 1 :])
        while others[-2:] == [0, 0]:
            del others[-2:]
        x = framed(build, x, "pad", (tuple(others), *instruction.positional[1:]), shape=shape)
    assert isinstance(value, (int, float))
    return padded(build, x, before, after, value)


@rule("slice", takes_padding=True, takes_merged=True)
def part(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dim, start, end, step = (*map(integer, instruction.positional), 1)[:4]
    if dim != x.axis:
        x = whole(build, x)
        places = range(x.shape[dim])[start:end:step]
        return replace(x, var=places_of(build, x.var, x.single, dim, places), shape=build.shape)
    x = padded(build, time_alone(build, x), -start, 0)
    if step == 1:
        return replace(x, shape=build.shape)
    return windowed(build, x, "stream_every", (step, x.size), 1, step, x.size)
