"""The model IR as text."""

from __future__ import annotations

import math

from .model import Instruction, Named, Param, Program, Slice

ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def show_string(value: str) -> str:
    return '"' + "".join(ESCAPES.get(letter, letter) for letter in value) + '"'


def show_float(value: float) -> str:
    """The shortest text that is read as the same value; infinity as a number too large for one."""
    if math.isnan(value):
        raise ValueError("NaN has no text in the model IR")
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    return repr(float(value))


def show_param(param: Param) -> str:
    """A parameter as the grammar has it."""
    if param is None or isinstance(param, bool):
        return str(param)
    if isinstance(param, int):
        return str(param)
    if isinstance(param, float):
        return show_float(param)
    if isinstance(param, str):
        return show_string(param)
    if isinstance(param, Slice):
        return f"slice({param.start}, {param.stop}, {param.step})"
    if isinstance(param, Named):
        return f"{param.name}={show_param(param.value)}"
    return "[" + ", ".join(map(show_param, param)) + "]"


def show_vars(variables: tuple[int, ...]) -> str:
    return "(" + ", ".join(f"var{number}" for number in variables) + ")"


def show_instruction(instruction: Instruction) -> str:
    params = ", ".join(map(show_param, instruction.params))
    return f"var{instruction.var} = {instruction.op}{f'<{params}>' if params else ''}{show_vars(instruction.args)}"


def show(program: Program) -> str:
    """The whole program; `parse` reads it back."""
    lines = [show_instruction(instruction) for instruction in program.instructions]
    return "\n".join([*lines, f"return {show_vars(program.results)}"]) + "\n"
