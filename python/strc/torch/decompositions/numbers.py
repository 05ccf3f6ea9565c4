"""Arithmetic that is exact: what is left of a division of doubles, powers of whole numbers, booleans as numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .registry import made_of

SPLITS = 2.0**27 + 1


def halves(x: Tensor) -> tuple[Tensor, Tensor]:
    """Two doubles with half of the bits each (Veltkamp)."""
    wide = x * SPLITS
    upper = wide - (wide - x)
    return upper, x - upper


def rest(x: Tensor, y: Tensor) -> Tensor:
    """What is left of x when multiples of y are taken away, with the sign of x: exact where the quotient has no more than 52 bits (Dekker)."""
    size, divisor = x.abs(), y.abs()
    quotient = (size / divisor).floor()
    product = quotient * divisor
    (q, r), (d, e) = halves(quotient), halves(divisor)
    error = ((q * d - product) + q * e + r * d) + r * e
    left = (size - product) - error
    left = torch.where(left < 0, left + divisor, torch.where(left >= divisor, left - divisor, left))
    left = torch.where(divisor.isinf() & size.isfinite(), size, left)
    return torch.where(x < 0, -left, left)


def operands(x: Any, y: Any) -> tuple[Tensor, Tensor, torch.dtype]:
    """Both in the type in which the rest is exact, and the type of the result."""
    kind = torch.result_type(x, y)
    if not kind.is_floating_point:
        raise NotImplementedError("divides whole numbers by zero")
    wide = kind if kind in (torch.float32, torch.float64) else torch.float32
    one, other = (value.to(wide) if isinstance(value, Tensor) else torch.tensor(value, dtype=wide) for value in (x, y))
    return one, other, kind


@made_of("fmod.Tensor", "fmod.Scalar")
def fmod(x: Any, y: Any) -> Tensor:
    one, other, kind = operands(x, y)
    return (rest(one, other) if kind == torch.float64 else torch.fmod(one, other)).to(kind)


@made_of("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def remainder(x: Any, y: Any) -> Tensor:
    one, other, kind = operands(x, y)
    if kind != torch.float64:
        return torch.remainder(one, other).to(kind)
    left = rest(one, other)
    return torch.where((left != 0) & ((left < 0) != (other < 0)), left + other, left)


@made_of("floor_divide.default", "div.Tensor_mode", "div.Scalar_mode")
def floor_divide(x: Any, y: Any, *, rounding_mode: str = "floor") -> Tensor:
    one, other, kind = operands(x, y)
    if kind != torch.float64 or rounding_mode != "floor":
        return torch.div(one, other, rounding_mode=rounding_mode).to(kind)
    return torch.where(other == 0, one / other, ((one - remainder(one, other)) / other).round())


@made_of("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def power(x: Any, y: Any) -> Tensor:
    """Of whole numbers, which wrap; 1 over a power is rounded to 0."""
    kind = torch.result_type(x, y)
    base, exponent = (value.to(kind) if isinstance(value, Tensor) else torch.tensor(value, dtype=kind) for value in (x, y))
    if kind.is_floating_point:
        wide = torch.float64 if kind == torch.float64 else torch.float32
        return torch.pow(base.to(wide), exponent.to(wide)).to(kind)
    made, square = torch.ones(torch.broadcast_shapes(base.shape, exponent.shape), dtype=kind), base
    for _ in range(6):  # more bits make 0 or 1 of every power that does not wrap
        half = exponent.div(2, rounding_mode="floor")
        made = torch.where(exponent - 2 * half == 1, made * square, made)
        exponent, square = half, square * square
    sign = torch.where(base == 1, 1, 0) + torch.where(base == -1, made, 0)
    return torch.where(exponent < 0, sign.to(kind), made)


def as_ints(name: str) -> Callable[..., Tensor]:
    target: Any = getattr(torch.ops.aten, name.partition(".")[0])
    overload = getattr(target, name.partition(".")[2])

    def function(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        def wide(value: Any) -> Any:
            return value.to(torch.int32) if isinstance(value, Tensor) and value.dtype == torch.bool else int(value) if isinstance(value, bool) else value

        if x.dtype != torch.bool:
            raise NotImplementedError("for booleans alone")
        return overload(wide(x), *map(wide, args), **{key: wide(value) for key, value in kwargs.items()}).to(torch.bool)

    return function


for each in ("clamp.default", "clamp_min.default", "clamp_max.default", "clamp.Tensor", "clamp_min.Tensor", "clamp_max.Tensor", "add.Tensor", "cumsum.default"):
    made_of(each)(as_ints(each))


def inverse_of(name: str) -> Callable[[Tensor], Tensor]:
    """An inverse hyperbolic function of other types than float32: of those with fewer bits by floats, of doubles by logarithms and, near 0, its series."""
    target: Any = getattr(torch, name)

    def function(x: Tensor) -> Tensor:
        if x.dtype != torch.float64:
            return target(x.float()).to(x.dtype)
        size = x.abs()
        if name == "acosh":
            return (x + (x * x - 1).sqrt()).log()
        if name == "asinh":
            made, near = (size + (size * size + 1).sqrt()).log(), size - size**3 / 6 + 3 * size**5 / 40
        else:
            made, near = ((1 + size) / (1 - size)).log() / 2, size + size**3 / 3 + size**5 / 5
        made = torch.where(size < 1e-3, near, made)
        return torch.where(x < 0, -made, made)

    return function


for each in ("asinh", "acosh", "atanh"):
    made_of(f"{each}.default", f"arc{each[1:]}.default")(inverse_of(each))


def of_bytes(name: str) -> Callable[..., Tensor]:
    target: Any = getattr(torch, name)
    return lambda x, *args, **kwargs: target(x != 0, *args, **kwargs).to(torch.uint8)


for each in ("any", "all"):
    made_of(f"{each}.default", f"{each}.dim", f"{each}.dims")(of_bytes(each))


@made_of("linspace.Tensor_Tensor", "linspace.Tensor_Scalar", "linspace.Scalar_Tensor")
def linspace(start: Any, end: Any, steps: int, *, dtype: torch.dtype | None = None, **options: Any) -> Tensor:
    """PyTorch takes the ends as elements of the result, its own decomposition as they are."""
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        start, end = (end_.to(dtype) if isinstance(end_, Tensor) else int(end_) for end_ in (start, end))
    made: Tensor = torch._refs.linspace(start, end, steps, dtype=dtype, **options)
    return made
