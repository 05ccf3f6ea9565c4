"""Loops over time: the step as a program of its own, whose states go round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...ir import Instruction, Program
from ...ir.model import Shape
from ...source.loops import loop_filter
from ..builder import Builder, Refused
from ..clock import together
from ..frames import join_frames
from ..timing import again_late, from_its_first_frame, in_time
from ..unrolled import Loop
from ..values import Stored, Timed, Value
from .elementwise import frames_of, repeated
from .table import RULES, numbers, rule


REDUCTIONS = ("sum", "mean", "amax", "amin")


@rule("loop")
def loop(build: Builder, instruction: Instruction, args: list[Value]) -> tuple[Value, ...]:
    number, dims = instruction.positional
    assert isinstance(number, int)
    found = build.loops[number]
    timed = sequences(build, args, numbers(dims))
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


def sequences(build: Builder, args: list[Value], dims: Sequence[int]) -> list[Timed]:
    """Tables go beside what comes."""
    leading = next((arg for arg in args if isinstance(arg, Timed)), None)
    if leading is None:
        raise Refused("its loop takes nothing of the input")
    found = []
    for arg, dim in zip(args, dims):
        if isinstance(arg, Stored):
            like = replace(leading, shape=arg.shape, axis=dim, outer=1, inner=1)
            arg = replace(like, var=of_each_step(build, arg, like, leading.var))
        found.append(arg)
    return found


def of_each_step(build: Builder, stored: Stored, like: Timed, var: int) -> int:
    """The frames of a table with a row for each step."""
    try:
        return frames_of(build, stored, like, var)
    except Refused:
        raise Refused(
            "each step of its loop has a stored value of its own, which neither comes to rest in the first half of the example nor is a known function of the "
            "time step, such as gains that depend on earlier ones alone. In a longer example they may come to rest; or what they are computed from can be a "
            "state, which it is as soon as it depends on the input: P = P + 0 * x[:, t].sum()"
        ) from None


def collected(build: Builder, instruction: Instruction, x: Timed) -> Timed:
    shape = build.shapes[instruction.var]
    _, dim = instruction.positional
    assert isinstance(dim, int)
    return replace(x, shape=shape, axis=dim)


def streamed_step(build: Builder, found: Loop) -> Program:
    """The step over floats."""
    step = found.step
    inner = Builder(step, build.tensors)
    values: dict[int, Value | tuple[Value, ...]] = {}
    for number in step.inputs:
        shape = with_a_dimension(step.shapes[number])
        given = placed(Timed(number, shape, 0), shape, 0)
        values[number] = given
        inner.sizes[number], inner.rates[number] = (given.size,), given.clock.rate
    for one in step.instructions:
        inner.origin, inner.shape = one.origin, with_a_dimension(step.shapes[one.var])
        values[one.var] = value_in_step(inner, one, values, step.shapes[one.var])
    results = [values[number] for number in step.results]
    if not all(isinstance(result, Timed) and result.offset == 0 for result in results):
        raise Refused("the step of its loop gives something stored")
    final = tuple(result.var for result in results if isinstance(result, Timed))
    return replace(step, instructions=inner.instructions, results=final, sizes=inner.sizes, rates=inner.rates, shapes={})


def with_a_dimension(shape: Shape) -> Shape:
    return shape or (1,)


def value_in_step(
    inner: Builder, one: Instruction, values: dict[int, Value | tuple[Value, ...]], step_shape: Shape
) -> Value | tuple[Value, ...]:
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
    made = in_some_dimension(inner, one, [arg for arg in args if not isinstance(arg, tuple)])
    if isinstance(made, tuple):
        return tuple(placed(part, part.shape, 0) for part in made if isinstance(part, Timed))
    return placed(made, with_a_dimension(step_shape), 0) if isinstance(made, Timed) else made


def placed(x: Timed, shape: Shape, dim: int) -> Timed:
    """A step has one frame, so any dimension may stand for time, together with what else it counts."""
    return replace(x, shape=shape, axis=dim, outer=shape[dim], inner=1)


def in_some_dimension(inner: Builder, one: Instruction, args: list[Value]) -> Value | tuple[Value, ...]:
    """By the first dimension that the operator leaves alone; where operands are matched from their last ones on, by one before all of them."""
    if one.op == "matmul" and any(len(arg.shape) == 1 for arg in args):
        return of_vectors(inner, one, args)
    timed = [arg for arg in args if isinstance(arg, Timed)]
    rank = max(len(arg.shape) for arg in timed)
    dims: Sequence[int] = range(rank)
    if len(timed) > 1 and one.op not in ("cat", "stack", "update"):
        rank, dims, inner.shape = rank + 1, (0,), (1, *inner.shape)
    reason = Refused("")
    for dim in dims:
        given = [placed(arg, (1,) * (rank - len(arg.shape)) + arg.shape, dim) if isinstance(arg, Timed) else arg for arg in args]
        count = len(inner.instructions)
        try:
            return RULES[one.op](inner, one, given)
        except Refused as fault:
            reason = fault if dim == 0 else reason
            del inner.instructions[count:]
    if one.op in REDUCTIONS:  # over all dimensions that there are
        dims = numbers(one.positional[0]) if one.positional else tuple(range(rank))
        is_number = len(dims) == rank and one.positional[1:] != (True,)
        inner.shape = (1,) if is_number else (1, *inner.shape)
        reduced = replace(one, params=(tuple(dim + 1 for dim in dims), *one.positional[1:]))
        return RULES[one.op](inner, reduced, [placed(arg, (1, *arg.shape), 0) for arg in timed])
    raise reason


def of_vectors(inner: Builder, one: Instruction, args: list[Value]) -> Value | tuple[Value, ...]:
    """A product with a vector: a matrix of one row, as the first operand, or of one column."""
    shape, matrices = list(inner.shape), list[Value]()
    for place, arg in enumerate(args):
        if len(arg.shape) > 1:
            matrices.append(arg)
            continue
        matrix = (1, *arg.shape) if place == 0 else (*arg.shape, 1)
        if isinstance(arg, Timed):
            matrices.append(placed(arg, matrix, 0))
        else:
            matrices.append(Stored(inner.store(f"{arg.name}.matrix", inner.tensor(arg).reshape(matrix)), matrix))
    columns = [] if len(args[1].shape) == 1 else [args[1].shape[-1]]
    rows = [] if len(args[0].shape) == 1 else [args[0].shape[-2]]
    outer = shape[: len(shape) - len(rows) - len(columns)] if rows or columns else []
    inner.shape = (*outer, *(rows or [1]), *(columns or [1]))
    return in_some_dimension(inner, one, matrices)


@rule("choose")
def choose(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """One of two values: the first one where a flag is set."""
    flag, first, other = args
    assert isinstance(flag, Timed) and isinstance(other, Timed)
    values = frames_of(build, first, other, other.var) if isinstance(first, Stored) else repeated(build, first, other)
    return replace(other, var=build.emit("where", (), [repeated(build, flag, other), values, other.var], other.size))
