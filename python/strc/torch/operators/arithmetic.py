"""Element by element: activations, arithmetic, comparisons."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..lowering import Lower, Lowering, NotLowered, Var, lowers
from ..weights import Known

ACTIVATIONS = "relu sigmoid tanh silu relu6 hardswish hardsigmoid"
UNARY = (
    "sin cos tan asin acos atan sinh cosh exp log log10 erf sqrt abs floor ceil round neg rsqrt reciprocal square log1p "
    "expm1 log2 exp2 logical_not mish"
)
COMPARISONS = "eq ne lt le gt ge"


def unary(op: str) -> Lower:
    def lower(ctx: Lowering, x: Any, **_: Any) -> Var:
        return ctx.emit(op, (x,))

    return lower


for name in f"{ACTIVATIONS} {UNARY}".split():
    lowers(f"{name}.default")(unary(name))
lowers("log_sigmoid.default")(unary("logsigmoid"))


@lowers(
    "dropout.default", "feature_dropout.default", "alpha_dropout.default", "contiguous.default", "clone.default", "alias.default",
    "detach.default", "lift_fresh_copy.default", "lift_fresh.default", "native_dropout.default", "positive.default",
)
def same(ctx: Lowering, x: Any, *_: Any, **__: Any) -> Any:
    return x


@lowers(
    "to.dtype", "to.device", "to.dtype_layout", "to.other", "type_as.default", "_to_copy.default", "to.prim_Device",
    "float.default", "to.default",
)
def convert(ctx: Lowering, x: Any, *_: Any, **__: Any) -> Any:
    return cast(ctx, x, ctx.meta.dtype)


def cast(ctx: Lowering, x: Any, dtype: torch.dtype) -> Any:
    """The value with another type of elements."""
    if isinstance(x, Var) and x.dtype == dtype:
        return x
    words = {
        torch.float32: "to_float", torch.float64: "to_double", torch.int32: "to_int", torch.int64: "to_long",
        torch.bool: "to_boolean",
    }
    if dtype not in words:
        raise NotLowered(f"elements of type {dtype} cannot be computed with")
    like = torch.empty(x.shape if isinstance(x, Var) else x.tensor.shape, dtype=dtype, device="meta")
    return ctx.emit(words[dtype], (x,), like=like)


@lowers("gelu.default")
def gelu(ctx: Lowering, x: Any, approximate: str = "none") -> Var:
    return ctx.emit("gelu", (x,), **({} if approximate == "none" else {"approximate": True}))


@lowers("hardtanh.default")
def hardtanh(ctx: Lowering, x: Any, low: float = -1.0, high: float = 1.0) -> Var:
    if (low, high) == (0.0, 6.0):
        return ctx.emit("relu6", (x,))
    return ctx.emit("hardtanh", (x,), float(low), float(high))


@lowers("leaky_relu.default")
def leaky_relu(ctx: Lowering, x: Any, slope: float = 0.01) -> Var:
    return ctx.emit("leakyrelu", (x,), float(slope))


@lowers("elu.default")
def elu(ctx: Lowering, x: Any, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Var:
    inner = ctx.emit("mul_scalar", (x,), float(input_scale)) if input_scale != 1 else x
    steep = alpha * input_scale
    made = ctx.emit("elu", (inner,), *([] if steep == 1 else [float(steep)]))
    return made if scale == input_scale else ctx.emit("mul_scalar", (made,), scale / input_scale)


@lowers("selu.default")
def selu(ctx: Lowering, x: Any) -> Var:
    return elu(ctx, x, 1.6732632423543772, 1.0507009873554805)


@lowers("celu.default")
def celu(ctx: Lowering, x: Any, alpha: float = 1.0) -> Var:
    return elu(ctx, x, alpha, 1.0, 1 / alpha)


@lowers("glu.default")
def glu(ctx: Lowering, x: Any, dim: int = -1) -> Var:
    values, gates = ctx.emit_tuple("chunk", (x,), [ctx.meta, ctx.meta], 2, dim % len(ctx.meta.shape))
    return ctx.emit("mul", (values, ctx.emit("sigmoid", (gates,))))


@lowers("softshrink.default")
def softshrink(ctx: Lowering, x: Any, limit: float = 0.5) -> Var:
    inside = ctx.emit("clamp_max", (ctx.emit("clamp_min", (x,), -float(limit)),), float(limit))
    return ctx.emit("sub", (x, inside))


@lowers("hardshrink.default")
def hardshrink(ctx: Lowering, x: Any, limit: float = 0.5) -> Var:
    near = torch.empty(ctx.meta.shape, dtype=torch.bool, device="meta")
    inside = ctx.emit("le_scalar", (ctx.emit("abs", (x,)),), float(limit), like=near)
    return ctx.emit("masked_fill", (x, inside), 0.0)


@lowers("softplus.default")
def softplus(ctx: Lowering, x: Any, beta: float = 1.0, threshold: float = 20.0) -> Var:
    usual = (beta, threshold) == (1, 20)
    return ctx.emit("softplus", (x,), *(() if usual else (float(beta), float(threshold))))


@lowers("prelu.default")
def prelu(ctx: Lowering, x: Any, weight: Any) -> Var:
    slope = ctx.known(weight, "slope").tensor
    rank = ctx.meta.dim()
    shaped = Known(weight.name, slope.reshape([-1] + [1] * (rank - 2)) if rank > 1 else slope)
    below = ctx.emit("mul", (ctx.emit("clamp_max", (x,), 0.0), shaped))
    return ctx.emit("add", (ctx.emit("relu", (x,)), below))


@lowers("threshold.default")
def threshold(ctx: Lowering, x: Any, limit: float, value: float) -> Var:
    return ctx.emit("threshold", (x,), float(limit), float(value))


@lowers("clamp.default", "clamp_min.default", "clamp_max.default", "clip.default")
def clamp(ctx: Lowering, x: Any, low: Any = None, high: Any = None, *, min: Any = None, max: Any = None) -> Any:
    assert ctx.node is not None
    low, high = (low if min is None else min), (high if max is None else max)
    if str(ctx.node.target).startswith("aten.clamp_max"):
        low, high = None, low
    if low is not None:
        x = ctx.emit("clamp_min", (x,), scalar_like(ctx, low))
    return x if high is None else ctx.emit("clamp_max", (x,), scalar_like(ctx, high))


# ---- two operands, either of them perhaps a number

BINARY = {
    "add": ("add", "add_scalar", "add_scalar"),
    "sub": ("sub", "sub_scalar", "rsub_scalar"),
    "mul": ("mul", "mul_scalar", "mul_scalar"),
    "div": ("div", "div_scalar", "rdiv_scalar"),
    "pow": ("pow", "pow_scalar", ""),
    "maximum": ("maximum", "clamp_min", "clamp_min"),
    "minimum": ("minimum", "clamp_max", "clamp_max"),
    "atan2": ("atan2", "", ""),
    "eq": ("eq", "eq_scalar", "eq_scalar"),
    "ne": ("ne", "ne_scalar", "ne_scalar"),
    "lt": ("lt", "lt_scalar", "gt_scalar"),
    "le": ("le", "le_scalar", "ge_scalar"),
    "gt": ("gt", "gt_scalar", "lt_scalar"),
    "ge": ("ge", "ge_scalar", "le_scalar"),
}
NEUTRAL = {"add_scalar": 0, "sub_scalar": 0, "mul_scalar": 1, "div_scalar": 1, "pow_scalar": 1}


def as_number(value: Any) -> Any:
    """The number that a value is, if it is one: also a stored tensor without dimensions."""
    if isinstance(value, Known) and value.tensor.dim() == 0:
        return value.tensor.item()
    return value if isinstance(value, (bool, int, float)) else None


def scalar_like(ctx: Lowering, number: Any) -> Any:
    """A number of the kind that the operands are computed in."""
    if not isinstance(number, (bool, int, float)):
        number = as_number(number)
        if number is None:
            raise NotLowered("a bound that is computed")
    return float(number) if ctx.meta.dtype.is_floating_point else number


def operands_kind(ctx: Lowering, kind: str, number: Any, other: Var) -> Any:
    """Comparisons are made in the kind of their operand, arithmetic in that of the result."""
    if kind in COMPARISONS.split():
        return float(number) if other.dtype.is_floating_point else number
    return scalar_like(ctx, number)


def binary(ctx: Lowering, kind: str, x: Any, y: Any) -> Any:
    """x kind y."""
    both, right, left = BINARY[kind]
    for number, other, op in ((as_number(y), x, right), (as_number(x), y, left)):
        if number is None or not op or not isinstance(other, Var):
            continue
        if isinstance(number, float) and math.isnan(number):
            raise NotLowered("NaN as an operand")
        value = operands_kind(ctx, kind, number, other)
        if value == NEUTRAL.get(op) and other.dtype == ctx.meta.dtype:
            return other
        return ctx.emit(op, (other,), value)
    return ctx.emit(both, (x, y))


def scaled(ctx: Lowering, y: Any, alpha: float) -> Any:
    if alpha == 1:
        return y
    number = as_number(y)
    return number * alpha if number is not None else ctx.emit("mul_scalar", (y,), scalar_like(ctx, alpha))


@lowers("add.Tensor", "add.Scalar")
def add(ctx: Lowering, x: Any, y: Any, alpha: float = 1) -> Any:
    return binary(ctx, "add", x, scaled(ctx, y, alpha))


@lowers("sub.Tensor", "sub.Scalar")
def sub(ctx: Lowering, x: Any, y: Any, alpha: float = 1) -> Any:
    return binary(ctx, "sub", x, scaled(ctx, y, alpha))


@lowers("rsub.Scalar", "rsub.Tensor")
def rsub(ctx: Lowering, x: Any, y: Any, alpha: float = 1) -> Any:
    return binary(ctx, "sub", y, scaled(ctx, x, alpha))


@lowers("div.Tensor", "div.Scalar", "true_divide.Tensor")
def div(ctx: Lowering, x: Any, y: Any) -> Any:
    def real(value: Any) -> Any:
        return cast(ctx, value, ctx.meta.dtype) if isinstance(value, Var) else value

    return binary(ctx, "div", real(x), real(y))


@lowers("div.Tensor_mode", "floor_divide.default", "div.Scalar_mode")
def div_rounded(ctx: Lowering, x: Any, y: Any, rounding_mode: str | None = "floor") -> Any:
    if rounding_mode is None:
        return div(ctx, x, y)
    if rounding_mode != "floor" or not ctx.meta.dtype.is_floating_point:
        raise NotLowered("rounds towards zero, or divides integers")
    return ctx.emit("floor", (binary(ctx, "div", x, y),))


def two(kind: str) -> Lower:
    def lower(ctx: Lowering, x: Any, y: Any) -> Any:
        return binary(ctx, kind, x, y)

    return lower


for kind in ("mul", *COMPARISONS.split()):
    lowers(f"{kind}.Tensor", f"{kind}.Scalar")(two(kind))
for kind in ("maximum", "minimum", "atan2"):
    lowers(f"{kind}.default")(two(kind))
lowers("max.other")(two("maximum"))
lowers("min.other")(two("minimum"))


@lowers("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def power(ctx: Lowering, x: Any, y: Any) -> Any:
    exponent = as_number(y)
    if exponent == 2:
        return ctx.emit("square", (x,))
    if exponent == 0.5:
        return ctx.emit("sqrt", (x,))
    return binary(ctx, "pow", x, y)


@lowers("logical_and.default", "logical_or.default", "bitwise_and.Tensor", "bitwise_or.Tensor", "__and__.Tensor", "__or__.Tensor")
def logical(ctx: Lowering, x: Any, y: Any) -> Var:
    assert ctx.node is not None
    if ctx.meta.dtype != torch.bool:
        raise NotLowered("bits of integers")
    return ctx.emit("logical_and" if "and" in str(ctx.node.target) else "logical_or", (x, y))


@lowers("bitwise_not.default")
def bitwise_not(ctx: Lowering, x: Any) -> Var:
    if ctx.meta.dtype != torch.bool:
        raise NotLowered("bits of integers")
    return ctx.emit("logical_not", (x,))


@lowers("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(ctx: Lowering, condition: Any, x: Any, y: Any) -> Var:
    number = as_number(x)
    if number is not None and isinstance(y, Var):
        return ctx.emit("masked_fill", (y, condition), scalar_like(ctx, number))
    return ctx.emit("where", (condition, x, y))


@lowers("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(ctx: Lowering, x: Any, mask: Any, value: Any) -> Var:
    number = as_number(value)
    if number is None:
        return ctx.emit("where", (mask, value, x))
    return ctx.emit("masked_fill", (x, mask), scalar_like(ctx, number))


@lowers("addcmul.default")
def addcmul(ctx: Lowering, x: Any, y: Any, z: Any, value: float = 1) -> Any:
    return binary(ctx, "add", x, scaled(ctx, binary(ctx, "mul", y, z), value))


@lowers("lerp.Scalar")
def lerp(ctx: Lowering, x: Any, y: Any, weight: float) -> Any:
    way = binary(ctx, "mul", binary(ctx, "sub", y, x), weight)
    return binary(ctx, "add", x, way)
