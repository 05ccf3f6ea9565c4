"""What depends on all that came: sums and recurrent layers."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Instruction, Named
from ..builder import Builder, Refused
from ..timing import again_late, from_its_first_frame
from ..values import Value
from .table import integer, named, only, rule


@rule("cumsum")
def cumsum(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dim = integer(instruction.positional[0])
    if dim != x.axis:
        return replace(x, var=build.framed(x, "cumsum", (x.dim(dim),), x.frame))
    first = from_its_first_frame(build, x)
    return again_late(build, x, build.emit("stream_sum", (x.size,), [first.var], x.size))


@rule("rnn gru lstm")
def recurrent(build: Builder, instruction: Instruction, args: list[Value]) -> tuple[Value, ...]:
    x = only(args)
    inputs, hidden, layers = map(integer, instruction.positional)
    time = 1 if instruction.named("batch_first", False) and len(x.shape) == 3 else 0
    if x.axis != time:
        raise Refused(f"its steps are dimension {time}, where time is dimension {x.axis}")
    if instruction.named("bidirectional", False):
        raise Refused("it goes backwards too, so it would have to look ahead to the end: no latency suffices")
    if x.size != inputs:
        raise Refused(f"there are {x.size // inputs} sequences side by side (a batch): only one can be streamed")
    var = from_its_first_frame(build, x).var
    for layer in range(layers):
        ways = [Named("layer", layer)] if layer else []
        given = (inputs if layer == 0 else hidden, hidden, *ways, *named(instruction, "bias", "weights"))
        op = "stream_rnn_relu" if instruction.named("relu", False) else f"stream_{instruction.op}"
        var = build.emit(op, given, [var], hidden)
    made = again_late(build, x, var)
    return (replace(made, shape=(*x.shape[:-1], hidden)),)  # the last states are no results of a stream
