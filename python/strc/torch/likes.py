"""What is known of the results of operators that PyTorch takes apart for it, step by step along a dimension that may be open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def recurrent(x: Any, states: Any, stored: Any, biased: bool, count: int, dropout: float, training: bool, bidirectional: bool, batch_first: bool) -> Any:
    """Of layers over a sequence: all steps, and the last states."""
    last = states if isinstance(states, (list, tuple)) else [states]
    steps = x.new_empty((*x.shape[:-1], last[0].shape[-1] * (2 if bidirectional else 1)))
    return (steps, *(one.new_empty(one.shape) for one in last))


LIKES: dict[Any, Callable[..., Any]] = {
    torch.ops.aten.lstm.input: recurrent, torch.ops.aten.gru.input: recurrent, torch.ops.aten.rnn_tanh.input: recurrent,
    torch.ops.aten.rnn_relu.input: recurrent,
}


def likes_of(operator: Any) -> Callable[..., Any]:
    """A function of tensors without values that gives such as the operator's results are."""
    found: Callable[..., Any] = LIKES.get(operator, operator)
    return found
