"""Frames that are several, and several that are one: streams of other rates."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

from .builder import Builder, Refused
from .places import permuted
from .timing import whole, windowed
from .values import Timed, Value

Some = TypeVar("Some", Timed, Value)


def upsampled(build: Builder, x: Timed, factor: int) -> Timed:
    """Each frame is so many, which follow each other in it. The shape is still that of before."""
    x = whole(build, x)
    var = build.seen(x.var, build.sizes[x.var][0] // factor, x.clock.rate * factor)
    return replace(x, var=var, clock=x.clock.upsampled(factor), offset=x.offset * factor, early=x.early * factor)


def time_alone(build: Builder, x: Some) -> Some:
    """What a model puts together with time, and goes through faster, are more frames."""
    if not isinstance(x, Timed) or x.alone:
        return x
    if x.outer != 1:
        raise Refused("it puts time and other dimensions together")
    before, after = math.prod(x.shape[: x.axis]), math.prod(x.shape[x.axis + 1 :])
    x = whole(build, x)
    var = permuted(build, x.var, (before, x.inner, after), (1, 0, 2))
    return replace(upsampled(build, replace(x, var=var), x.inner), inner=1)


def grouped(build: Builder, x: Timed, count: int) -> Timed:
    """So many frames as one; their numbers follow each other. The shape is still that of before."""
    return windowed(build, x, "stream_view", (), count, count, count * x.size)


def with_time_at(build: Builder, x: Timed, shape: tuple[int, ...]) -> Timed:
    """The value in another shape of as many elements, in which time is in one dimension, or in two that follow each other."""
    before = math.prod(x.shape[: x.axis]) * x.outer
    places = []
    for axis, extent in enumerate(shape):
        outer, rest = divmod(before, math.prod(shape[:axis]))
        if outer and not rest and extent % (outer * x.steps) == 0:
            places.append((extent, axis, outer, extent // (outer * x.steps)))
    if places:
        _, axis, outer, inner = min(places)
        return replace(x, shape=shape, axis=axis, outer=outer, inner=inner)
    return split_in_time(build, time_alone(build, x), shape)


def split_in_time(build: Builder, x: Timed, shape: tuple[int, ...]) -> Timed:
    """Time as two dimensions: several frames are one, and the second dimension is one of the frame."""
    before, after = math.prod(x.shape[: x.axis]), math.prod(x.shape[x.axis + 1 :])
    for axis, extent in enumerate(shape[:-1]):
        if math.prod(shape[:axis]) == before and extent and x.steps % extent == 0 and shape[axis + 1] == x.steps // extent:
            count = shape[axis + 1]
            made = grouped(build, x, count)
            var = permuted(build, made.var, (count, before, after), (1, 0, 2))
            return replace(made, var=var, shape=shape, axis=axis)
    raise Refused("it puts time and other dimensions together")
