"""Operators as what they are made of.

A decomposition is a function of tensors that calls other operators. Here it runs on tensors without values, each of which stands for a value of
the program, and every operator that it calls is lowered where the model calls the operator itself. What such a function makes of stored values
and numbers alone is computed. Decompositions are those of `strc.torch.decompositions`, else PyTorch's own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from .capture import operator_name
from .decompositions import OWN
from .decompositions.complex_numbers import BY_PARTS, COMPLEX, Parts, by_parts
from .decompositions.places import MOVES
from .likes import likes_of
from .lowering import Call, Forbidden, Lowering, NoStream, NotLowered, Pair, Var, shown_target, static, symbols
from .weights import Known

MOST_NESTED = 12  # decompositions in each other


class Mutates(Exception):
    """A decomposition changes tensors in place."""


class Tracing(TorchDispatchMode):  # type: ignore[misc]
    """Lowers the operators that a decomposition calls. Tensors without values stand for those of the program."""

    def __init__(self, lowering: Lowering):
        super().__init__()
        self.lowering = lowering
        self.values: dict[int, tuple[torch.Tensor, Any]] = {}  # with the tensors, so that their ids stay theirs
        self.fakes: Any = None  # PyTorch's mode for tensors whose sizes are symbols
        self.sharing: dict[int, int] = {}  # how many tensors have the same memory

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # which would load it

    def standing_for(self, value: Any) -> Any:
        """A tensor without values for a value of the program."""
        if isinstance(value, Pair):
            return self.note(self.without_values(value), value)
        if not isinstance(value, (Var, Known)):
            return value
        if isinstance(value, Known):
            return self.note(torch.empty_strided(value.tensor.size(), value.tensor.stride(), dtype=value.dtype, device="meta"), value)
        return self.note(self.without_values(value), value)

    def without_values(self, value: Var | Pair) -> torch.Tensor:
        """PyTorch computes with sizes that are symbols for tensors of its mode of fakes alone."""
        with self.sizing(value.shape):
            return torch.empty(value.shape, dtype=value.dtype, device="meta")

    @contextlib.contextmanager
    def sizing(self, args: Any) -> Iterator[None]:
        """The mode for these if a size among them depends on an open dimension, and from then on."""
        size = next((size for size in symbols(args) if static(size) is None), None)
        if self.fakes is None and size is not None and self.lowering.items is None:
            from torch._subclasses.fake_tensor import FakeTensorMode

            self.fakes = FakeTensorMode(shape_env=size.node.shape_env, allow_non_fake_inputs=True)
        with _disable_current_modes(), self.fakes or contextlib.nullcontext():
            yield

    def dispatcher(self) -> contextlib.AbstractContextManager[None]:
        """What of PyTorch is written in C++ asks for sizes as numbers; where some are symbols, its functions in Python take its place."""
        if not self.fakes:
            return contextlib.nullcontext()
        from torch._dispatch.python import enable_python_dispatcher

        made: contextlib.AbstractContextManager[None] = enable_python_dispatcher()
        return made

    def note(self, tensor: torch.Tensor, value: Any) -> torch.Tensor:
        self.values[id(tensor)] = (tensor, value)
        memory = tensor.untyped_storage()._cdata
        self.sharing[memory] = self.sharing.get(memory, 0) + 1
        return tensor

    def value(self, given: Any) -> Any:
        """What an argument stands for."""
        if isinstance(given, Parts):
            return Pair(self.value(given.re), self.value(given.im))
        if isinstance(given, torch.device):
            return torch.device("cpu")
        if not isinstance(given, torch.Tensor):
            return given
        if id(given) in self.values:
            return self.values[id(given)][1]
        if given.device.type == "meta":
            raise NotLowered("makes a tensor in a way that cannot be followed")
        return Known(self.lowering.local_name("constant"), given.detach())

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func._schema.is_mutable:
            return self.in_place(func, args, kwargs)
        if func.namespace == "prim" or func is torch.ops.aten.is_same_size.default:
            return func(*args, **kwargs)
        values, named = pytree.tree_map(self.value, (args, kwargs))
        if not any(isinstance(leaf, (Var, Pair)) for leaf in pytree.tree_leaves((values, named))) and not self.is_sized((values, named)):
            if named.get("device", "") is None:
                del named["device"]
            return self.shadows(self.lowering.fold(Call(func, {}), values, named))
        likes, others = pytree.tree_map(self.like, (args, kwargs))
        with self.sizing((likes, others)):
            made = likes_of(func)(*likes, **others)
        return self.lowered(Call(func, {"val": made}), values, named)

    def is_sized(self, args: Any) -> bool:
        """Whether a size depends on an open dimension."""
        return self.lowering.items is None and any(static(size) is None for size in symbols(args))

    def like(self, value: Any) -> Any:
        """A tensor without values for one with values."""
        if isinstance(value, torch.device):
            return torch.device("meta")
        if not isinstance(value, torch.Tensor) or value.device.type == "meta":
            return value
        return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")

    def in_place(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What changes a tensor that shares its memory with no other one is the plain operator, whose result the tensor stands for from there on."""
        name, changed = func._opname, args[0] if args else None
        if name in ("detach_", "requires_grad_"):
            return changed
        family = getattr(torch.ops.aten, name.removesuffix("_"), None)
        plain = getattr(family, func._overloadname, None) or getattr(family, "int", None)
        if plain is None or not name.endswith("_") or not isinstance(changed, torch.Tensor):
            raise Mutates(shown_target(Call(func, {})))
        turns = torch.Tag.inplace_view in func.tags  # no memory is written
        if id(changed) not in self.values or (not turns and self.sharing[changed.untyped_storage()._cdata] > 1):
            raise Mutates(shown_target(Call(func, {})))
        value = self.value(self.__torch_dispatch__(plain, (), args, kwargs))
        if turns:
            func(*args, **kwargs)
        self.values[id(changed)] = (changed, value)
        return changed

    def lowered(self, call: Call, args: Any, kwargs: Any) -> Any:
        before = self.lowering.node
        try:
            result = self.lowering.apply(call, args, kwargs)
        except NoStream as fault:
            raise NotLowered(f"it is made of {shown_target(call)}, for which there is no stream") from fault
        finally:
            self.lowering.node = before
        made = call.meta["val"]
        if isinstance(made, torch.Tensor):
            return self.note(made, result)
        if isinstance(made, (tuple, list)):
            for tensor, value in zip(made, result):
                if isinstance(tensor, torch.Tensor):
                    self.note(tensor, value)
        return made

    def shadows(self, values: Any) -> Any:
        """Of what has been computed of stored values."""
        return tuple(map(self.standing_for, values)) if isinstance(values, (tuple, list)) else self.standing_for(values)


