"""Linear models."""

from __future__ import annotations

from typing import Any

import numpy

from .builder import Builder, Value
from .results import Results, binary, multiclass, values

Estimator = Any


def scores(builder: Builder, estimator: Estimator, path: str, x: Value) -> tuple[int, int]:
    """X W^T + b, and how many scores an item gets."""
    weight = numpy.atleast_2d(numpy.asarray(estimator.coef_, numpy.float64))
    bias = numpy.broadcast_to(numpy.asarray(estimator.intercept_, numpy.float64).reshape(-1), len(weight))
    prefix = builder.store(path, weight=weight, bias=bias)
    return builder.add("Linear", (x.var,), x.element, features=x.width, outputs=len(weight), weights=prefix), len(weight)


def regressor(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    var, width = scores(builder, estimator, path, x)
    return values(builder, var, width, numpy.ndim(estimator.coef_) == 1)


def log_link(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    """Generalised linear models."""
    var, _ = scores(builder, estimator, path, x)
    link = type(estimator._base_loss.link).__name__
    if link not in ("IdentityLink", "LogLink"):
        builder.refuse(estimator, path, f"its link {link} is not known")
    return values(builder, builder.add("Exp", (var,)) if link == "LogLink" else var, 1)


def classifier(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    """One that has scores, and no probabilities."""
    if not fits(builder, estimator, path):
        return {}
    var, width = scores(builder, estimator, path, x)
    return binary(builder, var, "AboveZero", None) if width == 1 else multiclass(builder, var, None)


def fits(builder: Builder, estimator: Estimator, path: str) -> bool:
    """False if the classifier decides several things at once, which is refused."""
    if numpy.ndim(estimator.classes_) != 1 or (len(estimator.classes_) == 2) != (len(numpy.atleast_2d(estimator.coef_)) == 1):
        builder.refuse(estimator, path, "it predicts several classes at once; a classifier has to have one output")
        return False
    return True


def logistic(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    """Sigmoid for two classes, softmax for more."""
    if not fits(builder, estimator, path):
        return {}
    var, width = scores(builder, estimator, path, x)
    if width == 1:
        return binary(builder, var, "AboveZero", builder.filter("sigmoid", (var,)))
    return multiclass(builder, var, builder.filter("softmax", (var,), 1))


def descent(builder: Builder, estimator: Estimator, path: str, x: Value) -> Results:
    """SGDClassifier: probabilities are each class's own, divided by their sum."""
    if estimator.loss not in ("log_loss", "modified_huber") or not fits(builder, estimator, path):
        return classifier(builder, estimator, path, x)
    var, width = scores(builder, estimator, path, x)
    own = builder.filter("sigmoid", (var,)) if estimator.loss == "log_loss" else builder.add("Clipped", (var,))
    if width == 1:
        return binary(builder, var, "AboveZero", own)
    return multiclass(builder, var, builder.add("ShareOfEach", (own,)))


CONVERTERS = {
    **dict.fromkeys(
        ("LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV", "Lars", "LarsCV", "LassoLars",
         "LassoLarsCV", "LassoLarsIC", "OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV", "BayesianRidge", "ARDRegression",
         "SGDRegressor", "PassiveAggressiveRegressor", "HuberRegressor", "TheilSenRegressor", "QuantileRegressor", "LinearSVR",
         "MultiTaskLasso", "MultiTaskLassoCV", "MultiTaskElasticNet", "MultiTaskElasticNetCV"), regressor),
    **dict.fromkeys(("PoissonRegressor", "GammaRegressor", "TweedieRegressor"), log_link),
    **dict.fromkeys(("RidgeClassifier", "RidgeClassifierCV", "Perceptron", "PassiveAggressiveClassifier", "LinearSVC"), classifier),
    **dict.fromkeys(("LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"), logistic),
    "SGDClassifier": descent,
}
