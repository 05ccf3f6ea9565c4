"""What has as many elements as the values say, which have to be stored."""

from __future__ import annotations

from typing import Any

import torch

from ...torch.lowering import NotLowered
from ..registry import Node, axes_of, operator


@operator("NonZero", known=(0,))
def nonzero(node: Node, x: Any) -> Any:
    found = torch.tensor(x)
    return torch.nonzero(found.reshape(1) if found.dim() == 0 else found).t()


@operator("Unique", known=(0,))
def unique(node: Node, x: Any) -> Any:
    """The elements or slices, each once: in order, or as they come; with the first place of each, which one each is, and how often it comes."""
    whole = torch.tensor(x, dtype=node.types[0])
    axis = node.get("axis")
    rows = whole.reshape(-1, 1) if axis is None else whole.movedim(axes_of(axis, whole.dim())[0], 0).flatten(1)
    _, inverse, counts = torch.unique(rows, dim=0, return_inverse=True, return_counts=True)
    firsts = torch.stack([torch.nonzero(inverse == k)[0, 0] for k in range(len(counts))])
    if not node.get("sorted", 1):
        order = torch.argsort(firsts)
        firsts, counts = firsts[order], counts[order]
        inverse = torch.argsort(order)[inverse]
    values = whole.reshape(-1)[firsts] if axis is None else whole.index_select(axes_of(axis, whole.dim())[0], firsts)
    return values, firsts, inverse, counts


@operator("NonMaxSuppression")
def non_max_suppression(node: Node, *given: Any) -> Any:
    raise NotLowered("how many boxes it gives depends on the input, and a stream has one shape for all inputs: end the model before it")


@operator("ImageDecoder")
def image_decoder(node: Node, *given: Any) -> Any:
    raise NotLowered("the size of the picture depends on the input: give the model pictures, which programs read from files themselves")