def decompositions_of(target: Any, streams: bool = False) -> list[Callable[..., Any]]:
    """What an operator may be made of, the best first. `streams`: what moves elements is said by how they lie, not by their places."""
    if not isinstance(target, torch._ops.OpOverload):
        return []
    found: list[Any] = [OWN.get(str(target).removeprefix("aten."))]
    if target._can_decompose():
        found.append(target.decompose)
    from torch._decomp import decomposition_table

    found.append(decomposition_table.get(target))
    if streams and found[0] in MOVES:
        found.append(found.pop(0))
    return [function for function in found if function is not None]


def in_a_row(node: torch.fx.Node | Call, args: Any) -> Callable[..., Any] | None:
    """Of what goes over a dimension: one that makes a tensor without dimensions one of one element first."""
    target, first = node.target, args[0] if args else None
    if not isinstance(first, Var) or first.rank or not isinstance(target, torch._ops.OpOverload):
        return None
    likes = pytree.tree_leaves(node.meta["val"])
    if not any(one.name == "dim" for one in target._schema.arguments) or any(isinstance(like, torch.Tensor) and like.dim() for like in likes):
        return None

    def function(x: torch.Tensor, *rest: Any, **named: Any) -> Any:
        return pytree.tree_map(lambda made: made.reshape(()) if made.dim() else made, target(x.unsqueeze(0), *rest, **named))

    return function


def composed(lowering: Lowering, node: torch.fx.Node | Call, args: Any, kwargs: Any) -> Any:
    """What an operator gives, by what it is made of. Raises `NotLowered`."""
    if lowering.nested >= MOST_NESTED:
        raise NotLowered("its decomposition goes too deep")
    first = in_a_row(node, args)
    reason: NotLowered = NoStream("there is no stream for this operator")
    for function in [first] if first else decompositions_of(node.target, lowering.streams):
        try:
            return followed(lowering, function, args, kwargs)
        except Forbidden:
            raise
        except NotLowered as fault:
            reason = fault if isinstance(reason, NoStream) else reason
    raise reason


def followed(lowering: Lowering, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What a decomposition gives. Raises `NotLowered`."""
    count, number = len(lowering.instructions), lowering.next
    lowering.nested += 1
    try:
        try:
            return traced(lowering, function, args, kwargs)
        except Mutates:
            del lowering.instructions[count:]
            lowering.next = number
            return traced(lowering, torch.func.functionalize(function, remove="mutations_and_views"), args, kwargs)
    except NotLowered:
        del lowering.instructions[count:]
        lowering.next = number
        raise
    except Exception as error:  # whatever a decomposition raises on tensors without values
        del lowering.instructions[count:]
        lowering.next = number
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise NotLowered(f"its decomposition cannot be followed: {words[0]}") from error
    finally:
        lowering.nested -= 1


def of_parts(lowering: Lowering, node: torch.fx.Node | Call, args: Any, kwargs: Any) -> Any:
    """What an operator on complex values gives, on their parts. Raises `NotLowered`."""
    name = operator_name(node)
    function = COMPLEX.get(name) or (by_parts(node.target) if name in BY_PARTS else None)
    if function is None:
        return composed(lowering, node, args, kwargs)

    def taken(value: Any) -> Any:
        return apart(value) if isinstance(value, (Pair, Known)) else value

    return followed(lowering, function, pytree.tree_map(taken, args), pytree.tree_map(taken, kwargs))


def apart(value: Pair | Known) -> Any:
    """The parts of a complex value; a real one as it is."""
    if isinstance(value, Pair):
        return Parts(value.re, value.im)
    if not value.dtype.is_complex:
        return value
    whole = value.tensor.resolve_conj()
    return Parts(*(Known(f"{value.name}_{name}", part.clone()) for name, part in (("real", whole.real), ("imaginary", whole.imag))))


def traced(lowering: Lowering, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    tracing = Tracing(lowering)

    def given(value: Any) -> Any:
        if isinstance(value, Parts):
            return Parts(tracing.standing_for(value.re), tracing.standing_for(value.im))
        return tracing.standing_for(value)

    arguments, named = pytree.tree_map(given, (thawed(args), thawed(kwargs)))
    with torch.no_grad(), tracing.dispatcher(), tracing:
        result = function(*arguments, **named)
    made = pytree.tree_map(tracing.value, result)
    return tuple(made) if isinstance(made, list) else made


def thawed(value: Any) -> Any:
    """With plain lists and dictionaries in place of those of a graph, which cannot be changed."""
    if isinstance(value, (list, tuple)):
        made = [thawed(one) for one in value]
        return made if isinstance(value, list) else tuple(made)
    return {key: thawed(one) for key, one in value.items()} if isinstance(value, dict) else value
