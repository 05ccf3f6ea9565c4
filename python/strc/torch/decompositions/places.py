"""Elements that are put at places, and rearrangements of all elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

from .primitives import last_place, reduce_at
from .registry import made_of

WIDE = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.bool: torch.int32, **dict.fromkeys((torch.int8, torch.uint8, torch.int16), torch.int32)}
NEUTRAL = {"sum": 0, "prod": 1}


def numbered(shape: Sequence[int]) -> Tensor:
    """The places of all elements in a row."""
    return torch.arange(prod(shape)).reshape(tuple(shape))


def taken(x: Tensor, places: Tensor) -> Tensor:
    """The elements at places among all of a tensor."""
    return x.reshape(-1).index_select(0, places.reshape(-1)).reshape(places.shape)


def rearranged(name: str) -> Any:
    """Of an operator that only moves elements: where it moves them is known."""
    target = getattr(torch.ops.aten, name.partition(".")[0])
    overload = getattr(target, name.partition(".")[2])

    def function(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return taken(x, overload(numbered(x.shape), *args, **kwargs))

    return function


MOVES: list[Callable[..., Any]] = []  # of operators that only move elements
for each in (
    "diagonal.default", "diagonal_copy.default", "unfold.default", "unfold_copy.default", "rot90.default", "movedim.intlist", "linalg_diagonal.default",
    "moveaxis.intlist", "moveaxis.int", "as_strided.default", "as_strided_copy.default", "narrow_copy.default",
    "channel_shuffle.default", "pixel_unshuffle.default", "repeat_interleave.self_int",
):
    MOVES.append(made_of(each)(rearranged(each)))


# ---- what replaces elements


def placed(x: Tensor, at: Tensor, values: Tensor) -> Tensor:
    """A row with values at places; the last one of those at the same place."""
    last = last_place(at, x.shape[0])
    return torch.where(last >= 0, values.index_select(0, last.clamp(min=0)), x)


def merged(x: Tensor, at: Tensor, values: Tensor, kind: str) -> Tensor:
    """A row in which values are added to the elements at places, or multiplied, or compared with them."""
    if x.dtype == torch.int64:  # whose sums are exact in no array
        here = at.unsqueeze(0) == torch.arange(x.shape[0]).unsqueeze(1)
        if kind in NEUTRAL:
            all_ = torch.where(here, values.unsqueeze(0), NEUTRAL[kind])
            return x + all_.sum(1) if kind == "sum" else x * all_.prod(1)
        ends = torch.iinfo(torch.int64)
        if kind == "amax":
            return torch.maximum(x, torch.where(here, values.unsqueeze(0), ends.min + 1).amax(1))
        return torch.minimum(x, torch.where(here, values.unsqueeze(0), ends.max).amin(1))
    wide = WIDE.get(x.dtype, x.dtype)
    return reduce_at(x.to(wide), at, values.to(wide), kind).to(x.dtype)


def means(x: Tensor, at: Tensor, values: Tensor, with_self: bool) -> Tensor:
    """The mean of each element and what belongs to its place; whole numbers are rounded down."""
    counts = merged(torch.full(x.shape, int(with_self)), at, torch.ones(at.shape, dtype=torch.int64), "sum")
    start = x if with_self else torch.where(counts > 0, torch.zeros_like(x), x)
    total = merged(start, at, values, "sum")
    counts = counts.clamp(min=1)
    if x.dtype.is_floating_point:
        return total / counts.to(x.dtype)
    return total.div(counts, rounding_mode="floor").to(x.dtype)


def reduced(x: Tensor, at: Tensor, values: Tensor, kind: str, with_self: bool = True) -> Tensor:
    if kind == "mean":
        return means(x, at, values, with_self)
    if not with_self:
        touched = last_place(at, x.shape[0]) >= 0
        ends = {"amax": ends_of(x.dtype)[0], "amin": ends_of(x.dtype)[1]}
        x = torch.where(touched, torch.full_like(x, NEUTRAL.get(kind, ends.get(kind, 0))), x)
    return merged(x, at, values, kind)


def ends_of(kind: torch.dtype) -> tuple[Any, Any]:
    if kind.is_floating_point:
        return -float("inf"), float("inf")
    if kind == torch.bool:
        return False, True
    return torch.iinfo(kind).min + (kind == torch.int64), torch.iinfo(kind).max


# ---- along a dimension


def places_along(shape: Sequence[int], dim: int, index: Tensor) -> Tensor:
    """The places among all elements that an index along a dimension names."""
    steps = [prod(shape[i + 1 :]) for i in range(len(shape))]
    others = torch.zeros(tuple(index.shape), dtype=torch.int64)
    for i, count in enumerate(index.shape):
        if i != dim:
            others = others + (torch.arange(count) * steps[i]).reshape([-1 if k == i else 1 for k in range(index.dim())])
    return (index.long() * steps[dim] + others).reshape(-1)


def scattered(x: Tensor, dim: int, index: Tensor, values: Any, kind: str | None, with_self: bool = True) -> Tensor:
    if not x.dim():
        return scattered(x.reshape(1), 0, index.reshape(-1), values.reshape(-1) if isinstance(values, Tensor) else values, kind, with_self).reshape(())
    if not index.numel():
        return x.clone()
    dim, index = dim % x.dim(), index if index.dim() else index.reshape(1)
    if isinstance(values, Tensor) and values.dim():
        values = values[tuple(slice(0, count) for count in index.shape)]
    else:
        values = torch.full(tuple(index.shape), values, dtype=x.dtype) if not isinstance(values, Tensor) else values.expand(index.shape)
    values = values.to(x.dtype)
    at = places_along(x.shape, dim, index)
    row, given = x.reshape(-1), values.reshape(-1)
    made = placed(row, at, given) if kind is None else reduced(row, at, given, kind, with_self)
    return made.reshape(x.shape)


OF_SCATTER = {"add": "sum", "multiply": "prod", "sum": "sum", "prod": "prod", "mean": "mean", "amax": "amax", "amin": "amin"}


@made_of("scatter.src", "scatter.value", "scatter.reduce", "scatter.value_reduce")
def scatter(x: Tensor, dim: int, index: Tensor, values: Any, *, reduce: str | None = None) -> Tensor:
    return scattered(x, dim, index, values, OF_SCATTER[reduce] if reduce else None)


@made_of("scatter_add.default")
def scatter_add(x: Tensor, dim: int, index: Tensor, values: Tensor) -> Tensor:
    return scattered(x, dim, index, values, "sum")


@made_of("scatter_reduce.two")
def scatter_reduce(x: Tensor, dim: int, index: Tensor, values: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:
    return scattered(x, dim, index, values, OF_SCATTER[reduce], include_self)


def spread(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """An index of whole slices as one of their elements."""
    shape = [index.numel() if i == dim else size for i, size in enumerate(x.shape)]
    return index.reshape([-1 if i == dim else 1 for i in range(x.dim())]).expand(shape)


def in_slices(x: Tensor, dim: int, index: Tensor, values: Any, kind: str | None, with_self: bool = True) -> Tensor:
    if not x.dim():
        return in_slices(x.reshape(1), 0, index, values.reshape(-1) if isinstance(values, Tensor) else values, kind, with_self).reshape(())
    dim = dim % x.dim()
    whole = spread(x, dim, index)
    if isinstance(values, Tensor):
        values = values.reshape(whole.shape) if values.numel() == whole.numel() else values.expand(whole.shape)
    return scattered(x, dim, whole, values, kind, with_self)


@made_of("index_add.default")
def index_add(x: Tensor, dim: int, index: Tensor, values: Tensor, *, alpha: Any = 1) -> Tensor:
    return in_slices(x, dim, index, values * alpha if alpha != 1 else values, "sum")


@made_of("index_copy.default")
def index_copy(x: Tensor, dim: int, index: Tensor, values: Tensor) -> Tensor:
    return in_slices(x, dim, index, values, None)


@made_of("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    return in_slices(x, dim, index, value, None)


@made_of("index_reduce.default")
def index_reduce(x: Tensor, dim: int, index: Tensor, values: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:
    return in_slices(x, dim, index, values, OF_SCATTER[reduce], include_self)


# ---- by several indices


def without_masks(given: Sequence[Any]) -> list[Any]:
    """Masks as the places that they choose: known ones."""
    made: list[Any] = []
    for at in given:
        if at is not None and at.dtype in (torch.bool, torch.uint8):
            made += torch.nonzero(at).unbind(1)
        else:
            made.append(at)
    return made


def flat_places(shape: Sequence[int], given: Sequence[Any]) -> Tensor:
    """The places among all elements that indices of some dimensions name, as PyTorch orders the dimensions of the result."""
    indices = [*without_masks(given)]
    indices += [None] * (len(shape) - len(indices))
    named = [dim for dim, at in enumerate(indices) if at is not None]
    wide = torch.broadcast_shapes(*(indices[dim].shape for dim in named))
    first = named[0] if named == list(range(named[0], named[-1] + 1)) else 0
    others = [dim for dim in range(len(shape)) if dim not in named]
    rank = len(wide) + len(others)
    places = torch.zeros(1, dtype=torch.int64).reshape([1] * rank)
    for dim, size in enumerate(shape):
        step = prod(shape[dim + 1 :])
        if dim in named:
            at = torch.where(indices[dim] < 0, indices[dim] + size, indices[dim]).long()
            at = at.reshape([*[1] * (len(wide) - at.dim()), *at.shape])
            behind = rank - first - len(wide)
            at = at.reshape([*[1] * first, *at.shape, *[1] * behind])
        else:
            number = others.index(dim)
            place = number if number < first else number + len(wide)
            at = torch.arange(size).reshape([-1 if k == place else 1 for k in range(rank)])
        places = places + (at if step == 1 else at * step)
    return places


@made_of("index.Tensor", "_unsafe_index.Tensor")
def index(x: Tensor, given: Sequence[Any]) -> Tensor:
    return taken(x, flat_places(x.shape, given))


@made_of("index_put.default", "_unsafe_index_put.default")
def index_put(x: Tensor, given: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
    named = [at for at in given if at is not None]
    if len(named) == 1 and named[0].dtype in (torch.bool, torch.uint8) and values.numel() == 1 and given[0] is not None:
        mask = named[0].bool().reshape(*named[0].shape, *[1] * (x.dim() - named[0].dim()))
        value = values.reshape(()).to(x.dtype)
        return torch.where(mask, x + value if accumulate else value, x)
    if len(named) == 1 and named[0].dtype in (torch.bool, torch.uint8) and given[0] is not None:
        return by_mask(x, named[0].bool(), values.to(x.dtype), accumulate)
    places = flat_places(x.shape, given)
    at, row = places.reshape(-1), values.to(x.dtype).expand(places.shape).reshape(-1)
    if not at.numel():
        return x.clone()
    made = merged(x.reshape(-1), at, row, "sum") if accumulate else placed(x.reshape(-1), at, row)
    return made.reshape(x.shape)


def by_mask(x: Tensor, mask: Tensor, values: Tensor, accumulate: bool) -> Tensor:
    """Items that a mask of the first dimensions chooses are replaced: all by the same one, or each by its own, in order."""
    rest = x.shape[mask.dim() :]
    wide = mask.reshape(*mask.shape, *[1] * len(rest))
    if values.dim() > len(rest):
        number = (torch.cumsum(mask.reshape(-1).long(), 0) - 1).clamp(0, values.shape[0] - 1)
        values = values.index_select(0, number).reshape(*mask.shape, *values.shape[1:])
    return torch.where(wide, x + values if accumulate else values, x)


@made_of("nonzero_static.default")
def nonzero_static(x: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The places of so many elements that are not zero, and a number for those that are not there."""
    count, here = x.numel(), (x != 0).reshape(-1)
    if not size or not x.dim():
        raise NotImplementedError("of none")
    number = torch.cumsum(here.long(), 0) - 1
    row = placed(torch.full((size + 1,), -1), torch.where(here & (number < size), number, size), torch.arange(count))[:size]
    columns, step = [], count
    for extent in x.shape:
        step //= extent
        columns.append(row.div(step, rounding_mode="floor") % extent)
    return torch.where((row < 0).unsqueeze(1), fill_value, torch.stack(columns, 1))


