"""Products between `DequantizeLinear` and `DequantizeLinear` of stored weights, as products of int8 whose sums are ints.

A sum of whole numbers is exact, and multiplied by both scales once, where the standard adds up floats that have been rounded. So results lie nearer to what is meant, by a
rounding of floats; behind a `QuantizeLinear` few elements are another step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ..torch.lowering import Like, Var, static
from ..torch.weights import Known
from .operators.convolution import padding_of, spatial
from .registry import Node

if TYPE_CHECKING:
    from .walker import Walker

MOST_SUMMED = 2**16  # products of bytes, whose sum fits into an int
HALF = 128  # what makes bytes without a sign such with one


@dataclass(frozen=True)
class Whole:
    """Whole numbers for which the result of a `DequantizeLinear` stands."""

    value: Var | Known
    scale: torch.Tensor
    zero: torch.Tensor | None
    axis: int


@dataclass(frozen=True)
class Weights:
    """Stored weights as int8, whose first dimension is that of the outputs, and a scale for each output."""

    whole: torch.Tensor
    scale: torch.Tensor


@dataclass(frozen=True)
class Taken:
    """What a layer takes: reals that it rounds itself by a step, or whole numbers, which have step 0. `zero` is the zero point of the int8 that it computes with, `less`
    what is taken off whole numbers so that they are such.
    """

    value: Var
    step: float
    zero: int
    less: int


def whole_of(node: Node, given: Sequence[Any]) -> Whole | None:
    """What a `DequantizeLinear` takes, or a `QuantizeLinear` gives, if that is bytes by stored scales."""
    value, scale, zero = (*given, None)[:3]
    if node.get("block_size", 0) or not isinstance(scale, Known) or scale.dtype != torch.float32 or not (zero is None or isinstance(zero, Known)):
        return None
    if not isinstance(value, (Var, Known)) or (zero is not None and zero.tensor.numel() != scale.tensor.numel()):
        return None
    return Whole(value, scale.tensor, None if zero is None else zero.tensor, node.get("axis", 1) % max(len(value.shape), 1))


def note(walker: Walker, node: Node, given: Sequence[Any], found: Sequence[Any]) -> None:
    """Keeps what the result of a `QuantizeLinear` or `DequantizeLinear` has been made of."""
    if node.domain or node.op not in ("QuantizeLinear", "DequantizeLinear"):
        return
    one = whole_of(node, given)
    if one is not None and node.op == "QuantizeLinear" and one.value.dtype == torch.float32 and isinstance(one.value, Var):
        walker.rounded[found[0]] = one
    if one is not None and node.op == "DequantizeLinear" and one.value.dtype in (torch.int8, torch.uint8):
        walker.whole[found[0]] = one


def weights_of(one: Whole | None, axis: int) -> Weights | None:
    """Of outputs along an axis; None if they are not int8 around 0, or have scales along another axis."""
    if one is None or not isinstance(one.value, Known) or one.value.dtype != torch.int8 or (one.zero is not None and bool(one.zero.any())):
        return None
    whole = one.value.tensor.movedim(axis, 0).contiguous()
    if not whole.numel() or whole[0].numel() > MOST_SUMMED or one.scale.numel() not in (1, whole.shape[0]) or (one.scale.numel() > 1 and one.axis != axis):
        return None
    return Weights(whole, one.scale.reshape(-1).expand(whole.shape[0]))


def taken_by(walker: Walker, one: Whole) -> Taken | None:
    """What a layer takes instead of reals that stand for whole numbers."""
    if not isinstance(one.value, Var) or one.scale.numel() != 1:
        return None
    less = HALF if one.value.dtype == torch.uint8 else 0
    zero = (0 if one.zero is None else int(one.zero)) - less
    before = walker.rounded.get(one.value)
    same = before is not None and before.scale.numel() == 1 and bool(before.scale.reshape(()) == one.scale.reshape(())) and is_same(before.zero, one.zero)
    step = float(one.scale)
    if before is not None and same and isinstance(before.value, Var) and 0 < step < float("inf"):
        return Taken(before.value, step, zero, less)
    return Taken(one.value, 0.0, zero, less)


def is_same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    """Of zero points, of which a missing one is 0."""
    return (0 if one is None else int(one)) == (0 if other is None else int(other))


def product(walker: Walker, node: Node, given: Sequence[Any]) -> Any:
    """The result of `MatMul`, `Gemm` or `Conv` of whole numbers; None if it is none of such."""
    if node.domain or node.op not in ("MatMul", "Gemm", "Conv") or not all(isinstance(value, (Var, Known)) for value in given[:2]) or len(given) < 2:
        return None
    one, bias = walker.whole.get(given[0]), given[2] if len(given) > 2 else None
    taken = None if one is None else taken_by(walker, one)
    if one is None or taken is None or not (bias is None or (isinstance(bias, Known) and bias.dtype == torch.float32)):
        return None
    by_output = 0 if node.op == "Conv" or node.get("transB", 0) else 1
    weights = weights_of(walker.whole.get(given[1]), by_output)
    if weights is None or not fits(node, taken.value, weights.whole) or not is_by_output(bias, weights.whole.shape[0]):
        return None
    prefix = stored(walker, weights, one, taken, bias)
    return (convolved if node.op == "Conv" else multiplied)(walker, node, taken, weights.whole, prefix)


def is_by_output(bias: Known | None, outputs: int) -> bool:
    """Is there one number, or one for each output, and not one for each row?"""
    return bias is None or bias.tensor.numel() == 1 or (bias.tensor.numel() == outputs and bias.tensor.shape[-1] == outputs)


def fits(node: Node, x: Var, weight: torch.Tensor) -> bool:
    """Is it a product that the filters have? What is none at all is found where it is one of floats."""
    if node.op == "Conv":
        groups, ways = node.get("group", 1), (*spatial(node, "strides", 2), *spatial(node, "dilations", 2))
        plain = weight.dim() == len(x.shape) == 4 and groups >= 1 and min(ways) >= 1 and len(ways) == 4 and min(node.get("pads") or [0]) >= 0
        is_known = all(static(size) is not None for size in x.shape[2:])
        if not is_known and node.get("auto_pad", "NOTSET").startswith("SAME"):
            return False  # its padding depends on the size
        return plain and x.shape[1] == weight.shape[1] * groups and weight.shape[0] % groups == 0 and len(node.get("pads") or [0] * 4) == 4
    is_plain = node.op == "MatMul" or not (node.get("transA", 0) or node.get("alpha", 1.0) != 1 or node.get("beta", 1.0) != 1)
    return bool(is_plain and weight.dim() == 2 and len(x.shape) >= 2 and (node.op == "MatMul" or len(x.shape) == 2) and x.shape[-1] == weight.shape[1])


def stored(walker: Walker, weights: Weights, one: Whole, taken: Taken, bias: Known | None) -> str:
    """Stores what the layer has; its prefix."""
    outputs = weights.whole.shape[0]
    values = {
        "weight": weights.whole, "zeros": weights.whole.flatten(1).sum(1, dtype=torch.int32) * taken.zero, "scale": weights.scale * one.scale.reshape(()),
        "bias": torch.zeros(outputs) if bias is None else bias.tensor.reshape(-1).expand(outputs).contiguous(),
    }
    return walker.lowering.weights.prefix({role: Known(walker.lowering.local_name(role), value) for role, value in values.items()})


def multiplied(walker: Walker, node: Node, taken: Taken, weight: torch.Tensor, prefix: str) -> Any:
    outputs, features = weight.shape
    like = Like((*taken.value.shape[:-1], outputs), torch.float32)
    return walker.lowering.emit("whole_linear", (taken.value,), features, outputs, taken.step, taken.zero, taken.less, like=like, weights=prefix)


def convolved(walker: Walker, node: Node, taken: Taken, weight: torch.Tensor, prefix: str) -> Any:
    outputs, inner, *kernel = weight.shape
    strides, dilations, groups = spatial(node, "strides", 2), spatial(node, "dilations", 2), node.get("group", 1)
    pads = padding_of(node, tuple(taken.value.shape[2:]), tuple(kernel), strides, dilations)
    sizes = [
        (size + sum(pad) - d * (extent - 1) - 1) // s + 1 for size, extent, s, d, pad in zip(taken.value.shape[2:], kernel, strides, dilations, pads)
    ]
    numbers = (inner * groups, outputs, *kernel, *strides, pads[0][0], pads[1][0], pads[0][1], pads[1][1], *dilations, groups, taken.step, taken.zero, taken.less)
    return walker.lowering.emit("whole_conv2d", (taken.value,), *numbers, like=Like((taken.value.shape[0], outputs, *sizes), torch.float32), weights=prefix)
