"""Loops over time that a model has written in Python: its graph has a copy of the step for each item of the example.

A value of the last step stands for the same value of the step before it, that for the one before, and so on to the first step. Values that belong together
in this way are found by going from the collected results (`stack`, `cat`) of the last two steps to their arguments, both at the same time. Whatever a
step takes from earlier ones is a state. What is stored and different in each step, such as the gains of a filter that do not depend on what it filters, becomes
a table with a row for each time step, which is a sequence as any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch

from ..ir import Instruction, Param, Program
from ..ir.model import Shape
from ..ir.operators import results
from ..passes import eliminate_dead

FEWEST = 4  # steps that make a loop


@dataclass(frozen=True)
class Select:
    """What takes one item of a sequence: `keeps` its dimension, as one of one element. Of a step `index` is how many items it is ahead."""

    source: int
    dim: int
    index: int
    keeps: bool


@dataclass(frozen=True)
class Loop:
    """A step, and the variables of the program around that it makes anew at each time.

    `step` has an input for each sequence and one for each state, and as results what is collected, and the states again, which begin as zeros. Where the
    first step is another one, there is an input behind them, a flag that is 1 then, and `choose` takes one of two values by it.
    """

    sequences: tuple[Select, ...]
    step: Program
    collected: tuple[Instruction, ...]
    first: int  # the time step at which it begins
    has_flag: bool

    @property
    def length(self) -> int:
        return len(self.collected[0].args)


class NoLoop(Exception):
    """What is collected is not the same at each step."""


def selects_of(program: Program) -> dict[int, Select]:
    """The instructions that take one item of a sequence which others take items of, too."""
    shapes, made = program.shapes, {one.var: one for one in program.instructions}
    found: dict[int, Select] = {}
    for one in program.instructions:
        given, source = one.positional, one.args[0] if len(one.args) == 1 else -1
        origin = made.get(source)
        if one.op == "getitem" and origin is not None and results(origin) > 1:
            if origin.op in ("chunk", "split") and isinstance(dim := origin.positional[1], int) and shapes[one.var][dim] == 1:
                found[one.var] = Select(origin.args[0], dim, int(str(given[0])), True)
        elif one.op == "getitem":
            index, dim = (*(int(str(number)) for number in given), 0)[:2]
            found[one.var] = Select(source, dim, index % shapes[source][dim], False)
        elif one.op == "slice" and shapes[one.var][int(str(given[0]))] == 1:
            found[one.var] = Select(source, int(str(given[0])), int(str(given[1])), True)
    places: dict[tuple[int, int], set[int]] = {}
    for select in found.values():
        places.setdefault((select.source, select.dim), set()).add(select.index)
    return {var: one for var, one in found.items() if len(places[one.source, one.dim]) >= FEWEST}


class StepsHaveTheirOwn(Exception):
    """Arguments that are stored, another value at each step: of the last step's instructions, and which of its arguments."""

    def __init__(self, finder: Finder, places: set[tuple[int, int]]):
        super().__init__()
        self.finder, self.places = finder, places


