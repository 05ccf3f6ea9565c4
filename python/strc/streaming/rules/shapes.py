"""Operators that put numbers elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from ...ir import Instruction
from ..builder import Builder, Refused
from ..timing import in_time, merged, padded
from ..values import Stored, Timed, Value
from .features import framed
from .table import integer, numbers, only, rule


def reordered(build: Builder, x: Timed, order: tuple[int, ...]) -> Value:
    """Dimension i of the result is `order[i]` of x."""
    axis = order.index(x.axis)
    dims = tuple(x.dim(dim) for dim in order if dim != x.axis)
    moved = [dim for dim in dims if x.frame[dim] != 1]
    if moved == sorted(moved):
        return replace(x, shape=build.shape, axis=axis)
    return framed(build, x, "permute", (dims,), axis)


@rule("transpose")
def transpose(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    order = list(range(len(x.shape)))
    one, other = map(integer, instruction.positional)
    order[one], order[other] = order[other], order[one]
    return reordered(build, x, tuple(order))


@rule("permute")
def permute(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    return reordered(build, only(args), numbers(instruction.positional[0]))


@rule("reshape flatten squeeze unsqueeze")
def reshape(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Frames are numbers in order, so nothing is to be done as long as time stays where it is among them."""
    x = only(args)
    before = math.prod(x.shape[: x.axis])
    for axis, extent in enumerate(build.shape):
        if extent == x.steps and math.prod(build.shape[:axis]) == before:
            return replace(x, shape=build.shape, axis=axis)
    raise Refused("it puts time and other dimensions together")


@rule("cat")
def cat(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    dim = integer(instruction.positional[1])
    timed = [arg for arg in args if isinstance(arg, Timed)]
    if any(dim == arg.axis for arg in timed):
        return prefixed(build, args)
    if len(timed) != len(args):
        raise Refused("it puts something stored beside what comes with time")
    made = merged(build, timed)
    if any(extent != 1 for extent in made.frame[: made.dim(dim)]):
        raise Refused("it puts together what lies apart in memory")
    return replace(made, var=build.emit("stream_cat", (), [in_time(build, arg, made).var for arg in timed], made.size))


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


@rule("chunk split")
def pieces(build: Builder, instruction: Instruction, args: list[Value]) -> tuple[Value, ...]:
    x = only(args)
    sizes, place = instruction.positional
    dim = integer(place)
    if dim == x.axis:
        raise Refused("it cuts the sequence in pieces")
    if any(extent != 1 for extent in x.frame[: x.dim(dim)]):
        raise Refused("its pieces lie apart in memory")
    extents = [x.shape[dim] // sizes] * sizes if isinstance(sizes, int) else numbers(sizes)
    shapes = [(*x.shape[:dim], extent, *x.shape[dim + 1 :]) for extent in extents]
    made = [replace(x, shape=shape) for shape in shapes]
    var = build.emit("stream_parts", (), [x.var], *(piece.size for piece in made))
    return tuple(replace(piece, var=build.part(var, i)) for i, piece in enumerate(made))


@rule("getitem")
def item(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    index, dim = (*map(integer, instruction.positional), 0)[:2]
    if dim == x.axis:
        raise Refused(f"it takes one of the {x.steps} time steps: a stream gives a result at each of them")
    return framed(build, x, "getitem", (index, *([x.dim(dim)] if x.dim(dim) else [])), x.axis - (dim < x.axis))
