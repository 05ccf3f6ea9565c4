"""Operators that work element by element."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from ...ir import Instruction, Named, Param
from ...source.floats import BINARY, FRAMED, UNARY
from ..builder import Builder, Refused
from ..places import spread
from ..resampling import time_alone
from ..timelines import timeline_of
from ..timing import in_time, merged
from ..values import Stored, Timed, Value
from .table import only, rule


# Frames that are shorter are as good number by number, each in a lane.
SHORTEST = 4


def smooth(build: Builder, op: str, x: Timed) -> Value:
    """A function of each number of a frame, done as a tensor where that is long enough."""
    framed = f"stream_{op}"
    if framed in FRAMED and x.size >= SHORTEST:
        return replace(x, var=build.emit(framed, (x.size,), [x.var], x.size))
    return replace(x, var=build.emit(op, (), [x.var], x.size))


def unary(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    if f"stream_{instruction.op}" in FRAMED:
        return smooth(build, instruction.op, x)
    return replace(x, var=build.emit(instruction.op, instruction.params, [x.var], x.size))


def binary(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    timed = [arg for arg in args if isinstance(arg, Timed)]
    if len(timed) == 1:
        return with_stored(build, instruction.op, args)
    if len({(arg.outer, arg.inner) for arg in timed}) > 1:
        timed = [time_alone(build, arg) for arg in timed]
    return of_two(build, instruction.op, timed)


def of_two(build: Builder, op: str, timed: list[Timed]) -> Value:
    made = merged(build, timed)
    return replace(made, var=build.emit(op, (), [repeated(build, in_time(build, arg, made), made) for arg in timed], made.size))


def repeated(build: Builder, x: Timed, like: Timed) -> int:
    """The variable of an operand, with its numbers repeated where the result has more."""
    if x.steps != like.steps:
        raise Refused("it repeats one time step for all")
    if x.size == like.size:
        return x.var
    if x.size != 1:
        return spread(build, x.var, x.single, like.single)
    return build.emit("stream_repeat", (like.size,), [x.var], like.size)


def by_steps(build: Builder, stored: Stored, like: Timed) -> torch.Tensor:
    """The numbers of a stored value beside each frame: a row for each time step."""
    whole = torch.broadcast_to(build.tensor(stored), like.shape)
    whole = whole.reshape(math.prod(like.shape[: like.axis]) * like.outer, like.steps, -1)
    return whole.transpose(0, 1).reshape(like.steps, -1)


def is_constant(table: torch.Tensor) -> bool:
    return bool(torch.equal(table, table[:1].expand_as(table)))


# What changes nothing, as the second operand, or as either of them.
NEUTRAL = {"add": (0, (0, 1)), "sub": (0, (0,)), "mul": (1, (0, 1)), "div": (1, (0,))}


def with_stored(build: Builder, op: str, args: list[Value]) -> Value:
    """An operator between a value and a stored one."""
    (at,) = [i for i, arg in enumerate(args) if isinstance(arg, Timed)]
    x, other = args[at], args[1 - at]
    assert isinstance(x, Timed) and isinstance(other, Stored)
    axis = len(build.shape) - x.from_right
    made = replace(x, shape=build.shape, axis=axis)
    table = by_steps(build, other, made)
    if not is_constant(table):
        beside = timeline(build, other.name, table, x.var, x.offset)
        return of_two(build, op, [x, replace(made, var=beside)] if at == 0 else [replace(made, var=beside), x])
    first = table[0]
    if x.size != made.size:
        x = replace(x, var=repeated(build, x, made))
    if op in NEUTRAL and at in NEUTRAL[op][1] and bool((first == NEUTRAL[op][0]).all()) and x.size == made.size:
        return replace(made, var=x.var)
    name = build.store(f"{other.name}.frame", first.to(torch.float32).clone())
    side = "stored" if at == 0 else "stored_first"
    var = build.emit(f"stream_{op}_{side}", (made.size, Named("weights", name)), [x.var], made.size)
    return replace(made, var=var)


def timeline(build: Builder, name: str, table: torch.Tensor, var: int, late: int) -> int:
    """The frames of a table with a row for each time step, beside those of a variable, whose frame number `late` is of step 0."""
    columns = table.shape[1]
    if bool((table == table[:, :1]).all()):
        table = table[:, :1]
    found = timeline_of(table)
    if found is None:
        raise Refused(
            "a stored value is different at each time step, and no function of it that goes on for ever is known (lines and their inverse, "
            "powers, waves, what repeats or comes to rest); where it is learned, the stream ends with it: leave it out, or make it relative"
        )
    count = table.shape[1]
    given: tuple[Param, ...] = (build.sizes[var][0], count, late)
    values = found.values
    if found.kind in ("settled", "period"):
        given, values = (*given, len(values)), values.to(torch.float32)
    stored = build.store(f"{name}.{found.kind}", values)
    made = build.emit(f"stream_{found.kind}", (*given, Named("weights", stored)), [var], count)
    return made if count == columns else build.emit("stream_repeat", (columns,), [made], columns)


def frames_of(build: Builder, stored: Stored, like: Timed, var: int) -> int:
    """A stored value as frames beside those of a variable, which are those of `like`."""
    table = by_steps(build, stored, like)
    if not is_constant(table):
        return timeline(build, stored.name, table, var, like.offset)
    name = build.store(f"{stored.name}.frame", table[0].to(torch.float32).clone())
    return build.emit("stream_stored", (like.size, Named("weights", name)), [var], like.size)


rule(" ".join(UNARY), takes_merged=True)(unary)
rule(" ".join(BINARY), takes_merged=True)(binary)


@rule("gelu", takes_merged=True)
def gelu(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    op = "gelu_tanh" if instruction.named("approximate", False) else "gelu"
    return smooth(build, op, only(args))