@dataclass
class Finder:
    """Looks for the loop whose results an instruction collects; `find` is the way in."""

    program: Program
    tensors: dict[str, torch.Tensor]
    collected: list[Instruction]
    selects: dict[int, Select]
    steps: dict[int, int] = field(default_factory=dict)
    before: dict[int, int] = field(default_factory=dict)  # of a value that of the step before; at the first one what it begins with
    after: dict[int, int] = field(default_factory=dict)
    own: set[tuple[int, int]] = field(default_factory=set)  # arguments that are stored, and others in the step before
    broken: dict[int, int] = field(default_factory=dict)  # of values of the second step what the first one has in their place

    def __post_init__(self) -> None:
        self.made = {one.var: one for one in self.program.instructions}
        length = max(len(one.args) for one in self.collected)
        extents = {var: self.program.shapes[one.source][one.dim] for var, one in self.selects.items()}
        # What counts channels has other extents than what counts time.
        self.selects = {var: one for var, one in self.selects.items() if extents[var] >= length}
        self.steps = {var: -1 for var in self.program.inputs}
        whole = {one.var for one in self.collected}
        for one in self.program.instructions:
            known = [self.steps[arg] for arg in one.args]
            self.steps[one.var] = self.selects[one.var].index if one.var in self.selects else -1 if one.var in whole else max(known, default=-1)

    @property
    def length(self) -> int:
        """Up to the last step that is collected."""
        return 1 + max(self.steps[one.args[-1]] for one in self.collected)

    def find(self) -> Loop:
        """Raises `StepsHaveTheirOwn` if there would be one with tables."""
        for one in self.collected:
            times = [self.steps[arg] for arg in one.args]
            if len(times) < FEWEST or times != list(range(times[0], times[0] + len(times))) or times[0] < 0:
                raise NoLoop
        self.match([(b, a, one.var, i + 1) for one in self.collected for i, (a, b) in enumerate(zip(one.args, one.args[1:]))])
        if self.own:
            raise StepsHaveTheirOwn(self, {(self.latest(user), place) for user, place in self.own})
        for back in (0, 1):
            with suppress(NoLoop):
                return Builder(self, back).loop()
        raise NoLoop

    def latest(self, var: int) -> int:
        while var in self.after:
            var = self.after[var]
        return var

    def match(self, pairs: list[tuple[int, int, int, int]]) -> None:
        """The first of each pair is of one step, the second should be the same of the step before. Behind them stands whose argument the first one is."""
        while pairs:
            late, early, user, place = pairs.pop()
            if self.before.get(late) == early or self.broken.get(late) == early:
                continue
            if self.steps[late] < 0:
                if self.is_own(late, early, user):
                    self.own.add((user, place))
                elif not self.is_same(late, early):
                    raise NoLoop
                continue
            if late in self.before or late in self.broken:
                raise NoLoop
            if self.is_copy(late, early):
                self.before[late], self.after[early] = early, late
                if late not in self.selects:
                    both = zip(self.made[late].args, self.made[early].args)
                    pairs += [(one, other, late, i) for i, (one, other) in enumerate(both)]
            elif self.steps[early] < 0 and self.is_stored(early):
                self.before[late] = early
            else:
                self.broken[late] = early

    def is_own(self, late: int, early: int, user: int) -> bool:
        """Does a step have a stored value of its own there?"""
        shapes = self.program.shapes
        stored = self.is_stored(late) and self.is_stored(early) and not self.is_same(late, early)
        return stored and user in self.before and shapes[late] == shapes[early]

    def is_stored(self, var: int) -> bool:
        return var in self.made and self.made[var].op == "const"

    def is_same(self, one: int, other: int) -> bool:
        stored = self.is_stored(one) and self.is_stored(other) and self.made[one].params == self.made[other].params
        return one == other or stored

    def is_copy(self, late: int, early: int) -> bool:
        if self.steps[early] != self.steps[late] - 1:
            return False
        if late in self.selects or early in self.selects:
            one, other = self.selects.get(late), self.selects.get(early)
            return one is not None and other is not None and replace(one, index=one.index - 1) == other
        one_of, other_of = self.made[late], self.made[early]
        return (one_of.op, repr(one_of.params), len(one_of.args)) == (other_of.op, repr(other_of.params), len(other_of.args))


