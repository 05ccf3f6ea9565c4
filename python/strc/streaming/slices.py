"""Steps of loops in Python that take several items at once: `x[:, t : t + 4]`.

All slices of the same length that begin one after the other are items of one sequence, which has a window that ends with each of the items.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from ..ir import Instruction, Program

FEWEST = 4  # slices that are a loop's


def with_windows(program: Program, tensors: dict[str, torch.Tensor], late: int = 0) -> Program:
    """The program in which such slices are items of windows, which stand beside the last item of theirs or `late` items behind it. Adds the places of these to
    `tensors`.
    """
    shapes = dict(program.shapes)
    slices: dict[tuple[int, int, int], dict[int, int]] = {}  # of a sequence, a dimension and a length: by their first items
    for one in program.instructions:
        if one.op == "slice" and (found := range_of(one, program)):
            dim, begin, count = found
            slices.setdefault((one.args[0], dim, count), {})[begin] = one.var
    windows = {key: begun for key, begun in slices.items() if len(begun) >= FEWEST and max(begun) - min(begun) == len(begun) - 1}
    items = {var: (key, begin) for key, begun in windows.items() for begin, var in begun.items()}
    sources: dict[tuple[int, int, int], int] = {}
    instructions: list[Instruction] = []
    for one in program.instructions:
        if one.var in items:
            key, begin = items[one.var]
            if key not in sources:
                instructions += taken(one, key, late, shapes, tensors)
                sources[key] = instructions[-1].var
            one = replace(one, op="getitem", params=(begin + key[2] - 1 + late, key[1]), args=(sources[key],))
        instructions.append(one)
    return replace(program, instructions=instructions, shapes=shapes)


def behind_windows(program: Program) -> int:
    """How many items behind the end of the first window the first item is that is taken by itself, as an error of a prediction is."""
    ends, singles = list[int](), list[int]()
    for one in program.instructions:
        if one.op == "slice" and (found := range_of(one, program)):
            ends.append(found[1] + found[2] - 1)
        elif one.op == "slice" and program.shapes[one.var][dim := int(str(one.positional[0]))] == 1 != program.shapes[one.args[0]][dim]:
            singles.append(int(str(one.positional[1])))
        elif one.op == "getitem" and one.args[0] in program.shapes and len(program.shapes[one.var]) < len(program.shapes[one.args[0]]):
            singles.append(int(str(one.positional[0])))
    return max(0, min(singles) - min(ends)) if ends and singles else 0


def range_of(one: Instruction, program: Program) -> tuple[int, int, int] | None:
    """The dimension of a slice of several items, not of all, its first one, and how many there are."""
    dim, begin, _, step = (*(int(str(number)) for number in one.positional), 1)[:4]
    count, extent = program.shapes[one.var][dim], program.shapes[one.args[0]][dim]
    return (dim, begin, count) if step == 1 and 1 < count <= extent // 2 else None


def taken(
    one: Instruction, key: tuple[int, int, int], late: int, shapes: dict[int, tuple[int, ...]], tensors: dict[str, torch.Tensor]
) -> list[Instruction]:
    """What makes the windows: padding before the first item, the places, and what takes them. Their variables are the next ones."""
    source, dim, count = key
    shape = shapes[source]
    name = f"windows.{source}.{dim}.{count}"
    tensors[name] = torch.arange(shape[dim]).unsqueeze(1) + torch.arange(count)
    padded, places, whole = (max(shapes) + i for i in (1, 2, 3))
    before = count - 1 + late
    shapes[padded] = (*shape[:dim], shape[dim] + before, *shape[dim + 1 :])
    shapes[places] = (shape[dim], count)
    shapes[whole] = (*shape[:dim], shape[dim], count, *shape[dim + 1 :])
    amounts = (*(0,) * (2 * (len(shape) - 1 - dim)), before, 0)
    return [
        Instruction(padded, "pad", (amounts,), (source,), one.origin),
        Instruction(places, "const", (name,), (), one.origin),
        Instruction(whole, "take", (dim,), (padded, places), one.origin),
    ]
