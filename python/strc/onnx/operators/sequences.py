"""Sequences and optional values, which are known while a model is read: lists of values, and values that may be None."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...torch.lowering import NotLowered, static
from ...torch.weights import Known
from ..registry import ML, NeedsKnown, Node, axes_of, walks
from .control import known, known_number

if TYPE_CHECKING:
    from ..walker import Values, Walker

MOST_PARTS = 4096  # of a sequence


def place_of(node: Node, value: Any, place: int, size: int) -> int:
    number = known_number(value)
    if number is None:
        raise NeedsKnown(node.inputs[place])
    if not -size <= number <= size:
        raise NotLowered(f"place {number} of a sequence of {size}")
    return int(number) + size if number < 0 else int(number)


@walks("SequenceEmpty")
def empty(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    return ([],)


@walks("SequenceConstruct")
def construct(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    return (list(given),)


@walks("SequenceInsert")
def insert(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    made = list(given[0])
    made.insert(len(made) if len(given) < 3 or given[2] is None else place_of(node, given[2], 2, len(made)), given[1])
    return (made,)


@walks("SequenceErase")
def erase(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    made = list(given[0])
    if not made:
        raise NotLowered("of a sequence without elements")
    made.pop(-1 if len(given) < 2 or given[1] is None else place_of(node, given[1], 1, len(made)))
    return (made,)


@walks("SequenceAt")
def element(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    at = place_of(node, given[1], 1, len(given[0]))
    if at >= len(given[0]):
        raise NotLowered(f"element {at} of a sequence of {len(given[0])}")
    return (given[0][at],)


@walks("SequenceLength")
def length(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    return (known(len(given[0]), torch.int64),)


@walks("ConcatFromSequence")
def concat(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    axis, parts = node.get("axis"), given[0]
    if not parts:
        raise NotLowered("of a sequence without elements")
    if node.get("new_axis", 0):
        return (walker.on_tensors(lambda *each: torch.stack(each, axis), *parts),)
    return (walker.on_tensors(lambda *each: torch.cat(each, axis), *parts),)


@walks("SplitToSequence")
def split(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    axis = axes_of(node.get("axis", 0), len(given[0].shape))[0]
    size = given[0].shape[axis]
    single = len(given) < 2 or given[1] is None
    if not single and not isinstance(given[1], Known):
        raise NeedsKnown(node.inputs[1])
    if static(size) is None:
        raise NotLowered("parts of a dimension that is open")
    sizes = 1 if single else given[1].tensor.tolist()
    if isinstance(sizes, int):
        if sizes < 1 or size // sizes > MOST_PARTS:
            raise NotLowered(f"{size} elements into parts of {sizes}, and {MOST_PARTS} parts are allowed")
        sizes = [min(sizes, size - start) for start in range(0, size, sizes)]
    parts = walker.on_tensors(lambda x: tuple(torch.split(x, sizes, axis)), given[0])
    parts = parts if isinstance(parts, tuple) else (parts,)
    if single and not node.get("keepdims", 1):
        parts = tuple(walker.on_tensors(lambda x: x.squeeze(axis), part) for part in parts)
    return (list(parts),)


@walks("SequenceMap")
def each(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    """What a graph gives for each element."""
    body, found = node.get("body"), []
    for k in range(len(given[0])):
        items = [value[k] if isinstance(value, list) else value for value in given]
        found.append(walker.subgraph(body, items, values))
    return tuple([one[i] for one in found] for i in range(len(body.output)))


@walks("Optional")
def optional(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    return (given[0] if given else None,)


@walks("OptionalHasElement")
def has_element(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    return (known(bool(given) and given[0] is not None, torch.bool),)


@walks("OptionalGetElement")
def get_element(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    if given[0] is None:
        raise NotLowered("of nothing")
    return (given[0],)


@walks("Identity")
def identity(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    return (given[0],)


@walks("ZipMap", domain=ML)
def zip_map(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    """Numbers by the names of classes are a tensor, with the classes in their order."""
    return (given[0],)