class Builder:
    """Makes a program of the step: of the last one whose values the model needs all of, which may be one further `back`."""

    def __init__(self, finder: Finder, back: int):
        self.finder, self.steps = finder, finder.steps
        self.first = min(finder.steps[one.args[0]] for one in finder.collected)
        self.needed: list[int] = []  # values of the step, at `self.at`
        self.states: dict[tuple[int, int], int] = {}  # by value and how many steps back
        last = max(finder.steps[one.args[-1]] for one in finder.collected)
        self.reach = self.furthest()
        self.at = last - self.reach - back
        if self.at - self.first < FEWEST - 2:
            raise NoLoop

    def furthest(self) -> int:
        """How many steps back something is taken from."""
        finder = self.finder
        taken = [
            self.steps[var] - self.steps[arg]
            for var in finder.before if var in finder.made and var not in finder.selects
            for arg in finder.made[var].args if self.steps[arg] >= 0
        ]
        return max(taken, default=0)

    def down(self, var: int) -> int:
        while self.steps[var] > self.at:
            if var not in self.finder.before:
                raise NoLoop
            var = self.finder.before[var]
        return var

    def up(self, var: int, by: int) -> int:
        """What an argument from earlier steps is at this step."""
        for _ in range(by):
            if var not in self.finder.after:
                raise NoLoop
            var = self.finder.after[var]
        return var

    def loop(self) -> Loop:
        finder = self.finder
        outs = [self.down(one.args[-1]) for one in finder.collected]
        todo, seen = list(outs), set[int]()
        while todo:
            var = todo.pop()
            if var in seen:
                continue
            seen.add(var)
            if var in finder.selects:
                continue
            for arg in finder.made[var].args:
                lag = self.at - self.steps[arg]
                if self.steps[arg] < 0:
                    self.check_stored(arg)
                elif lag == 0:
                    todo.append(arg)
                elif arg not in finder.selects:
                    now = self.up(arg, lag)
                    for back in range(1, lag + 1):
                        self.states.setdefault((now, back), arg)
                    todo.append(now)
        self.needed = sorted(seen)
        return Writer(self, outs).loop()

    def check_stored(self, var: int) -> None:
        if not self.finder.is_stored(var):
            raise NoLoop

    def firsts(self, var: int) -> tuple[int | None, int | None]:
        """What a value is before the first step, which may be made of what comes at that, and what it is at the first step if that is another one."""
        while self.steps[var] > self.first:
            if var in self.finder.broken:
                other = self.finder.broken[var]
                if self.steps[var] != self.first + 1 or self.steps[other] not in (-1, self.first):
                    raise NoLoop
                return None, other
            if var not in self.finder.before:
                return None, None  # the first step has it not
            before = self.finder.before[var]
            if self.steps[before] < 0 and self.steps[var] == self.first + 1:
                return None, before
            if self.steps[before] < 0:
                raise NoLoop
            var = before
        return self.finder.before.get(var, self.finder.broken.get(var)), None


