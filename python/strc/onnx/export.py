"""ONNX models as programs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

import onnx
import torch

from .. import passes
from ..errors import ImportFailure
from ..ir import Program
from ..ir.model import Kind, Loop, State
from ..torch import bounds
from ..torch.capture import quiet
from ..torch.export import KINDS, Model, Times, check_results, state_of, stream_of, write
from ..torch.kept import keep_last
from ..torch.lowering import Lowering, NotLowered, Pair, Var, static
from ..torch.weights import Known
from . import ends, reading
from .sizes import Sizes
from .walker import Evaluator, NodeLowering, Refused, walker_of

Given = Union[str, "os.PathLike[str]", onnx.ModelProto]


@dataclass(frozen=True)
class Imported(Model):
    """An ONNX model that has been read. `results` are the names of what the program gives, in their order; `constant` are the results that are
    the same each time, which it does not give.
    """

    source_model: onnx.ModelProto = field(kw_only=True)
    folder: str = field(kw_only=True)
    inputs: Sequence[ends.Input] = field(kw_only=True)
    results: Sequence[str] = field(kw_only=True)
    constant: Mapping[str, torch.Tensor] = field(kw_only=True)
    types: Sequence[torch.dtype] = field(kw_only=True)
    open: Sequence[str] = field(kw_only=True)  # names of the dimensions of the inputs that are

    def evaluator(self) -> Evaluator:
        """The model as a function of tensors."""
        return Evaluator(self.source_model, self.folder, [one.name for one in self.inputs])

    def examples(self) -> list[torch.Tensor]:
        return [ends.example(one) for one in self.inputs]


def class_name(model: onnx.ModelProto, default: str) -> str:
    """A name for the stream: that of the graph, unless it says nothing."""
    name = model.graph.name if model.graph.name not in ("", "main_graph", "torch_jit", "graph") else default
    words = re.findall(r"[A-Za-z0-9]+", name)
    made = "".join(word[0].upper() + word[1:] for word in words) or "Model"
    return made if made[0].isalpha() else f"Model{made}"


def opened(given: Given) -> tuple[onnx.ModelProto, str, str]:
    """A model that has been checked, its folder, and a name for it."""
    if isinstance(given, onnx.ModelProto):
        return reading.checked(given), "", "Model"
    model, folder = reading.load(given)
    return model, str(folder), Path(given).stem


@dataclass
class Read:
    """A model as instructions, before its ends are put in order."""

    lowering: Lowering
    numbers: dict[str, int]
    values: dict[str, Any]


def read(model: onnx.ModelProto, folder: str, inputs: Sequence[ends.Input], streams: bool, open_: Sequence[str] = (), fuse: bool = True) -> Read:
    """Walks through a model. Raises `Refused` with all nodes that have no translation. `open_` are the names of open dimensions; `fuse`: products of quantised values are such of whole numbers."""
    lowering = NodeLowering(streams=streams)
    numbers: dict[str, int] = {}
    values: dict[str, Any] = {}
    for one in inputs:
        if any(static(size) == 0 for size in one.like.shape):
            values[one.name] = Known("empty", torch.empty(one.like.shape, dtype=one.like.dtype))
            continue
        values[one.name] = lowering.values[one.name] = var = lowering.new_var(one.like)
        numbers[one.name] = var.number
    walker = walker_of(model, lowering, folder)
    walker.fuses = fuse and not streams
    with quiet():
        found = walker.graph(model.graph, values)
        if walker.faults:
            raise Refused(walker.faults, open_)
        try:
            found = [walker.computed(value) if isinstance(value, Sizes) else value for value in found]
        except NotLowered as fault:
            raise ImportFailure(f"a result that is computed of sizes alone: {fault}") from fault
    return Read(lowering, numbers, dict(zip((one.name for one in model.graph.output), found)))


def flattened(values: Mapping[str, Any]) -> dict[str, Any]:
    """Results by name, the elements of sequences by their places."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, list):
            found.update((f"{name}[{k}]", one) for k, one in enumerate(value))
        elif value is not None:
            found[name] = value
    return found


def result_vars(lowering: Lowering, values: Mapping[str, Any]) -> dict[str, Var]:
    """The results that depend on the input, as variables."""
    made = {name: lowering.side_by_side(value) if isinstance(value, Pair) else value for name, value in values.items()}
    return {name: value for name, value in made.items() if isinstance(value, Var)}


def open_dimensions(program: Program) -> list[bounds.Marked]:
    """All of the inputs. What the model requires of them is asked of what arrives."""
    return [bounds.Marked(place, dim, None) for place, number in enumerate(program.inputs) for dim in range(len(program.shapes[number]))]


