"""Activations, and what goes along one axis beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from ..registry import Node, axes_of, operator

PLAIN: dict[str, Callable[..., Any]] = {
    "HardSwish": functional.hardswish, "Mish": functional.mish, "Relu": torch.relu, "Sigmoid": torch.sigmoid, "Softplus": functional.softplus,
    "Softsign": functional.softsign,
}
for _name, _function in PLAIN.items():
    operator(_name)(lambda node, x, function=_function: function(x))


@operator("Celu")
def celu(node: Node, x: Any) -> Any:
    return functional.celu(x, node.get("alpha", 1.0))


@operator("Elu")
def elu(node: Node, x: Any) -> Any:
    return functional.elu(x, node.get("alpha", 1.0))


@operator("Selu")
def selu(node: Node, x: Any) -> Any:
    alpha, gamma = node.get("alpha", 1.67326319217681884765625), node.get("gamma", 1.05070102214813232421875)
    return gamma * torch.where(x > 0, x, alpha * (torch.exp(torch.clamp(x, max=0)) - 1))


@operator("Gelu")
def gelu(node: Node, x: Any) -> Any:
    return functional.gelu(x, approximate=node.get("approximate", "none"))


@operator("HardSigmoid")
def hard_sigmoid(node: Node, x: Any) -> Any:
    return torch.clamp(x * node.get("alpha", 0.2) + node.get("beta", 0.5), 0, 1)


@operator("LeakyRelu")
def leaky_relu(node: Node, x: Any) -> Any:
    return functional.leaky_relu(x, node.get("alpha", 0.01))


@operator("PRelu")
def prelu(node: Node, x: Any, slope: Any) -> Any:
    return torch.where(x < 0, x * slope, x)


@operator("Shrink")
def shrink(node: Node, x: Any) -> Any:
    bias, lambd = node.get("bias", 0.0), node.get("lambd", 0.5)
    real = x if x.dtype.is_floating_point else x.to(torch.float32)
    return torch.where(real < -lambd, real + bias, torch.where(real > lambd, real - bias, torch.zeros_like(real))).to(x.dtype)


@operator("Swish")
def swish(node: Node, x: Any) -> Any:
    alpha = node.get("alpha", 1.0)
    return functional.silu(x) if alpha == 1 else x * torch.sigmoid(alpha * x)


@operator("ThresholdedRelu")
def thresholded(node: Node, x: Any) -> Any:
    return torch.where(x > node.get("alpha", 1.0), x, torch.zeros_like(x))


def along(node: Node, x: Any, function: Callable[..., Any]) -> Any:
    """Along an axis; before version 13 along all from it on."""
    axis = axes_of(node.get("axis", -1 if node.opset >= 13 else 1), x.dim())[0]
    if node.opset >= 13 or axis == x.dim() - 1:
        return function(x, axis)
    return function(x.flatten(axis), axis).reshape(x.shape)


@operator("Softmax")
def softmax(node: Node, x: Any) -> Any:
    return along(node, x, torch.softmax)


@operator("LogSoftmax")
def log_softmax(node: Node, x: Any) -> Any:
    return along(node, x, torch.log_softmax)


@operator("Hardmax")
def hardmax(node: Node, x: Any) -> Any:
    """1 for the first of the greatest along an axis, 0 for the others."""

    def function(x: Any, axis: int) -> Any:
        places = torch.arange(x.shape[axis]).reshape(-1, *(1,) * (x.dim() - 1 - axis))
        return (places == torch.argmax(x, axis, keepdim=True)).to(x.dtype)

    return along(node, x, function)
