"""Goes through a graph of ONNX in order, and makes a program of it, or, where all inputs are stored, its results."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import onnx
import torch
from torch.utils import _pytree as pytree

from ..errors import ImportFailure, Place
from ..ir import Origin
from ..ir.model import Frame
from ..torch.composed import followed
from ..torch.lowering import Call, Lowering, NotLowered, Pair, Var, static, symbols
from ..torch.operators.recurrent import is_zero
from ..torch.weights import Known
from . import operators  # noqa: F401  fills the table
from .bodies import Body, body_of, sources
from .fused import Whole, note, product
from .registry import TABLE, Entry, NeedsKnown, Node, node_of, numbers_of
from .sizes import Sizes, computed, tensor_of_sizes
from .stored import MOST_ELEMENTS, NUMBERS, stored_name, tensor_of

MOST_NODES = 100_000  # that are walked, those of unrolled loops each time
FEW = 4096  # elements, of which no operator but these makes more than memory holds
MAKERS = {
    "BlackmanWindow", "CenterCropPad", "Col2Im", "ConstantOfShape", "EyeLike", "Expand", "HammingWindow", "HannWindow", "OneHot", "Pad", "Range", "Resize", "Tile",
    "Upsample", "DFT", "MelWeightMatrix", "MaxUnpool",
}
STARTING = ("RNN", "GRU", "LSTM")  # operators that ask whether they begin with zeros
MOST_NESTED = 40  # functions and subgraphs in each other
Values = dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """Stands for a value that could not be computed, so that faults of other nodes are found, too."""


class Refused(ImportFailure):
    """Nodes that cannot be imported, all of them at once. `wanted` are the values that would have to be stored."""

    def __init__(self, faults: Sequence[tuple[Node, NotLowered]], open_: Sequence[str] = ()):
        self.faults = list(faults)
        self.wanted = [fault.name for _, fault in faults if isinstance(fault, NeedsKnown)]
        head = "1 node" if len(self.faults) == 1 else f"{len(self.faults)} nodes"
        shown = [f"  {described(node)}: {fault}" for node, fault in self.faults[:20]]
        more = [f"  and {len(self.faults) - 20} more"] if len(self.faults) > 20 else []
        if open_:
            more.append(f"  {', '.join(open_)} {'is' if len(open_) == 1 else 'are'} open here; --dim {open_[0]}=1 says a size, for which more can be imported")
        super().__init__("\n".join([f"the model has {head} that cannot be imported:", *shown, *more]))


def described(node: Node) -> str:
    """`'/conv1/Conv' (Conv of version 17)`."""
    domain = f"{node.domain}." if node.domain else ""
    return f"'{node.name}' ({domain}{node.op} of version {node.opset})"


def frames_of(name: str) -> tuple[Frame, ...]:
    """The modules around a node, where its name says them: `/layer1/layer1.0/conv1/Conv` is a node of conv1 in layer1.0 in layer1."""
    found: list[Frame] = []
    for scope in map(stored_name, name.strip("/").split("/")[:-1]):
        before = found[-1].path if found else ""
        path = scope if not before or scope.startswith(f"{before}.") else f"{before}.{scope}"
        words = re.findall(r"[A-Za-z]+", scope)
        last = words[-1] if words else "Module"
        found.append(Frame(path, last[0].upper() + last[1:]))
    return tuple(found)


@dataclass(frozen=True)
class NodePlace(Place):
    """A node of an ONNX model, which has no line."""

    def __str__(self) -> str:
        return f"node '{self.module}' ({self.class_name})"


class NodeLowering(Lowering):
    """Names what it stores after the node that it is of, and makes nothing that no memory holds, whatever the file says."""

    def local_name(self, name: str) -> str:
        return f"{stored_name(self.origin.place.module)}.{name}"

    def new_var(self, like: Any) -> Var:
        check_sizes(like)
        return super().new_var(like)

    def fold(self, node: Any, args: Any, kwargs: Any) -> Any:
        without_values(node.target, args, kwargs)
        return super().fold(node, args, kwargs)


class Walker:
    """The values of a graph, by name. `functions` are those of the model, `opsets` the versions of operators that it imports."""

    def __init__(self, lowering: Lowering, opsets: Mapping[str, int], functions: Mapping[tuple[str, str], onnx.FunctionProto], folder: str = ""):
        self.lowering, self.opsets, self.functions, self.folder = lowering, dict(opsets), functions, folder
        self.faults: list[tuple[Node, NotLowered]] = []
        self.walked = self.nested = 0
        self.kind = torch.float32  # of stored floats
        self.whole: dict[Any, Whole] = {}  # whole numbers for which values stand
        self.rounded: dict[Any, Whole] = {}  # reals of which whole numbers have been made
        self.fuses = False  # are products of such done in int8?

    # ---- graphs

    def graph(self, graph: onnx.GraphProto, values: Values) -> list[Any]:
        """What a graph gives; `values` are those of its inputs, and of the graphs around it."""
        for proto in graph.initializer:
            values[proto.name] = self.constant(proto)
        for sparse in graph.sparse_initializer:
            raise ImportFailure(f"the stored tensor '{sparse.values.name}' is sparse: only dense ones are imported")
        self.nodes(graph.node, values)
        for result in graph.output:
            if result.name not in values:
                raise ImportFailure(f"the result '{result.name}' of a graph is made by none of its nodes")
        return [values[result.name] for result in graph.output]

    def constant(self, proto: onnx.TensorProto) -> Known:
        """A stored tensor; floats are of the kind that is computed with."""
        tensor = tensor_of(proto, self.folder)
        return Known(stored_name(proto.name or "constant"), tensor.to(self.kind) if tensor.dtype == torch.float32 else tensor)

    def nodes(self, nodes: Sequence[onnx.NodeProto], values: Values) -> None:
        self.nested += 1
        if self.nested > MOST_NESTED:
            raise ImportFailure("graphs and functions of the model lie in each other too deeply")
        for number, proto in enumerate(nodes):
            self.walked += 1
            if self.walked > MOST_NODES:
                raise ImportFailure(f"more than {MOST_NODES} nodes: a loop of the model makes too many turns to be written one after the other")
            self.step(proto, number, values)
        self.nested -= 1

    def step(self, proto: onnx.NodeProto, number: int, values: Values) -> None:
        """Adds a node's results to the values."""
        node = node_of(proto, self.opsets, number, self.attributes(proto))
        for name in node.inputs:
            if name and name not in values:
                raise ImportFailure(f"{described(node)} takes '{name}', which nothing before it makes")
        given = [values[name] if name else None for name in node.inputs]
        types = tuple(getattr(value, "dtype", None) for value in given)
        node = replace(node, types=types, stored=tuple(value.tensor if isinstance(value, Known) else None for value in given))
        if node.op in STARTING:
            node = replace(node, zeros=tuple(isinstance(value, (Known, Var)) and is_zero(self.lowering, value) for value in given))
        if any(isinstance(value, Failed) for value in given):
            values.update((name, Failed()) for name in node.outputs)
            return
        try:
            found = self.apply(node, given, values)
            if len(found) < sum(1 for name in node.outputs if name):
                raise NotLowered(f"gives {len(found)} results, and {len(node.outputs)} are named")
        except NotLowered as fault:
            self.faults.append((node, fault))
            found = [Failed()] * len(node.outputs)
        note(self, node, given, found)
        self.lowering.values.update((value.number, value) for value in found if isinstance(value, Var))  # whose dimensions may tell an open size
        values.update((name, value) for name, value in zip(node.outputs, found) if name)

    def attributes(self, proto: onnx.NodeProto) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for attribute in proto.attribute:
            value = onnx.helper.get_attribute_value(attribute)
            found[attribute.name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        return found

    # ---- nodes

    def apply(self, node: Node, given: list[Any], values: Values) -> list[Any]:
        """The results of a node. Raises `NotLowered`."""
        self.lowering.origin = Origin(frames_of(node.name), NodePlace(module=node.name, class_name=node.op))
        if (node.domain, node.op) in self.functions:
            return self.function(self.functions[node.domain, node.op], node, given)
        if any(isinstance(value, Sizes) for value in given) and (found := computed(node, given)) is not None:
            return list(found)
        if self.fuses and (made := product(self, node, given)) is not None:
            return [made]
        entry = TABLE.get((node.domain, node.op))
        if entry is None:
            return self.by_body(node, given)
        if entry.walks:
            return self.walked_by(entry.function, node, given, values)
        return self.call(entry, node, given)

    def walked_by(self, function: Callable[..., Any], node: Node, given: list[Any], values: Values) -> list[Any]:
        """The results of a node with graphs or sequences, whatever the file says of it."""
        try:
            return list(function(self, node, given, values))
        except (ImportFailure, NotLowered):
            raise
        except (TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
            raise NotLowered(f"its inputs or attributes are none that it could have ({error})") from error

    def by_body(self, node: Node, given: list[Any]) -> list[Any]:
        """By what the standard says that the operator is made of."""
        body = body_of(node, [self.type_of(value) for value in given])
        if body is None:
            raise NotLowered("there is no stream for this operator")
        return self.body(body, given, node)

    def function(self, function: onnx.FunctionProto, node: Node, given: list[Any]) -> list[Any]:
        """A function of the model's own."""
        return self.body(Body.of(function, node.attributes), given, node)

    def body(self, body: Body, given: list[Any], node: Node) -> list[Any]:
        values: Values = {name: None for name in body.inputs}
        values.update(zip(body.inputs, given))
        before, self.opsets = self.opsets, {**self.opsets, **body.opsets}
        known = len(self.faults)
        try:
            self.nodes(body.nodes, values)
        finally:
            self.opsets = before
        if len(self.faults) > known:
            inner, fault = self.faults[known]
            del self.faults[known:]
            if isinstance(fault, NeedsKnown):
                named = dict(zip(body.inputs, zip(node.inputs, given)))
                outer = [named[name][0] for name in sources(body.nodes, fault.name) if name in named and isinstance(named[name][1], Var)]
                raise NeedsKnown(outer[0] if outer else fault.name)
            raise NotLowered(f"it is made of {inner.op}: {fault}")
        return [values.get(name) for name in body.outputs]

    def call(self, entry: Entry, node: Node, given: list[Any]) -> list[Any]:
        """The function of the table, on tensors."""
        args = [self.argument(entry, node, place, value) for place, value in enumerate(given)]
        if not any(isinstance(leaf, (Var, Pair, torch.SymInt)) for leaf in pytree.tree_leaves(args)):
            return self.folded(entry.function, node, args)
        self.lowering.node = Call(node.op, {"val": None})
        with torch.inference_mode():
            result = followed(self.lowering, lambda *tensors: entry.function(node, *tensors), tuple(args), {})
        return list(result) if isinstance(result, tuple) else [result]

    def argument(self, entry: Entry, node: Node, place: int, value: Any) -> Any:
        if value is None or isinstance(value, (list, tuple)):
            return value
        if isinstance(value, Sizes):
            return value.values.tolist() if place in (*entry.known, *entry.numbers) else self.computed(value)
        if place in entry.known and not isinstance(value, Known):
            raise NeedsKnown(node.inputs[place])
        return numbers_of(value.tensor) if isinstance(value, Known) and place in (*entry.known, *entry.numbers) else value

    def folded(self, function: Callable[..., Any], node: Node, args: list[Any]) -> list[Any]:
        """What a node gives of stored values alone."""
        tensors = pytree.tree_map(lambda value: value.tensor if isinstance(value, Known) else value, args)
        check_size(function, node, tensors)
        try:
            with torch.no_grad():
                result = function(node, *tensors)
        except NotLowered:
            raise
        except Exception as error:  # whatever PyTorch raises is about the arguments
            raise NotLowered(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__) from error
        results = list(result) if isinstance(result, tuple) else [result]
        return [self.kept(value, name, args) for value, name in zip(results, [*node.outputs, *("",) * len(results)])]

    def kept(self, value: Any, name: str, args: list[Any]) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        same = next((arg for arg in args if isinstance(arg, Known) and arg.tensor is value), None)
        return same or Known(stored_name(name), value.contiguous())

    # ---- for functions that walk

    def computed(self, sizes: Sizes) -> Any:
        """Sizes as a value of the program."""
        self.lowering.node = Call("Shape", {"val": None})
        with torch.inference_mode():
            return followed(self.lowering, lambda: tensor_of_sizes(sizes), (), {})

    def on_tensors(self, function: Callable[..., Any], *given: Any) -> Any:
        """What a function of tensors gives for values."""
        node = Node("", "value", "", 0, {}, (), ("value",))
        found = self.call(Entry(lambda _, *tensors: function(*tensors)), node, list(given))
        return found[0] if len(found) == 1 else tuple(found)

    def type_of(self, value: Any) -> onnx.TypeProto:
        """The type of a value as the package says it."""
        if isinstance(value, (list, tuple)):
            return onnx.helper.make_sequence_type_proto(self.type_of(value[0] if value else Known("", torch.zeros(()))))
        if value is None:
            return onnx.TypeProto()
        return onnx.helper.make_tensor_type_proto(NUMBERS.get(value.dtype, 0), [None if static(size) is None else size for size in value.shape])

    def subgraph(self, graph: onnx.GraphProto, given: Sequence[Any], around: Values) -> list[Any]:
        """What a graph within a node gives, which sees the values around it."""
        values = dict(around)
        values.update((one.name, value) for one, value in zip(graph.input, given))
        known = len(self.faults)
        found = self.graph(graph, values)
        if len(self.faults) > known:
            inner, fault = self.faults[known]
            del self.faults[known:]
            raise fault if isinstance(fault, NeedsKnown) else NotLowered(f"in its graph {described(inner)}: {fault}")
        return found


def check_size(function: Callable[..., Any], node: Node, tensors: list[Any]) -> None:
    """Raises `NotLowered` for a result that no memory holds. What cannot be told without values has at most as many elements as the inputs."""
    if not MAKERS.intersection([node.op]) and sum(one.numel() for one in pytree.tree_leaves(tensors) if isinstance(one, torch.Tensor)) < FEW:
        return
    shadows = pytree.tree_map(lambda value: value.to("meta") if isinstance(value, torch.Tensor) else value, tensors)
    try:
        with torch.no_grad(), torch.device("meta"):
            result = function(node, *shadows)
    except NotLowered:
        raise
    except Exception:  # needs values
        return
    check_sizes(result)


def without_values(operator: Any, args: Any, kwargs: Any) -> None:
    """As `check_size`, of an operator of PyTorch. One with a size that is open makes a value of the program, which is looked at by itself."""
    if symbols((args, kwargs)):
        return
    shadows, named = pytree.tree_map(lambda value: value.tensor.to("meta") if isinstance(value, Known) else value, (args, kwargs))
    if any(argument.name == "device" for argument in operator._schema.arguments):
        named["device"] = torch.device("meta")
    try:
        with torch.no_grad():
            result = operator(*shadows, **named)
    except Exception:  # needs values, or is an error of the operator itself
        return
    check_sizes(result)


def check_sizes(result: Any) -> None:
    """Raises `NotLowered` if a tensor, or what stands for one, has too many elements; open dimensions count as one."""
    for one in pytree.tree_leaves(result):
        sizes = [static(size) for size in one.shape] if hasattr(one, "shape") else [0]
        count = prod(1 if size is None else size for size in sizes)
        if count > MOST_ELEMENTS:
            raise NotLowered(f"a result of {count} elements, and {MOST_ELEMENTS} are allowed")


def own_opsets(model: onnx.ModelProto) -> dict[str, int]:
    """The versions of operators by domain."""
    return {{"ai.onnx": ""}.get(one.domain, one.domain): one.version for one in model.opset_import}


def walker_of(model: onnx.ModelProto, lowering: Lowering, folder: str) -> Walker:
    functions = {({"ai.onnx": ""}.get(one.domain, one.domain), one.name): one for one in model.functions}
    return Walker(lowering, own_opsets(model), functions, folder)


class Evaluator(torch.nn.Module):  # type: ignore[misc]
    """What a model gives for tensors, by the functions of the table: of a streamed program the proof runs it on sequences of several lengths."""

    def __init__(self, model: onnx.ModelProto, folder: str, names: Sequence[str]):
        super().__init__()
        self.model, self.folder, self.names, self.kind = model, folder, list(names), torch.float32

    def double(self) -> Evaluator:
        """Computes in doubles, whatever is stored."""
        self.kind = torch.float64
        return self

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        walker = walker_of(self.model, NodeLowering(), self.folder)
        walker.kind = self.kind
        found = walker.graph(self.model.graph, {name: Known(name, tensor) for name, tensor in zip(self.names, tensors)})
        if walker.faults:
            raise RuntimeError(str(Refused(walker.faults)))
        return tuple(value.tensor for value in found)
