"""From the graph of ATen operators to the model IR.

`TABLE` has a function for every operator; the modules `strc.torch.operators.*` fill it. What depends on stored values alone is computed
while the graph is read, so that constants are folded, and becomes a stored value itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

from ..errors import Place, Unsupported
from ..ir import Instruction, Named, Origin, Param, Program
from ..ir.model import Frame
from .capture import Captured, decomposed, is_in_place, of_program, operator_name, place_of
from .weights import Known, Weights

Lower = Callable[..., Any]
TABLE: dict[str, Lower] = {}
COMPLEX: dict[str, Lower] = {}  # for complex values, whose parts are a last dimension in the program
MOST_DECOMPOSITIONS = 10
# Of stored values and sizes they make the same for each item.
SAME_FOR_ALL = {"expand", "expand_as", "broadcast_to", "zeros", "ones", "full", "new_zeros", "new_ones", "new_full"}
RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}


class NotLowered(Exception):
    """A use of an operator that has no translation; the text says why."""


@dataclass(frozen=True)
class NoResult:
    """Stands for a result of an operator that no stream gives; that is a fault only if something uses it."""

    what: str

    def fault(self) -> NotLowered:
        return NotLowered(f"uses {self.what}, which no stream gives")


F = TypeVar("F", bound=Lower)


def lowers(*names: str) -> Callable[[F], F]:
    """Enters a function for operators (`conv2d.default`, without `aten.`). It gets the `Lowering` and the operator's arguments."""

    def enter(function: F) -> F:
        for name in names:
            TABLE[name] = function
        return function

    return enter


def lowers_complex(*names: str) -> Callable[[F], F]:
    """As `lowers`, for operators that take complex values or make them."""

    def enter(function: F) -> F:
        for name in names:
            COMPLEX[name] = function
        return function

    return enter


@dataclass(frozen=True, eq=False)
class Var:
    """A value that the program computes, with what is known of it. Of a complex one the program's shape has a dimension of 2 more."""

    number: int
    shape: tuple[Any, ...]
    dtype: torch.dtype

    @property
    def rank(self) -> int:
        return len(self.shape)

    def dim(self, number: int) -> int:
        """A dimension counted from the front."""
        return number % self.rank if self.rank else 0


@dataclass(frozen=True)
class Like:
    """What is known of a result, where the graph has no tensor for it."""

    shape: tuple[Any, ...]
    dtype: torch.dtype


def origin_of(node: torch.fx.Node) -> Origin:
    stack = node.meta.get("nn_module_stack") or {}
    frames = tuple(Frame(path, str(kind)) for path, kind in stack.values())
    return Origin(frames, place_of(node))


def static(value: Any) -> int | None:
    """A dimension as an int; None if it is open."""
    if isinstance(value, int):
        return value
    expression = getattr(getattr(value, "node", None), "expr", None)
    return int(expression) if expression is not None and expression.is_number else None


