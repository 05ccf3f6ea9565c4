"""Recurrent layers over a whole sequence.

Layers as PyTorch has them are its own, so that they are the library's filters; others (peepholes, other activations, lengths, limits) are computed
step by step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.nn import functional

from ...torch.lowering import NotLowered, static
from ..registry import Node, operator

MOST_STEPS = 4096
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
ORDER = {"RNN": (0,), "GRU": (1, 0, 2), "LSTM": (0, 2, 3, 1)}  # of PyTorch's gates among those of ONNX


@dataclass(frozen=True)
class Layer:
    """One direction of a layer: its weights, and the functions of its gates."""

    w: Any
    r: Any
    b: Any
    peepholes: Any
    functions: tuple[Callable[..., Any], ...]
    clip: float | None
    forget: bool
    linear: bool

    def limited(self, x: Any) -> Any:
        return x if self.clip is None else torch.clamp(x, -self.clip, self.clip)


def activation(name: str, alpha: float | None, beta: float | None) -> Callable[..., Any]:
    a = {"LeakyRelu": 0.01, "Elu": 1.0, "HardSigmoid": 0.2, "ThresholdedRelu": 1.0, "Affine": 1.0, "ScaledTanh": 1.0}.get(name, 0.0) if alpha is None else alpha
    b = {"HardSigmoid": 0.5, "ScaledTanh": 1.0}.get(name, 0.0) if beta is None else beta
    known: dict[str, Callable[..., Any]] = {
        "Relu": torch.relu, "Tanh": torch.tanh, "Sigmoid": torch.sigmoid, "Affine": lambda x: a * x + b, "LeakyRelu": lambda x: functional.leaky_relu(x, a),
        "ThresholdedRelu": lambda x: torch.where(x > a, x, torch.zeros_like(x)), "ScaledTanh": lambda x: a * torch.tanh(b * x),
        "HardSigmoid": lambda x: torch.clamp(a * x + b, 0, 1), "Elu": lambda x: functional.elu(x, a), "Softsign": functional.softsign,
        "Softplus": functional.softplus,
    }
    found = {key.lower(): function for key, function in known.items()}.get(name.lower())
    if found is None:
        raise NotLowered(f"the activation {name}")
    return found


def ways(node: Node) -> int:
    return 2 if node.get("direction", "forward") == "bidirectional" else 1


def functions_of(node: Node) -> list[tuple[Callable[..., Any], ...]]:
    """Of each direction."""
    names = [one.decode() if isinstance(one, bytes) else one for one in node.get("activations") or USUAL[node.op] * ways(node)]
    alphas, betas = list(node.get("activation_alpha") or []), list(node.get("activation_beta") or [])
    made = [activation(name, alphas[i] if i < len(alphas) else None, betas[i] if i < len(betas) else None) for i, name in enumerate(names)]
    each = len(USUAL[node.op])
    return [tuple(made[i * each : (i + 1) * each]) for i in range(ways(node))]


def is_usual(node: Node, lengths: Any, peepholes: Any) -> bool:
    """Whether it is a layer as PyTorch has them, whose weights are stored."""
    names = [one.decode() if isinstance(one, bytes) else one for one in node.get("activations") or USUAL[node.op] * ways(node)]
    same = [name.lower() for name in names] == [name.lower() for name in USUAL[node.op] * ways(node)]
    linear = node.op != "GRU" or node.get("linear_before_reset", 0)
    plain = node.get("clip") is None and not node.get("input_forget", 0)
    stored = node.is_stored(1) and node.is_stored(2) and (len(node.inputs) < 4 or not node.inputs[3] or node.is_stored(3))
    return bool(stored and same and linear and plain and lengths is None and peepholes is None)


def starts_with_zeros(node: Node, *states: Any) -> bool:
    """Whether the first states are left out, or stored zeros."""
    return all(state is None or node.has_zeros(place) for place, state in enumerate(states, 5))


def reordered(value: Any, op: str) -> Any:
    """The gates in PyTorch's order."""
    if op == "RNN":
        return value
    parts = torch.chunk(value, GATES[op], 0)
    return torch.cat([parts[k] for k in ORDER[op]], 0)


def at_once(node: Node, x: Any, w: Any, r: Any, b: Any, states: list[Any]) -> list[Any]:
    """By PyTorch's layer: all steps and the last states, as ONNX has them."""
    if node.get("direction", "forward") == "reverse":
        turned_back = at_once(replace(node, attributes={**node.attributes, "direction": "forward"}), x.flip(0), w, r, b, states)
        return [turned_back[0].flip(0), *turned_back[1:]]
    stored = []
    for k in range(ways(node)):
        stored += [reordered(w.select(0, k), node.op), reordered(r.select(0, k), node.op)]
        if b is not None:
            stored += [reordered(part, node.op) for part in torch.chunk(b.select(0, k), 2, 0)]
    options = (b is not None, 1, 0.0, False, ways(node) == 2, False)
    if node.op == "LSTM":
        given = torch.lstm(x, tuple(states), stored, *options)
    else:
        given = (torch.gru if node.op == "GRU" else torch.rnn_tanh)(x, states[0], stored, *options)
    time, batch, _ = x.shape
    return [given[0].reshape(time, batch, ways(node), -1).permute(0, 2, 1, 3), *given[1:]]


