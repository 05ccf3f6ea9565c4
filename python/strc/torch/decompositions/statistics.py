"""Counts, means, and numbers taken apart."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .places import merged
from .registry import made_of



def counted(at: Tensor, count: int, weights: Tensor | None = None) -> Tensor:
    """How often each place is named, or the sum of weights there."""
    values = torch.ones(at.shape, dtype=torch.int32) if weights is None else weights
    return merged(torch.zeros(count, dtype=values.dtype), at, values, "sum")


@made_of("histc.default")
def histc(x: Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    row = x.reshape(-1)
    if min == max:
        low, high = row.amin(), row.amax()
        low, high = torch.where(low == high, low - 1, low), torch.where(low == high, high + 1, high)
    else:
        low, high = torch.tensor(min, dtype=x.dtype), torch.tensor(max, dtype=x.dtype)
    at = ((row - low) * bins / (high - low)).long().clamp(0, bins - 1)
    inside = (row >= low) & (row <= high)
    counts = counted(torch.where(inside, at, bins), bins + 1)
    return counts[:bins].to(x.dtype)


@made_of("nanmean.default")
def nanmean(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    values = x.to(dtype or x.dtype)
    there = ~x.isnan()
    total = torch.where(there, values, 0.0)
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        dim = list(range(x.dim()))
    return total.sum(dim, keepdim) / there.sum(dim, keepdim).to(values.dtype)


@made_of("isclose.default")
def isclose(x: Tensor, y: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    same = x == y
    if equal_nan and x.dtype.is_floating_point:
        same = same | (x.isnan() & y.isnan())
    if rtol == 0 and atol == 0:
        return same
    kind = x.dtype if x.dtype.is_floating_point else torch.float32
    one, other = x.to(kind), y.to(kind)
    difference = (one - other).abs()
    return same | (difference.isfinite() & (difference <= atol + (rtol * other).abs()))


@made_of("hypot.default")
def hypot(x: Tensor, y: Tensor) -> Tensor:
    one, other = x.double(), y.double()
    infinite = x.isinf() | y.isinf()
    return torch.where(infinite, float("inf"), (one * one + other * other).sqrt()).to(torch.promote_types(x.dtype, y.dtype))


@made_of("signbit.default")
def signbit(x: Tensor) -> Tensor:
    return (x < 0) | ((x == 0) & (1 / x < 0)) if x.dtype.is_floating_point else x < 0


@made_of("copysign.Tensor", "copysign.Scalar")
def copysign(x: Tensor, y: Any) -> Tensor:
    if not isinstance(y, Tensor):
        y = torch.tensor(float(y))
    kind = torch.result_type(x, y)
    kind = kind if kind.is_floating_point else torch.float32
    size = x.to(kind).abs()
    negative = signbit(y) if y.dtype.is_floating_point else y < 0
    return torch.where(negative, -size, size)


@made_of("frexp.Tensor")
def frexp(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mantissas from a half on, and exponents of 2."""
    exact = x.double()
    power = exponent_of(exact) + 1
    share = torch.where(exact == 0, exact, exact / torch.exp2(power))
    whole = x.isfinite() & (exact != 0)
    return torch.where(whole, share, exact).to(x.dtype), torch.where(whole, power, 0.0).to(torch.int32)


def exponent_of(x: Tensor) -> Tensor:
    """The greatest power of 2 that is no greater; any number for what is none, or 0."""
    size = torch.where(x.isfinite() & (x != 0), x.abs(), 1.0)
    guess = size.log2().floor()
    guess = torch.where(torch.exp2(guess) > size, guess - 1, guess)
    return torch.where(torch.exp2(guess + 1) <= size, guess + 1, guess)


