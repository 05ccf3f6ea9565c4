"""Forests of decision trees, whatever made them, and the tables by which the three strategies compute them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from ..errors import ImportFailure

Ints = NDArray[numpy.int32]
Floats = NDArray[numpy.float64]
Array = NDArray[Any]


@dataclass(frozen=True)
class Tree:
    """Nodes, the root first. Where `left` is negative the node is a leaf; else an item goes left if its feature is not beyond the
    threshold, and one whose feature is missing goes right if `missing_right` says so.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    missing_right: NDArray[numpy.bool_]
    value: Floats  # nodes x width

    @property
    def is_leaf(self) -> NDArray[numpy.bool_]:
        return self.left < 0

    def levels(self) -> list[Ints]:
        """The nodes of each level."""
        found = [numpy.zeros(1, numpy.int32)]
        while True:
            inner = found[-1][~self.is_leaf[found[-1]]]
            if not len(inner):
                return found
            found.append(numpy.stack([self.left[inner], self.right[inner]], 1).reshape(-1))

    @property
    def depth(self) -> int:
        return len(self.levels()) - 1


@dataclass(frozen=True)
class Forest:
    """Trees whose leaves have `width` values; tree t adds to those of group t % groups. `is_single` if features are compared as floats,
    else as doubles; `missing` if NaN among the features means something.
    """

    trees: list[Tree]
    groups: int
    features: int
    is_single: bool
    missing: bool

    @property
    def width(self) -> int:
        return int(self.trees[0].value.shape[1])

    @property
    def depth(self) -> int:
        return max(tree.depth for tree in self.trees)

    @property
    def marks_missing(self) -> bool:
        """True if somewhere NaN goes right: it goes left by itself."""
        return self.missing and any(bool(tree.missing_right[~tree.is_leaf].any()) for tree in self.trees)

    def columns(self, tree: Tree) -> Ints:
        """The column that each node looks at. Where NaN goes right it is one of those behind the features, in which NaN is infinite."""
        beside = numpy.where(tree.missing_right, self.features, 0) if self.marks_missing else 0
        return (numpy.where(tree.is_leaf, 0, tree.feature) + beside * ~tree.is_leaf).astype(numpy.int32)

    def bounds(self, tree: Tree) -> Array:
        """The thresholds as the type in which they are compared. In the columns behind the features nothing but NaN is infinite."""
        found = round_down(tree.threshold) if self.is_single else tree.threshold
        if self.marks_missing:
            greatest = numpy.finfo(found.dtype).max
            if bool((tree.missing_right & (found == greatest)).any()):
                raise ImportFailure(f"it has a threshold of {greatest}, beyond which there is nothing but infinity")
            found = numpy.where(tree.missing_right & (found > greatest), greatest, found)
        return found


def round_down(threshold: Floats) -> NDArray[numpy.float32]:
    """The greatest floats that are not beyond the thresholds: for a float x, x <= threshold just if x <= that.

    If x <= threshold, x is one of the floats that are not beyond it, so not beyond the greatest; the other way round, that is not
    beyond the threshold itself. Rounding to nearest could go up to a float between both, which would then go the wrong way.
    """
    with numpy.errstate(over="ignore"):
        nearest = threshold.astype(numpy.float32)
    return numpy.where(nearest > threshold, numpy.nextafter(nearest, numpy.float32(-numpy.inf)), nearest)


def products(forest: Forest) -> dict[str, Array]:
    """Tables for products of matrices: conditions, which leaves are below them, how many each leaf needs, values."""
    count = len(forest.trees)
    nodes = max(1, *(int((~tree.is_leaf).sum()) for tree in forest.trees))
    leaves = max(int(tree.is_leaf.sum()) for tree in forest.trees)
    feature = numpy.zeros((count, nodes), numpy.int32)
    threshold = numpy.zeros((count, nodes), numpy.float32 if forest.is_single else numpy.float64)
    below = numpy.zeros((count, leaves, nodes), numpy.float32)
    needed = numpy.full((count, leaves, 1), -1 - nodes, numpy.float32)  # no sum is so low
    value = numpy.zeros((count, forest.width, leaves))
    for t, tree in enumerate(forest.trees):
        inner, ends = numpy.flatnonzero(~tree.is_leaf), numpy.flatnonzero(tree.is_leaf)
        feature[t, : len(inner)] = forest.columns(tree)[inner]
        threshold[t, : len(inner)] = forest.bounds(tree)[inner]
        paths = numpy.zeros((len(tree.left), len(tree.left)), numpy.float32)  # node x what is below it
        for level in tree.levels():
            for node in level[~tree.is_leaf[level]]:
                for child, side in ((tree.left[node], 1), (tree.right[node], -1)):
                    paths[:, child] = paths[:, node]
                    paths[node, child] = side
        below[t, : len(ends), : len(inner)] = paths[numpy.ix_(inner, ends)].T
        needed[t, : len(ends), 0] = (paths[:, ends] > 0).sum(0)
        value[t, :, : len(ends)] = tree.value[ends].T
    return {"feature": feature.reshape(-1), "threshold": threshold.reshape(-1, 1), "below": below, "needed": needed, "value": value}


def filled_depth(forest: Forest) -> int:
    """The depth to which trees are filled up. Tables cannot be empty, so a root that is a leaf gets children."""
    return max(1, forest.depth)


def perfect(forest: Forest) -> dict[str, Array]:
    """Tables for trees that are filled up to one depth. Level by level the nodes of all trees follow each other."""
    levels = [numpy.zeros(1, numpy.int32) for _ in forest.trees]
    columns, bounds = [forest.columns(tree) for tree in forest.trees], [forest.bounds(tree) for tree in forest.trees]
    feature, threshold = [], []
    for _ in range(filled_depth(forest)):
        for t, tree in enumerate(forest.trees):
            level = levels[t]
            feature.append(columns[t][level])
            threshold.append(bounds[t][level])
            ends = tree.is_leaf[level]
            children = [numpy.where(ends, level, side[level]) for side in (tree.left, tree.right)]
            levels[t] = numpy.stack(children, 1).reshape(-1)
    value = [tree.value[level] for tree, level in zip(forest.trees, levels)]
    return {name: numpy.concatenate(parts) for name, parts in (("feature", feature), ("threshold", threshold), ("value", value))}


def traversal(forest: Forest) -> dict[str, Array]:
    """Tables for trees as they are, one behind the other: where each begins, and for a node the left one of its children, which are
    neighbours. A leaf leads to itself.
    """
    rows: dict[str, list[Array]] = {"feature": [], "threshold": [], "left": [], "value": []}
    roots, start = [], 0
    for tree in forest.trees:
        order = numpy.concatenate(tree.levels())
        place = numpy.empty(len(tree.left), numpy.int32)
        place[order] = numpy.arange(len(order))
        ends = tree.is_leaf[order]
        rows["feature"].append(forest.columns(tree)[order])
        rows["threshold"].append(numpy.where(ends, numpy.inf, forest.bounds(tree)[order]).astype(forest.bounds(tree).dtype))
        rows["left"].append(start + numpy.where(ends, place[order], place[tree.left[order]]).astype(numpy.int32))
        rows["value"].append(tree.value[order])
        roots.append(start)
        start += len(order)
    return {"root": numpy.array(roots, numpy.int32).reshape(-1, 1), **{name: numpy.concatenate(parts) for name, parts in rows.items()}}


TABLES = {"gemm": products, "perfect": perfect, "traversal": traversal}
