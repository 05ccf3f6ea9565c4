"""Arrays of others: NumPy's, PyTorch's and whatever NumPy can look at, where they lie."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

# Elements of tensors by the names that the language has, with NumPy's. NumPy has no bfloat16.
ELEMENTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int8": "int8", "int": "int32",
    "long": "int64", "boolean": "bool",
}
OF_NUMPY = {name: element for element, name in ELEMENTS.items()}


@dataclass(frozen=True)
class Memory:
    """Elements in a row. `owner` keeps them there."""

    address: int
    shape: tuple[int, ...]
    element: str
    size: int
    owner: Any


def is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def element_of(value: Any) -> str:
    """The language's name for the elements, or NumPy's or PyTorch's own if tensors have none like that."""
    name = str(value.dtype).removeprefix("torch.")
    return OF_NUMPY.get(name, name)


def looked_at(value: Any, wanted: str | None) -> Any:
    """An array: the value itself, what NumPy sees in it, or numbers of Python as elements of the kind that is wanted."""
    if is_torch(value) or isinstance(value, numpy.ndarray):
        return value
    if hasattr(value, "__dlpack__"):
        return numpy.from_dlpack(value)
    if isinstance(value, (int, float, complex, list, tuple)):
        return numpy.asarray(value, dtype=ELEMENTS.get(wanted or "", wanted))
    return numpy.asarray(value)


def memory_of(value: Any, wanted: str | None = None) -> Memory:
    """Where the elements are; a copy only of what does not lie in a row. `wanted` counts for numbers of Python alone."""
    array = looked_at(value, wanted)
    if is_torch(array):
        if array.device.type != "cpu":
            raise TypeError(f"the tensor lies on {array.device}; programs run on the CPU: give x.cpu()")
        array = array.detach().resolve_conj().resolve_neg().contiguous()
        return Memory(array.data_ptr(), tuple(array.shape), element_of(array), array.numel() * array.element_size(), array)
    array = numpy.ascontiguousarray(array) if array.ndim else array
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return Memory(array.ctypes.data, tuple(array.shape), element_of(array), array.nbytes, array)


@dataclass(frozen=True)
class Maker:
    """Makes the arrays of results: of the kind that was given."""

    uses_torch: bool

    def empty(self, shape: Sequence[int], element: str) -> Memory:
        name = ELEMENTS.get(element, element)
        if self.uses_torch:
            import torch

            made = torch.empty(tuple(shape), dtype=getattr(torch, name))
            return Memory(made.data_ptr(), tuple(shape), element, made.numel() * made.element_size(), made)
        if element == "bfloat16":
            raise TypeError("NumPy has no bfloat16, which the program gives: call it with tensors of PyTorch")
        array = numpy.empty(tuple(shape), dtype=name)
        return Memory(array.ctypes.data, tuple(shape), element, array.nbytes, array)

    def finished(self, array: numpy.ndarray[Any, Any]) -> Any:
        """An array of items as what was given."""
        if not self.uses_torch or array.dtype.names:
            return array
        import torch

        return torch.from_numpy(array)

    def all_finished(self, arrays: numpy.ndarray[Any, Any] | tuple[numpy.ndarray[Any, Any], ...]) -> Any:
        return tuple(map(self.finished, arrays)) if isinstance(arrays, tuple) else self.finished(arrays)


def maker_for(values: Sequence[Any]) -> Maker:
    return Maker(any(is_torch(value) for value in values))


def shape_text(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
