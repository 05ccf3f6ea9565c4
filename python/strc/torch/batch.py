"""The batch of a graph of TorchDynamo: the dimension of its arguments that counts items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Batch:
    """Which dimension of which argument counts items, and which arguments are their number."""

    dims: dict[int, int]
    numbers: tuple[int, ...]

    def count(self, args: Sequence[Any]) -> Any:
        place, dim = next(iter(self.dims.items()))
        return args[place].shape[dim]

    def fits(self, args: Sequence[Any]) -> bool:
        """Several arguments have to have equally many items, which a graph that does not bring them together leaves open."""
        count = self.count(args)
        return all(args[place].shape[dim] == count for place, dim in self.dims.items()) and all(args[place] == count for place in self.numbers)


def symbols_in(size: Any) -> set[Any]:
    return set(getattr(getattr(getattr(size, "node", None), "expr", None), "free_symbols", ()))


def batch_of(nodes: Sequence[torch.fx.Node], free: Sequence[int]) -> Batch | None:
    """The open dimensions of arguments that may be those of items: a first one, and all that are of the same size now. None if there is none."""
    examples = {place: nodes[place].meta.get("example_value") for place in free}
    shapes = {place: tuple(example.shape) for place, example in examples.items() if isinstance(example, torch.Tensor)}
    sizes = [size for shape in shapes.values() for size in shape if len(symbols_in(size)) == 1]
    first = next((shape[0] for shape in shapes.values() if shape and symbols_in(shape[0])), None)
    if first is None:
        return None
    alike = set().union(*(symbols_in(size) for size in sizes if size.node.hint == first.node.hint))
    given = {place: example for place, example in examples.items() if place not in shapes}
    return batch_with(alike, shapes, given) or batch_with(symbols_in(first), shapes, given)


def batch_with(names: set[Any], shapes: dict[int, tuple[Any, ...]], given: dict[int, Any]) -> Batch | None:
    """Where these symbols are sizes; None if they are more than one of an argument, or a part of another one."""
    dims = {place: [dim for dim, size in enumerate(shape) if names & symbols_in(size)] for place, shape in shapes.items()}
    numbers = [place for place, size in given.items() if names & symbols_in(size)]
    used = [shapes[place][dim] for place, found in dims.items() for dim in found] + [given[place] for place in numbers]
    if any(len(found) > 1 for found in dims.values()) or any(size.node.expr not in names for size in used):
        return None
    return Batch({place: found[0] for place, found in dims.items() if found}, tuple(numbers))
