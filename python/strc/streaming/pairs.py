"""What a model has for each pair of time steps, as the operators that make it: nothing of it is computed before it is known which pairs count.

`scores` has a form for what most attentions do. Here is what others do beside: a softmax by hand, heads that are mixed, products of keys with rows for
positions, one head for all. It is put down until sums over one of the two time steps are taken. What is the same at any input (what a mask hides, what a
table multiplies by zero) tells which pairs these sums are of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import torch

from ..ir import Instruction
from ..ir.model import Shape
from ..source.floats import BINARY, CHOICES, UNARY
from .layout import COLUMN, ROW, Dim, Layout, NoBand, of_product, plain
from .moves import MOVES, NOTHING, moved
from .scores import lags
from .terms import HIDDEN, LOWEST, Products
from .values import NotStreamable, Stored, Timed

UNKNOWN = float("nan")
INFINITE = float("inf")
MOVED = ("reshape", "flatten", "squeeze", "unsqueeze", "unflatten", "transpose", "permute", "expand", "getitem", "slice", "flip", "roll")
MIXED = ("linear", "matmul", "conv2d")
SOFT = ("softmax", "logsoftmax")
REDUCED = ("sum", "amax", "amin")
OF_ELEMENTS = {*UNARY, *BINARY, *CHOICES, "gelu"}
OF_ONE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exp": torch.exp, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu, "abs": torch.abs, "neg": torch.neg, "square": torch.square,
    "silu": torch.nn.functional.silu, "sqrt": torch.sqrt, "to_float": lambda x: x,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Pairs:
    """A value for each pair of time steps, by the operator that makes it.

    `stored` has the values of stored operands by their names. `context`: a softmax goes over no more than so many time steps. `why` tells why this has no
    other form, if it has none.
    """

    instruction: Instruction
    shape: Shape
    operands: tuple[Pairs | Products | Timed | Stored, ...]
    stored: dict[str, torch.Tensor]
    context: int | None = None
    why: NotStreamable | None = None

    @property
    def inner(self) -> list[Pairs]:
        return [one for one in self.operands if isinstance(one, Pairs)]

    @cached_property
    def layout(self) -> Layout:
        """Raises `NoBand`."""
        op, inner = self.instruction.op, self.inner
        if not inner:
            return of_product(self.shape)
        first = inner[0].layout
        if op in MOVED:
            return first.moved(self.instruction, self.shape)
        if op in MIXED:
            return self.mixed(first)
        if op in REDUCED:
            return self.reduced(first)
        if op not in SOFT and op not in OF_ELEMENTS:
            raise NoBand
        layouts = [one.layout.stretched(self.shape) for one in inner]
        for kind in (ROW, COLUMN):
            if len({layout.place(kind) for layout in layouts if layout.has(kind)}) > 1:
                raise NoBand
        return max(layouts, key=lambda layout: layout.has(ROW) + layout.has(COLUMN))

    def mixed(self, first: Layout) -> Layout:
        """Of a product with something stored, or with values that come with time."""
        if any(isinstance(one, Timed) for one in self.operands):
            return self.of_values(first)
        if self.instruction.op == "conv2d":
            if self.instruction.positional[2:8] != (1, 1, 1, 1, 0, 0):
                raise NoBand
            return first.with_dim(1, *map(plain, self.shape[1:2]))
        left = isinstance(self.operands[0], Stored)
        first = Layout(((),) * (len(self.shape) - len(first.dims)) + first.dims)
        return first.with_dim(-2 if left else -1, plain(self.shape[-2 if left else -1]))

    def of_values(self, first: Layout) -> Layout:
        """Of the product with values: one of the two last dimensions is summed over, and the other one stays."""
        at, stays = (-1, -2) if isinstance(self.operands[0], Pairs) else (-2, -1)
        count = len(first.dims)
        if not any(first.place(kind) == count + at for kind in (ROW, COLUMN) if first.has(kind)):
            raise NoBand
        dims: list[Dim] = [*map(plain, self.shape)]
        dims[stays] = first.dims[stays]
        return Layout(tuple(dims))

    def reduced(self, first: Layout) -> Layout:
        dims = self.dims_summed()
        keeps = len(self.shape) == len(first.dims)
        return Layout(tuple(() if dim in dims else parts for dim, parts in enumerate(first.dims) if keeps or dim not in dims))

    def dims_summed(self) -> tuple[int, ...]:
        """Over which dimensions of its operand it goes."""
        rank, over = len(self.inner[0].shape), self.instruction.positional[:1]
        dims = over[0] if over and isinstance(over[0], tuple) else over
        return tuple(int(str(dim)) % rank for dim in dims) if dims else tuple(range(rank))

    @cached_property
    def sums_over(self) -> set[str]:
        """Of which of the two time steps it needs all. Raises `NoBand`."""
        op, inner = self.instruction.op, self.inner
        if not inner or op not in (*REDUCED, *SOFT, "matmul"):
            return set()
        first = inner[0].layout
        if op == "matmul" and not any(isinstance(one, Timed) for one in self.operands):
            return set()
        if op == "matmul":
            dims: tuple[int, ...] = (len(first.dims) - (1 if isinstance(self.operands[0], Pairs) else 2),)
        else:
            dims = self.dims_summed()
        return {kind for kind in (ROW, COLUMN) for dim in dims if first.has(kind, dim)}

    def below(self) -> Iterator[Pairs]:
        """This, and what it is made of, each once."""
        seen, todo = {self}, [self]
        while todo:
            one = todo.pop()
            yield one
            fresh = [other for other in one.inner if other not in seen]
            seen.update(fresh)
            todo += fresh

    # ---- what is the same at any input

    @cached_property
    def known(self) -> torch.Tensor:
        """Its elements, as far as they are the same at any input; what is not is `UNKNOWN`. Raises `NoBand`."""
        op, values = self.instruction.op, [self.known_of(one) for one in self.operands]
        if not self.inner:
            return torch.full(self.shape, UNKNOWN)
        if op in MOVED and op in MOVES:
            return moved(values[0], self.instruction, self.shape)
        if op in MIXED:
            return self.known_mixed(values)
        if op in REDUCED:
            return torch.full(self.shape, UNKNOWN)
        if op in SOFT:
            return self.known_shares(values[0])
        if op in ELEMENTWISE:
            return ELEMENTWISE[op](self.instruction, *values).broadcast_to(self.shape)
        if op in OF_ONE and not self.instruction.positional:
            return OF_ONE[op](values[0])
        return torch.full(self.shape, UNKNOWN)

    def known_of(self, operand: Pairs | Products | Timed | Stored) -> torch.Tensor:
        if isinstance(operand, Pairs):
            return operand.known
        if isinstance(operand, Stored):
            return self.stored[operand.name].to(torch.float32)
        if isinstance(operand, Timed):
            return torch.full(operand.shape, UNKNOWN)
        codes = operand.codes()
        if codes is None:
            raise NoBand
        return torch.where(codes == NOTHING, 0.0, torch.where(codes == HIDDEN, -INFINITE, UNKNOWN))

    def known_mixed(self, values: list[torch.Tensor]) -> torch.Tensor:
        """Nothing where nothing is put together."""
        if any(isinstance(one, Timed) for one in self.operands):
            return torch.full(self.shape, UNKNOWN)
        (at,) = [i for i, one in enumerate(self.operands) if isinstance(one, Pairs)]
        dim = {"conv2d": 1, "linear": -1}.get(self.instruction.op, -1 if at == 0 else -2)
        is_any = (values[at] != 0).any(dim, keepdim=True)
        is_any = is_any | self.has_offset()
        return torch.where(is_any, UNKNOWN, 0.0).expand(self.shape)

    def has_offset(self) -> bool:
        """Does a layer add something to what it puts together?"""
        if self.instruction.op == "matmul" or self.instruction.named("bias", True) is False:
            return False
        bias = self.stored.get(f"{self.instruction.named('weights')}.bias")
        return bias is None or bool(bias.any())

    def known_shares(self, scores: torch.Tensor) -> torch.Tensor:
        if not self.sums_over:
            return torch.full(self.shape, UNKNOWN)
        return torch.where(self.counts_of(scores), UNKNOWN, 0.0 if self.instruction.op == "softmax" else -INFINITE)

    # ---- which pairs count

    def counts_of(self, values: torch.Tensor) -> torch.Tensor:
        """Which elements of its operand make a difference to what it sums up."""
        op = self.instruction.op
        if op in SOFT:
            counts = ~(values <= LOWEST)
            return counts if self.context is None else counts & self.is_near()
        if op in ("amax", "amin"):
            return ~(values <= LOWEST) if op == "amax" else ~(values >= -LOWEST)
        return values != 0

    def is_near(self) -> torch.Tensor:
        """Of each element whether the time steps are no further apart than the context."""
        if len(self.sums_over) > 1:
            raise NoBand
        (key,) = self.sums_over
        layout, query = self.inner[0].layout, ROW if key == COLUMN else COLUMN
        places = (layout.place(query), layout.place(key))
        steps = self.inner[0].shape[places[0]]
        near = (lags(steps) < (self.context or steps)).reshape(*(1,) * (len(layout.dims) - 2), steps, steps)
        return near.movedim((-2, -1), places)

    def counts(self, key: str) -> torch.Tensor:
        """Which time steps (columns) of the kind `key` count for which of the other kind (rows). Raises `NoBand`."""
        return by_time(self.counts_of(self.inner[0].known).broadcast_to(self.inner[0].shape), self.inner[0].layout, key).any(0)


def by_time(values: torch.Tensor, layout: Layout, key: str) -> torch.Tensor:
    """Something for each pair with the time steps last, and all other dimensions together. Raises `NoBand`."""
    places = (layout.place(ROW if key == COLUMN else COLUMN), layout.place(key))
    turned = values.movedim(places, (-2, -1))
    return turned.reshape(math.prod(turned.shape[:-2]), *turned.shape[-2:])


# ---- operators of elements, on what is known


def added(one: torch.Tensor, other: torch.Tensor, sign: float) -> torch.Tensor:
    other = other * sign
    return torch.where((one <= LOWEST) | (other <= LOWEST), -INFINITE, one + other)


def times(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return torch.where((one == 0) | (other == 0), 0.0, one * other)


def number(instruction: Instruction) -> float:
    (value,) = instruction.positional
    assert isinstance(value, (int, float))
    return float(value)


def chosen(mask: torch.Tensor, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    found = torch.where(mask != 0, one, other)
    return torch.where(mask.isnan(), torch.where(one == other, one, UNKNOWN), found)


ELEMENTWISE: dict[str, Callable[..., torch.Tensor]] = {
    "add": lambda _, x, y: added(x, y, 1.0),
    "sub": lambda _, x, y: added(x, y, -1.0),
    "mul": lambda _, x, y: times(x, y),
    "div": lambda _, x, y: torch.where((x == 0) & (y != 0), 0.0, x / y),
    "add_scalar": lambda one, x: x + number(one),
    "sub_scalar": lambda one, x: x - number(one),
    "mul_scalar": lambda one, x: x * number(one),
    "div_scalar": lambda one, x: x / number(one),
    "masked_fill": lambda one, x, mask: chosen(mask, torch.full_like(x, number(one)), x),
    "where": lambda _, mask, x, y: chosen(mask, x, y),
}
