"""Changes of size, which PyTorch's own decompositions compute otherwise than its kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .. import sizes
from ..lowering import Forbidden
from .registry import made_of


def ratio(one: Any, other: Any) -> Any:
    """one / other, as a tensor without dimensions where a size is open and does not go out."""
    if isinstance(one, int) and isinstance(other, int):
        return one / other
    found = sizes.expression(one) / sizes.expression(other)
    return float(found) if found.is_number else number(one) / number(other)


def number(size: Any) -> Any:
    """A size where a tensor may stand; what is 0 counts as 1, since only distances between corners are."""
    return size if isinstance(size, int) else torch.scalar_tensor(size, dtype=torch.int64).clamp(min=1)


def is_same(one: Any, other: Any) -> bool:
    return bool(one == other) if isinstance(one, int) and isinstance(other, int) else sizes.expression(one) == sizes.expression(other)


def clipped(places: torch.Tensor, size: Any) -> torch.Tensor:
    """Places that are not behind the last one."""
    return places.clamp(max=size - 1) if isinstance(size, int) else torch.minimum(places, torch.scalar_tensor(size - 1, dtype=torch.int64))


def shares(size: Any, out: Any, corners: bool, scale: float | None, kind: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of each element of a dimension of the result: the two that it lies between, and the share of the second."""
    at = torch.arange(out).to(kind)
    if is_same(out, size):  # no element but its own, not even times 0
        own = at.to(torch.int64)
        return own, own, at - at
    if corners:
        at = at * (0.0 if is_same(out, 1) else ratio(size - 1, out - 1))
    else:
        at = (at + 0.5) * (1 / scale if scale else ratio(size, out)) - 0.5
    at = at.clamp(min=0.0)
    low = clipped(at.to(torch.int64), size)
    return low, clipped(low + 1, size), (at - low).clamp(0.0, 1.0)


def nearest(x: torch.Tensor, outs: Sequence[Any], middle: float) -> torch.Tensor:
    """With open sizes. What has known ones is left to PyTorch's decomposition, which computes with reals of Python."""
    if all(isinstance(size, int) for size in (*x.shape[2:], *outs)):
        raise NotImplementedError("left to PyTorch")
    y = x
    for dim in range(-1, -1 - len(outs), -1):
        at = (torch.arange(outs[dim]).to(torch.float32) + middle) * ratio(x.shape[dim], outs[dim])
        y = y.index_select(dim, clipped(at.to(torch.int64), x.shape[dim]))
    return y


@made_of("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec")
def nearest_by_vector(x: torch.Tensor, size: Sequence[Any] | None, factors: Sequence[float] | None) -> torch.Tensor:
    if size is None:
        raise NotImplementedError("left to PyTorch")
    return nearest(x, size, 0.0)


@made_of("_upsample_nearest_exact1d.vec", "_upsample_nearest_exact2d.vec", "_upsample_nearest_exact3d.vec")
def nearest_exact_by_vector(x: torch.Tensor, size: Sequence[Any] | None, factors: Sequence[float] | None) -> torch.Tensor:
    if size is None:
        raise NotImplementedError("left to PyTorch")
    return nearest(x, size, 0.5)


def of_reals(x: torch.Tensor) -> None:
    """Refuses whole numbers: PyTorch rounds their weights, as the processor has it."""
    if not x.dtype.is_floating_point:
        raise Forbidden("between whole numbers, whose rounding PyTorch leaves to its kernels; x.float() makes them reals")


@made_of("upsample_bicubic2d.vec", "upsample_bicubic2d.default")
def by_cubes(x: torch.Tensor, *args: Any) -> Any:
    """As PyTorch decomposes it, which comes next."""
    of_reals(x)
    raise NotImplementedError("left to PyTorch")


def interpolated(x: torch.Tensor, outs: Sequence[Any], corners: bool, scales: Sequence[float | None]) -> torch.Tensor:
    """Sums of values times weights, as the kernels have them: x + t * (y - x) is NaN between equal infinities."""
    of_reals(x)
    kind = torch.float64 if x.dtype == torch.float64 else torch.float32
    y = x.to(kind)
    for dim in range(-1, -1 - len(outs), -1):
        low, high, share = shares(x.shape[dim], outs[dim], corners, scales[dim], kind)
        share = share.reshape(-1, *[1] * (-1 - dim))
        y = y.index_select(dim, low) * (1 - share) + y.index_select(dim, high) * share
    return y.to(x.dtype)


@made_of("upsample_linear1d.vec", "upsample_bilinear2d.vec", "upsample_trilinear3d.vec")
def by_vector(x: torch.Tensor, size: Sequence[Any] | None, corners: bool, factors: Sequence[float] | None) -> torch.Tensor:
    spatial = x.shape[2:]
    if size is not None:
        return interpolated(x, size, corners, [None] * len(spatial))
    assert factors is not None
    return interpolated(x, [torch.sym_int(width * factor) for width, factor in zip(spatial, factors)], corners, factors)


@made_of("upsample_linear1d.default", "upsample_bilinear2d.default", "upsample_trilinear3d.default")
def by_numbers(x: torch.Tensor, size: Sequence[Any], corners: bool, *scales: float | None) -> torch.Tensor:
    return interpolated(x, size, corners, scales or [None] * len(size))
