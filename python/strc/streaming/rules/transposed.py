"""Transposed convolutions, and values between those of time steps."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Instruction, Named, Param
from ..builder import Builder, Refused
from ..resampling import upsampled
from ..timing import padded, whole, windowed
from ..values import Timed, Value
from .features import framed
from .table import integer, named, only, rule
from .windows import Ways, along_dimensions, band_params, conv_ways, sequences_of, side_by_side


def overlapped(build: Builder, x: Timed, op: str, params: tuple[Param, ...], ways: Ways) -> Timed:
    """Sums of what several frames add; the padding is cut off at both ends."""
    assert ways.time is not None
    stride, padding = ways.stride[ways.time], ways.padding[ways.time]
    frames = 1 + (ways.reach(ways.time) - 1) // stride
    result = replace(x, shape=build.shape)
    steps = x.steps
    x = padded(build, x, frames - 1, 0)
    made = windowed(build, x, op, params, frames, 1, stride * result.size)
    made = upsampled(build, replace(made, shape=(*result.shape[: x.axis], steps * stride, *result.shape[x.axis + 1 :])), stride)
    return replace(padded(build, made, -padding, 0), shape=build.shape)


@rule("convtranspose1d convtranspose2d")
def convtranspose(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dims = 1 if instruction.op == "convtranspose1d" else 2
    ways = conv_ways(instruction, x, dims)
    if ways.time is None:
        return framed(build, x, instruction.op, instruction.params)
    time = ways.time
    made = replace(x, shape=build.shape)
    inputs, outputs = map(integer, instruction.positional[:2])
    frames = 1 + (ways.reach(time) - 1) // ways.stride[time]
    given: list[Param] = [inputs, outputs]
    if dims == 1:
        given += [ways.kernel[0], ways.stride[0], Named("frames", frames)]
        given += [Named("dilation", ways.dilation[0])] if ways.dilation[0] != 1 else []
    else:
        bands = ways.bands
        given += [x.shape[-2 + bands], made.shape[-2 + bands], ways.kernel[time], ways.kernel[bands], ways.stride[time], ways.stride[bands]]
        given += [Named("frames", frames), *band_params(ways, "padding_bands", "dilation")]
        given += [Named("time_is_last", True)] if time == 1 else []
    given += [*side_by_side(x, dims), *named(instruction, "groups", "bias", "weights")]
    return overlapped(build, x, f"stream_{instruction.op}", tuple(given), ways)


@rule("interpolate upsample")
def interpolate(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Along the bands first, and then along time, by a whole factor."""
    x = only(args)
    mode = next((value for value in instruction.positional if isinstance(value, str)), "nearest")
    steps = replace(x, shape=build.shape).steps
    corners = bool(instruction.named("align_corners", False))
    shape = (*build.shape[: x.axis], x.steps, *build.shape[x.axis + 1 :])
    if shape != x.shape:
        named_ways = named(instruction, "align_corners", "antialias")
        x = framed(build, x, "interpolate", (*replace(x, shape=shape).single[-2:], mode, *named_ways), shape=shape)
    if steps == x.steps:
        return x
    if corners and mode != "nearest":
        raise Refused("where its results lie between time steps depends on the length of its input; align_corners=False does not")
    if steps % x.steps:
        raise Refused(f"it makes {steps} of {x.steps} time steps: interpolation goes by whole factors (scale_factor=2)")
    factor = steps // x.steps
    if mode == "nearest":
        var = build.emit("stream_again", (x.size, factor), [x.var], x.size * factor)
        return replace(upsampled(build, replace(x, var=var, shape=build.shape, inner=1), factor))
    return between(build, x, factor)


def between(build: Builder, x: Timed, factor: int) -> Timed:
    """Frames on the lines between frames; before the first one lies what it is."""
    x = whole(build, x)
    var = build.emit("stream_hold", (x.offset * x.size, x.size), [x.var], x.size)
    # One frame comes more than were given, which the first window needs.
    var = build.emit("stream_between", (x.size, factor), [var], x.size * factor)
    made = replace(x, var=var, shape=build.shape, clock=x.clock.moved(-1).windowed(2, 1))
    made = upsampled(build, made, factor)
    return replace(padded(build, made, (factor + 1) // 2 - factor, 0), shape=build.shape)
