"""Recurrent layers over a whole sequence."""

from __future__ import annotations

from typing import Any

import torch

from ..lowering import Like, Lowering, NotLowered, Var, lowers
from ..weights import Known


def zero_start(ctx: Lowering, states: Any) -> bool:
    return all(is_zero(ctx, state) for state in states)


def is_zero(ctx: Lowering, state: Any) -> bool:
    """Stored zeros, or such in a shape with open dimensions."""
    if isinstance(state, Var):
        made = {one.var: one for one in ctx.instructions}
        first = made.get(state.number)
        while first is not None and first.op == "expand_sized":
            first = made.get(first.args[0])
        return first is not None and first.op == "const" and not torch.any(ctx.weights.tensors[str(first.positional[0])])
    return isinstance(state, Known) and not torch.any(state.tensor)


def layers(ctx: Lowering, op: str, x: Var, states: Any, stored: Any, options: tuple[Any, ...], **named: Any) -> tuple[Var, ...]:
    """A stack of layers that starts with states of zero."""
    biased, count, _, training, bidirectional, batch_first = options
    if not zero_start(ctx, states):
        raise NotLowered("a first state that is not zero")
    names = parameter_names(biased, count, bidirectional)
    if len(names) != len(stored):
        raise NotLowered("a projection behind the state")
    hidden = stored[1].tensor.shape[1]
    prefix = ctx.prefix(**{name: ctx.known(value, "weight") for name, value in zip(names, stored)})
    for name, value, usual in (("bias", biased, True), ("bidirectional", bidirectional, False), ("batch_first", batch_first, False)):
        if value != usual:
            named[name] = value
    # The graph of an open batch may have states with a dimension too many.
    likes = [Like(tuple(like.shape[-x.rank :]), like.dtype) for like in ctx.meta]
    return ctx.emit_tuple(op, (x,), likes, stored[0].tensor.shape[1], hidden, count, **named, weights=prefix)


def parameter_names(biased: bool, count: int, bidirectional: bool) -> list[str]:
    kinds = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if biased else [])
    ends = [f"_l{layer}{way}" for layer in range(count) for way in (["", "_reverse"] if bidirectional else [""])]
    return [kind + end for end in ends for kind in kinds]


@lowers("lstm.input", "strc.lstm.default")
def lstm(ctx: Lowering, x: Any, states: Any, stored: Any, *options: Any) -> Any:
    return layers(ctx, "lstm", x, states, stored, options)


@lowers("gru.input", "strc.gru.default")
def gru(ctx: Lowering, x: Any, state: Any, stored: Any, *options: Any) -> Any:
    return layers(ctx, "gru", x, [state], stored, options)


@lowers("rnn_tanh.input", "strc.rnn_tanh.default")
def rnn(ctx: Lowering, x: Any, state: Any, stored: Any, *options: Any) -> Any:
    return layers(ctx, "rnn", x, [state], stored, options)


@lowers("rnn_relu.input", "strc.rnn_relu.default")
def rnn_relu(ctx: Lowering, x: Any, state: Any, stored: Any, *options: Any) -> Any:
    return layers(ctx, "rnn", x, [state], stored, options, relu=True)
