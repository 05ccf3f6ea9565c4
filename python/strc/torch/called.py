"""Models of PyTorch as programs in this process: `strc.compile` of a module."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ..errors import ImportFailure
from ..program import Program, compile
from ..program.mesh import Mesh, mesh_of
from .export import Imported, import_items, import_model
from .items import Mixed
from .runner import as_kind, check_effects, held, joined

BATCH = "batch"


@dataclass(frozen=True)
class Batch:
    """Items of a batch that processes share: `count` of them are one item of the program."""

    count: int
    given: Sequence[bool]  # which inputs have one in front
    places: Sequence[int | None]  # where the results have it; None: they are the same for all

    def stacked(self, values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Of each value the items of the program, one behind the other. Raises ValueError."""
        sizes = {value.shape[0] for value, is_given in zip(values, self.given) if is_given}
        if len(sizes) != 1 or next(iter(sizes)) % self.count:
            raise ValueError(f"the inputs have to have equally many items, a multiple of {self.count}, in their first dimension, and not {sorted(sizes)}")
        stacks = next(iter(sizes)) // self.count
        return [
            value.reshape(stacks, self.count, *value.shape[1:]) if is_given else value.expand(stacks, *value.shape).contiguous()
            for value, is_given in zip(values, self.given)
        ]

    def joined(self, results: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [stack[0] if place is None else joined(stack, place) for stack, place in zip(results, self.places)]


@dataclass(frozen=True)
class ModelProgram:
    """A model as a program for inputs of certain shapes. Call it with tensors as the model is called: the result is a tensor, or a tuple of all that the
    model returns, in that order. `program` is what `strc.compile` makes of the source that `strc import` would write."""

    program: Program
    kinds: Sequence[torch.dtype]  # of all that the model returns
    empty: Mapping[int, torch.Tensor] = field(default_factory=dict)  # what has no elements, by its place
    batch: Batch | None = None

    def __call__(self, *values: torch.Tensor) -> Any:
        """Raises RunError, TypeError, ValueError, and MeshError where processes share the program."""
        found = self.all(values)
        return found[0] if len(found) == 1 else found

    def all(self, values: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        given = [held(value.detach()) for value in values if value.numel()]
        found = self.program(*(given if self.batch is None else self.batch.stacked(given)))
        results = list(found) if isinstance(found, tuple) else [found]
        made = iter(results if self.batch is None else self.batch.joined(results))
        return tuple(self.empty[place] if place in self.empty else as_kind(next(made), kind) for place, kind in enumerate(self.kinds))


def compile_model(
    model: torch.nn.Module, inputs: Sequence[torch.Tensor], *, mesh: Any = None, split: str | None = None, options: Mapping[str, Any] | None = None, **more: Any
) -> ModelProgram:
    """A model as a program, for inputs like these; `mesh`, `split`, `options` and what else there is are those of `strc.compile`, and split="batch:8" has
    8 items of a batch in each firing. Raises `ImportFailure`, `CompileError`, and with a mesh `MeshError` in all processes if one cannot import the model, or
    has another one."""
    processes = None if mesh is None else mesh_of(mesh)
    examples = [tensor.detach().clone() for tensor in inputs]
    count = None if split is None or processes is None else items_of(split)
    if count is None:
        imported, batch = read_together(processes, lambda: (import_model(model, examples), None))
        one: Sequence[torch.Tensor] = examples
    else:
        one, read = of_batch(model, examples, count)
        imported, batch = read_together(processes, read)
        split = BATCH
    check_effects(imported)
    kinds = [kind_of(value) for value in imported.captured.returned]
    weights = {name: tensor.contiguous() for name, tensor in imported.used_tensors().items()}
    program = compile(
        imported.source(), imported.program.name, inputs=[held(tensor) for tensor in one if tensor.numel()], weights=weights, at_once=1,
        options={"w": True, **(options or {})}, mesh=processes, split=split, **more,
    )  # fmt: skip
    return ModelProgram(program, kinds, imported.empty, batch)


def kind_of(returned: Any) -> torch.dtype:
    value = returned.meta.get("val") if isinstance(returned, torch.fx.Node) else returned
    if not isinstance(value, torch.Tensor):
        raise ImportFailure(f"the model returns a {type(value).__name__}, which a program does not give")
    return value.dtype


Read = tuple[Imported, "Batch | None"]


def read_together(mesh: Mesh | None, read: Callable[[], Read]) -> Read:
    """What each process has read, which has to be the same: else none of them goes on."""
    if mesh is None:
        return read()
    found: list[Read] = []

    def make() -> str:
        found.append(read())
        return hashlib.sha256(found[0][0].source().encode()).hexdigest()[:16]

    mesh.agree(make)
    return found[0]


def items_of(split: str) -> int | None:
    """How many items of a batch one firing has: 1 of "batch", N of "batch:N"; None: products are in parts. Raises ValueError."""
    word, colon, number = split.partition(":")
    if word != BATCH:
        return None
    if colon and not (number.isdecimal() and int(number)):
        raise ValueError(f"split is '{split}': behind 'batch:' there is the number of items of a firing")
    return int(number) if colon else 1


def of_batch(model: torch.nn.Module, examples: Sequence[torch.Tensor], count: int) -> tuple[Sequence[torch.Tensor], Callable[[], Read]]:
    """Examples of so many items, and what reads the model for these."""
    size = next((tensor.shape[0] for tensor in examples if tensor.dim()), 0)
    given = [tensor.dim() > 0 and tensor.shape[0] == size > 0 for tensor in examples]

    def of(items: int) -> list[torch.Tensor]:
        return [
            tensor.repeat(-(-items // size), *(1 for _ in tensor.shape[1:]))[:items].contiguous() if is_given else tensor
            for tensor, is_given in zip(examples, given)
        ]

    def read() -> Read:
        if not any(given):
            raise ImportFailure("the model takes no tensor with a dimension that could count items")
        try:
            # Of one item a dimension would count as one that is repeated.
            imported, places = import_items(model, of(max(2, size)), [0 if is_given else None for is_given in given], count)
        except Mixed as fault:
            raise ImportFailure(f"the items of a batch are not on their own, so processes cannot share them: {fault}") from None
        return imported, Batch(count, given, places)

    return of(count), read