def loop_of(inputs: Sequence[ends.Input], states: Mapping[str, str], found: Mapping[str, Var], context: int | None) -> Loop:
    """The states in their order, which come back as they went in or longer than `context`, and the kinds of a single input and a single result."""
    likes = {one.name: one.like for one in inputs}
    round_: list[State] = []
    for taken, given in states.items():
        if given not in found:
            raise ImportFailure(f"the result '{given}', which goes round to '{taken}', does not depend on the input")
        first, after = (torch.zeros(like.shape, dtype=like.dtype) for like in (likes[taken], found[given]))
        round_.append(state_of(first, after, context=context))
    taken_in = [one.like for one in inputs if one.name not in states]
    given_out = [value for name, value in found.items() if name not in states.values()]
    if not given_out:
        raise ImportFailure("all results of the model go round, so that nothing comes out: give one of them under a second name (Identity)")
    kinds = [Kind(tuple(one[0].shape), KINDS[one[0].dtype]) if len(one) == 1 and one[0].dtype in KINDS else None for one in (taken_in, given_out)]
    return Loop(tuple(round_), kinds[0], kinds[1])


def import_model(
    given: Given, shapes: Sequence[Sequence[int]] = (), sizes: Mapping[str, int] | None = None, states: Sequence[str] = (), *, streaming: bool = False,
    time: Times = None, latency: int = 0, context: int | None = None, fuse: bool = True,
) -> Imported:
    """Reads a model, a file or what the package has made of one. Raises `strc.errors.ImportFailure`.

    `shapes` are those of the inputs, where the model leaves them open, and `sizes` those of open dimensions by their names; others stay open, unless there are states, or the
    model is streamed. `states` are texts IN=OUT: the result goes round to the input,
    which begins as zeros; `auto` stands for those whose names say it. `streaming` and what follows are as `strc.torch.export` has them; states of `context` elements that come back longer keep the last ones.
    With `fuse` products between quantised values are done in int8, with exact sums; without, in floats, as the standard has it.
    """
    model, folder, default = opened(given)
    inputs, symbols = ends.inputs_of(model, shapes, sizes, stay_open=not states and not streaming)
    round_ = ends.state_pairs(model, [one.name for one in inputs], states)
    if streaming and round_:
        raise ImportFailure("--streaming goes not with --state: the states of a streamed model go round by themselves")
    inputs = [*(one for one in inputs if one.name not in round_), *(one for name in round_ for one in inputs if one.name == name)]
    done = read(model, folder, inputs, streaming, list(symbols), fuse)
    ends.check_open(symbols)
    values = flattened(done.values)
    try:
        found = result_vars(done.lowering, values)
    except NotLowered as fault:
        raise ImportFailure(f"the results: {fault}") from fault
    if not found:
        raise ImportFailure("the results of the model depend on none of its inputs: they are the same each time")
    order = [*(name for name in found if name not in round_.values()), *(name for name in round_.values() if name in found)]
    program = Program(
        tuple(done.numbers.values()), done.lowering.instructions, tuple(found[name].number for name in order), class_name(model, default),
        shapes=done.lowering.shapes,
    )
    check_results(program)
    if round_:
        program.loop = loop_of(inputs, round_, found, context)
        keep_last(program, [state.shape for state in program.loop.states], context)
    tensors = done.lowering.weights.tensors
    if streaming:
        made = stream_of(program, tensors, time, latency, context)
    else:
        made = {"program": passes.run(bounds.checked(program, open_dimensions(program), bounds.of_guards)), "tensors": tensors}
    rest = {name: value.tensor for name, value in values.items() if isinstance(value, Known)}
    about: dict[str, Any] = {"types": [found[name].dtype for name in order], "results": order, "constant": rest, "open": list(symbols)}
    return Imported(**made, source_model=model, folder=folder, inputs=[one for one in inputs if one.name in done.numbers], **about)


def export(
    given: Given, path: str | os.PathLike[str], *, shapes: Sequence[Sequence[int]] = (), sizes: Mapping[str, int] | None = None,
    states: Sequence[str] = (), replicate: bool = False, title: str = "", streaming: bool = False, time: Times = None, latency: int = 0,
    context: int | None = None, fuse: bool = True,
) -> Imported:
    """Writes an ONNX model to `path` (a .str file) and its weights beside it (.safetensors). Writes both or nothing.

    The arguments are those of `import_model`. Raises `strc.errors.ImportFailure` with an explanation for the user.
    """
    imported = import_model(given, shapes, sizes, states, streaming=streaming, time=time, latency=latency, context=context, fuse=fuse)
    write(imported, imported.source(replicate, title), path, imported.evaluator(), imported.examples())
    return imported
