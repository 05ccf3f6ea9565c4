"""Pools."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import torch
from torch.nn import functional

from ...torch.lowering import NotLowered, static
from ..registry import Node, operator
from .convolution import padded_open, padding_of, spatial

MAX = {1: functional.max_pool1d, 2: functional.max_pool2d, 3: functional.max_pool3d}
AVERAGE = {1: functional.avg_pool1d, 2: functional.avg_pool2d, 3: functional.avg_pool3d}


class Windows:
    """Where the windows of a pool are."""

    def __init__(self, node: Node, x: Any):
        self.dims = x.dim() - 2
        self.sizes = tuple(x.shape[2:])
        self.kernel = tuple(node.get("kernel_shape"))
        self.strides, self.dilations = spatial(node, "strides", self.dims), spatial(node, "dilations", self.dims)
        self.pads = padding_of(node, self.sizes, self.kernel, self.strides, self.dilations)
        self.ceil = bool(node.get("ceil_mode", 0))
        if self.ceil and any(static(size) is None for size in self.sizes):
            raise NotLowered("with ceil_mode, over a dimension that is open: whether there is a last window depends on its size")
        self.outs = [self.count(k) for k in range(self.dims)]

    def count(self, k: int) -> int:
        """How many there are along a dimension. One that begins behind what is padded is none."""
        before, after = self.pads[k]
        room = self.sizes[k] + before + after - self.dilations[k] * (self.kernel[k] - 1) - 1
        found: int = (-(-room // self.strides[k]) if self.ceil else room // self.strides[k]) + 1
        if self.ceil and (found - 1) * self.strides[k] >= self.sizes[k] + before:
            found -= 1
        if found < 1:
            raise NotLowered(f"windows of {list(self.kernel)} over {list(self.sizes)}, of which none fits")
        return found

    @property
    def is_plain(self) -> bool:
        """As PyTorch's pools have them."""
        return not self.ceil and all(before == after and 2 * before <= extent for (before, after), extent in zip(self.pads, self.kernel))

    @property
    def padding(self) -> tuple[int, ...]:
        return tuple(before for before, _ in self.pads)

    def behind(self, k: int) -> int:
        """What has to be added behind a dimension so that all windows are whole."""
        last: int = (self.outs[k] - 1) * self.strides[k] + self.dilations[k] * (self.kernel[k] - 1) + 1
        return max(0, last - int(self.sizes[k]) - self.pads[k][0])

    def of(self, x: Any, fill: Any) -> Any:
        """The windows' points, in a last dimension."""
        amounts = [amount for k in reversed(range(self.dims)) for amount in (self.pads[k][0], self.behind(k))]
        if any(amounts):
            x = functional.pad(x, amounts, value=fill)
        for k in range(self.dims):
            at = torch.arange(self.outs[k]).reshape(-1, 1) * self.strides[k] + torch.arange(self.kernel[k]) * self.dilations[k]
            axis = 2 + 2 * k
            x = x.index_select(axis, at.reshape(-1)).unflatten(axis, (self.outs[k], self.kernel[k]))
        order = [0, 1, *(2 + 2 * k for k in range(self.dims)), *(3 + 2 * k for k in range(self.dims))]
        return x.permute(order).flatten(2 + self.dims)


def least(dtype: torch.dtype) -> Any:
    return -torch.inf if dtype.is_floating_point else torch.iinfo(dtype).min


def whole_windows(node: Node, x: Any) -> tuple[Any, Node]:
    """Over open dimensions, where what is added at the end decides about a last window, so much is added that there is one or none."""
    if all(static(size) is not None for size in x.shape[2:]):
        return x, node
    dims, kernel = x.dim() - 2, tuple(node.get("kernel_shape"))
    strides, dilations = spatial(node, "strides", dims), spatial(node, "dilations", dims)
    x, node = padded_open(node, x, kernel, strides, dilations, -torch.inf)
    pads = list(node.get("pads") or (0,) * (2 * dims))
    reaches = [d * (extent - 1) + 1 for extent, d in zip(kernel, dilations)]
    if node.get("ceil_mode", 0) and node.get("auto_pad", "NOTSET") == "NOTSET" and all(pads[dims + k] + strides[k] <= reaches[k] for k in range(dims)):
        x = functional.pad(x, [amount for k in reversed(range(dims)) for amount in (pads[k], pads[dims + k] + strides[k] - 1)], value=-torch.inf)
        node = replace(node, attributes={**node.attributes, "ceil_mode": 0, "pads": [0] * (2 * dims)})
    return x, node


