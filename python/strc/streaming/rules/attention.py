"""Attention over the past: operators on scores of all time steps with all, up to the product with the values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch

from ...ir import Instruction
from ...ir.model import Shape
from ...source.floats.attention import FUNCTIONS
from ..builder import Builder, Refused
from ..moves import REORDERED
from ..scores import Operand, Scores
from ..terms import Products
from ..values import Stored, Timed
from .attended import attended, attended_rows
from .table import integer, numbers

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
    if scores.is_greatest:
        return are_hidden(build, instruction, scores)
    if not others and math.prod(build.shape) == math.prod(scores.shape):
        if instruction.op in WITHOUT_EFFECT and scores.codes is None and build.shape[-2:] == (scores.steps,) * 2:
            return replace(scores, shape=build.shape)
        if instruction.op in REORDERED:
            return scores.moved(instruction, build.shape)
    if instruction.op in ("mul_scalar", "div_scalar"):
        (number,) = instruction.positional
        assert isinstance(number, (int, float))
        return scores.scaled(number if instruction.op == "mul_scalar" else 1 / number)
    if instruction.op in FUNCTIONS and not instruction.positional:
        return scores.through(instruction.op)
    if instruction.op == "softmax":
        if not goes_over_keys(scores, integer(instruction.positional[0])) or scores.softmax:
            raise Refused("its softmax goes over the time steps that look, not over those that are looked at")
        if scores.factor is not None:
            raise Refused("its scores are multiplied by a table before the softmax; a table can be added to them, or multiply the shares behind it")
        return replace(scores, softmax=True)
    if instruction.op == "amax" and not scores.softmax and len(dims := numbers(instruction.positional[0])) == 1 and goes_over_keys(scores, dims[0]):
        return replace(scores, is_greatest=True)
    if others and build.shape != scores.shape:
        scores = in_shape(scores, build.shape)
    return with_table(build, instruction, at, scores, others)


def in_shape(scores: Scores, shape: Shape) -> Scores:
    """Scores that a table has given more dimensions."""
    if math.prod(shape) != math.prod(scores.shape):
        raise Refused("a table gives its scores more heads, or more of a batch, than its queries and keys have")
    return replace(scores, shape=shape, codes=None if scores.codes is None else scores.codes.reshape(shape))


def goes_over_keys(scores: Scores, dim: int) -> bool:
    if scores.codes is None:
        return dim % len(scores.shape) == len(scores.shape) - 1
    queries = scores.codes // scores.steps
    return scores.shape[dim] == scores.steps and torch.equal(queries, queries.narrow(dim, 0, 1).expand_as(queries))


def are_hidden(build: Builder, instruction: Instruction, scores: Scores) -> Operand:
    """Whether all scores of a query are hidden, by their greatest one: that is the same at all times."""
    if instruction.op != "eq_scalar" or instruction.positional != (float("-inf"),):
        raise Refused("it takes the greatest of the scores of all time steps, but for asking whether it is minus infinity")
    if scores.codes is not None or len(build.shape) != len(scores.shape):
        raise Refused("whether all scores of a time step are hidden is asked of scores whose last dimension does not go over the time steps looked at")
    bias = torch.zeros(1, scores.steps, scores.steps) if scores.last_bias is None else scores.last_bias
    hidden = (bias == float("-inf")).all(2)
    heads = build.shape[:-2] if len(hidden) > 1 else ()
    hidden = hidden.reshape(*heads, scores.steps, 1).expand(build.shape)
    return Stored(build.store(build.local_name("attention.hidden"), hidden), build.shape)


def with_table(build: Builder, instruction: Instruction, at: int, scores: Scores, others: list[Operand]) -> Operand:
    """Scores beside products of queries and rows, or a stored table with a row and a column for each time step."""
    op = instruction.op
    if len(others) == 1 and isinstance(others[0], Products) and (op == "add" or op == "sub" and at == 0):
        return scores.plus_products(others[0], 1 if op == "add" else -1)
    tables = [table_of(build, other, scores) for other in others]
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
            "what is added to its scores, or hides some, comes from the input; that can be products of queries with stored rows for positions. A model can also "
            "have a number for each distance of two time steps, which is stored (ALiBi, T5), or rotary positions"
        )
    return scores.by_heads(build.tensor(value))


def product(build: Builder, args: list[Operand]) -> Operand:
    one, other = args
    if isinstance(one, Timed) and isinstance(other, Timed):
        heads = [arg.shape[:-2] for arg in (one, other)]
        if one.steps != other.steps or heads[0] != heads[1]:
            raise Refused("queries and keys have other numbers of time steps, or of heads")
        return Scores(one, other, build.shape)
    if isinstance(one, Scores) and isinstance(other, Timed) and other.axis == len(other.shape) - 2:
        return attended(build, one, other)
    if isinstance(one, Scores) and isinstance(other, Stored):
        return attended_rows(build, one, other)
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
    return attended(build, replace(scores, softmax=True), value)
