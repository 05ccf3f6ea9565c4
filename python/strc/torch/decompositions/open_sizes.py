"""What stands for functions of PyTorch while a model with open dimensions is captured: those fix a size, or compute it by way of reals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, _VF
from torch import library as operators

from .primitives import LIBRARY

# ---- recurrent layers, of which PyTorch writes out all steps where it asks for shapes

OPTIONS = "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first"
STATES = {"lstm": ("Tensor[] hx", 2), "gru": ("Tensor hx", 1), "rnn_tanh": ("Tensor hx", 1), "rnn_relu": ("Tensor hx", 1)}


def shapes_of(x: Tensor, states: Any, params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, _: bool) -> Any:
    """Results and last states without values."""
    states = list(states) if isinstance(states, (list, tuple)) else [states]
    width = states[0].shape[-1] * (2 if bidirectional else 1)
    return (x.new_empty((*x.shape[:-1], width)), *map(torch.empty_like, states))


def layer(kind: str) -> Callable[..., Any]:
    """The function for a kind of layers. Sequences of several lengths side by side are left to PyTorch's."""
    takes, count = STATES[kind]
    LIBRARY.define(f"{kind}(Tensor x, {takes}, {OPTIONS}) -> ({', '.join(['Tensor'] * (count + 1))})")
    operators.register_fake(f"strc::{kind}", shapes_of, lib=LIBRARY)
    operator, before = getattr(torch.ops.strc, kind), getattr(_VF, kind)

    def function(x: Tensor, *args: Any) -> Any:
        is_packed = not isinstance(args[2], bool)
        return before(x, *args) if is_packed else operator(x, *args)

    return function


# ---- changes of size by a whole factor

interpolate = torch.nn.functional.interpolate


def resized(input: Tensor, size: Any = None, scale_factor: Any = None, *args: Any, **named: Any) -> Any:
    """`torch.nn.functional.interpolate`, by whole numbers where a factor is one."""
    if scale_factor is not None and size is None:
        spatial = input.shape[2:]
        factors = list(scale_factor) if isinstance(scale_factor, (list, tuple)) else [scale_factor] * len(spatial)
        if all(float(factor).is_integer() for factor in factors):
            if len(args) > 2:
                args = (*args[:2], None, *args[3:])  # whether to compute the factor again, which is the same number
            named.pop("recompute_scale_factor", None)
            return interpolate(input, [extent * int(factor) for extent, factor in zip(spatial, factors)], None, *args, **named)
    return interpolate(input, size, scale_factor, *args, **named)


REPLACED: dict[tuple[str, str], Any] = {
    **{("torch._VF", kind): layer(kind) for kind in STATES},
    ("torch.nn.functional", "interpolate"): resized,
}
