"""Elements by their places, and orders of all elements."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from ..lowering import Like, Lowering, NotLowered, Var, at_most, lowers, static
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
        return ctx.emit("take", (x, from_front(ctx, given[dims[0]], x, dims[0])), dims[0])
    places = [given[dim] for dim in dims]
    if dims != list(range(dims[0], dims[-1] + 1)) or not all(isinstance(one, Known) for one in places):
        raise NotLowered("by several tensors")
    shape = (*x.shape[: dims[0]], prod(fixed(x.shape[dims[0] : dims[-1] + 1])), *x.shape[dims[-1] + 1 :])
    merged = ctx.emit("flatten", (x,), dims[0], dims[-1], like=Like(shape, x.dtype))
    return ctx.emit("take", (merged, in_a_row(places, [x.shape[dim] for dim in dims])), dims[0])


def in_a_row(places: list[Any], sizes: list[Any]) -> Any:
    """Stored places in several dimensions as one, in all of them."""
    made = known_from_front(places[0], sizes[0])
    for one, size in zip(places[1:], sizes[1:]):
        made = Known(made.name, made.tensor * (static(size) or 0) + known_from_front(one, size).tensor)
    return made


def chosen(ctx: Lowering, x: Any, mask: Any) -> Any:
    """The items that a mask of the first dimensions chooses; how many, the run knows."""
    mask = cast(ctx, mask, torch.bool)
    if len(mask.shape) == 1:
        return ctx.emit("masked_select", (x, mask), at_most(mask.shape[0]))
    sizes, rest = fixed(mask.shape), fixed(x.shape[len(mask.shape) :])
    count = prod(sizes)
    rows = ctx.emit("reshape", (x,), (count, *rest), like=Like((count, *rest), x.dtype))
    row = ctx.emit("reshape", (mask,), (count,), like=Like((count,), mask.dtype))
    return ctx.emit("masked_select", (rows, row), count)


@lowers("masked_select.default")
def masked_select(ctx: Lowering, x: Any, mask: Any) -> Any:
    shape = torch.broadcast_shapes(x.shape, mask.shape)
    x, mask = (ctx.made(lambda one: one.expand(shape).reshape(-1), one) for one in (x, mask))
    return ctx.emit("masked_select", (x, mask), prod(shape))


@lowers("nonzero.default", "argwhere.default")
def nonzero(ctx: Lowering, x: Any) -> Any:
    if len(x.shape) == 1 and static(x.shape[0]) is None:
        return ctx.emit("places_counted", (x,), at_most(x.shape[0]))
    sizes = fixed(x.shape)
    if not sizes:
        raise NotLowered("of a tensor without dimensions")
    return ctx.emit("nonzero", (x,), prod(sizes), len(sizes), tuple(sizes))


@lowers("where.default")
def where_is(ctx: Lowering, x: Any) -> Any:
    """The places of what is not zero, for each dimension apart."""
    likes = ctx.meta
    if len(likes) != 1:
        raise NotLowered("of several dimensions; torch.nonzero gives the same in one tensor")
    rows = ctx.emit("places_counted", (x,), at_most(x.shape[0]), like=Like((likes[0].shape[0], 1), torch.int64))
    return (ctx.emit("getitem", (rows,), 0, 1, like=likes[0]),)


def most_of(k: Any, size: Any) -> int:
    """The number that `k` is, or that it is unless it is a size which is less."""
    if static(k) is not None:
        return at_most(k)
    expression, whole = k.node.expr, size.node.expr
    if expression == whole:
        return at_most(size)
    others = [one for one in expression.args if one != whole]
    if expression.func.__name__ != "Min" or len(others) != 1 or not others[0].is_Integer:
        raise NotLowered(f"as many as are computed ({expression})")
    return int(others[0])


@lowers("topk.default")
def topk(ctx: Lowering, x: Any, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Of as many as only the run knows; all others are made of what sorts."""
    if len(x.shape) != 1 or static(x.shape[0]) is not None:
        raise NotLowered("of a dimension that is known")
    size, most = x.shape[0], most_of(k, x.shape[0])
    values, places = ctx.meta
    rows = ctx.emit("unsqueeze", (x,), 0, like=Like((1, size), x.dtype))
    order = ctx.emit("order_counted", (rows,), 1, at_most(size), largest, like=Like((1, size), torch.int64))
    row = ctx.emit("getitem", (order,), 0, like=Like((size,), torch.int64))
    front = ctx.emit("front", (row,), 0, most, like=places)
    return ctx.emit("take", (x, front), 0, like=values), front


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


def from_front(ctx: Lowering, places: Any, x: Any, dim: int) -> Any:
    """Places in a dimension of which negative ones count from the end."""
    size = static(x.shape[dim])
    if isinstance(places, Known) and (size is not None or not bool((places.tensor < 0).any())):
        return known_from_front(places, size)
    like = Like(places.shape, places.dtype)
    if size is None:
        return ctx.emit("from_front_counted", (x, places), dim, like=like)
    return ctx.emit("from_front", (places,), size, like=like)


def known_from_front(places: Known, size: Any) -> Known:
    negative = places.tensor < 0
    return Known(places.name, torch.where(negative, places.tensor + static(size), places.tensor)) if bool(negative.any()) else places


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
