"""`If`, `Loop`, `Scan`: graphs within nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...torch.lowering import NotLowered, static
from ...torch.weights import Known
from ..registry import NeedsKnown, Node, axes_of, walks

if TYPE_CHECKING:
    from ..walker import Values, Walker


def known_number(value: Any) -> Any:
    """A value of one element as a number; None if it is computed."""
    return value.tensor.reshape(-1)[0].item() if isinstance(value, Known) and value.tensor.numel() == 1 else None


def known(number: Any, dtype: torch.dtype) -> Known:
    return Known("constant", torch.tensor(number, dtype=dtype))


def chosen(walker: Walker, condition: Any, one: Any, other: Any) -> Any:
    """One of two values of a shape."""
    if one is other:
        return one
    if isinstance(one, list) or isinstance(other, list) or one is None or other is None:
        raise NotLowered("which sequence there is depends on a condition that is computed")
    if tuple(one.shape) != tuple(other.shape) or one.dtype != other.dtype:
        raise NotLowered(
            f"a condition that is computed chooses between the shapes {list(one.shape)} and {list(other.shape)}; a stream has one for all inputs"
        )
    return walker.on_tensors(lambda c, x, y: torch.where(c.reshape(()), x, y), condition, one, other)


@walks("If")
def branch(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    """The branch that is known to be taken, or both."""
    is_true = known_number(given[0])
    if is_true is not None:
        return tuple(walker.subgraph(node.get("then_branch" if is_true else "else_branch"), [], values))
    both = [walker.subgraph(node.get(name), [], values) for name in ("then_branch", "else_branch")]
    return tuple(chosen(walker, given[0], one, other) for one, other in zip(*both))


def stacked(walker: Walker, parts: list[Any], axis: int, node: Node) -> Any:
    if not parts:
        raise NotLowered("makes no turn, so that it collects nothing")
    return walker.on_tensors(lambda *each: torch.stack(each, axis), *parts)


@walks("Loop")
def loop(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    """Its turns, one after the other."""
    body = node.get("body")
    most = known_number(given[0])
    if given[0] is not None and most is None:
        raise NeedsKnown(node.inputs[0])
    going: Any = known(True, torch.bool) if given[1] is None else given[1]
    carried = list(given[2:])
    count = len(carried)
    collected: list[list[Any]] = [[] for _ in range(len(body.output) - 1 - count)]
    turn = 0
    while most is None or turn < most:
        goes = known_number(going)
        if goes is False or goes == 0:
            break
        if goes is None and (most is None or collected):
            raise NotLowered("how many turns it makes depends on the input; a stream has one shape and one number of turns for all of them")
        found = walker.subgraph(body, [known(turn, torch.int64), going, *carried], values)
        new = found[1 : 1 + count]
        carried = new if goes is not None else [chosen(walker, going, one, other) for one, other in zip(new, carried)]
        after = found[0]
        going = after if goes is not None else walker.on_tensors(torch.logical_and, going, after)
        for kept, part in zip(collected, found[1 + count :]):
            kept.append(part)
        turn += 1
    return (*carried, *(stacked(walker, parts, 0, node) for parts in collected))


def directions(node: Node, name: str, count: int) -> list[int]:
    return list(node.get(name) or [0] * count)


@walks("Scan")
def scan(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    """The steps along an axis, one after the other."""
    if node.opset < 9:
        return batched_scan(walker, node, given, values)
    return scanned(walker, node, given, values)


def batched_scan(walker: Walker, node: Node, given: list[Any], values: Values) -> Any:
    """Before version 9 a batch comes first, whose items are scanned by themselves."""
    if given[0] is not None:
        raise NotLowered("sequences of several lengths")
    items = []
    for k in range(given[1].shape[0]):
        one = [walker.on_tensors(lambda x, k=k: x.select(0, k), value) for value in given[1:]]
        items.append(scanned(walker, node, one, values, node.get("directions")))
    return tuple(stacked(walker, list(parts), 0, node) for parts in zip(*items))


def scanned(walker: Walker, node: Node, given: list[Any], values: Values, ways: Any = None) -> Any:
    body, inputs = node.get("body"), node.get("num_scan_inputs")
    states, sequences = list(given[: len(given) - inputs]), given[len(given) - inputs :]
    outputs = len(body.output) - len(states)
    axes = [axes_of(axis, len(one.shape))[0] for axis, one in zip(directions(node, "scan_input_axes", inputs), sequences)]
    back = list(ways or directions(node, "scan_input_directions", inputs))
    count = sequences[0].shape[axes[0]]
    if static(count) is None:
        raise NotLowered("how many steps it makes depends on a dimension that is open; they are written one after the other, for a number that is known")
    collected: list[list[Any]] = [[] for _ in range(outputs)]
    for turn in range(count):
        items = [
            walker.on_tensors(lambda x, axis=axis, at=count - 1 - turn if turns else turn: x.select(axis, at), one)
            for one, axis, turns in zip(sequences, axes, back)
        ]
        found = walker.subgraph(body, [*states, *items], values)
        states = found[: len(states)]
        for kept, part in zip(collected, found[len(states) :]):
            kept.append(part)
    made = []
    for parts, axis, turns in zip(collected, directions(node, "scan_output_axes", outputs), directions(node, "scan_output_directions", outputs)):
        ordered = parts[::-1] if turns else parts
        made.append(stacked(walker, ordered, axes_of(axis, len(parts[0].shape) + 1)[0] if parts else 0, node))
    return (*states, *made)
