"""Which dimensions of a model's inputs count time."""

from __future__ import annotations

import math

from ..ir import Instruction, Program
from ..ir.model import Shape

# Layers with windows, and along how many dimensions they go.
WINDOWS = {f"{kind}{dims}d": dims for kind in ("conv", "convtranspose", "maxpool", "avgpool") for dims in (1, 2)}


def along(instruction: Instruction, rank: int) -> list[int]:
    """The dimensions along which a layer goes."""
    if instruction.op in ("rnn", "gru", "lstm"):
        return [1 if instruction.named("batch_first", False) and rank == 3 else 0]
    if instruction.op == "cumsum":
        return [dim for dim in instruction.positional[:1] if isinstance(dim, int)]
    if instruction.op == "stft":
        return [rank - 1]
    if instruction.op == "loop" and isinstance(dims := instruction.positional[1], tuple):
        return [dim for dim in dims[:1] if isinstance(dim, int)]
    if instruction.op in ("attention", "softmax"):  # a row for each time step
        return [rank - 2] if rank > 1 else []
    return list(range(rank - WINDOWS.get(instruction.op, 0), rank))


# Of each dimension the input's that it is, -1 if it is none of them.
Dims = tuple[int, ...]


def reshaped(before: Shape, after: Shape, dims: Dims) -> Dims:
    """A dimension stays if as many numbers are before it as were, and its extent is the same."""
    found = []
    for place, extent in enumerate(after):
        same = [i for i, size in enumerate(before) if size == extent and math.prod(before[:i]) == math.prod(after[:place])]
        found.append(dims[same[-1]] if same else -1)
    return tuple(found)


def moved(instruction: Instruction, before: Shape, after: Shape, dims: Dims) -> Dims:
    """Where the input's dimensions are in a result."""
    given, order = instruction.positional, list(dims)
    if instruction.op == "transpose":
        one, other = given
        assert isinstance(one, int) and isinstance(other, int)
        order[one], order[other] = order[other], order[one]
        return tuple(order)
    if instruction.op == "permute" and isinstance(given[0], tuple):
        return tuple(dims[dim] for dim in given[0] if isinstance(dim, int))
    if len(before) == len(after) and instruction.op != "reshape":
        return dims
    return reshaped(before, after, dims)


def gone_along(program: Program, number: int) -> list[int]:
    """The dimensions of an input along which layers go, in the order of the layers."""
    shapes = program.shapes
    dims: dict[int, Dims] = {number: tuple(range(len(shapes[number])))}
    found: dict[int, None] = {}
    for instruction in program.instructions:
        known = [arg for arg in instruction.args if arg in dims]
        if not known:
            continue
        first = dims[known[0]]
        found.update((first[place], None) for place in along(instruction, len(first)) if first[place] >= 0)
        dims[instruction.var] = moved(instruction, shapes[known[0]], shapes[instruction.var], first)
    return list(found)


def times_of(program: Program) -> list[tuple[int, ...]]:
    """What may be the dimensions of time, of each input one: the first input's is one along which a layer goes, the first such layer's first; the
    last dimension if there is none. The others' are as long, or else such as layers go along.
    """
    first, *others = program.inputs
    shape = program.shapes[first]
    return [
        (axis, *(beside(program, other, shape[axis]) for other in others)) for axis in gone_along(program, first) or [len(shape) - 1]
    ]


def beside(program: Program, number: int, steps: int) -> int:
    """The dimension of time of a further input."""
    shape = program.shapes[number]
    as_long = [dim for dim, extent in enumerate(shape) if extent == steps]
    return [*as_long, *gone_along(program, number), len(shape) - 1][0]
