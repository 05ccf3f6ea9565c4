"""Special functions on those few that have filters."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
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


# ---- functions of Bessel, by integrals over a period, whose sums converge as fast as powers; far from 0 by what they tend to

POINTS, FAR, EULER = 256, 30.0, 0.5772156649015329


def around(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Angles around the circle, with cosine and sine of x times their sines."""
    angles = torch.arange(POINTS).double() * (2 * math.pi / POINTS)
    turned = x.unsqueeze(-1) * angles.sin()
    return angles, turned.cos(), turned.sin()


def far_away(x: Tensor, order: int) -> tuple[Tensor, Tensor]:
    """J and Y of a large x (Abramowitz and Stegun 9.2.5)."""
    phase, mu = x - (order / 2 + 0.25) * math.pi, 4.0 * order * order
    terms = [torch.ones_like(x)]
    for k in range(1, 8):
        terms.append(terms[-1] * ((mu - (2 * k - 1) ** 2) / (8 * k)) / x)
    even = terms[0] - terms[2] + terms[4] - terms[6]
    odd = terms[1] - terms[3] + terms[5] - terms[7]
    size = (2 / (math.pi * x)).sqrt()
    return size * (even * phase.cos() - odd * phase.sin()), size * (even * phase.sin() + odd * phase.cos())


def bessel_j(x: Tensor, order: int) -> Tensor:
    size = x.abs()
    angles, cosine, sine = around(size.clamp(max=FAR))
    near = cosine.mean(-1) if order == 0 else (sine * angles.sin()).mean(-1)
    made = torch.where(size > FAR, far_away(size.clamp(min=FAR), order)[0], near)
    made = torch.where(size.isinf(), 0.0, made)
    return made if order == 0 else torch.where(x < 0, -made, made)


def bessel_y(x: Tensor, order: int) -> Tensor:
    inside = x.clamp(1e-300, FAR)
    angles, cosine, sine = around(inside)
    weights = torch.zeros_like(angles)
    for k in range(1, 60):  # of the functions J of even order
        weights = weights + (-1.0) ** k / k * (2 * k * angles).cos()
    log = (inside / 2).log() + EULER
    if order == 0:
        near = 2 / math.pi * log * cosine.mean(-1) - 4 / math.pi * (weights * cosine).mean(-1)
    else:
        slope = (sine * angles.sin()).mean(-1)
        near = -2 / math.pi * (cosine.mean(-1) / inside - log * slope) - 4 / math.pi * (weights * angles.sin() * sine).mean(-1)
    made = torch.where(x > FAR, far_away(x.clamp(min=FAR), order)[1], near)
    return torch.where(x > 0, torch.where(x.isinf(), 0.0, made), torch.where(x == 0, -math.inf, math.nan))


def scaled_bessel_k(x: Tensor, order: int) -> Tensor:
    """K times exp(x): the integral of exp(-x (cosh t - 1)) cosh(order t) over t."""
    t = torch.arange(1, 200).double() / 16
    inner = x.clamp(1e-5, 1e5).unsqueeze(-1)
    whole = ((-inner * (t.cosh() - 1)).exp() * (order * t).cosh()).sum(-1) / 16 + 1 / 32
    return torch.where(x > 0, whole, torch.where(x == 0, math.inf, math.nan))


def bessel_k(x: Tensor, order: int) -> Tensor:
    return scaled_bessel_k(x, order) * (-x).exp()


for number in (0, 1):
    for name, bessel in (("bessel_j", bessel_j), ("bessel_y", bessel_y), ("scaled_modified_bessel_k", scaled_bessel_k), ("modified_bessel_k", bessel_k)):
        made_of(f"special_{name}{number}.default")(in_doubles(partial(bessel, order=number)))
made_of("special_spherical_bessel_j0.default")(in_doubles(lambda x: torch.where(x == 0, 1.0, torch.where(x.isinf(), 0.0, x.sin() / x))))


# ---- incomplete gamma functions


def lower_gamma(a: Tensor, x: Tensor) -> Tensor:
    """Its series, all of whose terms are positive; beyond 150 it is 1 unless a is as large."""
    kind, shape = kind_of(a, x), torch.broadcast_shapes(a.shape, x.shape)
    one, other = a.double().expand(shape), x.double().expand(shape)
    inner, k = other.clamp(1e-300, 1e6), torch.arange(400).double()
    logs = (one.unsqueeze(-1) + k) * inner.log().unsqueeze(-1) - inner.unsqueeze(-1) - lgamma_(one.unsqueeze(-1) + k + 1)
    made = torch.where(other > 150, torch.where(one > 100, math.nan, 1.0), logs.exp().sum(-1).clamp(max=1.0))
    made = torch.where(other == 0, torch.where(one > 0, 0.0, math.nan), torch.where(one == 0, 1.0, made))
    return torch.where((other < 0) | (one < 0), math.nan, made).to(kind)


@made_of("igamma.default", "special_gammainc.default")
def igamma(a: Tensor, x: Tensor) -> Tensor:
    return lower_gamma(a, x)


@made_of("igammac.default", "special_gammaincc.default")
def igammac(a: Tensor, x: Tensor) -> Tensor:
    return 1 - lower_gamma(a, x)


# ---- orthogonal polynomials

POLYNOMIALS = {
    "chebyshev_polynomial_t": "chebyshev_t", "chebyshev_polynomial_u": "chebyshev_u", "chebyshev_polynomial_v": "chebyshev_v",
    "chebyshev_polynomial_w": "chebyshev_w", "hermite_polynomial_h": "hermite_h", "hermite_polynomial_he": "hermite_he",
    "laguerre_polynomial_l": "laguerre", "legendre_polynomial_p": "legendre",
}


@primitive("polynomial(Tensor x, Tensor n, str kind) -> Tensor")
def polynomial(x: Tensor, n: Tensor, kind: str) -> Tensor:
    """Of rows of doubles, and of whole numbers that count from 0."""
    name = next(name for name, own in POLYNOMIALS.items() if own == kind)
    return getattr(torch.special, name)(x, n) if is_real(x) else torch.empty_like(x)


@lowers("strc.polynomial.default")
def lower_polynomial(ctx: Lowering, x: Any, n: Any, kind: str) -> Any:
    return ctx.emit(kind, (x, n), x.shape[0])


def of_polynomial(kind: str, shifted: bool) -> Callable[..., Tensor]:
    def made(x: Any, n: Any) -> Tensor:
        one, count = (value if isinstance(value, Tensor) else torch.tensor(float(value)) for value in (x, n))
        shape = torch.broadcast_shapes(one.shape, count.shape)
        row = one.double().expand(shape).reshape(-1)
        numbers = count.to(torch.int32).expand(shape).reshape(-1)
        return polynomial(2 * row - 1 if shifted else row, numbers, kind).reshape(shape).to(kind_of(one, count))

    return made


for name, own in POLYNOMIALS.items():
    for shifted in (False, True) if "chebyshev" in name else (False,):
        whole = f"special_shifted_{name}" if shifted else f"special_{name}"
        made_of(*(f"{whole}.{form}" for form in ("default", "x_scalar", "n_scalar")))(of_polynomial(own, shifted))
