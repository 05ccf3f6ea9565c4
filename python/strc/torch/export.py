"""A model as text and files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import safetensors.torch
import torch

from .. import passes
from ..errors import ImportFailure
from ..files import write_both
from ..ir import Program
from ..ir.model import Loop, Shape
from ..ir.operators import weights_prefixes
from ..source import source_of
from ..source.expressions import EXPRESSIONS, Written
from ..streaming import Streamed, formatted, join_frames, prove, streamed
from .capture import Captured, capture, evaluating
from .lowering import lower


@dataclass(frozen=True)
class Imported:
    """A model that has been read: its graph, its program in the model IR behind the passes, and its stored values."""

    captured: Captured
    program: Program
    tensors: dict[str, torch.Tensor]
    streamed: Streamed | None = None  # `program` is this one's
    written: Mapping[str, Written] = field(default_factory=dict)  # filters that are the program's own, by operator

    def source(self, replicate: bool = False, title: str = "") -> str:
        """The .str source."""
        about = [f"// {title}"] if title else []
        if self.streamed:
            about += self.streamed.about()
        text = "\n".join([*about, *([""] if about else []), source_of(self.program, replicate, written={**EXPRESSIONS, **self.written})])
        return formatted(text) if self.streamed else text

    def used_tensors(self) -> dict[str, torch.Tensor]:
        """The stored values that the program names."""
        names = {name for i in self.program.instructions for name in weights_prefixes(i)}
        return {name: t for name, t in self.tensors.items() if name in names or name.rpartition(".")[0] in names}


def import_model(
    model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], dynamic: Sequence[int] = (), states: Sequence[torch.Tensor] = ()
) -> Imported:
    """Reads a model. Raises `strc.errors.ImportFailure`.

    `dynamic` are the dimensions of every input that stay open. `states` are examples of further inputs that, from the second time on, are
    what the model gave last time as its last results; they begin as zeros.
    """
    captured, program, tensors = lower(capture(model, [*example_inputs, *states], dynamic))
    if states:
        program.loop = loop_of(captured, program, example_inputs, states)
    return Imported(captured, passes.run(program), tensors)


def loop_of(
    captured: Captured, program: Program, inputs: Sequence[torch.Tensor], states: Sequence[torch.Tensor]
) -> Loop:
    """The states, which have to come back as they went in, and the shapes at the ends."""
    output = next(node for node in captured.graph.nodes if node.op == "output")
    results = [node.meta["val"] for node in output.args[0] if isinstance(node, torch.fx.Node)]
    if len(results) <= len(states) or len(results) != len(program.results):
        raise ImportFailure(f"the model has to give {len(states) + 1} tensors or more: its results, and then its states")
    given, after = results[: -len(states)], results[-len(states) :]
    for one, other in zip(states, after):
        if one.dtype != torch.float32:
            raise ImportFailure(f"a state of {str(one.dtype).removeprefix('torch.')}: only states of float can go round")
        if tuple(one.shape) != tuple(other.shape) or one.dtype != other.dtype:
            sizes = ["x".join(map(str, tensor.shape)) for tensor in (one, other)]
            raise ImportFailure(f"a state of shape {sizes[0]} comes back with shape {sizes[1]}")
    return Loop(tuple(tuple(state.shape) for state in states), only_shape(inputs), only_shape(given))


def only_shape(tensors: Sequence[torch.Tensor]) -> Shape | None:
    """The shape of floats that stand alone."""
    alone = len(tensors) == 1 and tensors[0].dtype == torch.float32
    return tuple(int(size) for size in tensors[0].shape) if alone else None


def export(
    model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], path: str | os.PathLike[str], *, replicate: bool = False,
    dynamic: Sequence[int] = (), states: Sequence[torch.Tensor] = (), title: str = "", streaming: bool = False, time: int | None = None,
    latency: int = 0,
) -> Imported:
    """Writes the model to `path` (a .str file) and its weights beside it (.safetensors). Writes both or nothing.

    The arguments are those of `import_model`, or, with `streaming`, of `stream_model`. Raises `strc.errors.ImportFailure` with an
    explanation for the user.
    """
    if streaming:
        if dynamic or states:
            raise ImportFailure("a streamed model has no open dimensions, and its states go round by themselves")
        imported = stream_model(model, example_inputs, time, latency)
    else:
        imported = import_model(model, example_inputs, dynamic, states)
    write(imported, imported.source(replicate, title), path, model, example_inputs)
    return imported


def stream_model(
    model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], time: int | None = None, latency: int = 0
) -> Imported:
    """Reads a model that is to run for ever, frame by frame. Raises `strc.errors.ImportFailure`.

    `time` is the dimension of the input that counts time; None: the one along which its layers go. The result may come `latency` frames
    of the input later than the model has it; 0 takes only what is causal.
    """
    _, program, tensors = lowered = lower(capture(model, example_inputs))
    if any(tensor.dtype != torch.float32 for tensor in example_inputs):
        raise ImportFailure("a streamed model takes floats")
    made = streamed(passes.run(program), tensors, time, latency)
    joined, written = join_frames(passes.eliminate_dead(made.program))
    return Imported(lowered[0], joined, tensors, made, written)


def write(
    imported: Imported, text: str, path: str | os.PathLike[str], model: torch.nn.Module, example_inputs: Sequence[torch.Tensor]
) -> None:
    """Writes source and weights: both, or nothing. A streamed program has to give what the model gives."""
    program = Path(path)
    source, weights = proven(imported, text, model, example_inputs)
    write_both(program, source, program.with_suffix(".safetensors"), weights)


def proven(
    imported: Imported, text: str, model: torch.nn.Module, example_inputs: Sequence[torch.Tensor]
) -> tuple[bytes, bytes]:
    """Source and weights as the bytes of files. Raises `ImportFailure` if it is a stream that does not give what the model gives."""
    tensors = {name: tensor.contiguous().clone() for name, tensor in imported.used_tensors().items()}
    source, weights = text.encode("ascii"), safetensors.torch.save(tensors)
    if imported.streamed:
        with evaluating(model):
            prove(imported.streamed, model, example_inputs[0], source, weights)
    return source, weights
