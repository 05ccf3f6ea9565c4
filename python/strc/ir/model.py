"""The data of the model IR."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Union

from ..errors import Place


@dataclass(frozen=True)
class Slice:
    """`slice(from, to, step)`, each an int or None."""

    start: int | None
    stop: int | None
    step: int | None


@dataclass(frozen=True)
class Named:
    """A parameter given by name."""

    name: str
    value: Param


Param = Union[int, float, bool, str, None, Slice, Named, tuple["Param", ...]]


@dataclass(frozen=True)
class Frame:
    """A call of a module: its path in the model (with `@1`, `@2`, ... behind it for further calls), and its class."""

    path: str
    class_name: str

    @property
    def module(self) -> str:
        return self.path.partition("@")[0]


@dataclass(frozen=True)
class Origin:
    """What an instruction was in the model: the calls of modules around it, outermost first, and its place. No part of the text."""

    frames: tuple[Frame, ...] = ()
    place: Place = Place()


@dataclass(frozen=True)
class Instruction:
    """`var = op<params>(args)`. An operator with several results makes a tuple; `getitem<i>` of it is its element i."""

    var: int
    op: str
    params: tuple[Param, ...] = ()
    args: tuple[int, ...] = ()
    origin: Origin = field(default=Origin(), compare=False)

    @property
    def positional(self) -> tuple[Param, ...]:
        return tuple(param for param in self.params if not isinstance(param, Named))

    def named(self, name: str, default: Param = None) -> Param:
        """The value of a parameter given by name."""
        for param in self.params:
            if isinstance(param, Named) and param.name == name:
                return param.value
        return default


Shape = tuple[int, ...]


@dataclass(frozen=True)
class Kind:
    """The shape of a tensor and the type of its elements."""

    shape: Shape
    elements: str = "float"


@dataclass(frozen=True)
class State(Kind):
    """An input that goes round, and the name of the stored value that it has at first; None: zeros."""

    first: str | None = None


@dataclass(frozen=True)
class Loop:
    """The last inputs of a program that get the values of its last results when it runs again.

    `taken` and `given` are those of the one other input and the one other result, None where there are several or none, or their shapes
    are open.
    """

    states: tuple[State, ...]
    taken: Kind | None
    given: Kind | None


@dataclass
class Program:
    """Instructions in an order in which they can run, and the variables that are the results.

    `inputs` are in the order of their numbers. An input that nothing uses is kept here but has no place in the text; so have
    `loop`, the `shapes` of variables (open dimensions are no ints), and of a program over floats `sizes`, how many of them a frame
    of each result of a variable has (empty: it is one over tensors), and `rates`, how many frames there are in the same time.
    """

    inputs: tuple[int, ...]
    instructions: list[Instruction]
    results: tuple[int, ...]
    name: str = "Model"
    loop: Loop | None = None
    shapes: dict[int, Shape] = field(default_factory=dict)
    sizes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    rates: dict[int, Fraction] = field(default_factory=dict)

    def fresh(self) -> int:
        """A variable that is not used yet."""
        used = [*self.inputs, *(instruction.var for instruction in self.instructions)]
        return max(used, default=-1) + 1
