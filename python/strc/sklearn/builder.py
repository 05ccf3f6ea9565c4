"""What an export collects: instructions of the model IR, stored values, and what stands against it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy
from numpy.typing import NDArray

from ..errors import ImportFailure
from ..ir import Instruction, Named, Param
from ..source.expressions import Written
from .filters import filter_of

Array = NDArray[Any]

ELEMENTS: dict[str, type[numpy.floating[Any]]] = {"float": numpy.float32, "double": numpy.float64}


class Refused(ImportFailure):
    """Estimators that cannot be exported, all of them at once."""

    def __init__(self, faults: list[str]):
        self.faults = faults
        super().__init__("\n".join(["this cannot be exported from scikit-learn:", *(f"  {fault}" for fault in faults)]))


@dataclass(frozen=True)
class Value:
    """A variable that holds batch x width numbers of a type, `float` or `double`."""

    var: int
    width: int
    element: str


@dataclass
class Builder:
    """The program so far. Variable 0 is the input; `batch` is its number of rows, if that is known."""

    strategy: str
    batch: int | None = None
    instructions: list[Instruction] = field(default_factory=list)
    written: dict[str, Written] = field(default_factory=dict)
    tensors: dict[str, Array] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    strategies: dict[str, str] = field(default_factory=dict)  # of each forest, by the prefix of its values

    def filter(self, op: str, args: tuple[int, ...], *params: Param) -> int:
        """A filter of the library; its variable."""
        return self.append(op, args, params)

    def add(self, name: str, args: tuple[int, ...], element: str = "double", **named: Param) -> int:
        """A filter of `strc.sklearn.filters`, for a type of its input; its variable."""
        op = f"{name.lower()}_{element}"
        self.written.setdefault(op, filter_of(name, element))
        return self.append(op, args, tuple(Named(key, value) for key, value in named.items()))

    def append(self, op: str, args: tuple[int, ...], params: tuple[Param, ...]) -> int:
        var = len(self.instructions) + 1
        self.instructions.append(Instruction(var, op, params, args))
        return var

    def store(self, prefix: str, **values: Array) -> str:
        """Stores values as PREFIX.name; the prefix, which gets a number if another estimator has stored such."""
        base, count = prefix, 1
        while any(f"{base}.{name}" in self.tensors for name in values):
            count += 1
            base = f"{prefix}_{count}"
        self.tensors.update((f"{base}.{name}", numpy.ascontiguousarray(value)) for name, value in values.items())
        return base

    def refuse(self, estimator: object, path: str, why: str) -> None:
        """Notes what cannot be exported; the export goes on, to find all of that."""
        place = f"{path} ({type(estimator).__name__})" if path else type(estimator).__name__
        self.faults.append(f"{place}: {why}")
