"""What hangs on the modules of a model: as it was, what is different, and how it is put back."""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy
import torch

CONTAINERS = (dict, list, set, deque, numpy.ndarray)
PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device, torch.Size, numpy.generic)
# What PyTorch itself keeps in a module: parameters, buffers, modules, hooks.
PYTORCHS = frozenset(vars(torch.nn.Module()))
MOST_HOLDERS = 100_000  # a model may hang on all that its training knows
MOST_DEPTH = 20
Content = dict[Any, Any]


def is_holder(value: Any) -> bool:
    """True of containers, and of objects whose class is neither PyTorch's nor Python's own."""
    kind = type(value)
    if isinstance(value, (*CONTAINERS, SimpleNamespace)):
        return True
    package = kind.__module__.partition(".")[0]
    is_class_of_users = package != "torch" and package not in sys.stdlib_module_names and not isinstance(value, (type, *PLAIN, tuple))
    return is_class_of_users and (hasattr(value, "__dict__") or bool(slots_of(kind)))


def slots_of(kind: type) -> list[str]:
    declared = [getattr(base, "__slots__", ()) for base in kind.__mro__]
    names = [name for slots in declared for name in ((slots,) if isinstance(slots, str) else slots)]
    return [name for name in names if name not in ("__dict__", "__weakref__") and not name.startswith("__")]


def read(it: Any) -> Content:
    """What a holder has, by key, name or place."""
    if isinstance(it, dict):
        return dict(it)
    if isinstance(it, set):
        return dict.fromkeys(it, True)
    if isinstance(it, numpy.ndarray):
        return {"values": it.tolist() if it.dtype.hasobject else it.tobytes()}
    if isinstance(it, (list, deque)):
        return dict(enumerate(it))
    return {**getattr(it, "__dict__", {}), **{name: getattr(it, name) for name in slots_of(type(it)) if hasattr(it, name)}}


def write(it: Any, content: Content) -> None:
    """The opposite of `read`."""
    if isinstance(it, list):
        it[:] = content.values()
    elif isinstance(it, numpy.ndarray):
        values = content["values"]
        it[...] = values if it.dtype.hasobject else numpy.frombuffer(values, it.dtype).reshape(it.shape)
    elif isinstance(it, deque):
        it.clear()
        it.extend(content.values())
    elif isinstance(it, (dict, set)):
        it.clear()
        it.update(content)
    else:
        write_object(it, content)


def write_object(it: Any, content: Content) -> None:
    slots = slots_of(type(it))
    if hasattr(it, "__dict__"):
        write(it.__dict__, {name: value for name, value in content.items() if name not in slots})
    for name in slots:
        if name in content:
            object.__setattr__(it, name, content[name])
        elif hasattr(it, name):
            object.__delattr__(it, name)


def is_same(one: Any, other: Any) -> bool:
    """True of one object, and of equal numbers and texts of one type. Containers are compared where they are held."""
    if one is other:
        return True
    if type(one) is not type(other) or not isinstance(one, (*PLAIN, tuple)):
        return False
    if isinstance(one, tuple) and not isinstance(one, torch.Size):
        return len(one) == len(other) and all(map(is_same, one, other))
    return repr(one) == repr(other)  # which tells 0.0 from -0.0, and not one NaN from another


def is_alike(one: Any, other: Any, depth: int = 0) -> bool:
    """True of values that differ in the tensors alone that are in them."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return True
    if one is other or type(one) is not type(other) or depth > MOST_DEPTH:
        return one is other
    if isinstance(one, tuple) and not isinstance(one, torch.Size):
        return len(one) == len(other) and all(is_alike(*both, depth + 1) for both in zip(one, other))
    if not is_holder(one):
        return is_same(one, other)
    here, there = read(one), read(other)
    return here.keys() == there.keys() and all(is_alike(value, there[key], depth + 1) for key, value in here.items())


@dataclass(frozen=True, eq=False)
class Holder:
    """A module, a container or an object of a class of the user's, with what it held."""

    path: str
    it: Any
    content: Content

    @property
    def is_module(self) -> bool:
        return isinstance(self.it, torch.nn.Module)

    def name_of(self, key: Any) -> str:
        """`blocks.0.n`, `seen[1]`, `counts['x']`."""
        if isinstance(self.it, CONTAINERS):
            return f"{self.path}[{key!r}]"
        return f"{self.path}.{key}" if self.path else str(key)

    def put_back(self) -> None:
        now = read(self.it)
        if list(now) != list(self.content) or any(not is_same(value, now[key]) for key, value in self.content.items()):
            write(self.it, self.content)