@made_of("_unsafe_masked_index.default")
def masked_index(x: Tensor, mask: Tensor, given: Sequence[Any], fill: Any) -> Tensor:
    inside = [at if at is None else at.clamp(0, size - 1) for at, size in zip(given, x.shape)]
    return torch.where(mask, index(x, inside), fill)


@made_of("_unsafe_masked_index_put_accumulate.default")
def masked_index_put(x: Tensor, mask: Tensor, given: Sequence[Any], values: Tensor) -> Tensor:
    inside = [at if at is None else at.clamp(-size, size - 1) for at, size in zip(given, x.shape)]
    return index_put(x, inside, torch.where(mask, values, 0), True)


@made_of("put.default")
def put(x: Tensor, index: Tensor, values: Tensor, accumulate: bool = False) -> Tensor:
    if not index.numel():
        return x.clone()
    at = torch.where(index < 0, index + x.numel(), index).reshape(-1)
    row = values.reshape(-1)
    return (merged(x.reshape(-1), at, row, "sum") if accumulate else placed(x.reshape(-1), at, row)).reshape(x.shape)


@made_of("take.default")
def take(x: Tensor, index: Tensor) -> Tensor:
    return taken(x, torch.where(index < 0, index + x.numel(), index))


@made_of("gather.default")
def gather(x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    if not x.dim():
        return x.expand(index.shape) if index.dim() else x.clone()
    if not index.numel():
        return torch.empty(index.shape, dtype=x.dtype)
    if not index.dim():
        return gather(x, dim, index.reshape(1)).reshape(())
    return x.reshape(-1).index_select(0, places_along(x.shape, dim % x.dim(), index)).reshape(index.shape)


@made_of("index_select.default")
def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Of a tensor without dimensions, or by one place without dimensions."""
    if not x.dim():
        return x.reshape(1).index_select(0, index.reshape(-1)).reshape(() if not index.dim() else (-1,))
    return x.index_select(dim, index.reshape(-1))


@made_of("take_along_dim.default")
def take_along_dim(x: Tensor, index: Tensor, dim: int | None = None) -> Tensor:
    if dim is None:
        return taken(x.reshape(-1), index.reshape(-1))
    dim = dim % x.dim()
    shape = torch.broadcast_shapes([1 if i == dim else n for i, n in enumerate(x.shape)], [1 if i == dim else n for i, n in enumerate(index.shape)])
    wide = x.expand([x.shape[dim] if i == dim else n for i, n in enumerate(shape)])
    at = index.expand([index.shape[dim] if i == dim else n for i, n in enumerate(shape)])
    return gather(wide, dim, torch.where(at < 0, at + x.shape[dim], at))


def bag_of(offsets: Tensor, count: int, has_end: bool) -> Tensor:
    """The bag of each of so many numbers."""
    starts = offsets[:-1] if has_end else offsets
    return (starts.unsqueeze(0) <= torch.arange(count).unsqueeze(1)).sum(1) - 1


@made_of("embedding_bag.padding_idx", "embedding_bag.default")
def embedding_bag(
    weight: Tensor, numbers: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0, sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sums (mode 0), means (1) or greatest elements (2) of the rows in each bag. What else the operator gives is for gradients."""
    bags = offsets.shape[0] - int(include_last_offset)
    bag = bag_of(offsets, numbers.shape[0], include_last_offset)
    rows = weight.index_select(0, numbers)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    if padding_idx is not None:
        padding = padding_idx % weight.shape[0]
        bag = torch.where(numbers == padding, bags, bag)  # one more bag, which is left out
    start = torch.zeros((bags + 1, weight.shape[1]), dtype=weight.dtype)
    made = in_slices(start, 0, bag, rows, ("sum", "mean", "amax")[mode], with_self=False)[:bags]
    return made, bag, torch.zeros_like(offsets), torch.zeros_like(offsets)


@made_of("masked_scatter.default")
def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    shape = torch.broadcast_shapes(x.shape, mask.shape)
    here = mask.expand(shape).reshape(-1)
    number = (torch.cumsum(here.long(), 0) - 1).clamp(0, source.numel() - 1)
    return torch.where(here, source.reshape(-1).index_select(0, number), x.expand(shape).reshape(-1)).reshape(shape)


def replacing(view: Any) -> Any:
    """What replaces the part of a tensor that a view names."""

    def function(x: Tensor, source: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        at = view(numbered(x.shape), *args, **kwargs)
        if not at.numel():
            return x.clone()
        where = torch.full((x.numel(),), -1).scatter(0, at.reshape(-1), torch.arange(at.numel())).reshape(x.shape)
        values = source.to(x.dtype).expand(at.shape).reshape(-1)
        return torch.where(where >= 0, values.index_select(0, where.clamp(min=0).reshape(-1)).reshape(x.shape), x)

    return function


made_of("diagonal_scatter.default")(replacing(torch.diagonal))
made_of("select_scatter.default")(replacing(torch.select))
made_of("slice_scatter.default")(replacing(torch.ops.aten.slice.Tensor))
made_of("as_strided_scatter.default")(replacing(torch.as_strided))


@made_of("diag_embed.default")
def diag_embed(x: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    size = x.shape[-1] + abs(offset)
    rank = x.dim() + 1
    shape = list(x.shape[:-1])
    for dim in sorted((dim1 % rank, dim2 % rank)):
        shape.insert(dim, size)
    return torch.zeros(shape, dtype=x.dtype).diagonal_scatter(x, offset, dim1, dim2)
