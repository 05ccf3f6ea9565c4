"""Operators element by element, and changes of type."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import torch

from ...errors import ImportFailure
from ...torch.lowering import NotLowered
from ..registry import Node, operator
from ..stored import dtype_of

ONE: dict[str, Callable[..., Any]] = {
    "Abs": torch.abs, "Acos": torch.acos, "Acosh": torch.acosh, "Asin": torch.asin, "Asinh": torch.asinh, "Atan": torch.atan, "Atanh": torch.atanh,
    "BitwiseNot": torch.bitwise_not, "Ceil": torch.ceil, "Cos": torch.cos, "Cosh": torch.cosh, "Erf": torch.erf, "Exp": torch.exp, "Floor": torch.floor,
    "IsNaN": torch.isnan, "Log": torch.log, "Neg": torch.neg, "Not": torch.logical_not, "Reciprocal": torch.reciprocal, "Round": torch.round,
    "Sin": torch.sin, "Sinh": torch.sinh, "Sqrt": torch.sqrt, "Tan": torch.tan, "Tanh": torch.tanh,
}
TWO: dict[str, Callable[..., Any]] = {
    "Add": torch.add, "And": torch.logical_and, "BitwiseAnd": torch.bitwise_and, "BitwiseOr": torch.bitwise_or, "BitwiseXor": torch.bitwise_xor,
    "Equal": torch.eq, "Greater": torch.gt, "GreaterOrEqual": torch.ge, "Less": torch.lt, "LessOrEqual": torch.le, "Mul": torch.mul,
    "Or": torch.logical_or, "Sub": torch.sub, "Xor": torch.logical_xor,
}
SEVERAL: dict[str, Callable[..., Any]] = {"Max": torch.maximum, "Min": torch.minimum, "Sum": torch.add}


def enter() -> None:
    """The operators that are one of PyTorch's each."""
    for name, function in ONE.items():
        operator(name)(lambda node, x, function=function: function(x))
    for name, function in TWO.items():
        operator(name)(lambda node, x, y, function=function: function(x, y))
    for name, function in SEVERAL.items():
        operator(name)(lambda node, *given, function=function: reduce(function, given))


enter()


@operator("Mean")
def mean(node: Node, *given: Any) -> Any:
    return reduce(torch.add, given) / len(given)


@operator("Div")
def div(node: Node, x: Any, y: Any) -> Any:
    return x / y if x.dtype.is_floating_point else torch.div(x, y, rounding_mode="trunc")


@operator("Mod")
def mod(node: Node, x: Any, y: Any) -> Any:
    """With the sign of the divisor, or, with `fmod`, of the dividend."""
    return torch.fmod(x, y) if node.get("fmod", 0) else torch.remainder(x, y)


@operator("Pow", numbers=(1,))
def power(node: Node, x: Any, y: Any) -> Any:
    """In the type of the first operand."""
    exponent = torch.tensor(y, dtype=node.types[1]) if isinstance(y, list) else y
    if isinstance(exponent, float) and exponent.is_integer() and abs(exponent) < 2**31:
        exponent = int(exponent)
    if not x.dtype.is_floating_point and not isinstance(exponent, int):
        return torch.pow(x.to(torch.float64), exponent).to(x.dtype)
    return torch.pow(x, exponent).to(x.dtype)


@operator("Where")
def where(node: Node, condition: Any, x: Any, y: Any) -> Any:
    return torch.where(condition, x, y)


@operator("Sign")
def sign(node: Node, x: Any) -> Any:
    """That of NaN is NaN."""
    return torch.where(torch.isnan(x), x, torch.sign(x)) if x.dtype.is_floating_point else torch.sign(x)


@operator("IsInf")
def is_inf(node: Node, x: Any) -> Any:
    found = torch.zeros_like(x, dtype=torch.bool)
    if node.get("detect_positive", 1):
        found = found | (x == torch.inf)
    return found | (x == -torch.inf) if node.get("detect_negative", 1) else found


@operator("BitShift")
def shift(node: Node, x: Any, y: Any) -> Any:
    return torch.bitwise_left_shift(x, y) if node.get("direction") == "LEFT" else torch.bitwise_right_shift(x, y)


def converted(x: Any, dtype: torch.dtype) -> Any:
    """What is true of a number that is not zero; what has no fraction is rounded towards zero."""
    return x if x.dtype == dtype else x != 0 if dtype == torch.bool else x.to(dtype)


@operator("Cast")
def cast(node: Node, x: Any) -> Any:
    try:
        return converted(x, dtype_of(node.get("to"), "its result"))
    except ImportFailure as fault:
        raise NotLowered(str(fault)) from fault


@operator("CastLike")
def cast_like(node: Node, x: Any, like: Any) -> Any:
    return converted(x, like.dtype)


def bound(value: Any) -> Any:
    """A bound that is a number; there are such of one element."""
    while isinstance(value, list):
        value = value[0]
    return value


@operator("Clip", numbers=(1, 2))
def clip(node: Node, x: Any, low: Any = None, high: Any = None) -> Any:
    """Where the bounds cross it is the upper one."""
    low, high = (bound(node.get(name, value)) for name, value in (("min", low), ("max", high)))
    if not any(isinstance(one, torch.Tensor) for one in (low, high)):
        if low is None and high is None:
            return x
        if low == 0 and high == 6 and x.dtype == torch.float32:
            return torch.nn.functional.relu6(x)
        return torch.clamp(x, low, high)
    for one, function in ((low, torch.maximum), (high, torch.minimum)):
        if one is not None:
            x = function(x, one if isinstance(one, torch.Tensor) else torch.tensor(one, dtype=x.dtype))
    return x
