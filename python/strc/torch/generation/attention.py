"""The attention of a step: to what a ring has, or to what an encoder gave."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from ...errors import ImportFailure
from ..decompositions.primitives import primitive
from ..lowering import Lowering, lowers

ATTENTION = "strc_step"  # the name under which transformers knows `Attention`
# Arguments of an attention that change what it computes, and that the filter does not know.
UNKNOWN = ("head_mask",)


@primitive("cached_attention(Tensor q, Tensor k, Tensor v, Tensor? bias, Tensor? sinks, int context, float scale, float softcap, int restart) -> Tensor")
def cached_attention(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, sinks: Tensor | None, context: int, scale: float, softcap: float, restart: int
) -> Tensor:
    """What the first step gives, which attends to itself alone."""
    return v.repeat_interleave(q.shape[1] // v.shape[1], 1) + 0 * q


@lowers("strc.cached_attention.default")
def lower_cached_attention(ctx: Lowering, q: Any, k: Any, v: Any, *rest: Any) -> Any:
    (bias, sinks), (context, scale, softcap, restart) = rest[:2], rest[2:]
    batch, heads, _, width = q.shape
    operands = (q, k, v, *(one for one in (bias, sinks) if one is not None))
    more = {"softcap": float(softcap), "biased": bias is not None, "restart": restart, "sinks": sinks is not None}
    return ctx.emit(
        "cachedattention", operands, batch, heads, k.shape[1], width, context, float(scale), **{name: value for name, value in more.items() if value}
    )


def attended(query: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None, sinks: Tensor | None, scale: float, softcap: float) -> Tensor:
    """The attention that the filter computes, of all heads to keys and values that groups of them share."""
    keys, values = (one.repeat_interleave(query.shape[1] // one.shape[1], 1) for one in (keys, values))
    scores = query @ keys.transpose(2, 3) * scale
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    scores = scores if bias is None else scores + bias
    if sinks is not None:
        scores = torch.cat([scores, sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)], 3)
    return torch.softmax(scores, 3)[..., : keys.shape[2]] @ values


class Attention:
    """The attention of all layers to the last `context` steps, of which there are `restart` before all begins anew (0: it goes on).

    `kept` has keys and values by layer, or is None where the operator stands for it. `encoded` are the keys that come of an encoder.
    """

    def __init__(self, context: int, restart: int = 0):
        self.context, self.restart = context, restart
        self.kept: dict[int, tuple[Tensor, Tensor]] | None = None
        self.encoded: tuple[Tensor, ...] = ()
        self.bias: Tensor | None = None  # of the layers behind one that computes it

    def __call__(self, module: torch.nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Any = None, **options: Any) -> tuple[Tensor, None]:
        scale = float(query.shape[3] ** -0.5 if options.get("scaling") is None else options["scaling"])
        changing, sinks = [name for name in UNKNOWN if options.get(name) is not None], options.get("s_aux")
        if any(key is one for one in self.encoded) and not changing and sinks is None:
            made = functional.scaled_dot_product_attention(query, key, value, scale=scale, enable_gqa=True)
            return made.transpose(1, 2).contiguous(), None
        if changing or query.shape[2:] != key.shape[2:] or key.shape != value.shape:
            raise ImportFailure(f"an attention with {', '.join(changing) or 'keys and values of another shape'} has no filter with a ring")
        context = min(self.context, options.get("sliding_window") or self.context)
        how = context, scale, float(options.get("softcap") or 0.0)
        bias = None if options.get("position_bias") is None else self.bias_of(module)
        if self.kept is None:
            made = torch.ops.strc.cached_attention(query, key, value, bias, sinks, *how, self.restart)
        else:
            made = self.step(id(module), query, key, value, bias, sinks, *how)
        return made.transpose(1, 2).contiguous(), None

    def __deepcopy__(self, memo: Any) -> Attention:
        """A copy of a step attends by the same one, which transformers knows."""
        return self

    def bias_of(self, module: Any) -> Tensor | None:
        """What is added to the scores by how far back a step is, as T5 does it: the first layer computes it for all."""
        if getattr(module, "has_relative_attention_bias", False):
            self.bias = module.compute_bias(1, self.context, past_seen_tokens=self.context - 1)
        return self.bias

    def step(
        self, layer: int, query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, sinks: Tensor | None, context: int, scale: float, softcap: float
    ) -> Tensor:
        assert self.kept is not None
        if layer in self.kept:
            keys, values = self.kept[layer]
            key, value = (torch.cat(pair, 2)[:, :, -context:] for pair in ((keys, key), (values, value)))
        self.kept[layer] = key, value
        return attended(query, key, value, None if bias is None else bias[..., -key.shape[2] :], sinks, scale, softcap)


@contextlib.contextmanager
def attending(model: Any, attention: Attention) -> Iterator[None]:
    """Lets the layers of a model attend by `attention`."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(ATTENTION, attention)
    AttentionMaskInterface.register(ATTENTION, lambda *args, **options: None)
    # An encoder and its decoder may have a configuration each.
    configurations = {id(part.config): part.config for part in model.modules() if hasattr(getattr(part, "config", None), "_attn_implementation")}
    before = [one._attn_implementation for one in configurations.values()]
    for one in configurations.values():
        one._attn_implementation = ATTENTION
    try:
        yield
    finally:
        for one, name in zip(configurations.values(), before):
            one._attn_implementation = name
