"""Which dimensions of the inputs stay open, as the user says it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Union

import torch

from ..errors import ImportFailure
from ..ir import Program
from .bounds import Marked, checked

# Numbers of dimensions, of every input; or what torch.export calls dynamic_shapes: for each input, by its place or its name, which of its
# dimensions are marked by a `torch.export.Dim`.
Dynamic = Union[Sequence[Any], Mapping[str, Any]]


def is_open(mark: Any) -> bool:
    """True of a `Dim`, and of `Dim.DYNAMIC` and `Dim.AUTO`. An int, None and `Dim.STATIC` say that a dimension has its size."""
    return mark is not None and not isinstance(mark, int) and mark is not torch.export.Dim.STATIC


def marked(marks: Any, rank: int) -> list[int]:
    """The dimensions that are open by the marks of one input."""
    if marks is None:
        return []
    pairs = marks.items() if isinstance(marks, Mapping) else enumerate(marks)
    found = [dim for dim, mark in pairs if is_open(mark)]
    if any(not isinstance(dim, int) or not -rank <= dim < rank for dim in found):
        raise ImportFailure(f"dynamic dimensions {', '.join(map(str, found))} of an input that has {rank}")
    return sorted({dim % rank for dim in found})


def has_numbers(dynamic: Dynamic) -> bool:
    """True of numbers of dimensions, which are open in every input that has so many."""
    return not isinstance(dynamic, Mapping) and all(isinstance(dim, int) for dim in dynamic)


def by_input(model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Dynamic) -> list[Any]:
    """The marks of each input. Raises `ImportFailure`."""
    if isinstance(dynamic, Mapping):
        names = list(inspect.signature(model.forward).parameters)
        unknown = [name for name in dynamic if name not in names[: len(inputs)]]
        if unknown:
            raise ImportFailure(f"the model has no input '{unknown[0]}', of which dimensions are dynamic")
        return [dynamic.get(name) for name in names[: len(inputs)]]
    if len(dynamic) != len(inputs):
        raise ImportFailure(f"dynamic dimensions of {len(dynamic)} inputs, and there are {len(inputs)}")
    return list(dynamic)


def open_dims(model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Dynamic) -> list[list[int]]:
    """The open dimensions of each input; none at all if nothing is open. Raises `ImportFailure`."""
    if not dynamic:
        return []
    if has_numbers(dynamic):
        return [[int(dim) for dim in dynamic if int(dim) < tensor.dim()] for tensor in inputs]
    found = [marked(marks, tensor.dim()) for marks, tensor in zip(by_input(model, inputs, dynamic), inputs)]
    return found if any(found) else []


def marks_of(model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Dynamic) -> list[Marked]:
    """Each open dimension of the program's inputs, which have elements, with its mark; `Dim.AUTO` if the user says nothing but that it is open."""
    by_number = has_numbers(dynamic)
    given = [dict.fromkeys(dims, torch.export.Dim.AUTO) for dims in open_dims(model, inputs, dynamic)] if by_number else by_input(model, inputs, dynamic)
    found: list[Marked] = []
    for place, (marks, tensor) in enumerate((marks, tensor) for marks, tensor in zip(given, inputs) if tensor.numel()):
        pairs: Any = () if marks is None else marks.items() if isinstance(marks, Mapping) else enumerate(marks)
        found += [Marked(place, dim % tensor.dim(), mark) for dim, mark in pairs if is_open(mark)]
    return found


def with_checks(program: Program, model: torch.nn.Module, inputs: Sequence[torch.Tensor], dynamic: Dynamic) -> Program:
    """A program that requires of what arrives what the marks and the model say. Raises `ImportFailure` if the model fixes a dimension that is marked."""
    if not dynamic:
        return program
    marks = marks_of(model, inputs, dynamic)
    sizes = [program.shapes[program.inputs[one.input]][one.dim] for one in marks]
    fixed = [(one, size) for one, size in zip(marks, sizes) if isinstance(size, int)]
    # A number means all inputs, of which some may have one size, as a mask has.
    if fixed and (not has_numbers(dynamic) or len(fixed) == len(marks)):
        raise ImportFailure(f"{fixed[0][0]} is marked as dynamic, and the model takes nothing but {fixed[0][1]} there")
    return checked(program, marks)
