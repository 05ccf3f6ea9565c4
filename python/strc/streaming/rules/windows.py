"""Convolutions and pooling, which look at a window of frames; and those that go over a frame alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ...ir import Instruction, Named, Param
from ..builder import Builder, Refused
from ..timing import padded, whole, windowed
from ..values import Timed, Value
from .features import framed
from .table import integer, named, numbers, only, rule


@dataclass(frozen=True)
class Ways:
    """How a layer with windows goes along its dimensions, in their order. `time` is the place of time among them, None if it is none of them."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    time: int | None

    @property
    def bands(self) -> int:
        """The place of the other one of two dimensions."""
        assert self.time is not None
        return 1 - self.time

    def reach(self, place: int) -> int:
        return (self.kernel[place] - 1) * self.dilation[place] + 1


def along_dimensions(instruction: Instruction, name: str, dims: int) -> tuple[int, ...]:
    """A parameter that is given by name for all dimensions, or for each."""
    ends = {1: ("",), 2: ("_h", "_w")}[dims]
    found: list[int] = []
    for end in ends:
        found.append(integer(instruction.named(name + end, found[-1] if found else 0 if "padding" in name else 1)))
    return tuple(found)


def place_of_time(x: Timed, dims: int) -> int | None:
    """Which of the last dimensions counts time."""
    place = x.axis - (len(x.shape) - dims)
    if place < 0 and not (x.axis == 0 and len(x.shape) > dims + 1):
        raise Refused(f"its channels are dimension {len(x.shape) - dims - 1}, where time is dimension {x.axis}")
    return place if place >= 0 else None


def sequences_of(x: Timed, dims: int) -> int:
    """How many inputs there are side by side."""
    return x.shape[0] if len(x.shape) > dims + 1 else 1


def conv_ways(instruction: Instruction, x: Timed, dims: int) -> Ways:
    sizes = [integer(size) for size in instruction.positional[2:]]
    kernel, stride, padding = (tuple(sizes[at : at + dims]) for at in (0, dims, 2 * dims))
    return Ways(kernel, stride, padding, along_dimensions(instruction, "dilation", dims), place_of_time(x, dims))


