"""What is measured: estimators with the data that they learn from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
from sklearn import ensemble, linear_model
from sklearn.datasets import make_classification, make_regression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FEATURES = 20
ROWS = 10_000


@dataclass(frozen=True)
class Entry:
    name: str
    make: Callable[[], Any]
    classes: int = 3

    def fitted(self) -> Any:
        if self.classes:
            x, y = make_classification(4000, FEATURES, n_informative=12, n_classes=self.classes, random_state=0)
        else:
            x, y = make_regression(4000, FEATURES, noise=5.0, random_state=0)
        return self.make().fit(x, y)


def inputs() -> Any:
    return numpy.random.default_rng(1).normal(0, 2, (ROWS, FEATURES)).astype(numpy.float32)


def entries() -> list[Entry]:
    return [
        Entry("scaler and logistic regression", lambda: make_pipeline(StandardScaler(), linear_model.LogisticRegression())),
        Entry("ridge", linear_model.Ridge, 0),
        Entry("stumps: 100 boosted, depth 1", lambda: ensemble.GradientBoostingClassifier(max_depth=1, random_state=0), 2),
        Entry("boosting: 100, depth 3", lambda: ensemble.GradientBoostingClassifier(random_state=0), 2),
        Entry("boosting: 100 x 3 classes, depth 3", lambda: ensemble.GradientBoostingClassifier(random_state=0)),
        Entry("histogram boosting: 100", lambda: ensemble.HistGradientBoostingClassifier(), 2),
        Entry("random forest: 100, depth 6", lambda: ensemble.RandomForestClassifier(max_depth=6, random_state=0)),
        Entry("random forest: 100, full", lambda: ensemble.RandomForestClassifier(random_state=0)),
        Entry("extra trees: 100, depth 10", lambda: ensemble.ExtraTreesClassifier(max_depth=10, random_state=0)),
        Entry("random forest regressor: 100, depth 8", lambda: ensemble.RandomForestRegressor(max_depth=8, random_state=0), 0),
    ]