@operator("MaxPool")
def max_pool(node: Node, x: Any) -> Any:
    x, node = whole_windows(node, x)
    windows = Windows(node, x)
    if windows.is_plain and not node.gives(1) and windows.dims in MAX and x.dtype == torch.float32:
        return MAX[windows.dims](x, windows.kernel, windows.strides, windows.padding, windows.dilations)
    points = windows.of(x, least(x.dtype))
    if not node.gives(1):
        return torch.amax(points, -1)
    numbers = torch.arange(x.numel()).reshape(x.shape)
    if node.get("storage_order", 0):
        area = prod(windows.sizes)
        turned = torch.arange(area).reshape(tuple(reversed(windows.sizes))).permute(*reversed(range(windows.dims)))
        numbers = turned + torch.arange(x.shape[0] * x.shape[1]).reshape(x.shape[0], x.shape[1], *(1,) * windows.dims) * area
    best = torch.argmax(points, -1, keepdim=True)
    return points.gather(-1, best).squeeze(-1), windows.of(numbers, 0).gather(-1, best).squeeze(-1)


@operator("AveragePool")
def average_pool(node: Node, x: Any) -> Any:
    windows, counted = Windows(node, x), bool(node.get("count_include_pad", 0))
    if windows.is_plain and set(windows.dilations) == {1} and windows.dims in AVERAGE and x.dtype == torch.float32:
        return AVERAGE[windows.dims](x, windows.kernel, windows.strides, windows.padding, False, counted)
    ones = torch.ones(1, 1, *windows.sizes, dtype=x.dtype)
    if counted:
        ones = functional.pad(ones, [amount for pair in reversed(windows.pads) for amount in pair], value=1)
        node = Node(node.op, node.name, node.domain, node.opset, {**node.attributes, "pads": None, "auto_pad": "NOTSET"}, node.inputs, node.outputs)
        inside = Windows(node, ones)
        inside.outs = windows.outs
        return windows.of(x, 0).sum(-1) / inside.of(ones, 0).sum(-1)
    return windows.of(x, 0).sum(-1) / windows.of(ones, 0).sum(-1)


@operator("LpPool")
def lp_pool(node: Node, x: Any) -> Any:
    power = node.get("p", 2)
    return torch.pow(torch.pow(torch.abs(Windows(node, x).of(x, 0)), power).sum(-1), 1 / power)


def over_all(x: Any, function: Any) -> Any:
    return function(x, tuple(range(2, x.dim())), True)


@operator("GlobalAveragePool")
def global_average(node: Node, x: Any) -> Any:
    return over_all(x, torch.mean)


@operator("GlobalMaxPool")
def global_max(node: Node, x: Any) -> Any:
    return over_all(x, torch.amax)


@operator("GlobalLpPool")
def global_lp(node: Node, x: Any) -> Any:
    power = node.get("p", 2)
    return torch.pow(over_all(torch.pow(torch.abs(x), power), torch.sum), 1 / power)


@operator("MaxUnpool", known=(2,))
def max_unpool(node: Node, x: Any, places: Any, wanted: Any = None) -> Any:
    """Elements at the places where they were the greatest, zeros beside them."""
    dims = x.dim() - 2
    strides, pads = spatial(node, "strides", dims), node.get("pads") or (0,) * (2 * dims)
    kernel = node.get("kernel_shape")
    sizes = [(x.shape[k + 2] - 1) * strides[k] + kernel[k] - pads[k] - pads[k + dims] for k in range(dims)]
    shape = [*x.shape[:2], *sizes]
    flat = torch.scatter(torch.zeros(prod(shape), dtype=x.dtype), 0, places.reshape(-1).to(torch.int64), x.reshape(-1)).reshape(shape)
    if wanted is None:
        return flat
    if list(wanted)[:2] != shape[:2] or any(one < other for one, other in zip(wanted, shape)):
        raise NotLowered(f"to the shape {list(wanted)}, which is smaller than {shape}")
    return functional.pad(flat, [amount for one, other in zip(reversed(list(wanted)), reversed(shape)) for amount in (0, one - other)])