class Writer:
    """Writes the step with variables of its own."""

    def __init__(self, builder: Builder, outs: list[int]):
        self.builder, self.finder, self.outs = builder, builder.finder, outs
        self.next = 0
        self.shapes: dict[int, Shape] = {}
        self.own: dict[int, int] = {}
        self.instructions: list[Instruction] = []
        self.stored: dict[int, int] = {}
        self.sequences: dict[Select, int] = {}
        self.state_inputs: dict[tuple[int, int], int] = {}
        self.state_values: dict[tuple[int, int], int] = {}  # what is in the inputs, or, at first, what the model begins with
        self.chosen: dict[int, int] = {}  # of values what they are at the first step, if that is another one
        self.wanted: set[int] = set()  # what is to be made yet
        self.flag: int | None = None

    def fresh(self, shape: Shape) -> int:
        self.next += 1
        self.shapes[self.next - 1] = shape
        return self.next - 1

    def loop(self) -> Loop:
        builder, shapes = self.builder, self.finder.program.shapes
        others = {var: builder.firsts(var) for var in builder.needed if var not in self.finder.selects}
        self.chosen = {var: other for var, (_, other) in others.items() if other is not None}
        firsts = {key: others[key[0]][0] for key in builder.states}
        starts = {key: first for key, first in firsts.items() if first is not None and not self.is_zero(first)}
        begun = list(dict.fromkeys(var for start in starts.values() for var in self.start(start)))
        more = list(dict.fromkeys(var for other in self.chosen.values() for var in self.closure(other)))
        self.wanted = {*builder.needed, *begun, *more}
        for var in (*builder.needed, *begun, *more):
            for one in [var] if var in self.finder.selects else self.finder.made[var].args:
                if one in self.finder.selects:
                    self.sequence(one, builder.steps[var])
        for value, back in sorted(builder.states):
            self.state_inputs[value, back] = self.fresh(shapes[value])
        self.flag = self.fresh((1,)) if self.chosen or starts else None
        for var in sorted(begun):
            self.make(var)
        for key, one in self.state_inputs.items():
            self.state_values[key] = self.choose(self.argument(starts[key], builder.first), one, key[0]) if key in starts else one
        for var in sorted({*builder.needed, *more}):
            self.make(var)
        return self.whole()

    def start(self, var: int) -> list[int]:
        """What the first step does to make what a state begins with, which is of that step."""
        if self.builder.steps[var] not in (-1, self.builder.first):
            raise NoLoop
        return [var] if var in self.finder.selects else list(self.closure(var))

    def make(self, var: int) -> None:
        if var in self.own:
            return
        if var not in self.wanted:
            raise NoLoop
        self.wanted.remove(var)
        self.copy(var)
        if var in self.chosen:
            self.own[var] = self.choose(self.argument(self.chosen[var], self.builder.first), self.own[var], var)

    def is_zero(self, var: int) -> bool:
        return self.finder.is_stored(var) and not bool(self.finder.tensors[str(self.finder.made[var].positional[0])].any())

    def closure(self, var: int) -> Iterator[int]:
        """What the first step alone has."""
        todo = [var]
        while todo:
            one = todo.pop()
            if self.builder.steps[one] < 0:
                self.builder.check_stored(one)
            elif one not in self.at_first:
                yield one
                todo += [] if one in self.finder.selects else self.finder.made[one].args

    @cached_property
    def at_first(self) -> dict[int, int]:
        """Values of the first step that are those of any step."""
        found = {}
        for var in self.builder.needed:
            now: int | None = var
            while now is not None and self.builder.steps[now] > self.builder.first:
                now = self.finder.before.get(now)
            if now is not None and self.builder.steps[now] == self.builder.first:
                found[now] = var
        return found

    def sequence(self, var: int, at: int) -> int:
        """The input that has what a value of the step `at` takes of a sequence."""
        key = replace(self.finder.selects[var], index=self.builder.steps[var] - at)
        if key not in self.sequences:
            self.sequences[key] = self.fresh(self.finder.program.shapes[var])
        if key.index == 0:
            self.own[var] = self.sequences[key]
        return self.sequences[key]

    def argument(self, arg: int, at: int) -> int:
        """An argument of a value of the step `at`."""
        steps = self.builder.steps
        if steps[arg] < 0:
            if arg not in self.stored:
                self.stored[arg] = self.fresh(self.finder.program.shapes[arg])
                self.instructions.append(replace(self.finder.made[arg], var=self.stored[arg]))
            return self.stored[arg]
        if arg in self.finder.selects:
            return self.sequence(arg, at)
        if steps[arg] != at:
            state = self.builder.up(arg, at - steps[arg]), at - steps[arg]
            if state not in self.state_values:  # what a state begins with takes a state
                raise NoLoop
            return self.state_values[state]
        same = self.at_first.get(arg, arg) if at != self.builder.at else arg
        self.make(same)  # of the first step, a value that any step has may come later in the program
        return self.own[same]

    def copy(self, var: int) -> None:
        one, at = self.finder.made[var], self.builder.steps[var]
        args = tuple(self.argument(arg, at) for arg in one.args)
        self.own[var] = self.fresh(self.finder.program.shapes[var])
        self.instructions.append(replace(one, var=self.own[var], args=args))

    def choose(self, first: int, other: int, var: int) -> int:
        assert self.flag is not None
        made = self.fresh(self.shapes[other])
        self.instructions.append(Instruction(made, "choose", (), (self.flag, first, other), self.finder.made[var].origin))
        return made

    def whole(self) -> Loop:
        results = [self.own[out] for out in self.outs]
        results += [self.own[value] if back == 1 else self.state_values[value, back - 1] for value, back in self.state_inputs]
        inputs = (*self.sequences.values(), *self.state_inputs.values(), *([] if self.flag is None else [self.flag]))
        step = Program(inputs, self.instructions, tuple(results), self.finder.program.name, shapes=self.shapes)
        return Loop(tuple(self.sequences), step, tuple(self.finder.collected), self.builder.first, self.flag is not None)


def loops_of(program: Program, tensors: dict[str, torch.Tensor]) -> tuple[Program, list[Loop]]:
    """The program with loops, each as an instruction `loop<number, dims>` of its sequences with a result for all that it collects.

    `tensors` are the stored values.
    """
    found: list[Loop] = []
    refused: set[int] = set()
    while True:
        selects = selects_of(program)
        wholes = [one for one in program.instructions if one.op in ("stack", "cat") and len(one.args) >= FEWEST and one.var not in refused]
        if not wholes or not selects:
            return program, found
        try:
            loop = loop_of(program, tensors, wholes, selects)
        except StepsHaveTheirOwn as what:
            with suppress(NoLoop):
                program = with_tables(program, tensors, what)
                continue
            refused.add(wholes[0].var)
            continue
        except NoLoop:
            refused.add(wholes[0].var)
            continue
        program = rolled(program, loop, len(found))
        found.append(loop)


def loop_of(program: Program, tensors: dict[str, torch.Tensor], wholes: list[Instruction], selects: dict[int, Select]) -> Loop:
    with suppress(NoLoop):
        return Finder(program, tensors, with_others(program, wholes), selects).find()
    return Finder(program, tensors, wholes[:1], selects).find()


