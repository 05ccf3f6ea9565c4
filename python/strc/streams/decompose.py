"""Series-parallel decomposition: the stream of a graph.

A graph that is not series-parallel is made so by carrying values: what several branches share is computed before they part, and the
values go side by side through the stages that do not use them. `replicate` computes it in every branch instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from .names import names_of
from .region import Region, Value
from .tree import Leaf, Pass, Pick, Regroup, Split, Stream, check, pipe
from .weights import rounds, weights

Values = tuple[Value, ...]


def decompose(region: Region, replicate: bool = False, reorders: bool = True) -> Stream:
    """The stream that pops the region's inputs and pushes its outputs. Every operator is in it once, unless `replicate`.

    `reorders`: one part may change the order of values; else a splitjoin does.
    """
    stream = Decomposer(region, replicate, reorders).build(region.inputs, region.outputs)
    check(stream)
    return stream


def taken_from(whole: Values, part: Values, stream: Stream) -> Stream:
    """A stream that takes values as they follow each other among more of them."""
    times = rounds(part, whole)
    return pipe(Regroup(weights(part), times, False), stream) if times > 1 else stream


def given_among(whole: Values, part: Values, stream: Stream) -> Stream:
    """A stream that gives values as they follow each other among more of them."""
    times = rounds(part, whole)
    return pipe(stream, Regroup(weights(part), times, True)) if times > 1 else stream


@dataclass(frozen=True)
class Branch:
    """Some neighbouring outputs, what they need of the inputs, and the nodes of their own."""

    outputs: Values
    needs: Values
    nodes: int


class Decomposer:
    """Sets of nodes are bits of an int: bit i is node i, in an order in which they can run."""

    def __init__(self, region: Region, replicate: bool, reorders: bool):
        self.nodes = nodes = region.nodes
        self.names = names_of(region)
        self.replicate = replicate
        self.reorders = reorders
        self.index = {node.var: i for i, node in enumerate(nodes)}
        self.before: list[int] = []  # every node with all that it depends on
        for i, node in enumerate(nodes):
            depends = (self.before[self.index[arg.var]] for arg in node.args if arg.var in self.index)
            self.before.append(reduce(int.__or__, depends, 1 << i))

    # ---- sets

    def members(self, some: int) -> list[int]:
        found = []
        while some:
            low = some & -some
            found.append(low.bit_length() - 1)
            some ^= low
        return found

    def made_by(self, values: Values, given: Values) -> int:
        """The nodes that are needed for values, if those in `given` are there already."""
        todo, found, have = [v for v in values], 0, set(given)
        while todo:
            value = todo.pop()
            if value in have:
                continue
            have.add(value)
            bit = 1 << self.index[value.var]
            if not found & bit:
                found |= bit
                todo += self.nodes[self.index[value.var]].args
        return found

    def taken(self, values: Values, some: int) -> list[Value]:
        """The values that the nodes in `some`, or the outputs `values`, take from outside of `some`; in the order of use."""
        found: dict[Value, None] = {}

        def visit(value: Value) -> None:
            stack = [value]
            while stack:
                top = stack.pop()
                at = self.index.get(top.var, -1)
                if at < 0 or not some >> at & 1:
                    found.setdefault(top)
                elif at not in seen:
                    seen.add(at)
                    stack += reversed(self.nodes[at].args)

        seen: set[int] = set()
        for value in values:
            visit(value)
        return list(found)

    # ---- streams

    def build(self, given: Values, wanted: Values) -> Stream:
        """From the tuple `given` to the tuple `wanted`."""
        parts: list[Stream] = [self.passing(given)]
        ordered = tuple(value for unit in self.units(wanted, given) for value in unit)
        while (some := self.made_by(ordered, given)) != 0:
            taken = set(self.taken(ordered, some))
            used = tuple(value for value in given if value in taken)
            if not used and given:
                return self.instead(given, wanted)
            parts.append(self.wiring(given, used))
            cut = self.first_cut(ordered, some)
            if cut is None:
                parts.append(self.segment(used, ordered))
                given = ordered
            else:
                parts.append(self.at(cut, used, self.nodes[cut].values()))
                given = self.nodes[cut].values()
        return pipe(*parts, self.wiring(given, wanted))

    def instead(self, given: Values, wanted: Values) -> Stream:
        """What takes nothing, while all that is given is dropped."""
        return Split(False, (Pick((), weights(given)), self.build((), wanted)))

    def segment(self, given: Values, wanted: Values) -> Stream:
        """As `build`, for what has no cut."""
        units = self.units(wanted, given)
        if len(units) == 1:
            return self.at(self.index[wanted[0].var], given, wanted)
        return self.side_by_side(given, units)

    def at(self, node: int, given: Values, wanted: Values) -> Stream:
        """A node behind what makes its arguments, and those of its results that are wanted."""
        leaf = self.nodes[node]
        if not leaf.args:
            return Leaf(leaf)
        return pipe(self.build(given, leaf.args), Leaf(leaf), self.wiring(leaf.values(), wanted))

    def units(self, wanted: Values, given: Values) -> list[Values]:
        """The outputs, each once, those of one node together and in order."""
        found: dict[object, dict[Value, None]] = {}
        for value in wanted:
            key: object = value if value in given else value.var
            found.setdefault(key, {})[value] = None
        return [tuple(sorted(unit, key=lambda value: value.index)) for unit in found.values()]

    def first_cut(self, wanted: Values, some: int) -> int | None:
        """The first node that everything else comes before, or after and then by its results alone."""
        for node in self.members(some):
            rest = some & ~self.before[node]
            if self.stays_with_next(node):
                continue
            if rest and {value.var for value in self.taken(wanted, rest)} == {self.nodes[node].var}:
                return node
        return None

    def stays_with_next(self, node: int) -> bool:
        """What makes a tensor of a frame of floats stands in a branch with what it is made of: tensors pass through nothing that was written for floats."""
        instruction = self.nodes[node].instruction
        return instruction is not None and instruction.op == "frame"

    def side_by_side(self, given: Values, units: list[Values]) -> Stream:
        """Several outputs: branches if they share nothing, else first what they share."""
        wanted = tuple(value for unit in units for value in unit)
        sets = [self.made_by(unit, given) for unit in units]
        shared = self.shared_by(sets)
        if shared and not self.replicate:
            groups = self.groups(sets)
            if len(groups) > 1 and not self.passes_into(units, sets, shared):
                return self.parallel(given, [sum((units[i] for i in group), ()) for group in groups])
            carried = self.carried(wanted, sets, shared)
            return pipe(self.build(given, carried), self.build(carried, wanted))
        return self.parallel(given, units)

    @staticmethod
    def shared_by(sets: list[int]) -> int:
        """The nodes in more than one set."""
        seen = shared = 0
        for some in sets:
            shared |= seen & some
            seen |= some
        return shared

    @staticmethod
    def groups(sets: list[int]) -> list[list[int]]:
        """Neighbouring outputs that share something, together; one group if outputs further apart do."""
        groups: list[list[int]] = []
        nodes: list[int] = []
        for i, some in enumerate(sets):
            meets = [k for k, other in enumerate(nodes) if other & some]
            if meets and meets != [len(nodes) - 1]:
                return [list(range(len(sets)))]
            if meets:
                groups[-1].append(i)
                nodes[-1] |= some
            else:
                groups.append([i])
                nodes.append(some)
        return groups

    def passes_into(self, units: list[Values], sets: list[int], shared: int) -> bool:
        """True if an output that only passes by is also taken by what is shared: it is carried with the others then."""
        passing = {value for unit, some in zip(units, sets) if not some for value in unit}
        made = tuple(value for unit, some in zip(units, sets) if some & shared for value in unit)
        return bool(passing & set(self.taken(made, reduce(int.__or__, sets, 0))))

    def carried(self, wanted: Values, sets: list[int], shared: int) -> Values:
        """What the branches take from their shared part and from the inputs, the results of one node together."""
        alone = reduce(int.__or__, sets, 0) & ~shared
        used = self.taken(wanted, alone)
        in_order = sorted(used, key=lambda value: (self.index.get(value.var, -1), value.var, value.index))
        best = min((used, in_order), key=lambda order: self.inversions(order, wanted, alone))
        return tuple(value for unit in self.units(tuple(best), ()) for value in unit)

    def inversions(self, order: list[Value], wanted: Values, alone: int) -> int:
        """How many neighbours some output takes in another order."""
        count = 0
        for value in wanted:
            places = [order.index(taken) for taken in self.taken((value,), alone)]
            count += sum(one > other for one, other in zip(places, places[1:]))
        return count

    def parallel(self, given: Values, units: list[Values]) -> Stream:
        """A branch for each of the outputs; those that only pass by go together."""
        branches: list[Branch] = []
        for unit in units:
            nodes = self.made_by(unit, given)
            needs = set(self.taken(unit, nodes))
            branch = Branch(unit, tuple(value for value in given if value in needs), nodes)
            if branches and not nodes and not branches[-1].nodes:
                last = branches.pop()
                together = set(last.needs + branch.needs)
                needed = tuple(value for value in given if value in together)
                branch = Branch(last.outputs + unit, needed, 0)
            branches.append(branch)
        if len(branches) == 1:
            return self.build(given, branches[0].outputs)
        return self.split(given, branches)

    def split(self, given: Values, branches: list[Branch]) -> Stream:
        dealt = sum((branch.needs for branch in branches), ())
        if dealt == given:
            return self.joined(False, branches)
        if all(branch.needs for branch in branches):
            return self.joined(True, branches, given)
        # What takes nothing has no place behind a duplicate splitter.
        return pipe(self.wiring(given, dealt), self.joined(False, branches))

    def joined(self, duplicate: bool, branches: list[Branch], given: Values = ()) -> Stream:
        needs, outputs = (sum(values, ()) for values in ((b.needs for b in branches), (b.outputs for b in branches)))
        parts: list[Stream] = []
        for branch in branches:
            inner = self.build(given if duplicate else branch.needs, branch.outputs)
            inner = inner if duplicate else taken_from(needs, branch.needs, inner)
            parts.append(given_among(outputs, branch.outputs, inner))
        return Split(duplicate, tuple(parts), names=self.named(outputs))

    # ---- wiring

    def wiring(self, given: Values, wanted: Values) -> Stream:
        """Drops, repeats and reorders values."""
        if given == wanted:
            return self.passing(given)
        numbers = tuple(given.index(value) for value in wanted)
        if self.reorders or list(numbers) == sorted(numbers):
            times = rounds(wanted, given)
            picked = Pick(numbers, weights(given), names=self.named(wanted))
            return pipe(picked, Regroup(weights(wanted), times, False)) if times > 1 else picked
        parts = self.ascending(given, wanted)
        return Split(True, tuple(given_among(wanted, part, self.wiring(given, part)) for part in parts))

    def passing(self, values: Values) -> Stream:
        return Pass(weights(values), self.named(values))

    def named(self, values: Values) -> tuple[str, ...]:
        return tuple(self.names[value] for value in values)

    @staticmethod
    def ascending(given: Values, wanted: Values) -> list[Values]:
        """The longest pieces of `wanted` that are in the order of `given`."""
        pieces: list[list[Value]] = []
        for value in wanted:
            if pieces and given.index(pieces[-1][-1]) <= given.index(value):
                pieces[-1].append(value)
            else:
                pieces.append([value])
        return [tuple(piece) for piece in pieces]
