"""A model as text and files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
import torch

from .. import passes
from ..ir import Program
from ..ir.operators import weights_prefix
from ..source import source_of
from .capture import Captured, capture
from .lowering import lower


@dataclass(frozen=True)
class Imported:
    """A model that has been read: its graph, its program in the model IR behind the passes, and its stored values."""

    captured: Captured
    program: Program
    tensors: dict[str, torch.Tensor]

    def source(self, replicate: bool = False, title: str = "") -> str:
        """The .str source."""
        return source_of(self.program, replicate, title)

    def used_tensors(self) -> dict[str, torch.Tensor]:
        """The stored values that the program names."""
        names = {name for i in self.program.instructions if (name := weights_prefix(i)) is not None}
        return {name: t for name, t in self.tensors.items() if name in names or name.rpartition(".")[0] in names}


def import_model(model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], dynamic: Sequence[int] = ()) -> Imported:
    """Reads a model; `dynamic` are the dimensions of every input that stay open. Raises `strc.errors.ImportFailure`."""
    captured, program, tensors = lower(capture(model, example_inputs, dynamic))
    return Imported(captured, passes.run(program), tensors)


def export(
    model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], path: str | os.PathLike[str], *, replicate: bool = False,
    dynamic: Sequence[int] = (), title: str = "",
) -> Imported:
    """Writes the model to `path` (a .str file) and its weights beside it (.safetensors). Writes both or nothing.

    Raises `strc.errors.ImportFailure` with an explanation for the user.
    """
    imported = import_model(model, example_inputs, dynamic)
    write(imported, imported.source(replicate, title), path)
    return imported


def write(imported: Imported, text: str, path: str | os.PathLike[str]) -> None:
    """Writes source and weights: both, or nothing."""
    program = Path(path)
    tensors = {name: tensor.contiguous().clone() for name, tensor in imported.used_tensors().items()}
    write_both(program, text.encode("ascii"), program.with_suffix(".safetensors"), safetensors.torch.save(tensors))


def write_both(one: Path, one_bytes: bytes, other: Path, other_bytes: bytes) -> None:
    """Writes beside the files and renames, so that neither is ever there in part."""
    with tempfile.TemporaryDirectory(prefix=".strc-import-", dir=one.parent) as folder:
        drafts = [(Path(folder) / "weights", other, other_bytes), (Path(folder) / "program", one, one_bytes)]
        for draft, _, data in drafts:
            draft.write_bytes(data)
        for draft, place, _ in drafts:
            draft.replace(place)
