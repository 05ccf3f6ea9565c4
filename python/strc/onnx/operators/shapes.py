"""Other shapes and orders of the same elements, parts, and tensors put together."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from ...torch.lowering import NotLowered, static
from ..registry import Node, axes_of, check_count, operator, walks
from ..sizes import EXAMPLE, sizes_value

if TYPE_CHECKING:
    from ..walker import Values, Walker

MOST_COPIES = 64  # of a tensor that is repeated
FARTHEST = 2**31 - 1  # an end that lies before whatever is there


def listed(value: Any) -> list[int]:
    """Whole numbers of an input or an attribute, of which one may stand alone; sizes that are open are symbols."""
    given = [value] if isinstance(value, (int, float, torch.SymInt)) else value
    return [one if isinstance(one, torch.SymInt) else int(one) for one in given]


@operator("Reshape", known=(1,))
def reshape(node: Node, x: Any, shape: Any) -> Any:
    """0 is the size that there was, -1 what is left."""
    wanted = listed(shape)
    if not node.get("allowzero", 0):
        if any(size == 0 and place >= x.dim() for place, size in enumerate(wanted)):
            raise NotLowered(f"to the shape {wanted}, whose 0 means a dimension that there is not")
        wanted = [x.shape[place] if size == 0 else size for place, size in enumerate(wanted)]
    fixed = prod(size for size in wanted if size != -1)
    if wanted.count(-1) > 1 or any(size < -1 for size in wanted) or (fixed != x.numel() if -1 not in wanted else fixed and x.numel() % fixed):
        raise NotLowered(f"{x.numel()} elements to the shape {wanted}")
    return x.reshape(wanted)


@operator("Flatten")
def flatten(node: Node, x: Any) -> Any:
    axis = node.get("axis", 1)
    axis = axis + x.dim() if axis < 0 else axis
    if not 0 <= axis <= x.dim():
        raise NotLowered(f"axis {axis} of a tensor of {x.dim()} dimensions")
    return x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:]))


@operator("Transpose")
def transpose(node: Node, x: Any) -> Any:
    return x.permute(tuple(node.get("perm", range(x.dim() - 1, -1, -1))))


@operator("Squeeze", known=(1,))
def squeeze(node: Node, x: Any, axes: Any = None) -> Any:
    given = node.get("axes", axes)
    if given is None and any(static(size) is None for size in x.shape):
        raise NotLowered("without axes, of a shape that is open: which dimensions are of one element is not known")
    wanted = axes_of(given, x.dim()) if given is not None else [i for i, size in enumerate(x.shape) if size == 1]
    if any(x.shape[axis] != 1 for axis in wanted):
        raise NotLowered(f"the axes {list(wanted)} of the shape {list(x.shape)}, which are not all of one element")
    return x.squeeze(tuple(wanted)) if wanted else x


@operator("Unsqueeze", known=(1,))
def unsqueeze(node: Node, x: Any, axes: Any = None) -> Any:
    given = listed(node.get("axes", axes))
    for axis in sorted(axes_of(given, x.dim() + len(given))):
        x = x.unsqueeze(axis)
    return x


@operator("Concat")
def concat(node: Node, *given: Any) -> Any:
    return torch.cat(given, axes_of(node.get("axis", 1), given[0].dim())[0])


@walks("Shape")
def shape(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    """Of all dimensions, or of those from `start` to `end`."""
    return (sizes_value(list(given[0].shape)[slice(node.get("start", 0), node.get("end", None))], node.outputs[0]),)


@walks("Size")
def size(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    return (sizes_value(prod(given[0].shape), node.outputs[0]),)


@operator("Expand", known=(1,))
def expand(node: Node, x: Any, shape: Any) -> Any:
    return x.expand(torch.broadcast_shapes(tuple(x.shape), tuple(listed(shape))))


@operator("Tile", known=(1,))
def tile(node: Node, x: Any, repeats: Any) -> Any:
    counts = listed(repeats)
    if any(static(count) is None for count in counts):
        return x.repeat(tuple(counts))
    check_count(max(counts, default=1), "repeats")
    check_count(min(counts, default=1), "repeats")
    for axis, count in enumerate(counts):
        if count > MOST_COPIES and static(x.shape[axis]) is not None:  # by their places, where copies beside each other are too many
            x = x.index_select(axis, torch.arange(count * x.shape[axis]) % x.shape[axis])
            counts[axis] = 1
    return x.repeat(tuple(counts))


@operator("Split", known=(1,))
def split(node: Node, x: Any, sizes: Any = None) -> Any:
    axis = axes_of(node.get("axis", 0), x.dim())[0]
    given = node.get("split", sizes)
    if given is None:
        count = node.get("num_outputs", len(node.outputs))
        if not 0 < count <= len(node.outputs):
            raise NotLowered(f"into {count} parts, of which {len(node.outputs)} have a name")
        each = -(-x.shape[axis] // count)
        given = [min(each, max(0, x.shape[axis] - i * each)) for i in range(count)]
    if sum(given) != x.shape[axis] or min(given) < 0:
        raise NotLowered(f"{x.shape[axis]} elements into parts of {list(given)}")
    return tuple(torch.split(x, listed(given), axis))


@operator("Slice", known=(1, 2, 3, 4))
def part(node: Node, x: Any, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None) -> Any:
    first, last = listed(node.get("starts", starts)), listed(node.get("ends", ends))
    given = node.get("axes", axes)
    along = axes_of(listed(given), x.dim()) if given is not None else tuple(range(len(first)))
    for axis, start, end, step in zip(along, first, last, listed(steps) if steps is not None else [1] * len(first)):
        if step == 0:
            raise NotLowered("a step of 0")
        if any(static(one) is None for one in (x.shape[axis], start, end)):
            x = open_part(x, axis, start, end, step)
            continue
        low, high, step = slice(start, None if step < 0 and end < -x.shape[axis] else end, step).indices(x.shape[axis])
        if step > 0:
            x = torch.ops.aten.slice.Tensor(x, axis, low, max(low, high), step)
        else:
            taken = list(range(low, high, step))
            x = x.flip(axis) if taken == list(range(x.shape[axis] - 1, -1, -1)) else x.index_select(axis, torch.tensor(taken, dtype=torch.int64))
    return x


def open_part(x: Any, axis: int, start: Any, end: Any, step: int) -> Any:
    """Of a dimension that is open, or with ends that depend on one that is."""
    longest = max((abs(one) for one in (start, end) if static(one) is not None and abs(one) < FARTHEST), default=0)
    if static(x.shape[axis]) is None and longest >= EXAMPLE:
        raise NotLowered(f"a part that ends {longest} elements from an end of a dimension that is open, which may have fewer")
    if step == 1:
        return torch.ops.aten.slice.Tensor(x, axis, start, end, 1)
    if step == -1 and start == -1 and static(end) is not None and end <= -FARTHEST:
        return x.flip(axis)
    raise NotLowered("every so many elements of a dimension that is open")


MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}


def mirrored(size: int, before: int, after: int, mode: str) -> list[int]:
    """The places of a padded dimension's elements."""
    found = []
    for place in range(-before, size + after):
        if mode == "reflect":
            period = max(1, 2 * (size - 1))
            place %= period
            found.append(place if place < size else period - place)
        else:
            found.append(place % size if mode == "wrap" else min(max(place, 0), size - 1))
    return found


