"""Whole numbers that depend on open dimensions: what a model computes its shapes with, while nothing is known but their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import Any

import numpy
import sympy
import torch
from numpy.typing import NDArray
from torch._guards import GuardSource, Source

from ..errors import ImportFailure
from ..torch.lowering import NotLowered, static
from ..torch.weights import Known
from .registry import Node, axes_of
from .stored import dtype_of, stored_name

Objects = NDArray[numpy.object_]
# An example of an open size, where PyTorch asks for one. Five times it can be halved, and it is the same for all of them, since those that meet have to be equal, whatever their names.
EXAMPLE = 160
MOST_NUMBERS = 1024  # of a stored value that sizes are computed with
WHOLE = (torch.int64, torch.int32, torch.float32, torch.float64, torch.bool)


@dataclass(frozen=True, eq=False)
class Sizes:
    """A tensor of whole numbers some of which depend on open dimensions: ints and `torch.SymInt`. `dtype` may be one of floats, whose values are whole."""

    values: Objects
    dtype: torch.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)


@dataclass(frozen=True)
class OfFile(Source):  # type: ignore[misc]
    """Where a symbol comes from, as PyTorch asks for it."""

    text: str

    @property
    def name(self) -> str:
        return self.text

    @property
    def guard_source(self) -> GuardSource:
        return GuardSource.CONSTANT


def symbols_of(names: Sequence[str]) -> dict[str, Any]:
    """A symbol for each open dimension."""
    if not names:
        return {}
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    environment = ShapeEnv()
    made = {}
    for place, name in enumerate(names):
        context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC])
        sizes, _, _ = environment.create_symbolic_sizes_strides_storage_offset(torch.empty(EXAMPLE, device="meta"), OfFile(f"size_{place}"), symbolic_context=context)
        made[name] = sizes[0]
    return made


def example_of(size: Any) -> int:
    """A number for a size that is open."""
    return size if isinstance(size, int) else int(size.node.hint)


def sizes_value(numbers: Any, name: str, dtype: torch.dtype = torch.int64) -> Sizes | Known:
    """Numbers in an array or a list, or one alone, as a value: a stored one if none depends on an open dimension."""
    array = numbers if isinstance(numbers, numpy.ndarray) else numpy.empty((len(numbers),) if isinstance(numbers, list) else (), dtype=object)
    for place, number in enumerate(numbers if isinstance(numbers, list) else ()):
        array[place] = number  # one by one: NumPy would ask symbols for their numbers
    if not isinstance(numbers, (list, numpy.ndarray)):
        array[()] = numbers
    flat = [static(one) if isinstance(one, torch.SymInt) else one for one in array.reshape(-1).tolist()]
    if None in flat:
        return Sizes(array, dtype)
    return Known(stored_name(name), torch.tensor(flat, dtype=dtype).reshape(array.shape))


def tensor_of_sizes(value: Sizes) -> torch.Tensor:
    """What the program computes of the sizes that arrive; for `strc.torch.composed`."""
    made = torch.stack([torch.ops.aten.scalar_tensor(one, dtype=torch.int64) for one in value.values.reshape(-1).tolist()])
    return made.reshape(value.shape).to(value.dtype)


def array_of(value: Any) -> Objects:
    """A stored tensor or sizes as an array of Python's numbers."""
    if isinstance(value, Sizes):
        return value.values
    array = numpy.empty(value.shape, dtype=object)
    array[...] = numpy.array(value.tensor.tolist(), dtype=object).reshape(value.shape)
    return array


def listed(array: Objects | None) -> list[int]:
    """Numbers that no open dimension decides about."""
    found = [] if array is None else array.reshape(-1).tolist()
    if any(isinstance(one, torch.SymInt) for one in found):
        raise NotLowered("which size is taken depends on one that is open")
    return [int(one) for one in found]


# ---- operators on sizes


def each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Element by element."""

    def applied(node: Node, *given: Objects) -> Any:
        arrays = numpy.broadcast_arrays(*given)
        made = numpy.empty(arrays[0].shape, dtype=object)
        for place in numpy.ndindex(*made.shape):
            made[place] = function(*(array[place] for array in arrays))
        return made

    return applied


def whole(number: Any) -> Any:
    """A float that is a whole number as that; sizes are computed with no other ones."""
    if isinstance(number, float):
        if not number.is_integer():
            raise NotLowered("computes a size with a number that is not whole")
        return int(number)
    return number


def is_at_least(number: Any, least: int) -> bool:
    """For all sizes from 1 on, as far as that is known. PyTorch's own bounds assume that a size is 2 or more."""
    if not isinstance(number, torch.SymInt):
        return bool(number >= least)
    expression = number.node.expr
    with_ones = expression.xreplace(dict.fromkeys(expression.free_symbols, sympy.Integer(1)))
    return bool(number.node.shape_env.bound_sympy(expression).lower >= least and with_ones >= least)


def quotient(node: Node, x: Objects, y: Objects) -> Any:
    """Rounded towards zero, which is downwards where neither is negative."""

    def rounded(x: Any, y: Any) -> Any:
        if not isinstance(y, int) or y <= 0 or not is_at_least(x, 0):
            raise NotLowered("divides a size by what is not known to be positive")
        return x // y

    if any(kind is not None and kind.is_floating_point for kind in node.types):
        raise NotLowered("a part of a size that may not be whole")
    return each(rounded)(node, x, y)