@rule("conv1d", takes_padding=True)
def conv1d(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    ways = conv_ways(instruction, x, 1)
    if ways.time is None:
        return framed(build, whole(build, x), instruction.op, instruction.params)
    inputs, outputs = map(integer, instruction.positional[:2])
    (kernel,), (stride,), (padding,) = ways.kernel, ways.stride, ways.padding
    x = padded(build, x, padding, padding)
    params = [Named("stride", stride)] if stride != 1 else []
    params += [Named("dilation", ways.dilation[0])] if kernel > 1 else []
    params += side_by_side(x, 1)
    given = (inputs, outputs, kernel, *params, *named(instruction, "groups", "bias", "weights"))
    return windowed(build, x, "stream_conv1d", given, ways.reach(0), stride, sequences_of(x, 1) * outputs)


def side_by_side(x: Timed, dims: int) -> list[Named]:
    count = sequences_of(x, dims)
    return [Named("sequences", count)] if count != 1 else []


@rule("conv2d", takes_padding=True)
def conv2d(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    ways = conv_ways(instruction, x, 2)
    if ways.time is None:
        return framed(build, whole(build, x), instruction.op, instruction.params)
    inputs, outputs = map(integer, instruction.positional[:2])
    time, bands = ways.time, ways.bands
    x = padded(build, x, ways.padding[time], ways.padding[time])
    made = replace(x, shape=build.shape)
    given: list[Param] = [inputs, outputs, x.shape[-2 + bands], made.shape[-2 + bands], ways.kernel[time], ways.kernel[bands]]
    given += band_params(ways, "stride", "padding_bands", "dilation")
    given += [*side_by_side(x, 2), *([Named("time_is_last", True)] if time == 1 else [])]
    given += named(instruction, "groups", "bias", "weights")
    return windowed(build, x, "stream_conv2d", tuple(given), ways.reach(time), ways.stride[time], made.size)


def band_params(ways: Ways, *names: str) -> list[Named]:
    """Those of the parameters of two dimensions that are not as usual."""
    time, bands = ways.time, ways.bands
    assert time is not None
    values = {
        "stride": ways.stride[time], "stride_bands": ways.stride[bands], "padding_bands": ways.padding[bands], "dilation": ways.dilation[time],
        "dilation_bands": ways.dilation[bands],
    }
    wanted = [full for name in names for full in ((name, f"{name}_bands") if name in ("stride", "dilation") else (name,))]
    return [Named(name, values[name]) for name in wanted if values[name] != (0 if "padding" in name else 1)]


def pool_ways(instruction: Instruction, x: Timed, dims: int) -> Ways:
    kernel, stride, padding = (numbers(value) * (dims if isinstance(value, int) else 1) for value in instruction.positional[:3])
    dilation = numbers(instruction.named("dilation", 1))
    if instruction.named("ceil", False):
        raise Refused("its last window reaches behind the end (ceil_mode)")
    return Ways(kernel, stride, padding, dilation * (dims if len(dilation) == 1 else 1), place_of_time(x, dims))


@rule("maxpool1d avgpool1d", takes_padding=True)
def pool1d(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    ways = pool_ways(instruction, x, 1)
    if ways.time is None:
        return framed(build, whole(build, x), instruction.op, instruction.params)
    x = for_pooling(build, x, ways, instruction)
    kernel, stride, dilation = ways.kernel[0], ways.stride[0], ways.dilation[0]
    given: tuple[Param, ...] = (x.size, kernel, stride, *([Named("dilation", dilation)] if dilation != 1 else []))
    op = "stream_maxpool" if instruction.op == "maxpool1d" else "stream_avgpool"
    return windowed(build, x, op, given, ways.reach(0), stride, x.size)


def for_pooling(build: Builder, x: Timed, ways: Ways, instruction: Instruction) -> Timed:
    """With the padding of a pooling layer along time."""
    assert ways.time is not None
    padding = ways.padding[ways.time]
    if padding and instruction.named("count_include_pad", True) is False:
        raise Refused("its first windows are divided by other numbers than the others (count_include_pad=False)")
    return padded(build, x, padding, padding, -math.inf if instruction.op.startswith("max") else 0.0)


@rule("maxpool2d avgpool2d", takes_padding=True)
def pool2d(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Along time first, and then along the bands."""
    x = only(args)
    ways = pool_ways(instruction, x, 2)
    if ways.time is None:
        return framed(build, whole(build, x), instruction.op, instruction.params)
    time, (kernel, stride) = ways.time, (ways.kernel[ways.time], ways.stride[ways.time])
    if kernel != 1 or stride != 1 or ways.padding[time]:
        x = for_pooling(build, x, ways, instruction)
        steps = (x.steps - ways.reach(time)) // stride + 1
        given: tuple[Param, ...] = (x.size, kernel, stride, *([Named("dilation", ways.dilation[time])] if ways.dilation[time] != 1 else []))
        op = "stream_maxpool" if instruction.op == "maxpool2d" else "stream_avgpool"
        made = windowed(build, x, op, given, ways.reach(time), stride, x.size)
        x = replace(made, shape=(*x.shape[: x.axis], steps, *x.shape[x.axis + 1 :]))
    return framed(build, whole(build, x), instruction.op, along_bands(instruction, ways))


def along_bands(instruction: Instruction, ways: Ways) -> tuple[Param, ...]:
    """The parameters of a pooling layer that does nothing along time."""

    def but_time(values: tuple[int, ...], usual: int) -> tuple[int, ...]:
        return tuple(usual if place == ways.time else value for place, value in enumerate(values))

    dilation = [Named("dilation", but_time(ways.dilation, 1))] if set(ways.dilation) != {1} else []
    sizes = (but_time(ways.kernel, 1), but_time(ways.stride, 1), but_time(ways.padding, 0))
    return (*sizes, *dilation, *named(instruction, "count_include_pad"))


@rule("adaptiveavgpool2d")
def adaptive(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    outs, time = list(instruction.positional), place_of_time(x, 2)
    if time is not None and outs[time] != x.steps:
        raise Refused("it divides all time steps into windows, so what it does depends on the length of its input; None leaves a dimension as it is")
    if time is not None:
        outs[time] = 1
    return framed(build, x, instruction.op, tuple(outs))
