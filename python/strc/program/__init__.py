"""Stream programs in this process: `strc.compile` and what it gives."""

from .compile import compile
from .diagnostics import CompileError, Diagnostic, RunError, StrcWarning
from .program import Program
from .schedule import Firing, Loop, Schedule
from .stream import Stream

__all__ = [
    "CompileError", "Diagnostic", "Firing", "Loop", "Program", "RunError", "Schedule", "Stream", "StrcWarning", "compile",
]
