"""The table of operators, and what an operator's function sees of a node.

A function gets the node and its inputs, None for one that is left out, and gives a tensor or a tuple of them. It runs on tensors with values
where all inputs are stored, else on tensors without, each of which stands for a value of the program (`strc.torch.composed`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import onnx
import torch

from ..torch.lowering import NotLowered

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)


class NeedsKnown(NotLowered):
    """An input of a node whose value decides what the node does, and that is computed."""

    def __init__(self, name: str):
        self.name = name
        super().__init__(f"'{name}' decides about shapes, and is computed from the input; a stream has one shape for all inputs")


@dataclass(frozen=True)
class Node:
    """A node as the functions of the table see it. `opset` is the version of its domain's operators."""

    op: str
    name: str
    domain: str
    opset: int
    attributes: Mapping[str, Any]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    types: tuple[torch.dtype | None, ...] = ()  # of the inputs
    stored: tuple[torch.Tensor | None, ...] = ()  # those of the inputs that are
    zeros: tuple[bool, ...] = ()  # inputs that are nothing but zeros, stored or in a shape that is open

    def get(self, name: str, default: Any = None) -> Any:
        return self.attributes.get(name, default)

    def is_stored(self, place: int) -> bool:
        return place < len(self.stored) and self.stored[place] is not None

    def has_zeros(self, place: int) -> bool:
        """Whether an input is nothing but zeros."""
        return place < len(self.zeros) and self.zeros[place]

    def gives(self, place: int) -> bool:
        """Whether a result is asked for."""
        return place < len(self.outputs) and bool(self.outputs[place])


@dataclass(frozen=True)
class Entry:
    """An operator's function. The values of inputs at `known` places have to be stored, and arrive as numbers or lists of such; those at `numbers`
    do if they are stored. `walks`: the function gets the walker and its values rather than tensors.
    """

    function: Function
    known: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    walks: bool = False


TABLE: dict[tuple[str, str], Entry] = {}
ML = "ai.onnx.ml"
MOST_COUNTED = 2**20
# Names of one domain each.
SAME = {"ai.onnx": ""}


def operator(*names: str, known: tuple[int, ...] = (), numbers: tuple[int, ...] = (), domain: str = "") -> Callable[[F], F]:
    """Enters a function of tensors for operators."""

    def enter(function: F) -> F:
        for name in names:
            TABLE[domain, name] = Entry(function, known, numbers)
        return function

    return enter


def walks(*names: str, domain: str = "") -> Callable[[F], F]:
    """Enters a function of the walker, the node and its values, which may be sequences."""

    def enter(function: F) -> F:
        for name in names:
            TABLE[domain, name] = Entry(function, walks=True)
        return function

    return enter


def node_of(proto: onnx.NodeProto, opsets: Mapping[str, int], number: int, attributes: Mapping[str, Any]) -> Node:
    """`number` is the node's place in its graph: nodes need no names."""
    domain = SAME.get(proto.domain, proto.domain)
    return Node(
        proto.op_type, proto.name or f"{proto.op_type}_{number}", domain, opsets.get(domain, 1), attributes, tuple(proto.input), tuple(proto.output)
    )


def check_count(count: Any, what: str) -> None:
    """Raises `NotLowered` for more of something than is gone through one by one."""
    if not 0 <= count <= MOST_COUNTED:
        raise NotLowered(f"{count} {what}, and {MOST_COUNTED} are allowed")


def numbers_of(tensor: torch.Tensor) -> Any:
    """A tensor's values as Python's numbers, in lists."""
    return tensor.tolist()


def axes_of(axes: Any, rank: int, what: str = "axis") -> tuple[int, ...]:
    """Axes counted from the front. Raises `NotLowered` for those that are none."""
    given = [axes] if isinstance(axes, int) else list(axes)
    for axis in given:
        if not -rank <= axis < max(rank, 1):
            raise NotLowered(f"{what} {axis} of a tensor of {rank} dimensions")
    return tuple(int(axis) % max(rank, 1) for axis in given)
