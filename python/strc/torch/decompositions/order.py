"""What sorts and selects, and what looks for places in what is sorted."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .primitives import order
from .registry import made_of



def ordered(rows: Tensor, descending: bool) -> Tensor:
    """The places of each row's elements in order; longs, which a double does not hold, by their upper halves behind their lower ones."""
    if rows.dtype in (torch.bool, torch.uint8, torch.int16):
        rows = rows.to(torch.int32)
    if rows.dtype != torch.int64:
        return order(rows, descending)
    upper = rows.div(65536, rounding_mode="floor").div(65536, rounding_mode="floor")
    lower = rows - upper * 65536 * 65536
    first = order(lower.double(), descending)
    return first.gather(1, order(upper.double().gather(1, first), descending))


def places_in_order(x: Tensor, dim: int, descending: bool) -> Tensor:
    if not x.dim():
        return torch.zeros_like(x, dtype=torch.int64)
    moved = x.movedim(dim, -1)
    return ordered(moved.reshape(-1, moved.shape[-1]), descending).reshape(moved.shape).movedim(-1, dim)


def sorted_along(x: Tensor, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    if not x.dim():
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    places = places_in_order(x, dim, descending)
    return x.gather(dim, places), places


@made_of("sort.default")
def sort(x: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    return sorted_along(x, dim, descending)


@made_of("sort.stable")
def sort_stable(x: Tensor, *, stable: bool | None = None, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    return sorted_along(x, dim, descending)


@made_of("argsort.default")
def argsort(x: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    return places_in_order(x, dim, descending)


@made_of("argsort.stable")
def argsort_stable(x: Tensor, *, stable: bool, dim: int = -1, descending: bool = False) -> Tensor:
    return places_in_order(x, dim, descending)


@made_of("msort.default")
def msort(x: Tensor) -> Tensor:
    return sorted_along(x, 0, False)[0]


@made_of("topk.default")
def topk(x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    if not x.dim():
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    places = places_in_order(x, dim, largest).narrow(dim, 0, k)
    return x.gather(dim, places), places


def one_of(x: Tensor, number: Tensor | int, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The element with this number in order, from the least."""
    if not x.dim():
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    places = places_in_order(x, dim, False)
    at = places.narrow(dim, number, 1) if isinstance(number, int) else places.gather(dim, number)
    values = x.gather(dim, at)
    return (values, at) if keepdim else (values.squeeze(dim), at.squeeze(dim))


@made_of("kthvalue.default")
def kthvalue(x: Tensor, k: Any, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return one_of(x, k - 1, dim, keepdim)


@made_of("median.dim")
def median(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The lower of two in the middle; NaN if there is one: the first of those, which stand at the end."""
    if not x.dim():
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    size = x.shape[dim]
    if not x.dtype.is_floating_point:
        return one_of(x, (size - 1) // 2, dim, keepdim)
    missing = x.isnan().sum(dim, keepdim=True)
    return one_of(x, torch.where(missing > 0, size - missing, (size - 1) // 2), dim, keepdim)


@made_of("nanmedian.dim")
def nanmedian(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    if not x.dim() or not x.dtype.is_floating_point:
        return median(x, dim, keepdim)
    there = x.shape[dim] - x.isnan().sum(dim, keepdim=True)
    number = (there - 1).clamp(min=0)
    return one_of(x, number.div(2, rounding_mode="floor"), dim, keepdim)


@made_of("median.default")
def median_of_all(x: Tensor) -> Tensor:
    return median(x.reshape(-1), 0)[0]


@made_of("nanmedian.default")
def nanmedian_of_all(x: Tensor) -> Tensor:
    return nanmedian(x.reshape(-1), 0)[0]


@made_of("mode.default")
def mode(x: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The least of the elements that are there most often, and its last place."""
    if not x.dim():
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    rows = x.movedim(dim, -1)
    inner, places = sorted_along(rows, -1, False)
    counts = (inner.unsqueeze(-1) == inner.unsqueeze(-2)).sum(-1)
    first = counts.argmax(-1, keepdim=True)
    last = first + counts.gather(-1, first) - 1
    values, at = inner.gather(-1, first), places.gather(-1, last.clamp(min=0))
    if not keepdim:
        return values.squeeze(-1), at.squeeze(-1)
    return values.movedim(-1, dim), at.movedim(-1, dim)


# ---- places in what is sorted


def looked_up(edges: Tensor, values: Tensor, right: bool) -> Tensor:
    """How many edges stand before each value: all that are less, and, to the `right`, those that are equal."""
    kind = torch.promote_types(edges.dtype, values.dtype)
    edges, values = edges.to(kind).unsqueeze(-2), values.to(kind).unsqueeze(-1)
    if right:
        return (~(edges > values)).sum(-1)
    return (~(edges >= values)).sum(-1)


@made_of("searchsorted.Tensor", "searchsorted.Scalar")
def searchsorted(
    edges: Tensor, values: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None, sorter: Tensor | None = None
) -> Tensor:
    if sorter is not None:
        edges = edges.gather(-1, sorter)
    is_number = not isinstance(values, Tensor)
    given = torch.full((1,), values, dtype=torch.float32 if isinstance(values, float) else torch.int64) if is_number else values
    wide = given if given.dim() else given.reshape(1)
    if edges.dim() == 1:
        wide = wide.reshape(-1)
    found = looked_up(edges, wide, right or side == "right")
    found = found.reshape(() if is_number or not given.dim() else given.shape)
    return found.to(torch.int32) if out_int32 else found


@made_of("bucketize.Tensor", "bucketize.Scalar")
def bucketize(values: Any, edges: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    return searchsorted(edges, values, out_int32=out_int32, right=right)


@made_of("isin.Tensor_Tensor")
def isin(elements: Tensor, tested: Tensor, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    found = (elements.unsqueeze(-1) == tested.reshape(-1)).any(-1)
    return ~found if invert else found
