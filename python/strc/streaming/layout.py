"""Where the two time steps of a pair are among the dimensions of a value that has something for each pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..ir import Instruction
from ..ir.model import Shape
from .moves import given

ROW, COLUMN, OTHER = "row", "column", ""
RESHAPED = ("reshape", "flatten", "squeeze", "unsqueeze", "unflatten")


class NoBand(Exception):
    """What is done to pairs of time steps is not known well enough."""


@dataclass(frozen=True)
class Part:
    """Of a dimension the time steps of one kind, or something else that it counts."""

    kind: str
    extent: int


Dim = tuple[Part, ...]


def plain(extent: int) -> Dim:
    """A dimension that is none of time."""
    return (Part(OTHER, extent),) if extent != 1 else ()


@dataclass(frozen=True)
class Layout:
    """Of each dimension what it counts, the slowest first; nothing where it has one element."""

    dims: tuple[Dim, ...]

    def place(self, kind: str) -> int:
        """The dimension that counts those time steps alone. Raises `NoBand`."""
        for dim, parts in enumerate(self.dims):
            if any(part.kind == kind for part in parts):
                if len(parts) > 1:
                    raise NoBand
                return dim
        raise NoBand

    def has(self, kind: str, dim: int | None = None) -> bool:
        """Is that in one of the dimensions, or in this one?"""
        return any(part.kind == kind for parts in (self.dims if dim is None else self.dims[dim : dim + 1]) for part in parts)

    def shape(self, kind: str, extent: int) -> Shape:
        """With so many time steps of that kind."""
        return tuple(math.prod(extent if part.kind == kind else part.extent for part in parts) for parts in self.dims)

    def permuted(self, order: Sequence[int]) -> Layout:
        return Layout(tuple(self.dims[dim] for dim in order))

    def with_dim(self, dim: int, *now: Dim) -> Layout:
        """With others in place of a dimension that is none of time. Raises `NoBand`."""
        dim %= len(self.dims)
        if any(part.kind for part in self.dims[dim]):
            raise NoBand
        return Layout((*self.dims[:dim], *now, *self.dims[dim + 1 :]))

    def stretched(self, shape: Shape) -> Layout:
        """Where dimensions of one element have more now, also such before all others."""
        dims = ((),) * (len(shape) - len(self.dims)) + self.dims
        return Layout(tuple(parts or plain(extent) for parts, extent in zip(dims, shape)))

    def reshaped(self, shape: Shape) -> Layout:
        """Parts are put together, and what is none of time is divided. Raises `NoBand`."""
        left = [part for parts in self.dims for part in parts]
        dims = []
        for extent in shape:
            dim: list[Part] = []
            while extent > 1:
                part = left.pop(0)
                if extent % part.extent:
                    if part.kind or part.extent % extent:
                        raise NoBand
                    left.insert(0, replace(part, extent=part.extent // extent))
                    part = replace(part, extent=extent)
                dim.append(part)
                extent //= part.extent
            dims.append(tuple(dim))
        return Layout(tuple(dims))

    def moved(self, instruction: Instruction, shape: Shape) -> Layout:
        """Behind an operator that puts elements elsewhere, or leaves some out. Raises `NoBand`."""
        op, numbers, order = instruction.op, given(instruction), list(range(len(self.dims)))
        if op in RESHAPED:
            return self.reshaped(shape)
        if op == "transpose":
            one, other = numbers
            order[one], order[other] = order[other], order[one]
            return self.permuted(order)
        if op == "permute" and isinstance(dims := instruction.positional[0], tuple):
            return self.permuted([int(str(dim)) for dim in dims])
        if op == "expand":
            return self.stretched(shape)
        if op == "getitem":
            return self.with_dim((*numbers, 0)[1])
        if op == "slice":
            return self.with_dim(numbers[0], plain(shape[numbers[0]]))
        if op in ("flip", "roll"):
            return self.with_dim(numbers[0], plain(shape[numbers[0]])) if numbers else self
        raise NoBand


def of_product(shape: Shape) -> Layout:
    """Of a product whose last two dimensions are those of time."""
    return Layout((*map(plain, shape[:-2]), (Part(ROW, shape[-2]),), (Part(COLUMN, shape[-1]),)))
