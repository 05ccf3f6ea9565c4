"""A program that has been compiled."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from .core import GRAPH_JSON, GRAPH_SVG, PRODUCTS, SCHEDULE
from .diagnostics import CompileError, Diagnostic, RunError
from .ends import End, end_of, is_apart
from .memory import Memory, maker_for, memory_of
from .schedule import Schedule, parse
from .stream import Stream

if TYPE_CHECKING:
    from .recipe import Recipe


class Compiled:
    """A program for certain shapes."""

    def __init__(self, recipe: Recipe, inputs: Sequence[str]):
        self.recipe = recipe  # whose memory the weights may be
        self.calls: Stream | None = None
        self.turn = threading.Lock()  # one call at a time
        if recipe.mesh is None:
            self.make(inputs)
        else:
            recipe.mesh.agree(lambda: self.make_shared(inputs))

    def make(self, inputs: Sequence[str]) -> None:
        self.compiler, self.ear = self.recipe.compile(inputs)
        self.input = end_of(self.compiler.input())
        self.output = end_of(self.compiler.output())

    def make_shared(self, inputs: Sequence[str]) -> str:
        """Which program this is; the other processes should have the same one."""
        self.make(inputs)
        if self.output is None or not self.output.tensors or not (self.input is None or self.input.tensors):
            raise TypeError("processes share programs that take and give tensors")
        self.calls = self.stream()
        if self.recipe.is_batch() and not self.calls.core.keeps_nothing:
            raise TypeError('the program keeps something from one item to the next, so processes cannot share a stack of them: split="batch" is for others')
        if self.recipe.is_batch():
            self.check_batch()
        shape = ("items " if self.recipe.is_batch() else "parts ") + "".join(value or "" for name, value in self.recipe.settings if name == "split")
        return f"{self.calls.core.identity:016x}, {shape}, {self.input} -> {self.output}"

    def check_batch(self) -> None:
        """Raises TypeError if an item of the input does not become one of the output."""
        assert self.calls is not None and self.output is not None
        core = self.calls.core
        if self.input is None:
            raise TypeError('the program takes nothing, so there is no stack to share: split="batch" is for others')
        if core.block_in != len(self.input.tensors) or core.block_out != len(self.output.tensors):
            raise TypeError('the program does not give one item for each that it takes, so processes cannot share a stack of them: split="batch" is for others')

    def stream(self) -> Stream:
        """A new one."""
        return Stream(self)

    def text(self, product: int) -> str:
        made = self.compiler.text(product)
        if made is None:
            raise CompileError(self.ear.listen(5))
        return made

    def let_out(self) -> None:
        """What the program has printed."""
        printed = self.compiler.take_printed()
        if printed:
            sys.stdout.write(printed)

    # ---- calls

    def run(self, values: Sequence[Any], count: int | None, iterations: int | None, apart: bool | None) -> Any:
        """From the start, to the end of the input; of scalars."""
        maker = maker_for(values)
        items = None
        if self.input is None:
            if values:
                raise TypeError("the program has no input")
            if count is None and iterations is None:
                raise TypeError("the program has no input that could end: say how many items you want, with count=")
        else:
            items = self.input.arrived(values)
        found = self.compiler.run(None if items is None else as_bytes(items), iterations, count)
        self.let_out()
        errors = self.ear.listen(5)
        if found is None or errors:
            raise RunError(errors)
        if self.output is None:
            return None
        made = self.output_items(found)
        return maker.all_finished(self.output.parted(made) if is_apart(values, apart) else made)

    def output_items(self, found: Any) -> numpy.ndarray[Any, Any]:
        assert self.output is not None
        base, inner = self.output.dtype.base, self.output.dtype.shape
        return numpy.asarray(found).view(base).reshape(-1, *inner)

    def call(self, values: Sequence[Any], count: int | None) -> Any:
        """From the start, with each tensor that is given where it lies."""
        with self.turn:
            if self.calls is None:
                self.calls = self.stream()
            self.calls.reset()
            if self.recipe.mesh is not None and self.recipe.is_batch():
                return self.recipe.mesh.items(self.calls, values, count)
            return self.calls.once(values, count)


def as_bytes(items: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """Of any type, also of one that only NumPy has."""
    return items.reshape(-1).view(numpy.uint8) if items.size else numpy.empty(0, numpy.uint8)


class Program:
    """A stream program. Call it with its input: with an array of items, or with a tensor for each input."""

    def __init__(self, recipe: Recipe, inputs: Sequence[str] | None):
        self.recipe = recipe
        self.made: dict[tuple[str, ...], Compiled] = {}
        self.shapes = tuple(inputs) if inputs is not None else None
        try:
            self.made[()] = Compiled(recipe, inputs or ())
        except CompileError as error:
            # Its shapes are those of the tensors with which it will be called.
            if inputs is not None or any(found.code != "tensor-unknown" for found in error.diagnostics):
                raise
            self.waiting: CompileError | None = error
        else:
            self.waiting = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, also in another process, is compiled again; weights that were given as arrays go along, files are opened where it is made."""
        if self.recipe.mesh is not None:
            raise TypeError("a program that processes share belongs to them: it cannot be pickled")
        weights = {name: memory.owner for name, memory in self.recipe.weights.items()}
        return remade, (self.recipe.source, self.recipe.settings, weights, self.shapes)

    def __repr__(self) -> str:
        if self.waiting:
            return "<strc.Program: tensors of any shape>"
        return f"<strc.Program: {self.input or 'void'} -> {self.output or 'void'}>"

    # ---- running

    def __call__(self, *values: Any, count: int | None = None, iterations: int | None = None, apart: bool | None = None) -> Any:
        """Runs the program from its start until the input is over, or until it has given `count` items or gone through `iterations` steady
        states. Arrays of NumPy give arrays of NumPy, tensors of PyTorch tensors of PyTorch.

        Items come as one array, or as one for each of several inputs; then several outputs are a tuple of arrays, too (`apart` says so,
        or not, whatever is given). Tensors come one for each input, or stacks of them with a dimension more in front; the results are
        stacked likewise. Raises RunError, TypeError and ValueError."""
        compiled = self.compiled(values)
        has_tensors = any(end and end.tensors for end in (compiled.input, compiled.output))
        if has_tensors and iterations is None:
            return compiled.call(values, count)
        if compiled.recipe.mesh is not None:
            raise TypeError("iterations= does not go with mesh=")
        return compiled.run(values, count, iterations, apart)

    def compiled(self, values: Sequence[Any] = ()) -> Compiled:
        """For inputs like these."""
        if self.waiting is None:
            return self.made[()]
        if not values:
            raise self.waiting
        shapes = tuple(self.word(memory_of(value)) for value in values)
        if shapes not in self.made:
            self.made[shapes] = Compiled(self.recipe, shapes)
        return self.made[shapes]

    @staticmethod
    def word(memory: Memory) -> str:
        return "x".join(map(str, memory.shape)) + f":{memory.element}"

    def stream(self, *examples: Any) -> Stream:
        """The program from its start, to be given its input chunk by chunk. `examples`: inputs like those that will come, where the program
        leaves their shapes open."""
        return self.compiled(examples).stream()

    # ---- looking

    @property
    def input(self) -> End | None:
        return self.compiled().input

    @property
    def output(self) -> End | None:
        return self.compiled().output

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What the compiler had to say, warnings included."""
        return list(self.compiled().ear.heard)

    @property
    def graph(self) -> dict[str, Any]:
        """Nodes, edges and composites, as docs/graph-json.md says."""
        made: dict[str, Any] = json.loads(self.compiled().text(GRAPH_JSON))
        return made

    @property
    def schedule(self) -> Schedule:
        return parse(self.compiled().text(SCHEDULE))

    def text(self, product: str) -> str:
        """A product of the compiler as `--emit` shows it: "ast", "ir", "graph", "json", "dot", "svg", "schedule", "plan", "llvm", "assembly"."""
        if product not in PRODUCTS:
            raise ValueError(f"there is no product '{product}'; there are {', '.join(PRODUCTS)}")
        return self.compiled().text(PRODUCTS[product])

    def _repr_svg_(self) -> str | None:
        """The graph, for notebooks; None without Graphviz."""
        return None if self.waiting else self.compiled().compiler.text(GRAPH_SVG)


def remade(source: str | Path, settings: list[tuple[str, str | None]], weights: dict[str, Any], shapes: Sequence[str] | None) -> Program:
    """A program from what Program.__reduce__ says of it."""
    from .recipe import Recipe

    return Program(Recipe(source, settings, {name: memory_of(value) for name, value in weights.items()}), shapes)
