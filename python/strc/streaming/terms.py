"""Products of queries with stored rows, as scores of attention have them whose terms depend on a query and on how far it looks back.

Models compute the products of each query with all rows, or with one row for each pair of time steps, and bring them to where scores of time steps with
each other are: by tables of places, or by padding and reshaping. What row a pair of time steps has is found out by doing that to numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from ..ir import Instruction
from ..ir.model import Shape
from .moves import MOVES, NOTHING, moved
from .builder import Builder
from .timing import whole
from .values import NotStreamable, Stored, Timed

LOWEST = -1e4  # what masks add, or more of it, where others write minus infinity
HIDDEN = -2  # the number of what a mask hides
FILLING = ("masked_fill", "mul", "add", "cat")


@dataclass(frozen=True)
class Step:
    """An operator that was applied to products: its operands, of which None is that with the products, and the shape of its result."""

    instruction: Instruction
    shape: Shape
    operands: tuple[torch.Tensor | None, ...]

    @property
    def stored(self) -> list[torch.Tensor]:
        return [one for one in self.operands if one is not None]


@dataclass(frozen=True)
class Products:
    """`scale * query row^T` behind some steps. A frame of the query has rows of as many numbers as those of `rows`, a stored matrix or several.

    `is_flipped`: the model multiplies rows by queries. `why` tells why this is no stream of frames, if it is none.
    """

    query: Timed
    rows: torch.Tensor
    is_flipped: bool = False
    scale: float = 1.0
    steps: tuple[Step, ...] = ()
    why: NotStreamable | None = None

    @property
    def slots(self) -> int:
        """The rows in a frame of the query."""
        return self.query.size // int(self.rows.shape[-1])

    def after(self, step: Step) -> Products | None:
        """Behind an operator; None if what that makes of products is not known."""
        factor = scale_of(step)
        if factor is not None:
            return replace(self, scale=self.scale * factor)
        if step.instruction.op not in MOVES and step.instruction.op not in FILLING:
            return None
        return replace(self, steps=(*self.steps, step))

    def codes(self) -> torch.Tensor | None:
        """Which product each element of the model's value is: `(time step * slots + slot) * count + row`, of so many rows in all, or `NOTHING` where it is
        zero and `HIDDEN` where it is minus infinity; None if an operator does more than that.
        """
        count = math.prod(self.rows.shape[:-1])
        rows = torch.arange(count).reshape(self.rows.shape[:-1])
        found: torch.Tensor | None = self.numbers_of_queries().unsqueeze(-1) * count + rows.unsqueeze(-2)
        if self.is_flipped and found is not None:
            found = found.transpose(-1, -2)
        for step in self.steps:
            found = None if found is None else after_step(found, step)
        return found

    def numbers_of_queries(self) -> torch.Tensor:
        """`time step * slots + slot` of each row of the query, as the model has them."""
        x = self.query
        before, after = math.prod(x.shape[: x.axis]), math.prod(x.shape[x.axis + 1 : -1])
        slots = torch.arange(self.slots).reshape(before, x.outer, 1, x.inner, after)
        times = torch.arange(x.steps).reshape(1, 1, -1, 1, 1)
        return (times * self.slots + slots).reshape(x.shape[:-1])


def products_of(build: Builder, instruction: Instruction, args: Sequence[object]) -> Products | None:
    """Those that an operator makes of a value that comes with time and of stored rows; None if it makes none."""
    if instruction.op == "linear" and instruction.named("bias", True) is False and isinstance(x := args[0], Timed) and has_rows(x):
        return Products(whole(build, x), build.tensors[f"{instruction.named('weights')}.weight"])
    if instruction.op != "matmul":
        return None
    x, y = args
    if isinstance(x, Timed) and isinstance(y, Stored) and len(y.shape) > 1 and has_rows(x):
        return Products(whole(build, x), build.tensor(y).transpose(-1, -2))
    if isinstance(x, Stored) and isinstance(y, Timed) and len(x.shape) > 1 and y.alone and 0 < y.axis == len(y.shape) - 1:
        turned = replace(y, shape=(*y.shape[:-2], y.shape[-1], y.shape[-2]), axis=y.axis - 1)
        return Products(whole(build, turned), build.tensor(x), is_flipped=True)
    return None


def has_rows(x: Timed) -> bool:
    """Is a frame made of rows, none of which goes along time?"""
    return x.axis < len(x.shape) - 1 and x.offset >= 0


def scale_of(step: Step) -> float | None:
    """What an operator multiplies by, if that is one number."""
    op = step.instruction.op
    if op in ("mul_scalar", "div_scalar"):
        (number,) = step.instruction.positional
        assert isinstance(number, (int, float))
        return number if op == "mul_scalar" else 1 / number
    if op == "mul" or op == "div" and step.operands[0] is None:
        (table,) = step.stored
        if table.numel() and bool((table == table.flatten()[0]).all()) and table.flatten()[0] != 0:
            return float(table.flatten()[0]) if op == "mul" else 1 / float(table.flatten()[0])
    return None


def after_step(codes: torch.Tensor, step: Step) -> torch.Tensor | None:
    op = step.instruction.op
    if op in MOVES:
        return moved(codes, step.instruction, step.shape, step.stored) if puts_in_zeros(step) else None
    if op == "cat":
        return beside(codes, step)
    (table,) = step.stored
    if op == "masked_fill":
        (value,) = step.instruction.positional
        assert isinstance(value, (int, float))
        return filled(codes, table.to(torch.bool), value)
    if op == "mul":
        return filled(codes, table == 0, 0.0) if bool(((table == 0) | (table == 1)).all()) else None
    return filled(codes, table <= LOWEST, LOWEST) if bool(((table == 0) | (table <= LOWEST)).all()) else None


def puts_in_zeros(step: Step) -> bool:
    """Or nothing at all."""
    return step.instruction.op != "pad" or step.instruction.positional[1:] in ((), ("constant",), ("constant", 0), (0,))


def beside(codes: torch.Tensor, step: Step) -> torch.Tensor | None:
    if any(bool((one != 0).any()) for one in step.stored):
        return None
    dim = step.instruction.positional[1]
    assert isinstance(dim, int)
    return torch.cat([codes if one is None else torch.full(one.shape, NOTHING) for one in step.operands], dim)


def filled(codes: torch.Tensor, mask: torch.Tensor, value: float) -> torch.Tensor | None:
    if value == 0:
        return torch.where(mask, NOTHING, codes)
    return torch.where(mask, HIDDEN, codes) if value <= LOWEST else None
