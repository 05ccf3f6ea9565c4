"""What each operator of the model IR is frame by frame. `RULES` has a function for every operator that can be streamed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import torch

from ..ir import Instruction, Named, Param
from ..ir.model import Shape
from .builder import Builder, Refused
from ..source.floats import BINARY, UNARY
from .values import Stored, Timed, Value

Rule = Callable[[Builder, Instruction, list[Value]], "Value | tuple[Value, ...]"]
RULES: dict[str, Rule] = {}
# Operators that know what to do with padding that is no frames yet.
PADDED = {"conv1d", "maxpool1d", "avgpool1d", "pad", "slice"}


def rule(names: str) -> Callable[[Rule], Rule]:
    def enter(function: Rule) -> Rule:
        for name in names.split():
            RULES[name] = function
        return function

    return enter


def only(args: list[Value]) -> Timed:
    """The one argument, which changes with time."""
    (x,) = args
    assert isinstance(x, Timed)
    return x


def integer(value: Param) -> int:
    assert isinstance(value, int)
    return value


def numbers(value: Param) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value,)
    assert isinstance(value, tuple)
    return tuple(integer(number) for number in value)


def size(x: Timed) -> int:
    return math.prod(x.frame)


def named(instruction: Instruction, *names: str) -> tuple[Param, ...]:
    """The parameters of these names, as far as they are given."""
    return tuple(param for param in instruction.params if isinstance(param, Named) and param.name in names)


# ---- element by element


def unary(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    return replace(x, var=build.emit(instruction.op, instruction.params, [x.var], size(x)))


def binary(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    timed = [arg for arg in args if isinstance(arg, Timed)]
    if len(timed) == 1:
        return with_stored(build, instruction.op, args)
    made = merged(build, timed)
    return replace(made, var=build.emit(instruction.op, (), [repeated(build, in_time(build, arg, made), made) for arg in timed], size(made)))


def merged(build: Builder, timed: list[Timed]) -> Timed:
    """What the result of several operands is: each of its frames needs one of each."""
    first = max(timed, key=lambda arg: len(arg.shape))
    for other in timed:
        if other.from_right != first.from_right:
            raise Refused("its operands have time in different dimensions")
        if other.stride != first.stride:
            raise Refused(f"its operands have different rates: a frame for {first.stride} samples, and one for {other.stride}")
    culprits = tuple(dict.fromkeys(culprit for arg in timed for culprit in arg.culprits))
    axis, ahead, offset = len(build.shape) - first.from_right, max(arg.ahead for arg in timed), max(arg.offset for arg in timed)
    return Timed(-1, build.shape, axis, first.stride, ahead, offset, 0.0, culprits)


def in_time(build: Builder, x: Timed, like: Timed) -> Timed:
    """Frames of the same number come at the same time."""
    return replace(x, var=build.delay(x.var, like.offset - x.offset), offset=like.offset)


def repeated(build: Builder, x: Timed, like: Timed) -> int:
    """The variable of an operand, with its numbers repeated where the result has more."""
    if x.steps != like.steps:
        raise Refused("it repeats one time step for all")
    if math.prod(x.frame) == size(like):
        return x.var
    if math.prod(x.frame) != 1:
        lead = (1,) * (len(like.frame) - len(x.frame)) + x.frame
        framed = replace(x, shape=(*lead, x.steps), axis=len(lead))
        return build.framed(framed, "expand", (like.frame,), like.frame)
    return build.emit("stream_repeat", (size(like),), [x.var], size(like))


# What changes nothing, as the second operand, or as either of them.
NEUTRAL = {"add": (0, (0, 1)), "sub": (0, (0,)), "mul": (1, (0, 1)), "div": (1, (0,))}


def with_stored(build: Builder, op: str, args: list[Value]) -> Value:
    """An operator between a value and a stored one."""
    (at,) = [i for i, arg in enumerate(args) if isinstance(arg, Timed)]
    x, other = args[at], args[1 - at]
    assert isinstance(x, Timed) and isinstance(other, Stored)
    axis = len(build.shape) - x.from_right
    made = replace(x, shape=build.shape, axis=axis)
    like = torch.broadcast_to(build.tensor(other), build.shape)
    first = like.select(axis, 0)
    if not torch.equal(like, first.unsqueeze(axis).expand_as(like)):
        raise Refused("a stored value is different at each time step")
    if size(x) != size(made):
        x = replace(x, var=repeated(build, x, made))
    if op in NEUTRAL and at in NEUTRAL[op][1] and bool((first == NEUTRAL[op][0]).all()) and size(x) == size(made):
        return replace(made, var=x.var)
    name = build.store(f"{other.name}.frame", first.flatten().to(torch.float32).clone())
    side = "stored" if at == 0 else "stored_first"
    var = build.emit(f"stream_{op}_{side}", (size(made), Named("weights", name)), [x.var], size(made))
    return replace(made, var=var)


rule(" ".join(UNARY))(unary)
rule(" ".join(BINARY))(binary)


@rule("gelu")
def gelu(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    op = "gelu_tanh" if instruction.named("approximate", False) else "gelu"
    x = only(args)
    return replace(x, var=build.emit(op, (), [x.var], size(x)))


# ---- along time


def stretched(x: Timed, by: int) -> Shape:
    return (*x.shape[: x.axis], x.steps + by, *x.shape[x.axis + 1 :])


def padded(build: Builder, x: Timed, before: int, after: int, value: float = 0.0) -> Timed:
    """With frames at both ends; those behind the end never come, but who takes one looks ahead."""
    if before > 0 and x.offset > 0:  # what means nothing is part of the padding now
        x = replace(x, var=build.emit("stream_blank", (x.offset * size(x), float(value)), [x.var], size(x)))
    elif before > 0 and x.offset < 0 and x.fill != value:
        x = whole(build, x)
    fill = value if before > 0 else x.fill
    return replace(
        x, shape=stretched(x, before + after), ahead=x.ahead - before * x.stride, offset=x.offset - before, fill=fill,
    )


Some = TypeVar("Some", Timed, Value)


def whole(build: Builder, x: Some) -> Some:
    """With the padding before its first frame as frames."""
    if not isinstance(x, Timed) or x.offset >= 0:
        return x
    return replace(x, var=build.delay(x.var, -x.offset, x.fill), offset=0)


def from_its_first_frame(build: Builder, x: Timed) -> Timed:
    """Without what means nothing: for states that begin with frame 0."""
    x = whole(build, x)
    if x.offset == 0:
        return x
    return replace(x, var=build.emit("stream_skip", (x.offset * size(x),), [x.var], size(x)))


def windowed(build: Builder, x: Timed, op: str, params: tuple[Param, ...], reach: int, stride: int, numbers_given: int) -> Timed:
    """A filter that looks at `reach` frames from its own on, and goes on by `stride`.

    It is given so many frames before the first ones that a firing is possible with every `stride` frames, and that a window begins with the
    model's frame 0.
    """
    before = max(reach, stride) - stride
    before += -(before + x.offset) % stride
    before += max(0, -(before + x.offset))
    var = build.emit(op, params, [build.delay(x.var, before, x.fill if x.offset < 0 else 0.0)], numbers_given)
    return replace(
        x, var=var, shape=build.shape, stride=x.stride * stride, ahead=x.ahead + (reach - 1) * x.stride,
        offset=(before + x.offset) // stride,
    )


def channels_of(x: Timed) -> int:
    """The numbers of a frame, which are the channels of one sequence."""
    if x.axis != len(x.shape) - 1:
        raise Refused(f"it goes along dimension {len(x.shape) - 1}, where time is dimension {x.axis}")
    if size(x) != x.frame[-1]:
        raise Refused(f"there are {size(x) // x.frame[-1]} sequences side by side (a batch): only one can be streamed")
    return x.frame[-1]


@rule("conv1d")
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


@rule("maxpool1d avgpool1d")
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


@rule("pad")
def pad(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    amounts = list(numbers(instruction.positional[0]))
    rest = instruction.positional[1:]
    mode, value = rest[0] if rest else "constant", rest[1] if len(rest) > 1 else 0.0
    at = 2 * (x.from_right - 1)
    before, after = (amounts[at], amounts[at + 1]) if at < len(amounts) else (0, 0)
    if (before, after) != (0, 0) and mode != "constant":
        raise Refused(f"it fills the ends with what is inside (mode {mode!r})")
    others = amounts[:at] + amounts[at + 2 :]
    if any(others):
        x = whole(build, x)
        shape = (*build.shape[: x.axis], x.steps, *build.shape[x.axis + 1 :])
        made = replace(x, shape=shape)
        x = replace(made, var=build.framed(x, "pad", (tuple(others), *instruction.positional[1:]), made.frame))
    assert isinstance(value, (int, float))
    return padded(build, x, before, after, value)


@rule("slice")
def part(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dim, start, end, step = (*map(integer, instruction.positional), 1)[:4]
    if dim != x.axis:
        x = whole(build, x)
        made = replace(x, shape=build.shape)
        return replace(made, var=build.framed(x, "slice", (x.dim(dim), *instruction.positional[1:]), made.frame))
    x = padded(build, x, -start, 0)
    if step == 1:
        return replace(x, shape=build.shape)
    return windowed(build, x, "stream_every", (step, size(x)), 1, step, size(x))


def again_late(build: Builder, x: Timed, var: int) -> Timed:
    """What was made of x from its first frame on, in time with other values."""
    return replace(x, var=build.delay(var, x.offset))


@rule("cumsum")
def cumsum(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    dim = integer(instruction.positional[0])
    if dim != x.axis:
        return replace(x, var=build.framed(x, "cumsum", (x.dim(dim),), x.frame))
    first = from_its_first_frame(build, x)
    return again_late(build, x, build.emit("stream_sum", (size(x),), [first.var], size(x)))


@rule("rnn gru lstm")
def recurrent(build: Builder, instruction: Instruction, args: list[Value]) -> tuple[Value, ...]:
    x = only(args)
    inputs, hidden, layers = map(integer, instruction.positional)
    time = 1 if instruction.named("batch_first", False) and len(x.shape) == 3 else 0
    if x.axis != time:
        raise Refused(f"its steps are dimension {time}, where time is dimension {x.axis}")
    if instruction.named("bidirectional", False):
        raise Refused("it goes backwards too, so it would have to look ahead to the end: no latency suffices")
    if size(x) != inputs:
        raise Refused(f"there are {size(x) // inputs} sequences side by side (a batch): only one can be streamed")
    var = from_its_first_frame(build, x).var
    for layer in range(layers):
        ways = [Named("layer", layer)] if layer else []
        given = (inputs if layer == 0 else hidden, hidden, *ways, *named(instruction, "bias", "weights"))
        op = "stream_rnn_relu" if instruction.named("relu", False) else f"stream_{instruction.op}"
        var = build.emit(op, given, [var], hidden)
    made = again_late(build, x, var)
    return (replace(made, shape=(*x.shape[:-1], hidden)),)  # the last states are no results of a stream


# ---- over the dimensions of a frame


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
    return replace(made, var=build.emit("stream_linear", instruction.params, [x.var], size(made)))


@rule("batchnorm1d")
def batchnorm(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    if len(x.shape) != 3 or x.axis != 2:
        raise Refused(f"its channels are dimension 1, where time is dimension {x.axis}")
    return replace(x, var=build.emit("stream_batchnorm", instruction.params, [x.var], size(x)))


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
    return replace(made, var=build.emit("stream_linear", given, [made.var], size(made)))


# ---- shapes


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
    return replace(made, var=build.emit("stream_cat", (), [in_time(build, arg, made).var for arg in timed], size(made)))


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
    var = build.emit("stream_parts", (), [x.var], *map(size, made))
    return tuple(replace(piece, var=build.part(var, i)) for i, piece in enumerate(made))


@rule("getitem")
def item(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    index, dim = (*map(integer, instruction.positional), 0)[:2]
    if dim == x.axis:
        raise Refused(f"it takes one of the {x.steps} time steps: a stream gives a result at each of them")
    return framed(build, x, "getitem", (index, *([x.dim(dim)] if x.dim(dim) else [])), x.axis - (dim < x.axis))
