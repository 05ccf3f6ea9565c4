"""Quantised values: whole numbers with a scale and a zero point."""

from __future__ import annotations

from typing import Any

import torch

from ...errors import ImportFailure
from ...torch.lowering import NotLowered
from ..registry import Node, axes_of, operator
from ..stored import dtype_of
from .convolution import convolved


def spread(value: Any, x: Any, axis: int, block: int) -> Any:
    """Scales or zero points as x has them: one, one for each place of an axis, or one for so many of its elements."""
    if value.numel() == 1 and value.dim() <= 1 and not block:
        return value.reshape(())
    if not block:
        return value.reshape([-1 if i == axis else 1 for i in range(x.dim())])
    return torch.repeat_interleave(value, block, axis).narrow(axis, 0, x.shape[axis])


def limited(x: Any, dtype: torch.dtype) -> Any:
    """Whole numbers within the limits of their type."""
    limits = torch.iinfo(dtype)
    return torch.clamp(x, limits.min, limits.max).to(dtype)


@operator("QuantizeLinear")
def quantize(node: Node, x: Any, scale: Any, zero: Any = None) -> Any:
    dtype = torch.uint8 if zero is None else zero.dtype
    if number := node.get("output_dtype", 0):
        try:
            dtype = dtype_of(number, "its result")
        except ImportFailure as fault:
            raise NotLowered(str(fault)) from fault
    if dtype.is_floating_point or node.get("precision", 1) not in (0, 1):
        raise NotLowered("to other than whole numbers, or in another precision")
    axis, block = axes_of(node.get("axis", 1), max(x.dim(), 2))[0], node.get("block_size", 0)
    real = x if x.dtype.is_floating_point else x.to(torch.float32)
    steps = torch.round(real / spread(scale, x, axis, block)).to(torch.float32)
    if zero is not None:
        steps = steps + spread(zero.to(torch.float32), x, axis, block)
    return limited(steps, dtype)


@operator("DequantizeLinear")
def dequantize(node: Node, x: Any, scale: Any, zero: Any = None) -> Any:
    axis, block = axes_of(node.get("axis", 1), max(x.dim(), 2))[0], node.get("block_size", 0)
    whole = x.to(torch.int32)
    if zero is not None:
        whole = whole - spread(zero.to(torch.int32), x, axis, block)
    return whole.to(scale.dtype) * spread(scale, x, axis, block)


@operator("DynamicQuantizeLinear")
def dynamic_quantize(node: Node, x: Any) -> Any:
    """To bytes, by the least and the greatest element, of which the range has 0."""
    low, high = torch.clamp(torch.amin(x), max=0), torch.clamp(torch.amax(x), min=0)
    scale = (high - low) / 255
    zero = torch.clamp(torch.round(-low / scale), 0, 255)
    return torch.clamp(torch.round(x / scale) + zero, 0, 255).to(torch.uint8), scale, zero.to(torch.uint8)


def centred(x: Any, zero: Any, rows: bool = False) -> Any:
    """Whole numbers without their zero point, which may be one for each row, or column."""
    whole = x.to(torch.int32)
    if zero is None:
        return whole
    zero = zero.to(torch.int32)
    return whole - (zero.reshape(()) if zero.numel() == 1 else zero.unsqueeze(-1) if rows and zero.dim() == 1 else zero)


@operator("MatMulInteger")
def matmul_integer(node: Node, a: Any, b: Any, a_zero: Any = None, b_zero: Any = None) -> Any:
    return torch.matmul(centred(a, a_zero, True), centred(b, b_zero))


@operator("QLinearMatMul")
def qlinear_matmul(
    node: Node, a: Any, a_scale: Any, a_zero: Any, b: Any, b_scale: Any, b_zero: Any, y_scale: Any, y_zero: Any,
) -> Any:
    if y_zero.dtype.is_floating_point:
        raise NotLowered("to other than whole numbers")
    product = torch.matmul(centred(a, a_zero, True), centred(b, b_zero)).to(torch.float32)
    factor = a_scale.to(torch.float32) * b_scale.to(torch.float32) / y_scale.to(torch.float32)
    return limited(torch.round(product * factor) + y_zero.to(torch.float32), y_zero.dtype)


def whole_conv(node: Node, x: Any, w: Any, x_zero: Any, w_zero: Any) -> Any:
    """In floats of double precision, which hold the sums of products of bytes exactly."""
    kernel = centred(w, None) if w_zero is None else w.to(torch.int32) - w_zero.to(torch.int32).reshape(-1, *(1,) * (w.dim() - 1))
    return convolved(node, centred(x, x_zero).to(torch.float64), kernel.to(torch.float64))


@operator("ConvInteger")
def conv_integer(node: Node, x: Any, w: Any, x_zero: Any = None, w_zero: Any = None) -> Any:
    return whole_conv(node, x, w, x_zero, w_zero).to(torch.int32)


@operator("QLinearConv")
def qlinear_conv(
    node: Node, x: Any, x_scale: Any, x_zero: Any, w: Any, w_scale: Any, w_zero: Any, y_scale: Any, y_zero: Any, bias: Any = None,
) -> Any:
    shape = (1, -1, *(1,) * (x.dim() - 2))
    summed = whole_conv(node, x, w, x_zero, w_zero)
    if bias is not None:
        summed = summed + bias.to(torch.float64).reshape(shape)
    factor = (x_scale * w_scale.reshape(-1) / y_scale).reshape(shape)
    return limited(torch.round(summed.to(torch.float32) * factor) + y_zero.to(torch.float32), y_zero.dtype)
