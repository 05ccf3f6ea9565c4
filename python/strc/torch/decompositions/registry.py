"""What operators are made of, by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = Callable[..., Any]
OWN: dict[str, Function] = {}
F = TypeVar("F", bound=Function)


def made_of(*names: str) -> Callable[[F], F]:
    """Enters a function of tensors for operators (`topk.default`, without `aten.`), whose arguments it takes."""

    def enter(function: F) -> F:
        for name in names:
            OWN[name] = function
        return function

    return enter
