"""The text of exported programs, and what is said of what cannot be exported."""

import subprocess

import numpy
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from safetensors.numpy import load_file  # noqa: E402
from sklearn import ensemble, linear_model, neighbors, svm, tree  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.datasets import load_iris  # noqa: E402
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler  # noqa: E402
from support import GOLDEN, STRC, golden  # noqa: E402

import strc.sklearn  # noqa: E402
from strc.errors import ImportFailure  # noqa: E402
from strc.ir import parse, show  # noqa: E402
from strc.sklearn.export import check_version  # noqa: E402

X, Y = load_iris(return_X_y=True)
X = X.astype(numpy.float32)


def columns():
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encoded = ColumnTransformer([("numbers", numbers, [0, 1]), ("codes", OneHotEncoder(handle_unknown="ignore"), [3])])
    return make_pipeline(encoded, linear_model.LogisticRegression())


CASES = {
    "logistic": (make_pipeline(StandardScaler(), linear_model.LogisticRegression()), {}),
    "gemm": (ensemble.RandomForestClassifier(3, max_depth=2, random_state=0), {"strategy": "gemm"}),
    "perfect": (ensemble.GradientBoostingClassifier(n_estimators=2, random_state=0), {"strategy": "perfect", "batch": 8}),
    "traversal": (ensemble.HistGradientBoostingRegressor(max_iter=2), {"strategy": "traversal", "dtype": "double"}),
    "columns": (columns(), {"outputs": ("class", "decision", "probabilities"), "name": "Iris"}),
}


@pytest.mark.parametrize("name", CASES)
def test_text(name):
    model, options = CASES[name]
    exported = strc.sklearn.import_estimator(model.fit(X, Y), **options)
    golden(f"sklearn_{name}.str", exported.source())
    text = show(exported.program)
    assert show(parse(text)) == text


@pytest.mark.parametrize("name", CASES)
def test_format(name):
    """The text is as `strc fmt` would write it."""
    done = subprocess.run([STRC, "fmt", "--check", GOLDEN / f"sklearn_{name}.str"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def fault_of(model, folder, **options):
    with pytest.raises(ImportFailure) as fault:
        strc.sklearn.export(model, folder / "model.str", **options)
    assert list(folder.iterdir()) == []
    return str(fault.value)


def test_all_faults_at_once(tmp_path):
    codes = OneHotEncoder().fit(numpy.array([["a"], ["b"]]))
    model = make_pipeline(PolynomialFeatures(), SimpleImputer(add_indicator=True), neighbors.KNeighborsClassifier()).fit(X, Y)
    model.steps.insert(1, ("codes", codes))
    told = fault_of(model, tmp_path)
    assert told.splitlines() == [
        "this cannot be exported from scikit-learn:",
        "  polynomialfeatures (PolynomialFeatures): there is no translation of this transformer",
        "  codes (OneHotEncoder): its categories are no numbers; tensors have no others",
        "  simpleimputer (SimpleImputer): it adds indicators (add_indicator=True)",
        "  kneighborsclassifier (KNeighborsClassifier): there is no translation of this estimator",
    ]


class Own(linear_model.Ridge):
    def predict(self, x):
        return 2 * super().predict(x)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (tree.DecisionTreeClassifier(), "it is not fitted"),
        (make_pipeline(StandardScaler(), linear_model.Ridge()), "it is not fitted"),
        (svm.SVC().fit(X, Y), "SVC: there is no translation of this estimator"),
        (FunctionTransformer(numpy.log1p).fit(X), "its function is one of Python"),
        (Own().fit(X, Y), "Own: there is no translation of this estimator"),
        (ensemble.RandomForestClassifier(2).fit(X, numpy.stack([Y, Y], 1)), "it predicts several classes at once"),
        (linear_model.RidgeClassifier().fit(X, numpy.stack([Y > 0, Y > 1], 1)), "it predicts several classes at once"),
        (ensemble.GradientBoostingRegressor(n_estimators=1, init=linear_model.Ridge()).fit(X, Y), "begins with an estimator of its own"),
        (ensemble.HistGradientBoostingRegressor(max_iter=1, categorical_features=[3]).fit(X.round(), Y), "it has categorical features"),
        (3, "this is no estimator of scikit-learn: int"),
        (tree.DecisionTreeClassifier, "this is no estimator of scikit-learn"),
    ],
)
def test_faults(model, words, tmp_path):
    assert words in fault_of(model, tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strategy": "fast"}, "there is no strategy 'fast': auto, gemm, perfect, traversal"),
        ({"dtype": "half"}, "inputs cannot be of type 'half': float or double"),
        ({"batch": 0}, "a batch of 0 items makes no sense"),
        ({"outputs": ("class", "value")}, "DecisionTreeClassifier gives no 'value': class, probabilities"),
        ({"outputs": ()}, "outputs have to be named, each once"),
        ({"outputs": ("class", "class")}, "outputs have to be named, each once"),
    ],
)
def test_arguments(options, words, tmp_path):
    assert words in fault_of(tree.DecisionTreeClassifier().fit(X, Y), tmp_path, **options)


def test_tables_that_are_too_large(tmp_path):
    deep = ensemble.RandomForestRegressor(1, bootstrap=False).fit(numpy.arange(60.0).reshape(-1, 1), 4.0 ** numpy.arange(60))
    told = fault_of(deep, tmp_path, strategy="perfect")
    assert "the strategy 'perfect' would take a table of" in told and '"traversal" takes' in told


def test_another_version():
    with pytest.raises(ImportFailure, match="this is scikit-learn 1.2.1, but estimators are exported with scikit-learn 1.9"):
        check_version("1.2.1")
    check_version("1.9.7")


def test_what_was_there_stays(tmp_path):
    (tmp_path / "model.str").write_text("mine")
    with pytest.raises(ImportFailure):
        strc.sklearn.export(svm.SVC().fit(X, Y), tmp_path / "model.str")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("model.str", "mine")]


def test_what_is_stored(tmp_path):
    """Values that nothing uses are not written, and the model stays as it was."""
    model = CASES["logistic"][0].fit(X, Y)
    before = model.predict_proba(X)
    exported = strc.sklearn.export(model, tmp_path / "model.str")
    stored = load_file(tmp_path / "model.safetensors")
    assert sorted(stored) == [
        "logisticregression.bias", "logisticregression.weight", "standardscaler.mean", "standardscaler.scale",
    ]
    assert exported.outputs == ("class", "probabilities") and exported.classes.tolist() == [0, 1, 2]
    assert (model.predict_proba(X) == before).all()
