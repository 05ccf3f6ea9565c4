"""Operators that put numbers elsewhere."""

from __future__ import annotations

from dataclasses import replace

import torch

from ...ir import Instruction
from ..builder import Builder, Refused
from ..places import part, permuted
from ..resampling import with_time_at
from ..timing import in_time, merged, padded
from ..values import Stored, Timed, Value
from .features import side_by_side
from .table import integer, numbers, only, rule


def reordered(build: Builder, x: Timed, order: tuple[int, ...]) -> Value:
    """Dimension i of the result is `order[i]` of x."""
    return replace(x, var=permuted(build, x.var, x.single, order), shape=build.shape, axis=order.index(x.axis))


@rule("transpose", takes_merged=True)
def transpose(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    order = list(range(len(x.shape)))
    one, other = map(integer, instruction.positional)
    order[one], order[other] = order[other], order[one]
    return reordered(build, x, tuple(order))


@rule("permute", takes_merged=True)
def permute(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    return reordered(build, only(args), numbers(instruction.positional[0]))


@rule("reshape flatten squeeze unsqueeze unflatten", takes_merged=True)
def reshape(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Frames are numbers in order, so nothing is to be done as long as time stays where it is among them."""
    return with_time_at(build, only(args), build.shape)


@rule("cat")
def cat(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    dim = integer(instruction.positional[1])
    timed = [arg for arg in args if isinstance(arg, Timed)]
    if any(dim == arg.axis for arg in timed):
        return prefixed(build, args)
    if len(timed) != len(args):
        return side_by_side(build, args, "cat", (len(args), dim))
    made = merged(build, timed)
    if any(extent != 1 for extent in made.single[:dim]):
        return side_by_side(build, args, "cat", (len(args), dim))
    return replace(made, var=build.emit("stream_cat", (), [in_time(build, arg, made).var for arg in timed], made.size))


@rule("stack")
def stack(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    dim = integer(instruction.positional[1])
    parts = []
    for arg in args:
        if not isinstance(arg, Timed):
            raise Refused("it puts something stored beside what comes with time")
        parts.append(replace(arg, shape=(*arg.shape[:dim], 1, *arg.shape[dim:]), axis=arg.axis + (dim <= arg.axis)))
    made = merged(build, parts)
    if any(extent != 1 for extent in made.single[:dim]):
        return side_by_side(build, list(parts), "cat", (len(parts), dim))
    return replace(made, var=build.emit("stream_cat", (), [in_time(build, part, made).var for part in parts], made.size))


def prefixed(build: Builder, args: list[Value]) -> Value:
    """Stored values before what comes with time, or behind it."""
    at = [i for i, arg in enumerate(args) if isinstance(arg, Timed)]
    if len(at) != 1:
        raise Refused("it puts sequences one behind the other: the second would wait for the end of the first")
    x = args[at[0]]
    assert isinstance(x, Timed)
    before, values = 0, torch.zeros(0)
    for arg in args[: at[0]]:
        assert isinstance(arg, Stored)
        values = torch.cat((values, build.tensor(arg).flatten().to(torch.float32)))
        before += arg.shape[x.axis]
    if values.numel() and not torch.all(values == values[0]):
        raise Refused("what it puts before the first frame is more than one number")
    after = build.shape[x.axis] - x.steps - before
    return padded(build, x, before, after, float(values[0]) if before else 0.0)


@rule("chunk split", takes_merged=True)
def pieces(build: Builder, instruction: Instruction, args: list[Value]) -> tuple[Value, ...]:
    x = only(args)
    sizes, place = instruction.positional
    dim = integer(place)
    if dim == x.axis:
        raise Refused("it cuts the sequence in pieces")
    extents = [x.shape[dim] // sizes] * sizes if isinstance(sizes, int) else numbers(sizes)
    shapes = [(*x.shape[:dim], extent, *x.shape[dim + 1 :]) for extent in extents]
    made = [replace(x, shape=shape) for shape in shapes]
    if any(extent != 1 for extent in x.single[:dim]):
        ranges = [range(sum(extents[:i]), sum(extents[: i + 1])) for i in range(len(extents))]
        return tuple(replace(piece, var=part(build, x.var, x.single, dim, places)) for piece, places in zip(made, ranges))
    var = build.emit("stream_parts", (), [x.var], *(piece.size for piece in made))
    return tuple(replace(piece, var=build.part(var, i)) for i, piece in enumerate(made))


@rule("getitem", takes_merged=True)
def item(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    index, dim = (*map(integer, instruction.positional), 0)[:2]
    if dim == x.axis:
        raise Refused(f"it takes one of the {x.steps} time steps: a stream gives a result at each of them")
    index %= x.shape[dim]
    return replace(x, var=part(build, x.var, x.single, dim, range(index, index + 1)), shape=build.shape, axis=x.axis - (dim < x.axis))
