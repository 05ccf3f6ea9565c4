"""Short-time Fourier transforms, and complex values, whose parts are the last dimension of a frame."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Instruction
from ..builder import Builder, Refused
from ..timing import from_its_first_frame, in_time, merged, padded, windowed
from ..values import Stored, Timed, Value
from .elementwise import frames_of, repeated
from .table import integer, named, only, rule


def samples_of(x: Timed) -> int:
    """How many sequences there are side by side."""
    if x.axis != len(x.shape) - 1:
        raise Refused(f"it goes along dimension {len(x.shape) - 1}, where time is dimension {x.axis}")
    return x.size


def even(n: int) -> int:
    if n % 2:
        raise Refused(f"its transform has {n} points, and only even numbers of points are streamed")
    return n


@rule("stft", takes_padding=True)
def stft(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    channels = samples_of(x)
    n, hop = map(integer, instruction.positional)
    mirrored = integer(instruction.named("mirrored", 0))
    given = (even(n), hop, channels)
    if mirrored:
        made = mirrored_windows(build, instruction, x, mirrored)
    else:
        made = windowed(build, x, "stream_windows", (*given, *named(instruction, "weights")), n, hop, n * channels)
    var = build.emit("stream_spectrum", (n,), [made.var], (n + 2) * channels)
    return replace(made, var=var, shape=build.shape, axis=len(build.shape) - 2)


def mirrored_windows(build: Builder, instruction: Instruction, x: Timed, mirrored: int) -> Timed:
    """Windows around their middle: frame i begins `mirrored` samples before sample `i * hop`."""
    n, hop = map(integer, instruction.positional)
    channels = x.size
    # What mirrors the sequence at its first frame needs one sample more than the window has, unless the window is 0 there.
    window = build.tensors[str(instruction.named("weights"))]
    reach = n if float(window[0]) == 0 else n + 1
    start = max(0, x.offset)
    first = replace(x, var=build.delay(x.var, start - x.offset, x.fill), offset=start, early=x.early + start - x.offset)
    # Number k can be made when (k + 1) * hop samples have come, and needs those up to the middle of frame k - late.
    late = max(0, -(-(start + reach - mirrored) // hop) - 1)
    before = late * hop + mirrored - start
    delayed = build.delay(first.var, before)
    given = (n, hop, channels, mirrored, late, reach, *named(instruction, "weights"))
    var = build.emit("stream_mirrored_windows", given, [delayed], n * channels, rate=x.clock.rate / hop)
    early = (first.early + before - (max(reach, hop) - hop)) // hop
    return replace(first, var=var, clock=x.clock.moved(-mirrored).windowed(reach, hop), offset=late, early=early, fill=0.0)


@rule("istft")
def istft(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    n, hop, start = map(integer, instruction.positional)
    if x.axis != len(x.shape) - 2:
        raise Refused(f"its frames are dimension {len(x.shape) - 2}, where time is dimension {x.axis}")
    channels, parts = x.size // (even(n) + 2), -(-n // hop)
    first = from_its_first_frame(build, x)
    pieces = build.emit("stream_of_spectrum", (n,), [first.var], n * channels)
    given = (n, hop, channels, *named(instruction, "weights"))
    behind = build.delay(pieces, parts - 1)
    var = build.emit("stream_overlap", given, [behind], channels, rate=x.clock.rate * hop)
    clock = x.clock.again(x.clock.frames * hop, x.clock.taken, lambda at: (at // hop - parts + 1, at // hop))
    shape = (*build.shape[:-1], (x.steps - 1) * hop + n)
    whole = Timed(build.delay(var, x.offset * hop), shape, len(shape) - 1, clock, x.offset * hop, x.early * hop, 0.0, x.culprits)
    return replace(padded(build, whole, -start, 0), shape=build.shape)


@rule("rfft")
def rfft(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    return transformed(build, only(args), "stream_spectrum", even(integer(instruction.positional[0])), 0)


@rule("irfft")
def irfft(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    return transformed(build, only(args), "stream_of_spectrum", even(integer(instruction.positional[0])), 1)


def transformed(build: Builder, x: Timed, op: str, n: int, behind: int) -> Timed:
    """The transform of each row of a frame, behind whose dimension there are so many for the parts of complex values."""
    if x.axis == len(x.shape) - 1 - behind:
        raise Refused("its transform goes over all time steps; torch.stft, or x.unfold(-1, n, hop) before it, makes windows of them")
    made = replace(x, shape=build.shape)
    return replace(made, var=build.emit(op, (n,), [x.var], made.size))


@rule("complex_real complex_imag complex_abs complex_angle")
def parts(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    made = replace(x, shape=x.shape[:-1])
    return replace(made, var=build.emit(instruction.op, (), [x.var], made.size))


def beside(build: Builder, stored: Stored, x: Timed) -> Timed:
    """A stored value as frames beside those of x, whose shape it has."""
    return replace(x, var=frames_of(build, stored, x, x.var))


@rule("complex_of complex_polar complex_mul complex_div")
def of_two(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    (x,) = [arg for arg in args if isinstance(arg, Timed)][:1]
    timed = [arg if isinstance(arg, Timed) else beside(build, arg, x) for arg in args]
    makes_pairs = instruction.op in ("complex_of", "complex_polar")
    shape, build.shape = build.shape, build.shape[:-1] if makes_pairs else build.shape
    made = merged(build, timed)
    operands = [repeated(build, in_time(build, arg, made), made) for arg in timed]
    build.shape = shape
    made = replace(made, shape=shape)
    return replace(made, var=build.emit(instruction.op, (), operands, made.size))
