"""Models of scikit-learn and others: forests, linear models, scalers, of the domain ai.onnx.ml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
import torch
from numpy.typing import NDArray

from ...torch.lowering import NotLowered
from ..registry import ML, Node, operator
from ..stored import MOST_ELEMENTS

Array = NDArray[Any]
MOST_STEPS = 1000  # from a root to a leaf, which are written one after the other
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def words(values: Any) -> list[str]:
    return [one.decode() if isinstance(one, bytes) else str(one) for one in values or []]


def real(x: Any) -> Any:
    return x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)


def numbers(node: Node, name: str) -> Array | None:
    """An attribute as floats, or, of models with more digits, as doubles."""
    tensor = node.get(f"{name}_as_tensor")
    if tensor is not None:
        from onnx import numpy_helper

        return numpy.asarray(numpy_helper.to_array(tensor))
    given = node.get(name)
    return None if given is None else numpy.asarray(given, numpy.float32)


@dataclass(frozen=True)
class Trees:
    """Nodes of all trees, one behind the other. Leaves lead to themselves."""

    roots: list[int]
    feature: Array
    threshold: Array
    yes: Array
    no: Array
    mode: list[str]
    missing: Array
    weights: Array  # of each node, for each target
    depth: int

    def leaves(self, x: Any) -> Any:
        """Where each row of x ends in each tree."""
        at = torch.tensor(self.roots).unsqueeze(0).expand(x.shape[0], len(self.roots))
        feature, bounds = torch.from_numpy(self.feature), torch.from_numpy(self.threshold).to(x.dtype)
        yes, no, missing = torch.from_numpy(self.yes), torch.from_numpy(self.no), torch.from_numpy(self.missing)
        kinds = sorted(set(self.mode) - {"LEAF"}) or ["BRANCH_LEQ"]
        number = torch.tensor([kinds.index(mode) if mode in kinds else 0 for mode in self.mode])
        for _ in range(self.depth):
            value, bound = torch.gather(x, 1, feature[at]), bounds[at]
            goes = compared(value, bound, kinds[0])
            for k in range(1, len(kinds)):
                goes = torch.where(number[at] == k, compared(value, bound, kinds[k]), goes)
            if self.missing.any():
                goes = goes | (torch.isnan(value) & missing[at])
            at = torch.where(goes, yes[at], no[at])
        return at


def compared(value: Any, bound: Any, mode: str) -> Any:
    if mode == "BRANCH_LEQ":
        return value <= bound
    if mode == "BRANCH_LT":
        return value < bound
    if mode == "BRANCH_GTE":
        return value >= bound
    if mode == "BRANCH_GT":
        return value > bound
    return value == bound if mode == "BRANCH_EQ" else value != bound


def depth_of(roots: list[int], yes: Array, no: Array) -> int:
    """How many steps the longest way has. Raises `NotLowered` for nodes that lead back to each other."""
    level, steps = set(roots), 0
    while True:
        inner = {node for node in level if yes[node] != node or no[node] != node}
        if not inner:
            return steps
        level = {int(side[node]) for node in inner for side in (yes, no)}
        steps += 1
        if steps > len(yes):
            raise NotLowered("its trees lead back to nodes above")
        if steps > MOST_STEPS:
            raise NotLowered(f"its trees are deeper than {MOST_STEPS} nodes")


def trees_of(node: Node, kind: str) -> tuple[Trees, int]:
    """The trees of the older operators, by attributes that list nodes; how many targets they have."""
    trees, ids = list(node.get("nodes_treeids")), list(node.get("nodes_nodeids"))
    place = {key: k for k, key in enumerate(zip(trees, ids))}
    modes = words(node.get("nodes_modes"))
    unknown = set(modes) - {*MODES, "LEAF"}
    if unknown:
        raise NotLowered(f"nodes of {sorted(unknown)[0]}")
    own = numpy.arange(len(ids))
    leaf = numpy.array([mode == "LEAF" for mode in modes])
    try:
        yes, no = (
            numpy.array([k if leaf[k] else place[trees[k], child] for k, child in enumerate(node.get(name))]) for name in ("nodes_truenodeids", "nodes_falsenodeids")
        )
        at = [place[key] for key in zip(node.get(f"{kind}_treeids"), node.get(f"{kind}_nodeids"))]
    except KeyError as error:
        raise NotLowered(f"a node that is not there, {error}") from error
    targets, values = list(node.get(f"{kind}_ids")), numbers(node, f"{kind}_weights")
    assert values is not None
    width = max([int(node.get("n_targets", 1)), *(target + 1 for target in targets)])
    if width * len(ids) > MOST_ELEMENTS:
        raise NotLowered(f"{width} targets of {len(ids)} nodes")
    weights = numpy.zeros((len(ids), width), values.dtype)
    for row, target, value in zip(at, targets, values):
        weights[row, target] += value
    bounds = numbers(node, "nodes_values")
    assert bounds is not None
    missing = numpy.array(node.get("nodes_missing_value_tracks_true") or [0] * len(ids)) != 0
    children = {*yes[~leaf].tolist(), *no[~leaf].tolist()}
    roots = [k for k in own.tolist() if k not in children]
    if len(roots) != len(set(trees)):
        raise NotLowered("a tree without one root")
    made = Trees(roots, numpy.where(leaf, 0, node.get("nodes_featureids")), bounds, yes, no, modes, missing, weights, depth_of(roots, yes, no))
    return made, width


def summed(node: Node, trees: Trees, x: Any, how: str) -> Any:
    weights = torch.from_numpy(trees.weights).to(x.dtype)
    found = weights[trees.leaves(x)]
    if how == "SUM":
        return found.sum(1)
    if how == "AVERAGE":
        return found.sum(1) / len(trees.roots)
    return found.amax(1) if how == "MAX" else found.amin(1)


def transformed(scores: Any, how: str) -> Any:
    """What is made of scores at the end."""
    if how == "LOGISTIC":
        return torch.sigmoid(scores)
    if how == "SOFTMAX":
        return torch.softmax(scores, 1)
    if how == "SOFTMAX_ZERO":
        made = torch.where(scores == 0, torch.zeros_like(scores), torch.exp(scores - scores.amax(1, keepdim=True)))
        return made / made.sum(1, keepdim=True)
    if how != "NONE":
        raise NotLowered(f"the function {how} of scores")
    return scores


def labels_of(node: Node, names: tuple[str, str]) -> list[int]:
    """The classes as whole numbers; those that are texts are numbered."""
    ints = node.get(names[0])
    return list(ints) if ints else list(range(len(node.get(names[1]) or [])))


@operator("TreeEnsembleRegressor", domain=ML)
def tree_regressor(node: Node, x: Any) -> Any:
    x = real(x)
    trees, _ = trees_of(node, "target")
    base = numbers(node, "base_values")
    scores = summed(node, trees, x, node.get("aggregate_function", "SUM"))
    if base is not None and len(base):
        scores = scores + torch.from_numpy(base).to(x.dtype)
    return transformed(scores, node.get("post_transform", "NONE")).to(torch.float32)


@operator("TreeEnsembleClassifier", domain=ML)
def tree_classifier(node: Node, x: Any) -> Any:
    x = real(x)
    labels = torch.tensor(labels_of(node, ("classlabels_int64s", "classlabels_strings")))
    trees, width = trees_of(node, "class")
    scores = summed(node, trees, x, "SUM")
    base, how = numbers(node, "base_values"), node.get("post_transform", "NONE")
    binary = len(labels) == 2 and len(set(node.get("class_ids"))) == 1
    scores = scores.narrow(1, max(node.get("class_ids")) if binary else 0, 1 if binary else width)
    if base is not None and len(base):
        scores = scores + torch.from_numpy(base).to(x.dtype)[-scores.shape[1] :]
    if not binary:
        made = transformed(scores, how)
        return labels[torch.argmax(scores, 1)], made.to(torch.float32)
    return two_classes(scores, how, bool((trees.weights >= 0).all()), labels)


def two_classes(scores: Any, how: str, is_share: bool, labels: Any) -> Any:
    """Two classes by the score of the second one, which is a share of 1 if no weight is negative."""
    bound = 0.5 if is_share and how == "NONE" else 0.0
    place = (scores.squeeze(1) > bound).to(torch.int64)
    if how == "NONE":
        both = torch.cat([1 - scores if is_share else -scores, scores], 1)
    elif how == "LOGISTIC":
        both = torch.cat([1 - torch.sigmoid(scores), torch.sigmoid(scores)], 1)
    else:
        both = transformed(torch.cat([-scores, scores], 1), how)
    return labels[place], both.to(torch.float32)


@operator("TreeEnsemble", domain=ML)
def tree_ensemble(node: Node, x: Any) -> Any:
    """The operator of version 5, whose leaves are apart from the nodes."""
    from onnx import numpy_helper

    arrays = {name: numpy.asarray(numpy_helper.to_array(node.get(name))) for name in ("nodes_modes", "nodes_splits", "leaf_weights")}
    modes = [MODES[mode] if mode < 4 else "BRANCH_EQ" if mode == 4 else "BRANCH_NEQ" if mode == 5 else "BRANCH_MEMBER" for mode in arrays["nodes_modes"]]
    if "BRANCH_MEMBER" in modes:
        raise NotLowered("nodes that ask for members of a set")
    count, leaves = len(modes), len(arrays["leaf_weights"])
    yes, no = (
        numpy.array([child + (count if is_leaf else 0) for child, is_leaf in zip(node.get(f"nodes_{side}nodeids"), node.get(f"nodes_{side}leafs"))] + list(range(count, count + leaves)))
        for side in ("true", "false")
    )
    weights = numpy.zeros((count + leaves, node.get("n_targets")), arrays["leaf_weights"].dtype)
    weights[numpy.arange(leaves) + count, list(node.get("leaf_targetids"))] = arrays["leaf_weights"]
    missing = numpy.array([*(node.get("nodes_missing_value_tracks_true") or [0] * count), *[0] * leaves]) != 0
    feature = numpy.array([*node.get("nodes_featureids"), *[0] * leaves])
    bounds = numpy.concatenate([arrays["nodes_splits"], numpy.zeros(leaves, arrays["nodes_splits"].dtype)])
    roots = list(node.get("tree_roots"))
    trees = Trees(roots, feature, bounds, yes, no, [*modes, *["LEAF"] * leaves], missing, weights, depth_of(roots, yes, no))
    how = ("AVERAGE", "SUM", "MIN", "MAX")[node.get("aggregate_function", 1)]
    ends = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")[node.get("post_transform", 0)]
    return transformed(summed(node, trees, x, how), ends)


@operator("LinearRegressor", domain=ML)
def linear_regressor(node: Node, x: Any) -> Any:
    x = real(x)
    targets = node.get("targets", 1)
    weights = torch.tensor(node.get("coefficients")).reshape(targets, -1).to(x.dtype)
    made = torch.matmul(x, weights.t())
    given = node.get("intercepts")
    made = made if not given else made + torch.tensor(given).to(x.dtype)
    return transformed(made, node.get("post_transform", "NONE")).to(torch.float32)


@operator("LinearClassifier", domain=ML)
def linear_classifier(node: Node, x: Any) -> Any:
    x = real(x)
    labels = torch.tensor(labels_of(node, ("classlabels_ints", "classlabels_strings")))
    given, how = node.get("intercepts"), node.get("post_transform", "NONE")
    rows = len(given) if given else len(labels)
    scores = torch.matmul(x, torch.tensor(node.get("coefficients")).reshape(rows, -1).t().to(x.dtype))
    scores = scores if not given else scores + torch.tensor(given).to(x.dtype)
    if scores.shape[1] == 1:
        return two_classes(scores, how, False, labels)
    made = transformed(scores, how)
    return labels[torch.argmax(made, 1)], made.to(torch.float32)


@operator("Scaler", domain=ML)
def scaler(node: Node, x: Any) -> Any:
    x = real(x)
    return ((x - torch.tensor(node.get("offset") or [0.0]).to(x.dtype)) * torch.tensor(node.get("scale") or [1.0]).to(x.dtype)).to(torch.float32)


@operator("Normalizer", domain=ML)
def normalizer(node: Node, x: Any) -> Any:
    x, kind = real(x), node.get("norm", "MAX")
    length = torch.amax(torch.abs(x) if kind != "MAX" else x, 1, True)
    if kind == "L1":
        length = torch.abs(x).sum(1, keepdim=True)
    if kind == "L2":
        length = torch.sqrt((x * x).sum(1, keepdim=True))
    return (x / torch.where(length == 0, torch.ones_like(length), length)).to(torch.float32)


@operator("Binarizer", domain=ML)
def binarizer(node: Node, x: Any) -> Any:
    return (x > node.get("threshold", 0.0)).to(x.dtype)


@operator("Imputer", domain=ML)
def imputer(node: Node, x: Any) -> Any:
    floats = x.dtype.is_floating_point
    values = torch.tensor(node.get("imputed_value_floats" if floats else "imputed_value_int64s")).to(x.dtype)
    marked = node.get("replaced_value_float" if floats else "replaced_value_int64", 0)
    return torch.where(torch.isnan(x) if marked != marked else x == marked, values, x)


@operator("FeatureVectorizer", domain=ML)
def vectorizer(node: Node, *given: Any) -> Any:
    return torch.cat([one.reshape(one.shape[0], -1).to(torch.float32) for one in given], 1)


@operator("LabelEncoder", domain=ML)
def label_encoder(node: Node, x: Any) -> Any:
    """Numbers by a table of numbers; what is not in it becomes one value."""
    lists = {name: node.get(name) for name in ("keys_int64s", "keys_floats", "values_int64s", "values_floats") if node.get(name)}
    keys, values = (lists.get(f"{kind}_int64s", lists.get(f"{kind}_floats")) for kind in ("keys", "values"))
    for kind in ("keys", "values"):
        if node.get(f"{kind}_tensor") is not None:
            from ..stored import tensor_of

            found = tensor_of(node.get(f"{kind}_tensor")).tolist()
            keys, values = (found, values) if kind == "keys" else (keys, found)
    if keys is None or values is None:
        raise NotLowered("texts, which no stream has")
    whole = isinstance(values[0], int)
    other = node.get("default_int64", -1) if whole else node.get("default_float", 0.0)
    if node.get("default_tensor") is not None:
        from ..stored import tensor_of

        default = tensor_of(node.get("default_tensor"))
        other = default.reshape(-1)[0].item()
    made = torch.full(x.shape, other, dtype=torch.int64 if whole else torch.float32)
    for key, value in zip(keys, values):
        same = torch.isnan(x) if key != key else x == key
        made = torch.where(same, torch.tensor(value, dtype=made.dtype), made)
    return made
