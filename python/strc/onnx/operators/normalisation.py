"""Normalisation."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from ...torch.lowering import Forbidden
from ..registry import Node, axes_of, operator


@operator("BatchNormalization")
def batch_norm(node: Node, x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Any:
    if node.get("training_mode", 0) or node.gives(1):
        raise Forbidden("statistics of the batch become a part of those that are stored (training_mode), which no stream does")
    if x.dtype == scale.dtype == mean.dtype == torch.float32 and x.dim() > 1:
        return functional.batch_norm(x, mean, var, scale, bias, False, 0.0, node.get("epsilon", 1e-5))
    shape = (-1, *(1,) * (x.dim() - 2))
    scale, bias, mean, var = (one.reshape(shape) for one in (scale, bias, mean, var))
    return ((x - mean) / torch.sqrt(var + node.get("epsilon", 1e-5)) * scale + bias).to(x.dtype)


@operator("InstanceNormalization")
def instance_norm(node: Node, x: Any, scale: Any, bias: Any) -> Any:
    return functional.instance_norm(x, None, None, scale, bias, True, 0.0, node.get("epsilon", 1e-5))


@operator("GroupNormalization")
def group_norm(node: Node, x: Any, scale: Any, bias: Any) -> Any:
    """Since version 21 there is a scale for each channel, before one for each group."""
    groups, channels = node.get("num_groups"), x.shape[1]
    if scale.shape[0] != channels:
        scale, bias = (one.unsqueeze(1).expand(groups, channels // groups).reshape(channels) for one in (scale, bias))
    return functional.group_norm(x, groups, scale, bias, node.get("epsilon", 1e-5))


def wider(x: Any) -> Any:
    return x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x


@operator("LayerNormalization")
def layer_norm(node: Node, x: Any, scale: Any, bias: Any = None) -> Any:
    axis = axes_of(node.get("axis", -1), x.dim())[0]
    eps, shape = node.get("epsilon", 1e-5), tuple(x.shape[axis:])
    if not node.gives(1) and not node.gives(2) and x.dtype == torch.float32 and tuple(scale.shape) == shape and (bias is None or tuple(bias.shape) == shape):
        return functional.layer_norm(x, shape, scale, bias, eps)
    real, axes = wider(x), tuple(range(axis, x.dim()))
    mean = torch.mean(real, axes, keepdim=True)
    apart = real - mean
    inverse = 1 / torch.sqrt(torch.mean(apart * apart, axes, keepdim=True) + eps)
    made = (apart * inverse).to(x.dtype) * scale
    return made if bias is None else made + bias, mean, inverse


@operator("RMSNormalization")
def rms_norm(node: Node, x: Any, scale: Any) -> Any:
    axis = axes_of(node.get("axis", -1), x.dim())[0]
    eps, shape = node.get("epsilon", 1e-5), tuple(x.shape[axis:])
    if x.dtype == torch.float32 and tuple(scale.shape) == shape:
        return functional.rms_norm(x, shape, scale, eps)
    real = wider(x)
    mean = torch.mean(real * real, tuple(range(axis, x.dim())), keepdim=True)
    return (real / torch.sqrt(mean + eps)).to(x.dtype) * scale


@operator("LRN")
def lrn(node: Node, x: Any) -> Any:
    return functional.local_response_norm(x, node.get("size"), node.get("alpha", 1e-4), node.get("beta", 0.75), node.get("bias", 1.0)) \
        if node.get("size") % 2 else uneven_lrn(node, x)


def uneven_lrn(node: Node, x: Any) -> Any:
    """Windows of an even number of channels reach further behind than before."""
    size = node.get("size")
    square = functional.pad(x * x, [*(0, 0) * (x.dim() - 2), (size - 1) // 2, size // 2])
    summed = sum((square.narrow(1, k, x.shape[1]) for k in range(1, size)), square.narrow(1, 0, x.shape[1]))
    return x / torch.pow(node.get("bias", 1.0) + node.get("alpha", 1e-4) / size * summed, node.get("beta", 0.75))


@operator("LpNormalization")
def lp_normalization(node: Node, x: Any) -> Any:
    """Zeros stay zeros."""
    axis = axes_of(node.get("axis", -1), x.dim())[0]
    length = torch.sum(torch.abs(x), axis, True) if node.get("p", 2) == 1 else torch.sqrt(torch.sum(x * x, axis, True))
    return torch.where(length == 0, torch.zeros((), dtype=x.dtype), x / length)


@operator("Dropout", numbers=(1, 2))
def dropout(node: Node, x: Any, ratio: Any = 0.5, training: Any = False) -> Any:
    if isinstance(training, torch.Tensor) or (training and ratio):
        raise Forbidden("drops at random (training_mode), which no stream does")
    return (x, torch.ones(x.shape, dtype=torch.bool)) if node.gives(1) else x