class Lowering:
    """Reads a graph in order. `lower` is the way in.

    `items`: of an open dimension, which is one of items that are on their own (`torch.items`), the program takes so many at once.
    """

    def __init__(self, captured: Captured, items: int | None = None):
        self.captured, self.items = captured, items
        self.buffers = captured.buffers
        self.weights = Weights()
        self.instructions: list[Instruction] = []
        self.values: dict[torch.fx.Node, Any] = {}
        self.faults: list[tuple[str, Place]] = []
        self.blamed: list[str] = []  # the nodes of the model's own graph that they are about
        self.unknown: set[Any] = set()  # operators that the table has not
        self.node: torch.fx.Node | None = None
        self.origin = Origin()
        self.next = 0
        self.shapes: dict[int, Any] = {}  # open dimensions are symbols

    # ---- for the functions of the table

    @property
    def meta(self) -> Any:
        """What the graph says of the current node's result: a tensor without values, or a tuple of such."""
        assert self.node is not None
        return self.node.meta["val"]

    def emit(self, op: str, args: tuple[Any, ...] = (), *params: Param, like: Any = None, **named: Param) -> Var:
        """Adds an instruction; `like` has shape and type of the result (else the current node's)."""
        numbers = tuple(self.var(arg).number for arg in args)
        if symbols([*params, *named.values()]):
            raise NotLowered("a number that depends on a dimension that is open")
        if any(type(value) is int and not -(2**31) < value < 2**31 for value in (*params, *named.values())):
            raise NotLowered("an argument that does not fit into an int of 32 bits")
        result = self.new_var(self.meta if like is None else like)
        given = (*params, *(Named(name, value) for name, value in named.items()))
        self.instructions.append(Instruction(result.number, op, given, numbers, self.origin))
        return result

    def emit_tuple(self, op: str, args: tuple[Any, ...], likes: list[Any], *params: Param, **named: Param) -> tuple[Var, ...]:
        """Adds an instruction with several results."""
        whole = self.emit(op, args, *params, like=likes[0], **named)
        return tuple(self.emit("getitem", (whole,), i, like=like) for i, like in enumerate(likes))

    def new_var(self, like: Any) -> Var:
        if isinstance(like, (tuple, list)):
            like = like[0]
        shape = tuple(size if static(size) is None else static(size) for size in like.shape)
        self.next += 1
        self.shapes[self.next - 1] = (*shape, 2) if like.dtype.is_complex else shape
        return Var(self.next - 1, shape, like.dtype)

    def var(self, value: Any) -> Var:
        """A value as a variable; stored ones become a `const`."""
        if isinstance(value, Var):
            return value
        if isinstance(value, (bool, int, float)):
            exact = isinstance(value, float) and isinstance(self.meta, torch.Tensor) and self.meta.dtype == torch.float64
            value = Known(self.local_name("constant"), torch.tensor(value, dtype=torch.float64 if exact else None))
        if not isinstance(value, Known):
            raise NotLowered(f"{type(value).__name__} where a tensor is expected")
        parts = torch.view_as_real(value.tensor.resolve_conj()) if value.tensor.dtype.is_complex else value.tensor
        name = self.weights.store(value.name, parts)
        return self.emit("const", (), name, like=value.tensor)

    def extents(self, shape: Any) -> tuple[int | None, ...]:
        """A shape in the program; None for an open dimension, unless the program is one for so many items."""
        return tuple(size if isinstance(size, int) else static(size) if self.items is None else of_items(size, self.items) for size in shape)

    def alike(self, name: str, tensor: torch.Tensor) -> Any:
        """A stored value whose shape in the graph is the current node's: a variable if that is open, since it is one for some items."""
        if all(static(size) is not None for size in self.meta.shape):
            return Known(self.local_name(name), tensor)
        return self.emit("const", (), self.weights.store(self.local_name(name), tensor))

    def known(self, value: Any, what: str) -> Known:
        if not isinstance(value, Known):
            raise NotLowered(f"its {what} is computed from the input, not stored")
        return value

    def prefix(self, **parts: Known | None) -> str:
        """The prefix under which a module's values are stored. The filters of the library take floats."""
        for role, known in parts.items():
            if known is not None and known.tensor.dtype != torch.float32:
                kind = str(known.tensor.dtype).removeprefix("torch.")
                raise NotLowered(f"its {role} is {kind}, and layers compute with float32: model.float() makes it that")
        return self.weights.prefix({role: known for role, known in parts.items() if known is not None})

    def local_name(self, name: str) -> str:
        """A name for something stored, under the current module's."""
        path = self.origin.frames[-1].module if self.origin.frames else ""
        return f"{path}.{name}" if path else name

    # ---- the graph

    def lower(self) -> Program:
        """The program of the whole graph. Raises `Unsupported` with all operators that have no translation."""
        tensors = self.captured.stored
        placeholders = [node for node in self.captured.graph.nodes if node.op == "placeholder"]
        changed = [buffer.node for buffer in self.buffers]
        for node in placeholders:
            if node.name in tensors:
                self.values[node] = Known(*tensors[node.name])
        inputs = [self.input(node) for node in [*(node for node in placeholders if node.name not in tensors), *changed]]
        for node in self.captured.graph.nodes:
            if node.op not in ("placeholder", "output"):
                self.values[node] = self.lower_node(node)
        results = self.results([*self.captured.returned, *(buffer.after for buffer in self.buffers)])
        if self.faults:
            raise Unsupported(self.faults)
        return Program(tuple(inputs), self.instructions, results, self.captured.class_name, shapes=self.shapes)

    def input(self, node: torch.fx.Node) -> int:
        like = node.meta.get("val")
        if not isinstance(like, torch.Tensor):
            self.blame(f"the input {node.name} is no tensor", node)
            like = torch.zeros(())
        if like.dtype.is_complex:
            self.blame(f"the input {node.name} is complex: torch.view_as_complex makes it that of a real one", node)
        var = self.values[node] = self.new_var(like)
        return var.number

    def results(self, returned: list[Any]) -> tuple[int, ...]:
        self.node, self.origin = None, Origin()
        kept = []
        for one in returned:
            value = self.values[one] if isinstance(one, torch.fx.Node) else None
            if isinstance(value, NoResult):
                self.blame(f"the result: {value.fault()}", one)
            elif isinstance(value, Var) and value.dtype.is_complex:
                self.blame("the result is complex: torch.view_as_real gives its parts", one)
            elif isinstance(value, (Var, Known)):
                kept.append(value)
        return tuple(self.var(value).number for value in kept)

    def lower_node(self, node: torch.fx.Node) -> Any:
        self.node = node
        self.origin = origin_of(node)
        args = torch.fx.node.map_arg(node.args, self.value)
        kwargs = torch.fx.node.map_arg(node.kwargs, self.value)
        if node.target is operator.getitem:
            return args[0][args[1]]
        try:
            result = self.apply(node, args, kwargs)
        except NotLowered as reason:
            self.blame(f"{shown_target(node)}: {reason}", node)
            result = self.stand_in()
        if is_in_place(node) and isinstance(node.args[0], torch.fx.Node):
            self.values[node.args[0]] = result
        return result

    def blame(self, what: str, node: torch.fx.Node) -> None:
        self.faults.append((what, place_of(node)))
        self.blamed.append(first_name(node))

    def stand_in(self) -> Any:
        """For what has no translation, so that what depends on it is read too, and its faults are told."""
        if isinstance(self.meta, (tuple, list)):
            return tuple(self.new_var(like) if isinstance(like, torch.Tensor) else like for like in self.meta)
        return self.new_var(self.meta)

    def value(self, node: torch.fx.Node) -> Any:
        return self.values[node]

    def apply(self, node: torch.fx.Node, args: Any, kwargs: Any) -> Any:
        if not isinstance(node.meta.get("val"), (torch.Tensor, tuple, list)):
            return node.meta.get("val")  # a size, or nothing
        for value in torch.utils._pytree.tree_leaves((args, kwargs)):
            if isinstance(value, NoResult):
                raise value.fault()
        if is_random(node):
            raise NotLowered("draws random numbers, and a stream gives the same for the same input; make them an input of the model")
        if is_known(args) and is_known(kwargs):
            return self.fold(node, args, kwargs)
        function = function_for(node, COMPLEX if self.is_complex(args, kwargs) else TABLE)
        if function is None:
            self.unknown.add(node.target)
            raise NotLowered("there is no stream for this operator")
        return function(self, *args, **kwargs)

    def is_complex(self, args: Any, kwargs: Any) -> bool:
        """True if the current node takes complex values, or makes them."""
        values = torch.utils._pytree.tree_leaves((self.meta, args, kwargs))
        return any(getattr(value, "dtype", torch.float32).is_complex for value in values)

    def of_items(self, value: Any) -> Any:
        return self.extents((value,))[0] if isinstance(value, torch.SymInt) else value

    def fold(self, node: torch.fx.Node, args: Any, kwargs: Any) -> Any:
        """Computes what depends on stored values alone."""
        plain = torch.utils._pytree.tree_map(lambda value: value.tensor if isinstance(value, Known) else value, (args, kwargs))
        if any(not isinstance(value, int) and static(value) is None for value in symbols(plain)):
            if starts_layers(node):
                return Known(self.local_name("start"), torch.zeros(()))
            if self.items is None or operator_name(node) not in SAME_FOR_ALL:
                raise NotLowered("its shape depends on a dimension that is open")
            plain = torch.utils._pytree.tree_map(self.of_items, plain)
            return self.alike(operator_name(node), node.target(*plain[0], **plain[1]))
        given = list(concrete(plain[0]))
        if is_in_place(node):
            given[0] = given[0].clone()  # the model's own tensors stay as they are
        with torch.no_grad():
            result = node.target(*given, **concrete(plain[1]))
        if isinstance(result, (tuple, list)):
            return tuple(Known(self.local_name(f"{operator_name(node)}_{i}"), tensor) for i, tensor in enumerate(result))
        same = next((v for v in args if isinstance(v, Known) and v.tensor is result), None)
        return same or Known(self.local_name(operator_name(node)), result)


