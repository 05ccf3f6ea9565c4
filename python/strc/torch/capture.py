"""What a model computes, as a graph of ATen operators: by one run, by torch.export, or by torch.fx.symbolic_trace before that."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import linecache
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram

from ..errors import ImportFailure, Place
from .attributes import Change, unchanged
from .changes import called, check_attributes, make_buffers, refused
from .mode import in_training, is_training, trains
from .places import OWN_FOLDER, TORCH_FOLDER, at_line, own_place, stays
from .record import NotRecorded, Stored, record, versions
from .results import plain_results
from .scans import replaced, scans_as_loops
from .states import Buffer, changed_buffers, returned_by

MADE_FOR = "2.11"

# Operators whose result may share memory with their argument: what is done in place to one of both is seen by the other.
VIEWS = {
    "view", "reshape", "slice", "select", "transpose", "permute", "t", "expand", "squeeze", "unsqueeze", "flatten", "unflatten",
    "chunk", "split", "split_with_sizes", "unbind", "narrow", "alias", "detach", "view_as", "contiguous", "diagonal", "unfold",
}


Open = Sequence[Sequence[int]]  # dimensions of each input


@dataclass(frozen=True)
class Captured:
    """A graph, the tensors that its placeholders stand for by their names, and the name of the model's class."""

    graph: torch.fx.Graph
    stored: Stored
    class_name: str
    program: Callable[[], ExportedProgram]  # the same as torch.export has it
    returned: tuple[Any, ...]  # what the model returns
    changed: tuple[str, ...] = ()  # stored values and inputs that the model changes
    buffers: tuple[Buffer, ...] = ()  # those of them that go round


def check_version(version: str = torch.__version__) -> None:
    """Raises `ImportFailure` for a PyTorch whose graphs may look different."""
    if version.split(".")[:2] != MADE_FOR.split("."):
        raise ImportFailure(
            f"this is PyTorch {version}, but models are imported with PyTorch {MADE_FOR}, whose graphs the importer knows: "
            "`strc setup torch` installs it into an environment of its own"
        )


def first_lines(error: BaseException) -> str:
    """What an exception says, without the advice behind it."""
    words = [line.strip() for line in str(error).splitlines() if line.strip()]
    return words[0] if words else type(error).__name__


def copied(model: torch.nn.Module) -> torch.nn.Module:
    try:
        return copy.deepcopy(model)
    except Exception:  # whatever a model has that cannot be copied; what it is made of is kept by `unchanged`
        return model