def lstm_step(layer: Layer, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
    f, g, k = layer.functions
    i, o, forget, cell = torch.chunk(x + torch.matmul(h, layer.r.t()), 4, 1)
    pi, po, pf = torch.chunk(layer.peepholes, 3, 0) if layer.peepholes is not None else (None, None, None)
    i = f(layer.limited(i if pi is None else i + pi * c))
    forget = 1 - i if layer.forget else f(layer.limited(forget if pf is None else forget + pf * c))
    c = forget * c + i * g(layer.limited(cell))
    return f(layer.limited(o if po is None else o + po * c)) * k(c), c


def gru_step(layer: Layer, x: Any, h: Any, bias: Any) -> Any:
    f, g = layer.functions
    xz, xr, xh = torch.chunk(x, 3, 1)
    rz, rr, rh = torch.chunk(layer.r, 3, 0)
    bz, br, bh = torch.chunk(bias, 3, 0)
    z = f(layer.limited(xz + torch.matmul(h, rz.t()) + bz))
    r = f(layer.limited(xr + torch.matmul(h, rr.t()) + br))
    if layer.linear:
        inner = g(layer.limited(xh + r * (torch.matmul(h, rh.t()) + bh)))
    else:
        inner = g(layer.limited(xh + torch.matmul(r * h, rh.t()) + bh))
    return (1 - z) * inner + z * h


def stepped(op: str, layer: Layer, x: Any, h: Any, c: Any, lengths: Any) -> tuple[Any, Any, Any]:
    """Step by step, of a sequence in its order; sequences that have ended keep their states, and give zeros."""
    count = GATES[op] * layer.r.shape[1]
    wb, rb = torch.chunk(layer.b, 2, 0) if layer.b is not None else (torch.zeros(count, dtype=x.dtype),) * 2
    given = []
    for t in range(x.shape[0]):
        at = torch.matmul(x.select(0, t), layer.w.t()) + wb
        after = c
        if op == "LSTM":
            new, after = lstm_step(layer, at + rb, h, c)
        elif op == "GRU":
            new = gru_step(layer, at, h, rb)
        else:
            new = layer.functions[0](layer.limited(at + torch.matmul(h, layer.r.t()) + rb))
        if lengths is None:
            h, c = new, after
            given.append(h)
            continue
        runs = (lengths > t).unsqueeze(1)
        h, c = torch.where(runs, new, h), torch.where(runs, after, c)
        given.append(torch.where(runs, new, torch.zeros_like(new)))
    return torch.stack(given, 0), h, c


def turned(x: Any, lengths: Any) -> Any:
    """The other way round, of each sequence as far as it goes."""
    if lengths is None:
        return x.flip(0)
    time = torch.arange(x.shape[0]).unsqueeze(1)
    at = torch.where(time < lengths, lengths - 1 - time, time)
    return torch.gather(x, 0, at.unsqueeze(-1).expand(x.shape))


def step_by_step(node: Node, x: Any, stored: tuple[Any, ...], states: list[Any], lengths: Any) -> list[Any]:
    if static(x.shape[0]) is None:
        raise NotLowered("as many steps as a dimension that is open has, of a layer with first states, lengths, peepholes, limits or activations that PyTorch's has not: they are written one after the other")
    if x.shape[0] > MOST_STEPS:
        raise NotLowered(f"{x.shape[0]} steps that are written one after the other, and {MOST_STEPS} are allowed: a layer without peepholes, limits and lengths is none")
    w, r, b, peepholes = stored
    found = []
    for k, functions in enumerate(functions_of(node)):
        layer = Layer(
            w.select(0, k), r.select(0, k), None if b is None else b.select(0, k), None if peepholes is None else peepholes.select(0, k), functions,
            node.get("clip"), bool(node.get("input_forget", 0)), bool(node.get("linear_before_reset", 0)),
        )
        backward = k == 1 or node.get("direction", "forward") == "reverse"
        y, h, c = stepped(node.op, layer, turned(x, lengths) if backward else x, states[0].select(0, k), states[-1].select(0, k), lengths)
        found.append((turned(y, lengths) if backward else y, h, c))
    return [torch.stack([one[0] for one in found], 1), *(torch.stack([one[i] for one in found], 0) for i in (1, 2))]


@operator("RNN", "GRU", "LSTM")
def recurrent(
    node: Node, x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h: Any = None, c: Any = None, peepholes: Any = None
) -> Any:
    """All steps, and the last states. Layout 1 has the batch first."""
    first = bool(node.get("layout", 0))
    if first:
        x, h, c = (None if one is None else one.transpose(0, 1) for one in (x, h, c))
    zeros = torch.zeros(ways(node), x.shape[1], r.shape[2], dtype=x.dtype)
    states = [zeros if one is None else one for one in ((h, c) if node.op == "LSTM" else (h,))]
    whole = None if lengths is None else lengths.to(torch.int64)
    if is_usual(node, lengths, peepholes) and starts_with_zeros(node, h, c):
        results = at_once(node, x, w, r, b, states)
    else:
        results = step_by_step(node, x, (w, r, b, peepholes), states, whole)
    results = results if node.op == "LSTM" else results[:2]
    if first:
        results = [results[0].permute(2, 0, 1, 3), *(one.transpose(0, 1) for one in results[1:])]
    return tuple(results)
