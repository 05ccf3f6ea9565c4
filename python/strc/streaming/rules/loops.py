"""Loops over time: the step as a program of its own, whose states go round."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Instruction, Program
from ...source.loops import loop_filter
from ..builder import Builder, Refused
from ..clock import together
from ..frames import join_frames
from ..timing import again_late, from_its_first_frame, in_time
from ..unrolled import Loop
from ..values import Stored, Timed, Value
from .elementwise import frames_of, repeated
from .table import RULES, numbers, rule


@rule("loop")
def loop(build: Builder, instruction: Instruction, args: list[Value]) -> tuple[Value, ...]:
    number, dims = instruction.positional
    assert isinstance(number, int)
    found = build.loops[number]
    timed = [arg for arg in args if isinstance(arg, Timed)]
    for arg, dim in zip(timed, numbers(dims)):
        if arg.axis != dim:
            raise Refused(f"its steps are dimension {dim}, where time is dimension {arg.axis}")
    if len({arg.clock.rate for arg in timed}) > 1:
        raise Refused("its loop takes sequences of different rates")
    step = streamed_step(build, found)
    latest = max(timed, key=lambda arg: arg.offset)
    frames = [in_time(build, arg, latest) for arg in timed]
    var = frames[0].var if len(frames) == 1 else build.emit("stream_cat", (), [one.var for one in frames], sum(one.size for one in frames))
    whole = replace(latest, var=var, shape=(build.sizes[var][0], latest.steps), axis=1, early=min(one.early for one in frames), clock=together(arg.clock for arg in timed))
    first = from_its_first_frame(build, whole)
    op = f"stream_loop{len(build.written)}"
    joined, written = join_frames(step)
    build.written[op] = loop_filter(joined, written, len(found.sequences), len(found.collected), found.has_flag)
    sizes = [step.sizes[var][0] for var in step.results[: len(found.collected)]]
    made = build.emit(op, (), [first.var], *sizes)
    parts = [made] if len(sizes) == 1 else [build.part(made, i) for i in range(len(sizes))]
    return tuple(collected(build, one, again_late(build, whole, part)) for one, part in zip(found.collected, parts))


def collected(build: Builder, instruction: Instruction, x: Timed) -> Timed:
    shape = build.shapes[instruction.var]
    _, dim = instruction.positional
    assert isinstance(dim, int)
    return replace(x, shape=shape, axis=dim)


def streamed_step(build: Builder, found: Loop) -> Program:
    """The step over floats. Its first dimension, of one sequence, stands for time."""
    step = found.step
    for number in step.inputs:
        if step.shapes[number][:1] != (1,):
            raise Refused("the step of its loop has no dimension of one sequence (a batch of 1) in front")
    inner = Builder(step, build.tensors)
    values: dict[int, Value | tuple[Value, ...]] = {}
    for number in step.inputs:
        given = Timed(number, step.shapes[number], 0)
        values[number] = given
        inner.sizes[number], inner.rates[number] = (given.size,), given.clock.rate
    for one in step.instructions:
        inner.origin, inner.shape = one.origin, step.shapes[one.var]
        values[one.var] = value_in_step(inner, one, values)
    results = [values[number] for number in step.results]
    if not all(isinstance(result, Timed) and result.offset == 0 for result in results):
        raise Refused("the step of its loop gives something stored")
    final = tuple(result.var for result in results if isinstance(result, Timed))
    return replace(step, instructions=inner.instructions, results=final, sizes=inner.sizes, rates=inner.rates, shapes={})


def value_in_step(inner: Builder, one: Instruction, values: dict[int, Value | tuple[Value, ...]]) -> Value | tuple[Value, ...]:
    if one.op == "const":
        name = str(one.positional[0])
        return Stored(name, tuple(inner.tensors[name].shape))
    args = [values[number] for number in one.args]
    first = args[0]
    if isinstance(first, tuple):
        index = one.positional[0]
        assert isinstance(index, int)
        return first[index]
    if one.op not in RULES:
        raise Refused(f"in its loop, '{one.op}' has no form that works frame by frame")
    return RULES[one.op](inner, one, [arg for arg in args if not isinstance(arg, tuple)])


@rule("choose")
def choose(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """One of two values: the first one where a flag is set."""
    flag, first, other = args
    assert isinstance(flag, Timed) and isinstance(other, Timed)
    values = frames_of(build, first, other, other.var) if isinstance(first, Stored) else repeated(build, first, other)
    return replace(other, var=build.emit("where", (), [repeated(build, flag, other), values, other.var], other.size))
