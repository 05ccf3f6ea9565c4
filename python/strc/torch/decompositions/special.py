"""Special functions on those few that have filters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..lowering import Lowering, lowers
from .primitives import is_real, primitive
from .registry import made_of



def function(name: str, real: Callable[[Tensor], Tensor]) -> Any:
    """One of doubles with a filter of its own."""

    def computed(x: Tensor) -> Tensor:
        return real(x) if is_real(x) else torch.empty_like(x)

    def lower(ctx: Lowering, x: Any) -> Any:
        return ctx.emit(name, (x,))

    lowers(f"strc.{name}.default")(lower)
    return primitive(f"{name}(Tensor x) -> Tensor")(computed)


lgamma_, digamma_ = function("lgamma", torch.lgamma), function("digamma", torch.digamma)
erfinv_, ndtri_ = function("erfinv", torch.erfinv), function("ndtri", torch.special.ndtri)
i0e_, i1e_ = function("bessel_i0e", torch.special.i0e), function("bessel_i1e", torch.special.i1e)
erfcx_ = function("erfcx", torch.special.erfcx)


@primitive("zeta(Tensor s, Tensor q) -> Tensor")
def zeta_(s: Tensor, q: Tensor) -> Tensor:
    return torch.special.zeta(s, q) if is_real(s) else torch.empty(torch.broadcast_shapes(s.shape, q.shape), dtype=s.dtype, device=s.device)


@lowers("strc.zeta.default")
def lower_zeta(ctx: Lowering, s: Any, q: Any) -> Any:
    return ctx.emit("zeta", (s, q))


def kind_of(*tensors: Tensor) -> torch.dtype:
    kind = tensors[0].dtype
    for tensor in tensors[1:]:
        kind = torch.result_type(torch.empty((), dtype=kind), tensor)
    return kind if kind.is_floating_point else torch.float32


def in_doubles(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda x: function(x.double()).to(kind_of(x))


for names, one in {
    ("lgamma.default", "special_gammaln.default"): lambda x: lgamma_(x),
    ("digamma.default", "special_digamma.default", "special_psi.default"): lambda x: digamma_(x),
    ("erfinv.default", "special_erfinv.default"): lambda x: erfinv_(x),
    ("special_ndtri.default",): lambda x: ndtri_(x),
    ("special_i0e.default",): lambda x: i0e_(x),
    ("special_i1e.default",): lambda x: i1e_(x),
    ("i0.default", "special_i0.default", "special_modified_bessel_i0.default"): lambda x: i0e_(x) * x.abs().exp(),
    ("special_i1.default", "special_modified_bessel_i1.default"): lambda x: i1e_(x) * x.abs().exp(),
    ("special_erfcx.default",): lambda x: erfcx_(x),
    ("erfc.default", "special_erfc.default"): lambda x: 1 - torch.erf(x),
    ("special_log_ndtr.default",): lambda x: log_ndtr(x),
}.items():
    made_of(*names)(in_doubles(one))


def log_ndtr(x: Tensor) -> Tensor:
    low = x.clamp(max=-1.0)
    below = torch.log(erfcx_(low * -math.sqrt(0.5)) / 2) - low * low / 2
    return torch.where(x < -1, below, torch.log((1 + torch.erf(x * math.sqrt(0.5))) / 2))


@made_of("special_zeta.default", "special_zeta.other_scalar", "special_zeta.self_scalar")
def zeta(s: Any, q: Any) -> Tensor:
    one, other = (value if isinstance(value, Tensor) else torch.tensor(float(value)) for value in (s, q))
    return zeta_(one.double(), other.double()).to(kind_of(one, other))


@made_of("polygamma.default", "special_polygamma.default")
def polygamma(n: int, x: Tensor) -> Tensor:
    if n == 0:
        return in_doubles(lambda one: digamma_(one))(x)
    sign = 1.0 if n % 2 else -1.0
    made = zeta_(torch.tensor(n + 1.0, dtype=torch.float64), x.double())
    return (made * (sign * math.factorial(n))).to(kind_of(x))
