"""Bits of whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..lowering import Lowering, lowers
from .primitives import is_real, primitive
from .registry import made_of

REAL = {"and": torch.bitwise_and, "or": torch.bitwise_or, "xor": torch.bitwise_xor}


@primitive("bits(Tensor x, Tensor y, str kind) -> Tensor")
def bits(x: Tensor, y: Tensor, kind: str) -> Tensor:
    """Of rows of ints."""
    return REAL[kind](x, y) if is_real(x) else torch.empty_like(x)


@lowers("strc.bits.default")
def lower_bits(ctx: Lowering, x: Any, y: Any, kind: str) -> Any:
    return ctx.emit(f"bits_{kind}", (x, y), x.shape[0])


def halves(x: Tensor) -> tuple[Tensor, Tensor]:
    """The upper and the lower 32 bits of longs."""
    upper = x.div(65536, rounding_mode="floor").div(65536, rounding_mode="floor")
    return upper.to(torch.int32), x.to(torch.int32)


def whole(upper: Tensor, lower: Tensor) -> Tensor:
    low = lower.long()
    return upper.long() * 65536 * 65536 + torch.where(low < 0, low + 65536 * 65536, low)


def combined(x: Any, y: Any, kind: str) -> Tensor:
    made = torch.result_type(x, y)
    one, other = (value.to(made) if isinstance(value, Tensor) else torch.tensor(value, dtype=made) for value in (x, y))
    shape = torch.broadcast_shapes(one.shape, other.shape)
    one, other = one.expand(shape).reshape(-1), other.expand(shape).reshape(-1)
    if made == torch.int64:
        upper, lower = (bits(a, b, kind) for a, b in zip(halves(one), halves(other)))
        return whole(upper, lower).reshape(shape)
    return bits(one.to(torch.int32), other.to(torch.int32), kind).to(made).reshape(shape)


def of_bits(kind: str) -> Callable[..., Tensor]:
    return lambda x, y: combined(x, y, kind)


for each in REAL:
    names = [f"bitwise_{each}.{form}" for form in ("Tensor", "Scalar", "Scalar_Tensor")]
    made_of(*names, f"__{each}__.Tensor", f"__{each}__.Scalar")(of_bits(each))


@made_of("bitwise_not.default")
def bitwise_not(x: Tensor) -> Tensor:
    return -1 - x


def places(x: Any, y: Any) -> tuple[Tensor, Tensor, int, torch.dtype]:
    """The number, by how many bits it moves as a long, and how many it has."""
    made = torch.result_type(x, y)
    one, other = (value if isinstance(value, Tensor) else torch.tensor(value, dtype=made) for value in (x, y))
    return one.to(made), other.long(), torch.iinfo(made).bits, made


POWERS = [2**k for k in range(63)]


def power(count: Tensor) -> Tensor:
    return torch.tensor(POWERS).index_select(0, count.clamp(0, 62).reshape(-1)).reshape(count.shape)


@made_of(*[f"{name}.{form}" for name in ("bitwise_left_shift", "__lshift__") for form in ("Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor")])
def left(x: Any, y: Any) -> Tensor:
    one, count, size, made = places(x, y)
    moved = one.long() * power(count)
    moved = torch.where(count == 63, moved * 2, moved)
    return torch.where((count < 0) | (count >= size), 0, moved).to(made)


@made_of(*[f"{name}.{form}" for name in ("bitwise_right_shift", "__rshift__") for form in ("Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor")])
def right(x: Any, y: Any) -> Tensor:
    one, count, size, made = places(x, y)
    count = torch.where((count < 0) | (count >= size), size - 1, count)
    moved = one.long().div(power(count), rounding_mode="floor")
    return torch.where(count >= 63, torch.where(one < 0, -1, 0), moved).to(made)


@primitive("common_divisor(Tensor x, Tensor y) -> Tensor")
def common_divisor(x: Tensor, y: Tensor) -> Tensor:
    """The greatest, of longs of one shape."""
    return torch.gcd(x, y) if is_real(x) else torch.empty_like(x)


@lowers("strc.common_divisor.default")
def lower_common_divisor(ctx: Lowering, x: Any, y: Any) -> Any:
    return ctx.emit("common_divisor", (x, y))


@made_of("gcd.default")
def gcd(x: Tensor, y: Tensor) -> Tensor:
    made, shape = torch.result_type(x, y), torch.broadcast_shapes(x.shape, y.shape)
    return common_divisor(x.long().expand(shape), y.long().expand(shape)).to(made)


@made_of("lcm.default")
def lcm(x: Tensor, y: Tensor) -> Tensor:
    made, shape = torch.result_type(x, y), torch.broadcast_shapes(x.shape, y.shape)
    one, other = x.long().expand(shape), y.long().expand(shape)
    divisor = common_divisor(one, other)
    share = one.div(torch.where(divisor == 0, 1, divisor), rounding_mode="trunc")
    return torch.where(divisor == 0, 0, (share * other).abs()).to(made)
