"""From estimators to instructions: pipelines, what they are made of, and the tables of all converters."""

from __future__ import annotations

from typing import Any

import numpy
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..errors import ImportFailure
from . import ensembles, linear, transformers
from .builder import Builder, Value
from .results import Results

Estimator = Any

PREDICTORS = {**linear.CONVERTERS, **ensembles.CONVERTERS}
TRANSFORMERS = dict(transformers.CONVERTERS)


def inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def known(estimator: Estimator, name: str) -> bool:
    """True for a class of scikit-learn itself: one that is derived from it may do something else."""
    return type(estimator).__name__ == name and type(estimator).__module__.startswith("sklearn.")


def is_fitted(builder: Builder, estimator: Estimator, path: str) -> bool:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        builder.refuse(estimator, path, "it is not fitted; call fit first")
        return False
    return True


def converter_of(builder: Builder, estimator: Estimator, path: str, table: dict[str, Any], what: str) -> Any:
    """The converter, or None: then it is noted why there is none."""
    name = type(estimator).__name__
    if name not in table or not known(estimator, name):
        builder.refuse(estimator, path, f"there is no translation of this {what}")
        return None
    return table[name] if name in STATELESS or is_fitted(builder, estimator, path) else None


STATELESS = {"Normalizer", "Binarizer", "FunctionTransformer", "Pipeline"}


def transform(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value | None:
    """What a transformer gives; None where something cannot be exported, which is noted."""
    if estimator is None or (isinstance(estimator, str) and estimator == "passthrough"):
        return x
    convert = converter_of(builder, estimator, path, TRANSFORMERS, "transformer")
    return guarded(builder, estimator, path, convert, x) if convert else None


def predict(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    """What a predictor gives; nothing where something cannot be exported, which is noted."""
    convert = converter_of(builder, estimator, path, PREDICTORS, "estimator")
    return (guarded(builder, estimator, path, convert, x) or {}) if convert else {}


def guarded(builder: Builder, estimator: Estimator, path: str, convert: Any, x: Value) -> Any:
    """Calls a converter; what it raises is a further fault."""
    try:
        return convert(builder, estimator, path or type(estimator).__name__.lower(), x)
    except ImportFailure as fault:
        builder.refuse(estimator, path, str(fault))
        return None


def pipeline(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value | None:
    """A pipeline of transformers."""
    y: Value | None = x
    for name, step in estimator.steps:
        # Behind a step that cannot be exported the others are looked at all the same.
        y = transform(builder, step, inside(path, name), y or unknown(step, x)) or None
    return y


def unknown(step: Estimator, x: Value) -> Value:
    """What may come to a step behind one that cannot be exported."""
    return Value(x.var, int(getattr(step, "n_features_in_", x.width)), x.element)


def joined(builder: Builder, parts: list[Value]) -> Value:
    """Features side by side; as scikit-learn does it, in the wider type."""
    if len(parts) == 1:
        return parts[0]
    var = builder.filter("cat", tuple(part.var for part in parts), len(parts), 1)
    element = "double" if any(part.element == "double" for part in parts) else "float"
    return Value(var, sum(part.width for part in parts), element)


def columns(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value | None:
    """ColumnTransformer."""
    parts: list[Value | None] = []
    if estimator.transformer_weights:
        builder.refuse(estimator, path, "it weights its transformers")
        return None
    for name, step, chosen in estimator.transformers_:
        index = indices(estimator, chosen)
        if not len(index) or (isinstance(step, str) and step == "drop"):
            continue
        part = transformers.features(builder, inside(path, f"{name}.columns"), x, index)
        parts.append(transform(builder, step, inside(path, name), part))
    found = [part for part in parts if part is not None]
    return joined(builder, found) if found and len(found) == len(parts) else None


def indices(estimator: Estimator, chosen: Any) -> Any:
    """The numbers of columns that are given by name, slice, mask or number."""
    names = list(getattr(estimator, "feature_names_in_", []))
    if isinstance(chosen, slice):
        if isinstance(chosen.start, str) or isinstance(chosen.stop, str):
            last = len(names) if chosen.stop is None else names.index(chosen.stop) + 1
            return numpy.arange(0 if chosen.start is None else names.index(chosen.start), last)
        return numpy.arange(estimator.n_features_in_)[chosen]
    given = numpy.atleast_1d(numpy.asarray(chosen))
    if given.dtype.kind in "UO":
        return numpy.array([names.index(name) for name in given], numpy.int64)
    return numpy.arange(estimator.n_features_in_)[given] if len(given) else given


def union(builder: Builder, estimator: Estimator, path: str, x: Value) -> Value | None:
    """FeatureUnion."""
    if estimator.transformer_weights:
        builder.refuse(estimator, path, "it weights its transformers")
        return None
    steps = [(name, step) for name, step in estimator.transformer_list if not (isinstance(step, str) and step == "drop")]
    parts = [transform(builder, step, inside(path, name), x) for name, step in steps]
    found = [part for part in parts if part is not None]
    return joined(builder, found) if found and len(found) == len(parts) else None


TRANSFORMERS |= {"Pipeline": pipeline, "ColumnTransformer": columns, "FeatureUnion": union}


def convert(builder: Builder, estimator: Estimator, x: Value) -> tuple[Results, Estimator]:
    """All that an estimator gives, and its last step."""
    path = ""
    while known(estimator, "Pipeline"):
        for name, step in estimator.steps[:-1]:
            x = transform(builder, step, inside(path, name), x) or unknown(step, x)
        name, last = estimator.steps[-1]
        path, estimator = inside(path, name), last
        if builder.faults:
            x = unknown(estimator, x)
    if isinstance(estimator, str) or estimator is None or hasattr(estimator, "transform") and type(estimator).__name__ not in PREDICTORS:
        y = transform(builder, estimator, path, x)
        return ({"transformed": y.var} if y else {}), estimator
    return predict(builder, estimator, path, x), estimator
