"""Exported estimators give what scikit-learn gives."""

import numpy
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn_cases import FEATURES, cases, fitted  # noqa: E402
from sklearn_support import compare, export, run_program  # noqa: E402

CASES = dict(cases())


def unseen(rows, seed, dtype=numpy.float32):
    return numpy.random.default_rng(seed).normal(0, 1.5, (rows, FEATURES)).astype(dtype)


@pytest.mark.parametrize("name", CASES)
def test_equals(name, tmp_path):
    model, x, y = CASES[name]
    fitted(model, x, y)
    exported = export(model, tmp_path)
    inputs = x if name.startswith("coded") else numpy.concatenate([x, unseen(70, 1)])
    compare(exported, model, inputs, run_program(tmp_path, exported, inputs))


@pytest.mark.parametrize("name", ["standard-3", "robust-2", "min_max_clip-2", "forest-3", "histogram-2", "logistic-3", "coded_forest"])
def test_doubles(name, tmp_path):
    model, x, y = CASES[name]
    x = x.astype(numpy.float64) * 1.1  # no floats
    fitted(model, x, y)
    exported = export(model, tmp_path, dtype="double")
    found = run_program(tmp_path, exported, x)
    compare(exported, model, x, found)
    assert found["probabilities"].dtype == numpy.float64


@pytest.mark.parametrize("name", ["logistic-2", "logistic-3", "boosting-2", "histogram-3", "ridge-2"])
def test_outputs(name, tmp_path):
    """All outputs at once, and one alone, for which the program does no more."""
    model, x, y = CASES[name]
    fitted(model, x, y)
    kinds = ("decision", "class") if name == "ridge-2" else ("decision", "class", "probabilities")
    exported = export(model, tmp_path, outputs=kinds)
    compare(exported, model, x, run_program(tmp_path, exported, x))
    alone = export(model, tmp_path, outputs=("class",))
    compare(alone, model, x, run_program(tmp_path, alone, x))
    assert len(alone.program.instructions) < len(exported.program.instructions)


def test_batches(tmp_path):
    """With a batch a file is a stack of items."""
    model, x, y = CASES["forest-3"]
    fitted(model, x, y)
    exported = export(model, tmp_path, batch=50)
    found = run_program(tmp_path, exported, x.reshape(4, 50, FEATURES))
    compare(exported, model, x, {"class": found["class"].reshape(-1), "probabilities": found["probabilities"].reshape(-1, 3)})
    exported = export(model, tmp_path)
    for rows in (1, 63, 64, 65, 128, 131):
        compare(exported, model, x[:rows], run_program(tmp_path, exported, x[:rows]))


def test_names_of_classes(tmp_path):
    model, x, y = CASES["logistic-3"]
    names = numpy.array(["maple", "oak", "pine"])
    fitted(model, x, names[y])
    exported = export(model, tmp_path, name="Leaves")
    assert exported.name == "Leaves"
    assert "// Classes: 0 maple, 1 oak, 2 pine" in (tmp_path / "model.str").read_text()
    compare(exported, model, x, run_program(tmp_path, exported, x))
