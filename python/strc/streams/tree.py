"""Streams as trees. Every stream pops a tuple of values, in order, and pushes another one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Union

from .weights import weights

if TYPE_CHECKING:
    from .region import Node

Sizes = tuple[int, ...]  # items of values
Names = tuple[str, ...]  # of values, for readers alone


@dataclass(frozen=True)
class Leaf:
    """One node: an operator or a module that is a stream of its own."""

    node: Node

    @property
    def pops(self) -> int:
        return len(self.node.args)

    @property
    def pushes(self) -> int:
        return self.node.results

    @property
    def takes(self) -> Sizes:
        return weights(self.node.args)

    @property
    def gives(self) -> Sizes:
        return weights(self.node.values())


@dataclass(frozen=True)
class Pass:
    """Values that go by, as many as a firing of the splitter gives, with the items of each."""

    sizes: Sizes
    names: Names = field(default=(), compare=False)

    @property
    def pops(self) -> int:
        return len(self.sizes)

    @property
    def pushes(self) -> int:
        return len(self.sizes)

    @property
    def takes(self) -> Sizes:
        return self.sizes

    @property
    def gives(self) -> Sizes:
        return self.sizes


@dataclass(frozen=True)
class Pick:
    """Some values by their numbers, in that order. `in_turns`: one item of each of them, again and again."""

    numbers: tuple[int, ...]
    sizes: Sizes
    in_turns: bool = False
    names: Names = field(default=(), compare=False)  # of those that are left

    @property
    def pops(self) -> int:
        return len(self.sizes)

    @property
    def pushes(self) -> int:
        return len(self.numbers)

    @property
    def takes(self) -> Sizes:
        return self.sizes

    @property
    def gives(self) -> Sizes:
        return tuple(self.sizes[number] for number in self.numbers)


@dataclass(frozen=True)
class Regroup:
    """Several rounds of values, `sizes` the items of each in one, for one round with all items of each value together, or the other way round
    (`gathers` says which). Of a single value it does nothing.
    """

    sizes: Sizes
    times: int
    gathers: bool

    @property
    def pops(self) -> int:
        return len(self.sizes)

    @property
    def pushes(self) -> int:
        return len(self.sizes)

    @property
    def together(self) -> Sizes:
        return tuple(size * self.times for size in self.sizes)

    @property
    def takes(self) -> Sizes:
        return self.sizes if self.gathers else self.together

    @property
    def gives(self) -> Sizes:
        return self.together if self.gathers else self.sizes


@dataclass(frozen=True)
class Pipe:
    """One behind the other; at least two."""

    parts: tuple[Stream, ...]

    @property
    def pops(self) -> int:
        return self.parts[0].pops

    @property
    def pushes(self) -> int:
        return self.parts[-1].pushes

    @property
    def takes(self) -> Sizes:
        return self.parts[0].takes

    @property
    def gives(self) -> Sizes:
        return self.parts[-1].gives


@dataclass(frozen=True)
class Split:
    """Side by side. With `duplicate` every branch sees all values, else each the next ones. The join takes what each branch gives,
    or, `in_turns`, one item of each branch, again and again.
    """

    duplicate: bool
    branches: tuple[Stream, ...]
    in_turns: bool = False
    names: Names = field(default=(), compare=False)  # of what comes out, where it is carried on

    @property
    def pops(self) -> int:
        return self.branches[0].pops if self.duplicate else sum(branch.pops for branch in self.branches)

    @property
    def pushes(self) -> int:
        return sum(branch.pushes for branch in self.branches)

    @property
    def takes(self) -> Sizes:
        return self.branches[0].takes if self.duplicate else sum((branch.takes for branch in self.branches), ())

    @property
    def gives(self) -> Sizes:
        return sum((branch.gives for branch in self.branches), ())


Stream = Union[Leaf, Pass, Pick, Regroup, Pipe, Split]


def pipe(*parts: Stream) -> Stream:
    """One behind the other, without what only passes and without pipelines in pipelines."""
    flat: list[Stream] = []
    for part in parts:
        flat += part.parts if isinstance(part, Pipe) else [part]
    working = [part for part in flat if not isinstance(part, Pass)]
    if not working:
        return flat[-1]
    return working[0] if len(working) == 1 else Pipe(tuple(working))


def with_ends(stream: Stream) -> Stream:
    """With several values at an end, a stream that begins and ends with a round robin over them, one branch for each."""
    parts = list(stream.parts) if isinstance(stream, Pipe) else [stream]
    first, last = parts[0], parts[-1]
    if stream.pops > 1 and not (isinstance(first, Split) and not first.duplicate and all(b.pops == 1 for b in first.branches)):
        parts.insert(0, Split(False, tuple(Pass((size,)) for size in stream.takes)))
    if stream.pushes > 1 and not (isinstance(last, Split) and all(b.pushes == 1 for b in last.branches)):
        parts.append(Split(False, tuple(Pass((size,)) for size in stream.gives)))
    return parts[0] if len(parts) == 1 else Pipe(tuple(parts))


def check(stream: Stream) -> None:
    """What one part pushes the next one pops: an error of the importer if not."""
    if isinstance(stream, Pipe):
        for part in stream.parts:
            check(part)
        for one, other in zip(stream.parts, stream.parts[1:]):
            assert one.gives == other.takes, (one, other)
    elif isinstance(stream, Split):
        for branch in stream.branches:
            check(branch)
            assert not stream.duplicate or branch.takes == stream.takes, stream
