"""Operators that need nothing but one frame, in one filter: what a layer does between its windows.

Over floats each operator would be a filter of its own, and every value that goes by would be copied around it. Here operators of one module
that depend on each other, without a window or a state between them, are one instruction, whose filter is written for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..ir import Instruction, Program
from ..ir.model import Frame
from ..source.floats import StreamFilter
from ..source.frames import IN_FRAMES, FrameText
from ..streams.region import CONTAINERS

# Fewer are as good as filters of their own, whose firings are done in lanes.
FEWEST = 3


@dataclass
class Group:
    """Operators that become one, by their places in the program."""

    key: tuple[Frame, ...]
    members: list[int]


def own_frames(program: Program) -> list[tuple[Frame, ...]]:
    """Of each instruction the calls around it, without those that hold nothing else and those that only hold others."""
    counts: dict[tuple[Frame, ...], int] = {}
    for instruction in program.instructions:
        frames = instruction.origin.frames
        for depth in range(len(frames) + 1):
            counts[frames[:depth]] = counts.get(frames[:depth], 0) + 1
    found = []
    for instruction in program.instructions:
        frames = instruction.origin.frames
        while frames and (counts[frames] == 1 or frames[-1].class_name in CONTAINERS):
            frames = frames[:-1]
        found.append(frames)
    return found


class Joiner:
    def __init__(self, program: Program):
        self.program = program
        self.instructions = program.instructions
        self.keys = own_frames(program)
        self.made = {instruction.var: place for place, instruction in enumerate(self.instructions)}
        self.users: dict[int, list[int]] = {}
        for place, instruction in enumerate(self.instructions):
            for arg in instruction.args:
                self.users.setdefault(arg, []).append(place)
        self.depths = self.find_depths()

    def is_local(self, place: int) -> bool:
        instruction = self.instructions[place]
        return instruction.op in IN_FRAMES and IN_FRAMES[instruction.op].holds(instruction)

    def are_together(self, one: int, other: int) -> bool:
        return self.is_local(one) and self.is_local(other) and self.keys[one] == self.keys[other]

    def size(self, var: int) -> int:
        return self.program.sizes[var][0]

    def find_depths(self) -> list[int]:
        """How many steps that cannot be joined come before each instruction; what makes more of less waits for its users."""
        depths: list[int] = []
        for place, instruction in enumerate(self.instructions):
            before = [self.made[arg] for arg in instruction.args if arg in self.made]
            depths.append(max((depths[arg] + (not self.are_together(arg, place)) for arg in before), default=0))
        for place in reversed(range(len(self.instructions))):
            var, args = self.instructions[place].var, self.instructions[place].args
            users = self.users.get(var, [])
            waits = self.is_local(place) and users and var not in self.program.results
            if waits and sum(map(self.size, args)) <= self.size(var):
                depths[place] = min(depths[user] - (not self.are_together(place, user)) for user in users)
        return depths

    def groups(self) -> list[Group]:
        """In the order of their last members."""
        found: dict[tuple[int, tuple[Frame, ...]], list[int]] = {}
        for place in range(len(self.instructions)):
            if self.is_local(place):
                found.setdefault((self.depths[place], self.keys[place]), []).append(place)
        made = [Group(key, part) for (_, key), members in found.items() for part in self.connected(members)]
        return sorted((group for group in made if len(group.members) >= FEWEST), key=lambda group: group.members[-1])

    def connected(self, members: list[int]) -> Iterable[list[int]]:
        """Those of a set that take each other's results."""
        parts: list[list[int]] = []
        for place in members:
            args = set(self.instructions[place].args)
            near = [part for part in parts if any(self.instructions[other].var in args for other in part)]
            parts = [part for part in parts if part not in near] + [sorted([place, *(p for part in near for p in part)])]
        return parts

    def in_order(self, inputs: Iterable[int], depth: int) -> list[int]:
        """As they come: what a window needs goes by it, and then comes what it makes."""

        def place(var: int) -> tuple[int, int, int]:
            first = min((place for place in self.users[var] if self.depths[place] < depth), default=len(self.depths))
            return first, self.made.get(var, -1), var

        return sorted(inputs, key=place)


def join_frames(program: Program) -> tuple[Program, dict[str, StreamFilter]]:
    """The program with joined operators, and the filters of these by their names as operators."""
    written: dict[str, StreamFilter] = {}
    while True:
        joiner = Joiner(program)
        groups = joiner.groups()
        if not groups:
            return program, written
        program = joined(joiner, groups[0], written)


def behind(joiner: Joiner, group: Group) -> set[int]:
    """The places of what comes after a group: all others stay where they are, since neighbours belong together."""
    last, found = group.members[-1], set()
    reached = {joiner.instructions[place].var for place in group.members}
    for place in range(group.members[0], len(joiner.instructions)):
        if place in group.members:
            continue
        needs = any(arg in reached for arg in joiner.instructions[place].args)
        if needs:
            reached.add(joiner.instructions[place].var)
        if needs or place > last:
            found.add(place)
    return found


def joined(joiner: Joiner, group: Group, written: dict[str, StreamFilter]) -> Program:
    """The program with one group as one instruction. Values that others need later go through it."""
    program, depth = joiner.program, joiner.depths[group.members[0]]
    members = [program.instructions[place] for place in group.members]
    own = {member.var for member in members}
    inputs = dict.fromkeys(arg for member in members for arg in member.args if arg not in own)
    after = {place for place in behind(joiner, group) if joiner.depths[place] > depth}

    def later(var: int) -> list[int]:
        return [place for place in joiner.users.get(var, []) if place in after]

    given = [member.var for member in members if later(member.var) or member.var in program.results]
    results = sorted([*given, *(var for var in inputs if later(var))], key=lambda var: (later(var) or [len(joiner.depths)])[0])
    text = FrameText(program.sizes, joiner.in_order(inputs, depth), members, results)
    op = f"stream_frame {text.body}"
    owner = group.key[-1].class_name.rpartition(".")[2] if group.key else program.name
    written[op] = text.filter(f"{owner}Frame", owner)
    fresh, origin = program.fresh(), replace(members[-1].origin, frames=group.key)
    whole = [Instruction(fresh, op, text.params, tuple(text.args), origin)]
    sizes = {**program.sizes, fresh: tuple(joiner.size(var) for var in results)}
    rates = {**program.rates, fresh: program.rates[results[0]]}
    renamed = dict.fromkeys(results, fresh)
    if len(results) > 1:
        for index, var in enumerate(results):
            renamed[var] = fresh + 1 + index
            whole.append(Instruction(renamed[var], "getitem", (index,), (fresh,), origin))
            sizes[renamed[var]], rates[renamed[var]] = program.sizes[var], program.rates[var]

    def updated(places: Iterable[int]) -> list[Instruction]:
        some = ((place, program.instructions[place]) for place in places)
        return [
            replace(one, args=tuple(renamed.get(arg, arg) if place in after else arg for arg in one.args)) for place, one in some
        ]

    moved = behind(joiner, group)
    before = [place for place in range(len(joiner.depths)) if place not in moved and place not in group.members]
    instructions = [*updated(before), *whole, *updated(sorted(moved))]
    results_now = tuple(renamed[var] if var in own else var for var in program.results)
    return replace(program, instructions=instructions, results=results_now, sizes=sizes, rates=rates)
