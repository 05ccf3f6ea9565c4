"""Complex tensors: their real and imaginary parts are a last dimension of 2 in the program, as `torch.view_as_real` has them."""

from __future__ import annotations

from typing import Any

import torch

from ..lowering import COMPLEX, TABLE, Like, Lowering, NotLowered, Var, lowers, lowers_complex
from ..weights import Known

# They work along dimensions that are counted from the front, so that one more behind them changes nothing.
SAME = (
    "transpose.int t.default swapaxes.default squeeze.dim squeeze.dims squeeze.default unsqueeze.default slice.Tensor narrow.default "
    "select.int cat.default concat.default stack.default chunk.default split.Tensor split_with_sizes.default split.sizes unbind.int "
    "contiguous.default clone.default alias.default detach.default neg.default resolve_conj.default resolve_neg.default"
)
REAL_KINDS = {torch.complex64: torch.float32, torch.complex128: torch.float64}


def enter_same() -> None:
    """Complex forms that are the real ones; called when the table is full."""
    for name in SAME.split():
        if name in TABLE:
            COMPLEX[name] = TABLE[name]


def is_complex(value: Any) -> bool:
    if isinstance(value, Var):
        return bool(value.dtype.is_complex)
    return isinstance(value, complex) or isinstance(value, Known) and value.tensor.dtype.is_complex


def real_like(x: Var) -> Like:
    return Like(x.shape, REAL_KINDS.get(x.dtype, x.dtype))


def parts_like(x: Var) -> Like:
    """The shape of a complex value as one of reals."""
    return Like((*x.shape, 2), REAL_KINDS[x.dtype])


def beside_parts(ctx: Lowering, x: Any) -> Any:
    """A real value, stored or computed, with a dimension beside real and imaginary parts."""
    if isinstance(x, Known):
        return Known(x.name, x.tensor.unsqueeze(-1))
    return ctx.emit("unsqueeze", (x,), x.rank, like=Like((*x.shape, 1), x.dtype))


def stored_parts(x: Known) -> Known:
    return Known(x.name, torch.view_as_real(x.tensor.resolve_conj()))


# ---- from and to reals


@lowers("real.default", "imag.default", "angle.default")
def real_of_real(ctx: Lowering, x: Any) -> Any:
    assert ctx.node is not None
    if "real" in str(ctx.node.target):
        return x
    raise NotLowered("of a real value")


@lowers_complex("real.default", "imag.default", "abs.default", "angle.default")
def part(ctx: Lowering, x: Any) -> Any:
    assert ctx.node is not None
    name = str(ctx.node.target).removeprefix("aten.").removesuffix(".default")
    return ctx.emit(f"complex_{name}", (x,), like=real_like(x))


@lowers_complex("view_as_real.default")
def view_as_real(ctx: Lowering, x: Any) -> Any:
    return Var(x.number, tuple(ctx.meta.shape), ctx.meta.dtype)


@lowers_complex("view_as_complex.default")
def view_as_complex(ctx: Lowering, x: Any) -> Any:
    return Var(ctx.var(x).number, tuple(ctx.meta.shape), ctx.meta.dtype)


@lowers_complex("complex.default", "polar.default")
def of_two(ctx: Lowering, one: Any, other: Any) -> Any:
    assert ctx.node is not None
    op = "complex_polar" if "polar" in str(ctx.node.target) else "complex_of"
    return ctx.emit(op, tuple(whole(ctx, value) for value in (one, other)))


def whole(ctx: Lowering, x: Any) -> Any:
    """A real operand in the shape of the result."""
    shape = tuple(ctx.meta.shape)
    if isinstance(x, Known):
        return Known(x.name, x.tensor.broadcast_to(shape))
    return x if tuple(x.shape) == shape else ctx.emit("expand", (x,), ctx.extents(shape), like=Like(shape, x.dtype))


@lowers_complex("to.dtype", "_to_copy.default", "to.other", "type_as.default")
def convert(ctx: Lowering, x: Any, *_: Any, **__: Any) -> Any:
    if is_complex(x) and ctx.meta.dtype == x.dtype:
        return x
    if is_complex(x) or not ctx.meta.dtype.is_complex:
        raise NotLowered("drops the imaginary part; torch.real(x) says so")
    return as_complex(ctx, x)


def as_complex(ctx: Lowering, x: Var) -> Any:
    zero = ctx.emit("mul_scalar", (x,), 0.0, like=Like(x.shape, x.dtype))
    return ctx.emit("complex_of", (x, zero), like=Like(x.shape, torch.complex64))


# ---- arithmetic


