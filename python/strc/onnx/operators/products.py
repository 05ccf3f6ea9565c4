"""Products of matrices."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from ...torch.lowering import NotLowered
from ..registry import Node, operator


@operator("MatMul")
def matmul(node: Node, x: Any, y: Any) -> Any:
    if node.is_stored(1) and not node.is_stored(0) and y.dim() == 2 and x.dtype == y.dtype == torch.float32:
        return functional.linear(x, y.t())
    return torch.matmul(x, y)


@operator("Gemm")
def gemm(node: Node, a: Any, b: Any, c: Any = None) -> Any:
    """alpha a b + beta c."""
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    a = a.t() if node.get("transA", 0) else a
    if not a.dtype.is_floating_point and (alpha != 1 or beta != 1):
        raise NotLowered("whole numbers, scaled")
    if alpha == 1 and (c is None or beta == 1) and a.dtype == torch.float32 and (c is None or c.dim() == 1 and c.shape[0] > 1):
        return functional.linear(a, b if node.get("transB", 0) else b.t(), c)
    product = torch.matmul(a, b.t() if node.get("transB", 0) else b)
    product = product if alpha == 1 else product * alpha
    return product if c is None or beta == 0 else product + (c if beta == 1 else c * beta)


@operator("Einsum")
def einsum(node: Node, *given: Any) -> Any:
    return torch.einsum(node.get("equation").replace(" ", ""), *given)


@operator("Det")
def det(node: Node, x: Any) -> Any:
    return torch.linalg.det(x)
