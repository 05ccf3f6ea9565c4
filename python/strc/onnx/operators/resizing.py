"""Pictures and sequences of another size: for each axis a matrix, or the places of the nearest elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, floor
from typing import Any

import numpy
import torch
from numpy.typing import NDArray
from torch.nn import functional

from ...torch.lowering import NotLowered, static
from ...torch.sizes import expression
from ..registry import Node, axes_of, check_count, operator

Doubles = NDArray[numpy.float64]
MOST_PARTS = 1024  # of a factor by which an open size is scaled


@dataclass(frozen=True)
class Axis:
    """An axis that gets another size."""

    axis: int
    size: int
    out: int
    scale: Any  # a float, or one of NumPy's of single precision
    start: float = 0.0
    end: float = 1.0


def origin(node: Node, axis: Axis, place: int) -> Any:
    """Where an element of the result is in the input."""
    way = node.get("coordinate_transformation_mode", "half_pixel")
    size, out, scale = axis.size, axis.out, axis.scale
    whole = scale * size  # what the size would be, were it no whole number
    if way == "align_corners":
        return 0.0 if out == 1 else place * (size - 1) / (whole - 1 if whole != 1 else 1)
    if way == "asymmetric":
        return place / scale
    if way == "tf_crop_and_resize":
        if out > 1:
            return axis.start * (size - 1) + place * (axis.end - axis.start) * (size - 1) / (out - 1)
        return 0.5 * (axis.start + axis.end) * (size - 1)
    if way == "pytorch_half_pixel" and out == 1:
        return -0.5
    if way == "half_pixel_symmetric":
        centre = size / 2
        return centre * (1 - out / whole) + (place + 0.5) / scale - 0.5
    if way not in ("half_pixel", "pytorch_half_pixel"):
        raise NotLowered(f"coordinates by {way}")
    return (place + 0.5) / scale - 0.5


def nearest(node: Node, at: float) -> int:
    way = node.get("nearest_mode", "round_prefer_floor")
    if way == "floor":
        return floor(at)
    if way == "ceil":
        return ceil(at)
    return ceil(at - 0.5) if way == "round_prefer_floor" else floor(at + 0.5)


def cubic(distance: float, a: float) -> float:
    x = abs(distance)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


def weights(node: Node, axis: Axis, at: float) -> dict[int, float]:
    """What each element of the input counts for one of the result; places beyond the ends are among them."""
    kind, a = node.get("mode", "nearest"), node.get("cubic_coeff_a", -0.75)
    slow = min(axis.scale, 1.0) if node.get("antialias", 0) else 1.0
    reach = (2 if kind == "cubic" else 1) / slow
    found = {}
    for place in range(floor(at - reach) + 1, ceil(at + reach)) if slow < 1 else range(floor(at) - (1 if kind == "cubic" else 0), floor(at) + (3 if kind == "cubic" else 2)):
        distance = (place - at) * slow
        found[place] = cubic(distance, a) if kind == "cubic" else max(0.0, 1 - abs(distance))
    if node.get("exclude_outside", 0):
        found = {place: weight for place, weight in found.items() if 0 <= place < axis.size}
    total = sum(found.values())
    return {place: weight / total for place, weight in found.items()} if slow < 1 or node.get("exclude_outside", 0) else found


def matrix(node: Node, axis: Axis) -> Doubles:
    """Results by elements; what lies beyond the ends counts as the last element."""
    made = numpy.zeros((axis.out, axis.size))
    for row in range(axis.out):
        for place, weight in weights(node, axis, origin(node, axis, row)).items():
            made[row, min(max(place, 0), axis.size - 1)] += weight
    return made


def resized(node: Node, x: Any, axis: Axis) -> Any:
    if None in (static(axis.size), static(axis.out)):
        return open_resized(node, x, axis)
    if node.get("mode", "nearest") == "nearest":
        places = [min(max(nearest(node, origin(node, axis, row)), 0), axis.size - 1) for row in range(axis.out)]
        return x.index_select(axis.axis, torch.tensor(places, dtype=torch.int64))
    table = torch.from_numpy(matrix(node, axis).T.copy()).to(x.dtype if x.dtype.is_floating_point else torch.float32)
    real = x if x.dtype.is_floating_point else x.to(torch.float32)
    return torch.matmul(real.movedim(axis.axis, -1), table).movedim(-1, axis.axis).to(x.dtype)


def open_resized(node: Node, x: Any, axis: Axis) -> Any:
    """Along an axis whose size is open, before or after: places and what each counts for are computed as the program runs."""
    kind, a = node.get("mode", "nearest"), node.get("cubic_coeff_a", -0.75)
    slow = node.get("antialias", 0) and (isinstance(axis.scale, torch.Tensor) or axis.scale < 1)
    if slow or node.get("exclude_outside", 0):
        raise NotLowered("smoothed, or without what is outside, along a dimension that is open")
    single = isinstance(axis.scale, numpy.floating)
    rows = torch.arange(axis.out).to(torch.float32 if single else torch.float64)
    at = origins(node, replace(axis, scale=float(axis.scale)) if single else axis, rows)
    last = one_number(axis.size - 1).to(at.dtype)

    def taken(places: Any) -> Any:
        inside = torch.minimum(torch.clamp(places, 0), last).to(torch.int64)
        return x.index_select(axis.axis, inside)

    if kind == "nearest":
        return taken({"floor": torch.floor, "ceil": torch.ceil}.get(node.get("nearest_mode", "round_prefer_floor"), nearest_of(node))(at))
    shape = [-1 if i == axis.axis else 1 for i in range(x.dim())]
    low = torch.floor(at)
    part = at - low
    if kind == "linear":
        counts = {0: 1 - part, 1: part}
    else:

        def near(d: Any) -> Any:
            return ((a + 2) * d - (a + 3)) * d * d + 1

        def far(d: Any) -> Any:
            return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

        counts = {-1: far(part + 1), 0: near(part), 1: near(1 - part), 2: far(2 - part)}
    parts = [taken(low + place) * count.to(torch.float32).reshape(shape) for place, count in counts.items()]
    return reduce(torch.add, parts).to(x.dtype)


def nearest_of(node: Node) -> Callable[[Any], Any]:
    floor_first = node.get("nearest_mode", "round_prefer_floor") == "round_prefer_floor"
    return lambda at: torch.ceil(at - 0.5) if floor_first else torch.floor(at + 0.5)


def origins(node: Node, axis: Axis, rows: Any) -> Any:
    """`origin` of all elements of the result, where a size is open."""
    way = node.get("coordinate_transformation_mode", "half_pixel")
    if way == "asymmetric":
        return rows / axis.scale
    if way == "half_pixel":
        return (rows + 0.5) / axis.scale - 0.5
    if way == "pytorch_half_pixel" and static(axis.out) != 1:
        return (rows + 0.5) / axis.scale - 0.5
    if way == "align_corners" and static(axis.out) != 1 and (isinstance(axis.scale, torch.Tensor) or float(axis.scale).is_integer()):
        return rows * one_number(axis.size - 1).to(rows.dtype) / torch.clamp(one_number(axis.out - 1), 1).to(rows.dtype)
    raise NotLowered(f"coordinates by {way}, along a dimension that is open")


def outside(node: Node, x: Any, axes: list[Axis]) -> Any:
    """Where elements of the result come from outside of the input."""
    found = torch.zeros((), dtype=torch.bool)
    for axis in axes:
        beyond = [not 0 <= origin(node, axis, row) <= axis.size - 1 for row in range(axis.out)]
        found = found | torch.tensor(beyond).reshape([-1 if i == axis.axis else 1 for i in range(x.dim())])
    return found


def ratio(out: Any, size: Any) -> Any:
    """Of two sizes; that of open ones is known if they are multiples of each other, else a tensor."""
    if static(out) is not None and static(size) is not None:
        return out / size
    import sympy

    made = sympy.cancel(expression(out) / expression(size))
    if made.is_Rational:
        return float(made)
    return one_number(out) / one_number(size)


def one_number(size: Any) -> Any:
    """A size that may be open as a tensor."""
    return torch.ops.aten.scalar_tensor(size, dtype=torch.int64).to(torch.float64)


def kept_ratio(node: Node, sizes: list[int], shape: list[int]) -> tuple[list[int], list[Any]]:
    """Sizes with one scale for all axes, where the model wants that."""
    policy = node.get("keep_aspect_ratio_policy", "stretch")
    scales = [ratio(out, size) for out, size in zip(sizes, shape)]
    if policy == "stretch":
        return sizes, scales
    if any(static(size) is None for size in (*sizes, *shape)):
        raise NotLowered("with one scale for all axes, of a dimension that is open")
    scale = min(scales) if policy == "not_larger" else max(scales)
    return [floor(scale * size + 0.5) for size in shape], [scale] * len(shape)


def scaled(size: Any, scale: Any) -> Any:
    """What the size of an axis becomes."""
    if static(size) is not None:
        return floor(size * scale)
    ratio = Fraction(float(scale))
    if ratio.denominator > MOST_PARTS:
        raise NotLowered(f"by {float(scale)}, of a dimension that is open: such are scaled by halves, quarters and the like")
    return size * ratio.numerator // ratio.denominator


def axes_to_change(node: Node, x: Any, roi: Any, scales: Any, sizes: Any) -> list[Axis]:
    axes = axes_of(node.get("axes") or range(x.dim()), x.dim())
    shape = [x.shape[axis] for axis in axes]
    if sizes:
        outs, factors = kept_ratio(node, [size if isinstance(size, torch.SymInt) else int(size) for size in sizes], shape)
    elif scales:
        if not all(0 < scale < float("inf") for scale in scales):
            raise NotLowered(f"by the factors {scales}")
        factors = [numpy.float32(scale) for scale in scales]  # places are computed with as many digits, which decides where they meet a bound
        outs = [scaled(size, scale) for size, scale in zip(shape, factors)]
    else:
        raise NotLowered("neither scales nor sizes")
    if any(static(out) == 0 for out in outs) or len(outs) != len(axes):
        raise NotLowered(f"to the sizes {outs}")
    check_count(max(static(out) or 1 for out in outs), "elements of a dimension")
    is_crop = node.get("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize"
    parts = [(roi[i], roi[i + len(axes)]) if is_crop and roi else (0.0, 1.0) for i in range(len(axes))]
    made = [Axis(axis, size, out, factor, *part) for axis, size, out, factor, part in zip(axes, shape, outs, factors, parts)]
    return [axis for axis in made if str(axis.out) != str(axis.size) or axis.scale != 1 or is_crop]


def whole_factors(node: Node, x: Any, axes: list[Axis]) -> Any:
    """By PyTorch's own operator, where that is the same and streams know it; else None."""
    dims = x.dim() - 2
    if any(static(size) is None for axis in axes for size in (axis.size, axis.out)):
        return None
    if dims not in (1, 2) or x.dtype != torch.float32 or any(axis.axis < 2 for axis in axes) or node.get("antialias", 0) or node.get("exclude_outside", 0):
        return None
    scales = {axis.axis: axis.out / axis.size for axis in axes}
    if any(scales[axis.axis] != axis.scale or not float(axis.scale).is_integer() for axis in axes):
        return None
    kind, way = node.get("mode", "nearest"), node.get("coordinate_transformation_mode", "half_pixel")
    size = tuple(x.shape[k + 2] * int(scales.get(k + 2, 1)) for k in range(dims))
    same = kind == "nearest" and (way == "asymmetric" and node.get("nearest_mode", "round_prefer_floor") == "floor")
    if same or (kind == "nearest" and way == "half_pixel" and node.get("nearest_mode", "round_prefer_floor") in ("round_prefer_floor", "round_prefer_ceil")):
        return functional.interpolate(x, size, mode="nearest")
    if kind == "linear" and way in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        return functional.interpolate(x, size, mode="linear" if dims == 1 else "bilinear", align_corners=way == "align_corners")
    return None


