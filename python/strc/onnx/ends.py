"""What a model takes: shapes and types of its inputs, and which of them go round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx
import torch

from ..errors import ImportFailure
from ..torch.lowering import Like, static
from .sizes import EXAMPLE, example_of, symbols_of
from .stored import count_of, dtype_of

# Names of a result that belongs to an input, each as a pattern with what both have in common.
PAIRS = (
    (r"past(.*)", "present{}"), (r"past_key_values(.*)", "present{}"), (r"(.*)_in", "{}_out"), (r"(.*)_in", "{}_next"), (r"(.*)", "{}_out"),
    (r"(.*)", "{}_next"), (r"(.*)", "new_{}"), (r"(.*)", "next_{}"), (r"(.*)", "{}n"), (r"(.*)_0", "{}_n"), (r"(.*)0", "{}n"),
)


@dataclass(frozen=True)
class Input:
    """An input of a model: its name, and what is known of its values."""

    name: str
    like: Like


def inputs_of(
    model: onnx.ModelProto, shapes: Sequence[Sequence[int]] = (), sizes: Mapping[str, int] | None = None, stay_open: bool = False
) -> tuple[list[Input], dict[str, Any]]:
    """The inputs that are not stored, and a symbol for each dimension that stays open. `shapes` are those of the first inputs, `sizes` those of open dimensions by name.

    Where not `stay_open`, each dimension has to have a size. Raises `ImportFailure`.
    """
    stored = {one.name for one in model.graph.initializer}
    free = [one for one in model.graph.input if one.name not in stored]
    if len(shapes) > len(free):
        raise ImportFailure(f"there are {len(shapes)} shapes for inputs, and the model has {len(free)}: {listed(free)}")
    declared = [declared_shape(one) for one in free]
    given: dict[str, Any] = dict(sizes or {})
    known = {dim for dims in declared for dim in dims or () if isinstance(dim, str)}
    if unknown := set(given) - known:
        raise ImportFailure(f"no input of the model has an open dimension '{sorted(unknown)[0]}'; there are {', '.join(sorted(known)) or 'none'}")
    for one, dims, shape in zip(free, declared, shapes):
        fit(one.name, dims, shape, given)
    open_: dict[str, Any] = {}
    if stay_open:
        open_ = symbols_of(list(dict.fromkeys(dim for dims in declared for dim in dims or () if isinstance(dim, str) and dim not in given)))
    rest = [*shapes, *[None] * (len(free) - len(shapes))]
    return [input_of(one, dims, shape, {**given, **open_}) for one, dims, shape in zip(free, declared, rest)], open_


def listed(values: Sequence[onnx.ValueInfoProto]) -> str:
    return ", ".join(one.name for one in values) or "none"


def declared_shape(value: onnx.ValueInfoProto) -> list[int | str] | None:
    """The shape that the model says, open dimensions by their names, or as `x[0]`; None if it says none."""
    if value.type.WhichOneof("value") != "tensor_type":
        raise ImportFailure(f"the input '{value.name}' is no tensor; a stream has tensors for items")
    about = value.type.tensor_type
    if not about.HasField("shape"):
        return None
    return [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or f"{value.name}[{place}]" for place, dim in enumerate(about.shape.dim)]


def fit(name: str, declared: Sequence[int | str] | None, shape: Sequence[int], sizes: dict[str, Any]) -> None:
    """Notes the sizes of open dimensions in the shape of an input. Raises `ImportFailure` if that does not fit."""
    if declared is None:
        return
    if len(declared) != len(shape) or any(isinstance(dim, int) and dim != size for dim, size in zip(declared, shape)):
        raise ImportFailure(f"the input '{name}' has the shape {'x'.join(map(str, declared))}, which {'x'.join(map(str, shape))} does not fit")
    for dim, size in zip(declared, shape):
        if isinstance(dim, str) and sizes.setdefault(dim, size) != size:
            raise ImportFailure(f"the input '{name}' has {size} of '{dim}', and there are {sizes[dim]} of them elsewhere")


def input_of(value: onnx.ValueInfoProto, declared: Sequence[int | str] | None, shape: Sequence[int] | None, sizes: Mapping[str, Any]) -> Input:
    what = f"the input '{value.name}'"
    if shape is None and declared is None:
        raise ImportFailure(f"{what} has no shape in the model: --input 1x3x224x224 says it, for all inputs in order")
    made = [size_of(what, dim, sizes) for dim in declared or ()] if shape is None else list(shape)
    count_of([size for size in made if isinstance(size, int)], what)
    return Input(value.name, Like(tuple(made), dtype_of(value.type.tensor_type.elem_type, what)))


def size_of(what: str, dim: int | str, sizes: Mapping[str, Any]) -> Any:
    """A dimension as a number, or as a symbol."""
    if isinstance(dim, int):
        return dim
    if dim not in sizes:
        raise ImportFailure(f"{what} has the open dimension '{dim}': --dim {dim}=1 says its size")
    return sizes[dim]


def check_open(symbols: Mapping[str, Any]) -> None:
    """Raises `ImportFailure` if the model computes with a dimension as if it had one size."""
    for name, symbol in symbols.items():
        if static(symbol) is not None:
            raise ImportFailure(f"the model computes with the open dimension '{name}' in a way that holds for one size of it alone: --dim {name}=1 says which")
    if not symbols:
        return
    environment = next(iter(symbols.values())).node.shape_env
    for guard in environment.guards:
        found = guard.expr.free_symbols
        most = min((environment.bound_sympy(one).upper for one in found), default=0)  # more does not arrive, since bounds are required of it
        for size in (2 * EXAMPLE, 10 * EXAMPLE):
            if size <= most and guard.expr.xreplace(dict.fromkeys(found, size)) == False:  # noqa: E712  a value of SymPy
                names = ", ".join(map(repr, symbols))
                raise ImportFailure(f"the model computes with the open dimensions {names} in a way that does not hold for {size}: --dim NAME=N says which size one has")


def state_pairs(model: onnx.ModelProto, inputs: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """Which result goes round to which input: `wanted` are texts IN=OUT, or `auto` for those whose names say it. Raises `ImportFailure`."""
    results = [one.name for one in model.graph.output]
    found: dict[str, str] = {}
    for text in wanted:
        if text == "auto":
            found.update(pairs_by_name(inputs, results))
            continue
        taken, _, given = text.partition("=")
        if taken not in inputs:
            raise ImportFailure(f"a state '{text}': the model has no input '{taken}'; it has {', '.join(inputs)}")
        if given not in results:
            raise ImportFailure(f"a state '{text}': the model has no result '{given}'; it has {', '.join(results)}")
        found[taken] = given
    if "auto" in wanted and not found:
        raise ImportFailure("no result belongs to an input by its name: --state IN=OUT says it")
    if len(set(found.values())) < len(found):
        raise ImportFailure("one result goes round to several inputs; each state has a result of its own")
    if len(found) == len(results) and len(found) == len(inputs):
        raise ImportFailure("all inputs and results of the model are states, so that nothing goes in or comes out")
    return found


def pairs_by_name(inputs: Sequence[str], results: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pattern, other in PAIRS:
        for name in inputs:
            match = re.fullmatch(pattern, name)
            wanted = other.format(match[1]) if match else ""
            if wanted in results and name not in found and wanted not in found.values():
                found[name] = wanted
    return found


def example(one: Input) -> torch.Tensor:
    """Random numbers of an input's shape."""
    shape = tuple(map(example_of, one.like.shape))
    if one.like.dtype.is_floating_point:
        return torch.randn(*shape).to(one.like.dtype)
    return torch.randint(0, 2, shape).to(one.like.dtype)
