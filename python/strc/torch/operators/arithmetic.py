"""Element by element: activations, arithmetic, comparisons."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..lowering import Forbidden, Lower, Lowering, NoResult, NotLowered, Var, lowers
from ..weights import Known

ACTIVATIONS = "relu sigmoid tanh silu relu6 hardswish hardsigmoid"
UNARY = (
    "sin cos tan asin acos atan sinh cosh exp log log10 erf sqrt abs floor ceil round neg rsqrt log1p "
    "expm1 log2 exp2 logical_not mish trunc"
)
COMPARISONS = "eq ne lt le gt ge"
WORDS = {
    torch.float32: "to_float", torch.float64: "to_double", torch.int32: "to_int", torch.int64: "to_long", torch.bool: "to_boolean",
    torch.float16: "to_half", torch.bfloat16: "to_bfloat16", torch.int8: "to_int8", torch.uint8: "to_int", torch.int16: "to_int",
}
# Types whose elements are ints in the program: it has them already as the other one.
HELD = {(torch.uint8, torch.int32), (torch.int16, torch.int32), (torch.uint8, torch.int16)}
MOST_FACTORS = 8  # of a power of whole numbers


def unary(op: str) -> Lower:
    def lower(ctx: Lowering, x: Any, **_: Any) -> Any:
        kind = ctx.meta.dtype
        whole = isinstance(x, Var) and not x.dtype.is_floating_point
        return ctx.emit(op, (cast(ctx, x, kind) if whole and kind.is_floating_point else x,))

    return lower


for name in f"{ACTIVATIONS} {UNARY}".split():
    lowers(f"{name}.default")(unary(name))
lowers("fix.default")(unary("trunc"))


@lowers("square.default")
def square(ctx: Lowering, x: Any) -> Any:
    return ctx.emit("square", (as_result(ctx, x),))


@lowers("reciprocal.default")
def reciprocal(ctx: Lowering, x: Any) -> Any:
    return ctx.emit("reciprocal", (cast(ctx, x, ctx.meta.dtype),))


lowers("log_sigmoid.default")(unary("logsigmoid"))


@lowers(
    "contiguous.default", "clone.default", "alias.default", "detach.default", "lift_fresh_copy.default", "lift_fresh.default",
    "positive.default",
)
def same(ctx: Lowering, x: Any, *_: Any, **__: Any) -> Any:
    return x


@lowers("dropout.default", "feature_dropout.default", "alpha_dropout.default", "feature_alpha_dropout.default")
def dropout(ctx: Lowering, x: Any, share: float, trains: bool) -> Any:
    if trains and share > 0:
        raise Forbidden("drops at random (it is in training mode), which no stream does; pass training=self.training, or call model.eval()")
    return x


@lowers("native_dropout.default")
def native_dropout(ctx: Lowering, x: Any, share: float, trains: bool | None) -> Any:
    return (dropout(ctx, x, share, bool(trains)), NoResult("what it drops"))


@lowers(
    "to.dtype", "to.device", "to.dtype_layout", "to.other", "type_as.default", "_to_copy.default", "to.prim_Device",
    "float.default", "to.default",
)
def convert(ctx: Lowering, x: Any, *_: Any, **__: Any) -> Any:
    return cast(ctx, x, ctx.meta.dtype)


def cast(ctx: Lowering, x: Any, dtype: torch.dtype) -> Any:
    """The value with another type of elements."""
    if isinstance(x, Known):
        return Known(x.name, x.tensor.to(dtype))
    if x.dtype == dtype:
        return x
    if dtype not in WORDS:
        raise NotLowered(f"elements of type {dtype} cannot be computed with")
    like = torch.empty(x.shape if isinstance(x, Var) else x.tensor.shape, dtype=dtype, device="meta")
    if isinstance(x, Var) and x.dtype.is_floating_point and dtype in (torch.int8, torch.uint8, torch.int16):
        x = cast(ctx, x, torch.int32)
    if isinstance(x, Var) and (x.dtype, dtype) in HELD:
        return Var(x.number, x.shape, dtype)
    return ctx.emit(WORDS[dtype], (x,), like=like)


@lowers("gelu.default")
def gelu(ctx: Lowering, x: Any, approximate: str = "none") -> Any:
    return ctx.emit("gelu", (x,), **({} if approximate == "none" else {"approximate": True}))


@lowers("hardtanh.default")
def hardtanh(ctx: Lowering, x: Any, low: float = -1.0, high: float = 1.0) -> Any:
    if not ctx.meta.dtype.is_floating_point:
        return clamp(ctx, x, int(low), int(high))
    if (low, high) == (0.0, 6.0):
        return ctx.emit("relu6", (x,))
    return ctx.emit("hardtanh", (x,), float(low), float(high))


@lowers("leaky_relu.default")
def leaky_relu(ctx: Lowering, x: Any, slope: float = 0.01) -> Any:
    return ctx.emit("leakyrelu", (x,), float(slope))


@lowers("rrelu.default")
def rrelu(ctx: Lowering, x: Any, lower: float = 0.125, upper: float = 1 / 3, trains: bool = False, *_: Any) -> Any:
    if trains:
        raise Forbidden("has random slopes (it is in training mode), which no stream has; pass training=self.training, or call model.eval()")
    return leaky_relu(ctx, x, (lower + upper) / 2)


@lowers("elu.default")
def elu(ctx: Lowering, x: Any, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    inner = ctx.emit("mul_scalar", (x,), float(input_scale)) if input_scale != 1 else x
    steep = alpha * input_scale
    made = ctx.emit("elu", (inner,), *([] if steep == 1 else [float(steep)]))
    return made if scale == input_scale else ctx.emit("mul_scalar", (made,), scale / input_scale)


@lowers("selu.default")
def selu(ctx: Lowering, x: Any) -> Any:
    return elu(ctx, x, 1.6732632423543772, 1.0507009873554805)


@lowers("celu.default")
def celu(ctx: Lowering, x: Any, alpha: float = 1.0) -> Any:
    return elu(ctx, x, alpha, 1.0, 1 / alpha)


@lowers("glu.default")
def glu(ctx: Lowering, x: Any, dim: int = -1) -> Any:
    values, gates = ctx.emit_tuple("chunk", (x,), [ctx.meta, ctx.meta], 2, dim % len(ctx.meta.shape))
    return ctx.emit("mul", (values, ctx.emit("sigmoid", (gates,))))


@lowers("softshrink.default")
def softshrink(ctx: Lowering, x: Any, limit: float = 0.5) -> Any:
    inside = ctx.emit("clamp_max", (ctx.emit("clamp_min", (x,), -float(limit)),), float(limit))
    return ctx.emit("sub", (x, inside))


@lowers("hardshrink.default")
def hardshrink(ctx: Lowering, x: Any, limit: float = 0.5) -> Any:
    near = torch.empty(ctx.meta.shape, dtype=torch.bool, device="meta")
    inside = ctx.emit("le_scalar", (ctx.emit("abs", (x,)),), float(limit), like=near)
    return ctx.emit("masked_fill", (x, inside), 0.0)


@lowers("softplus.default")
def softplus(ctx: Lowering, x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    usual = (beta, threshold) == (1, 20)
    return ctx.emit("softplus", (x,), *(() if usual else (float(beta), float(threshold))))


@lowers("prelu.default")
def prelu(ctx: Lowering, x: Any, weight: Any) -> Any:
    slope = ctx.known(weight, "slope").tensor
    if not bool(slope.isfinite().all()):
        raise NotLowered("a slope that is infinite or NaN")
    rank = ctx.meta.dim()
    shaped = Known(weight.name, slope.reshape([-1] + [1] * (rank - 2)) if rank > 1 else slope)
    below = ctx.emit("mul", (ctx.emit("clamp_max", (x,), 0.0), shaped))
    return ctx.emit("add", (ctx.emit("relu", (x,)), below))


@lowers("threshold.default")
def threshold(ctx: Lowering, x: Any, limit: float, value: float) -> Any:
    return ctx.emit("threshold", (x,), number_of_result(ctx, limit), number_of_result(ctx, value))


@lowers("clamp.default", "clamp_min.default", "clamp_max.default", "clip.default")
def clamp(ctx: Lowering, x: Any, low: Any = None, high: Any = None, *, min: Any = None, max: Any = None) -> Any:
    assert ctx.node is not None
    low, high = (low if min is None else min), (high if max is None else max)
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (as_number(low), as_number(high))):
        raise NotLowered("NaN as a bound")
    if str(ctx.node.target).startswith("aten.clamp_max"):
        low, high = None, low
    if ctx.meta.dtype == torch.bool:
        raise NotLowered("booleans as numbers")
    x = as_result(ctx, x)
    for op, other, bound in (("clamp_min", "maximum", low), ("clamp_max", "minimum", high)):
        if bound is None:
            continue
        number = scalar_like(ctx, bound)
        x = ctx.emit(other, (x, typed(ctx, number, x.dtype))) if is_rounded(x, number) else ctx.emit(op, (x,), number)
    return x


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
NEUTRAL: dict[str, float] = {"add_scalar": -0.0, "sub_scalar": 0.0, "mul_scalar": 1, "div_scalar": 1, "pow_scalar": 1}


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


def number_of_result(ctx: Lowering, number: Any) -> Any:
    """A number as an element of the result."""
    return typed(ctx, number, ctx.meta.dtype).tensor.item()


def as_result(ctx: Lowering, x: Any) -> Any:
    """An operand as the result's type, unless the language makes it that: whole numbers are promoted to reals, and floats to doubles."""
    kind = ctx.meta.dtype
    promoted = isinstance(x, Var) and kind.is_floating_point and torch.promote_types(x.dtype, kind) == kind
    return x if promoted or not isinstance(x, Var) else cast(ctx, x, kind)


