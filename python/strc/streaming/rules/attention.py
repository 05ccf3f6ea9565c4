"""Attention over the past: operators on scores of all time steps with all, up to the product with the values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch

from ...ir import Instruction, Named
from ..builder import Builder, Refused
from ..clock import Clock, together
from ..scores import Band, Operand, Scores, band_of
from ..timing import in_time, merged
from ..values import Stored, Timed
from .table import integer

WITHOUT_EFFECT = {"reshape", "flatten", "squeeze", "unsqueeze", "to_float", "expand"}


def is_over_time(instruction: Instruction, args: Sequence[object]) -> bool:
    """Has it to do with all pairs of time steps?"""
    if any(isinstance(arg, Scores) for arg in args):
        return True
    timed = [arg for arg in args if isinstance(arg, Timed)]
    if instruction.op == "attention":
        return len(timed) == 3 and all(arg.axis == len(arg.shape) - 2 for arg in timed)
    if instruction.op != "matmul" or len(timed) != 2:
        return False
    query, key = timed
    return query.axis == len(query.shape) - 2 and key.axis == len(key.shape) - 1


def over_time(build: Builder, instruction: Instruction, args: list[Operand]) -> Operand:
    """What an operator makes of scores, or scores of what comes with time. Raises `Refused`."""
    if instruction.op == "attention":
        return whole_attention(build, instruction, args)
    if instruction.op == "matmul":
        return product(build, args)
    (at,) = [i for i, arg in enumerate(args) if isinstance(arg, Scores)][:1]
    scores, others = args[at], args[:at] + args[at + 1 :]
    assert isinstance(scores, Scores)
    scores = replace(scores, shape=build.shape)
    if instruction.op in WITHOUT_EFFECT and build.shape[-2:] == (scores.steps,) * 2 and not others:
        return scores
    if instruction.op in ("mul_scalar", "div_scalar"):
        (number,) = instruction.positional
        assert isinstance(number, (int, float))
        return scores.scaled(number if instruction.op == "mul_scalar" else 1 / number)
    if instruction.op == "softmax":
        if integer(instruction.positional[0]) % len(build.shape) != len(build.shape) - 1 or scores.softmax:
            raise Refused("its softmax goes over the time steps that look, not over those that are looked at")
        return replace(scores, softmax=True)
    return with_table(build, instruction, at, scores, others)


def with_table(build: Builder, instruction: Instruction, at: int, scores: Scores, others: list[Operand]) -> Operand:
    """Scores beside a stored table with a row and a column for each time step."""
    tables = [table_of(build, other, scores) for other in others]
    op = instruction.op
    if op == "add" or op == "sub" and at == 0:
        return scores.plus(tables[0] if op == "add" else -tables[0])
    if op == "mul" or op == "div" and at == 0:
        table = tables[0] if op == "mul" else 1 / tables[0]
        return scores.scaled(float(table.flatten()[0])) if bool((table == table.flatten()[0]).all()) else scores.times(table)
    if op == "masked_fill":
        (number,) = instruction.positional
        assert isinstance(number, (int, float))
        return scores.hiding(tables[0].to(torch.bool), float(number))
    if op == "where" and at > 0:
        mask, other = tables[0].to(torch.bool), tables[1]
        chosen = mask if at == 2 else ~mask
        chosen, other = torch.broadcast_tensors(chosen, other)
        values = other[chosen]
        if not len(values) or bool((values != values[0]).any()):
            raise Refused("it chooses between scores and several numbers")
        return scores.hiding(chosen, float(values[0]))
    raise Refused(
        f"'{op}' of scores of all time steps with all has no form that works frame by frame: they can be scaled, a stored table can be added, and hide some, "
        "and a softmax goes over them"
    )


def table_of(build: Builder, value: Operand, scores: Scores) -> torch.Tensor:
    """A stored value as (heads or 1, time, time)."""
    if not isinstance(value, Stored):
        raise Refused(
            "what is added to its scores, or hides some, comes from the input, as products of queries with rows for relative positions do; instead a model can "
            "have a number for each distance of two time steps, which is stored (ALiBi, T5), or rotary positions"
        )
    tensor = build.tensor(value)
    tensor = tensor.reshape((1,) * (len(scores.shape) - tensor.dim()) + tuple(tensor.shape))
    heads = tensor.shape[:-2]
    if any(extent != 1 for extent in heads):
        tensor = torch.broadcast_to(tensor, (*scores.shape[:-2], *tensor.shape[-2:]))
    tensor = tensor.reshape(-1, *tensor.shape[-2:])
    return torch.broadcast_to(tensor, (len(tensor), scores.steps, scores.steps))


def product(build: Builder, args: list[Operand]) -> Operand:
    one, other = args
    if isinstance(one, Timed) and isinstance(other, Timed):
        heads = [arg.shape[:-2] for arg in (one, other)]
        if one.steps != other.steps or heads[0] != heads[1]:
            raise Refused("queries and keys have other numbers of time steps, or of heads")
        return Scores(one, other, build.shape)
    if isinstance(one, Scores) and isinstance(other, Timed) and other.axis == len(other.shape) - 2:
        return attended(build, one, other, build.context)
    raise Refused("scores of all time steps with all are multiplied by values with a row for each time step, and by nothing else")


def whole_attention(build: Builder, instruction: Instruction, args: list[Operand]) -> Operand:
    """softmax(q k^T scale) v, of which nothing is hidden, or only what comes later."""
    query, key, value = args
    assert isinstance(query, Timed) and isinstance(key, Timed) and isinstance(value, Timed)
    if query.steps != key.steps or query.shape[:-2] != key.shape[:-2]:
        raise Refused("queries and keys have other numbers of time steps, or of heads")
    scale = instruction.named("scale", query.shape[-1] ** -0.5)
    assert isinstance(scale, (int, float))
    scores = Scores(query, key, (*query.shape[:-1], key.steps)).scaled(scale)
    if instruction.named("causal", False):
        scores = scores.hiding(torch.ones(1, key.steps, key.steps, dtype=torch.bool).triu(1), float("-inf"))
    return attended(build, replace(scores, softmax=True), value, build.context)


def attended(build: Builder, scores: Scores, value: Timed, context: int | None) -> Timed:
    """The product of shares, or of scores, and values: a filter with a window of keys and values."""
    band = band_of(scores, context)
    heads = math.prod(scores.shape[:-2])
    if value.shape[:-2] != scores.shape[:-2]:
        raise Refused("queries and values have other numbers of heads")
    sizes = scores.query.size // heads, value.size // heads
    shape, build.shape = build.shape, value.shape
    timed = [arg if arg.axis == value.axis else replace(arg, shape=value.shape, axis=value.axis) for arg in (scores.query, scores.key, value)]
    made = merged(build, timed)
    frames = [in_time(build, arg, made).var for arg in timed]
    build.shape = shape
    whole = replace(made, var=build.emit("stream_cat", (), frames, sum(build.sizes[var][0] for var in frames)), shape=value.shape)
    reach = band.before + 1 + band.ahead
    late = made.offset + band.ahead
    given = (heads, *sizes, band.before, band.ahead, band.period, late, band.bias.shape[1], band.factor.shape[1], float(scores.scale), scores.softmax)
    bias, factor = (build.store(build.local_name(f"attention.{name}"), table.contiguous()) for name, table in (("bias", band.bias), ("factor", band.factor)))
    named = (Named("bias_weights", bias), Named("factor_weights", factor))
    before = build.delay(whole.var, reach - 1)
    var = build.emit("stream_attention", (*given, *named), [before], heads * sizes[1])
    return replace(whole, var=var, shape=shape, axis=len(shape) - 2, clock=clock_of(band, together(arg.clock for arg in timed)), offset=late)


def clock_of(band: Band, clock: Clock) -> Clock:
    frames = math.lcm(band.period, clock.frames)

    def places(i: int) -> tuple[int, int]:
        back, ahead = band.reaches[i % band.period]
        return i - back, i + ahead

    return clock.again(frames, clock.taken * frames // clock.frames, places)
