"""Operators over the dimensions of a frame."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from ...ir import Instruction, Named, Param
from ...ir.model import Shape
from ..builder import Builder, Refused
from ..places import spread
from ..resampling import time_alone
from ..timing import in_time, merged
from ..values import Stored, Timed, Value
from .elementwise import frames_of
from .table import integer, named, numbers, only, rule


OVER_MATRICES = ("matmul", "attention")


def framed(
    build: Builder, x: Timed, op: str, params: tuple[Param, ...], axis: int | None = None, shape: Shape | None = None
) -> Timed:
    """The library's operator over a frame, in which the dimension of time has one element."""
    made = replace(x, shape=build.shape if shape is None else shape, axis=x.axis if axis is None else axis)
    return replace(made, var=build.framed([(x.var, x.single)], op, params, made.single))


def side_by_side(build: Builder, args: list[Value], op: str, params: tuple[Param, ...]) -> Timed:
    """The library's operator over a frame of each of several values, or stored ones, where time is a dimension that it leaves alone."""
    timed = [arg for arg in args if isinstance(arg, Timed)]
    made = merged(build, timed)
    leading = in_time(build, timed[0], made)
    # What goes over the last two dimensions has time before them, or else one of them is rows of the one and columns of the other operand.
    are_beside = op not in OVER_MATRICES or made.from_right > 2
    frames: list[Stored | tuple[int, Shape]] = []
    for arg in args:
        if isinstance(arg, Stored):
            frames.append(beside(build, arg, made, leading.var) if are_beside else arg)
        else:
            frames.append((in_time(build, arg, made).var, arg.single))
    return replace(made, var=build.framed(frames, op, params, made.single))


def beside(build: Builder, stored: Stored, like: Timed, var: int) -> Stored | tuple[int, Shape]:
    """A stored value beside frames of a variable; as frames, too, where it has one for each time step."""
    dim = len(stored.shape) - like.from_right
    if dim < 0 or like.steps == 1 or stored.shape[dim] == 1 or stored.shape[dim] != like.shape[like.axis]:
        return stored
    if not like.alone:
        raise Refused("a stored value has a part for each time step, where time is together with other dimensions")
    values = build.tensor(stored)
    first = values.narrow(dim, 0, 1)
    if torch.equal(values, first.expand_as(values)):
        return Stored(build.store(f"{stored.name}.frame", first.clone()), tuple(first.shape))
    own = replace(like, shape=stored.shape, axis=dim)
    return frames_of(build, stored, own, var), own.single


