"""A model as it would be if its attention went back so many time steps at most: what a program with a bounded context is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

SOFTMAX = (torch.ops.aten._softmax.default, torch.ops.aten._safe_softmax.default)


class Bounded(TorchDispatchMode):  # type: ignore[misc]
    """Hides from each row of a square of scores the columns further back. The columns are the dimension of the softmax, the rows that before it."""

    def __init__(self, context: int):
        super().__init__()
        self.context = context

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # which would load it

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in SOFTMAX:
            shape, dim = args[0].shape, args[1] % max(1, args[0].dim())
            if dim > 0 and shape[dim] == shape[dim - 1]:
                numbers = torch.arange(shape[dim])
                far = numbers.unsqueeze(1) - numbers >= self.context
                args = (args[0].masked_fill(far.reshape(*far.shape, *(1,) * (len(shape) - dim - 1)), float("-inf")), *args[1:])
        return func(*args, **(kwargs or {}))


@contextmanager
def bounded(context: int | None) -> Iterator[None]:
    """Models that run meanwhile have no more context than that; None: they are as they are."""
    if context is None:
        yield
        return
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # layers of transformers have a way around all operators
    try:
        with sdpa_kernel(SDPBackend.MATH), Bounded(context):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
