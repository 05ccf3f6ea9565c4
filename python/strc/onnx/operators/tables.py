"""Tensors that are made of numbers alone."""

from __future__ import annotations

from math import ceil, log10
from typing import Any

import torch

from ...errors import ImportFailure
from ...torch.lowering import NotLowered
from ..registry import Node, check_count, operator
from ..stored import dtype_of, tensor_of
from ..sizes import whole
from .shapes import listed


@operator("Constant")
def constant(node: Node) -> Any:
    kinds = {"value_float": torch.float32, "value_floats": torch.float32, "value_int": torch.int64, "value_ints": torch.int64}
    for name, value in node.attributes.items():
        if name == "value":
            try:
                return tensor_of(value)
            except ImportFailure as fault:
                raise NotLowered(str(fault)) from fault
        if name in kinds:
            return torch.tensor(value, dtype=kinds[name])
    raise NotLowered("a constant that is no dense tensor of numbers")


@operator("ConstantOfShape", known=(0,))
def constant_of_shape(node: Node, shape: Any) -> Any:
    value = node.get("value")
    one = torch.zeros(1) if value is None else tensor_of(value)
    return one.reshape(()).expand(listed(shape)).clone() if shape else one.reshape(())


def result_type(node: Node, usual: torch.dtype) -> torch.dtype:
    number = node.get("dtype", node.get("output_datatype"))
    try:
        return usual if number is None else dtype_of(number, "its result")
    except ImportFailure as fault:
        raise NotLowered(str(fault)) from fault


@operator("EyeLike")
def eye_like(node: Node, x: Any) -> Any:
    rows, columns = torch.arange(x.shape[0]).unsqueeze(1), torch.arange(x.shape[1])
    return (columns - rows == node.get("k", 0)).to(result_type(node, x.dtype))


@operator("Range", known=(0, 1, 2))
def numbers(node: Node, start: Any, limit: Any, delta: Any) -> Any:
    """In steps from the first number, as many as there are before the limit."""
    first, last, step = (one if isinstance(one, (int, float, torch.SymInt)) else one[0] for one in (start, limit, delta))
    if step == 0:
        raise NotLowered("steps of 0")
    is_open = any(isinstance(one, torch.SymInt) for one in (first, last, step))
    if is_open:
        first, last, step = map(whole, (first, last, step))
    count = -(-(last - first) // step) if is_open else max(ceil((last - first) / step), 0)
    kind = node.types[0] or torch.float32
    return (first + step * torch.arange(count, dtype=torch.float64 if kind.is_floating_point else torch.int64)).to(kind)


def window(weights: tuple[float, ...]) -> Any:
    """A sum of cosines over so many points; a periodic one is as long as one that ends a point later."""

    def made(node: Node, size: Any) -> Any:
        count = listed(size)[0]
        period = count if node.get("periodic", 1) else count - 1
        angle = torch.arange(count, dtype=torch.float64) * (2 * torch.pi / max(period, 1))
        whole = sum(((-1) ** k * weight * torch.cos(k * angle) for k, weight in enumerate(weights)), torch.zeros(count, dtype=torch.float64))
        return whole.to(result_type(node, torch.float32))

    return made


for _name, _weights in (("HannWindow", (0.5, 0.5)), ("HammingWindow", (25 / 46, 21 / 46)), ("BlackmanWindow", (0.42, 0.5, 0.08))):
    operator(_name, known=(0,))(window(_weights))


@operator("OneHot", known=(1,))
def one_hot(node: Node, places: Any, depth: Any, values: Any) -> Any:
    """Beside the places an axis in which one element is the second value and the others the first."""
    count = listed(depth)[0]
    axis = node.get("axis", -1)
    axis = axis + places.dim() + 1 if axis < 0 else axis
    at = places.to(torch.int64).unsqueeze(axis)
    at = torch.where(at < 0, at + count, at)
    row = torch.arange(count).reshape(-1, *(1,) * (places.dim() - axis))
    return torch.where(at == row, values[1], values[0])


@operator("MelWeightMatrix", known=(0, 1, 2, 3, 4))
def mel_weights(node: Node, bins: Any, length: Any, rate: Any, low: Any, high: Any) -> Any:
    """Triangles over the points of a spectrum, whose corners are equally far apart in mel: 2595 log10(1 + f / 700)."""
    count, points, samples, first, last = (one[0] if isinstance(one, list) else one for one in (bins, length, rate, low, high))
    check_count(count, "bins")
    ends = [2595 * log10(1 + one / 700) for one in (first, last)]
    step = (ends[1] - ends[0]) / (count + 2)
    corners = [int((points + 1) * 700 * (10 ** ((ends[0] + k * step) / 2595) - 1) // samples) for k in range(count + 2)]
    made = torch.zeros(points // 2 + 1, count)
    for k, (left, middle, right) in enumerate(zip(corners, corners[1:], corners[2:])):
        for row in range(left, right):
            made[row, k] = (row - left) / (middle - left) if row < middle else (right - row) / (right - middle)
        made[middle, k] = 1
    return made.to(result_type(node, torch.float32))
