"""A part of a model as a graph of nodes: operators, and calls of modules, which are regions of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..ir import Instruction, Program
from ..ir.model import Frame
from ..ir.operators import results

# Modules that only hold others: what is in them belongs to whoever holds them.
CONTAINERS = {
    "torch.nn.modules.container.Sequential",
    "torch.nn.modules.container.ModuleList",
    "torch.nn.modules.container.ModuleDict",
}


@dataclass(frozen=True)
class Value:
    """Element `index` of what a variable holds; most hold one. `size` is how many items of the stream it is, `rate` how often it comes."""

    var: int
    index: int = 0
    size: int = field(default=1, compare=False)
    rate: Fraction = field(default=Fraction(1), compare=False)


@dataclass(frozen=True)
class Node:
    """An operator, with the values it takes and how many it makes. Its variable is `var`."""

    var: int
    args: tuple[Value, ...]
    results: int
    instruction: Instruction | None = None
    sizes: tuple[int, ...] = ()  # of the results; empty: each is one item
    rates: tuple[Fraction, ...] = ()  # of the results; empty: each is one

    def values(self) -> tuple[Value, ...]:
        sizes, rates = self.sizes or (1,) * self.results, self.rates or (Fraction(1),) * self.results
        return tuple(Value(self.var, index, size, rate) for index, (size, rate) in enumerate(zip(sizes, rates)))


@dataclass(frozen=True)
class Call(Node):
    """A module that is a stream of its own."""

    region: Region | None = None


@dataclass(frozen=True)
class Region:
    """Nodes in an order in which they can run, with the values that come in and go out."""

    frame: Frame
    inputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Value, ...]


def elements_of_tuples(program: Program) -> tuple[list[Node], dict[int, Value]]:
    """The nodes of a program, and what value each variable is: taking an element of a tuple is no operation."""
    value = {
        number: Value(number, 0, program.sizes.get(number, (1,))[0], program.rates.get(number, Fraction(1))) for number in program.inputs
    }
    nodes: dict[int, Node] = {}
    for instruction in program.instructions:
        source = instruction.args[0] if instruction.args else None
        if instruction.op == "getitem" and source in nodes and nodes[source].results > 1:
            index = instruction.positional[0]
            assert isinstance(index, int)
            value[instruction.var] = nodes[source].values()[index % nodes[source].results]
            continue
        args = tuple(value[number] for number in instruction.args)
        sizes = program.sizes.get(instruction.var, ())
        count = len(sizes) or results(instruction)
        rates = (program.rates.get(instruction.var, Fraction(1)),) * count
        nodes[instruction.var] = Node(instruction.var, args, count, instruction, sizes, rates)
        value[instruction.var] = nodes[instruction.var].values()[0]
    return list(nodes.values()), value


class Folder:
    """Puts what belongs to one call of a module into a node of its own.

    `by_use`: results of a call are in the order of their use, since it costs something to change the order of values.
    """

    def __init__(self, first_free: int, by_use: bool = False):
        self.free = first_free
        self.by_use = by_use
        self.renamed: dict[Value, Value] = {}

    def current(self, value: Value) -> Value:
        return self.renamed.get(value, value)

    def region(self, frame: Frame, nodes: Sequence[Node], outputs: Iterable[Value], depth: int) -> Region:
        """The region of consecutive nodes, whose first `depth` frames are those around and of the region."""
        wanted = tuple(outputs)
        folded: list[Node] = []
        done = 0
        for callee, group in runs(nodes, depth):
            done += len(group)
            if len(group) == 1 or callee is None:
                folded += [self.updated(node) for node in group]
                continue
            later = [arg for node in nodes[done:] for arg in node.args]
            folded += self.call(callee, group, tuple(dict.fromkeys([*later, *wanted])), depth)
        return Region(frame, inputs_of(folded), tuple(folded), tuple(map(self.current, wanted)))

    def updated(self, node: Node) -> Node:
        return replace(node, args=tuple(map(self.current, node.args)))

    def call(self, frame: Frame, group: list[Node], used: tuple[Value, ...], depth: int) -> list[Node]:
        """One node for a module's call, or its nodes where the module only holds others or takes nothing."""
        order = {value: place for place, value in enumerate(used)}
        made = [value for node in group for value in node.values() if value in order]
        if self.by_use:
            # What goes by several results goes through as one of them.
            made += [value for value in inputs_of(group) if value in order] if len(made) > 1 else []
            made.sort(key=lambda value: order[value])
        region = self.region(frame, group, made, depth + 1)
        if frame.class_name in CONTAINERS or not region.inputs or len(region.nodes) == 1:
            return list(region.nodes)
        sizes, rates = tuple(value.size for value in made), tuple(value.rate for value in made)
        call = Call(self.free, region.inputs, len(made), None, sizes, rates, region)
        self.free += 1
        self.renamed.update(zip(made, call.values()))
        return [call]


def runs(nodes: Sequence[Node], depth: int) -> list[tuple[Frame | None, list[Node]]]:
    """Neighbouring nodes that belong to the same call at this depth; those that belong to none have None."""
    found: list[tuple[Frame | None, list[Node]]] = []
    for node in nodes:
        frames = node.instruction.origin.frames if node.instruction else ()
        frame = frames[depth] if depth < len(frames) else None
        if found and found[-1][0] == frame:
            found[-1][1].append(node)
        else:
            found.append((frame, [node]))
    return found


def inputs_of(nodes: Iterable[Node]) -> tuple[Value, ...]:
    """The values that nodes take from outside, in the order of their first use."""
    made: set[int] = set()
    found: dict[Value, None] = {}
    for node in nodes:
        found.update((arg, None) for arg in node.args if arg.var not in made)
        made.add(node.var)
    return tuple(found)


def region_of(program: Program) -> Region:
    """The whole program. Raises nothing: without origins it is one flat region."""
    nodes, value = elements_of_tuples(program)
    folder = Folder(program.fresh(), bool(program.sizes))
    frame = Frame("", program.name)
    body = folder.region(frame, nodes, [value[number] for number in program.results], 1)
    return Region(frame, tuple(value[number] for number in program.inputs), body.nodes, body.outputs)
