"""Programs of graphs of TorchDynamo, called with tensors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import ImportFailure
from ..program import compile
from ..program.memory import memory_of
from ..program.stream import Stream
from .batch import Batch
from .capture import is_in_place, quiet, root
from .export import Imported, import_items, import_model
from .graphs import Args, Model
from .lowering import WRAPS, of_items


class ChangesArguments(ImportFailure):
    """A graph changes its arguments in place."""


def check_effects(imported: Imported) -> None:
    """Raises `ChangesArguments`, since a program would leave that out."""
    changed = list(imported.captured.changed)
    for node in imported.captured.graph.nodes:
        if node.op != "call_function":
            continue
        if is_in_place(node) and getattr(root(node), "op", "") == "placeholder":
            changed.append(str(root(node)))
    if changed:
        raise ChangesArguments(f"it changes {', '.join(changed)} in place, and a stream leaves its input as it is")


def held(tensor: torch.Tensor) -> torch.Tensor:
    """As a program takes it: whole numbers of fewer bits as ints, complex ones with their parts in a last dimension."""
    if tensor.dtype in WRAPS:
        return tensor.to(torch.int32)
    return torch.view_as_real(tensor.resolve_conj()) if tensor.dtype.is_complex else tensor


def as_kind(tensor: torch.Tensor, kind: torch.dtype) -> torch.Tensor:
    """What a program gives, as the model gives it."""
    if kind.is_complex:
        return torch.view_as_complex((tensor.float() if tensor.dtype == torch.bfloat16 else tensor).contiguous()).to(kind)
    return tensor.to(kind) if kind in WRAPS else tensor


@dataclass(frozen=True)
class Result:
    """A tensor that the program gives, by its place."""

    place: int


@dataclass(frozen=True)
class Size:
    """A number that depends on how many items there are."""

    size: torch.SymInt


def returned_by(imported: Imported) -> list[Any] | None:
    """What the graph returns: results of the program, and what is the same each time; None if it is just those results. Raises ImportFailure."""
    output = next(node for node in imported.captured.graph.nodes if node.op == "output")
    returned: list[Any] = []
    count = 0
    for one in output.args[0]:
        value = one.meta.get("val") if isinstance(one, torch.fx.Node) else one
        if len(returned) in imported.empty:
            returned.append(imported.empty[len(returned)])
        elif isinstance(value, torch.Tensor):
            returned.append(Result(count))
            count += 1
        elif value is None or isinstance(value, (int, float, bool)):
            returned.append(value)
        elif isinstance(value, torch.SymInt):
            returned.append(Size(value))
        else:
            raise ImportFailure(f"it returns a {type(value).__name__}, which a stream does not give")
    if count != len(imported.program.results) or count == 0:
        raise ImportFailure("it returns nothing that a stream could give")
    return None if count == len(returned) else returned


class Runner:
    """A program for certain shapes, between tensors where they lie. With a batch it is one for an item, and is fired for one after the other."""

    def __init__(
        self, graph: torch.fx.GraphModule, args: Args, stored: dict[int, str], options: dict[str, Any], batch: Batch | None = None
    ):
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
        if any(tensor.device.type != "cpu" for tensor in tensors):
            raise ImportFailure("its tensors do not lie on the CPU")
        free = [place for place, arg in enumerate(args) if place not in stored and isinstance(arg, torch.Tensor)]
        self.free = [place for place in free if args[place].numel()]  # what has no elements is no input of the program
        self.dims = [batch.dims.get(place) if batch else None for place in self.free]
        self.stored = list(stored)
        self.versions = self.seen(args)
        inputs = [args[place].detach() for place in free]
        with torch.inference_mode(False), torch.no_grad(), quiet():
            # Sizes are those of this call, and what arrives is taken as it is now.
            model, examples = Model(graph, args, stored, batch), [tensor.clone() for tensor in inputs]
            self.places: Any
            if batch:
                imported, self.places = import_items(model, examples, [batch.dims.get(place) for place in free])
            else:
                imported, self.places = import_model(model, examples), None
        check_effects(imported)
        self.returned = returned_by(imported)
        self.weights = {name: tensor.contiguous() for name, tensor in imported.used_tensors().items()}
        given = [held(args[place].detach()) for place in self.free]
        one = [tensor if dim is None else tensor.narrow(dim, 0, 1) for tensor, dim in zip(given, self.dims)]
        program = compile(
            imported.source(), imported.program.name, inputs=one, weights=self.weights, at_once=1, options={"w": True, **options}
        )
        self.stream: Stream = program.stream()
        self.core = self.stream.core
        self.turn = threading.Lock()
        results = len(imported.program.results)
        if self.stream.expected(len(given)) != results or self.stream.output is None:
            raise ImportFailure("the program gives another number of results than the graph")
        kinds = self.stream.output.tensors
        self.kinds = [(kind.shape, getattr(torch, kind.dtype)) for kind in (kinds[k % len(kinds)] for k in range(results))]
        returned = [one.meta["val"] for place, one in enumerate(imported.captured.returned) if isinstance(one, torch.fx.Node) and place not in imported.empty]
        self.wanted = [one.dtype for one in returned if isinstance(one, torch.Tensor)]

    def seen(self, args: Args) -> list[tuple[int, int]]:
        """Which values the parameters have."""
        return [(args[place].data_ptr(), version_of(args[place])) for place in self.stored]

    def is_outdated(self, args: Args) -> bool:
        """Parameters have been changed, or are others: what was computed from them at the start may be wrong."""
        return self.seen(args) != self.versions

    def __call__(self, args: Args) -> tuple[torch.Tensor, ...]:
        given = [in_a_row(held(args[place].detach()), dim) for place, dim in zip(self.free, self.dims)]
        count = next((tensor.shape[0] for tensor, dim in zip(given, self.dims) if dim is not None), 1)
        places = self.places or [None] * len(self.kinds)
        made = [torch.empty(shape if dim is None else (count, *shape), dtype=dtype) for (shape, dtype), dim in zip(self.kinds, places)]
        with self.turn:
            self.stream.reset()
            self.stream.work(self.core.process_items(addresses(given, self.dims, count), addresses(made, places, count)))
        made = [as_kind(tensor if dim is None else joined(tensor, dim), kind) for tensor, dim, kind in zip(made, places, self.wanted)]
        return tuple(made if self.returned is None else [given_as(one, made, count) for one in self.returned])


def given_as(one: Any, made: Sequence[torch.Tensor], count: int) -> Any:
    """What the graph returns in a place."""
    if isinstance(one, Result):
        return made[one.place]
    if isinstance(one, torch.Tensor):
        return one.clone()
    return of_items(one.size, count) if isinstance(one, Size) else one


def in_a_row(tensor: torch.Tensor, dim: int | None) -> torch.Tensor:
    """With the dimension of the items in front; what does not lie so is copied."""
    turned = tensor.movedim(dim, 0) if dim else tensor
    return turned if turned.is_contiguous() and not turned.is_neg() else memory_of(turned).owner


def addresses(tensors: Sequence[torch.Tensor], dims: Sequence[int | None], count: int) -> list[int]:
    """Where the tensors of each firing lie; those without items lie at the same place each time."""
    starts = [tensor.data_ptr() for tensor in tensors]
    if count == 1:
        return starts
    steps = [0 if dim is None else tensor.stride(0) * tensor.element_size() for tensor, dim in zip(tensors, dims)]
    return [start + k * step for k in range(count) for start, step in zip(starts, steps)]


def joined(items: torch.Tensor, dim: int) -> torch.Tensor:
    """The results of all items as one."""
    return items.movedim(0, dim).flatten(dim, dim + 1).contiguous()


def version_of(tensor: torch.Tensor) -> int:
    """Grows when the tensor is changed in place; those of inference mode do not tell."""
    return 0 if tensor.is_inference() else tensor._version
