"""Stream programs in this process: `strc.compile` and what it gives."""

from .recipe import compile
from .diagnostics import CompileError, Diagnostic, MeshError, RunError, StateError, StrcWarning
from .mesh import Mesh
from .program import Program
from .schedule import Firing, Loop, Schedule
from .stream import Stream, process_many

__all__ = [
    "CompileError", "Diagnostic", "Firing", "Loop", "Mesh", "MeshError", "Program", "RunError", "Schedule", "StateError", "Stream", "StrcWarning",
    "compile", "process_many",
]