def is_same(x: Any, y: Any) -> bool:
    """Of sizes of which it is known for all numbers of items: they are the same expression, or one is no size."""
    one, other = (static(number) if isinstance(number, torch.SymInt) else number for number in (x, y))
    if one is not None and other is not None:
        return bool(one == other)
    if one is None and other is None and str(x) == str(y):
        return True
    if (one is None and other is not None and is_at_least(x, other + 1)) or (other is None and one is not None and is_at_least(y, one + 1)):
        return False
    raise NotLowered("whether a size that is open is another one")


def gathered(node: Node, x: Objects, places: Objects) -> Any:
    axis = axes_of(node.get("axis", 0), x.ndim)[0]
    return numpy.take(x, numpy.array(listed(places), dtype=int).reshape(places.shape), axis)


def part(node: Node, x: Objects, *given: Objects | None) -> Any:
    starts, ends, axes, steps = [*given, None, None, None, None][:4]
    first, last = listed(starts), listed(ends)
    along = axes_of(listed(axes), x.ndim) if axes is not None else tuple(range(len(first)))
    taken = [slice(None)] * x.ndim
    for axis, start, end, step in zip(along, first, last, listed(steps) or [1] * len(first)):
        taken[axis] = slice(start, None if step < 0 and end < -x.shape[axis] else end, step)
    return x[tuple(taken)]


def unsqueezed(node: Node, x: Objects, axes: Objects | None = None) -> Any:
    given = listed(axes) if axes is not None else list(node.get("axes"))
    return numpy.expand_dims(x, axes_of(given, x.ndim + len(given)))


def squeezed(node: Node, x: Objects, axes: Objects | None = None) -> Any:
    given = listed(axes) if axes is not None else node.get("axes")
    return numpy.squeeze(x, None if given is None else axes_of(given, x.ndim))


def product(node: Node, x: Objects, axes: Objects | None = None) -> Any:
    given = axes_of(listed(axes) or node.get("axes") or range(x.ndim), x.ndim)
    if len(given) < x.ndim:
        raise NotLowered("multiplies sizes along some of several axes")
    made = numpy.empty((1,) * x.ndim if node.get("keepdims", 1) else (), dtype=object)
    made.fill(prod(x.reshape(-1).tolist()))
    return made


def split(node: Node, x: Objects, sizes: Objects | None = None) -> Any:
    axis = axes_of(node.get("axis", 0), x.ndim)[0]
    count = node.get("num_outputs", len(node.outputs))
    extents = listed(sizes) or list(node.get("split") or [])
    ends = numpy.cumsum(extents)[:-1] if extents else [-(-x.shape[axis] // count) * k for k in range(1, count)]
    return tuple(numpy.split(x, [int(end) for end in ends], axis))


OPERATORS: Mapping[str, Callable[..., Any]] = {
    "Add": each(lambda x, y: whole(x) + whole(y)), "Sub": each(lambda x, y: whole(x) - whole(y)), "Mul": each(lambda x, y: whole(x) * whole(y)), "Div": quotient,
    "Neg": each(lambda x: -x), "Floor": each(whole), "Ceil": each(whole), "Round": each(whole), "Cast": each(lambda x: x), "Equal": each(is_same),
    "Where": each(lambda condition, x, y: x if condition else y), "Gather": gathered, "Slice": part, "Unsqueeze": unsqueezed, "Squeeze": squeezed,
    "Concat": lambda node, *given: numpy.concatenate(given, axes_of(node.get("axis", 0), given[0].ndim)[0]), "ReduceProd": product, "Split": split,
    "Reshape": lambda node, x, shape: x.reshape(listed(shape)), "Expand": lambda node, x, shape: numpy.broadcast_to(x, numpy.broadcast_shapes(x.shape, tuple(listed(shape)))),
    "Flatten": lambda node, x: x.reshape(-1, prod(x.shape[node.get("axis", 1) :])), "Transpose": lambda node, x: numpy.transpose(x, node.get("perm")),
}


def type_of_result(node: Node) -> torch.dtype:
    if node.op == "Cast":
        return dtype_of(node.get("to"), "its result")
    kind = torch.bool if node.op == "Equal" else node.types[1 if node.op == "Where" else 0]
    return torch.int64 if kind is None else kind


def computed(node: Node, given: Sequence[Any]) -> list[Sizes | Known] | None:
    """What an operator gives of sizes and stored values; None if that is nothing to compute a shape with, and so is computed by the program."""
    operator = None if node.domain else OPERATORS.get(node.op)
    few = all(value is None or isinstance(value, Sizes) or (isinstance(value, Known) and value.tensor.numel() <= MOST_NUMBERS) for value in given)
    if operator is None or not few:
        return None
    try:
        dtype = type_of_result(node)
        found = operator(node, *(None if value is None else array_of(value) for value in given))
        results = found if isinstance(found, tuple) else (found,)
        for one in results:
            for number in one.reshape(-1).tolist() if isinstance(one, numpy.ndarray) else [one]:
                whole(number)
    except (ImportFailure, NotLowered, TypeError, ValueError, IndexError):
        return None
    if dtype not in WHOLE:
        return None
    return [sizes_value(one, name or "sizes", dtype) for one, name in zip(results, chain(node.outputs, [""] * len(results)))]