def with_tables(program: Program, tensors: dict[str, torch.Tensor], what: StepsHaveTheirOwn) -> Program:
    """The program in which steps take a row of a table each, instead of stored values of their own. Adds the tables to `tensors`."""
    shapes, made = dict(program.shapes), what.finder.made
    changed: dict[int, Instruction] = {}
    before: dict[int, list[Instruction]] = {}
    tables: list[Instruction] = []
    for latest, place in sorted(what.places):
        users = [latest]
        while users[-1] in what.finder.before and users[-1] in made:
            users.append(what.finder.before[users[-1]])
        users = [user for user in reversed(users) if what.finder.steps[user] >= 0]
        stored = [made[user].args[place] for user in users]
        if not all(what.finder.is_stored(var) for var in stored):
            raise NoLoop
        rows = [tensors[str(made[var].positional[0])] for var in stored]
        # A value of what comes next is of the step before: of the last step it is no part of what the model gives.
        missing = what.finder.length - what.finder.steps[users[0]] - len(rows)
        rows = [rows[0]] * what.finder.steps[users[0]] + rows + [rows[-1]] * missing
        name = unused(f"{made[stored[-1]].positional[0]}.steps", tensors)
        tensors[name] = torch.stack(rows)
        table = max(shapes) + 1
        shapes[table] = tuple(tensors[name].shape)
        tables.append(Instruction(table, "const", (name,), (), made[latest].origin))
        for user in users:
            one, row = changed.get(user, made[user]), max(shapes) + 1
            shapes[row] = shapes[table][1:]
            before.setdefault(user, []).append(Instruction(row, "getitem", (what.finder.steps[user], 0), (table,), one.origin))
            changed[user] = replace(one, args=(*one.args[:place], row, *one.args[place + 1 :]))
    instructions = [*tables]
    for instruction in program.instructions:
        instructions += [*before.get(instruction.var, []), changed.get(instruction.var, instruction)]
    return eliminate_dead(replace(program, instructions=instructions, shapes=shapes))


def unused(name: str, tensors: dict[str, torch.Tensor]) -> str:
    while name in tensors:
        name += "_"
    return name


def with_others(program: Program, wholes: list[Instruction]) -> list[Instruction]:
    """What else is collected of the same number of steps, without taking what the first one collects."""
    first, reached = wholes[0], {wholes[0].var}
    for one in program.instructions:
        if reached.intersection(one.args):
            reached.add(one.var)
    return [one for one in wholes if one is first or one.var not in reached and len(one.args) == len(first.args)]


def rolled(program: Program, loop: Loop, number: int) -> Program:
    """The program with an instruction for a loop, behind the last sequence that it takes."""
    places = {one.var: place for place, one in enumerate(program.instructions)}
    at = 1 + max((places[select.source] for select in loop.sequences if select.source in places), default=-1)
    shapes, made = dict(program.shapes), list[Instruction]()
    origin = loop.collected[0].origin

    def emit(op: str, params: tuple[Param, ...], args: tuple[int, ...], shape: Shape) -> int:
        var = max(shapes) + 1
        shapes[var] = shape
        made.append(Instruction(var, op, params, args, origin))
        return var

    sources = []
    for select in loop.sequences:
        source, dim, begin = select.source, select.dim, loop.first + select.index
        shape = shapes[source]
        if begin < 0:
            amounts = (0,) * (2 * (len(shape) - 1 - dim)) + (-begin, 0)
            shape = (*shape[:dim], shape[dim] - begin, *shape[dim + 1 :])
            source, begin = emit("pad", (amounts,), (source,), shape), 0
        if (begin, loop.length) != (0, shape[dim]):
            shape = (*shape[:dim], loop.length, *shape[dim + 1 :])
            source = emit("slice", (dim, begin, begin + loop.length), (source,), shape)
        sources.append(source)
    whole = emit("loop", (number, tuple(select.dim for select in loop.sequences)), tuple(sources), shapes[loop.collected[0].var])
    made += [Instruction(one.var, "getitem", (i,), (whole,), one.origin) for i, one in enumerate(loop.collected)]
    gone = {one.var for one in loop.collected}
    kept = [one for one in program.instructions[at:] if one.var not in gone]
    return eliminate_dead(replace(program, instructions=[*program.instructions[:at], *made, *kept], shapes=shapes))