def is_rounded(x: Var, number: Any) -> bool:
    """True if a number, which is a float as the argument of a stream, is not the same beside doubles."""
    return x.dtype == torch.float64 and isinstance(number, float) and torch.tensor(number, dtype=torch.float32).item() != number


def is_long(number: Any) -> bool:
    """True of a whole number that no argument of a stream is."""
    return type(number) is int and not -(2**31) < number < 2**31


def operands_kind(ctx: Lowering, kind: str, number: Any, other: Var) -> Any:
    """Comparisons are made in the kind of their operand, arithmetic in that of the result."""
    if kind in COMPARISONS.split():
        return float(number) if other.dtype.is_floating_point else number
    return scalar_like(ctx, number)


def is_neutral(op: str, value: Any) -> bool:
    """True if nothing changes: not even the sign of a zero, which x + 0.0 makes positive."""
    if op not in NEUTRAL or value != NEUTRAL[op]:
        return False
    return not isinstance(value, float) or math.copysign(1, value) == math.copysign(1, NEUTRAL[op])


def binary(ctx: Lowering, kind: str, x: Any, y: Any) -> Any:
    """x kind y."""
    both, right, left = BINARY[kind]
    if kind not in COMPARISONS.split():
        x, y = as_result(ctx, x), as_result(ctx, y)
    for number, other, op in ((as_number(y), x, right), (as_number(x), y, left)):
        if number is None or not op or not isinstance(other, Var) or number != number:
            continue
        value = operands_kind(ctx, kind, number, other)
        if is_rounded(other, value) or is_long(value):
            return ctx.emit(both, tuple(one if one is other else typed(ctx, number, other.dtype) for one in (x, y)))
        if is_neutral(op, value) and other.dtype == ctx.meta.dtype:
            return other
        return ctx.emit(op, (other,), value)
    return ctx.emit(both, (x, y))