@made_of("nextafter.default")
def nextafter(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype != torch.float32:
        raise NotImplementedError("only of float32")
    one, other = x.double(), y.double()
    power = exponent_of(one).clamp(min=-126)
    step, shrinks = torch.exp2(power - 23), ((one > 0) & (other < one)) | ((one < 0) & (other > one))
    step = torch.where(shrinks & (one.abs() == torch.exp2(power)) & (power > -126), step / 2, step)
    step = torch.where(one == 0, 2.0**-149, step)
    moved = one + torch.where(other > one, step, -step)
    most = float(torch.finfo(torch.float32).max)
    moved = torch.where(one.isinf(), torch.where(one > 0, most, -most), moved)
    return torch.where(one == other, other, torch.where(one.isnan() | other.isnan(), float("nan"), moved)).float()


@made_of("round.decimals")
def round_decimals(x: Tensor, *, decimals: int) -> Tensor:
    factor = 10.0 ** abs(decimals)
    return (x * factor).round() / factor if decimals > 0 else (x / factor).round() * factor


@made_of("mvlgamma.default")
def mvlgamma(x: Tensor, p: int) -> Tensor:
    kind = x.dtype if x.dtype.is_floating_point else torch.float32
    exact = x.double()
    total = torch.lgamma(exact)
    for k in range(1, p):
        total = total + torch.lgamma(exact - k / 2)
    return (total + p * (p - 1) / 4 * 1.1447298858494002).to(kind)


@made_of("zero.default", "zero_.default")
def zero(x: Tensor) -> Tensor:
    return torch.zeros_like(x)


@made_of("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    return torch.where(mask.bool(), torch.full((), value, dtype=x.dtype) if not isinstance(value, Tensor) else value.to(x.dtype), x)


@made_of("rms_norm.default")
def rms_norm(x: Tensor, shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    dims = list(range(x.dim() - len(shape), x.dim()))
    least = torch.finfo(wide.dtype).eps if eps is None else eps
    made = wide * torch.rsqrt((wide * wide).mean(dims, keepdim=True) + least)
    return (made if weight is None else made * weight).to(x.dtype)


@made_of("cov.default")
def cov(x: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    rows = x.reshape(1, -1) if x.dim() < 2 else x
    kind = x.dtype if x.dtype.is_floating_point else torch.float32
    rows, weights = rows.to(kind), torch.ones(rows.shape[1], dtype=kind)
    for one in (fweights, aweights):
        if one is not None:
            weights = weights * one.to(kind)
    total = weights.sum()
    middle = rows - (rows * weights).sum(1, keepdim=True) / total
    if aweights is None or correction == 0:
        count = total - correction
    else:
        count = total - correction * (weights * aweights.to(kind)).sum() / total
    made = (middle * weights) @ middle.mT / count.clamp(min=0)
    return made.squeeze() if rows.shape[0] == 1 else made


@made_of("angle.default")
def angle(x: Tensor) -> Tensor:
    kind = x.dtype if x.dtype.is_floating_point else torch.float32
    value = x.to(kind)
    return torch.where(value.isnan(), value, torch.where(value < 0, torch.full((), 3.141592653589793, dtype=kind), torch.zeros((), dtype=kind)))


@made_of("histogram.bin_ct")
def histogram(
    x: Tensor, bins: int = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    row = x.reshape(-1)
    low, high = (row.amin(), row.amax()) if range is None else (torch.tensor(value, dtype=x.dtype) for value in range)
    same = low == high
    low, high = torch.where(same, low - 0.5, low), torch.where(same, high + 0.5, high)
    steps = torch.arange(bins + 1).to(x.dtype)
    edges = torch.where(steps < (bins + 1) // 2, low + steps * ((high - low) / bins), high - (bins - steps) * ((high - low) / bins))
    return within(row, edges, weight, density), edges


@made_of("histogram.bins_tensor")
def histogram_of_edges(x: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: bool = False) -> tuple[Tensor, Tensor]:
    return within(x.reshape(-1), bins, weight, density), bins.clone()


def within(row: Tensor, edges: Tensor, weight: Tensor | None, density: bool) -> Tensor:
    """How many numbers, or how much weight, lie between each two edges; the last one counts, too."""
    bins = edges.shape[0] - 1
    at = torch.where(row == edges[-1], bins - 1, (edges.unsqueeze(0) <= row.unsqueeze(1)).sum(1) - 1)
    inside = (row >= edges[0]) & (row <= edges[-1])
    values = torch.ones_like(row) if weight is None else weight.reshape(-1).to(row.dtype)
    counts = counted(torch.where(inside, at, bins), bins + 1, values)[:bins]
    return counts / counts.sum() / (edges[1:] - edges[:-1]) if density else counts


@made_of(
    "native_batch_norm.default", "_native_batch_norm_legit.default", "_native_batch_norm_legit_functional.default",
    "_native_batch_norm_legit_no_training.default",
)
def by_given_statistics(x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, var: Tensor, *rest: Any) -> tuple[Tensor, ...]:
    """A norm by a mean and a variance that are computed elsewhere; it has no statistics of its own."""
    training, eps = (rest[0], rest[2]) if len(rest) == 3 else (False, rest[1])
    if training:
        raise NotImplementedError("statistics of the batch")
    shape = [-1 if k == 1 else 1 for k in range(x.dim())]
    made = (x - mean.reshape(shape)) * torch.rsqrt(var.reshape(shape) + eps)
    made = made if weight is None else made * weight.reshape(shape)
    made = made if bias is None else made + bias.reshape(shape)
    none = torch.empty(0, dtype=x.dtype)
    return made, none, none
