"""What is told to a user when a model cannot be imported."""

from __future__ import annotations

import os
from dataclasses import dataclass


class ImportFailure(Exception):
    """A model that cannot be imported, or a call that makes no sense. The text is for the user; nothing has been written."""


@dataclass(frozen=True)
class Place:
    """Where in a model something happens: the module's path and class, and the line of its source if that is known."""

    module: str = ""
    class_name: str = ""
    file: str = ""
    line: int = 0
    text: str = ""

    @property
    def where(self) -> str:
        """File and line, seen from the working directory if the file is below it."""
        near = os.path.relpath(self.file) if self.file else ""
        return f"{self.file if near.startswith('..') else near}:{self.line}" if self.file else "unknown line"

    def __str__(self) -> str:
        module = self.module or "the model itself"
        of_class = f" ({self.class_name})" if self.class_name else ""
        code = f"\n      {self.text}" if self.text else ""
        return f"{self.where}: in {module}{of_class}{code}"


class Unsupported(ImportFailure):
    """Operators without a translation, all of them at once; those that a loop uses in one line once. `sources` are the nodes that they come from,
    if the model is a graph itself (`strc.torch.parts`)."""

    def __init__(self, faults: list[tuple[str, Place]], sources: frozenset[str | None] = frozenset()):
        self.sources = sources
        self.faults = faults = list(dict.fromkeys(faults))
        count = len(faults)
        head = "1 use of an operator" if count == 1 else f"{count} uses of operators"
        lines = [f"  {what}\n    {place}" for what, place in faults]
        super().__init__("\n".join([f"the model has {head} that cannot be imported:", *lines]))
