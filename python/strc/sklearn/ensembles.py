"""Decision trees and what is made of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy

from ..errors import ImportFailure
from .builder import Builder, Value
from .results import Results, binary, multiclass, values
from .strategies import add_forest
from .trees import Floats, Forest, Tree

Estimator = Any


def tree_of(estimator: Estimator, scale: float | None = None) -> Tree:
    """A tree of scikit-learn's `tree` module; its values times a scale."""
    tree = estimator.tree_
    classifies = hasattr(estimator, "classes_")
    value: Floats = tree.value[:, 0, :] if classifies else tree.value[:, :, 0]
    return Tree(
        tree.feature.astype(numpy.int32), tree.threshold.astype(numpy.float64), tree.children_left.astype(numpy.int32),
        tree.children_right.astype(numpy.int32), ~tree.missing_go_to_left.astype(bool),
        value.astype(numpy.float64) if scale is None else scale * value,
    )


def allows_nan(estimator: Estimator) -> bool:
    return bool(estimator.__sklearn_tags__().input_tags.allow_nan)


def averaged(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    """A single tree, or a forest whose trees count alike."""
    outputs = numpy.atleast_1d(estimator.n_outputs_)
    if hasattr(estimator, "classes_") and (len(outputs) > 1 or outputs[0] > 1):
        builder.refuse(estimator, path, "it predicts several classes at once; a classifier has to have one output")
        return {}
    trees = [tree_of(member) for member in getattr(estimator, "estimators_", [estimator])]
    forest = Forest(trees, 1, x.width, True, allows_nan(estimator))
    var = add_forest(builder, forest, x, path)
    if len(trees) > 1:
        var = builder.add("Average", (var,), trees=len(trees))
    if not hasattr(estimator, "classes_"):
        return values(builder, var, forest.width)
    return {"class": builder.filter("argmax", (var,), 1), "probabilities": var}


def with_first(trees: list[Tree], first: Floats) -> list[Tree]:
    """Trees whose sums begin with a value for each group: the first tree of a group gives it, too, rounded as scikit-learn's sum is."""
    return [replace(tree, value=first[i] + tree.value) if i < len(first) else tree for i, tree in enumerate(trees)]


def boosted(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    """GradientBoostingClassifier and -Regressor."""
    first_guess = estimator.init_
    if not isinstance(first_guess, str) and type(first_guess).__name__ not in ("DummyClassifier", "DummyRegressor"):
        builder.refuse(estimator, path, f"it begins with an estimator of its own (init={type(first_guess).__name__})")
        return {}
    start = estimator._raw_predict_init(numpy.zeros((1, x.width), numpy.float32))[0]
    trees = [tree_of(tree, estimator.learning_rate) for row in estimator.estimators_ for tree in row]
    forest = Forest(with_first(trees, start), len(start), x.width, True, False)
    var = add_forest(builder, forest, x, path)
    if not hasattr(estimator, "classes_"):
        return values(builder, var, 1)
    if len(start) > 1:
        return multiclass(builder, var, builder.filter("softmax", (var,), 1))
    doubled = builder.add("Double", (var,)) if estimator.loss == "exponential" else var
    return binary(builder, var, "NotBelowZero", builder.filter("sigmoid", (doubled,)))


def histogram_tree(nodes: Any) -> Tree:
    """A tree of the histogram estimators, a table of nodes."""
    ends = nodes["is_leaf"].astype(bool)
    child = {side: numpy.where(ends, -1, nodes[side].astype(numpy.int32)).astype(numpy.int32) for side in ("left", "right")}
    return Tree(
        numpy.where(ends, 0, nodes["feature_idx"]).astype(numpy.int32), numpy.where(ends, 0, nodes["num_threshold"]), child["left"],
        child["right"], ~nodes["missing_go_to_left"].astype(bool) & ~ends, nodes["value"].astype(numpy.float64).reshape(-1, 1),
    )


def histogram_boosted(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    """HistGradientBoostingClassifier and -Regressor."""
    tables = [predictor.nodes for row in estimator._predictors for predictor in row]
    if any(bool(nodes["is_categorical"].any()) for nodes in tables) or estimator.is_categorical_ is not None:
        builder.refuse(estimator, path, "it has categorical features; encode them before it, as by OneHotEncoder")
        return {}
    start = numpy.asarray(estimator._baseline_prediction, numpy.float64).reshape(-1)
    trees = with_first([histogram_tree(nodes) for nodes in tables], start)
    if not trees:
        raise ImportFailure("it has no trees")
    forest = Forest(trees, len(start), x.width, x.element == "float", True)
    var = add_forest(builder, forest, x, path)
    if not hasattr(estimator, "classes_"):
        if estimator.loss in ("poisson", "gamma"):
            var = builder.add("Exp", (var,))
        return values(builder, var, 1)
    if len(start) > 1:
        return multiclass(builder, var, builder.filter("softmax", (var,), 1))
    return binary(builder, var, "AboveZero", builder.filter("sigmoid", (var,)))


CONVERTERS = {
    **dict.fromkeys(
        ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor", "RandomForestClassifier",
         "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"), averaged),
    **dict.fromkeys(("GradientBoostingClassifier", "GradientBoostingRegressor"), boosted),
    **dict.fromkeys(("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"), histogram_boosted),
}
