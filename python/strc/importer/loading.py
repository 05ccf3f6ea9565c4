"""The model that a user names."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from ..errors import ImportFailure
from ..torch.capture import first_lines
from ..torch.places import at_line, own_place


def load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ImportFailure(f"there is no file '{path}'")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportFailure(f"'{path}' is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ImportFailure(
            f"'{path}' cannot be loaded: {type(error).__name__}: {first_lines(error)}{at_line(own_place(error.__traceback__))}"
        ) from error
    return module


def load_model(name: str) -> torch.nn.Module:
    """`FILE.py:NAME`, where NAME is a Module class, a Module, or a function without arguments that returns one."""
    file, _, attribute = name.rpartition(":")
    if not file or not attribute:
        raise ImportFailure(f"'{name}' is no FILE.py:NAME")
    module = load_file(Path(file))
    made: Any = getattr(module, attribute, None)
    if made is None:
        raise ImportFailure(f"'{file}' has no '{attribute}'")
    if callable(made) and not isinstance(made, torch.nn.Module):
        try:
            made = made()
        except Exception as error:
            raise ImportFailure(
                f"'{attribute}' cannot be called without arguments: {first_lines(error)}{at_line(own_place(error.__traceback__))}"
            ) from error
    if not isinstance(made, torch.nn.Module):
        raise ImportFailure(f"'{attribute}' gives a {type(made).__name__}, where a torch.nn.Module is expected")
    return made


def example(sizes: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Random numbers; integers are 0 or 1, which any table of vectors has."""
    if dtype.is_floating_point:
        return torch.randn(*sizes).to(dtype)
    return torch.randint(0, 2, tuple(sizes)).to(dtype)
