"""The graph of a model from one run with the example inputs.

torch.export makes the same graph, but loads TorchDynamo, SymPy and more for it, which takes longer than all else that an import does.
Here the model runs once, and every operator that it calls is written down above the dispatcher's decompositions, with the calls of modules
around it and its line. One run cannot tell which way other values would go: a model that looks at values, and whatever else
the graph would not show, raises `NotRecorded`, and is for torch.export to capture or to explain.
"""

from __future__ import annotations

import inspect
import linecache
import operator
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher, no_python_dispatcher
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakTensorKeyDictionary

# Files whose lines say nothing of the model, though they may stand between its lines.
OWN_FILE = os.path.abspath(__file__)
FX_FOLDER = os.path.join(os.path.dirname(os.path.abspath(torch.__file__)), "fx")
DEPENDS_ON_VALUES = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
# What makes tensors of Python's numbers, and where those begin among the arguments.
MADE_OF_NUMBERS = {"tensor": 0, "as_tensor": 0, "asarray": 0, "new_tensor": 1, "__getitem__": 1, "__setitem__": 1}
READS_VALUES = {"tolist", "numpy", "__array__", "__dlpack__", "data_ptr", "untyped_storage", "storage", "set_"}
PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)

Stored = dict[str, tuple[str, torch.Tensor]]


# Operators that look at values only to see whether they are fine.
CHECKS_VALUES = {"cov", "corrcoef", "quantile", "nanquantile", "linalg_pinv", "linalg_matrix_rank", "linalg_cond"}


class NotRecorded(Exception):
    """One run cannot tell what the model does; the text says why."""


@dataclass(frozen=True)
class Recorded:
    """A graph, and name and tensor of every placeholder that stands for a stored value."""

    graph: torch.fx.Graph
    stored: Stored


def is_place(index: torch.Tensor | None) -> bool:
    """Not a mask, of whose values the shape of the result depends."""
    return index is None or index.dtype not in (torch.bool, torch.uint8)


class NoValues(TorchDispatchMode):  # type: ignore[misc]
    """Notes operators whose result, or its shape, depends on values; they run below those that the model calls."""

    def __init__(self, refuse: Callable[[str], None]):
        super().__init__()
        self.refuse = refuse
        self.checks = False  # an operator is under way that looks at values for nothing else
        self.is_same = False  # one is under way that takes nothing which depends on an input

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # which would load it

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.is_same or self.checks and torch.Tag.dynamic_output_shape not in func.tags:
            return func(*args, **(kwargs or {}))
        has_places = func is torch.ops.aten.index.Tensor and all(map(is_place, args[1]))
        # Only the shape of its residuals depends on values, which no stream gives.
        if DEPENDS_ON_VALUES.intersection(func.tags) and not has_places and func is not torch.ops.aten.linalg_lstsq.default:
            self.refuse(f"{func} depends on values")
        return func(*args, **(kwargs or {}))


class NoReading(TorchFunctionMode):  # type: ignore[misc]
    """Notes what reads the memory of a tensor past all operators, and `of_numbers`: whether a tensor is made of Python's numbers now."""

    def __init__(self, refuse: Callable[[str], None]):
        super().__init__()
        self.refuse = refuse
        self.of_numbers = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in READS_VALUES or "Tensor.data." in (resolve_name(func) or ""):
            self.refuse(f"{name} reads the memory of a tensor")
        first = MADE_OF_NUMBERS.get(name)
        self.of_numbers = first is not None and not any(
            isinstance(leaf, torch.Tensor) for leaf in pytree.tree_leaves((args[first:], kwargs))
        )
        try:
            return func(*args, **kwargs)
        finally:
            self.of_numbers = False


class Modules:
    """The calls of modules that are under way, as `nn_module_stack` has them."""

    def __init__(self, model: torch.nn.Module):
        self.paths = {module: path for path, module in model.named_modules()}
        self.stack: dict[str, tuple[str, str]] = {}

    def enter(self, module: torch.nn.Module, args: Any) -> None:
        path = self.paths.get(module)
        if path is not None:
            self.stack = {**self.stack, f"{len(self.stack)}": (path, f"{type(module).__module__}.{type(module).__qualname__}")}

    def leave(self, module: torch.nn.Module, args: Any, result: Any) -> None:
        if module in self.paths and self.stack:
            self.stack = dict(list(self.stack.items())[:-1])

    @contextmanager
    def followed(self) -> Iterator[None]:
        hooks = [register_module_forward_pre_hook(self.enter), register_module_forward_hook(self.leave, always_call=True)]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()


