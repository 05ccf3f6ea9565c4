"""Transformers that work on features: scalers, imputers, encoders, selectors."""

from __future__ import annotations

from typing import Any

import numpy

from .builder import ELEMENTS, Array, Builder, Value

Estimator = Any


def numbers(value: Any, width: int, element: str, default: float) -> Array:
    """One number for each feature; what an estimator does not have is the one that changes nothing."""
    given = numpy.full(width, default) if value is None else numpy.asarray(value, numpy.float64)
    return given.astype(ELEMENTS[element])


def scaled(builder: Builder, name: str, path: str, x: Value, **stored: Array) -> Value:
    var = builder.add(name, (x.var,), x.element, features=x.width, weights=builder.store(path, **stored))
    return Value(var, x.width, x.element)


def clipped(builder: Builder, path: str, x: Value, low: float, high: float) -> Value:
    limits = {name: numbers([limit], 1, x.element, 0) for name, limit in (("low", low), ("high", high))}
    var = builder.add("Clip", (x.var,), x.element, weights=builder.store(f"{path}.clip", **limits))
    return Value(var, x.width, x.element)


def standard(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value:
    mean = numbers(estimator.mean_ if estimator.with_mean else None, x.width, x.element, 0)
    scale = numbers(estimator.scale_ if estimator.with_std else None, x.width, x.element, 1)
    return scaled(builder, "StandardScaler", path, x, mean=mean, scale=scale)


def robust(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value:
    center = numbers(estimator.center_ if estimator.with_centering else None, x.width, "double", 0)
    scale = numbers(estimator.scale_ if estimator.with_scaling else None, x.width, "double", 1)
    return scaled(builder, "RobustScaler", path, x, center=center, scale=scale)


def min_max(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value:
    scale, least = (numbers(value, x.width, "double", 0) for value in (estimator.scale_, estimator.min_))
    y = scaled(builder, "MinMaxScaler", path, x, scale=scale, min=least)
    return clipped(builder, path, y, *estimator.feature_range) if estimator.clip else y


def max_abs(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value:
    y = scaled(builder, "MaxAbsScaler", path, x, scale=numbers(estimator.scale_, x.width, "double", 1))
    return clipped(builder, path, y, -1, 1) if estimator.clip else y


def normalizer(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value:
    return Value(builder.add(f"Normalizer{estimator.norm.title()}", (x.var,), x.element), x.width, x.element)


def binarizer(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value:
    threshold = numbers([estimator.threshold], 1, "double", 0)
    var = builder.add("Binarizer", (x.var,), x.element, weights=builder.store(path, threshold=threshold))
    return Value(var, x.width, x.element)


def features(builder: Builder, path: str, x: Value, chosen: Any) -> Value:
    """Some of the features; all of them in their order need nothing."""
    index = numpy.asarray(chosen, numpy.int32)
    if numpy.array_equal(index, numpy.arange(x.width)):
        return x
    prefix = builder.store(path, feature=index)
    return Value(builder.add("Features", (x.var,), x.element, features=len(index), weights=prefix), len(index), x.element)


def selector(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value | None:
    chosen = estimator.get_support(indices=True)
    if not len(chosen):
        builder.refuse(estimator, path, "it selects no features")
        return None
    return features(builder, path, x, chosen)


def imputer(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value | None:
    missing = estimator.missing_values
    statistics = numpy.asarray(estimator.statistics_)
    if not isinstance(missing, float) or not numpy.isnan(missing):
        builder.refuse(estimator, path, f"it fills in for {missing!r}; only NaN can be missing")
    elif estimator.add_indicator:
        builder.refuse(estimator, path, "it adds indicators (add_indicator=True)")
    elif statistics.dtype.kind not in "fiu":
        builder.refuse(estimator, path, "it fills in values that are no numbers")
    else:
        kept = numpy.arange(x.width) if estimator.keep_empty_features else numpy.flatnonzero(~numpy.isnan(statistics))
        y = features(builder, f"{path}.kept", x, kept)
        return scaled(builder, "SimpleImputer", path, y, statistics=numbers(statistics[kept], y.width, x.element, 0))
    return None


def function(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value | None:
    """A FunctionTransformer without a function, which is what a ColumnTransformer makes of "passthrough"."""
    if estimator.func is None:
        return x
    builder.refuse(estimator, path, "its function is one of Python; only func=None has a translation")
    return None


def one_hot(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value | None:
    infrequent = getattr(estimator, "infrequent_categories_", None) if estimator._infrequent_enabled else None
    if any(kinds.dtype.kind not in "fiu" for kinds in estimator.categories_):
        builder.refuse(estimator, path, "its categories are no numbers; tensors have no others")
    elif infrequent is not None and any(kinds is not None for kinds in infrequent):
        builder.refuse(estimator, path, "it puts infrequent categories together")
    elif any(numpy.isnan(kinds.astype(numpy.float64)).any() for kinds in estimator.categories_):
        builder.refuse(estimator, path, "NaN is one of its categories")
    else:
        feature, category = [], []
        for i, kinds in enumerate(estimator.categories_):
            gone = None if estimator.drop_idx_ is None else estimator.drop_idx_[i]
            kept = [kind for k, kind in enumerate(kinds) if k != gone]
            feature += [i] * len(kept)
            category += kept
        prefix = builder.store(path, feature=numpy.array(feature, numpy.int32), category=numpy.array(category, numpy.float64))
        var = builder.add("OneHotEncoder", (x.var,), x.element, outputs=len(feature), weights=prefix)
        return Value(var, len(feature), "double")
    return None


CONVERTERS = {
    "StandardScaler": standard, "RobustScaler": robust, "MinMaxScaler": min_max, "MaxAbsScaler": max_abs, "Normalizer": normalizer,
    "Binarizer": binarizer, "SimpleImputer": imputer, "OneHotEncoder": one_hot,
    "FunctionTransformer": function,
    **dict.fromkeys(
        ("VarianceThreshold", "SelectKBest", "SelectPercentile", "SelectFromModel", "SelectFpr", "SelectFdr", "SelectFwe", "RFE", "RFECV",
         "GenericUnivariateSelect", "SequentialFeatureSelector"), selector),
}
