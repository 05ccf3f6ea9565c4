"""Streams of several values side by side: delays, padding, and windows along time."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from ..ir import Param
from ..ir.model import Shape
from .builder import Builder, Refused
from .clock import together
from .values import Timed, Value


def merged(build: Builder, timed: list[Timed]) -> Timed:
    """What the result of several operands is: each of its frames needs one of each."""
    first = max(timed, key=lambda arg: len(arg.shape))
    for other in timed:
        if other.from_right != first.from_right:
            raise Refused("its operands have time in different dimensions")
        if (other.outer, other.inner) != (first.outer, first.inner):
            raise Refused("time is together with other dimensions in one of its operands and not in the other one")
        if other.clock.rate != first.clock.rate:
            rates = [rate_in_words(arg.clock.rate) for arg in (first, other)]
            raise Refused(f"its operands have different rates: {rates[0]}, and {rates[1]}")
    culprits = tuple(dict.fromkeys(culprit for arg in timed for culprit in arg.culprits))
    axis, clock = len(build.shape) - first.from_right, together(arg.clock for arg in timed)
    offset = max(arg.offset for arg in timed)
    early = min(arg.early + offset - arg.offset for arg in timed)
    return Timed(-1, build.shape, axis, clock, offset, early, 0.0, culprits, first.outer, first.inner)


def rate_in_words(rate: Fraction) -> str:
    """How often frames come."""
    frames = "a frame" if rate.numerator == 1 else f"{rate.numerator} frames"
    return f"{frames} for {'each sample' if rate.denominator == 1 else f'{rate.denominator} samples'}"


def in_time(build: Builder, x: Timed, like: Timed) -> Timed:
    """Frames of the same number come at the same time."""
    late = like.offset - x.offset
    return replace(x, var=build.delay(x.var, late), offset=like.offset, early=x.early + late)


def stretched(x: Timed, by: int) -> Shape:
    return (*x.shape[: x.axis], x.steps + by, *x.shape[x.axis + 1 :])


def padded(build: Builder, x: Timed, before: int, after: int, value: float = 0.0) -> Timed:
    """With frames at both ends; those behind the end never come, but who takes one looks ahead."""
    if before > 0 and x.offset > 0:  # what means nothing is part of the padding now
        x = replace(x, var=build.emit("stream_blank", (x.offset * x.size, float(value)), [x.var], x.size))
    elif before > 0 and x.offset < 0 and x.fill != value:
        x = whole(build, x)
    fill = value if before > 0 else x.fill
    return replace(
        x, shape=stretched(x, before + after), clock=x.clock.moved(-before), offset=x.offset - before, fill=fill,
    )


Some = TypeVar("Some", Timed, Value)


def whole(build: Builder, x: Some) -> Some:
    """With the padding before its first frame as frames."""
    if not isinstance(x, Timed) or x.offset >= 0:
        return x
    return replace(x, var=build.delay(x.var, -x.offset, x.fill), offset=0, early=x.early - x.offset)


def from_its_first_frame(build: Builder, x: Timed) -> Timed:
    """Without what means nothing: for states that begin with frame 0."""
    x = whole(build, x)
    if x.offset == 0:
        return x
    return replace(x, var=build.emit("stream_skip", (x.offset * x.size,), [x.var], x.size))


def windowed(build: Builder, x: Timed, op: str, params: tuple[Param, ...], reach: int, stride: int, numbers_given: int) -> Timed:
    """A filter that looks at `reach` frames from its own on, and goes on by `stride`.

    It is given so many frames before the first ones that a firing is possible with every `stride` frames, and that a window begins with the
    model's frame 0.
    """
    needed = max(reach, stride) - stride
    before = max(0, needed - x.early)
    before += -(before + x.offset) % stride
    before += max(0, -(before + x.offset))
    given = build.delay(x.var, before, x.fill if x.offset < 0 else 0.0)
    var = build.emit(op, params, [given], numbers_given, rate=x.clock.rate / stride)
    early = (x.early + before - needed) // stride
    return replace(
        x, var=var, shape=build.shape, clock=x.clock.windowed(reach, stride), offset=(before + x.offset) // stride, early=early
    )


def again_late(build: Builder, x: Timed, var: int) -> Timed:
    """What was made of x from its first frame on, in time with other values."""
    return replace(x, var=build.delay(var, x.offset), clock=x.clock.without_end())