def model_lines() -> str:
    """The stack from the model's `forward` on, as tracebacks show it."""
    rows = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file != OWN_FILE and not file.startswith(FX_FOLDER):
            rows.append((frame.f_code.co_name, file, frame.f_lineno))
        frame = frame.f_back
    rows.reverse()
    first = next((i for i, row in enumerate(rows) if row[0] == "forward"), len(rows))
    return "\n  ".join(
        f'File "{file}", line {line}, in {name}\n    {linecache.getline(file, line).strip()}' for name, file, line in rows[first:]
    )


def shape_alone(value: Any) -> Any:
    """What a graph says of a value: a tensor without memory."""
    if not isinstance(value, torch.Tensor):
        return value
    return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")


class Recorder(ProxyTorchDispatchMode):  # type: ignore[misc]
    """Writes down the operators that a model calls, above their decompositions, and lets them run.

    The dispatcher takes modes of few classes there; of ProxyTorchDispatchMode this one has no more than that.
    """

    def __init__(self, modules: Modules):
        TorchDispatchMode.__init__(self, torch._C.DispatchKey.PreDispatch)
        self._mode_key = torch._C._TorchDispatchModeKey.PROXY
        self.enter_stack: list[Any] = []
        self.pre_dispatch = True
        self.modules = modules
        self.reading = NoReading(self.refuse)
        self.values = NoValues(self.refuse)
        self.graph = torch.fx.Graph()
        self.stored: Stored = {}
        self.nodes = WeakTensorKeyDictionary()
        self.why_not: list[str] = []
        self.same: set[torch.fx.Node] = set()  # those whose values are the same whatever the inputs are
        self.is_mixed = False  # values of inputs were written into tensors, which others may share memory with

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def refuse(self, why: str) -> None:
        """Not an exception: the model might catch it."""
        self.why_not.append(why)

    def run(self, model: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> None:
        """The model, to the end of the graph."""
        modes = self.values, self.reading, enable_python_dispatcher(), self
        with ExitStack() as around:
            for one in (torch.no_grad(), as_exported(), self.modules.followed(), *modes):
                around.enter_context(one)
            result = model(*inputs)
        leaves = pytree.tree_leaves(result)
        if any(not isinstance(leaf, (torch.Tensor, int, float, str, type(None))) for leaf in leaves):
            self.refuse("the model gives something else than tensors and numbers")
        self.graph.output(tuple(self.given(leaf) for leaf in leaves))

    def placeholder(self, name: str, tensor: torch.Tensor) -> torch.fx.Node:
        if tensor in self.nodes or type(tensor) not in PLAIN or tensor.layout is not torch.strided:
            self.refuse(f"{name} is no plain tensor of its own")
        node = self.graph.placeholder(name)
        node.meta["val"] = shape_alone(tensor)
        self.nodes[tensor] = node
        return node

    def store(self, kind: str, name: str, tensor: torch.Tensor) -> None:
        node = self.placeholder(f"{kind}_{name.replace('.', '_')}", tensor)
        self.stored[node.name] = (name, tensor.detach())
        self.same.add(node)

    def constant(self, tensor: torch.Tensor) -> None:
        """What the model makes of numbers of its own."""
        count = sum(name.startswith("lifted_tensor_") for name, _ in self.stored.values())
        first_input = next(node for node in self.graph.nodes if node.name not in self.stored)
        with self.graph.inserting_before(first_input):
            self.store("c", f"lifted_tensor_{count}", tensor)

    def given(self, value: Any) -> Any:
        """A value as an argument of a node."""
        if not isinstance(value, torch.Tensor):
            return value
        if value not in self.nodes:
            self.refuse("a tensor comes from where no operator was seen")
        return self.nodes.get(value)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.ops.aten.lift_fresh.default and self.reading.of_numbers:
            self.constant(args[0])
            func = torch.ops.aten.lift_fresh_copy.default
        arguments = pytree.tree_map(self.given, (args, kwargs))
        self.values.checks, self.values.is_same = func._opname in CHECKS_VALUES, self.makes_same(func, arguments)
        with no_python_dispatcher():
            result = func(*args, **kwargs)
        is_same, self.values.checks, self.values.is_same = self.values.is_same, False, False
        if func is not torch.ops.prim.device.default:
            self.note(func, arguments, result, is_same)
        return result

    def makes_same(self, func: Any, arguments: Any) -> bool:
        """Does what an operator gives depend on stored values and sizes alone?"""
        takes_same = all(one in self.same for one in pytree.tree_leaves(arguments) if isinstance(one, torch.fx.Node))
        self.is_mixed |= not takes_same and func._schema.is_mutable
        return takes_same and not self.is_mixed and torch.Tag.nondeterministic_seeded not in func.tags

    def note(self, func: Any, arguments: Any, result: Any, is_same: bool) -> None:
        if not isinstance(func, torch._ops.OpOverload) or func.namespace not in ("aten", "strc"):
            self.refuse(f"{func} is neither an operator of ATen nor of strc")
        node = self.graph.call_function(func, *arguments)
        node.meta.update(self.about(), val=pytree.tree_map(shape_alone, result))
        self.follow(node, result, is_same)

    def follow(self, node: torch.fx.Node, result: Any, is_same: bool) -> None:
        """Results by the node that makes them."""
        if is_same:
            self.same.add(node)
        if isinstance(result, torch.Tensor):
            self.nodes[result] = node
        elif isinstance(result, (tuple, list)):
            for place, one in enumerate(result):
                element = self.graph.call_function(operator.getitem, (node, place))
                element.meta.update(node.meta, val=node.meta["val"][place])
                self.follow(element, one, is_same)

    def about(self) -> dict[str, Any]:
        """Whose node it is: the module's calls and lines, or, of a graph that is run, what its own node says."""
        if not torch.fx.traceback.has_preserved_node_meta():
            return {"nn_module_stack": self.modules.stack, "stack_trace": model_lines()}
        meta = torch.fx.traceback.get_current_meta()
        return {
            "nn_module_stack": meta.get("nn_module_stack", self.modules.stack),
            "stack_trace": meta.get("stack_trace", ""),
            "custom": meta.get("custom", {}),
        }


def names_of(model: torch.nn.Module, count: int) -> list[str]:
    """The parameters of `forward`."""
    names = list(inspect.signature(model.forward).parameters)[:count]
    return [names[i] if i < len(names) else f"args_{i}" for i in range(count)]


def state_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers."""
    return {**dict(model.named_parameters(remove_duplicate=False)), **dict(model.named_buffers(remove_duplicate=False))}


def versions(model: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> list[Any]:
    """What is different when a stored value or an input has been changed in place, or is another one."""
    tensors = [*state_of(model).items(), *enumerate(inputs)]
    return [(name, id(tensor), 0 if tensor.is_inference() else tensor._version) for name, tensor in tensors]


@contextmanager
def as_exported() -> Iterator[None]:
    """Models that ask whether they are being captured are."""
    flags = torch.compiler._is_compiling_flag, torch.compiler._is_exporting_flag
    torch.compiler._is_compiling_flag = torch.compiler._is_exporting_flag = True
    try:
        yield
    finally:
        torch.compiler._is_compiling_flag, torch.compiler._is_exporting_flag = flags


def record(
    model: torch.nn.Module, inputs: Sequence[torch.Tensor], check: Callable[[torch.fx.Graph], None] = lambda graph: None
) -> Recorded:
    """The graph of a model. Raises `NotRecorded`, or what the model raises, or `check` for its graph."""
    if len(set(model.modules())) != sum(1 for _ in model.named_modules(remove_duplicate=False)):
        raise NotRecorded("a module has several names")
    recorder = Recorder(Modules(model))
    parameters = set(dict(model.named_parameters(remove_duplicate=False)))
    for name, tensor in state_of(model).items():
        recorder.store("p" if name in parameters else "b", name, tensor)
    for name, tensor in zip(names_of(model, len(inputs)), inputs):
        recorder.placeholder(name, tensor)
    before = versions(model, inputs)
    recorder.run(model, inputs)
    check(recorder.graph)
    if versions(model, inputs) != before:
        recorder.refuse("the model changes what is stored, or its inputs")
    if recorder.why_not:
        raise NotRecorded(recorder.why_not[0])
    recorder.graph.eliminate_dead_code()
    return Recorded(recorder.graph, recorder.stored)
