"""Elements taken from places, and put there. Places that are negative count from the end."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from ...torch.lowering import NotLowered, static
from ..registry import ML, Node, axes_of, operator


def from_front(places: Any, size: int) -> Any:
    places = places.to(torch.int64)
    return torch.where(places < 0, places + size, places)


@operator("Gather", numbers=(1,))
def gather(node: Node, x: Any, places: Any) -> Any:
    """Slices along an axis."""
    axis = axes_of(node.get("axis", 0), x.dim())[0]
    size = x.shape[axis]
    if isinstance(places, int) and static(size) is None:
        return x.select(axis, places)
    if isinstance(places, int):
        axes_of(places, size, "place")
        return x.select(axis, places % size)
    if isinstance(places, list):
        at = torch.tensor(places, dtype=torch.int64)
        if static(size) is not None and bool(((at < -size) | (at >= size)).any()):
            raise NotLowered(f"places {int(at.min())} to {int(at.max())} of {size}")
        at = from_front(at, size) if bool((at < 0).any()) else at
    else:
        at = from_front(places, size)
        if axis == 0 and x.dim() == 2 and x.dtype == torch.float32:
            return functional.embedding(at, x)
    taken = x.index_select(axis, at.reshape(-1))
    return taken.reshape(*x.shape[:axis], *at.shape, *x.shape[axis + 1 :])


@operator("ArrayFeatureExtractor", domain=ML)
def features(node: Node, x: Any, places: Any) -> Any:
    taken = x.index_select(x.dim() - 1, places.reshape(-1).to(torch.int64))
    return taken.reshape(1, -1) if x.dim() == 1 else taken


@operator("GatherElements")
def gather_elements(node: Node, x: Any, places: Any) -> Any:
    axis = axes_of(node.get("axis", 0), x.dim())[0]
    return torch.gather(x, axis, from_front(places, x.shape[axis]))


def flat_places(places: Any, sizes: tuple[int, ...]) -> Any:
    """Of tuples of places along the first dimensions the place among all of them."""
    found = torch.zeros((), dtype=torch.int64)
    for k, size in enumerate(sizes):
        found = found * size + from_front(places.select(-1, k), size)
    return found


@operator("GatherND")
def gather_nd(node: Node, x: Any, places: Any) -> Any:
    """Slices at tuples of places, those of each batch its own."""
    batch, depth = node.get("batch_dims", 0), places.shape[-1]
    lead, sizes, rest = x.shape[:batch], x.shape[batch : batch + depth], x.shape[batch + depth :]
    at = flat_places(places, tuple(sizes))
    count = 1
    for size in sizes:
        count *= size
    many = 1
    for size in lead:
        many *= size
    table = x.reshape(many * count, *rest)
    at = at.reshape(many, -1) + torch.arange(many).unsqueeze(1) * count
    return table.index_select(0, at.reshape(-1)).reshape(*places.shape[:-1], *rest)


REDUCED = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


@operator("ScatterElements", "Scatter")
def scatter_elements(node: Node, x: Any, places: Any, values: Any) -> Any:
    axis = axes_of(node.get("axis", 0), x.dim())[0]
    at, kind = from_front(places, x.shape[axis]), node.get("reduction", "none")
    if kind == "none":
        return torch.scatter(x, axis, at, values)
    return torch.scatter_reduce(x, axis, at, values, REDUCED[kind], include_self=True)


@operator("ScatterND")
def scatter_nd(node: Node, x: Any, places: Any, values: Any) -> Any:
    """A tensor with other slices at tuples of places."""
    depth = places.shape[-1]
    sizes, rest = tuple(x.shape[:depth]), tuple(x.shape[depth:])
    count = 1
    for size in sizes:
        count *= size
    width = 1
    for size in rest:
        width *= size
    at = flat_places(places, sizes).reshape(-1, 1) * width + torch.arange(width)
    flat, kind = x.reshape(count * width), node.get("reduction", "none")
    parts = values.reshape(-1)
    made = torch.scatter(flat, 0, at.reshape(-1), parts) if kind == "none" else torch.scatter_reduce(flat, 0, at.reshape(-1), parts, REDUCED[kind])
    return made.reshape(x.shape)


@operator("TensorScatter")
def tensor_scatter(node: Node, past: Any, new: Any, start: Any = None) -> Any:
    """A cache in which some steps are new: of each batch from a place on."""
    axis = axes_of(node.get("axis", -2), past.dim())[0]
    size, count = past.shape[axis], new.shape[axis]
    first = torch.zeros(past.shape[0], dtype=torch.int64) if start is None else start.to(torch.int64)
    at = first.reshape(-1, 1) + torch.arange(count)
    if node.get("mode", "linear") == "circular":
        at = torch.remainder(at, size)
    sizes = [new.shape[i] if i in (0, axis) else 1 for i in range(new.dim())]
    return torch.scatter(past, axis, at.reshape(sizes).expand(new.shape), new)


@operator("Compress", known=(1,))
def compress(node: Node, x: Any, condition: Any) -> Any:
    """What stands where a condition holds, which has to be stored: how many that are is a shape."""
    axis = node.get("axis")
    x = x.reshape(-1) if axis is None else x
    at = torch.tensor([k for k, holds in enumerate(condition) if holds], dtype=torch.int64)
    return x.index_select(0 if axis is None else axes_of(axis, x.dim())[0], at)
