"""Conditions and choices. Conditions are numbers here, 1 or 0."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Instruction
from ...source.floats.choices import ONE
from ..builder import Builder
from ..resampling import time_alone
from ..timing import in_time, merged
from ..values import Timed, Value
from .elementwise import frames_of, repeated, unary
from .features import framed, without_time
from .table import integer, only, rule

rule(" ".join(op for op in ONE if op != "to_float"), takes_merged=True)(unary)


@rule("to_float to_double", takes_merged=True)
def to_float(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    return only(args)


@rule("eq ne lt le gt ge logical_and logical_or masked_fill where", takes_merged=True)
def several(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Of each operand the numbers of a frame, in turns."""
    timed = [arg for arg in args if isinstance(arg, Timed)]
    if len({(arg.outer, arg.inner) for arg in timed}) > 1:
        args = [time_alone(build, arg) for arg in args]
        timed = [arg for arg in args if isinstance(arg, Timed)]
    made = merged(build, timed)
    operands = []
    for arg in args:
        if isinstance(arg, Timed):
            operands.append(repeated(build, in_time(build, arg, made), made))
        else:
            operands.append(frames_of(build, arg, made, repeated(build, in_time(build, timed[0], made), made)))
    return replace(made, var=build.emit(instruction.op, instruction.params, operands, made.size))


@rule("argmax", takes_merged=True)
def argmax(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Which is the largest; of numbers that follow each other without a tensor."""
    x = only(args)
    dim, keep = (*instruction.positional, False)[:2]
    dim = integer(dim) % len(x.shape)
    without_time(x, (dim,), "looks for the largest of")
    made = replace(x, shape=build.shape, axis=x.axis - (not keep and dim < x.axis))
    if any(extent != 1 for extent in x.single[dim + 1 :]):
        return framed(build, x, "argmax", instruction.params, made.axis)
    return replace(made, var=build.emit("stream_argmax", (x.single[dim],), [x.var], made.size))