@operator("Resize", known=(1, 2, 3))
def resize(node: Node, x: Any, roi: Any = None, scales: Any = None, sizes: Any = None) -> Any:
    if node.opset < 11:
        roi, scales = None, roi
    axes = axes_to_change(node, x, roi, scales, sizes)
    found = whole_factors(node, x, axes)
    if found is not None:
        return found
    made = x
    for axis in axes:
        made = resized(node, made, axis)
    if node.get("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize":
        return made
    return torch.where(outside(node, x, axes), torch.tensor(node.get("extrapolation_value", 0.0), dtype=x.dtype), made)


@operator("Upsample", known=(1,))
def upsample(node: Node, x: Any, scales: Any = None) -> Any:
    plain = {"mode": node.get("mode", "nearest"), "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    inner = Node("Resize", node.name, "", 13, plain, node.inputs, node.outputs)
    return resize(inner, x, None, node.get("scales", scales), None)


@operator("GridSample")
def grid_sample(node: Node, x: Any, grid: Any) -> Any:
    kinds = {"linear": "bilinear", "bilinear": "bilinear", "nearest": "nearest", "cubic": "bicubic", "bicubic": "bicubic"}
    mode, edges = kinds[node.get("mode", "linear")], node.get("padding_mode", "zeros")
    return functional.grid_sample(x, grid, mode=mode, padding_mode=edges, align_corners=bool(node.get("align_corners", 0)))
