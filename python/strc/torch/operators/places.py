"""Elements by their places, and orders of all elements."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..capture import operator_name
from ..lowering import Like, Lowering, NotLowered, Var, lowers, static
from ..weights import Known
from .choices import flat
from .shapes import roll_along


@lowers("index_select.default")
def index_select(ctx: Lowering, x: Any, dim: int, places: Any) -> Var:
    return ctx.emit("take", (x, places), x.dim(dim))


@lowers("index.Tensor")
def index(ctx: Lowering, x: Any, given: Any) -> Var:
    dims = [dim for dim, places in enumerate(given) if places is not None]
    if any(given[dim].dtype in (torch.bool, torch.uint8) for dim in dims):
        raise NotLowered("a mask as index: how many elements it takes depends on its values")
    if len(dims) == 1:
        return ctx.emit("take", (x, from_front(ctx, given[dims[0]], x.shape[dims[0]])), dims[0])
    if dims != list(range(dims[0], dims[-1] + 1)):
        raise NotLowered("indexes dimensions by tensors that are not beside each other")
    sizes = fixed(x.shape[dims[0] : dims[-1] + 1])
    places = in_a_row(ctx, [from_front(ctx, given[dim], x.shape[dim]) for dim in dims], sizes)
    shape = (*x.shape[: dims[0]], math.prod(sizes), *x.shape[dims[-1] + 1 :])
    merged = ctx.emit("flatten", (x,), dims[0], dims[-1], like=Like(shape, x.dtype))
    return ctx.emit("take", (merged, places), dims[0])


def fixed(shape: Any) -> list[int]:
    sizes = [static(size) for size in shape]
    if None in sizes:
        raise NotLowered("places in a dimension that is open")
    return [size for size in sizes if size is not None]


def in_a_row(ctx: Lowering, places: list[Any], sizes: list[int]) -> Any:
    """Places in several dimensions as one, in all of them."""
    made = places[0]
    for one, size in zip(places[1:], sizes[1:]):
        if isinstance(made, Known) and isinstance(one, Known):
            made = Known(made.name, made.tensor * size + one.tensor)
            continue
        shape, kind = torch.broadcast_shapes(made.shape, one.shape), torch.promote_types(made.dtype, one.dtype)
        steps = Known(made.name, made.tensor * size) if isinstance(made, Known) else ctx.emit("mul_scalar", (made,), size, like=Like(made.shape, made.dtype))
        made = ctx.emit("add", (steps, one), like=Like(shape, kind))
    return made


def from_front(ctx: Lowering, places: Any, size: Any) -> Any:
    """Places of which negative ones count from the end."""
    if isinstance(places, Known) and not bool((places.tensor < 0).any()):
        return places
    if static(size) is None:
        raise NotLowered("places that may be negative, of a dimension that is open")
    if isinstance(places, Known):
        return Known(places.name, torch.where(places.tensor < 0, places.tensor + static(size), places.tensor))
    return ctx.emit("from_front", (places,), static(size), like=Like(places.shape, places.dtype))


@lowers("gather.default", "take_along_dim.default")
def gather(ctx: Lowering, x: Any, first: Any, second: Any = None, *_: Any, **__: Any) -> Var:
    assert ctx.node is not None
    dim, places = (first, second) if operator_name(ctx.node) == "gather" else (second, first)
    if dim is None or places.rank != x.rank:
        raise NotLowered("of all elements in a row")
    sizes, counts, along = fixed(x.shape), fixed(places.shape), x.dim(dim)
    if any(count > size for i, (count, size) in enumerate(zip(counts, sizes)) if i != along and operator_name(ctx.node) != "gather"):
        raise NotLowered("repeats elements along a dimension of one")
    # The place in all of x: that in each other dimension is the place of the index itself.
    step = math.prod(sizes[along + 1 :])
    others = torch.zeros(counts, dtype=torch.int64)
    for i, count in enumerate(counts):
        if i != along:
            others += (torch.arange(count) * math.prod(sizes[i + 1 :])).reshape([-1 if k == i else 1 for k in range(len(counts))])
    if isinstance(places, Known):
        return ctx.emit("take", (flat(ctx, x), Known(ctx.local_name("places"), places.tensor * step + others)), 0)
    steps = ctx.emit("mul_scalar", (places,), step, like=Like(places.shape, places.dtype)) if step != 1 else places
    total = ctx.emit("add", (steps, Known(ctx.local_name("places"), others)), like=Like(places.shape, torch.int64))
    return ctx.emit("take", (flat(ctx, x), total), 0)


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
