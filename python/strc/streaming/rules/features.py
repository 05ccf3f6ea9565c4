"""Operators over the dimensions of a frame."""

from __future__ import annotations

from dataclasses import replace

import torch

from ...ir import Instruction, Named, Param
from ..builder import Builder, Refused
from ..values import Stored, Timed, Value
from .table import integer, numbers, only, rule


def framed(build: Builder, x: Timed, op: str, params: tuple[Param, ...], axis: int | None = None) -> Timed:
    """The library's operator over a frame."""
    made = replace(x, shape=build.shape, axis=x.axis if axis is None else axis)
    return replace(made, var=build.framed(x, op, params, made.frame))


@rule("linear")
def linear(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    if x.axis == len(x.shape) - 1:
        raise Refused(f"it combines all {x.steps} time steps")
    made = replace(x, shape=build.shape)
    return replace(made, var=build.emit("stream_linear", instruction.params, [x.var], made.size))


@rule("batchnorm1d")
def batchnorm(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    if len(x.shape) != 3 or x.axis != 2:
        raise Refused(f"its channels are dimension 1, where time is dimension {x.axis}")
    return replace(x, var=build.emit("stream_batchnorm", instruction.params, [x.var], x.size))


@rule("layernorm rmsnorm")
def layernorm(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    if x.axis >= len(x.shape) - len(numbers(instruction.positional[0])):
        raise Refused(f"it normalises over all {x.steps} time steps")
    return framed(build, x, instruction.op, instruction.params)


def without_time(x: Timed, dims: tuple[int, ...], what: str) -> tuple[int, ...]:
    if x.axis in dims:
        raise Refused(f"it {what} all {x.steps} time steps, so it would have to look ahead to the end: no latency suffices")
    return tuple(x.dim(dim) for dim in dims)


@rule("softmax logsoftmax")
def softmax(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    (dim,) = without_time(x, (integer(instruction.positional[0]),), "normalises over")
    return framed(build, x, instruction.op, (dim,))


@rule("mean sum amax amin argmax")
def reduction(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dims = instruction.positional[0] if instruction.positional else tuple(range(len(x.shape)))
    rest = instruction.positional[1:]
    mapped = without_time(x, numbers(dims), "reduces")
    gone = 0 if rest and rest[0] else sum(dim < x.axis for dim in numbers(dims))
    return framed(build, x, instruction.op, (mapped[0] if isinstance(dims, int) else mapped, *rest), x.axis - gone)


@rule("matmul")
def matmul(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x, y = args
    if isinstance(x, Timed) and isinstance(y, Stored) and len(y.shape) == 2 and x.axis < len(x.shape) - 1:
        matrix, made = build.tensor(y).t(), replace(x, shape=build.shape)
    elif isinstance(x, Stored) and isinstance(y, Timed) and len(x.shape) == 2 and y.axis == len(y.shape) - 1:
        matrix, made = build.tensor(x), replace(y, shape=build.shape)
    else:
        raise Refused("it combines time steps with each other")
    other = next(arg for arg in args if isinstance(arg, Stored))
    prefix = f"{other.name}.matrix"
    build.store(f"{prefix}.weight", matrix.to(torch.float32))
    outputs, inputs = matrix.shape
    given = (inputs, outputs, Named("bias", False), Named("weights", prefix))
    return replace(made, var=build.emit("stream_linear", given, [made.var], made.size))