@rule("linear", takes_merged=True)
def linear(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    if x.axis == len(x.shape) - 1:
        x = time_alone(build, x)
        raise Refused(f"it combines all {x.steps} time steps")
    made = replace(x, shape=build.shape)
    return replace(made, var=build.emit("stream_linear", instruction.params, [x.var], made.size))


@rule("batchnorm1d batchnorm2d batchnorm3d")
def batchnorm(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    if x.axis == 1:
        raise Refused(f"its channels are dimension 1, where time is dimension {x.axis}")
    sides = (("sequences", x.single[0]), ("bands", math.prod(x.single[2:])))
    ways = tuple(Named(name, count) for name, count in sides if count != 1)
    given = (*instruction.positional, *ways, *named(instruction, "eps", "affine", "weights"))
    return replace(x, var=build.emit("stream_batchnorm", given, [x.var], x.size))


@rule("layernorm rmsnorm", takes_merged=True)
def layernorm(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dims = len(numbers(instruction.positional[0]))
    without_time(x, tuple(range(len(x.shape) - dims, len(x.shape))), "normalises over")
    return framed(build, x, instruction.op, instruction.params)


@rule("groupnorm instancenorm2d", takes_merged=True)
def groupnorm(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    without_time(x, tuple(range(1, len(x.shape))), "normalises over")
    return framed(build, x, instruction.op, instruction.params)


def without_time(x: Timed, dims: tuple[int, ...], what: str) -> None:
    """Raises `Refused` if time is one of the dimensions over which something goes."""
    if x.axis in [dim % len(x.shape) for dim in dims]:
        raise Refused(
            f"it {what} all {x.steps} time steps, so it would have to look ahead to the end: no latency suffices; "
            "it can go over the other dimensions of a frame, and over the past by sums of it (cumsum) divided by their count"
        )


@rule("softmax logsoftmax flip roll", takes_merged=True)
def along_one(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x, what = only(args), {"flip": "turns round", "roll": "turns round"}.get(instruction.op, "normalises over")
    without_time(x, (integer(instruction.positional[0]),), what)
    return framed(build, x, instruction.op, instruction.params)


@rule("mean sum amax amin", takes_merged=True)
def reduction(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dims = numbers(instruction.positional[0]) if instruction.positional else tuple(range(len(x.shape)))
    rest = instruction.positional[1:]
    without_time(x, dims, "reduces")
    gone = 0 if rest and rest[0] else sum(dim < x.axis for dim in dims)
    return framed(build, x, instruction.op, instruction.params, x.axis - gone)


@rule("matmul", takes_merged=True)
def matmul(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x, y = args
    if isinstance(y, Stored):
        y = one_matrix(build, y)
    if isinstance(x, Timed) and isinstance(y, Stored) and len(y.shape) == 2 and x.axis < len(x.shape) - 1:
        return product(build, y, build.tensor(y).t(), x)
    if isinstance(x, Stored) and isinstance(y, Timed) and len(x.shape) == 2 and y.axis == len(y.shape) - 1 and y.alone:
        return product(build, x, build.tensor(x), y)
    if combines_steps(x, y, 1) or combines_steps(y, x, 2):
        raise Refused(
            "it combines time steps with each other: all of them with all would have to be kept for ever; a matrix is multiplied in each frame if time is "
            "a dimension before its rows and columns"
        )
    return side_by_side(build, args, "matmul", ())


def combines_steps(arg: Value, other: Value, summed: int) -> bool:
    """Do sums of a product go over time steps of `arg`? `summed` is the dimension over which they go, counted from the last, which is 1. Where time is the
    other one of its matrices, and these are multiplied by stored ones, each time step is a row or a column of the result. (One stored matrix for all is
    a linear layer, if it can be.)
    """
    if not isinstance(arg, Timed) or arg.from_right >= 3:
        return False
    return arg.from_right == summed or isinstance(other, Timed) or len(other.shape) < 3


def one_matrix(build: Builder, stored: Stored) -> Stored:
    """A matrix that is stored for each of several, if it is the same for all."""
    whole = build.tensor(stored)
    if whole.dim() < 3 or not torch.equal(whole, whole[(0,) * (whole.dim() - 2)].expand_as(whole)):
        return stored
    first = whole[(0,) * (whole.dim() - 2)].clone()
    return Stored(build.store(f"{stored.name}.first", first), tuple(first.shape))


def product(build: Builder, other: Stored, matrix: torch.Tensor, x: Timed) -> Timed:
    """A linear layer with a stored matrix, which has a row for each of its results."""
    prefix = f"{other.name}.matrix"
    build.store(f"{prefix}.weight", matrix.to(torch.float32))
    outputs, inputs = matrix.shape
    made = replace(x, shape=build.shape)
    given = (inputs, outputs, Named("bias", False), Named("weights", prefix))
    return replace(made, var=build.emit("stream_linear", given, [x.var], made.size))


@rule("attention", takes_merged=True)
def attention(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    is_query = isinstance(args[0], Timed) and args[0].from_right == 2 and all(isinstance(arg, Stored) for arg in args[1:])
    for arg in args[1:] if is_query and not instruction.named("causal", False) else args:
        if isinstance(arg, Timed) and arg.from_right < 3:
            raise Refused("it goes over all time steps, so all that came would have to be kept for ever; attention within a frame has time before its rows")
    return side_by_side(build, args, "attention", instruction.params)


@rule("asinh acosh atanh floor_divide fmod remainder", takes_merged=True)
def of_tensors(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Element by element, by filters over tensors."""
    return side_by_side(build, args, instruction.op, instruction.params)


@rule("expand", takes_merged=True)
def expand(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    made = replace(x, shape=build.shape, axis=len(build.shape) - x.from_right)
    if made.steps != x.steps:
        raise Refused("it repeats one time step for all")
    return replace(made, var=spread(build, x.var, x.single, made.single))


@rule("update")
def update(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Puts some numbers of a frame in place of others."""
    dim = integer(instruction.positional[0])
    if any(isinstance(arg, Timed) and arg.axis == dim for arg in args):
        raise Refused("it writes over single time steps; a loop over all of them may write one after the other")
    return side_by_side(build, args, "update", instruction.params)
