"""Attributes that `forward` changes, and that are no buffers: whether it matters, and what is to be done.

A stream has one graph for all calls. So the model is run again behind its first call, on other values: where it then gives what it gives at
first, and counts nothing, its attributes are places to put something down, or are filled once. Else they are a state. Numbers of modules are tried as buffers,
which go round if they are used as tensors can be; everything else is refused, with the line that changes it.
"""

from __future__ import annotations

import contextlib
import linecache
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..errors import ImportFailure, Place
from .attributes import Attributes, Change, Values, unchanged, is_alike, is_holder, is_same, read
from .places import is_of_model, stays

NUMBERS = {bool: torch.bool, int: torch.int64, float: torch.float64}
Inputs = Sequence[torch.Tensor]


def called(model: torch.nn.Module, inputs: Inputs) -> list[Any]:
    """What a call gives, copied, and with the same random numbers each time."""
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = pytree.tree_leaves(model(*(tensor.clone() for tensor in inputs)))
    return [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in made]


def other_values(tensor: torch.Tensor) -> torch.Tensor:
    """Of the same shape and kind; whole numbers are those that are there, in another order."""
    turned = tensor.flatten().flip(0).reshape(tensor.shape)
    return turned * 0.75 + torch.rand_like(turned) if tensor.dtype.is_floating_point else turned


def is_equal(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        same_kind = one.dtype == other.dtype and one.shape == other.shape
        return bool(same_kind and torch.allclose(one, other, rtol=1e-6, atol=0, equal_nan=True))
    if is_holder(one) and type(one) is type(other):
        return are_equal(list(read(one).values()), list(read(other).values()))
    return is_same(one, other)


def are_equal(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(map(is_equal, some, others))


def others_for(model: torch.nn.Module, inputs: Inputs) -> Inputs:
    """Inputs with other values; the same ones where the model does not take those."""
    others = [other_values(tensor) for tensor in inputs]
    with unchanged(model):
        try:
            called(model, others)
        except Exception:  # whatever a model raises for values that it does not like
            return inputs
    return others


@contextlib.contextmanager
def buffers_kept(model: torch.nn.Module) -> Iterator[None]:
    """Puts buffers back as they were."""
    values, places = Values(list(model.buffers())), [(module, dict(module._buffers)) for module in model.modules()]
    yield
    for module, buffers in places:
        module._buffers.update(buffers)
    values.put_back()


def moving(model: torch.nn.Module, inputs: Inputs) -> list[str] | None:
    """The attributes that change with every call in more than tensors; None if a call gives something else because of what one before it left."""
    others = others_for(model, inputs)
    with unchanged(model):
        expected = called(model, others)
    with unchanged(model):
        with buffers_kept(model):
            called(model, inputs)
        between = Attributes(model)
        found = called(model, others)
        still = [change.name for change in between.changes() if not is_alike(*change.values)]
    return still if are_equal(found, expected) else None


def check_attributes(model: torch.nn.Module, inputs: Inputs, changes: list[Change]) -> list[Change]:
    """Of attributes that a call changes the numbers that have to become buffers. Raises `ImportFailure` if there are others that matter."""
    try:
        still = moving(model, inputs)
    except Exception:  # the model does not run, which is said elsewhere
        return []
    if still == []:
        return []
    numbers = [change for change in changes if is_number(change)]
    by_name = {change.name: change for change in changes}
    wrong = [by_name.get(name, changes[0]) for name in still or [] if by_name.get(name) not in numbers]
    if wrong or not numbers or not can_be_buffers(model, inputs, numbers):
        raise refused(model, inputs, [*wrong, *numbers, *changes][0])
    return numbers


def is_number(change: Change) -> bool:
    """True of a number that is an attribute of a module, and becomes another one."""
    before, now = change.values
    return change.holder.is_module and type(before) is type(now) and type(before) in NUMBERS and change.key in change.holder.content


def make_buffers(numbers: Sequence[Change]) -> None:
    """Puts buffers of one element in place of numbers; `unchanged` around it takes them away again."""
    for number in numbers:
        value = number.holder.content[number.key]
        del vars(number.holder.it)[number.key]
        number.holder.it.register_buffer(number.key, torch.tensor(value, dtype=NUMBERS[type(value)]))


def can_be_buffers(model: torch.nn.Module, inputs: Inputs, numbers: Sequence[Change]) -> bool:
    """Whether three calls give the same with buffers."""
    calls = [inputs, others_for(model, inputs), inputs]
    with unchanged(model):
        expected = [called(model, values) for values in calls]
    with unchanged(model):
        try:
            make_buffers(numbers)
            found = [called(model, values) for values in calls]
        except Exception:  # whatever a model does with a number, and cannot do with a tensor
            return False
    return all(map(are_equal, found, expected))


def refused(model: torch.nn.Module, inputs: Inputs, change: Change) -> ImportFailure:
    return ImportFailure(stays(change.name, place_of_change(model, inputs, change)))


def place_of_change(model: torch.nn.Module, inputs: Inputs, change: Change) -> Place:
    """The line of the model behind which an attribute has another value."""
    at: list[tuple[str, int]] = []  # the line that is under way
    found: list[tuple[str, int]] = []

    def follow(frame: FrameType, event: str, _: Any) -> Any:
        if at and not found and change.has_happened:
            found.extend(at)
        line = caller_of(frame) if event == "return" else frame
        if line is not None:
            at[:] = [(line.f_code.co_filename, line.f_lineno)]
        return follow

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        return follow if is_of_model(frame.f_code.co_filename) else None

    tracer = sys.gettrace()
    with unchanged(model):
        sys.settrace(enter)
        try:
            called(model, inputs)
        except Exception:  # it has run before
            pass
        finally:
            sys.settrace(tracer)
    if not found:
        return Place()
    file, line = found[0]
    return Place(file=file, line=line, text=linecache.getline(file, line).strip())


def caller_of(frame: FrameType) -> FrameType | None:
    """The next line outwards that is the model's own."""
    outer = frame.f_back
    while outer is not None and not is_of_model(outer.f_code.co_filename):
        outer = outer.f_back
    return outer
