"""Where a model computes with the length of its input: what differs between its programs for two lengths besides shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from ..ir import Instruction, Program

# Their numbers are sizes of what they make, or places in it.
OF_SHAPES = {"reshape", "expand", "slice", "getitem", "split", "chunk", "cat", "stack", "unsqueeze", "permute", "transpose", "interpolate"}

Tensors = Mapping[str, torch.Tensor]


def where_lengths_count(programs: Sequence[Program], tensors: Sequence[Tensors]) -> str | None:
    """A sentence with the layer and its line for programs of a short and of a long input; None: nothing is found."""
    for one, other in zip(programs[0].instructions, programs[1].instructions):
        how = difference(one, other, tensors)
        if how is not None:
            place = one.origin.place
            return f"{place.module or 'the model itself'} ({place.class_name or one.op}) {how}\n  {place}"
        if one.op != other.op:
            return None  # the programs are too different for a comparison
    return None


def difference(one: Instruction, other: Instruction, tensors: Sequence[Tensors]) -> str | None:
    if one.op != other.op or one.op in OF_SHAPES:
        return None
    if one.op == "const":
        stored = [kept[str(each.positional[0])] for kept, each in zip(tensors, (one, other))]
        return None if is_same(*stored) else "computes with a table whose values depend on it"
    for number, instead in zip(one.positional, other.positional):
        if isinstance(number, (int, float)) and number != instead:
            return f"computes with {number} where a longer input has {instead}"
    return None


def is_same(short: torch.Tensor, long: torch.Tensor) -> bool:
    """As far as both go, whichever dimension is the longer one."""
    if short.dim() != long.dim():
        return True
    common = tuple(slice(min(sizes)) for sizes in zip(short.shape, long.shape))
    return bool(torch.equal(short[common], long[common]))
