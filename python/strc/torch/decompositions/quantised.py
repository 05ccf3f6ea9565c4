"""Numbers as whole ones with a scale and a zero point: the operators that `convert_pt2e` leaves in a model."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .registry import made_of


def limited(steps: Tensor, low: int, high: int, dtype: torch.dtype) -> Tensor:
    return torch.clamp(steps, low, high).to(dtype)


def along(values: Any, x: Tensor, axis: int) -> Any:
    """A value for each place of an axis, as x has them."""
    return values.reshape([-1 if i == axis % x.dim() else 1 for i in range(x.dim())])


@made_of(*(f"quantized_decomposed.quantize_per_tensor.{form}" for form in ("default", "tensor", "tensor2")))
def quantize_per_tensor(x: Tensor, scale: Any, zero_point: Any, quant_min: Any, quant_max: Any, dtype: torch.dtype) -> Tensor:
    share = 1.0 / scale
    if isinstance(share, Tensor):
        share = share.to(torch.float32)
    return limited(torch.round(x.to(torch.float32) * share) + zero_point, int(quant_min), int(quant_max), dtype)


@made_of(*(f"quantized_decomposed.dequantize_per_tensor.{form}" for form in ("default", "tensor", "tensor2")))
def dequantize_per_tensor(
    x: Tensor, scale: Any, zero_point: Any, quant_min: Any, quant_max: Any, dtype: torch.dtype, *, out_dtype: torch.dtype | None = None,
) -> Tensor:
    wide = (x.to(out_dtype or torch.float32) - zero_point) * scale
    return wide.to(out_dtype or torch.float32)


@made_of("quantized_decomposed.quantize_per_channel.default")
def quantize_per_channel(
    x: Tensor, scales: Tensor, zero_points: Tensor, axis: int, quant_min: int, quant_max: int, dtype: torch.dtype,
) -> Tensor:
    steps = torch.round(x.to(torch.float32) * along((1.0 / scales).to(torch.float32), x, axis))
    return limited(steps + along(zero_points, x, axis), quant_min, quant_max, dtype)


@made_of("quantized_decomposed.dequantize_per_channel.default")
def dequantize_per_channel(
    x: Tensor, scales: Tensor, zero_points: Tensor | None, axis: int, quant_min: int, quant_max: int, dtype: torch.dtype, *,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    kind = out_dtype or torch.float32
    whole = x.to(torch.float32)
    if zero_points is not None:
        whole = whole - along(zero_points, x, axis)
    return (whole * along(scales, x, axis)).to(kind)
