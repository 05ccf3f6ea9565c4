"""What a model takes: shapes and types of its inputs, and which of them go round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx
import torch

from ..errors import ImportFailure
from ..torch.lowering import Like
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


def inputs_of(model: onnx.ModelProto, shapes: Sequence[Sequence[int]] = (), sizes: Mapping[str, int] | None = None) -> list[Input]:
    """The inputs that are not stored. `shapes` are those of the first of them, `sizes` those of open dimensions by name. Raises `ImportFailure`."""
    stored = {one.name for one in model.graph.initializer}
    free = [one for one in model.graph.input if one.name not in stored]
    if len(shapes) > len(free):
        raise ImportFailure(f"there are {len(shapes)} shapes for inputs, and the model has {len(free)}: {listed(free)}")
    given = dict(sizes or {})
    known = {dim.dim_param for one in free for dim in one.type.tensor_type.shape.dim if dim.dim_param}
    if unknown := set(given) - known:
        raise ImportFailure(f"no input of the model has an open dimension '{sorted(unknown)[0]}'; there are {', '.join(sorted(known)) or 'none'}")
    return [input_of(one, shapes[k] if k < len(shapes) else None, given) for k, one in enumerate(free)]


def listed(values: Sequence[onnx.ValueInfoProto]) -> str:
    return ", ".join(one.name for one in values) or "none"


def input_of(value: onnx.ValueInfoProto, shape: Sequence[int] | None, sizes: dict[str, int]) -> Input:
    what = f"the input '{value.name}'"
    if value.type.WhichOneof("value") != "tensor_type":
        raise ImportFailure(f"{what} is no tensor; a stream has tensors for items")
    about = value.type.tensor_type
    declared = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in about.shape.dim] if about.HasField("shape") else None
    if shape is not None:
        fits = declared is None or (len(declared) == len(shape) and all(not isinstance(d, int) or d == s for d, s in zip(declared, shape)))
        if not fits:
            raise ImportFailure(f"{what} has the shape {'x'.join(map(str, declared or []))}, which {'x'.join(map(str, shape))} does not fit")
        for dim, size in zip(declared or [], shape):
            if isinstance(dim, str) and sizes.setdefault(dim, size) != size:
                raise ImportFailure(f"{what} has {size} of '{dim}', and there are {sizes[dim]} of them elsewhere")
    elif declared is None:
        raise ImportFailure(f"{what} has no shape in the model: --input 1x3x224x224 says it, for all inputs in order")
    else:
        shape = [closed(what, dim, sizes) for dim in declared]
    count_of(shape, what)
    return Input(value.name, Like(tuple(shape), dtype_of(about.elem_type, what)))


def closed(what: str, dim: int | str | None, sizes: Mapping[str, int]) -> int:
    """A dimension as a number."""
    if isinstance(dim, int):
        return dim
    if dim is None:
        raise ImportFailure(f"{what} has an open dimension without a name: --input SHAPE says its size, for all inputs in order")
    if dim not in sizes:
        raise ImportFailure(f"{what} has the open dimension '{dim}': --dim {dim}=1 says its size")
    return sizes[dim]


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
    if one.like.dtype.is_floating_point:
        return torch.randn(*one.like.shape).to(one.like.dtype)
    return torch.randint(0, 2, tuple(one.like.shape)).to(one.like.dtype)
