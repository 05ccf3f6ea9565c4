"""Functions of one number or two, and how filters over tensors and over floats write them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """What becomes of a number `x`, or of `a` and `b`.

    `formals` are its parameters as a filter over floats declares them. Without `tensors` it is a stream of the library where tensors are.
    """

    floats: str
    tensors: str | None = None
    formals: str = ""
    before: tuple[str, ...] = ()  # tensors that `tensors` is made of

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(formal.split(" = ")[0].split()[-1] for formal in self._each())

    @property
    def defaults(self) -> dict[str, str]:
        """The values of parameters that need not be given."""
        return dict(formal.split()[1::2] for formal in self._each() if " = " in formal)

    def _each(self) -> list[str]:
        return self.formals.split(", ") if self.formals else []


def _same(formals: str = "", **texts: str) -> dict[str, Function]:
    return {op: Function(text, text, formals) for op, text in texts.items()}


def _streams(formals: str = "", **texts: str) -> dict[str, Function]:
    return {op: Function(text, None, formals) for op, text in texts.items()}


ONE: dict[str, Function] = {
    **_same(
        sin="sin(x)", cos="cos(x)", tan="tan(x)", asin="asin(x)", acos="acos(x)", atan="atan(x)", sinh="sinh(x)",
        cosh="cosh(x)", exp="exp(x)", log="log(x)", log10="log10(x)", erf="erf(x)", sqrt="sqrt(x)", abs="abs(x)",
        floor="floor(x)", ceil="ceil(x)", round="rint(x)", neg="-x", rsqrt="1 / sqrt(x)", reciprocal="1 / x",
        square="x * x", softsign="x / (1 + abs(x))",
    ),
    **_same(
        "float value", add_scalar="x + value", sub_scalar="x - value", rsub_scalar="value - x", mul_scalar="x * value",
        div_scalar="x / value", rdiv_scalar="value / x", pow_scalar="pow(x, value)",
    ),
    "clamp_min": Function("max(x, value)", "where(x < value, value, x)", "float value"),
    "clamp_max": Function("min(x, value)", "where(x > value, value, x)", "float value"),
    "threshold": Function("x > limit ? x : value", "where(x <= limit, value, x)", "float limit, float value"),
    # 1 + x rounds small x away; log(1 + x) / ((1 + x) - 1) is as good as the logarithm.
    "log1p": Function("log(1 + x)", "where(x > 1, log(u), where(u == 1, x, log(u) * (x / (u - 1))))", before=("u = 1 + x",)),
    "expm1": Function("exp(x) - 1", "tanh(x / 2) * (exp(x) + 1)"),
    "logsigmoid": Function(
        "min(x, 0.0) - log(1 + exp(-abs(x)))", "min(x, 0.0) - where(u == 1, e, log(u) * (e / (u - 1)))",
        before=("e = exp(-abs(x))", "u = 1 + e"),
    ),
    **_streams(
        relu="max(x, 0.0)", relu6="min(max(x, 0.0), 6.0)", sigmoid="1 / (1 + exp(-x))", tanh="tanh(x)",
        silu="x / (1 + exp(-x))", gelu="0.5 * x * (1 + erf(x * 0.70710678))",
        gelu_tanh="0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x * x)))", hardswish="x * min(max(x + 3, 0.0), 6.0) / 6",
        hardsigmoid="min(max(x / 6 + 0.5, 0.0), 1.0)", mish="x * tanh(max(x, 0.0) + log(1 + exp(-abs(x))))",
    ),
    **_streams("float low, float high", hardtanh="min(max(x, low), high)"),
    **_streams("float slope", leakyrelu="x > 0 ? x : slope * x"),
    **_streams("float alpha = 1.0", elu="x > 0 ? x : alpha * (exp(x) - 1)"),
    **_streams(
        "float beta = 1.0, float threshold = 20.0", softplus="beta * x > threshold ? x : log(1 + exp(beta * x)) / beta",
    ),
}
# Made of `exp` and `tanh`, which tensors have in vectors of floats: the last digits may differ there.
SMOOTH: dict[str, Function] = {op: ONE[op] for op in ("sigmoid", "tanh", "silu", "gelu_tanh")}
TWO: dict[str, Function] = {
    **_same(atan2="atan2(a, b)"),
    **_streams(
        add="a + b", sub="a - b", mul="a * b", div="a / b", maximum="max(a, b)", minimum="min(a, b)", pow="pow(a, b)",
    ),
}
