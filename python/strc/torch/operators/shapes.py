"""Other shapes and orders of the same elements, parts, and tensors put together."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from .. import sizes as open_sizes
from ..lowering import Like, Lowering, NotLowered, Var, lowers, static
from ..weights import Known
from .arithmetic import typed


def sizes_of(like: Any) -> tuple[int, ...]:
    """A shape, its open dimension as -1."""
    sizes = [static(size) for size in like.shape]
    if sizes.count(None) > 1:
        raise NotLowered("a shape with more than one open dimension")
    return tuple(-1 if size is None else size for size in sizes)


def flattened(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[int, int] | None:
    """First and last dimension that a new shape puts together, if it does only that."""
    if len(after) >= len(before) or not after:
        return None
    first = 0
    while first < len(after) - 1 and str(before[first]) == str(after[first]):
        first += 1
    count = len(before) - len(after) + 1
    merged = before[first : first + count]
    if any(static(size) is None for size in merged) or static(after[first]) != prod(merged):
        return None
    same = [str(size) for size in before[first + count :]] == [str(size) for size in after[first + 1 :]]
    return (first, -1 if first + count == len(before) else first + count - 1) if same else None


@lowers(
    "view.default", "reshape.default", "_unsafe_view.default", "flatten.using_ints", "unflatten.int", "view_as.default",
    "_reshape_copy.default", "reshape_as.default",
)
def reshape(ctx: Lowering, x: Any, *_: Any) -> Any:
    after = tuple(ctx.meta.shape)
    if [str(size) for size in x.shape] == [str(size) for size in after]:
        return x
    if places := flattened(x.shape, after):
        return ctx.emit("flatten", (x,), *(places if places != (1, -1) else ()))
    if [static(size) for size in after].count(None) > 1:
        return open_sizes.reshaped(ctx, x, ctx.meta)
    return ctx.emit("reshape", (x,), sizes_of(ctx.meta))


@lowers("transpose.int", "t.default", "swapaxes.default")
def transpose(ctx: Lowering, x: Any, one: int = 0, other: int = 1) -> Any:
    if x.rank < 2:
        return x
    return ctx.emit("transpose", (x,), x.dim(one), x.dim(other))


@lowers("permute.default")
def permute(ctx: Lowering, x: Any, dims: Any) -> Any:
    order = tuple(x.dim(dim) for dim in dims)
    return x if order == tuple(range(x.rank)) else ctx.emit("permute", (x,), order)


@lowers("movedim.int")
def movedim(ctx: Lowering, x: Any, source: int, target: int) -> Any:
    order = [dim for dim in range(x.rank) if dim != x.dim(source)]
    order.insert(x.dim(target), x.dim(source))
    return ctx.emit("permute", (x,), tuple(order))


@lowers("squeeze.dim", "squeeze.dims", "squeeze.default")
def squeeze(ctx: Lowering, x: Any, dims: Any = None) -> Any:
    wanted = range(x.rank) if dims is None else [dims] if isinstance(dims, int) else dims
    gone = [dim for dim in sorted({x.dim(dim) for dim in wanted}, reverse=True) if x.shape[dim] == 1]
    for dim in gone:
        shape = [size for i, size in enumerate(x.shape) if i != dim]
        x = ctx.emit("squeeze", (x,), dim, like=torch.empty(shape, dtype=x.dtype, device="meta"))
    return x


@lowers("unsqueeze.default")
def unsqueeze(ctx: Lowering, x: Any, dim: int) -> Any:
    return ctx.emit("unsqueeze", (x,), dim % (x.rank + 1))


@lowers("slice.Tensor")
def part(ctx: Lowering, x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    size = static(x.shape[x.dim(dim)])
    if size is None and str(ctx.meta.shape[x.dim(dim)]) == str(x.shape[x.dim(dim)]) and step == 1:
        return x
    if size is None and static(start or 0) == 0 and static(end) is not None and end >= 0 and step == 1:
        return ctx.emit("front", (x,), x.dim(dim), static(end))
    if size is None or static(start or 0) is None or (end is not None and static(end) is None):
        return open_part(ctx, x, x.dim(dim), 0 if start is None else start, step)
    low, high, step = slice(static(start or 0), size if end is None else static(end), step).indices(size)
    if (low, high, step) == (0, size, 1):
        return x
    return ctx.emit("slice", (x,), x.dim(dim), low, max(low, high), *(() if step == 1 else (step,)))


def open_part(ctx: Lowering, x: Any, dim: int, start: Any, step: int) -> Any:
    """A part whose ends depend on an open dimension; how long it is the graph says."""
    if step != 1:
        raise NotLowered("every so many items of a dimension that is open")
    low = x.shape[dim] + start if is_negative(start) else start
    return open_sizes.part(ctx, x, dim, low, low + ctx.meta.shape[dim], ctx.meta)


def is_negative(place: Any) -> bool:
    """Does it count from the end, whatever open sizes it depends on?"""
    if isinstance(place, int):
        return place < 0
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return bool(statically_known_true(place < 0))


@lowers("narrow.default")
def narrow(ctx: Lowering, x: Any, dim: int, start: int, length: int) -> Any:
    return part(ctx, x, dim, start, start + length)


@lowers("select.int")
def select(ctx: Lowering, x: Any, dim: int, index: int) -> Any:
    size = static(x.shape[x.dim(dim)])
    if size is None and ctx.items is not None:
        raise NotLowered("an element of a dimension that is open")
    if size is None and (static(index) is None or index < 0):
        one = torch.empty([1 if place == x.dim(dim) else extent for place, extent in enumerate(x.shape)], dtype=x.dtype, device="meta")
        at = x.shape[x.dim(dim)] + index if is_negative(index) else index
        return ctx.emit("squeeze", (open_sizes.part(ctx, x, x.dim(dim), at, at + 1, one),), x.dim(dim))
    return item(ctx, x, x.dim(dim), index if size is None else index % size, ctx.meta)


def item(ctx: Lowering, x: Any, dim: int, index: int, like: Any) -> Any:
    return ctx.emit("getitem", (x,), *((index, dim) if dim else (index,)), like=like)


@lowers("cat.default", "concat.default")
def cat(ctx: Lowering, tensors: Any, dim: int = 0) -> Any:
    # Old models begin with nothing at all, a tensor of shape (0,), and append to that.
    parts = [t for t in tensors if all(static(size) != 0 for size in t.shape)]
    return ctx.emit("cat", tuple(parts), len(parts), dim % ctx.meta.dim())


@lowers("stack.default")
def stack(ctx: Lowering, tensors: Any, dim: int = 0) -> Any:
    return ctx.emit("stack", tuple(tensors), len(tensors), dim % ctx.meta.dim())


@lowers("chunk.default")
def chunk(ctx: Lowering, x: Any, count: int, dim: int = 0) -> Any:
    return pieces(ctx, x, dim)


@lowers("split.Tensor", "split_with_sizes.default", "split.sizes")
def split(ctx: Lowering, x: Any, sizes: Any, dim: int = 0) -> Any:
    return pieces(ctx, x, dim)


def pieces(ctx: Lowering, x: Var, dim: int) -> Any:
    sizes = tuple(static(piece.shape[x.dim(dim)]) for piece in ctx.meta)
    if len(sizes) == 1:
        return (x,)
    if None in sizes:
        raise NotLowered("parts of a dimension that is open")
    if 0 in sizes:
        starts = [sum(size or 0 for size in sizes[:k]) for k in range(len(sizes))]
        return tuple(
            ctx.emit("slice", (x,), x.dim(dim), start, start + (size or 0), like=like) for start, size, like in zip(starts, sizes, ctx.meta)
        )
    if len(set(sizes)) == 1:
        return ctx.emit_tuple("chunk", (x,), list(ctx.meta), len(sizes), x.dim(dim))
    return ctx.emit_tuple("split", (x,), list(ctx.meta), sizes, x.dim(dim))


@lowers("unbind.int")
def unbind(ctx: Lowering, x: Any, dim: int = 0) -> Any:
    return tuple(item(ctx, x, x.dim(dim), i, like) for i, like in enumerate(ctx.meta))


@lowers("expand.default", "broadcast_to.default", "expand_as.default")
def expand(ctx: Lowering, x: Any, *_: Any, **__: Any) -> Any:
    if [str(s) for s in (x.shape if isinstance(x, Var) else x.tensor.shape)] == [str(s) for s in ctx.meta.shape]:
        return x
    sizes = ctx.extents(ctx.meta.shape)
    if None in sizes:
        return open_sizes.expanded(ctx, x, ctx.meta)
    if isinstance(x, Known):  # like something that comes: what is stored stays so
        return Known(ctx.local_name("expand"), x.tensor.expand(sizes))
    return ctx.emit("expand", (x,), sizes)


@lowers("repeat.default")
def repeat(ctx: Lowering, x: Any, counts: Any) -> Any:
    if any(static(count) is None for count in counts):
        return repeat_open(ctx, x, counts)
    shape = list(x.shape)
    for _ in range(len(counts) - len(shape)):
        shape.insert(0, 1)
        x = ctx.emit("unsqueeze", (x,), 0, like=torch.empty(shape, dtype=x.dtype, device="meta"))
    for dim, count in enumerate(counts):
        if count != 1:
            shape[dim] *= count
            x = ctx.emit("cat", (x,) * count, count, dim, like=torch.empty(shape, dtype=x.dtype, device="meta"))
    return x


def repeat_open(ctx: Lowering, x: Any, counts: Any) -> Any:
    """As often as a dimension has items: what has one item there is expanded."""
    ones = [1] * (len(counts) - x.rank) + list(x.shape)
    if any(size != 1 for count, size in zip(counts, ones) if static(count) != 1):
        raise NotLowered("repeats several items along a dimension that is open")
    return open_sizes.expanded(ctx, x, ctx.meta)


def roll_along(ctx: Lowering, x: Var, shift: int, dim: int) -> Any:
    size = static(x.shape[dim])
    if size is None:
        raise NotLowered("a dimension that is open")
    return ctx.emit("roll", (x,), dim, shift % size, like=Like(x.shape, x.dtype)) if size and shift % size else x


@lowers("flip.default")
def flip(ctx: Lowering, x: Any, dims: Any) -> Any:
    for dim in dims:
        x = ctx.emit("flip", (x,), x.dim(dim))
    return x


@lowers("pixel_shuffle.default")
def pixel_shuffle(ctx: Lowering, x: Any, factor: int) -> Any:
    *batch, channels, height, width = x.shape
    lead = len(batch)
    split_shape = (*batch, channels // factor**2, factor, factor, height, width)
    like = torch.empty(split_shape, dtype=x.dtype, device="meta")
    apart = ctx.emit("reshape", (x,), sizes_of(like), like=like)
    order = (*range(lead + 1), lead + 3, lead + 1, lead + 4, lead + 2)
    turned = ctx.emit("permute", (apart,), order, like=like.permute(order))
    return ctx.emit("reshape", (turned,), sizes_of(ctx.meta))


@lowers("channel_shuffle.default")
def channel_shuffle(ctx: Lowering, x: Any, groups: int) -> Any:
    batch, channels, height, width = x.shape
    like = torch.empty((batch, groups, channels // groups, height, width), dtype=x.dtype, device="meta")
    apart = ctx.emit("reshape", (x,), sizes_of(like), like=like)
    turned = ctx.emit("transpose", (apart,), 1, 2, like=like.transpose(1, 2))
    return ctx.emit("reshape", (turned,), sizes_of(ctx.meta))


FULL = {torch.float32: "full_float", torch.int64: "full_long"}


@lowers("fill.Scalar", "fill.Tensor", "full_like.default", "zeros_like.default", "ones_like.default", "new_zeros.default", "new_ones.default")
def filled(ctx: Lowering, x: Any, value: Any = None, *_: Any, **__: Any) -> Any:
    """A tensor of one number, whose shape is all that is taken of the input."""
    assert ctx.node is not None
    sizes = ctx.extents(ctx.meta.shape)
    target = str(ctx.node.target)
    number = 1 if "ones" in target else 0 if "zeros" in target else value.tensor.item() if isinstance(value, Known) else value
    if not isinstance(number, (bool, int, float)):
        raise NotLowered("filled with a number that is computed")
    if list(sizes) == [None] and ctx.meta.dtype in FULL:
        return ctx.emit(FULL[ctx.meta.dtype], (x,), number)
    if None in sizes:
        return open_sizes.filled(ctx, number, ctx.meta)
    return ctx.alike("filled", torch.full(sizes, number, dtype=ctx.meta.dtype))


@lowers("copy.default")
def copy(ctx: Lowering, x: Any, source: Any, *_: Any) -> Any:
    return expand(ctx, typed(ctx, source, ctx.meta.dtype))


@lowers("select_scatter.default")
def select_scatter(ctx: Lowering, x: Any, source: Any, dim: int, index: int) -> Any:
    size = static(x.shape[x.dim(dim)])
    if size is None:
        raise NotLowered("an element of a dimension that is open")
    shape = [1 if i == x.dim(dim) else extent for i, extent in enumerate(x.shape)]
    like = torch.empty(shape, dtype=x.dtype, device="meta")
    item = ctx.emit("unsqueeze", (source,), x.dim(dim), like=like)
    return ctx.emit("update", (x, item), x.dim(dim), index % size)


@lowers("slice_scatter.default")
def slice_scatter(ctx: Lowering, x: Any, source: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    size = static(x.shape[x.dim(dim)])
    if step == 1 and str(source.shape[x.dim(dim)]) == str(x.shape[x.dim(dim)]):
        return source
    if size is None or step != 1:
        raise NotLowered("every so many items, or a part of a dimension that is open")
    low, high, _ = slice(start, end, step).indices(size)
    return source if (low, high) == (0, size) else ctx.emit("update", (x, source), x.dim(dim), low)
