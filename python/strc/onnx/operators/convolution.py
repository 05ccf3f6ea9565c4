"""Convolutions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch.nn import functional

from ...torch.lowering import NotLowered, static
from ..registry import Node, operator

CONV = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
TRANSPOSED = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}


def spatial(node: Node, name: str, dims: int, usual: int = 1) -> tuple[int, ...]:
    return tuple(node.get(name) or (usual,) * dims)


def padding_of(node: Node, sizes: tuple[int, ...], kernel: tuple[int, ...], strides: tuple[int, ...], dilations: tuple[int, ...]) -> list[tuple[int, int]]:
    """How much is added before and behind each dimension."""
    way, dims = node.get("auto_pad", "NOTSET"), len(sizes)
    if way == "VALID":
        return [(0, 0)] * dims
    if way == "NOTSET":
        pads = node.get("pads") or (0,) * (2 * dims)
        return [(pads[k], pads[k + dims]) for k in range(dims)]
    found = []
    for size, extent, stride, dilation in zip(sizes, kernel, strides, dilations):
        reach = dilation * (extent - 1) + 1
        if static(size) is None and stride > 1 and reach > 1:
            raise NotLowered(f"{way}, in strides, over a dimension that is open: how much is added depends on its size")
        if static(size) is None and reach == 1:
            found.append((0, 0))
            continue
        total = max(0, reach - 1 if stride == 1 else (-(-size // stride) - 1) * stride + reach - size)
        less = total // 2
        found.append((less, total - less) if way == "SAME_UPPER" else (total - less, less))
    return found


def padded_open(node: Node, x: Any, kernel: tuple[int, ...], strides: tuple[int, ...], dilations: tuple[int, ...], fill: float) -> tuple[Any, Node]:
    """What `auto_pad` adds to dimensions that are open, in strides: as much on either side as may be, of which a part is taken. The node has its padding said from there on."""
    way, dims = node.get("auto_pad", "NOTSET"), x.dim() - 2
    reaches = [d * (extent - 1) + 1 for extent, d in zip(kernel, dilations)]
    is_open = [static(size) is None and stride > 1 and reach > 1 for size, stride, reach in zip(x.shape[2:], strides, reaches)]
    if not way.startswith("SAME") or not any(is_open) or any(o and reach < stride for o, reach, stride in zip(is_open, reaches, strides)):
        return x, node
    said = []
    for k, (size, stride, reach) in enumerate(zip(tuple(x.shape[2:]), strides, reaches)):
        if not is_open[k]:
            said.append(padding_of(node, (size,), (kernel[k],), (stride,), (dilations[k],))[0])
            continue
        over = (size - 1) % stride  # in terms of which nothing is negative
        total = reach - 1 - over
        less = (reach - 1) // 2 - (over + reach % 2) // 2
        before = less if way == "SAME_UPPER" else total - less
        wide = functional.pad(x, [*(0, 0) * (dims - 1 - k), reach, reach], value=fill)
        x = torch.ops.aten.slice.Tensor(wide, k + 2, reach - before, reach - before + size + total, 1)
        said.append((0, 0))
    pads = [one[0] for one in said] + [one[1] for one in said]
    return x, replace(node, attributes={**node.attributes, "auto_pad": "NOTSET", "pads": pads})


def convolved(node: Node, x: Any, weight: Any, bias: Any = None) -> Any:
    dims = x.dim() - 2
    if dims not in CONV:
        raise NotLowered(f"over {dims} dimensions, and there are streams for 1, 2 and 3")
    strides, dilations = spatial(node, "strides", dims), spatial(node, "dilations", dims)
    x, node = padded_open(node, x, tuple(weight.shape[2:]), strides, dilations, 0.0)
    pads = padding_of(node, tuple(x.shape[2:]), tuple(weight.shape[2:]), strides, dilations)
    if any(before != after or before < 0 for before, after in pads):
        x = functional.pad(x, [amount for pair in reversed(pads) for amount in pair])
        pads = [(0, 0)] * dims
    return CONV[dims](x, weight, bias, strides, tuple(before for before, _ in pads), dilations, node.get("group", 1))


@operator("Conv")
def conv(node: Node, x: Any, weight: Any, bias: Any = None) -> Any:
    return convolved(node, x, weight, bias)


@operator("ConvTranspose")
def conv_transpose(node: Node, x: Any, weight: Any, bias: Any = None) -> Any:
    """Computed wholly, of which the padding is cut off."""
    dims = x.dim() - 2
    if dims not in TRANSPOSED:
        raise NotLowered(f"over {dims} dimensions, and there are streams for 1, 2 and 3")
    strides, dilations = spatial(node, "strides", dims), spatial(node, "dilations", dims)
    extra, groups = spatial(node, "output_padding", dims, 0), node.get("group", 1)
    whole = [s * (n - 1) + e + d * (k - 1) + 1 for s, n, e, d, k in zip(strides, x.shape[2:], extra, dilations, weight.shape[2:])]
    way, pads = node.get("auto_pad", "NOTSET"), node.get("pads") or (0,) * (2 * dims)
    wanted = node.get("output_shape") or ([n * s for n, s in zip(x.shape[2:], strides)] if way.startswith("SAME") else None)
    cut = [(pads[k], pads[k + dims]) for k in range(dims)]
    if wanted is not None:
        cut = []
        for size, target in zip(whole, list(wanted)[-dims:]):
            total = static(size - target)
            if total is None:
                raise NotLowered("to a size that is no multiple of one that is open")
            small = total // 2
            cut.append((small, total - small) if way == "SAME_UPPER" else (total - small, small))
    if all(before == after and before >= 0 for before, after in cut) and (wanted is None or all(e == 0 for e in extra)):
        if all(e < max(s, d) for e, s, d in zip(extra, strides, dilations)):
            return TRANSPOSED[dims](x, weight, bias, strides, tuple(before for before, _ in cut), extra, groups, dilations)
    made = TRANSPOSED[dims](x, weight, bias, strides, 0, 0, groups, dilations)
    for k, (before, after) in enumerate(cut):
        made = fitted(made, k + 2, before, whole[k] - before - after, None if bias is None else bias)
    return made


def fitted(x: Any, axis: int, start: int, count: int, bias: Any) -> Any:
    """A part of a dimension; what lies beyond its ends is the bias alone."""
    before, after = max(0, -start), max(0, start + count - x.shape[axis])
    inner = x.narrow(axis, max(0, start), count - before - after)
    if not before and not after:
        return inner
    fill = torch.zeros(x.shape[1], dtype=x.dtype) if bias is None else bias
    shape = [1, x.shape[1], *(1,) * (x.dim() - 2)]
    parts = [inner]
    for amount, front in ((before, True), (after, False)):
        if amount:
            edge = fill.reshape(shape).expand([amount if i == axis else size for i, size in enumerate(inner.shape)])
            parts = [edge, *parts] if front else [*parts, edge]
    return torch.cat(parts, axis)


@operator("DeformConv")
def deform_conv(node: Node, x: Any, weight: Any, offset: Any, bias: Any = None, mask: Any = None) -> Any:
    """Each point of a window is read beside its place, by bilinear interpolation, and zero outside."""
    if x.dim() != 4:
        raise NotLowered("over other than two dimensions")
    strides, dilations = spatial(node, "strides", 2), spatial(node, "dilations", 2)
    pads = node.get("pads") or (0,) * 4
    kernel, groups, deformed = tuple(weight.shape[2:]), node.get("group", 1), node.get("offset_group", 1)
    batch, channels, height, width = x.shape
    rows, columns = offset.shape[2:]
    points = kernel[0] * kernel[1]
    moves = offset.reshape(batch, deformed, points, 2, rows, columns)
    grid = [
        (torch.arange(out) * stride - pad).reshape(shape) + (torch.arange(points) // div % mod * dilation).reshape(-1, 1, 1)
        for out, stride, pad, shape, div, mod, dilation in (
            (rows, strides[0], pads[0], (1, -1, 1), kernel[1], kernel[0], dilations[0]), (columns, strides[1], pads[1], (1, 1, -1), 1, kernel[1], dilations[1]),
        )
    ]
    y, z = moves.select(3, 0) + grid[0], moves.select(3, 1) + grid[1]
    each = channels // deformed
    table = x.reshape(batch, deformed, each, height * width)
    found = torch.zeros((), dtype=x.dtype)
    low_y, low_z = torch.floor(y), torch.floor(z)
    for dy in (0, 1):
        for dz in (0, 1):
            at_y, at_z = low_y + dy, low_z + dz
            share = (1 - torch.abs(y - at_y)) * (1 - torch.abs(z - at_z))
            inside = (at_y >= 0) & (at_y < height) & (at_z >= 0) & (at_z < width)
            place = torch.clamp(at_y, 0, height - 1).to(torch.int64) * width + torch.clamp(at_z, 0, width - 1).to(torch.int64)
            taken = torch.gather(table, 3, place.reshape(batch, deformed, 1, -1).expand(batch, deformed, each, points * rows * columns))
            share = torch.where(inside, share, torch.zeros((), dtype=x.dtype)).reshape(batch, deformed, 1, -1)
            found = found + taken * share
    if mask is not None:
        found = found * mask.reshape(batch, deformed, 1, -1)
    columns_of = found.reshape(batch, groups, channels // groups * points, rows * columns)
    kernels = weight.reshape(groups, weight.shape[0] // groups, -1)
    made = torch.matmul(kernels, columns_of).reshape(batch, weight.shape[0], rows, columns)
    return made if bias is None else made + bias.reshape(-1, 1, 1)


@operator("Col2Im", known=(1, 2))
def col2im(node: Node, x: Any, image: Any, block: Any) -> Any:
    """Windows, added where they overlap."""
    dims = len(image)
    strides, dilations, pads = spatial(node, "strides", dims), spatial(node, "dilations", dims), node.get("pads") or (0,) * (2 * dims)
    points = 1
    for extent in block:
        points *= extent
    channels = x.shape[1] // points
    padded = [image[k] + pads[k] + pads[k + dims] for k in range(dims)]
    counts = [(padded[k] - dilations[k] * (block[k] - 1) - 1) // strides[k] + 1 for k in range(dims)]
    place = torch.zeros((), dtype=torch.int64)
    for k in range(dims):
        at = torch.arange(block[k]).reshape(-1, 1) * dilations[k] + torch.arange(counts[k]) * strides[k]
        shape = [block[k] if i == k else 1 for i in range(dims)] + [counts[k] if i == k else 1 for i in range(dims)]
        place = place * padded[k] + at.reshape(shape)
    size = 1
    for extent in padded:
        size *= extent
    at = place.reshape(1, 1, -1).expand(x.shape[0], channels, place.numel())
    made = torch.scatter_add(torch.zeros(x.shape[0], channels, size, dtype=x.dtype), 2, at, x.reshape(x.shape[0], channels, -1))
    made = made.reshape(x.shape[0], channels, *padded)
    for k in range(dims):
        made = made.narrow(k + 2, pads[k], image[k])
    return made
