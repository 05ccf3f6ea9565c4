"""Operators that are no filters of the library: small filters with an expression, written into the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ..ir import Instruction
from .algorithms import ALGORITHMS
from .boxes import BOXES
from .experts import EXPERTS
from .sizes import SIZED
from .special import SPECIAL
from .functions import ONE, TWO, Function
from .literals import type_of
from .whole import WHOLE

ARGUMENTS = "abc"


class Written(Protocol):
    """A filter that is written into the program: the name that it should have, and the names of its parameters given by position."""

    @property
    def name(self) -> str: ...

    @property
    def formals(self) -> tuple[str, ...]: ...

    def source(self, name: str, example: Instruction) -> str:
        """The declaration under a name, for an instruction and those like it."""
        ...


@dataclass(frozen=True)
class Expression:
    """A filter: its name, the names of its parameters, how many tensors it takes, what it pushes, and what it computes before that.

    In the expression the tensors are `x`, or `a`, `b` and `c`. `each`: it works element by element.
    """

    name: str
    formals: tuple[str, ...]
    takes: int
    text: str
    before: tuple[str, ...] = ()
    each: bool = False

    def source(self, name: str, example: Instruction) -> str:
        """The declaration; the types of parameters are those of an instruction's."""
        given = example.positional
        formals = ", ".join(f"{type_of(value)} {formal}" for formal, value in zip(self.formals, given))
        head = f"tensor->tensor filter {name}{f'({formals})' if formals else ''} {{"
        variables = "x" if self.takes == 1 else ARGUMENTS[: self.takes]
        pops = [f"        tensor {letter} = pop();" for letter in variables]
        computed = [f"        tensor {line};" for line in self.before]
        body = [f"    work pop {self.takes} push 1 {{", *pops, *computed, f"        push({self.text});", "    }"]
        return "\n".join([head, *body, "}"])


def _correlate(dims: int) -> Expression:
    """A convolution without padding, whose weights arrive."""
    formals = [f"{what}{k}" for what in ("stride", "dilation") for k in range(dims)]
    return Expression(f"Correlate{dims}d", (*formals, "groups"), 2, f"conv(a, b, {', '.join(formals)}, groups)")


def _each(takes: int, formals: tuple[str, ...] = (), **texts: str) -> dict[str, Expression]:
    return {op: Expression(op.title().replace("_", ""), formals, takes, text, each=True) for op, text in texts.items()}


def _written(functions: Mapping[str, Function], takes: int) -> dict[str, Expression]:
    """Those that are no streams of the library."""
    return {
        op: Expression("".join(map(str.capitalize, op.split("_"))), made.names, takes, made.tensors, made.before, each=True)
        for op, made in functions.items()
        if made.tensors is not None
    }


STEP = 28  # bits of a quotient in one step of a division with remainder


def _remainder(steps: int) -> tuple[str, ...]:
    """The remainder `m` of floats, with the sign of the first operand.

    What is left is taken by multiples of the divisor in so many steps. Each quotient has 28 bits and the divisor 24, so that nothing is
    rounded in doubles.
    """
    divisors = ["d0 = abs((double) b)"] + [f"d{step} = d{step - 1} * {float(2**STEP)}" for step in range(1, steps)]
    rest = [f"r{steps} = abs((double) a)"]
    rest += [f"r{step} = r{step + 1} - floor(r{step + 1} / d{step}) * d{step}" for step in reversed(range(steps))]
    signed = "where(r0 != r0, r0, where(a < 0, -r0, where(a == 0, a, r0)))"
    return (*divisors, *rest, f"m = (float) where(d0 == 1.0 / 0.0, where(r{steps} < d0, a, r0), {signed})")


