"""What a model returns, as a tuple of tensors: also what is in dictionaries, dataclasses, and caches of keys and values."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import types
from collections.abc import Iterator, Mapping
from typing import Any

import torch

CACHES = "transformers.cache_utils"


def is_cache(value: Any) -> bool:
    """True of a cache of keys and values of the package transformers, which need not be there."""
    return any((kind.__module__, kind.__name__) == (CACHES, "Cache") for kind in type(value).__mro__)


def parts(value: Any) -> list[Any] | None:
    """What a value consists of, in order; None if it is no container."""
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, (tuple, list)):
        return list(value)
    if is_cache(value):
        return parts_of_cache(value)
    if dataclasses.is_dataclass(value):
        return [getattr(value, field.name) for field in dataclasses.fields(value)]
    return None


def parts_of_cache(cache: Any) -> list[Any]:
    """Keys and values of the layers that have seen something; of a cache with one for a decoder and one for its encoder those of both."""
    if hasattr(cache, "self_attention_cache"):
        return [cache.self_attention_cache, cache.cross_attention_cache]
    return [part for layer in cache.layers if getattr(layer, "keys", None) is not None for part in (layer.keys, layer.values)]


def flat(value: Any) -> Iterator[Any]:
    inside = parts(value)
    if inside is None:
        yield value
    else:
        for part in inside:
            yield from flat(part)


def as_tuple(result: Any) -> Any:
    return result if isinstance(result, torch.Tensor) else tuple(flat(result))


@contextlib.contextmanager
def plain_results(model: torch.nn.Module) -> Iterator[None]:
    """Lets the model return a tuple of all that is in its result."""
    own = vars(model).get("forward")  # what somebody has put in the place of the class's
    forward = own or type(model).forward

    @functools.wraps(forward)
    def flattening(*args: Any, **kwargs: Any) -> Any:
        return as_tuple(forward(*args, **kwargs))

    # A method, so that copies of the model call their own.
    model.forward = flattening if own else types.MethodType(flattening, model)
    try:
        yield
    finally:
        del model.forward
        if own:
            model.forward = own
