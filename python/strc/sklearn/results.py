"""What predictors give: variables by what they are.

    class           batch; the number of a class in `classes_`
    probabilities   batch x classes
    decision        batch, or batch x classes; scikit-learn's `decision_function`
    value           batch, or batch x outputs; a regressor's prediction
"""

from __future__ import annotations

from .builder import Builder

Results = dict[str, int]

KINDS = ("class", "probabilities", "decision", "value", "transformed")


def values(builder: Builder, var: int, width: int, is_vector: bool = True) -> Results:
    """A regressor's, from batch x width values; one of them for each item is a vector, unless it was asked for as a matrix."""
    return {"value": builder.filter("squeeze", (var,), 1) if width == 1 and is_vector else var}


def binary(builder: Builder, score: int, rule: str, second: int | None) -> Results:
    """A classifier's of two classes, from batch x 1 scores, the filter that makes classes of them, and the probability of the second."""
    found = {"class": builder.add(rule, (score,))}
    if second is not None:
        found["probabilities"] = builder.add("BothClasses", (second,))
    return {**found, "decision": builder.filter("squeeze", (score,), 1)}


def multiclass(builder: Builder, scores: int, probabilities: int | None) -> Results:
    """A classifier's, from a score for each class."""
    found = {"class": builder.filter("argmax", (scores,), 1)}
    if probabilities is not None:
        found["probabilities"] = probabilities
    return {**found, "decision": scores}