def scaled(ctx: Lowering, y: Any, alpha: float) -> Any:
    if alpha == 1:
        return y
    if ctx.meta.dtype == torch.bool:
        raise NotLowered("booleans times a number")
    if not ctx.meta.dtype.is_floating_point:
        alpha = int(alpha)
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
    kind = ctx.meta.dtype
    if not kind.is_floating_point:
        return ctx.emit("floor_divide_whole" if rounding_mode == "floor" else "div", whole(ctx, x, y))
    if rounding_mode == "trunc":
        return ctx.emit("trunc", (binary(ctx, "div", x, y),))
    if kind != torch.float32:
        raise NotLowered(f"a quotient of {kind_name(kind)} that is rounded down: only of float32 is it exact")
    return ctx.emit("floor_divide", tuple(typed(ctx, value, kind) for value in (x, y)))


def whole(ctx: Lowering, x: Any, y: Any) -> tuple[Any, Any]:
    """Two whole numbers that are divided; of stored ones none is zero, as PyTorch has it."""
    if as_number(y) == 0 or isinstance(y, Known) and bool((y.tensor == 0).any()):
        raise NotLowered("divides whole numbers by zero")
    return typed(ctx, x, ctx.meta.dtype), typed(ctx, y, ctx.meta.dtype)


def typed(ctx: Lowering, value: Any, dtype: torch.dtype) -> Any:
    """A value as elements of a type, also if it is a number."""
    if isinstance(value, Known):
        return Known(value.name, value.tensor.to(dtype))
    if isinstance(value, (bool, int, float)):
        return Known(ctx.local_name("constant"), torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None).to(dtype))
    return cast(ctx, value, dtype)


