"""Elements by their places, and orders of all elements."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from ..lowering import Like, Lowering, NotLowered, Var, lowers, static
from ..weights import Known
from .arithmetic import cast
from .choices import flat
from .shapes import roll_along


@lowers("index_select.default")
def index_select(ctx: Lowering, x: Any, dim: int, places: Any) -> Any:
    return ctx.emit("take", (x, places), x.dim(dim))


@lowers("index.Tensor")
def index(ctx: Lowering, x: Any, given: Any) -> Any:
    dims = [dim for dim, places in enumerate(given) if places is not None]
    masks = [given[dim] for dim in dims if given[dim].dtype in (torch.bool, torch.uint8)]
    if masks and dims == [0] and not isinstance(masks[0], Known):
        return chosen(ctx, x, masks[0])
    if masks:
        raise NotLowered("a mask beside other indices: how many elements it takes depends on its values")
    if len(dims) == 1:
        return ctx.emit("take", (x, from_front(ctx, given[dims[0]], x.shape[dims[0]])), dims[0])
    places = [given[dim] for dim in dims]
    if dims != list(range(dims[0], dims[-1] + 1)) or not all(isinstance(one, Known) for one in places):
        raise NotLowered("by several tensors")
    shape = (*x.shape[: dims[0]], prod(fixed(x.shape[dims[0] : dims[-1] + 1])), *x.shape[dims[-1] + 1 :])
    merged = ctx.emit("flatten", (x,), dims[0], dims[-1], like=Like(shape, x.dtype))
    return ctx.emit("take", (merged, in_a_row(ctx, places, [x.shape[dim] for dim in dims])), dims[0])


def in_a_row(ctx: Lowering, places: list[Any], sizes: list[Any]) -> Any:
    """Stored places in several dimensions as one, in all of them."""
    made = from_front(ctx, places[0], sizes[0])
    for one, size in zip(places[1:], sizes[1:]):
        made = Known(made.name, made.tensor * (static(size) or 0) + from_front(ctx, one, size).tensor)
    return made


def chosen(ctx: Lowering, x: Any, mask: Any) -> Any:
    """The items that a mask of the first dimensions chooses; how many, the run knows."""
    sizes, rest = fixed(mask.shape), fixed(x.shape[len(mask.shape) :])
    count = prod(sizes)
    mask = cast(ctx, mask, torch.bool)
    rows = x if len(sizes) == 1 else ctx.emit("reshape", (x,), (count, *rest), like=Like((count, *rest), x.dtype))
    row = mask if len(sizes) == 1 else ctx.emit("reshape", (mask,), (count,), like=Like((count,), mask.dtype))
    return ctx.emit("masked_select", (rows, row), count)


@lowers("masked_select.default")
def masked_select(ctx: Lowering, x: Any, mask: Any) -> Any:
    shape = torch.broadcast_shapes(x.shape, mask.shape)
    x, mask = (ctx.made(lambda one: one.expand(shape).reshape(-1), one) for one in (x, mask))
    return ctx.emit("masked_select", (x, mask), prod(shape))


@lowers("nonzero.default", "argwhere.default")
def nonzero(ctx: Lowering, x: Any) -> Any:
    sizes = fixed(x.shape)
    if not sizes:
        raise NotLowered("of a tensor without dimensions")
    return ctx.emit("nonzero", (x,), prod(sizes), len(sizes), tuple(sizes))


@lowers("_unique2.default")
def unique(ctx: Lowering, x: Any, is_sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """Each value once, in order; where each element's is, and how often it is there."""
    from ..decompositions.order import sorted_along

    values, places = ctx.made(lambda one: sorted_along(one.reshape(-1), 0, False), x)
    inverse, found, counts = runs(ctx, values, prod(fixed(x.shape)), return_counts)
    if return_inverse:
        inverse = ctx.made(lambda one, at: torch.zeros_like(one).scatter(0, at, one).reshape(x.shape), inverse, places)
    return found, inverse if return_inverse else nothing(ctx), counts


@lowers("unique_consecutive.default")
def unique_consecutive(ctx: Lowering, x: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    if dim is not None and not (x.rank == 1 and x.dim(dim) == 0):
        raise NotLowered("of slices")
    inverse, found, counts = runs(ctx, ctx.made(lambda one: one.reshape(-1), x), prod(fixed(x.shape)), return_counts)
    return found, ctx.made(lambda one: one.reshape(x.shape), inverse) if return_inverse else nothing(ctx), counts


def nothing(ctx: Lowering) -> Known:
    return Known(ctx.local_name("none"), torch.empty(0, dtype=torch.int64))


def runs(ctx: Lowering, row: Any, count: int, return_counts: bool) -> tuple[Any, Any, Any]:
    """Of equal elements behind each other: the number of the run that each is in, one of each, and how many there are."""
    first = ctx.made(lambda one: torch.cat([torch.ones(1, dtype=torch.bool), one[1:] != one[:-1]]), row)
    inverse = ctx.made(lambda one: one.long().cumsum(0) - 1, first)
    values, _, counts = ctx.meta
    found = ctx.emit("masked_select", (row, first), count, like=values)
    if not return_counts:
        return inverse, found, nothing(ctx)
    starts = ctx.emit("masked_select", (ctx.made(lambda one: torch.arange(count), row), first), count, like=counts)
    return inverse, found, ctx.emit("run_lengths", (starts,), count, like=counts)


def fixed(shape: Any) -> list[int]:
    sizes = [static(size) for size in shape]
    if None in sizes:
        raise NotLowered("places in a dimension that is open")
    return [size for size in sizes if size is not None]


def from_front(ctx: Lowering, places: Any, size: Any) -> Any:
    """Places of which negative ones count from the end."""
    if isinstance(places, Known) and not bool((places.tensor < 0).any()):
        return places
    if static(size) is None:
        raise NotLowered("places that may be negative, of a dimension that is open")
    if isinstance(places, Known):
        return Known(places.name, torch.where(places.tensor < 0, places.tensor + static(size), places.tensor))
    return ctx.emit("from_front", (places,), static(size), like=Like(places.shape, places.dtype))


@lowers("roll.default")
def roll(ctx: Lowering, x: Any, shifts: Any, dims: Any = ()) -> Any:
    shifts = [shifts] if isinstance(shifts, int) else shifts
    dims = [dims] if isinstance(dims, int) else dims
    if dims:
        for shift, dim in zip(shifts, dims):
            x = roll_along(ctx, x, shift, x.dim(dim))
        return x
    turned = roll_along(ctx, flat(ctx, x), shifts[0], 0)
    return turned if len(ctx.meta.shape) == 1 else ctx.emit("reshape", (turned,), tuple(fixed(ctx.meta.shape)))
