"""`torch.compile(model, backend="strc")`: graphs of TorchDynamo as programs that run in this process."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import ImportFailure, Unsupported
from ..program import CompileError, RunError, compile
from ..program.memory import memory_of
from ..program.stream import Stream
from .capture import is_in_place, quiet, root
from .export import Imported, import_model

TOLD: set[str] = set()  # warnings that have been given
MOST_VALUES = 8  # of numbers that a graph takes
Args = Sequence[Any]
Key = tuple[Any, ...]


GRADIENTS = "gradients are wanted, which programs of strc do not compute; use torch.no_grad() or torch.inference_mode()"


class StrcFallback(UserWarning):
    """Part of a model runs as PyTorch runs it, for the reason that the text says."""


def strc(
    graph: torch.fx.GraphModule, example_inputs: Args, *, options: Mapping[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """The backend. `options` are those of `strc.compile`, such as {"fast-math": True}; `mode` means nothing here."""
    return CompiledGraph(graph, example_inputs, dict(options or {}))


def is_stored(node: torch.fx.Node, example: Any) -> bool:
    """Parameters and buffers of modules arrive as arguments that stay the same tensors."""
    return isinstance(example, torch.nn.Parameter) or "_dynamo_static_input_type" in node.meta.get("tensor_dict", {})


def path_of(node: torch.fx.Node) -> str:
    """`layer.0.weight`, where the module has such a path."""
    name: Any = getattr(getattr(node.meta.get("grapharg"), "source", None), "name", "")
    name = name if isinstance(name, str) else name()  # a method in older versions
    return ".".join(re.findall(r"_(?:modules|parameters|buffers)\['(\w+)'\]", name)) or node.name


def is_number(node: torch.fx.Node, example: Any) -> bool:
    """Numbers that may change, as momenta with dynamic=True, arrive as tensors of which only the value is taken."""
    takes_value = all(user.op == "call_method" and user.target == "item" for user in node.users)
    return isinstance(example, torch.Tensor) and example.dim() == 0 and bool(node.users) and takes_value


def with_numbers(graph: torch.fx.GraphModule, places: Sequence[int]) -> torch.fx.GraphModule:
    """The graph with arguments at these places that are numbers."""
    if not places:
        return graph
    plain = torch.fx.Graph()
    plain.output(plain.graph_copy(graph.graph, {}))
    nodes = [node for node in plain.nodes if node.op == "placeholder"]
    for node in (nodes[place] for place in places):
        for user in list(node.users):
            user.replace_all_uses_with(node)
            plain.erase_node(user)
    return torch.fx.GraphModule(graph, plain)


class Model(torch.nn.Module):  # type: ignore[misc]
    """A graph with its parameters inside, and with the sizes that it was called with."""

    def __init__(self, graph: torch.fx.GraphModule, args: Args, stored: dict[int, str]):
        super().__init__()
        self.graph = [graph]  # in a list, so that it is no module of this one
        self.fixed = [None if isinstance(arg, torch.Tensor) else arg for arg in args]
        self.paths: list[str | None] = [None] * len(args)
        for place, path in stored.items():
            self.paths[place] = self.store(path, args[place])

    def store(self, path: str, tensor: torch.Tensor) -> str:
        """Under its path, in modules that hold nothing else; or beside it, if there is something else already."""
        holder: torch.nn.Module = self
        *parts, name = path.split(".")
        for part in parts:
            if not isinstance(getattr(holder, part, None), torch.nn.Module):
                holder.add_module(part, torch.nn.Module())
            holder = getattr(holder, part)
        while hasattr(holder, name):
            name, path = name + "_", path + "_"
        holder.register_buffer(name, tensor.detach())
        return path

    def forward(self, *tensors: torch.Tensor) -> Any:
        given = iter(tensors)
        args = []
        for fixed, path in zip(self.fixed, self.paths):
            args.append(self.get_buffer(path) if path is not None else next(given) if fixed is None else fixed)
        with torch.fx.traceback.preserve_node_meta():  # the model's own lines
            return torch.fx.Interpreter(self.graph[0]).run(*args)


class CompiledGraph:
    """What a graph is called as: a program for each shape of its inputs, or the graph itself where there is none."""

    def __init__(self, graph: torch.fx.GraphModule, examples: Args, options: dict[str, Any]):
        self.graph, self.options = graph, options
        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self.numbers = [place for place, (node, example) in enumerate(zip(nodes, examples)) if is_number(node, example)]
        self.plain = with_numbers(graph, self.numbers)
        self.stored = {place: path_of(node) for place, (node, example) in enumerate(zip(nodes, examples)) if is_stored(node, example)}
        self.free = [place for place in range(len(nodes)) if place not in self.stored]
        self.programs: dict[Key, Runner | None] = {}

    def __call__(self, *args: Any) -> Any:
        if torch.is_grad_enabled() and any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args):
            self.tell(GRADIENTS)
            return self.graph.forward(*args)
        runner = self.runner(self.valued(args))
        return self.graph.forward(*args) if runner is None else runner(args)

    def valued(self, args: Args) -> Args:
        """With numbers instead of the tensors that stand for them."""
        return [arg.item() if place in self.numbers else arg for place, arg in enumerate(args)] if self.numbers else args

    def runner(self, args: Args) -> Runner | None:
        """The program for these; None if there is none."""
        key = self.key(args)
        if key not in self.programs:
            if not self.has_room(key):
                return None
            self.programs[key] = self.compiled(args)
        runner = self.programs[key]
        if runner is not None and runner.is_outdated(args):
            runner = self.programs[key] = self.compiled(args)
        return runner

    def has_room(self, key: Key) -> bool:
        """Whether its numbers may have one more value: what changes with every call is not worth a program each."""
        at = [self.free.index(place) for place in self.numbers]
        values = {tuple(one[place] for place in at) for one in (*self.programs, key)}
        if len(values) > MOST_VALUES:
            self.tell(f"a number of it had {MOST_VALUES} values, each of which takes a program")
        return len(values) <= MOST_VALUES

    def key(self, args: Args) -> Key:
        """What a program is made for."""
        free = (args[place] for place in self.free)
        return tuple((arg.shape, arg.dtype, arg.device) if isinstance(arg, torch.Tensor) else arg for arg in free)

    def compiled(self, args: Args) -> Runner | None:
        """None after telling why there is no program."""
        try:
            return Runner(self.plain, args, self.stored, self.options)
        except Unsupported as fault:
            self.tell("\n".join(f"{what}\n    {place}" for what, place in fault.faults))
        except (ImportFailure, CompileError, RunError, ImportError) as fault:
            self.tell(str(fault))
        return None

    def tell(self, why: str) -> None:
        """Once."""
        if why not in TOLD:
            TOLD.add(why)
            warnings.warn(StrcFallback(f"a graph runs as PyTorch runs it: {why}"), stacklevel=3)


def check_effects(imported: Imported) -> None:
    """Raises ImportFailure for changes of arguments, which a program would leave out."""
    changed = list(imported.captured.changed)
    for node in imported.captured.graph.nodes:
        if node.op != "call_function":
            continue
        if is_in_place(node) and getattr(root(node), "op", "") == "placeholder":
            changed.append(str(root(node)))
    if changed:
        raise ImportFailure(f"it changes {', '.join(changed)} in place, and a stream leaves its input as it is")


@dataclass(frozen=True)
class Result:
    """A tensor that the program gives, by its place."""

    place: int


def returned_by(imported: Imported) -> list[Any] | None:
    """What the graph returns: results of the program, and what is the same each time; None if it is just those results. Raises ImportFailure."""
    output = next(node for node in imported.captured.graph.nodes if node.op == "output")
    returned: list[Any] = []
    count = 0
    for one in output.args[0]:
        value = one.meta.get("val") if isinstance(one, torch.fx.Node) else one
        if isinstance(value, torch.Tensor):
            returned.append(Result(count))
            count += 1
        elif value is None or isinstance(value, (int, float, bool)):
            returned.append(value)
        else:
            raise ImportFailure(f"it returns a {type(value).__name__}, which a stream does not give")
    if count != len(imported.program.results) or count == 0:
        raise ImportFailure("it returns nothing that a stream could give")
    return None if count == len(returned) else returned


class Runner:
    """A program for certain shapes, between tensors where they lie."""

    def __init__(self, graph: torch.fx.GraphModule, args: Args, stored: dict[int, str], options: dict[str, Any]):
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
        if any(tensor.device.type != "cpu" for tensor in tensors):
            raise ImportFailure("its tensors do not lie on the CPU")
        self.free = [place for place, arg in enumerate(args) if place not in stored and isinstance(arg, torch.Tensor)]
        self.stored = list(stored)
        self.versions = self.seen(args)
        inputs = [args[place].detach() for place in self.free]
        with torch.inference_mode(False), torch.no_grad(), quiet():
            # Sizes are those of this call, and what arrives is taken as it is now.
            imported = import_model(Model(graph, args, stored), [tensor.clone() for tensor in inputs])
        check_effects(imported)
        self.returned = returned_by(imported)
        self.weights = {name: tensor.contiguous() for name, tensor in imported.used_tensors().items()}
        program = compile(
            imported.source(), imported.program.name, inputs=inputs, weights=self.weights, at_once=1, options={"w": True, **options}
        )
        self.stream: Stream = program.stream()
        self.core = self.stream.core
        self.turn = threading.Lock()
        results = len(imported.program.results)
        if self.stream.expected(len(inputs)) != results or self.stream.output is None:
            raise ImportFailure("the program gives another number of results than the graph")
        kinds = self.stream.output.tensors
        self.kinds = [(kind.shape, getattr(torch, kind.dtype)) for kind in (kinds[k % len(kinds)] for k in range(results))]

    def seen(self, args: Args) -> list[tuple[int, int]]:
        """Which values the parameters have."""
        return [(args[place].data_ptr(), version_of(args[place])) for place in self.stored]

    def is_outdated(self, args: Args) -> bool:
        """Parameters have been changed, or are others: what was computed from them at the start may be wrong."""
        return self.seen(args) != self.versions

    def __call__(self, args: Args) -> tuple[torch.Tensor, ...]:
        given = [args[place].detach() for place in self.free]
        # What does not lie in a row is copied into one.
        given = [tensor if tensor.is_contiguous() and not tensor.is_neg() else memory_of(tensor).owner for tensor in given]
        made = [torch.empty(shape, dtype=dtype) for shape, dtype in self.kinds]
        with self.turn:
            self.stream.reset()
            self.stream.work(self.core.process_items([tensor.data_ptr() for tensor in given], [tensor.data_ptr() for tensor in made]))
        return tuple(made if self.returned is None else [made[one.place] if isinstance(one, Result) else one for one in self.returned])


def version_of(tensor: torch.Tensor) -> int:
    """Grows when the tensor is changed in place; those of inference mode do not tell."""
    return 0 if tensor.is_inference() else tensor._version
