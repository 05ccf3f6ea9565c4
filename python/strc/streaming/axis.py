"""Which dimensions of a model's inputs count time."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..ir import Instruction, Program
from ..ir.model import Shape

CUMULATIVE = ("cumprod", "cummax", "cummin", "logcumsumexp")
# Layers with windows, and along how many dimensions they go.
WINDOWS = {f"{kind}{dims}d": dims for kind in ("conv", "convtranspose", "maxpool", "avgpool") for dims in (1, 2)}


def along(instruction: Instruction, rank: int, operand: int) -> list[int]:
    """The dimensions of an operand, which has so many, along which a layer goes."""
    if instruction.op in ("rnn", "gru", "lstm"):
        return [1 if instruction.named("batch_first", False) and rank == 3 else 0]
    if instruction.op in ("cumsum", *CUMULATIVE):
        return [dim for dim in instruction.positional[:1] if isinstance(dim, int)]
    if instruction.op == "stft":
        return [rank - 1]
    if instruction.op == "loop" and isinstance(dims := instruction.positional[1], tuple):
        return [dim for dim in dims[operand : operand + 1] if isinstance(dim, int)]
    if instruction.op in ("attention", "softmax"):  # a row for each time step
        return [rank - 2] if rank > 1 else []
    return list(range(rank - WINDOWS.get(instruction.op, 0), rank))


def over_features(instruction: Instruction, rank: int, is_first: bool) -> list[int]:
    """The dimensions of a frame that a layer puts together, which are none of time. `is_first`: of its first operand."""
    if instruction.op == "linear" or instruction.op == "matmul" and is_first:
        return [rank - 1]
    if instruction.op in ("layernorm", "rmsnorm") and isinstance(shape := instruction.positional[0], (int, tuple)):
        return list(range(rank - (len(shape) if isinstance(shape, tuple) else 1), rank))
    return []


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
    if instruction.op == "getitem" and len(after) == len(before) - 1:
        taken = given[1] if len(given) > 1 else 0
        return tuple(dim for place, dim in enumerate(dims) if place != taken)
    if instruction.op == "linear":
        return (*dims[:-1], -1)
    if instruction.op == "take" and len(after) > len(before) and isinstance(place := given[0], int):  # windows, counted by the first one of their dimensions
        return (*dims[: place + 1], *(-1,) * (len(after) - len(before)), *dims[place + 1 :])
    if len(before) == len(after) and instruction.op != "reshape":
        return dims
    return reshaped(before, after, dims)


def met(program: Program, number: int) -> Iterator[tuple[Instruction, Dims, int]]:
    """What depends on an input, in order, the input's dimensions in what that takes, and which of its operands that is."""
    shapes = program.shapes
    dims: dict[int, Dims] = {number: tuple(range(len(shapes[number])))}
    for instruction in program.instructions:
        known = [arg for arg in instruction.args if arg in dims]
        if known:
            first = dims[known[0]]
            yield instruction, first, instruction.args.index(known[0])
            dims[instruction.var] = moved(instruction, shapes[known[0]], shapes[instruction.var], first)


def gone_along(program: Program, number: int) -> list[int]:
    """The dimensions of an input along which layers go, in the order of the layers."""
    places = ((dims, place) for instruction, dims, operand in met(program, number) for place in along(instruction, len(dims), operand))
    return list(dict.fromkeys(dims[place] for dims, place in places if dims[place] >= 0))


def without_layers(program: Program, number: int) -> int:
    """The dimension of time of an input where no layer goes along any: the last one that is not for features."""
    rank = len(program.shapes[number])
    features = {
        dims[place] for instruction, dims, operand in met(program, number) for place in over_features(instruction, len(dims), operand == 0)
    }
    return max((dim for dim in range(rank) if dim not in features), default=rank - 1)


def taken_apart(program: Program, number: int) -> list[int]:
    """The dimensions of an input of which every item is taken by itself, as loops in Python do, the first one taken first."""
    shape = program.shapes[number]
    taken: dict[int, set[int]] = {}
    for instruction, dims, _ in met(program, number):
        if instruction.op == "getitem" and len(instruction.args) == 1 and len(program.shapes[instruction.var]) == len(dims) - 1:
            index, place = (*(int(str(one)) for one in instruction.positional), 0)[:2]
            if dims[place] >= 0:
                taken.setdefault(dims[place], set()).add(index % shape[dims[place]])
    return [dim for dim, items in taken.items() if len(items) == shape[dim] > 1]


def told(program: Program, number: int) -> list[int]:
    """The dimensions of an input of which the model itself says that they may count time."""
    return gone_along(program, number) or taken_apart(program, number)


def is_guessed(program: Program) -> bool:
    """Does nothing but the order of the first input's dimensions tell which of them counts time?"""
    first = program.inputs[0]
    return len(program.shapes[first]) > 1 and not told(program, first)


def times_of(program: Program) -> list[tuple[int, ...]]:
    """What may be the dimensions of time, of each input one: the first input's is one along which a layer goes, the first such layer's first. The
    others' are as long, or else such as layers go along.
    """
    first, *others = program.inputs
    shape = program.shapes[first]
    axes = told(program, first) or [without_layers(program, first)]
    return [(axis, *(beside(program, other, shape[axis]) for other in others)) for axis in axes]


def beside(program: Program, number: int, steps: int) -> int:
    """The dimension of time of a further input."""
    shape = program.shapes[number]
    as_long = [dim for dim, extent in enumerate(shape) if extent == steps]
    return [*as_long, *told(program, number), without_layers(program, number)][0]
