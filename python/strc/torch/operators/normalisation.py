"""Normalisation over batches, layers and groups."""

from __future__ import annotations

from typing import Any

import torch

from ..lowering import Forbidden, Lowering, NoResult, NotLowered, Var, lowers, uses_others
from ..weights import Known

STATISTICS = NoResult("the statistics that a norm computes")


def affine(ctx: Lowering, weight: Any, bias: Any, shape: tuple[int, ...]) -> dict[str, Known]:
    """Scale and shift; if there is only one of them, one or zero stand for the other."""
    if weight is None and bias is None:
        return {}
    one = Known(ctx.local_name("weight"), torch.ones(shape))
    zero = Known(ctx.local_name("bias"), torch.zeros(shape))
    return {
        "weight": one if weight is None else ctx.known(weight, "scale"),
        "bias": zero if bias is None else ctx.known(bias, "shift"),
    }


def stored(ctx: Lowering, learned: dict[str, Known], **others: Known) -> dict[str, Any]:
    """The arguments that say where scale, shift and what else is stored are."""
    named: dict[str, Any] = {} if learned else {"affine": False}
    parts = {**learned, **others}
    return {**named, "weights": ctx.prefix(**parts)} if parts else named


def epsilon(eps: float) -> dict[str, Any]:
    return {} if eps == 1e-5 else {"eps": float(eps)}


def normalise(ctx: Lowering, x: Var, weight: Any, bias: Any, mean: Any, var: Any, eps: float) -> Any:
    mean, var = ctx.known(mean, "mean"), ctx.known(var, "variance")
    channels = mean.tensor.shape[0]
    dims = max(1, x.rank - 2)
    named = stored(ctx, affine(ctx, weight, bias, (channels,)), running_mean=mean, running_var=var)
    like = ctx.meta[0] if isinstance(ctx.meta, (tuple, list)) else ctx.meta
    return ctx.emit(f"batchnorm{dims}d", (x,), channels, like=like, **epsilon(eps), **named)


@lowers("batch_norm.default")
def batch_norm(
    ctx: Lowering, x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float, *_: Any
) -> Any:
    if training and mean is not None:
        raise Forbidden("statistics of the batch become a part of those that are stored (it is in training mode), which no stream does; pass training=self.training, or call model.eval()")
    if training or mean is None:
        raise NotLowered("statistics of the batch")
    return normalise(ctx, x, weight, bias, mean, var, eps)


@lowers("_native_batch_norm_legit_functional.default", "_native_batch_norm_legit.default", "native_batch_norm.default")
def batch_norm_of_batches(
    ctx: Lowering, x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float
) -> Any:
    made = batch_norm(ctx, x, weight, bias, mean, var, training, momentum, eps)
    return (made, *[Known(ctx.local_name("none"), torch.empty(0))] * (len(ctx.meta) - 1))


@lowers("_native_batch_norm_legit_no_training.default")
def native_batch_norm(ctx: Lowering, x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float) -> Any:
    return (normalise(ctx, x, weight, bias, mean, var, eps), *[Known(ctx.local_name("none"), torch.empty(0))] * 2)


def layer_norm_of(ctx: Lowering, x: Any, shape: Any, weight: Any, bias: Any, eps: float, like: Any) -> Any:
    named = stored(ctx, affine(ctx, weight, bias, tuple(shape)))
    return ctx.emit("layernorm", (x,), tuple(shape), like=like, **epsilon(eps), **named)


@lowers("layer_norm.default")
def layer_norm(ctx: Lowering, x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any) -> Any:
    return layer_norm_of(ctx, x, shape, weight, bias, eps, ctx.meta)


@lowers("native_layer_norm.default")
def native_layer_norm(ctx: Lowering, x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    if uses_others(ctx.node):
        raise NotLowered("the statistics that it computes")
    return (layer_norm_of(ctx, x, shape, weight, bias, eps, ctx.meta[0]), STATISTICS, STATISTICS)


@lowers("rms_norm.default")
def rms_norm(ctx: Lowering, x: Any, shape: Any, weight: Any = None, eps: float | None = None) -> Any:
    named = stored(ctx, {} if weight is None else {"weight": ctx.known(weight, "scale")})
    return ctx.emit("rmsnorm", (x,), tuple(shape), eps=float(eps or 1.1920929e-07), **named)


@lowers("group_norm.default")
def group_norm(ctx: Lowering, x: Any, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any) -> Any:
    channels = x.shape[1]
    return ctx.emit("groupnorm", (x,), groups, channels, **epsilon(eps), **stored(ctx, affine(ctx, weight, bias, (channels,))))


@lowers("instance_norm.default")
def instance_norm(
    ctx: Lowering, x: Any, weight: Any, bias: Any, mean: Any, var: Any, use_input_stats: bool, momentum: float, eps: float, *_: Any
) -> Any:
    if not use_input_stats:
        return normalise(ctx, x, weight, bias, mean, var, eps)
    channels = x.shape[1]
    learned = affine(ctx, weight, bias, (channels,))
    if x.rank != 4:  # each channel is a group
        return ctx.emit("groupnorm", (x,), channels, channels, **epsilon(eps), **stored(ctx, learned))
    # Unlike the others it has none unless they are asked for.
    named: dict[str, Any] = {"affine": True, "weights": ctx.prefix(**learned)} if learned else {}
    return ctx.emit("instancenorm2d", (x,), channels, **epsilon(eps), **named)


@lowers("_batch_norm_with_update.default", "_batch_norm_with_update_functional.default")
def batch_norm_with_update(ctx: Lowering, *_: Any) -> Any:
    raise Forbidden("statistics of the batch become a part of those that are stored, which no stream does; call model.eval()")
