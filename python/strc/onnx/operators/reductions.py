"""Sums, greatest elements and others over axes; orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...torch.lowering import NotLowered, static
from ..registry import Node, axes_of, operator

MOST_COMPARED = 2048  # elements of a row, each with each


def floating(x: Any) -> Any:
    return x if x.dtype.is_floating_point else x.to(torch.float64)


def log_sum_exp(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    return torch.logsumexp(floating(x), axes, keep).to(x.dtype)


def product(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    for axis in sorted(axes, reverse=True):
        x = torch.prod(x, axis, keepdim=keep, dtype=x.dtype)
    return x


def limits(dtype: torch.dtype) -> tuple[Any, Any]:
    """The least and the greatest number of a type."""
    if dtype.is_floating_point or dtype == torch.bool:
        return (-torch.inf, torch.inf) if dtype != torch.bool else (False, True)
    return torch.iinfo(dtype).min, torch.iinfo(dtype).max


def extreme(name: str) -> Callable[..., Any]:
    function, any_all, least = (torch.amax, torch.any, True) if name == "ReduceMax" else (torch.amin, torch.all, False)

    def reduced(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
        if not x.numel():
            return torch.full(torch.sum(x, axes, keep).shape, limits(x.dtype)[0 if least else 1], dtype=x.dtype)
        if x.dtype != torch.bool:
            return function(x, axes, keep)
        for axis in sorted(axes, reverse=True):
            x = any_all(x, axis, keepdim=keep)
        return x

    return reduced


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceSum": lambda x, axes, keep: torch.sum(x, axes, keep, dtype=x.dtype),
    "ReduceMean": lambda x, axes, keep: torch.mean(floating(x), axes, keep).to(x.dtype),
    "ReduceProd": product,
    "ReduceMax": extreme("ReduceMax"),
    "ReduceMin": extreme("ReduceMin"),
    "ReduceL1": lambda x, axes, keep: torch.sum(torch.abs(x), axes, keep, dtype=x.dtype),
    "ReduceL2": lambda x, axes, keep: torch.sqrt(floating(torch.sum(x * x, axes, keep, dtype=x.dtype))).to(x.dtype),
    "ReduceSumSquare": lambda x, axes, keep: torch.sum(x * x, axes, keep, dtype=x.dtype),
    "ReduceLogSum": lambda x, axes, keep: torch.log(floating(torch.sum(x, axes, keep, dtype=x.dtype))).to(x.dtype),
    "ReduceLogSumExp": log_sum_exp,
}


def reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduced(node: Node, x: Any, axes: Any = None) -> Any:
        given = node.get("axes", axes)
        if not given and node.get("noop_with_empty_axes", 0):
            return function(x.unsqueeze(0), (0,), False)  # what is done to each element is done
        wanted = axes_of(given, x.dim()) if given else tuple(range(x.dim()))
        if not wanted:
            return function(x.reshape(1), (0,), False)
        return function(x, wanted, bool(node.get("keepdims", 1)))

    return reduced


for _name, _function in REDUCTIONS.items():
    operator(_name, known=(1,))(reduction(_function))


def extreme_place(function: Callable[..., Any]) -> Callable[..., Any]:
    def place(node: Node, x: Any) -> Any:
        axis = axes_of(node.get("axis", 0), x.dim())[0]
        keep = bool(node.get("keepdims", 1))
        if not node.get("select_last_index", 0):
            return function(x, axis, keepdim=keep)
        return x.shape[axis] - 1 - function(x.flip(axis), axis, keepdim=keep)

    return place


operator("ArgMax")(extreme_place(torch.argmax))
operator("ArgMin")(extreme_place(torch.argmin))


def running(node: Node, x: Any, axis: Any, function: Callable[..., Any], first: int) -> Any:
    """Sums or products so far; `exclusive` leaves the element itself out."""
    along = axes_of(axis if isinstance(axis, int) else axis[0], x.dim())[0]
    turned = x.flip(along) if node.get("reverse", 0) else x
    made = function(turned, along, dtype=x.dtype)
    if node.get("exclusive", 0):
        start = torch.full([1 if i == along else size for i, size in enumerate(x.shape)], first, dtype=x.dtype)
        made = torch.cat([start, made.narrow(along, 0, x.shape[along] - 1)], along)
    return made.flip(along) if node.get("reverse", 0) else made


@operator("CumSum", known=(1,))
def cumsum(node: Node, x: Any, axis: Any) -> Any:
    return running(node, x, axis, torch.cumsum, 0)


@operator("CumProd", known=(1,))
def cumprod(node: Node, x: Any, axis: Any) -> Any:
    return running(node, x, axis, torch.cumprod, 1)


@operator("TopK", known=(1,))
def topk(node: Node, x: Any, k: Any = None) -> Any:
    """The greatest or least, and where they are; of equal ones the first."""
    count = node.get("k", k)
    count = count if isinstance(count, int) else count[0]
    axis = axes_of(node.get("axis", -1), x.dim())[0]
    if not 0 <= count <= x.shape[axis]:
        raise NotLowered(f"the {count} greatest of {x.shape[axis]}")
    if any(static(size) is None for size in x.shape):
        return of_open(x, axis, count, bool(node.get("largest", 1)))
    values, places = torch.sort(x, dim=axis, descending=bool(node.get("largest", 1)), stable=True)
    return values.narrow(axis, 0, count), places.narrow(axis, 0, count)


def of_open(x: Any, axis: int, count: int, largest: bool) -> Any:
    """As `topk`, of as many rows as are open: how many elements stand before each, and which is the first, the second, ... by that."""
    size = static(x.shape[axis])
    if size is None or size > MOST_COMPARED:
        raise NotLowered(f"the greatest of a dimension that is open, or of more than {MOST_COMPARED} elements of rows that are")
    rows = x.movedim(axis, -1)
    one, other = rows.unsqueeze(-1), rows.unsqueeze(-2)
    earlier = torch.arange(size) < torch.arange(size).unsqueeze(1)
    before = (other > one if largest else other < one) | ((other == one) & earlier)
    if x.dtype.is_floating_point:  # NaN is the greatest
        no, none = torch.isnan(one), torch.isnan(other)
        before = before | (none & ~no if largest else no & ~none) | (no & none & earlier)
    rank = before.to(torch.int64).sum(-1)
    chosen = rank.unsqueeze(-2) == torch.arange(count).unsqueeze(1)
    places = (chosen.to(torch.int64) * torch.arange(size)).sum(-1)
    return torch.gather(rows, rows.dim() - 1, places).movedim(-1, axis), places.movedim(-1, axis)
