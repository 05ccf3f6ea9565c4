"""What arrives at a program and what leaves it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy

from .diagnostics import CompileError, Diagnostic
from .memory import ELEMENTS, Memory, is_torch, looked_at, memory_of, shape_text

if TYPE_CHECKING:
    from .. import _core

SCALARS = {
    "int": "int32", "float": "float32", "double": "float64", "boolean": "bool", "bit": "uint8", "complex": "complex64",
}
DType = numpy.dtype[Any]
Array = numpy.ndarray[Any, Any]


def dtype_of(layout: Any) -> DType:
    """NumPy's type of items that lie so (strc_compiler_input_layout)."""
    if isinstance(layout, str):
        return numpy.dtype(SCALARS[layout])
    if "of" in layout:
        return numpy.dtype((dtype_of(layout["of"]), tuple(layout["shape"])))
    fields = layout["struct"]
    return numpy.dtype({
        "names": [field["name"] for field in fields], "formats": [dtype_of(field["type"]) for field in fields],
        "offsets": [field["offset"] for field in fields], "itemsize": layout["size"],
    })


@dataclass(frozen=True)
class TensorType:
    """A tensor that comes along a channel."""

    element: str
    shape: tuple[int, ...]

    @property
    def dtype(self) -> str:
        """Its name in NumPy and PyTorch."""
        return ELEMENTS[self.element]

    def __str__(self) -> str:
        return f"tensor<{self.element}>[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class End:
    """An end of a program: items of one `dtype`, or tensors, which take turns.

    `turns`: of several inputs, or several outputs, how many items of each follow each other; empty: there is one."""

    type: str
    dtype: DType
    tensors: tuple[TensorType, ...]
    turns: tuple[int, ...] = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self.tensors)) if self.tensors else self.type

    def items(self, value: Any) -> Array:
        """The items in an array: one dimension, or those of an item behind it. Raises TypeError and ValueError."""
        base, inner = self.dtype.base, self.dtype.shape
        array = looked_at(value, base.name if base.names is None else None)
        if is_torch(array):
            array = array.detach().resolve_conj().resolve_neg().numpy()
        if array.dtype != base:
            raise TypeError(
                f"the program takes items of type {self.type}, which is {base} here, and not {array.dtype}: give x.astype(numpy.{base})"
            )
        count = array.ndim - len(inner)
        if count not in (0, 1) or array.shape[count:] != inner:
            wanted = shape_text(("n", *inner))  # type: ignore[arg-type]
            raise ValueError(f"the program takes items of type {self.type}, an array of shape {wanted}, and not {shape_text(array.shape)}")
        return numpy.ascontiguousarray(array.reshape(-1, *inner))

    def arrived(self, values: Sequence[Any]) -> Array:
        """The items of one array, or of one for each input, in the order in which the program takes them. Raises TypeError and ValueError."""
        if len(values) == 1:
            return self.items(values[0])
        if len(values) != len(self.turns):
            wanted = f"one array of items of type {self.type}" + (f", or {len(self.turns)}, one for each input" if self.turns else "")
            raise TypeError(f"the program takes {wanted}, and not {len(values)}")
        arrays = [self.items(value) for value in values]
        rounds = len(arrays[0]) // self.turns[0]
        if [len(array) for array in arrays] != [rounds * turn for turn in self.turns]:
            ratio, given = (" to ".join(map(str, counts)) for counts in (self.turns, [len(array) for array in arrays]))
            raise ValueError(f"the items of the inputs come {ratio}, as many rounds of each, and not {given}")
        inner = self.dtype.shape
        return numpy.concatenate([array.reshape(rounds, turn, *inner) for array, turn in zip(arrays, self.turns)], 1).reshape(-1, *inner)

    def parted(self, items: Array, place: int = 0) -> Array | tuple[Array, ...]:
        """What leaves the program, of which `place` items had left it before: an array, or one for each output."""
        if not self.turns:
            return items
        owners = numpy.repeat(numpy.arange(len(self.turns)), self.turns)
        first = place % len(owners)
        owner = numpy.resize(numpy.roll(owners, -first), len(items))
        return tuple(numpy.ascontiguousarray(items[owner == k]) for k in range(len(self.turns)))

    def tensor(self, value: Any, place: int) -> tuple[Memory, int | None]:
        """What arrives as tensor number `place`, and how many there are if it is a stack of them. Raises TypeError and ValueError."""
        wanted = self.tensors[place % len(self.tensors)]
        memory = memory_of(value, wanted.element)
        who = f"input {place + 1}" if len(self.tensors) > 1 else "the input"
        if memory.element != wanted.element:
            raise TypeError(
                f"{who} has elements of type {memory.element}, but the program takes {wanted}: give x.astype(numpy.{wanted.dtype}), or "
                f"x.to(torch.{wanted.dtype})"
            )
        if memory.shape == wanted.shape:
            return memory, None
        if memory.shape[1:] == wanted.shape and len(memory.shape) == len(wanted.shape) + 1:
            return memory, memory.shape[0]
        raise ValueError(
            f"{who} has shape {shape_text(memory.shape)}, but the program takes {shape_text(wanted.shape)}, or several of them along a dimension "
            "more in front"
        )


def is_apart(values: Sequence[Any], wanted: bool | None) -> bool:
    """Do several outputs come as arrays of their own?"""
    return len(values) > 1 if wanted is None else wanted


def unknown_shape(kind: str) -> Diagnostic:
    message = f"what the program gives is a {kind} whose shape only the run knows; a declared output ('-> tensor<float>[10]') says it"
    return Diagnostic("error", "symbolic-shape", message, "", 0, 0, 0, 0, "", f"error: {message} [symbolic-shape]")


def end_of(found: _core.End | None) -> End | None:
    if found is None:
        return None
    tensors = tuple(TensorType(tensor.element, tuple(tensor.shape)) for tensor in found.tensors)
    if not tensors and found.type.startswith("tensor"):
        raise CompileError([unknown_shape(found.type)])
    return End(found.type, numpy.dtype(f"V{found.size}") if tensors else dtype_of(json.loads(found.layout)), tensors, tuple(found.turns))
