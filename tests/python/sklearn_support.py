"""Running exported programs, and what scikit-learn says to the same inputs."""

import subprocess

import numpy
from support import STRC

import strc.sklearn


def run_words(folder, words, x, outputs, stem=""):
    """What a command leaves in the files of its outputs for some inputs."""
    numpy.save(folder / "x.npy", x)
    given = ["--in", "x.npy"]
    for i in range(len(outputs)):
        given += ["--out", f"{stem}y{i}.npy"]
    done = subprocess.run([*words, *given], cwd=folder, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    return {kind: numpy.load(folder / f"{stem}y{i}.npy") for i, kind in enumerate(outputs)}


def run_program(folder, exported, x, *options):
    return run_words(folder, [STRC, "run", *options, "--top", exported.name, "model.str"], x, exported.outputs)


def export(model, folder, *given, **options):
    return strc.sklearn.export(model, folder / "model.str", *given, **options)


EXPECTED = {
    "probabilities": "predict_proba", "decision": "decision_function", "value": "predict", "transformed": "transform",
}


def compare(exported, model, x, found):
    """Classes are the same, values within 1e-5 * max(1, |value|, a tenth of the largest): what terms cancel depends on the order of a sum."""
    assert list(found) == list(exported.outputs)
    for kind, values in found.items():
        if kind == "class":
            assert values.dtype == numpy.int64
            expected = model.predict(x)
            assert values.shape == expected.shape
            wrong = numpy.flatnonzero(exported.classes[values] != expected)
            assert not len(wrong), f"classes of rows {wrong[:5]} differ"
        else:
            expected = getattr(model, EXPECTED[kind])(x)
            assert values.shape == expected.shape
            sizes = numpy.abs(expected)
            difference = numpy.abs(values - expected) / numpy.maximum(numpy.maximum(1, sizes), sizes.max() / 10)
            assert float(difference.max()) <= 1e-5
