"""Models in training mode, in which some operators give something else than when the model runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from ..errors import ImportFailure, Place

ADVICE = "--eval puts it into the mode in which it runs; in Python model.eval() does"
MOST_PLACES = 3


def is_training(model: torch.nn.Module) -> bool:
    """True if a part of the model is in training mode."""
    return any(module.training for module in model.modules())


def trains(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether this call of an operator drops at random, or changes or ignores stored statistics, as it does in training alone."""
    schema = getattr(operator, "_schema", None)
    if schema is None:
        return False
    given = {**dict(zip((argument.name for argument in schema.arguments), args)), **kwargs}
    if given.get("dropout_p"):
        return True
    if not any(given.get(name) for name in ("train", "training", "use_input_stats")):
        return False
    has_statistics = "running_mean" not in given or given["running_mean"] is not None
    return bool(given.get("p", given.get("dropout", 1))) and has_statistics


def in_training(calls: Iterable[tuple[str, Place]]) -> ImportFailure:
    """What is said of a model with such calls: names of operators and their places."""
    found = list(dict.fromkeys(f"  {name}\n    {place}" for name, place in calls))
    more = [f"  and {len(found) - MOST_PLACES} more"] if len(found) > MOST_PLACES else []
    return ImportFailure("\n".join([f"the model is in training mode, where it computes otherwise; {ADVICE}:", *found[:MOST_PLACES], *more]))
