"""Fourier transforms; complex values are reals with a last dimension of 2."""

from __future__ import annotations

from typing import Any

import torch

from ...torch.lowering import NotLowered
from ..registry import Node, axes_of, operator
from .shapes import listed


@operator("DFT", known=(1, 2))
def dft(node: Node, x: Any, length: Any = None, axis: Any = None) -> Any:
    """As products with the matrices of the transform."""
    usual = 1 if node.opset < 20 else -2
    along = axes_of(node.get("axis", usual) if axis is None else listed(axis)[0], x.dim())[0]
    if along == x.dim() - 1:
        raise NotLowered("along the dimension of real and imaginary parts")
    inverse, onesided = bool(node.get("inverse", 0)), bool(node.get("onesided", 0))
    count = x.shape[along] if length is None else listed(length)[0]
    if inverse and onesided:
        half = count if length is None else count // 2 + 1
        size = 2 * (half - 1) if length is None else count
        return real_inverse(x, along, half, size)
    taken = min(count, x.shape[along])
    x = x.narrow(along, 0, taken)
    out = count // 2 + 1 if onesided else count
    angle = torch.arange(out).unsqueeze(1) * torch.arange(taken) % count * (2 * torch.pi / count)
    parts = apply(x, along, angle.to(torch.float64), -1 if not inverse else 1)
    return parts / count if inverse else parts


def apply(x: Any, along: int, angle: Any, sign: int) -> Any:
    """The sums of elements, turned by angles."""
    cos, sin = torch.cos(angle).t().to(x.dtype), (sign * torch.sin(angle)).t().to(x.dtype)
    parts = [x.select(-1, k).movedim(along, -1) for k in range(x.shape[-1])]
    re, im = torch.matmul(parts[0], cos), torch.matmul(parts[0], sin)
    if len(parts) > 1:
        re, im = re - torch.matmul(parts[1], sin), im + torch.matmul(parts[1], cos)
    return torch.stack([re.movedim(-1, along), im.movedim(-1, along)], -1)


def real_inverse(x: Any, along: int, half: int, size: int) -> Any:
    """A real sequence of one side of its spectrum."""
    x = x.narrow(along, 0, min(half, x.shape[along]))
    rows = x.shape[along]
    weight = torch.full((rows,), 2.0, dtype=torch.float64)
    counted = torch.where((torch.arange(rows) == 0) | (torch.arange(rows) * 2 == size), weight / 2, weight)
    angle = torch.arange(size).unsqueeze(1) * torch.arange(rows) % size * (2 * torch.pi / size)
    cos, sin = ((f(angle.to(torch.float64)) * counted / size).t().to(x.dtype) for f in (torch.cos, torch.sin))
    made = torch.matmul(x.select(-1, 0).movedim(along, -1), cos)
    if x.shape[-1] > 1:
        made = made - torch.matmul(x.select(-1, 1).movedim(along, -1), sin)
    return made.movedim(-1, along).unsqueeze(-1)


@operator("STFT", known=(1, 3))
def stft(node: Node, x: Any, step: Any, window: Any = None, length: Any = None) -> Any:
    hop = listed(step)[0]
    size = listed(length)[0] if length is not None else window.shape[0]
    count = 1 + (x.shape[1] - size) // hop
    at = torch.arange(count).unsqueeze(1) * hop + torch.arange(size)
    frames = x.index_select(1, at.reshape(-1)).unflatten(1, (count, size))
    frames = frames if frames.dim() == 4 else frames.unsqueeze(-1)
    if window is not None:
        frames = frames * window.reshape(-1, 1)
    out = size // 2 + 1 if node.get("onesided", 1) else size
    angle = torch.arange(out).unsqueeze(1) * torch.arange(size) % size * (2 * torch.pi / size)
    return apply(frames, 2, angle.to(torch.float64), -1)
