"""Loops in Python that write their results into a tensor which is there before: `y[:, t] = ...`.

The graph has an `update` for each write. Of a tensor that was written item by item, an item that is read is what was written there, and the whole is what
`cat` puts together of these, and of what was there before where nothing was written.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch

from ..ir import Instruction, Param, Program
from ..passes import eliminate_dead

FEWEST = 4  # items that are a loop's


@dataclass(frozen=True)
class Written:
    """Of a tensor the items along a dimension that were written, each one of one element there; `begun` is the tensor before.

    All that are written one after the other share `writes`, of which `count` are those of this one, and where among them each place is.
    """

    begun: int
    dim: int
    count: int = 0
    writes: list[tuple[int, int]] = field(default_factory=list)
    places: dict[int, list[int]] = field(default_factory=dict)

    def and_item(self, index: int, item: int) -> Written:
        """Behind a further write."""
        before = self if self.count == len(self.writes) else self.apart()
        before.places.setdefault(index, []).append(before.count)
        before.writes.append((index, item))
        return replace(before, count=before.count + 1)

    def apart(self) -> Written:
        """What shares nothing with those that something else was written to."""
        fresh = Written(self.begun, self.dim)
        for index, item in self.writes[: self.count]:
            fresh = fresh.and_item(index, item)
        return fresh

    def item(self, index: int) -> int | None:
        """What was written there last."""
        places = self.places.get(index, [])
        last = bisect_left(places, self.count)
        return self.writes[places[last - 1]][1] if last else None

    @property
    def items(self) -> dict[int, int]:
        return dict(self.writes[: self.count])


def with_whole_tensors(program: Program, tensors: dict[str, torch.Tensor]) -> Program:
    """The program without writes to single items. Adds parts of stored values to `tensors`."""
    written: dict[int, Written] = {}
    made: list[Instruction] = []
    stored = {one.var: str(one.positional[0]) for one in program.instructions if one.op == "const"}
    begun = set[int]()  # what is made of items that nothing was written to
    for one in program.instructions:
        if one.op == "update" and (found := after(one, written, program)):
            written[one.var] = found
        elif one.args and one.args[0] in written:
            one = read(one, written[one.args[0]], program)
        if one.args and all(arg in stored for arg in one.args) and (one.op == "getitem" or begun.intersection(one.args)) and one.op in FOLDED:
            one = folded(one, [stored[arg] for arg in one.args], set(stored.values()), tensors)
            stored[one.var] = str(one.positional[0])
            begun.add(one.var)
        made.append(one)
    used = {arg for one in made if one.var not in written for arg in one.args} | set(program.results)
    writer = Writer(program, tensors)
    for one in made:
        what = written.get(one.var)
        if what and one.var in used and len(items := what.items) >= FEWEST:
            writer.whole(one, what, items)
        else:
            writer.instructions.append(one)
    return eliminate_dead(replace(program, instructions=writer.instructions, shapes=writer.shapes)) if written else program


def after(one: Instruction, written: dict[int, Written], program: Program) -> Written | None:
    """What is known behind a write; None if it is one of several items."""
    whole, item = one.args
    dim, index = (int(str(number)) for number in one.positional)
    if program.shapes[item][dim] != 1:
        return None
    before = written.get(whole)
    if before is None or before.dim != dim:
        before = Written(whole, dim)
    return before.and_item(index, item)


def read(one: Instruction, what: Written, program: Program) -> Instruction:
    """An instruction that takes an item: what was written there, or what was there before."""
    if one.op not in ("getitem", "slice"):
        return one
    given = [int(str(number)) for number in one.positional]
    is_slice = one.op == "slice"
    dim, index = given[:2] if is_slice else reversed((*given, 0)[:2])
    if dim != what.dim or is_slice and program.shapes[one.var][dim] != 1:
        return one
    index %= program.shapes[one.args[0]][dim]
    item = what.item(index)
    if item is None:
        return replace(one, args=(what.begun, *one.args[1:]))
    if is_slice:
        return replace(one, op="reshape", params=(program.shapes[one.var],), args=(item,))
    return replace(one, op="squeeze", params=(dim,), args=(item,))


def number(one: Instruction) -> float:
    (value,) = one.positional
    assert isinstance(value, (int, float))
    return value


def item(one: Instruction, whole: torch.Tensor) -> torch.Tensor:
    index, dim = (*(int(str(number)) for number in one.positional), 0)[:2]
    return whole.select(dim, index)


# What is done to stored values here, so that a step that takes one is not another one than those that take what was written.
FOLDED: dict[str, Callable[..., torch.Tensor]] = {
    "getitem": item,
    "mul_scalar": lambda one, x: x * number(one),
    "div_scalar": lambda one, x: x / number(one),
    "add_scalar": lambda one, x: x + number(one),
    "mul": lambda _, x, y: x * y,
    "add": lambda _, x, y: x + y,
    "sub": lambda _, x, y: x - y,
}


def folded(one: Instruction, names: list[str], others: set[str], tensors: dict[str, torch.Tensor]) -> Instruction:
    """An operator on stored values as another one, or as one of `others` if that is the same."""
    value = FOLDED[one.op](one, *(tensors[given] for given in names)).clone()
    same = (other for other in sorted(others) if tensors[other].dtype == value.dtype and torch.equal(tensors[other], value))
    name = next(same, f"{names[0]}.{one.var}")
    tensors.setdefault(name, value)
    return replace(one, op="const", params=(name,), args=())


class Writer:
    """Writes the program with whole tensors."""

    def __init__(self, program: Program, tensors: dict[str, torch.Tensor]):
        self.tensors = tensors
        self.shapes = dict(program.shapes)
        self.stored = {one.var: str(one.positional[0]) for one in program.instructions if one.op == "const"}
        self.instructions: list[Instruction] = []

    def whole(self, one: Instruction, what: Written, items: dict[int, int]) -> None:
        """What is behind the last write, by its variable."""
        places = range(min(items), max(items) + 1)
        extent = self.shapes[one.var][what.dim]
        if what.begun not in self.stored:
            parts = [items[i] if i in items else self.part(one, what, i, i + 1) for i in range(extent)]
            self.instructions.append(put_together(one, what.dim, parts))
        elif len(places) == len(items):
            parts = [items[i] for i in places]
            if len(parts) < extent:
                ends = [self.part(one, what, begin, end) if begin < end else -1 for begin, end in ((0, places.start), (places.stop, extent))]
                inner = self.emit(one, "cat", (len(parts), what.dim), parts, len(parts), what.dim)
                parts = [part for part in (ends[0], inner, ends[1]) if part >= 0]
            self.instructions.append(put_together(one, what.dim, parts))
        else:
            self.instructions.append(one)

    def part(self, one: Instruction, what: Written, begin: int, end: int) -> int:
        """Of the tensor before, what was not written."""
        if what.begun not in self.stored:
            return self.emit(one, "slice", (what.dim, begin, end), [what.begun], end - begin, what.dim)
        name = f"{self.stored[what.begun]}.from_{begin}_to_{end}"
        self.tensors[name] = self.tensors[self.stored[what.begun]].narrow(what.dim, begin, end - begin).clone()
        return self.emit(one, "const", (name,), [], end - begin, what.dim)

    def emit(self, one: Instruction, op: str, params: tuple[Param, ...], args: list[int], extent: int, dim: int) -> int:
        """An instruction before another one, whose result is as large as that's but along a dimension."""
        var = max(self.shapes) + 1
        shape = self.shapes[one.var]
        self.shapes[var] = (*shape[:dim], extent, *shape[dim + 1 :])
        self.instructions.append(Instruction(var, op, params, tuple(args), one.origin))
        return var


def put_together(one: Instruction, dim: int, parts: list[int]) -> Instruction:
    return replace(one, op="cat", params=(len(parts), dim), args=tuple(parts))