EXPRESSIONS: Mapping[str, Written] = {
    **ALGORITHMS,
    **SPECIAL,
    **BOXES,
    **EXPERTS,
    **SIZED,
    **WHOLE,
    **_written(ONE, 1),
    **_written(TWO, 2),
    **_each(
        1, log2="log(x) / log(2.0)", exp2="pow(2.0, x)", trunc="where(x < 0, ceil(x), floor(x))", logical_not="where(x, false, true)",
        to_float="(float) x", to_double="(double) x", to_int="(int) x", to_boolean="(boolean) x", to_long="long(x)",
        to_half="half(x)", to_bfloat16="bfloat16(x)", to_int8="int8(x)",
    ),
    **_each(
        1, ("value",), eq_scalar="x == value", ne_scalar="x != value", lt_scalar="x < value", le_scalar="x <= value",
        gt_scalar="x > value", ge_scalar="x >= value",
    ),
    **_each(
        2, eq="a == b", ne="a != b", lt="a < b", le="a <= b", gt="a > b", ge="a >= b", logical_and="where(a, b, false)",
        logical_or="where(a, true, b)",
    ),
    # The quotient is rounded down before it is rounded to a float: 1.0 / 0.1f is a little less than 10. It is -1 where a number of the other
    # sign is divided by infinity, and NaN for an infinite dividend, as what is left of it is.
    "floor_divide": Expression(
        "FloorDivide", (), 2, "(float) where(b == 0, q, where(a - a == 0, where(small, -1.0, floor(q)), 0.0 / 0.0))",
        ("q = (double) a / (double) b", "small = where(q == 0, where(a < 0, b > 0, where(a > 0, b < 0, false)), false)"), each=True,
    ),
    "floor_divide_whole": Expression("FloorDivideWhole", (), 2, "where(q * b == a, q, where((a < 0) == (b < 0), q, q - 1))", ("q = a / b",), each=True),
    "fmod": Expression("Fmod", (), 2, "m", _remainder(10), each=True),
    "remainder": Expression("Remainder", (), 2, "where(m == 0, m, where((m < 0) == (b < 0), m, m + b))", _remainder(10), each=True),
    "fmod_whole": Expression("FmodWhole", (), 2, "a - (a / b) * b", each=True),
    "remainder_whole": Expression(
        "RemainderWhole", (), 2, "where(m == 0, m, where((m < 0) == (b < 0), m, m + b))", ("m = a - (a / b) * b",), each=True
    ),
    "sign": Expression("Sign", (), 1, "where(x > 0, 1.0, where(x < 0, -1.0, 0.0))", each=True),
    "sign_whole": Expression("SignWhole", (), 1, "where(x > 0, 1, where(x < 0, -1, 0))", each=True),
    # In doubles; the series begins with x, which is exact enough where a logarithm is not.
    "asinh": Expression(
        "Asinh", (), 1, "(float) where(a < 0.0001, x, where(x < 0, -y, y))", ("a = abs((double) x)", "y = log(a + sqrt(a * a + 1))"), each=True
    ),
    "acosh": Expression("Acosh", (), 1, "(float) where(a < 1, 0.0 / 0.0, log(a + sqrt(a * a - 1)))", ("a = (double) x",), each=True),
    "atanh": Expression("Atanh", (), 1, "(float) where(abs(a) < 0.0001, a, log((1 + a) / (1 - a)) / 2)", ("a = (double) x",), each=True),
    "where": Expression("Where", (), 3, "where(a, b, c)", each=True),
    "masked_fill": Expression("MaskedFill", ("value",), 2, "where(b, value, a)", each=True),
    "roll": Expression(
        "Roll", ("dim", "shift"), 1,
        "concat(slice(x, dim, size(x, dim) - shift, size(x, dim)), slice(x, dim, 0, size(x, dim) - shift), dim)",
    ),
    "flip": Expression("Flip", ("dim",), 1, "flip(x, dim)"),
    "cumsum": Expression("Cumsum", ("dim",), 1, "cumsum(x, dim)"),
    "expand": Expression("Expand", ("sizes",), 1, "broadcast(x, sizes)"),
    "all_amin": Expression("AllAmin", (), 1, "amin(x)"),
    "amin": Expression("Amin", ("dim", "keep"), 1, "amin(x, dim, keep)"),
    "take": Expression("Take", ("dim",), 2, "take(a, b, dim)"),
    "from_front": Expression("FromFront", ("size",), 1, "where(x < 0, x + size, x)", each=True),
    **{f"correlate{dims}d": _correlate(dims) for dims in (1, 2, 3)},
    "wrap_uint8": Expression("WrapUint8", (), 1, "where(m < 0, m + 256, m)", ("m = x - (x / 256) * 256",), each=True),
    "wrap_int16": Expression(
        "WrapInt16", (), 1, "where(m < -32768, m + 65536, where(m > 32767, m - 65536, m))", ("m = x - (x / 65536) * 65536",), each=True
    ),
    "update": Expression("Update", ("dim", "at"), 2, "update(a, b, dim, at)"),
}
