"""Convolutions and pooling along time, which look at a window of frames."""

from __future__ import annotations

import math

from ...ir import Instruction, Named, Param
from ..builder import Builder, Refused
from ..timing import padded, windowed
from ..values import Timed, Value
from .table import integer, named, only, rule


def channels_of(x: Timed) -> int:
    """The numbers of a frame, which are the channels of one sequence."""
    if x.axis != len(x.shape) - 1:
        raise Refused(f"it goes along dimension {len(x.shape) - 1}, where time is dimension {x.axis}")
    if x.size != x.frame[-1]:
        raise Refused(f"there are {x.size // x.frame[-1]} sequences side by side (a batch): only one can be streamed")
    return x.frame[-1]


@rule("conv1d", takes_padding=True)
def conv1d(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    channels_of(x)
    inputs, outputs, kernel, stride, padding = map(integer, instruction.positional)
    dilation = integer(instruction.named("dilation", 1)) if kernel > 1 else 1
    x = padded(build, x, padding, padding)
    ways = [Named("stride", stride)] if stride != 1 else []
    ways += [Named("dilation", dilation)] if kernel > 1 else []
    given = (inputs, outputs, kernel, *ways, *named(instruction, "groups", "bias", "weights"))
    reach = (kernel - 1) * dilation + 1
    return windowed(build, x, "stream_conv1d", given, reach, stride, outputs)


@rule("maxpool1d avgpool1d", takes_padding=True)
def pool1d(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    channels = channels_of(x)
    kernel, stride, padding = map(integer, instruction.positional)
    dilation = integer(instruction.named("dilation", 1))
    if instruction.named("ceil", False):
        raise Refused("its last window reaches behind the end (ceil_mode)")
    if padding and instruction.named("count_include_pad", True) is False:
        raise Refused("its first windows are divided by other numbers than the others (count_include_pad=False)")
    is_max = instruction.op == "maxpool1d"
    x = padded(build, x, padding, padding, -math.inf if is_max else 0.0)
    given: tuple[Param, ...] = (channels, kernel, stride, *([Named("dilation", dilation)] if dilation != 1 else []))
    op = "stream_maxpool" if is_max else "stream_avgpool"
    return windowed(build, x, op, given, (kernel - 1) * dilation + 1, stride, channels)
