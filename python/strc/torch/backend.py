"""`torch.compile(model, backend="strc")`: graphs of TorchDynamo as programs that run in this process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch

from ..errors import ImportFailure, Unsupported
from ..program import CompileError, RunError
from .batch import batch_of
from .graphs import Args, is_number, is_stored, path_of, with_numbers
from .items import Mixed
from .parts import in_parts
from .runner import ChangesArguments, Runner

TOLD: set[str] = set()  # warnings that have been given
MOST_VALUES = 8  # of numbers that a graph takes
MOST_PROGRAMS = 64  # of a graph, for as many shapes
Key = tuple[Any, ...]


GRADIENTS = "gradients are wanted, which programs of strc do not compute; use torch.no_grad() or torch.inference_mode()"


class StrcFallback(UserWarning):
    """Part of a model runs as PyTorch runs it, for the reason that the text says."""


def strc(
    graph: torch.fx.GraphModule, example_inputs: Args, *, options: Mapping[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """The backend. `options` are those of `strc.compile`, such as {"fast-math": True}; `mode` means nothing here."""
    return CompiledGraph(graph, example_inputs, dict(options or {}))


class CompiledGraph:
    """What a graph is called as: a program for each shape of its inputs; where there is none, programs for its parts, or the graph itself. Where the
    items of a batch are on their own, its program is one for all batches."""

    def __init__(self, graph: torch.fx.GraphModule, examples: Args, options: dict[str, Any]):
        self.graph, self.examples, self.options = graph, examples, options
        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self.numbers = [place for place, (node, example) in enumerate(zip(nodes, examples)) if is_number(node, example)]
        self.plain = with_numbers(graph, self.numbers)
        self.stored = {place: path_of(node) for place, (node, example) in enumerate(zip(nodes, examples)) if is_stored(node, example)}
        self.free = [place for place in range(len(nodes)) if place not in self.stored]
        self.batch = batch_of(nodes, self.free)
        self.programs: dict[Key, Runner | None] = {}
        self.parts: torch.nn.Module | None = None

    def __call__(self, *args: Any) -> Any:
        if torch.is_grad_enabled() and any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args):
            self.tell(GRADIENTS)
            return self.graph.forward(*args)
        runner = self.runner(args)
        if runner is not None:
            return runner(args)
        return self.graph.forward(*args) if self.parts is None else self.parts(*args)

    def valued(self, args: Args) -> Args:
        """With numbers instead of the tensors that stand for them."""
        return [arg.item() if place in self.numbers else arg for place, arg in enumerate(args)] if self.numbers else args

    def runner(self, given: Args) -> Runner | None:
        """The program for these; None if there is none."""
        args = self.valued(given)
        key = self.key(args)
        if key not in self.programs:
            if self.parts is not None or not self.has_room(key):
                return None
            made = self.for_items(args) or self.compiled(args, given)
            key = self.key(args)
            if len(self.programs) >= MOST_PROGRAMS:
                self.programs.pop(next(iter(self.programs)))  # the oldest one: texts of any length would take more and more memory
            self.programs[key] = made
        runner = self.programs[key]
        if runner is not None and runner.is_outdated(args):
            runner = self.programs[key] = self.for_items(args) or self.compiled(args, given)
        return runner

    def has_room(self, key: Key) -> bool:
        """Whether its numbers may have one more value: what changes with every call is not worth a program each."""
        at = [self.free.index(place) for place in self.numbers]
        # A part is also given numbers that a part before it has unpacked, which are none of the graph's own.
        values = {tuple(value for place, value in enumerate(one) if place in at or isinstance(value, float)) for one in (*self.programs, key)}
        if len(values) > MOST_VALUES:
            self.tell(f"a number of it had {MOST_VALUES} values, each of which takes a program")
        return len(values) <= MOST_VALUES

    def key(self, args: Args) -> Key:
        """What a program is made for."""
        dims, numbers = (self.batch.dims, self.batch.numbers) if self.batch and self.batch.fits(args) else ({}, ())
        kept: list[Any] = []
        for place in self.free:
            arg = args[place]
            if isinstance(arg, torch.Tensor):
                kept.append((tuple(None if dims.get(place) == dim else size for dim, size in enumerate(arg.shape)), arg.dtype, arg.device))
            else:
                kept.append(None if place in numbers else arg)
        return tuple(kept)

    def for_items(self, args: Args) -> Runner | None:
        """One for any batch. None if there is no batch, or none of items that are on their own; then the graph has none from now on."""
        if self.batch is None or not self.batch.fits(args):
            return None
        try:
            return Runner(self.plain, args, self.stored, self.options, self.batch)
        except (Mixed, ImportFailure, CompileError, RunError, ImportError):
            self.batch = None  # if there is another reason, the program for this shape will tell it
            return None

    def compiled(self, args: Args, given: Args) -> Runner | None:
        """None after telling why there is no program, and making those of parts if there are any."""
        try:
            return Runner(self.plain, args, self.stored, self.options)
        except Unsupported as fault:
            self.split("\n".join(f"{what}\n    {place}" for what, place in fault.faults), given, fault.sources)
        except ChangesArguments as fault:
            self.split(str(fault), given)
        except (ImportFailure, CompileError, RunError, ImportError) as fault:
            self.tell(str(fault))
        return None

    def split(self, why: str, given: Args, sources: frozenset[str | None] = frozenset()) -> None:
        """Lets PyTorch do the nodes `sources`, or those that change arguments if there are none, and programs the rest."""
        left = [name for name in sources if name is not None]
        if len(left) == len(sources):
            self.parts = in_parts(self.graph, given, self.examples, left, not left, self.part)
        self.tell(why, "a graph" if self.parts is None else "a part of a graph")

    def part(self, graph: torch.fx.GraphModule, examples: Args) -> CompiledGraph:
        return CompiledGraph(graph, examples, self.options)

    def tell(self, why: str, what: str = "a graph") -> None:
        """Once."""
        if why not in TOLD:
            TOLD.add(why)
            warnings.warn(StrcFallback(f"{what} runs as PyTorch runs it: {why}"), stacklevel=3)
