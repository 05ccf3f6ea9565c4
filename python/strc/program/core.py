"""The extension module, which is there if the package was installed with libstrc at hand."""

from __future__ import annotations

import importlib
from types import ModuleType

# Stages and products, as strc.h numbers them.
PLANNED = 7
GRAPH_JSON, GRAPH_DOT, SCHEDULE, GRAPH_SVG = 3, 4, 5, 10
PRODUCTS = {
    "ast": 0, "ir": 1, "graph": 2, "json": GRAPH_JSON, "dot": GRAPH_DOT, "schedule": SCHEDULE, "plan": 6, "llvm": 7,
    "assembly": 8, "svg": GRAPH_SVG,
}


def core() -> ModuleType:
    """`strc._core`. Raises ImportError with what to do if it cannot be had."""
    try:
        return importlib.import_module("strc._core")
    except ImportError as error:
        raise ImportError(
            f"strc.compile needs the extension of the package strc, which cannot be loaded ({error}). Install the package where libstrc "
            "is: `cmake --install build/release --prefix PREFIX`, then `CMAKE_PREFIX_PATH=PREFIX pip install ./python`"
        ) from None
