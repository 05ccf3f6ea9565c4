"""Which of the three ways a forest is computed, and the instruction that does it."""

from __future__ import annotations

import numpy

from ..errors import ImportFailure
from ..ir import Param
from .builder import ELEMENTS, Builder, Value
from .trees import TABLES, Forest, filled_depth

STRATEGIES = ("gemm", "perfect", "traversal")
FILTERS = {"gemm": "GemmTrees", "perfect": "PerfectTrees", "traversal": "TraversedTrees"}

# Measured by `benchmarks/sklearn/run.py --strategies`.
DEEPEST_GEMM = 2
FEWEST_ROWS_GEMM = 16
DEEPEST_PERFECT = 10
MOST_FILLED = 4  # times as many nodes
MOST_VALUES = 1 << 26  # in one table


def sizes(forest: Forest) -> dict[str, int]:
    """How many values the largest table of each strategy has."""
    count, width = len(forest.trees), forest.width
    leaves = max(int(tree.is_leaf.sum()) for tree in forest.trees)
    return {
        "gemm": count * leaves * max(leaves - 1, width),
        "perfect": count * width << filled_depth(forest),
        "traversal": sum(len(tree.left) for tree in forest.trees) * width,
    }


def choose(forest: Forest, batch: int | None = None) -> str:
    """Products for trees of very few levels and many rows, where they are less work than steps; filled up trees while that does not
    make much larger tables; trees as they are for all others.
    """
    nodes = sum(len(tree.left) for tree in forest.trees)
    if forest.depth <= DEEPEST_GEMM and (batch is None or batch >= FEWEST_ROWS_GEMM):
        return "gemm"
    if forest.depth <= DEEPEST_PERFECT and len(forest.trees) << forest.depth <= MOST_FILLED * nodes:
        return "perfect"
    return "traversal"


def add_forest(builder: Builder, forest: Forest, x: Value, prefix: str) -> int:
    """The sums of a forest, batch x (groups * width), in double. Raises `ImportFailure` if the strategy that is asked for takes too much."""
    strategy = choose(forest, builder.batch) if builder.strategy == "auto" else builder.strategy
    size = sizes(forest)[strategy]
    if size > MOST_VALUES:
        raise ImportFailure(
            f"the strategy {strategy!r} would take a table of {size} values for trees of {forest.depth} levels "
            f"(at most {MOST_VALUES}); \"traversal\" takes {sizes(forest)['traversal']}"
        )
    element = "float" if forest.is_single else "double"
    tables = TABLES[strategy](forest)
    if forest.marks_missing:
        tables["greatest"] = numpy.array([numpy.finfo(ELEMENTS[element]).max], ELEMENTS[element])
    weights = builder.store(prefix, **tables)
    builder.strategies[weights] = strategy
    shape: dict[str, Param] = {"trees": len(forest.trees)}
    if strategy == "gemm":
        shape |= {"nodes": tables["below"].shape[2], "leaves": tables["below"].shape[1]}
    else:
        shape["depth"] = filled_depth(forest) if strategy == "perfect" else forest.depth
    if strategy == "traversal":
        shape["nodes"] = len(tables["left"])
    shape["width"] = forest.width
    if forest.groups > 1:
        shape["groups"] = forest.groups
    name = FILTERS[strategy] + ("_missing" if forest.marks_missing else "")
    return builder.add(name, (x.var,), element, **shape, weights=weights)
