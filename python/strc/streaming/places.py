"""The numbers of a frame in other places. What moves simply is done to the numbers, anything else by a tensor."""

from __future__ import annotations

import math

from ..ir.model import Shape
from .builder import Builder


def permuted(build: Builder, var: int, shape: Shape, order: tuple[int, ...]) -> int:
    """Dimension i of the result is dimension `order[i]` of a frame of this shape."""
    runs: list[list[int]] = []  # dimensions that stay beside each other; those of one element are nowhere
    for dim in (dim for dim in order if shape[dim] != 1):
        if runs and follows(runs[-1][-1], dim, shape):
            runs[-1].append(dim)
        else:
            runs.append([dim])
    extents = [math.prod(shape[dim] for dim in run) for run in runs]
    places = sorted(range(len(runs)), key=lambda place: runs[place])
    moved = [place for place, other in enumerate(places) if place != other]
    if not moved:
        return var
    if len(moved) != 2:
        return build.framed([(var, shape)], "permute", (order,), tuple(shape[dim] for dim in order))
    sizes = [extents[place] for place in places]  # in the order of the frame
    first, second = moved
    parts = (sizes[:first], sizes[first : first + 1], sizes[first + 1 : second], sizes[second : second + 1], sizes[second + 1 :])
    return build.emit("stream_swap", tuple(map(math.prod, parts)), [var], math.prod(shape))


def follows(one: int, other: int, shape: Shape) -> bool:
    """Is there nothing between two dimensions?"""
    return other > one and all(extent == 1 for extent in shape[one + 1 : other])


def spread(build: Builder, var: int, before: Shape, after: Shape) -> int:
    """A frame whose dimensions of one element have as many as the result's."""
    before = (1,) * (len(after) - len(before)) + before
    grown = [dim for dim in range(len(after)) if before[dim] != after[dim]]
    if not grown:
        return var
    if math.prod(before[grown[0] : grown[-1] + 1]) != 1:
        return build.framed([(var, before)], "expand", (after,), after)
    count = math.prod(after[grown[0] : grown[-1] + 1])
    given = (math.prod(after[: grown[0]]), count, math.prod(after[grown[-1] + 1 :]))
    return build.emit("stream_spread", given, [var], math.prod(after))


def part(build: Builder, var: int, shape: Shape, dim: int, places: range) -> int:
    """Some places of a dimension."""
    if len(places) == shape[dim]:
        return var
    steps = (places.step,) if places.step != 1 else ()
    given = (math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :]), places.start, len(places), *steps)
    return build.emit("stream_part", given, [var], math.prod(shape) // shape[dim] * len(places))
