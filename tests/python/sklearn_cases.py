"""Models of scikit-learn with what they are tried on."""

import warnings

import numpy
from sklearn import ensemble, linear_model, svm, tree
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification, make_regression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer, MaxAbsScaler, MinMaxScaler, Normalizer, OneHotEncoder, RobustScaler, StandardScaler,
)

FEATURES = 7


def classified(classes, dtype=numpy.float32):
    x, y = make_classification(200, FEATURES, n_informative=5, n_redundant=1, n_classes=classes, random_state=classes)
    return x.astype(dtype), y


def numbered(outputs=1):
    x, y = make_regression(200, FEATURES, n_targets=outputs, noise=2.0, random_state=outputs)
    return x.astype(numpy.float32), y


def with_codes():
    """Two features of few values behind five others, some of which are missing."""
    x, y = classified(3)
    x[:, 5:] = numpy.round(numpy.abs(x[:, 5:])) % 3
    x[::7, 1] = numpy.nan
    return x, y


def coded(last):
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    columns = ColumnTransformer([("numbers", numbers, [0, 1, 2, 3]), ("codes", OneHotEncoder(handle_unknown="ignore"), [5, 6])])
    return make_pipeline(columns, last)


def scaled(scaler):
    return make_pipeline(scaler, tree.DecisionTreeClassifier(max_depth=6, random_state=0))


def columns():
    """Transformers beside one another."""
    return FeatureUnion([
        ("scaled", StandardScaler()), ("signs", Binarizer()), ("best", SelectKBest(k=3)),
        ("nested", Pipeline([("robust", RobustScaler()), ("same", "passthrough"), ("unit", Normalizer("l1"))])),
    ])


def passed_through():
    """Columns that are left as they are, by name and by what remains."""
    given = ColumnTransformer([("scaled", RobustScaler(), [0, 3]), ("same", "passthrough", [5, 1]), ("gone", "drop", [2])], remainder="passthrough")
    return make_pipeline(given, svm.LinearSVC(random_state=0))


CLASSIFIERS = {
    "passed_through": passed_through(),
    "logistic": linear_model.LogisticRegression(),
    "logistic_cv": linear_model.LogisticRegressionCV(Cs=2, cv=2, l1_ratios=(0,), use_legacy_attributes=False),
    "ridge": linear_model.RidgeClassifier(),
    "sgd_hinge": linear_model.SGDClassifier(random_state=0),
    "sgd_log": linear_model.SGDClassifier(loss="log_loss", random_state=0),
    "sgd_huber": linear_model.SGDClassifier(loss="modified_huber", random_state=0),
    "perceptron": linear_model.Perceptron(random_state=0),
    "svc": svm.LinearSVC(random_state=0),
    "lda": LinearDiscriminantAnalysis(),
    "tree": tree.DecisionTreeClassifier(random_state=0),
    "stump": tree.DecisionTreeClassifier(max_depth=1),
    "extra_tree": tree.ExtraTreeClassifier(random_state=0),
    "forest": ensemble.RandomForestClassifier(12, max_depth=4, random_state=0),
    "extra_trees": ensemble.ExtraTreesClassifier(6, random_state=0),
    "boosting": ensemble.GradientBoostingClassifier(n_estimators=7, random_state=0),
    "boosting_zero": ensemble.GradientBoostingClassifier(n_estimators=3, init="zero", random_state=0),
    "histogram": ensemble.HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=7),
    "standard": scaled(StandardScaler()),
    "standard_mean": scaled(StandardScaler(with_std=False)),
    "robust": scaled(RobustScaler(with_centering=False)),
    "min_max": scaled(MinMaxScaler((-2, 3))),
    "min_max_clip": scaled(MinMaxScaler(clip=True)),
    "max_abs": scaled(MaxAbsScaler()),
    "normalizer": make_pipeline(Normalizer("max"), StandardScaler(), linear_model.LogisticRegression()),
}

REGRESSORS = {
    "linear": linear_model.LinearRegression(),
    "ridge": linear_model.Ridge(fit_intercept=False),
    "lasso": linear_model.Lasso(),
    "elastic_net": linear_model.ElasticNetCV(cv=2),
    "bayesian": linear_model.BayesianRidge(),
    "huber": linear_model.HuberRegressor(max_iter=1000),
    "sgd": make_pipeline(StandardScaler(), linear_model.SGDRegressor(random_state=0)),
    "svr": make_pipeline(MinMaxScaler(), svm.LinearSVR(random_state=0)),
    "tree": tree.DecisionTreeRegressor(max_depth=3),
    "forest": ensemble.RandomForestRegressor(5, random_state=0),
    "extra_trees": ensemble.ExtraTreesRegressor(5, max_depth=9, random_state=0),
    "boosting": ensemble.GradientBoostingRegressor(n_estimators=9, loss="huber", random_state=0),
    "histogram": ensemble.HistGradientBoostingRegressor(max_iter=9),
}

POSITIVE = {
    "poisson": linear_model.PoissonRegressor(),
    "gamma": linear_model.GammaRegressor(),
    "tweedie": linear_model.TweedieRegressor(power=0),
    "histogram_poisson": ensemble.HistGradientBoostingRegressor(max_iter=3, loss="poisson"),
}


def fitted(model, x, y=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(x, y)


def cases():
    """Name, fitted model, and inputs that it has not seen, which have features right at thresholds."""
    for classes in (2, 3):
        x, y = classified(classes)
        for name, model in CLASSIFIERS.items():
            yield f"{name}-{classes}", (model, x, y)
    yield "exponential", (ensemble.GradientBoostingClassifier(n_estimators=4, loss="exponential"), *classified(2))
    yield "coded", (coded(linear_model.LogisticRegression()), *with_codes())
    yield "coded_forest", (coded(ensemble.RandomForestClassifier(8, random_state=0)), *with_codes())
    yield "columns", (columns(), *classified(3))
    x, y = numbered()
    for name, model in REGRESSORS.items():
        yield f"{name}-values", (model, x, y)
    for name, model in POSITIVE.items():
        yield f"{name}-positive", (model, x, numpy.abs(y) / 100 + 0.1)
    for name in ("linear", "ridge", "forest"):
        yield f"{name}-two", (REGRESSORS[name], *numbered(2))
