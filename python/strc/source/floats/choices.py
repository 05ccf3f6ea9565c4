"""Conditions, which are 1 or 0, and choices by them; whole numbers, which floats have exactly."""

from __future__ import annotations

from ..functions import Function
from .elementwise import item
from .filter import StreamFilter

_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

ONE: dict[str, Function] = {
    **{f"{op}_scalar": Function(f"x {sign} value ? 1.0 : 0.0", None, "float value") for op, sign in _COMPARED.items()},
    "logical_not": Function("x == 0 ? 1.0 : 0.0"),
    "to_boolean": Function("x == 0 ? 0.0 : 1.0"),
    "to_int": Function("x < 0 ? ceil(x) : floor(x)"),
    "to_long": Function("x < 0 ? ceil(x) : floor(x)"),
    "trunc": Function("x < 0 ? ceil(x) : floor(x)"),
    "to_float": Function("x"),
    "sign": Function("x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0"),
    "sign_whole": Function("x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0"),
    "log2": Function("log(x) / log(2.0)"),
    "exp2": Function("pow(2.0, x)"),
    "from_front": Function("x < 0 ? x + size : x", None, "int size"),
}
SEVERAL: dict[str, tuple[str, Function]] = {
    **{op: ("a b", Function(f"a {sign} b ? 1.0 : 0.0")) for op, sign in _COMPARED.items()},
    "logical_and": ("a b", Function("a != 0 && b != 0 ? 1.0 : 0.0")),
    "logical_or": ("a b", Function("a != 0 || b != 0 ? 1.0 : 0.0")),
    "masked_fill": ("a b", Function("b != 0 ? value : a", None, "float value")),
    "where": ("a b c", Function("a != 0 ? b : c")),
}

CHOICES: dict[str, StreamFilter] = {
    **{op: item("".join(map(str.capitalize, op.split("_"))), function, "x") for op, function in ONE.items()},
    **{op: item("".join(map(str.capitalize, op.split("_"))), function, letters) for op, (letters, function) in SEVERAL.items()},
}
# Those that take the numbers of their operands in turns.
IN_ORDER = set(SEVERAL)