def kind_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def two(kind: str) -> Lower:
    def lower(ctx: Lowering, x: Any, y: Any) -> Any:
        return binary(ctx, kind, x, y)

    return lower


for kind in ("mul", *COMPARISONS.split()):
    lowers(f"{kind}.Tensor", f"{kind}.Scalar")(two(kind))
lowers("atan2.default")(two("atan2"))


@lowers("maximum.default", "max.other", "minimum.default", "min.other")
def extreme(ctx: Lowering, x: Any, y: Any) -> Any:
    assert ctx.node is not None
    greatest = "max" in str(ctx.node.target)
    if ctx.meta.dtype == torch.bool:
        return ctx.emit("logical_or" if greatest else "logical_and", (x, y))
    return binary(ctx, "maximum" if greatest else "minimum", x, y)


@lowers("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def power(ctx: Lowering, x: Any, y: Any) -> Any:
    exponent = as_number(y)
    if not ctx.meta.dtype.is_floating_point:
        return whole_power(ctx, as_result(ctx, x), exponent)
    if exponent == 2:
        return ctx.emit("square", (x,))
    if exponent == 0.5:
        return ctx.emit("sqrt", (x,))
    return binary(ctx, "pow", x, y)


def whole_power(ctx: Lowering, x: Any, exponent: Any) -> Any:
    """As products, which wrap as PyTorch's do."""
    if not isinstance(x, Var) or not isinstance(exponent, int) or not 1 <= exponent <= MOST_FACTORS:
        raise NotLowered(f"powers of whole numbers, other than with an exponent from 1 to {MOST_FACTORS}; x.float() ** y is one of reals")
    made = x
    for _ in range(exponent - 1):
        made = ctx.emit("mul", (made, x)) if made is not x else ctx.emit("square", (x,))
    return made


@lowers("logical_and.default", "logical_or.default", "bitwise_and.Tensor", "bitwise_or.Tensor", "__and__.Tensor", "__or__.Tensor")
def logical(ctx: Lowering, x: Any, y: Any) -> Any:
    assert ctx.node is not None
    if ctx.meta.dtype != torch.bool:
        raise NotLowered("bits of integers")
    both = tuple(typed(ctx, value, torch.bool) for value in (x, y))
    return ctx.emit("logical_and" if "and" in str(ctx.node.target) else "logical_or", both)


@lowers("bitwise_not.default")
def bitwise_not(ctx: Lowering, x: Any) -> Any:
    if ctx.meta.dtype != torch.bool:
        raise NotLowered("bits of integers")
    return ctx.emit("logical_not", (x,))


@lowers("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(ctx: Lowering, condition: Any, x: Any, y: Any) -> Any:
    number = as_number(x)
    if number is not None and isinstance(y, Var) and not is_rounded(y, number):
        return ctx.emit("masked_fill", (as_result(ctx, y), condition), scalar_like(ctx, number))
    return ctx.emit("where", (condition, *(typed(ctx, value, ctx.meta.dtype) for value in (x, y))))


@lowers("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(ctx: Lowering, x: Any, mask: Any, value: Any) -> Any:
    number = as_number(value)
    if number is None:
        return ctx.emit("where", (mask, typed(ctx, value, ctx.meta.dtype), x))
    if is_rounded(x, number):
        return ctx.emit("where", (mask, typed(ctx, number, x.dtype), x))
    return ctx.emit("masked_fill", (x, mask), number_of_result(ctx, number))


@lowers("addcmul.default")
def addcmul(ctx: Lowering, x: Any, y: Any, z: Any, value: float = 1) -> Any:
    return binary(ctx, "add", x, binary(ctx, "mul", scaled(ctx, y, value), z))


@lowers("lerp.Scalar")
def lerp(ctx: Lowering, x: Any, y: Any, weight: float) -> Any:
    way = binary(ctx, "sub", y, x)
    if weight < 0.5:
        return binary(ctx, "add", x, binary(ctx, "mul", way, weight))
    return binary(ctx, "sub", y, binary(ctx, "mul", way, 1 - weight))
