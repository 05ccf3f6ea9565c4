"""Operators that work element by element."""

from __future__ import annotations

from dataclasses import replace

import torch

from ...ir import Instruction, Named, Param
from ...source.floats import BINARY, UNARY
from ..builder import Builder, Refused
from ..timelines import timeline_of
from ..timing import in_time, merged
from ..values import Stored, Timed, Value
from .table import only, rule


def unary(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    return replace(x, var=build.emit(instruction.op, instruction.params, [x.var], x.size))


def binary(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    timed = [arg for arg in args if isinstance(arg, Timed)]
    return with_stored(build, instruction.op, args) if len(timed) == 1 else of_two(build, instruction.op, timed)


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
        lead = (1,) * (len(like.frame) - len(x.frame)) + x.frame
        framed = replace(x, shape=(*lead, x.steps), axis=len(lead))
        return build.framed(framed, "expand", (like.frame,), like.frame)
    return build.emit("stream_repeat", (like.size,), [x.var], like.size)


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
        own = build.tensor(other)
        beside = with_time_steps(build, other.name, own.reshape((1,) * (like.dim() - own.dim()) + tuple(own.shape)), x, made)
        return of_two(build, op, [x, beside] if at == 0 else [beside, x])
    if x.size != made.size:
        x = replace(x, var=repeated(build, x, made))
    if op in NEUTRAL and at in NEUTRAL[op][1] and bool((first == NEUTRAL[op][0]).all()) and x.size == made.size:
        return replace(made, var=x.var)
    name = build.store(f"{other.name}.frame", first.flatten().to(torch.float32).clone())
    side = "stored" if at == 0 else "stored_first"
    var = build.emit(f"stream_{op}_{side}", (made.size, Named("weights", name)), [x.var], made.size)
    return replace(made, var=var)


def with_time_steps(build: Builder, name: str, table: torch.Tensor, x: Timed, made: Timed) -> Timed:
    """A stored value that is different at each time step, as frames beside those of x; it has the dimensions of the result."""
    shape = (*table.shape[: made.axis], *table.shape[made.axis + 1 :])
    return replace(x, var=timeline(build, name, table.movedim(made.axis, 0).flatten(1), x), shape=(*shape[: made.axis], made.steps, *shape[made.axis :]), axis=made.axis)


def timeline(build: Builder, name: str, table: torch.Tensor, x: Timed) -> int:
    """The frames of a table with a row for each time step, in time with those of x."""
    found = timeline_of(table)
    if found is None:
        raise Refused(
            "a stored value is different at each time step, and no function of it that goes on for ever is known (lines and their inverse, "
            "powers, waves, what repeats or comes to rest); where it is learned, the stream ends with it: leave it out, or make it relative"
        )
    columns = table.shape[1]
    given: tuple[Param, ...] = (x.size, columns, x.offset)
    values = found.values
    if found.kind in ("settled", "period"):
        given, values = (*given, len(values)), values.to(torch.float32)
    stored = build.store(f"{name}.{found.kind}", values)
    return build.emit(f"stream_{found.kind}", (*given, Named("weights", stored)), [x.var], columns)


rule(" ".join(UNARY))(unary)
rule(" ".join(BINARY))(binary)


@rule("gelu")
def gelu(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    op = "gelu_tanh" if instruction.named("approximate", False) else "gelu"
    x = only(args)
    return replace(x, var=build.emit(op, (), [x.var], x.size))
