"""Which dimension of a model's input counts time."""

from __future__ import annotations

from ..ir import Instruction, Program


def along(instruction: Instruction, rank: int) -> int | None:
    """The dimension along which a layer goes."""
    if instruction.op in ("conv1d", "maxpool1d", "avgpool1d"):
        return rank - 1
    if instruction.op in ("rnn", "gru", "lstm"):
        return 1 if instruction.named("batch_first", False) and rank == 3 else 0
    return None


def moved(instruction: Instruction, dims: tuple[int, ...]) -> tuple[int, ...]:
    """Where the input's dimensions are in a result: `dims[i]` is which one its dimension i was, -1 a new one."""
    given, order = instruction.positional, list(dims)
    if instruction.op == "transpose":
        one, other = given
        assert isinstance(one, int) and isinstance(other, int)
        order[one], order[other] = order[other], order[one]
    elif instruction.op == "permute" and isinstance(given[0], tuple):
        order = [dims[dim] for dim in given[0] if isinstance(dim, int)]
    elif instruction.op == "unsqueeze" and isinstance(given[0], int):
        order.insert(given[0], -1)
    elif instruction.op == "squeeze" and isinstance(given[0], int):
        del order[given[0]]
    return tuple(order)


def time_of(program: Program) -> int:
    """The one along which the first convolution, pooling or recurrent layer goes; the last one if there is none."""
    shapes = program.shapes
    rank = len(shapes[program.inputs[0]])
    dims = {program.inputs[0]: tuple(range(rank))}
    for instruction in program.instructions:
        known = [dims[number] for number in instruction.args if number in dims]
        if not known:
            continue
        place = along(instruction, len(known[0]))
        if place is not None and known[0][place] >= 0:
            return known[0][place]
        made = moved(instruction, known[0])
        if len(made) == len(shapes[instruction.var]):
            dims[instruction.var] = made
    return rank - 1
