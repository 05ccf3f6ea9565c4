"""Products, greatest elements and logarithms of sums up to each element: in steps that double how much each element knows of those before it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from .registry import made_of

Parts = tuple[Tensor, ...]


def scanned(parts: Parts, dim: int, join: Callable[[Parts, Parts], Parts]) -> Parts:
    """`join` puts what stands before and what stands behind together (Hillis and Steele)."""
    size, reach = parts[0].shape[dim], 1
    while reach < size:
        before = tuple(part.narrow(dim, 0, size - reach) for part in parts)
        behind = tuple(part.narrow(dim, reach, size - reach) for part in parts)
        joined = join(before, behind)
        parts = tuple(torch.cat([part.narrow(dim, 0, reach), one], dim) for part, one in zip(parts, joined))
        reach *= 2
    return parts


@made_of("cumprod.default")
def cumprod(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    kind = dtype or (x.dtype if x.dtype.is_floating_point else torch.int64)
    exact = torch.float64 if kind == torch.float32 else kind  # as PyTorch does it
    made = scanned((x.to(kind).to(exact),), dim, lambda before, behind: (before[0] * behind[0],))
    return made[0].to(kind)


def extremes(x: Tensor, dim: int, better: Callable[[Tensor, Tensor], Tensor]) -> Parts:
    shape = [-1 if i == dim % x.dim() else 1 for i in range(x.dim())]
    places = torch.arange(x.shape[dim]).reshape(shape).expand(x.shape)

    def join(before: Parts, behind: Parts) -> Parts:
        newer = better(behind[0], before[0])
        if x.dtype.is_floating_point:
            newer = (newer & ~before[0].isnan()) | behind[0].isnan()
        return torch.where(newer, behind[0], before[0]), torch.where(newer, behind[1], before[1])

    return scanned((x, places), dim, join)


@made_of("cummax.default")
def cummax(x: Tensor, dim: int) -> Parts:
    return extremes(x, dim, torch.ge)


@made_of("cummin.default")
def cummin(x: Tensor, dim: int) -> Parts:
    return extremes(x, dim, torch.le)


@made_of("logcumsumexp.default")
def logcumsumexp(x: Tensor, dim: int) -> Tensor:
    exact = x.to(torch.float64)
    return scanned((exact,), dim, lambda before, behind: (torch.logaddexp(before[0], behind[0]),))[0].to(x.dtype)


def product(x: Tensor, dim: int, keepdim: bool) -> Tensor:
    """Of halves, until one is left."""
    while x.shape[dim] > 1:
        size = x.shape[dim]
        half = size // 2
        made = x.narrow(dim, 0, half) * x.narrow(dim, half, half)
        x = torch.cat([made, x.narrow(dim, 2 * half, 1)], dim) if size % 2 else made
    return x if keepdim else x.squeeze(dim)


@made_of("prod.default")
def prod(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    kind = dtype or (x.dtype if x.dtype.is_floating_point else torch.int64)
    return product(x.to(kind).reshape(-1), 0, False)


@made_of("prod.dim_int")
def prod_dim(x: Tensor, dim: int, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    kind = dtype or (x.dtype if x.dtype.is_floating_point else torch.int64)
    return product(x.to(kind), dim, keepdim)
