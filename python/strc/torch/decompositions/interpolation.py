"""Changes of size, which PyTorch's own decompositions compute otherwise than its kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..lowering import Forbidden
from .registry import made_of


def shares(size: Any, out: Any, corners: bool, scale: float | None, kind: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of each element of a dimension of the result: the two that it lies between, and the share of the second."""
    at = torch.arange(out).to(kind)
    if out == size:  # no element but its own, not even times 0
        own = at.to(torch.int64)
        return own, own, at - at
    if corners:
        at = at * ((size - 1) / (out - 1) if out > 1 else 0.0)
    else:
        at = (at + 0.5) * (1 / scale if scale else size / out) - 0.5
    at = at.clamp(min=0.0)
    low = at.to(torch.int64).clamp(max=size - 1)
    return low, (low + 1).clamp(max=size - 1), (at - low).clamp(0.0, 1.0)


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
