"""What depends on all that came: sums and recurrent layers."""

from __future__ import annotations

import math
from dataclasses import replace

from ...ir import Instruction, Named
from ..builder import Builder, Refused
from ..resampling import time_alone
from ..timing import again_late, from_its_first_frame
from ..values import Timed, Value
from .features import framed
from .table import integer, named, only, rule


@rule("cumsum")
def cumsum(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dim = integer(instruction.positional[0])
    if dim != x.axis:
        return framed(build, x, "cumsum", instruction.params)
    first = from_its_first_frame(build, x)
    return again_late(build, x, build.emit("stream_sum", (x.size,), [first.var], x.size))


@rule("cumprod cummax cummin logcumsumexp")
def cumulative(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dim = integer(instruction.positional[0])
    if dim != x.axis:
        given = (math.prod(x.single[:dim]), x.shape[dim], math.prod(x.single[dim + 1 :]))
        return replace(x, var=build.emit(f"stream_frame_{instruction.op}", given, [x.var], x.size))
    first = from_its_first_frame(build, x)
    return again_late(build, x, build.emit(f"stream_{instruction.op}", (x.size,), [first.var], x.size))


@rule("rnn gru lstm", takes_merged=True)
def recurrent(build: Builder, instruction: Instruction, args: list[Value]) -> tuple[Value, ...]:
    x = only(args)
    time = 1 if instruction.named("batch_first", False) and len(x.shape) == 3 else 0
    if x.axis == time:
        return (in_steps(build, instruction, time_alone(build, x)),)  # the last states are no results of a stream
    if x.axis == len(x.shape) - 1:
        raise Refused(f"its steps are dimension {time}, where time is dimension {x.axis}, its features")
    return (framed(build, x, f"stream_frame_{instruction.op}", instruction.params),)


def in_steps(build: Builder, instruction: Instruction, x: Timed) -> Timed:
    """One step for each frame, of as many sequences as there are."""
    inputs, hidden, layers = map(integer, instruction.positional)
    if instruction.named("bidirectional", False):
        raise Refused("it goes backwards too, so it would have to look ahead to the end: no latency suffices; leave out bidirectional=True")
    count = x.size // inputs
    var = from_its_first_frame(build, x).var
    for layer in range(layers):
        ways = [Named("layer", layer)] if layer else []
        ways += [Named("sequences", count)] if count != 1 else []
        given = (inputs if layer == 0 else hidden, hidden, *ways, *named(instruction, "bias", "weights"))
        op = "stream_rnn_relu" if instruction.named("relu", False) else f"stream_{instruction.op}"
        var = build.emit(op, given, [var], count * hidden)
    return replace(again_late(build, x, var), shape=(*x.shape[:-1], hidden))