@lowers_complex("mul.Tensor", "mul.Scalar", "div.Tensor", "div.Scalar")
def product(ctx: Lowering, x: Any, y: Any) -> Any:
    assert ctx.node is not None
    op = "div" if ".div." in str(ctx.node.target) else "mul"
    if isinstance(y, (bool, int, float)) or op == "mul" and isinstance(x, (bool, int, float)):
        number, other = (y, x) if isinstance(y, (bool, int, float)) else (x, y)
        return ctx.emit(f"{op}_scalar", (other,), float(number))
    if isinstance(x, complex) or isinstance(y, complex):
        number, other = (y, x) if isinstance(y, complex) else (x, y)
        if op == "div" and number is x:
            raise NotLowered("divides a number by complex values")
        return by_number(ctx, other, number if op == "mul" else 1 / number)
    if is_complex(x) and not is_complex(y):
        return ctx.emit(op, (stored_parts(x) if isinstance(x, Known) else x, beside_parts(ctx, y)))
    if is_complex(y) and not is_complex(x):
        if op == "div":
            raise NotLowered("divides reals by complex values: multiply by the conjugate, and divide by the square of the absolute value")
        return ctx.emit(op, (beside_parts(ctx, x), stored_parts(y) if isinstance(y, Known) else y))
    return ctx.emit(f"complex_{op}", tuple(whole_complex(ctx, value) for value in (x, y)))


def whole_complex(ctx: Lowering, x: Any) -> Any:
    shape = tuple(ctx.meta.shape)
    if isinstance(x, Known):
        return stored_parts(Known(x.name, x.tensor.to(torch.complex64).broadcast_to(shape)))
    return x if tuple(x.shape) == shape else ctx.emit("expand", (x,), (*ctx.extents(shape), 2), like=Like(shape, x.dtype))


def by_number(ctx: Lowering, x: Var, number: complex) -> Any:
    """A value times a complex number."""
    if x.dtype.is_complex:
        parts = torch.view_as_real(torch.tensor(number, dtype=x.dtype)).expand(*x.shape, 2)
        return ctx.emit("complex_mul", (x, Known(ctx.local_name("factor"), parts)))
    like = Like(x.shape, x.dtype)
    scaled = tuple(ctx.emit("mul_scalar", (x,), part, like=like) for part in (number.real, number.imag))
    return ctx.emit("complex_of", scaled)


@lowers_complex("add.Tensor", "sub.Tensor", "add.Scalar", "sub.Scalar")
def total(ctx: Lowering, x: Any, y: Any, alpha: float = 1) -> Any:
    assert ctx.node is not None
    if alpha != 1:
        raise NotLowered("a factor beside complex values (alpha)")
    return ctx.emit("sub" if ".sub." in str(ctx.node.target) else "add", tuple(summand(ctx, value) for value in (x, y)))


def summand(ctx: Lowering, x: Any) -> Any:
    """A complex value for what is added to one."""
    if isinstance(x, (bool, int, float, complex)):
        x = Known(ctx.local_name("constant"), torch.tensor(x, dtype=torch.complex64))
    if isinstance(x, Known):
        return stored_parts(Known(x.name, x.tensor.to(torch.complex64)))
    return x if is_complex(x) else as_complex(ctx, x)


@lowers_complex("conj.default", "_conj.default", "conj_physical.default", "_conj_physical.default")
def conjugate(ctx: Lowering, x: Any) -> Any:
    return ctx.emit("mul", (x, Known(ctx.local_name("conjugate"), torch.tensor([1.0, -1.0]))))


@lowers_complex("exp.default")
def exponential(ctx: Lowering, x: Any) -> Any:
    like = real_like(x)
    size = ctx.emit("exp", (ctx.emit("complex_real", (x,), like=like),), like=like)
    return ctx.emit("complex_polar", (size, ctx.emit("complex_imag", (x,), like=like)))


# ---- shapes


@lowers_complex("view.default", "reshape.default", "_unsafe_view.default", "flatten.using_ints", "unflatten.int", "view_as.default")
def reshape(ctx: Lowering, x: Any, *_: Any) -> Any:
    after = tuple(ctx.meta.shape)
    return x if tuple(x.shape) == after else ctx.emit("reshape", (x,), (*ctx.extents(after), 2))


@lowers_complex("permute.default")
def permute(ctx: Lowering, x: Any, dims: Any) -> Any:
    order = tuple(x.dim(dim) for dim in dims)
    return x if order == tuple(range(x.rank)) else ctx.emit("permute", (x,), (*order, x.rank))


@lowers_complex("expand.default", "expand_as.default")
def expand(ctx: Lowering, x: Any, *_: Any, **__: Any) -> Any:
    return whole_complex(ctx, x)


@lowers_complex("sum.dim_IntList", "mean.dim")
def reduced(ctx: Lowering, x: Any, dims: Any, keep: bool = False, **_: Any) -> Any:
    assert ctx.node is not None
    gone = tuple(x.dim(dim) for dim in ([dims] if isinstance(dims, int) else dims or range(x.rank)))
    return ctx.emit("sum" if ".sum." in str(ctx.node.target) else "mean", (x,), gone, keep)
