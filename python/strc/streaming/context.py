"""A model as it would be if its attention went back so many time steps at most: what a program with a bounded context is compared with."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

SOFTMAX = (torch.softmax, torch.Tensor.softmax, functional.softmax)


class Bounded(TorchFunctionMode):  # type: ignore[misc]
    """Hides from each row of a square of scores, or of what attention would make of one, the columns further back."""

    def __init__(self, context: int):
        super().__init__()
        self.context = context

    def far(self, rows: int) -> torch.Tensor:
        """Which columns are too far back."""
        numbers = torch.arange(rows)
        return numbers.unsqueeze(1) - numbers >= self.context

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func in SOFTMAX and args[0].dim() > 1 and args[0].shape[-1] == args[0].shape[-2]:
            args = (args[0].masked_fill(self.far(args[0].shape[-1]), float("-inf")), *args[1:])
        if func is functional.scaled_dot_product_attention and args[0].shape[-2] == args[1].shape[-2]:
            return self.attention(func, *args, **kwargs)
        return func(*args, **kwargs)

    def attention(
        self, func: Any, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, **kwargs: Any
    ) -> Any:
        rows = query.shape[-2]
        mask = torch.zeros(rows, rows, dtype=query.dtype).masked_fill(self.far(rows), float("-inf"))
        if is_causal:
            mask = mask.masked_fill(torch.ones(rows, rows, dtype=torch.bool).triu(1), float("-inf"))
        if attn_mask is not None:
            mask = mask.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else mask + attn_mask
        return func(query, key, value, mask, dropout_p, **kwargs)