def open_pad(x: Any, axis: int, before: int, after: int, mode: str) -> Any:
    """By elements of a dimension that is open and has more than are added."""
    if min(before, after) < 0:
        raise NotLowered("less than nothing, in a dimension that is open")
    size, skipped = x.shape[axis], 1 if mode == "reflect" else 0
    if mode == "wrap":
        ends = [x.narrow(axis, size - before, before), x.narrow(axis, 0, after)]
    elif mode == "edge":
        ends = [x.narrow(axis, 0, 1).repeat_interleave(before, axis), x.narrow(axis, size - 1, 1).repeat_interleave(after, axis)]
    else:
        ends = [x.narrow(axis, skipped, before).flip(axis), x.narrow(axis, size - skipped - after, after).flip(axis)]
    parts = [ends[0]] * bool(before) + [x] + [ends[1]] * bool(after)
    return torch.cat(parts, axis)


@operator("Pad", known=(1, 3), numbers=(2,))
def pad(node: Node, x: Any, pads: Any = None, value: Any = None, axes: Any = None) -> Any:
    amounts = listed(node.get("pads", pads))
    along = axes_of(listed(axes), x.dim()) if axes is not None else tuple(range(x.dim()))
    mode, count = node.get("mode", "constant"), len(along)
    check_count(max(map(abs, amounts), default=0), "elements at an end")
    each = {axis: (amounts[i], amounts[i + count]) for i, axis in enumerate(along)}
    if mode != "constant":
        for axis, (before, after) in each.items():
            if static(x.shape[axis]) is None and (before or after):
                x = open_pad(x, axis, before, after, mode)
                continue
            x = x.narrow(axis, max(0, -before), x.shape[axis] + min(0, before) + min(0, after))
            if before > 0 or after > 0:
                x = x.index_select(axis, torch.tensor(mirrored(x.shape[axis], max(0, before), max(0, after), mode), dtype=torch.int64))
        return x
    flat = [amount for axis in reversed(range(x.dim())) for amount in each.get(axis, (0, 0))]
    number = node.get("value", 0 if value is None else value)
    while isinstance(number, list):
        number = number[0]
    if isinstance(number, torch.Tensor):
        inside = functional.pad(torch.ones(x.shape, dtype=torch.bool), flat)
        return torch.where(inside, functional.pad(x, flat), number.reshape(()))
    if x.dtype == torch.bool:
        return functional.pad(x.to(torch.int32), flat, value=int(number)) != 0
    return functional.pad(x, flat, value=number)


