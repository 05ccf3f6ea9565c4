"""`scan` and `associative_scan` of PyTorch as the loops over time that they stand for.

Both are functions of Python around an operator, whose graph a step would be hidden in, or (associative) a tree of partial results. While a model is
captured they run as what their documentation says they mean: the step for each slice, one after the other. So a whole model has the
steps, and a stream finds them again (`strc.streaming.unrolled`). What is replaced are the functions by which PyTorch 2.11 runs them.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

Tensors = Sequence[torch.Tensor]

FOLDER = "torch._higher_order_ops"
IDENTITIES = (0.0, 1.0, -math.inf, math.inf)
MOST_TRIED = 256


def slices(xs: Tensors, step: int) -> list[torch.Tensor]:
    return [x.select(0, step) for x in xs]


def stacked(steps: Sequence[Tensors]) -> list[torch.Tensor]:
    return [torch.stack(column) for column in zip(*steps)]


def scanned(_: Any, step: Callable[..., Any], init: Tensors, xs: Tensors) -> tuple[Any, Any]:
    """The state behind the last slice, and what each step gives."""
    state: Any = None
    given, spec = [], None
    carried = list(init)
    for k in range(xs[0].shape[0]):
        state, out = step(*carried, *slices(xs, k))
        carried = pytree.tree_leaves(state)
        leaves, spec = pytree.tree_flatten(out)
        given.append(leaves)
    return state, pytree.tree_unflatten(stacked(given), spec)


def associated(operator: Any, xs: Tensors, dim: int = 0, additional_inputs: Tensors = ()) -> list[torch.Tensor]:
    """What is combined of all slices up to each. With an element that changes nothing in front all steps are alike."""
    spec, combine = operator.keywords["spec"], inspect.getclosurevars(operator.keywords["combine_fn"]).nonlocals["func"]  # without its vmap

    def combined(one: Tensors, other: Tensors) -> list[torch.Tensor]:
        return list(pytree.tree_leaves(combine(pytree.tree_unflatten(list(one), spec), pytree.tree_unflatten(list(other), spec))))

    first = identity(combined, xs)
    now = slices(xs, 0)
    if first is not None:
        now = combined([torch.full(x.shape[1:], value, dtype=x.dtype) for x, value in zip(xs, first)], now)
    found = [now]
    for k in range(1, xs[0].shape[0]):
        now = combined(now, slices(xs, k))
        found.append(now)
    return stacked(found)


def identity(combined: Callable[[Tensors, Tensors], Tensors], xs: Tensors) -> tuple[float, ...] | None:
    """A value for each tensor that combined with anything gives that; found by trying, so only where the step takes no other tensors of a trace."""
    shapes = [tuple(x.shape[1:]) for x in xs]
    kinds = [x.dtype for x in xs]
    if len(IDENTITIES) ** len(xs) > MOST_TRIED or not all(kind.is_floating_point for kind in kinds):
        return None
    with _disable_current_modes(), torch.random.fork_rng(devices=[]), contextlib.suppress(Exception):  # of what a step does with such values
        for values in itertools.product(IDENTITIES, repeat=len(xs)):
            others = [torch.randn(shape, dtype=kind) for shape, kind in zip(shapes, kinds)]
            first = [torch.full(shape, value, dtype=kind) for shape, kind, value in zip(shapes, kinds, values)]
            if all(torch.equal(made, other) for made, other in zip(combined(first, others), others)):
                return values
    return None


REPLACED = {
    (f"{FOLDER}.scan", "_maybe_compile_and_run_fn"): scanned,
    (f"{FOLDER}.associative_scan", "generic_associative_scan"): associated,
}


@contextlib.contextmanager
def replaced(functions: Mapping[tuple[str, str], Any]) -> Iterator[None]:
    """While it lasts functions of modules, or of their classes, by the names of both, are others, in modules that have been loaded."""
    kept: list[tuple[Any, str, Any]] = []
    try:
        for (name, function), instead in functions.items():
            owner: Any = sys.modules.get(name)
            *classes, last = function.split(".")
            for one in classes:
                owner = getattr(owner, one, None)
            if hasattr(owner, last):  # other versions may have none
                kept.append((owner, last, getattr(owner, last)))
                setattr(owner, last, instead)
        yield
    finally:
        for owner, last, before in kept:
            setattr(owner, last, before)


def scans_as_loops() -> contextlib.AbstractContextManager[None]:
    """While it lasts both are loops."""
    return replaced(REPLACED)
