"""A part of a model as a graph of nodes: operators, and calls of modules, which are regions of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
    """Element `index` of what a variable holds; most hold one."""

    var: int
    index: int = 0


@dataclass(frozen=True)
class Node:
    """An operator, with the values it takes and how many it makes. Its variable is `var`."""

    var: int
    args: tuple[Value, ...]
    results: int
    instruction: Instruction | None = None

    def values(self) -> tuple[Value, ...]:
        return tuple(Value(self.var, index) for index in range(self.results))


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
    value = {number: Value(number) for number in program.inputs}
    nodes: dict[int, Node] = {}
    for instruction in program.instructions:
        source = instruction.args[0] if instruction.args else None
        if instruction.op == "getitem" and source in nodes and nodes[source].results > 1:
            index = instruction.positional[0]
            assert isinstance(index, int)
            value[instruction.var] = Value(source, index % nodes[source].results)
            continue
        args = tuple(value[number] for number in instruction.args)
        nodes[instruction.var] = Node(instruction.var, args, results(instruction), instruction)
        value[instruction.var] = Value(instruction.var)
    return list(nodes.values()), value


class Folder:
    """Puts what belongs to one call of a module into a node of its own."""

    def __init__(self, first_free: int):
        self.free = first_free
        self.renamed: dict[Value, Value] = {}

    def current(self, value: Value) -> Value:
        return self.renamed.get(value, value)

    def region(self, frame: Frame, nodes: Sequence[Node], outputs: Iterable[Value], depth: int) -> Region:
        """The region of consecutive nodes, whose first `depth` frames are those around and of the region."""
        wanted = tuple(outputs)
        folded: list[Node] = []
        for callee, group in runs(nodes, depth):
            if len(group) == 1 or callee is None:
                folded += [self.updated(node) for node in group]
                continue
            inside = {node.var for node in group}
            later = [arg for node in nodes if node.var not in inside for arg in node.args]
            folded += self.call(callee, group, {*later, *wanted}, depth)
        return Region(frame, inputs_of(folded), tuple(folded), tuple(map(self.current, wanted)))

    def updated(self, node: Node) -> Node:
        return Node(node.var, tuple(map(self.current, node.args)), node.results, node.instruction)

    def call(self, frame: Frame, group: list[Node], used: set[Value], depth: int) -> list[Node]:
        """One node for a module's call, or its nodes where the module only holds others or takes nothing."""
        made = [value for node in group for value in node.values() if value in used]
        region = self.region(frame, group, made, depth + 1)
        if frame.class_name in CONTAINERS or not region.inputs or len(region.nodes) == 1:
            return list(region.nodes)
        call = Call(self.free, region.inputs, len(made), None, region)
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
    folder = Folder(program.fresh())
    frame = Frame("", program.name)
    body = folder.region(frame, nodes, [value[number] for number in program.results], 1)
    return Region(frame, tuple(value[number] for number in program.inputs), body.nodes, body.outputs)
