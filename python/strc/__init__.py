"""The stream compiler strc for Python.

`strc.compile` makes a program of the language callable: on arrays and tensors, in one go or chunk by chunk (`program`; it needs the
extension `strc._core`). `strc.torch.export` writes PyTorch models as .str programs with their weights, and
`torch.compile(model, backend="strc")` runs them. The parts of that, in the order in which a model passes through them: `torch` (capture),
`ir` (the model IR), `passes`, `streams` (from graphs to pipelines and splitjoins), `source` (text). `draw` shows each of them; `importer`
is the command `strc import`. `strc.sklearn.export` does the same for scikit-learn's models. `strc.ray` serves many streams of a program
on the machines of a Ray cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .program import (
        CompileError, Diagnostic, Firing, Loop, Mesh, MeshError, Program, RunError, Schedule, StateError, Stream, StrcWarning,
        compile, process_many,
    )

__version__ = "0.1.0"
__all__ = [
    "CompileError", "Diagnostic", "Firing", "Loop", "Mesh", "MeshError", "Program", "RunError", "Schedule", "StateError", "Stream",
    "StrcWarning", "compile", "process_many",
]


def __getattr__(name: str) -> Any:
    """What runs programs needs NumPy, which the rest does not: it is imported when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'strc' has no attribute '{name}'")
    from . import program

    return getattr(program, name)
