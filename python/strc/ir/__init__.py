"""The model IR: one instruction a line, each making a new variable from earlier ones.

    var1 = conv2d<3, 32, 3, 3, 1, 1, 0, 0>(var0)
    return (var1)

`parse` and `show` turn text into a `Program` and back; `operators` knows what operators take and give.
"""

from .model import Instruction, Named, Origin, Param, Program, Slice
from .parser import IrSyntaxError, parse
from .printer import show, show_param

__all__ = ["Instruction", "IrSyntaxError", "Named", "Origin", "Param", "Program", "Slice", "parse", "show", "show_param"]