def try_out(model: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> Any:
    """Runs a copy of the model once, so that inputs that do not fit are told from what cannot be captured."""
    try:
        with torch.no_grad():
            return copied(model)(*(tensor.clone() for tensor in inputs))
    except Exception as error:  # whatever a model raises is about its inputs
        shapes = ", ".join(f"{'x'.join(map(str, tensor.shape))}:{tensor.dtype}".replace("torch.", "") for tensor in inputs)
        raise ImportFailure(
            f"the model does not run with the example inputs ({shapes}): {first_lines(error)}{at_line(own_place(error.__traceback__))}"
        ) from error


def why_not(error: BaseException) -> str:
    """An explanation of what torch.export could not do."""
    name, text = type(error).__name__, str(error)
    if "data-dependent" in text or "DataDependent" in name or "DynamicOutputShape" in name:
        return (
            "which way the model goes, or which shape it makes, depends on the values of its input; a stream has one graph for "
            "all inputs. Use torch.where for a choice of values"
        )
    if "TreeSpec" in text or "pytree" in text:
        return f"its inputs and outputs have to be tensors, or tuples, lists or dictionaries of them ({first_lines(error)})"
    return first_lines(error)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without what PyTorch says to those who work on PyTorch, and with its scans as loops."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        nowhere = io.StringIO()
        with warnings.catch_warnings(), torch.no_grad(), redirect_stdout(nowhere), redirect_stderr(nowhere), scans_as_loops():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def export(model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Any) -> ExportedProgram:
    from .decompositions.boxes import REPLACED
    from .decompositions.open_sizes import REPLACED as SIZED

    with quiet(), replaced(REPLACED), replaced(SIZED if dynamic else {}), hooks_of_buffers():
        made = torch.export.export(model, tuple(inputs), dynamic_shapes=dynamic, strict=False)
        return torch.export.export(model, tuple(inputs), dynamic_shapes=dynamic, strict=True) if takes_buffers_for_constants(made, model) else made


@contextlib.contextmanager
def hooks_of_buffers() -> Iterator[None]:
    """Without the hooks that an export which fails leaves behind, over which a later one in strict mode stumbles."""
    hooks = torch.nn.modules.module._global_buffer_registration_hooks
    before = dict(hooks)
    try:
        yield
    finally:
        for key in set(hooks) - set(before):
            del hooks[key]


def takes_buffers_for_constants(program: ExportedProgram, model: torch.nn.Module) -> bool:
    """True if objects of the model's own hold buffers, as a static cache of transformers does, where only an export that reads Python's code sees them."""
    of_buffers = {buffer.untyped_storage()._cdata for buffer in model.buffers()}
    constants = (program.constants[name] for name in program.graph_signature.inputs_to_lifted_tensor_constants.values())
    return any(isinstance(one, torch.Tensor) and one.untyped_storage()._cdata in of_buffers for one in constants)


def shapes_of(model: torch.nn.Module, dynamic: Open) -> Any:
    """The argument `dynamic_shapes` of torch.export, which has what `forward` takes as `*args` in a tuple of its own."""
    if not any(dynamic):
        return None
    shapes = [{dim: torch.export.Dim.AUTO for dim in dims} for dims in dynamic]
    kinds = [parameter.kind for parameter in inspect.signature(model.forward).parameters.values()]
    named = kinds.index(inspect.Parameter.VAR_POSITIONAL) if inspect.Parameter.VAR_POSITIONAL in kinds else len(shapes)
    return (*shapes[:named], *((tuple(shapes[named:]),) if named < len(shapes) else ()))


def grown(inputs: Sequence[torch.Tensor], dynamic: Open) -> list[torch.Tensor]:
    """Examples in which no open dimension has one item: PyTorch takes such a size for a fixed one."""
    return [
        tensor.repeat([2 if dim in {one % tensor.dim() for one in dims} and size == 1 else 1 for dim, size in enumerate(tensor.shape)])
        for tensor, dims in zip(inputs, dynamic or [()] * len(inputs))
    ]


def exported(model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Open) -> ExportedProgram:
    """By torch.export; models that only torch.fx can trace are traced by that first."""
    shapes = shapes_of(model, dynamic)
    larger = grown(inputs, dynamic)
    if any(one.shape != other.shape for one, other in zip(larger, inputs)):
        with contextlib.suppress(Exception):  # of a model that takes one item alone
            return export(model, larger, shapes)
    try:
        return export(model, inputs, shapes)
    except Exception as error:
        try:
            return export(traced(model), inputs, shapes)
        except Exception:
            try_out(model, inputs)
            place = own_place(error.__traceback__)
            raise ImportFailure(f"the model cannot be captured: {why_not(error)}{at_line(place)}") from error


def traced(model: torch.nn.Module) -> torch.fx.GraphModule:
    """By torch.fx, which lets a model compute with its buffers and the tensors that it makes meanwhile: what it does with those that change would be
    done with constants."""
    before = versions(model, ())
    made = torch.fx.symbolic_trace(model)
    if versions(model, ()) != before or any(map(writes_to_constant, made.graph.nodes)):
        raise NotRecorded("the model changes what is stored")
    return made


def writes_to_constant(node: torch.fx.Node) -> bool:
    """True of an operator that works in place on a tensor which the model has, or has made of numbers."""
    target = node.args[0] if node.args else None
    writes = is_in_place(node) or "setitem" in str(node.target)
    return node.op in ("call_method", "call_function") and writes and isinstance(target, torch.fx.Node) and target.op == "get_attr"


def root(node: Any) -> Any:
    """Whose memory a value may be."""
    while isinstance(node, torch.fx.Node) and node.op == "call_function" and (operator_name(node) in VIEWS or is_in_place(node)):
        node = node.args[0]
    return node


def changes_memory(captured: Captured) -> bool:
    """True if something is done in place to a value that others share memory with, or to a buffer.

    Raises `ImportFailure` if it is done to what is neither a buffer nor computed.
    """
    found = False
    for node in captured.graph.nodes:
        if node.op == "call_function" and is_in_place(node):
            if not isinstance(node.args[0], torch.fx.Node):  # it changes a list of tensors
                found = True
                continue
            target, origin = node.args[0], root(node)
            related = [target, *target.users]
            found |= any(operator_name(other) in VIEWS for other in related)
            if origin.name in captured.stored:
                found = True
                if origin.name not in captured.program().graph_signature.inputs_to_buffers:
                    raise ImportFailure(stays(captured.stored[origin.name][0], place_of(node)))
    return found


def operator_name(node: Any) -> str:
    """`conv2d` of aten.conv2d.default."""
    return str(node.target).split(".")[1] if str(node.target).startswith("aten.") else str(node.target)


def is_in_place(node: Any) -> bool:
    name = operator_name(node)
    return name.endswith("_") and not name.endswith("__")


def capture(model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Open = ()) -> Captured:
    """The graph of a model for inputs like these, of which these dimensions are open. Raises `ImportFailure` with the model's own line."""
    check_version()
    with plain_results(model):
        return capture_flat(model, each_its_own(inputs), dynamic)


def each_its_own(inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Examples of which none is another one: an input is known by its tensor."""
    return [one.clone() if any(one is other for other in inputs[:place]) else one for place, one in enumerate(inputs)]


def capture_flat(model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Open) -> Captured:
    """The graph of a model that returns a tensor or a tuple of them."""
    with unchanged(model) as attributes:
        captured = None
        if any(dynamic):
            tried(model, inputs)
        else:
            captured = recorded(model, inputs)
        changes = attributes.changes()
    if changes:
        with unchanged(model):
            numbers = check_attributes(model, inputs, changes)
        if numbers:
            return capture_with_buffers(model, inputs, dynamic, numbers)
    if captured is None:
        with unchanged(model):
            captured = of_program(exported(model, inputs, dynamic), type(model).__name__)
    check_mode(model, captured.graph)
    if changes_memory(captured):
        with quiet():
            captured = of_program(captured.program().run_decompositions({}), captured.class_name)
    return captured


def check_mode(model: torch.nn.Module, graph: torch.fx.Graph) -> None:
    """Raises `ImportFailure` for a model in training mode if it computes otherwise then."""
    calls = [node for node in graph.nodes if node.op == "call_function" and trains(node.target, node.args, node.kwargs)]
    if calls and is_training(model):
        raise in_training((operator_name(node), place_of(node)) for node in calls)


def capture_with_buffers(
    model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Open, numbers: Sequence[Change]
) -> Captured:
    """The graph of a model with buffers in place of numbers that it changes, which go round."""
    try:
        with unchanged(model):
            make_buffers(numbers)
            captured = capture_flat(model, inputs, dynamic)
    except ImportFailure as error:
        raise refused(model, inputs, numbers[0]) from error
    # torch.export does not see what one module assigns to a buffer of another one.
    unseen = [number for number in numbers if number.name not in captured.changed]
    if unseen:
        raise refused(model, inputs, unseen[0])
    return captured


def tried(model: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> None:
    """Runs a model to see what it changes."""
    with quiet(), contextlib.suppress(Exception):  # whatever a model raises; try_out says it
        called(model, inputs)


def recorded(model: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> Captured | None:
    """By one run, which changes the model; None if that cannot tell the graph, or if the model does not run."""

    def program() -> ExportedProgram:
        with plain_results(model), unchanged(model):
            return exported(model, inputs, ())

    try:
        with quiet():
            made = record(model, inputs, lambda graph: check_mode(model, graph))
    except NotRecorded:
        return None
    except ImportFailure:
        raise
    except Exception:  # whatever a model raises; try_out says it
        return None
    output = next(node for node in made.graph.nodes if node.op == "output")
    return Captured(made.graph, made.stored, type(model).__name__, program, tuple(output.args[0]))


def of_program(program: ExportedProgram, class_name: str) -> Captured:
    signature = program.graph_signature
    changed = (*signature.buffers_to_mutate.values(), *signature.user_inputs_to_mutate.values())
    returned, buffers = tuple(returned_by(program)), tuple(changed_buffers(program))
    return Captured(program.graph, tensors_of(program), class_name, lambda: program, returned, changed, buffers)


def tensors_of(program: ExportedProgram) -> Stored:
    """Name and tensor of every placeholder that stands for a parameter, a buffer or a constant."""
    signature = program.graph_signature
    found: Stored = {}
    names = {**signature.inputs_to_parameters, **signature.inputs_to_buffers, **signature.inputs_to_lifted_tensor_constants}
    for placeholder, name in names.items():
        tensor = program.state_dict.get(name, program.constants.get(name))
        if isinstance(tensor, torch.Tensor):
            found[placeholder] = (name, tensor.detach())
    return found


def place_of(node: torch.fx.Node) -> Place:
    """Where the model makes a node: the deepest line that is not PyTorch's own."""
    file, line, text = "", 0, ""
    rows = (node.meta.get("stack_trace") or "").splitlines()
    for i, row in enumerate(rows):
        words = row.strip().split('"')
        if len(words) < 3 or not row.strip().startswith("File ") or words[1].startswith(OWN_FOLDER):
            continue
        if not words[1].startswith(TORCH_FOLDER) or not file:
            file, line = words[1], int(words[2].split("line ")[1].split(",")[0])
            text = rows[i + 1].strip() if i + 1 < len(rows) else linecache.getline(file, line).strip()
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    path, kind = stack[-1] if stack else ("", "")
    return Place(path, str(kind).rpartition(".")[2], file, line, text)