@dataclass(frozen=True, eq=False)
class Change:
    """An attribute, or an element of a container, that has another value, is new, or is gone."""

    holder: Holder
    key: Any

    @property
    def name(self) -> str:
        """Of a list that grows, or an array, its own."""
        has_names = not isinstance(self.holder.it, CONTAINERS) or isinstance(self.holder.it, dict)
        return self.holder.name_of(self.key) if has_names else self.holder.path

    @property
    def values(self) -> tuple[Any, Any]:
        """Before and now; None where it is not there."""
        return self.holder.content.get(self.key), read(self.holder.it).get(self.key)

    @property
    def has_happened(self) -> bool:
        return not is_same(*self.values) or (self.key in self.holder.content) != (self.key in read(self.holder.it))


def holders_of(model: torch.nn.Module) -> Iterator[Holder]:
    """Everything from which attributes can be reached, each once."""
    waiting: deque[tuple[str, Any]] = deque(model.named_modules())
    known = {id(module) for _, module in waiting}
    while waiting and len(known) < MOST_HOLDERS:
        path, it = waiting.popleft()
        if isinstance(it, tuple):
            elements = {f"{path}[{place}]": value for place, value in enumerate(it)}
        else:
            holder = Holder(path, it, read(it))
            yield holder
            elements = {holder.name_of(key): value for key, value in holder.content.items()}
        for name, value in elements.items():
            if isinstance(value, tuple) or id(value) not in known and is_holder(value):
                known.add(id(value))
                waiting.append((name, value))


class Attributes:
    """The attributes of all modules as they are now, and what can be reached from them."""

    def __init__(self, model: torch.nn.Module):
        self.holders = list(holders_of(model))

    def changes(self) -> list[Change]:
        """What is not as it was, but for what PyTorch keeps in modules itself. Tensors that are changed in place are the same tensors."""
        modules = [holder for holder in self.holders if holder.is_module]
        own = {id(value) for holder in modules for name, value in holder.content.items() if name in PYTORCHS}
        found = []
        for holder in self.holders:
            if id(holder.it) not in own:
                keys = {**holder.content, **read(holder.it)}
                found += [Change(holder, key) for key in keys if not (holder.is_module and key in PYTORCHS)]
        return [change for change in found if change.has_happened]

    def tensors(self) -> list[torch.Tensor]:
        """Those that are attributes, or in containers that are; buffers, too."""
        held = (value for holder in self.holders for value in holder.content.values())
        flat = (leaf for value in held for leaf in (value if isinstance(value, tuple) else (value,)))
        found = {id(value): value for value in flat if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter)}
        return list(found.values())

    def put_back(self) -> None:
        for holder in self.holders:
            holder.put_back()


class Values:
    """What tensors hold."""

    def __init__(self, tensors: list[torch.Tensor]):
        self.kept = [(tensor, tensor._version, tensor.detach().clone()) for tensor in tensors if not tensor.is_inference()]

    def put_back(self) -> None:
        with torch.no_grad():
            for tensor, version, value in self.kept:
                # Batch norms count their statistics without a new version.
                if tensor._version != version or not torch.equal(tensor, value):
                    tensor.copy_(value)


@contextlib.contextmanager
def unchanged(model: torch.nn.Module) -> Iterator[Attributes]:
    """The model may run meanwhile; afterwards it is as it was, and so are random numbers to come.

    A forward seldom changes a parameter, of which no copy is made.
    """
    attributes = Attributes(model)
    values = Values(attributes.tensors())
    with torch.random.fork_rng(devices=[]):
        try:
            yield attributes
        finally:
            attributes.put_back()
            values.put_back()
