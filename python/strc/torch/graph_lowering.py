"""From the graph of a model to a program of the model IR."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import torch

from ..errors import Place, Unsupported
from ..ir import Origin, Program
from ..ir.model import Frame
from . import operators  # noqa: F401  fills the table
from .capture import Captured, is_in_place, place_of
from .graphs import source_of
from .lowering import Lowering, NoResult, NotLowered, Pair, Var, empty_like, shown_target
from .weights import Known


def origin_of(node: torch.fx.Node) -> Origin:
    stack = node.meta.get("nn_module_stack") or {}
    frames = tuple(Frame(path, str(kind)) for path, kind in stack.values())
    return Origin(frames, place_of(node))


class GraphLowering(Lowering):
    """Reads a graph in order. `lower` is the way in."""

    def __init__(self, captured: Captured, items: int | None = None, streams: bool = False):
        super().__init__(items, streams)
        self.captured, self.buffers = captured, captured.buffers
        self.faults: list[tuple[str, Place]] = []
        self.sources: set[str | None] = set()

    def lower(self) -> Program:
        """The program of the whole graph. Raises `Unsupported` with all operators that have no translation."""
        tensors = self.captured.stored
        placeholders = [node for node in self.captured.graph.nodes if node.op == "placeholder"]
        changed = [buffer.node for buffer in self.buffers]
        for node in placeholders:
            if node.name in tensors:
                self.values[node] = Known(*tensors[node.name])
        given = [node for node in placeholders if node.name not in tensors]
        inputs = [self.input(node) for node in [*(node for node in given if not self.is_empty(node)), *changed]]
        for node in self.captured.graph.nodes:
            if node.op not in ("placeholder", "output"):
                self.values[node] = self.lower_node(node)
        results = self.results([*self.captured.returned, *(buffer.after for buffer in self.buffers)])
        if self.faults:
            raise Unsupported(self.faults, frozenset(self.sources))
        return Program(tuple(inputs), self.instructions, results, self.captured.class_name, shapes=self.shapes)

    def is_empty(self, node: torch.fx.Node) -> bool:
        """True of an input without elements, which is no input of the program."""
        nothing = empty_like(node.meta.get("val"))
        if nothing is not None:
            self.values[node] = Known(node.name, nothing)
        return nothing is not None

    def input(self, node: torch.fx.Node) -> int:
        like = node.meta.get("val")
        if not isinstance(like, torch.Tensor):
            self.blame(f"the input {node.name} is no tensor", node)
            like = torch.zeros(())
        if like.dtype.is_complex:
            if not self.streams:
                return self.complex_input(node, like)
            self.blame(f"the input {node.name} is complex: torch.view_as_complex makes it that of a real one", node)
        var = self.values[node] = self.new_var(like)
        return var.number

    def complex_input(self, node: torch.fx.Node, like: torch.Tensor) -> int:
        number, self.values[node] = self.halves(like)
        return number

    def results(self, returned: list[Any]) -> tuple[int, ...]:
        self.node, self.origin = None, Origin()
        kept = []
        for place, one in enumerate(returned):
            value = self.values[one] if isinstance(one, torch.fx.Node) else None
            if isinstance(value, NoResult):
                self.blame(f"the result: {value.fault()}", one)
            elif isinstance(value, Var) and value.dtype.is_complex:
                self.blame("the result is complex: torch.view_as_real gives its parts", one)
            elif isinstance(value, Pair):
                kept.append(self.side_by_side(value))
            elif isinstance(value, Known) and not value.tensor.numel():
                self.empty[place] = value.tensor
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
        self.sources.add(source_of(node))

    def stand_in(self) -> Any:
        """For what has no translation, so that what depends on it is read too, and its faults are told."""
        if isinstance(self.meta, (tuple, list)):
            return tuple(map(self.stand_in_for, self.meta))
        return self.stand_in_for(self.meta) if isinstance(self.meta, torch.Tensor) else None

    def stand_in_for(self, like: Any) -> Any:
        if not isinstance(like, torch.Tensor):
            return like
        return self.halves(like)[1] if like.dtype.is_complex and not self.streams else self.new_var(like)

    def value(self, node: torch.fx.Node) -> Any:
        return self.values[node]


def lower(
    captured: Captured, items: int | None = None, streams: bool = False, stored: Mapping[str, torch.Tensor] | None = None
) -> tuple[Captured, Program, dict[str, torch.Tensor], dict[int, torch.Tensor]]:
    """The model IR of a graph, the stored values with their names, and results without elements by their places. `items`: for so many of an open dimension; `streams`: for a
    streamed model. `stored` are values of another program that goes into the same file, which keep their names."""
    lowering = GraphLowering(captured, items, streams)
    lowering.weights.tensors.update(stored or {})
    return captured, lowering.lower(), lowering.weights.tensors, lowering.empty
