"""A filter over floats that is written into the program."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Instruction


@dataclass(frozen=True)
class StreamFilter:
    """A declaration: its name, the names of its positional parameters, and its text, in which NAME stands for the name.

    `uses` are the names of stored values, or their prefixes, that are in the text.
    """

    name: str
    formals: tuple[str, ...]
    text: str
    uses: tuple[str, ...] = ()

    def source(self, name: str, _: Instruction) -> str:
        return self.text.strip("\n").replace("NAME", name)