@operator("CenterCropPad", known=(1,))
def center_crop_pad(node: Node, x: Any, shape: Any) -> Any:
    """To sizes, about the centre: the odd element is lost at the end, and added there."""
    axes = axes_of(node.get("axes") or range(x.dim()), x.dim())
    for axis, wanted in zip(axes, listed(shape)):
        size = x.shape[axis]
        if wanted <= size:
            x = x.narrow(axis, (size - wanted) // 2, wanted)
        else:
            before = (wanted - size) // 2
            x = functional.pad(x, [*(0, 0) * (x.dim() - 1 - axis), before, wanted - size - before])
    return x


def shuffled(x: Any, block: int, order: str) -> Any:
    batch, channels, height, width = x.shape
    rest = channels // (block * block)
    if order == "DCR":
        return x.reshape(batch, block, block, rest, height, width).permute(0, 3, 4, 1, 5, 2).reshape(batch, rest, height * block, width * block)
    return x.reshape(batch, rest, block, block, height, width).permute(0, 1, 4, 2, 5, 3).reshape(batch, rest, height * block, width * block)


@operator("DepthToSpace")
def depth_to_space(node: Node, x: Any) -> Any:
    return shuffled(x, node.get("blocksize"), node.get("mode", "DCR"))


@operator("SpaceToDepth")
def space_to_depth(node: Node, x: Any) -> Any:
    block = node.get("blocksize")
    batch, channels, height, width = x.shape
    apart = x.reshape(batch, channels, height // block, block, width // block, block)
    order = (0, 1, 3, 5, 2, 4) if node.get("mode", "DCR") == "CRD" else (0, 3, 5, 1, 2, 4)
    return apart.permute(order).reshape(batch, channels * block * block, height // block, width // block)


@operator("Trilu", known=(1,))
def trilu(node: Node, x: Any, k: Any = 0) -> Any:
    diagonal = k if isinstance(k, int) else 0 if k is None else k[0]
    rows, columns = torch.arange(x.shape[-2]).unsqueeze(1), torch.arange(x.shape[-1])
    kept = columns - rows >= diagonal if node.get("upper", 1) else columns - rows <= diagonal
    return torch.where(kept, x, torch.zeros((), dtype=x.dtype))


@operator("ReverseSequence", known=(1,))
def reverse_sequence(node: Node, x: Any, lengths: Any) -> Any:
    """Of each batch as many steps the other way round."""
    time, batch = axes_of((node.get("time_axis", 0), node.get("batch_axis", 1)), x.dim())
    count = x.shape[time]
    places = [[length - 1 - t if t < length else t for t in range(count)] for length in listed(lengths)]
    index = torch.tensor(places, dtype=torch.int64)
    index = index.t() if time < batch else index
    sizes = [x.shape[i] if i in (time, batch) else 1 for i in range(x.dim())]
    return torch.gather(x, time, index.reshape(sizes).expand(x.shape))
