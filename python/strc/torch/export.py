"""A model as text and files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Union

import safetensors.torch
import torch

from .. import passes
from ..errors import ImportFailure
from ..files import write_both
from ..ir import Program
from ..ir.model import Kind, Loop, State
from ..ir.operators import weights_prefixes
from ..source import source_of
from ..source.expressions import EXPRESSIONS, Written
from ..source.floats import StreamFilter
from ..streaming import OtherLength, Streamed, formatted, join_frames, prove, streamed
from .attributes import unchanged
from .capture import Captured, capture
from .dims import Dynamic, open_dims, with_checks
from .graph_lowering import lower
from .kept import grown_in, keep_last
from .lengths import where_lengths_count
from .lowering import static
from . import items
from .scans import scans_as_loops
from .states import Buffer


Times = Union[int, Sequence[int], None]


@dataclass(frozen=True)
class Model:
    """A model that has been read, whatever it was: its program in the model IR behind the passes, and its stored values."""

    program: Program
    tensors: dict[str, torch.Tensor]
    streamed: Streamed | None = None  # `program` is this one's
    written: Mapping[str, Written] = field(default_factory=dict)  # filters that are the program's own, by operator
    beside: Mapping[str, torch.Tensor] = field(default_factory=dict)  # values that are stored for what stands around the program
    empty: Mapping[int, torch.Tensor] = field(default_factory=dict)  # results without elements, by their places, which it does not give

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
        names.update(name for made in self.written.values() if isinstance(made, StreamFilter) for name in made.uses)
        names.update(state.first for state in (self.program.loop.states if self.program.loop else ()) if state.first)
        used = {name: t for name, t in self.tensors.items() if name in names or name.rpartition(".")[0] in names}
        return {**used, **self.beside}


@dataclass(frozen=True)
class Imported(Model):
    """A module that has been read."""

    captured: Captured = field(kw_only=True)


def import_model(
    model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], dynamic: Dynamic = (), states: Sequence[torch.Tensor] = (),
    stored: Mapping[str, torch.Tensor] | None = None, context: int | None = None,
) -> Imported:
    """Reads a model. Raises `strc.errors.ImportFailure`.

    `dynamic` are the dimensions of every input that stay open, or for each input those that a `torch.export.Dim` marks. Buffers that the model changes go round in a feedback loop. `states` are examples of further inputs that, from the second time on, are
    what the model gave last time as its last results; they begin as zeros. `stored` are the values of another program that will lie in the same file.
    A state that has `context` elements in a dimension, and comes back longer in that, keeps the last ones.
    """
    if states and dynamic:
        raise ImportFailure("a state begins as zeros of one shape, so that no dimension is open: --state goes not with --dynamic")
    open_ = open_dims(model, example_inputs, dynamic)
    captured, program, tensors, empty = lower(capture(model, [*example_inputs, *states], open_), stored=stored)
    check_results(program)
    program = with_checks(program, model, example_inputs, dynamic)
    buffers = captured.buffers
    if states or buffers:
        program.loop = loop_of(captured, program, example_inputs, states, buffers, context)
        keep_last(program, [state.shape for state in program.loop.states], context)
        tensors.update((buffer.name, buffer.first) for buffer in buffers)
    return Imported(passes.run(program), tensors, empty=empty, captured=captured)


def import_items(
    model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], dims: Sequence[int | None], count: int = 1
) -> tuple[Imported, list[int | None]]:
    """The program for `count` items of a batch, and the dimension of the items in each of its results, None where it is the same for all.

    `dims` are the dimensions of the items in the inputs. Raises `Mixed` if items are not on their own, and `ImportFailure`.
    """
    captured = capture(model, example_inputs, [[] if dim is None else [dim] for dim in dims])
    captured, program, tensors, empty = lower(captured, count)
    check_results(program)
    if captured.buffers:
        raise ImportFailure("it changes its buffers from item to item")
    program = passes.run(program)
    places = items.check(program)
    return Imported(program, tensors, empty=empty, captured=captured), places


def check_results(program: Program) -> None:
    """Raises `ImportFailure` if no result depends on an input: a stream fires when something arrives."""
    reached = set(program.inputs)
    for instruction in program.instructions:
        if reached.intersection(instruction.args):
            reached.add(instruction.var)
    if not reached.intersection(program.results):
        raise ImportFailure("the results of the model depend on none of its inputs: they are the same each time")


KINDS = {torch.float32: "float", torch.float64: "double", torch.int32: "int", torch.int64: "long", torch.bool: "boolean"}


def loop_of(
    captured: Captured, program: Program, inputs: Sequence[torch.Tensor], states: Sequence[torch.Tensor], buffers: Sequence[Buffer],
    context: int | None,
) -> Loop:
    """The states, which have to come back as they went in or longer than `context`, and the shapes at the ends."""
    results = [one.meta["val"] for one in captured.returned if isinstance(one, torch.fx.Node)]
    results = [one for one in results if isinstance(one, torch.Tensor)]
    if len(results) <= len(states):
        raise ImportFailure(f"the model has to give {len(states) + 1} tensors or more: its results, and then its states")
    given = results[: len(results) - len(states)]
    round_ = [state_of(state, after, context=context) for state, after in zip(states, results[len(given) :])]
    round_ += [state_of(buffer.first, buffer.after.meta["val"], buffer.name) for buffer in buffers]
    return Loop(tuple(round_), only_kind(inputs), only_kind(given))


def state_of(first: torch.Tensor, after: torch.Tensor, name: str | None = None, context: int | None = None) -> State:
    """`name` is that of a buffer, whose value it has first unless that is all zeros; else it begins with zeros. Of what comes back longer the last `context` elements are kept."""
    what = "a state" if name is None else f"the buffer '{name}'"
    if first.dtype not in KINDS:
        raise ImportFailure(f"{what} of {str(first.dtype).removeprefix('torch.')}: only states of {', '.join(KINDS.values())} can go round")
    if first.dtype != after.dtype:
        kinds = [str(tensor.dtype).removeprefix("torch.") for tensor in (first, after)]
        raise ImportFailure(f"{what} of {kinds[0]} comes back as {kinds[1]}")
    if list(map(str, first.shape)) != list(map(str, after.shape)) and grown_in(first.shape, after.shape, context) is None:
        sizes = ["x".join(map(str, tensor.shape)) or "()" for tensor in (first, after)]
        longer = [one for one, two in zip(first.shape, after.shape) if grown_in(first.shape, after.shape, one) is not None]
        hint = f"; --context {longer[0]} keeps the last {longer[0]} of what comes back longer" if longer and name is None else ""
        raise ImportFailure(f"{what} of shape {sizes[0]} comes back with shape {sizes[1]}{hint}")
    is_zero = name is None or not bool(first.any() | torch.signbit(first).any())
    return State(tuple(first.shape), KINDS[first.dtype], None if is_zero else name)


def only_kind(tensors: Sequence[torch.Tensor]) -> Kind | None:
    """The kind of a tensor that stands alone, unless its shape is open."""
    if len(tensors) != 1 or tensors[0].dtype not in KINDS:
        return None
    sizes = [size for size in map(static, tensors[0].shape) if size is not None]
    return Kind(tuple(sizes), KINDS[tensors[0].dtype]) if len(sizes) == tensors[0].dim() else None


def export(
    model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], path: str | os.PathLike[str], *, replicate: bool = False,
    dynamic: Dynamic = (), states: Sequence[torch.Tensor] = (), title: str = "", streaming: bool = False, time: Times = None,
    latency: int = 0, context: int | None = None,
) -> Imported:
    """Writes the model to `path` (a .str file) and its weights beside it (.safetensors). Writes both or nothing.

    The arguments are those of `import_model`, or, with `streaming`, of `stream_model`. Raises `strc.errors.ImportFailure` with an
    explanation for the user.
    """
    if streaming:
        if dynamic or states:
            raise ImportFailure("a streamed model has no open dimensions, and its states go round by themselves")
        imported = stream_model(model, example_inputs, time, latency, context)
    else:
        imported = import_model(model, example_inputs, dynamic, states, context=context)
    write(imported, imported.source(replicate, title), path, model, example_inputs)
    return imported


def stream_model(
    model: torch.nn.Module, example_inputs: Sequence[torch.Tensor], time: Times = None, latency: int = 0, context: int | None = None
) -> Imported:
    """Reads a model that is to run for ever, frame by frame. Raises `strc.errors.ImportFailure`.

    `time` is the dimension of the inputs that counts time, or one for each; None: those along which layers go. The result may come `latency` frames
    of the input later than the model has it; 0 takes only what is causal.
    """
    _, program, tensors, _ = lowered = lower(capture(model, example_inputs), streams=True)
    if buffers := lowered[0].buffers:
        raise ImportFailure(f"a streamed model keeps no states of its own, and this one changes its buffer '{buffers[0].name}'")
    if any(tensor.dtype not in (torch.float32, torch.int32, torch.int64, torch.bool) for tensor in example_inputs):
        raise ImportFailure("a streamed model takes floats, and whole numbers, which come as floats")
    return Imported(**stream_of(program, tensors, time, latency, context), captured=lowered[0])


def stream_of(program: Program, tensors: dict[str, torch.Tensor], time: Times, latency: int, context: int | None) -> dict[str, Any]:
    """The fields of a `Model` that goes frame by frame, of a program over whole sequences. Raises `strc.errors.ImportFailure`."""
    axes = () if time is None else (time,) if isinstance(time, int) else tuple(time)
    made = streamed(passes.run(without_zeros(program)), tensors, axes, latency, context)
    joined, written = join_frames(made.program)
    return {"program": joined, "tensors": tensors, "streamed": made, "written": {**made.written, **written}}


def without_zeros(program: Program) -> Program:
    """Without the zeros that sums in Python begin with: of a stream of sounds the sign of a zero is not kept."""
    kept = [replace(i, params=(0,)) if i.op == "add_scalar" and i.params == (0.0,) else i for i in program.instructions]
    return replace(program, instructions=kept)


def write(
    imported: Model, text: str, path: str | os.PathLike[str], model: torch.nn.Module, example_inputs: Sequence[torch.Tensor]
) -> None:
    """Writes source and weights: both, or nothing. A streamed program has to give what the model gives."""
    program = Path(path)
    source, weights = proven(imported, text, model, example_inputs)
    write_both(program, source, program.with_suffix(".safetensors"), weights)


def proven(
    imported: Model, text: str, model: torch.nn.Module, example_inputs: Sequence[torch.Tensor]
) -> tuple[bytes, bytes]:
    """Source and weights as the bytes of files. Raises `ImportFailure` if it is a stream that does not give what the model gives."""
    tensors = {name: tensor.contiguous().clone() for name, tensor in imported.used_tensors().items()}
    source, weights = text.encode("ascii"), safetensors.torch.save(tensors)
    if imported.streamed:
        try:
            with unchanged(model), scans_as_loops():
                prove(imported.streamed, model, list(example_inputs), source, weights)
        except OtherLength as fault:
            raise explained(model, example_inputs, fault) from fault
    return source, weights


def explained(model: torch.nn.Module, examples: Sequence[torch.Tensor], fault: OtherLength) -> ImportFailure:
    """With the layer that computes with the length of its input, if that is why a stream goes wrong behind the example's length."""
    lowered = [lower(capture(model, inputs), streams=True) for inputs in (examples, fault.inputs)]
    where = where_lengths_count([program for _, program, _, _ in lowered], [tensors for _, _, tensors, _ in lowered])
    if where is None:
        return fault
    return ImportFailure(
        f"what the model does depends on the length of its input, which a stream has not: {where}\n  make it a number that is the same for every "
        "length, or what is known at each time step (cumsum of ones counts them)"
    )
