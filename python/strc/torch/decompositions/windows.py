"""Windows over any number of dimensions: pools with places, adaptive ones, what undoes them, padding that goes round."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, prod
from typing import Any

import torch
from torch import Tensor

from .places import placed
from .registry import made_of



def several(value: Any, dims: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values * dims if len(values) == 1 else values


def crossed(sizes: Sequence[int], each: Sequence[list[list[int]]]) -> Tensor:
    """Of windows in each dimension those in all of them: rows of places in the picture, -1 where a window has none."""
    places = torch.zeros((1, 1), dtype=torch.int64)
    for size, windows in zip(sizes, each):
        most = max(map(len, windows))
        along = torch.tensor([[*window, *[-1] * (most - len(window))] for window in windows])
        both = places[:, None, :, None] * size + along[None, :, None, :]
        gone = (places[:, None, :, None] < 0) | (along[None, :, None, :] < 0)
        places = torch.where(gone, -1, both).reshape(len(places) * len(along), -1)
    return places


def window_starts(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> range:
    reach = dilation * (kernel - 1) + 1
    rest = size + 2 * padding - reach
    count = (ceil(rest / stride) if ceil_mode else rest // stride) + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    return range(-padding, -padding + count * stride, stride)


def regular(x: Tensor, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> tuple[Tensor, list[int]]:
    """The windows of a pool, and how many there are in each dimension."""
    kernel, padding, dilation = several(kernel, dims), several(padding, dims), several(dilation, dims)
    stride = several(stride, dims) if stride else kernel
    each, counts = [], []
    for size, k, s, p, d in zip(x.shape[-dims:], kernel, stride, padding, dilation):
        starts = window_starts(size, k, s, p, d, ceil_mode)
        each.append([[at if 0 <= at < size else -1 for at in range(start, start + k * d, d)] for start in starts])
        counts.append(len(starts))
    return crossed(x.shape[-dims:], each), counts


def adaptive(x: Tensor, outs: Sequence[int]) -> tuple[Tensor, list[int]]:
    sizes = x.shape[-len(outs) :]
    each = [
        [list(range(floor(i * size / out), ceil((i + 1) * size / out))) for i in range(out)] for size, out in zip(sizes, outs)
    ]
    return crossed(sizes, each), list(outs)


def in_windows(x: Tensor, places: Tensor, dims: int, missing: float) -> Tensor:
    """What is in the windows, `missing` where nothing is."""
    rows = x.flatten(-dims)
    inside = rows.index_select(-1, places.clamp(min=0).reshape(-1)).reshape(*rows.shape[:-1], *places.shape)
    return torch.where(places >= 0, inside, missing) if bool((places < 0).any()) else inside


def greatest(x: Tensor, windows: tuple[Tensor, list[int]], dims: int) -> tuple[Tensor, Tensor]:
    """The greatest element of each window, and its place in the picture."""
    places, counts = windows
    ends = -float("inf") if x.dtype.is_floating_point else torch.iinfo(x.dtype).min + (x.dtype == torch.int64)
    inside = in_windows(x, places, dims, ends)
    number = inside.argmax(-1, keepdim=True)
    values = inside.gather(-1, number)
    at = places.expand(inside.shape).gather(-1, number)
    shape = (*x.shape[:-dims], *counts)
    return values.reshape(shape), at.reshape(shape)


def max_pool(dims: int) -> Any:
    def function(
        x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> tuple[Tensor, Tensor]:
        return greatest(x, regular(x, dims, kernel, stride, padding, dilation, ceil_mode), dims)

    return function


def plain_max_pool(dims: int) -> Any:
    function = max_pool(dims)
    return lambda *args, **kwargs: function(*args, **kwargs)[0]


def avg_pool(dims: int) -> Any:
    def function(
        x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        places, counts = regular(x, dims, kernel, stride, padding, 1, ceil_mode)
        sums = in_windows(x, places, dims, 0).sum(-1)
        divisor = divisor_override or sizes_of(x, dims, kernel, stride, padding, counts, count_include_pad, places)
        made = sums / divisor if x.dtype.is_floating_point else sums.div(divisor, rounding_mode="trunc").to(x.dtype)
        return made.reshape(*x.shape[:-dims], *counts)

    return function


def sizes_of(x: Tensor, dims: int, kernel: Any, stride: Any, padding: Any, counts: list[int], with_padding: bool, places: Tensor) -> Tensor:
    """By what the sum of each window is divided: with the padding, but not with what is beyond it."""
    if not with_padding:
        return (places >= 0).sum(-1).to(x.dtype)
    kernel, padding = several(kernel, dims), several(padding, dims)
    stride = several(stride, dims) if stride else kernel
    made = torch.ones(1, dtype=torch.int64)
    for size, count, k, s, p in zip(x.shape[-dims:], counts, kernel, stride, padding):
        along = torch.tensor([min(i * s - p + k, size + p) - (i * s - p) for i in range(count)])
        made = (made[:, None] * along).reshape(-1)
    return made.to(x.dtype)


for n in (1, 2, 3):
    made_of(f"max_pool{n}d_with_indices.default")(max_pool(n))
    made_of(f"max_pool{n}d.default")(plain_max_pool(n))
    made_of(f"avg_pool{n}d.default")(avg_pool(n))


def adaptive_max(dims: int) -> Any:
    return lambda x, size: greatest(x, adaptive(x, several(size, dims)), dims)


def adaptive_avg(dims: int) -> Any:
    def function(x: Tensor, size: Any) -> Tensor:
        places, counts = adaptive(x, several(size, dims))
        sums = in_windows(x, places, dims, 0.0).sum(-1)
        return (sums / (places >= 0).sum(-1).to(x.dtype)).reshape(*x.shape[:-dims], *counts)

    return function


for n in (1, 2, 3):
    made_of(f"adaptive_max_pool{n}d.default")(adaptive_max(n))
    made_of(f"adaptive_avg_pool{n}d.default", f"_adaptive_avg_pool{n}d.default")(adaptive_avg(n))


def unpooled(x: Tensor, places: Tensor, sizes: Sequence[int], dims: int) -> Tensor:
    """Elements at the places where they were, and zeros elsewhere."""
    planes, size = prod(x.shape[:-dims]), prod(sizes)
    starts = (torch.arange(planes) * size).reshape(-1, 1)
    at = (places.reshape(planes, -1) + starts).reshape(-1)
    row = torch.zeros(planes * size, dtype=x.dtype)
    return placed(row, at, x.reshape(-1)).reshape(*x.shape[:-dims], *sizes)


@made_of("max_unpool2d.default")
def max_unpool2d(x: Tensor, places: Tensor, size: Sequence[int]) -> Tensor:
    return unpooled(x, places, size, 2)


@made_of("max_unpool3d.default")
def max_unpool3d(x: Tensor, places: Tensor, size: Sequence[int], stride: Any, padding: Any) -> Tensor:
    return unpooled(x, places, size, 3)


@made_of("max_pool2d_with_indices_backward.default")
def max_pool2d_backward(
    grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, places: Tensor
) -> Tensor:
    """What comes back to each element from the windows whose greatest it is."""
    windows = prod(grad.shape[-2:])
    rows, at = grad.reshape(-1, windows), places.reshape(-1, windows)
    zeros = torch.zeros((rows.shape[0], prod(x.shape[-2:])), dtype=grad.dtype)
    return zeros.scatter_add(1, at, rows).reshape(x.shape)


# ---- padding


@made_of("pad.default")
def pad(x: Tensor, amounts: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    if mode == "constant":
        return torch.constant_pad_nd(x, amounts, 0 if value is None else value)
    return bordered(x, amounts, mode)


def bordered(x: Tensor, amounts: Sequence[int], mode: str) -> Tensor:
    for k in range(len(amounts) // 2):
        before, after, size = amounts[2 * k], amounts[2 * k + 1], x.shape[-1 - k]
        at = torch.arange(-before, size + after)
        if mode == "circular" and (before < 0 or after < 0):  # PyTorch takes what is cut off away first
            inner = x.narrow(-1 - k, max(-before, 0), size + min(before, 0) + min(after, 0))
            x = bordered(inner, [0, 0] * k + [max(before, 0), max(after, 0)], mode)
            continue
        if mode == "circular":
            at = at % size
        elif mode == "replicate":
            at = at.clamp(0, size - 1)
        else:
            at = (size - 1) - ((size - 1) - at.abs()).abs()
        x = x.index_select(-1 - k, at)
    return x


for n in (1, 2, 3):
    for mode, name in (("reflect", "reflection"), ("replicate", "replication")):
        made_of(f"{name}_pad{n}d.default")(lambda x, amounts, mode=mode: bordered(x, amounts, mode))


# ---- samples of a picture at computed places


def reflected(at: Tensor, low: float, high: float) -> Tensor:
    """Within [low, high], as between two mirrors."""
    span = high - low
    if span <= 0:
        return torch.zeros_like(at)
    way = (at - low).abs()
    rounds = (way / span).floor()
    rest = way - rounds * span
    return torch.where(rounds.remainder(2) == 0, rest + low, span - rest + low)


def position(grid: Tensor, size: int, padding: int, corners: bool) -> Tensor:
    """Of a coordinate from -1 to 1 the place in the picture, and what is done beyond its edges (0: nothing, 1: the edge, 2: mirrors)."""
    at = (grid + 1) / 2 * (size - 1) if corners else ((grid + 1) * size - 1) / 2
    if padding == 2:
        at = reflected(at, 0.0, size - 1.0) if corners else reflected(at, -0.5, size - 0.5)
    return at.clamp(0, size - 1) if padding else at


@made_of("grid_sampler_3d.default")
def grid_sampler_3d(x: Tensor, grid: Tensor, interpolation: int, padding: int, corners: bool) -> Tensor:
    """Linear (0) or nearest (1)."""
    sizes = x.shape[2:]
    at = [position(grid[..., 2 - k], sizes[k], padding, corners) for k in range(3)]
    made = None
    for corner in range(1 if interpolation else 8):
        places, inside, share = torch.zeros((), dtype=torch.int64), torch.ones((), dtype=torch.bool), torch.ones((), dtype=x.dtype)
        for k, one in enumerate(at):
            low = one.round() if interpolation else one.floor()
            index = low + (corner >> k & 1)
            if not interpolation:
                share = share * ((one - low) if corner >> k & 1 else (1 - (one - low)))
            inside = inside & (index >= 0) & (index < sizes[k])
            places = places * sizes[k] + index.clamp(0, sizes[k] - 1).long()
        rows = x.reshape(*x.shape[:2], -1)
        wide = places.reshape(x.shape[0], 1, -1).expand(*x.shape[:2], -1)
        values = rows.gather(2, wide).reshape(*x.shape[:2], *grid.shape[1:4])
        part = torch.where(inside.unsqueeze(1), values * share.unsqueeze(1) if not interpolation else values, 0.0)
        made = part if made is None else made + part
    assert made is not None
    return made
