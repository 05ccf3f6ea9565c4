"""Where the elements of a value were before operators that only put them elsewhere: these are done to their numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from ..ir import Instruction
from ..ir.model import Shape

NOTHING = -1  # the number of what an operator has put in as zero

Move = Callable[[torch.Tensor, Instruction, Shape, Sequence[torch.Tensor]], torch.Tensor]
MOVES: dict[str, Move] = {}
# Those that leave nothing out and add nothing.
REORDERED = {"reshape", "flatten", "squeeze", "unsqueeze", "unflatten", "transpose", "permute", "to_float"}


def move(names: str) -> Callable[[Move], Move]:
    def enter(function: Move) -> Move:
        MOVES.update(dict.fromkeys(names.split(), function))
        return function

    return enter


def moved(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor] = ()) -> torch.Tensor:
    """The numbers in a result of this shape; `stored` are the operator's other operands. What the operator puts in has the number `NOTHING`."""
    return MOVES[instruction.op](codes, instruction, shape, stored)


def given(instruction: Instruction) -> list[int]:
    return [int(value) for value in instruction.positional if isinstance(value, int)]


@move("reshape flatten squeeze unsqueeze unflatten")
def reshaped(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    return codes.reshape(shape)


@move("expand")
def expanded(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    return codes.expand(shape)


@move("to_float")
def same(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    return codes


@move("transpose")
def transposed(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    return codes.transpose(*given(instruction))


@move("permute")
def permuted(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    (order,) = instruction.positional
    assert isinstance(order, tuple)
    return codes.permute(order)


@move("getitem")
def item(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    index, dim = (*given(instruction), 0)[:2]
    return codes.select(dim, index)


@move("slice")
def part(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    dim, start, end, step = (*given(instruction), 1)[:4]
    return codes[(slice(None),) * dim + (slice(start, end, step),)]


@move("flip")
def turned(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    return codes.flip(given(instruction)[0])


@move("take")
def taken(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    (places,) = stored
    dim = given(instruction)[0]
    places = places.long().flatten()
    return codes.index_select(dim, torch.where(places < 0, places + codes.shape[dim], places)).reshape(shape)


@move("pad")
def padded(codes: torch.Tensor, instruction: Instruction, shape: Shape, stored: Sequence[torch.Tensor]) -> torch.Tensor:
    amounts = instruction.positional[0]
    assert isinstance(amounts, tuple)
    return torch.nn.functional.pad(codes, [int(str(amount)) for amount in amounts], value=NOTHING)
