"""Values and names as .str text."""

from __future__ import annotations

import math
import re

from ..errors import ImportFailure
from ..ir.model import Named, Param, Slice
from ..ir.printer import ESCAPES

KEYWORDS = set(
    "filter pipeline splitjoin feedbackloop portal to handler stateful iter add split join duplicate roundrobin body loop "
    "enqueue init prework work peek pop push boolean float bit int void double complex float2 float3 float4 struct template "
    "native static helper if else while for switch case default break continue return do pi true false "
    "tensor half bfloat16 int8 long String global".split()
)


def identifier(text: str) -> str:
    """A name of the language that is as near to the text as can be."""
    word = re.sub(r"\W", "_", text, flags=re.A) or "_"
    if word[0].isdigit() or word in KEYWORDS:
        word = "_" + word
    return word


def string(value: str) -> str:
    if not value.isascii():
        raise ImportFailure(f"the name {value!r} has letters that a .str file cannot have")
    return '"' + "".join(ESCAPES.get(letter, letter) for letter in value) + '"'


def real(value: float) -> str:
    if math.isnan(value):
        return "(0.0 / 0.0)"
    if math.isinf(value):
        return "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"
    return repr(float(value))


def literal(value: Param) -> str:
    """The text of an argument."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**31) < value < 2**31:
            raise ImportFailure(f"{value} does not fit into an int of 32 bits")
        return str(value)
    if isinstance(value, float):
        return real(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, tuple):
        return "{" + ", ".join(map(literal, value)) + "}"
    raise ImportFailure(f"{value!r} cannot be an argument of a stream")


def type_of(value: Param) -> str:
    """The type of a parameter that takes the value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "String"
    if isinstance(value, tuple) and value:
        return f"{type_of(value[0])}[{len(value)}]"
    raise ImportFailure(f"{value!r} cannot be an argument of a stream")


def shape_of(value: Param) -> str:
    """What two values have in common that one parameter may take."""
    if isinstance(value, (Slice, Named)) or value is None:
        return repr(value)
    return "none[0]" if value == () else type_of(value)
