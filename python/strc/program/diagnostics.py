"""What the compiler has to say, as data and as exceptions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .. import _core


@dataclass(frozen=True)
class Diagnostic:
    """One message. Lines and columns count from 1, columns in bytes; 0: it has no place. The end is exclusive."""

    severity: str
    code: str
    message: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    instance: str
    text: str

    def __str__(self) -> str:
        return self.text.rstrip()

    def explain(self) -> str:
        """The page that `strc explain CODE` prints."""
        from .core import core

        return str(core().explain(self.code))


class StrcWarning(UserWarning):
    """A warning about a program; `diagnostic` has the details."""

    def __init__(self, diagnostic: Diagnostic):
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic


class StrcError(Exception):
    """A program that cannot be compiled or run. `diagnostics` are its errors; `file`, `line` and `column` those of the first."""

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics = list(diagnostics)
        first = self.diagnostics[0] if self.diagnostics else None
        self.code = first.code if first else ""
        self.file = first.file if first else ""
        self.line = first.line if first else 0
        self.column = first.column if first else 0
        super().__init__("\n".join(map(str, self.diagnostics)) or "the program cannot be run")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)


class CompileError(StrcError):
    """What is wrong with the text of a program, with its parameters or its weights."""


class RunError(StrcError):
    """A check that failed while a program ran: an index, a division, a rate."""


class MeshError(RuntimeError):
    """Processes that should share a program and cannot: one has another program, is lost, or there is no group."""


class StateError(ValueError):
    """Bytes from which a stream cannot go on: `code` is "state-truncated", "state-damaged", "state-other-program" or "state-newer"."""

    # As the extension numbers them.
    CODES = {
        1: ("state-truncated", "the saved state is not complete: its end is missing"),
        2: ("state-damaged", "this is no saved state, or it is damaged"),
        3: ("state-other-program", "the saved state is that of another program"),
        4: ("state-newer", "the saved state was written by a newer version of strc"),
    }

    def __init__(self, number: int):
        self.number = number
        self.code, text = self.CODES[number]
        super().__init__(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.number,)


def as_data(found: _core.Diagnostic) -> Diagnostic:
    return Diagnostic(
        found.severity, found.code, found.message, found.file, found.line, found.column, found.end_line, found.end_column,
        found.instance, found.text,
    )


class Ear:
    """Hears what a compiler says: warnings once, errors as a list."""

    def __init__(self, compiler: _core.Compiler):
        self.compiler = compiler
        self.heard: list[Diagnostic] = []

    def listen(self, depth: int = 3) -> list[Diagnostic]:
        """What is new; warnings are passed on to Python's."""
        new = [as_data(found) for found in self.compiler.diagnostics(len(self.heard))]
        self.heard += new
        for diagnostic in new:
            if diagnostic.severity == "warning":
                warnings.warn(StrcWarning(diagnostic), stacklevel=depth)
        return [diagnostic for diagnostic in new if diagnostic.severity == "error"]
