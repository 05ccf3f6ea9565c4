"""Complex tensors as two real ones, and Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

REAL = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}
MOST_DIRECT = 64  # a transform of more elements is one of transforms, if it has factors
COMPLEX: dict[str, Callable[..., Any]] = {}
# What does the same with both parts, whatever these are.
BY_PARTS = {
    "view", "reshape", "_unsafe_view", "permute", "transpose", "t", "slice", "select", "expand", "squeeze", "unsqueeze", "cat", "stack", "flip", "roll",
    "clone", "contiguous", "alias", "detach", "index_select", "index", "gather", "diagonal", "unfold", "as_strided", "split", "split_with_sizes", "chunk",
    "unbind", "narrow", "flatten", "unflatten", "repeat", "movedim", "neg", "sum", "mean", "cumsum", "sub", "constant_pad_nd", "tril", "triu",
    "slice_backward", "select_backward", "view_copy", "lift_fresh_copy", "lift_fresh", "swapaxes", "take", "positive", "_reshape_copy", "expand_copy",
}


@dataclass(frozen=True)
class Parts:
    """A complex tensor, or a number, of which an imaginary part may be missing."""

    re: Any
    im: Any


F = TypeVar("F", bound=Callable[..., Any])


def of_complex(*names: str) -> Callable[[F], F]:
    """Enters a function of `Parts` and real tensors."""

    def enter(function: F) -> F:
        for name in names:
            COMPLEX[name] = function
        return function

    return enter


def parts(value: Any) -> Parts:
    if isinstance(value, Parts):
        return value
    return Parts(value.real, value.imag) if isinstance(value, complex) else Parts(value, 0)


def by_parts(target: Any) -> Callable[..., Any]:
    """The operator on either part."""

    def function(*args: Any, **kwargs: Any) -> Any:
        def half(which: str) -> Any:
            pick: Callable[[Any], Any] = lambda one: getattr(one, which) if isinstance(one, Parts) else one
            picked = pytree.tree_map(pick, (args, kwargs), is_leaf=lambda one: isinstance(one, Parts))
            named = {key: REAL.get(value, value) if isinstance(value, torch.dtype) else value for key, value in picked[1].items()}
            return target(*picked[0], **named)

        re, im = half("re"), half("im")
        return [Parts(*both) for both in zip(re, im)] if isinstance(re, (tuple, list)) else Parts(re, im)

    return function


@of_complex("add")
def add(x: Any, y: Any, alpha: Any = 1) -> Parts:
    one, other = parts(x), scaled(parts(y), alpha)
    return Parts(one.re + other.re, one.im + other.im)


@of_complex("sub")
def sub(x: Any, y: Any, alpha: Any = 1) -> Parts:
    return add(x, y, -alpha)


@of_complex("rsub")
def rsub(x: Any, y: Any, alpha: Any = 1) -> Parts:
    return add(y, x, -alpha)


def scaled(x: Parts, factor: Any) -> Parts:
    return x if type(factor) in (int, float) and factor == 1 else Parts(x.re * factor, x.im * factor)


@of_complex("mul")
def mul(x: Any, y: Any) -> Parts:
    if not isinstance(x, (Parts, complex)):
        return scaled(parts(y), x)
    if not isinstance(y, (Parts, complex)):
        return scaled(parts(x), y)
    one, other = parts(x), parts(y)
    return Parts(one.re * other.re - one.im * other.im, one.re * other.im + one.im * other.re)


@of_complex("reciprocal")
def reciprocal(x: Parts) -> Parts:
    size = x.re * x.re + x.im * x.im
    return Parts(x.re / size, -x.im / size)


@of_complex("div", "true_divide")
def div(x: Any, y: Any) -> Parts:
    if not isinstance(y, (Parts, complex)):
        return Parts(parts(x).re / y, parts(x).im / y)
    other = parts(y)
    size = other.re * other.re + other.im * other.im
    return mul(x, Parts(other.re / size, -other.im / size))


def product(name: str) -> None:
    operator = getattr(torch.ops.aten, name)

    def function(x: Any, y: Any) -> Parts:
        if not isinstance(x, Parts):
            return Parts(operator(x, y.re), operator(x, y.im))
        if not isinstance(y, Parts):
            return Parts(operator(x.re, y), operator(x.im, y))
        return Parts(operator(x.re, y.re) - operator(x.im, y.im), operator(x.re, y.im) + operator(x.im, y.re))

    of_complex(name)(function)


for each in ("mm", "bmm", "matmul", "mv", "dot"):
    product(each)


@of_complex("square")
def square(x: Parts) -> Parts:
    return mul(x, x)


@of_complex("abs")
def size_of(x: Parts) -> Tensor:
    return torch.hypot(x.re, x.im)


@of_complex("angle")
def angle(x: Parts) -> Tensor:
    return torch.atan2(x.im, x.re)


@of_complex("real", "view_real")
def real(x: Any) -> Tensor:
    return parts(x).re


@of_complex("imag")
def imag(x: Parts) -> Tensor:
    return x.im


@of_complex("conj", "_conj", "conj_physical", "_conj_physical")
def conj(x: Parts) -> Parts:
    return Parts(x.re, -x.im)


@of_complex("resolve_conj", "resolve_neg", "_neg_view")
def same(x: Parts) -> Parts:
    return x


@of_complex("view_as_real", "view_as_real_copy")
def view_as_real(x: Parts) -> Tensor:
    return torch.stack([x.re, x.im], -1)


@of_complex("view_as_complex", "view_as_complex_copy")
def view_as_complex(x: Tensor) -> Parts:
    return Parts(x.select(-1, 0), x.select(-1, 1))


@of_complex("complex")
def complex_of(re: Tensor, im: Tensor) -> Parts:
    shape = torch.broadcast_shapes(re.shape, im.shape)
    return Parts(re.expand(shape), im.expand(shape))


@of_complex("polar")
def polar(size: Tensor, angle: Tensor) -> Parts:
    return Parts(size * angle.cos(), size * angle.sin())


@of_complex("exp")
def exp(x: Parts) -> Parts:
    size = x.re.exp()
    return Parts(size * x.im.cos(), size * x.im.sin())


@of_complex("sqrt")
def sqrt(x: Parts) -> Parts:
    """The root whose real part is not negative; the larger of its parts has no difference in it."""
    large = ((torch.hypot(x.re, x.im) + x.re.abs()) * 0.5).sqrt()
    small = torch.where(large == 0, 0.0, x.im.abs() / (2 * large))
    size = torch.where(x.re < 0, large, small)
    return Parts(torch.where(x.re < 0, small, large), torch.where(torch.signbit(x.im), -size, size))


@of_complex("sgn")
def sgn(x: Parts) -> Parts:
    size = torch.hypot(x.re, x.im)
    return Parts(torch.where(size == 0, 0.0, x.re / size), torch.where(size == 0, 0.0, x.im / size))


@of_complex("_to_copy", "to", "cfloat", "cdouble", "chalf", "type_as")
def converted(x: Any, *args: Any, **kwargs: Any) -> Any:
    kinds = [kind for kind in (*args, *kwargs.values()) if isinstance(kind, torch.dtype)]
    kind = kinds[0] if kinds else None
    if isinstance(x, Parts):
        if kind is None:
            return x
        return Parts(x.re.to(REAL[kind]), x.im.to(REAL[kind])) if kind in REAL else x.re.to(kind)
    made = x.to(REAL.get(kind, torch.float32)) if kind else x if x.dtype.is_floating_point else x.float()
    return Parts(made, torch.zeros_like(made))


@of_complex("eq")
def equal(x: Any, y: Any) -> Tensor:
    one, other = parts(x), parts(y)
    return (one.re == other.re) & (one.im == other.im)


@of_complex("ne")
def different(x: Any, y: Any) -> Tensor:
    one, other = parts(x), parts(y)
    return (one.re != other.re) | (one.im != other.im)


@of_complex("where")
def where(condition: Tensor, x: Any, y: Any) -> Parts:
    one, other = parts(x), parts(y)
    return Parts(torch.where(condition, one.re, other.re), torch.where(condition, one.im, other.im))


@of_complex("zeros_like", "ones_like")
def zeros_like(x: Parts, **_: Any) -> Parts:
    return Parts(torch.zeros_like(x.re), torch.zeros_like(x.re))


# ---- Fourier transforms


def factor_of(n: int) -> int:
    """The greatest divisor that is no greater than the root; 1 of a prime."""
    return next((k for k in range(math.isqrt(n), 1, -1) if n % k == 0), 1)


def waves(n: int, sign: int, kind: torch.dtype) -> tuple[Tensor, Tensor]:
    angles = (torch.arange(n).reshape(-1, 1) * torch.arange(n) % n).double() * (2 * math.pi / n)
    return angles.cos().to(kind), (sign * angles.sin()).to(kind)


def transformed(x: Parts, sign: int) -> Parts:
    """Along the last dimension, without a factor. Of many elements by Cooley and Tukey."""
    n = x.re.shape[-1]
    first = factor_of(n) if n > MOST_DIRECT else 1
    if first == 1:
        re, im = waves(n, sign, x.re.dtype)
        return Parts(x.re @ re - x.im @ im, x.re @ im + x.im @ re)
    second = n // first
    shape = (*x.re.shape[:-1], first, second)
    rows = Parts(x.re.reshape(shape).transpose(-1, -2), x.im.reshape(shape).transpose(-1, -2))  # second x first
    inner = transformed(rows, sign)
    angles = (torch.arange(second).reshape(-1, 1) * torch.arange(first)).double() * (2 * math.pi / n)
    turned = mul(inner, Parts(angles.cos().to(x.re.dtype), (sign * angles.sin()).to(x.re.dtype)))
    outer = transformed(Parts(turned.re.transpose(-1, -2), turned.im.transpose(-1, -2)), sign)  # first x second
    return Parts(outer.re.transpose(-1, -2).reshape(x.re.shape), outer.im.transpose(-1, -2).reshape(x.re.shape))


def along(x: Parts, dim: int, sign: int) -> Parts:
    made = transformed(Parts(x.re.movedim(dim, -1), x.im.movedim(dim, -1)), sign)
    return Parts(made.re.movedim(-1, dim), made.im.movedim(-1, dim))


def norm(sizes: Sequence[int], normalization: int) -> float:
    count = math.prod(sizes)
    return {0: 1.0, 1: 1 / math.sqrt(count), 2: 1 / count}[normalization]


@of_complex("_fft_c2c")
def fft_c2c(x: Parts, dims: Sequence[int], normalization: int, forward: bool) -> Parts:
    factor = norm([x.re.shape[dim] for dim in dims], normalization)
    for dim in dims:
        x = along(x, dim, -1 if forward else 1)
    return scaled(x, factor)


@of_complex("_fft_r2c")
def fft_r2c(x: Tensor, dims: Sequence[int], normalization: int, onesided: bool) -> Parts:
    factor = norm([x.shape[dim] for dim in dims], normalization)
    last, size = dims[-1], x.shape[dims[-1]]
    made = along(Parts(x, torch.zeros_like(x)), last, -1)
    if onesided:
        made = Parts(made.re.narrow(last, 0, size // 2 + 1), made.im.narrow(last, 0, size // 2 + 1))
    for dim in dims[:-1]:
        made = along(made, dim, -1)
    return scaled(made, factor)


@of_complex("_fft_c2r")
def fft_c2r(x: Parts, dims: Sequence[int], normalization: int, size: int) -> Tensor:
    """Of the first half of what the transform of real numbers is."""
    for dim in dims[:-1]:
        x = along(x, dim, 1)
    last = dims[-1]
    half = size // 2 + 1
    re, im = x.re.narrow(last, 0, half), x.im.narrow(last, 0, half)
    count = size - half
    if count:
        back_re, back_im = (one.narrow(last, 1, count).flip(last) for one in (re, im))
        re, im = torch.cat([re, back_re], last), torch.cat([im, -back_im], last)
    # What would be imaginary in the result is left out.
    if size % 2 == 0:
        edges = [0, half - 1]
    else:
        edges = [0]
    kept = torch.ones(size, dtype=re.dtype).index_fill(0, torch.tensor(edges), 0.0).reshape([-1 if i == last % re.dim() else 1 for i in range(re.dim())])
    made = along(Parts(re, im * kept), last, 1)
    sizes = [x.re.shape[dim] for dim in dims[:-1]]
    return made.re * norm([*sizes, size], normalization)