def of_items(size: torch.SymInt, count: int) -> int:
    """What a size is for so many items."""
    expression = size.node.expr
    return int(expression.xreplace(dict.fromkeys(expression.free_symbols, count)))


def starts_layers(node: torch.fx.Node) -> bool:
    """True of zeros that are a first state of recurrent layers alone: these have it of themselves, whatever the batch."""
    return operator_name(node) == "zeros" and all(operator_name(user) in RECURRENT for user in node.users)


def function_for(node: torch.fx.Node, table: dict[str, Lower]) -> Lower | None:
    """The table's, also of an operator that works in place."""
    name = str(node.target).removeprefix("aten.")
    return table.get(name) or (table.get(name.replace("_.", ".", 1)) if is_in_place(node) else None)


def is_random(node: torch.fx.Node) -> bool:
    """True of operators that draw random numbers whenever they run; layers that do it in training alone are asked themselves."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) and function_for(node, TABLE) is None


def is_known(args: Any) -> bool:
    """True if no value of the program is among arguments."""
    return not any(isinstance(value, Var) for value in torch.utils._pytree.tree_leaves(args))


def symbols(args: Any) -> list[Any]:
    return [value for value in torch.utils._pytree.tree_leaves(args) if isinstance(value, torch.SymInt)]


def concrete(args: Any) -> Any:
    """Arguments with plain ints in place of symbols that have a value."""
    return torch.utils._pytree.tree_map(lambda value: static(value) if isinstance(value, torch.SymInt) else value, args)


def first_name(node: torch.fx.Node) -> str:
    """The name that a node, or what it is a part of, had before operators were replaced."""
    name, sources = node.name, node.meta.get("from_node") or []
    while sources:
        name, sources = sources[-1].name, sources[-1].from_node
    return str(name)


def shown_target(node: torch.fx.Node) -> str:
    return str(node.target).removesuffix(".default")


def lower(captured: Captured, items: int | None = None) -> tuple[Captured, Program, dict[str, torch.Tensor]]:
    """The model IR of a graph, as it is, and the stored values with their names. `items`: for so many of an open dimension.

    Operators that the table has not are replaced by what PyTorch says that they are made of; the graph is then another one.
    """
    from . import operators  # noqa: F401  fills the table

    told: list[tuple[str, tuple[str, Place]]] = []
    for _ in range(MOST_DECOMPOSITIONS):
        lowering = Lowering(captured, items)
        try:
            return captured, lowering.lower(), lowering.weights.tensors
        except Unsupported as fault:
            whole = captured.program()
            if whole.graph is not captured.graph:  # a recorded one, whose nodes have other names
                captured = of_program(whole, captured.class_name)
                continue
            told = told or list(zip(lowering.blamed, fault.faults))
            simpler = decomposed(captured, lowering.unknown)
            if simpler is None:
                raise Unsupported(as_in_model(list(zip(lowering.blamed, fault.faults)), told)) from None
            captured = simpler
    raise AssertionError("operators decompose for ever")


def as_in_model(
    left: list[tuple[str, tuple[str, Place]]], told: list[tuple[str, tuple[str, Place]]]
) -> list[tuple[str, Place]]:
    """Faults that are left, with operators as the model names them; those that are told and not left were only replaced."""
    blamed = {name for name, _ in left}
    named = {name for name, _ in told}
    return [fault for name, fault in told if name in blamed] + [fault for name, fault in left if name not in named]
