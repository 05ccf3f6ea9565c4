"""Elements by their places, and orders of all elements."""

from __future__ import annotations

from typing import Any

import torch

from ..lowering import Like, Lowering, NotLowered, Var, lowers, static
from ..weights import Known
from .choices import flat
from .shapes import roll_along


@lowers("index_select.default")
def index_select(ctx: Lowering, x: Any, dim: int, places: Any) -> Any:
    return ctx.emit("take", (x, places), x.dim(dim))


@lowers("index.Tensor")
def index(ctx: Lowering, x: Any, given: Any) -> Any:
    dims = [dim for dim, places in enumerate(given) if places is not None]
    if any(given[dim].dtype in (torch.bool, torch.uint8) for dim in dims):
        raise NotLowered("a mask as index: how many elements it takes depends on its values")
    if len(dims) == 1:
        return ctx.emit("take", (x, from_front(ctx, given[dims[0]], x.shape[dims[0]])), dims[0])
    raise NotLowered("by several tensors")


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
