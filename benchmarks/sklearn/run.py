#!/usr/bin/env python3
"""Exported models of scikit-learn beside scikit-learn itself and ONNX Runtime, on one thread.

    run.py [--strc PATH] [--runs N] [NAME...]      names may be parts: boosting
    run.py --strategies [--strc PATH]              the strategies beside each other, for trees of several depths

Prints tables of microseconds of the processor per row: medians of runs that take turns. Results are compared first. Needs scikit-learn; ONNX Runtime and
skl2onnx are left out with a word where they are not installed (`strc setup torch --all`).
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from models import FEATURES, ROWS, entries, inputs  # noqa: E402
from sides import Onnx, ScikitLearn, Strc  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402

from strc.sklearn.strategies import STRATEGIES  # noqa: E402

BATCHES = (1, ROWS)


def difference(found, expected):
    """Rows with another class, and the largest difference of values as a part of max(1, |value|)."""
    values = numpy.abs(found[0].reshape(expected[0].shape) - expected[0]) / numpy.maximum(1, numpy.abs(expected[0]))
    wrong = 0 if found[1] is None else int((found[1] != expected[1]).sum())
    return wrong, float(values.max())


def medians(sides, x, batch, runs):
    """Microseconds per row of each side. One by one some rows are enough, of scikit-learn fewer."""
    times = {side: [] for side in sides}
    for _ in range(runs):
        for side in sides:
            given = x if batch > 1 else x[:50] if isinstance(side, ScikitLearn) else x[:1000]
            times[side].append(side.seconds(given, batch) / len(given) * 1e6)
    return [statistics.median(times[side]) for side in sides]


def onnx_side(model):
    try:
        return Onnx(model, FEATURES), ""
    except Exception as fault:  # whatever the converter has to say
        return None, type(fault).__name__ if isinstance(fault, ImportError) else "cannot be converted"


def rows_of(entry, options, folder):
    """A row of the table for each size of batches."""
    model = entry.fitted()
    onnx, why = onnx_side(model)
    for batch in BATCHES:
        yield row(entry.name, model, batch, (onnx, why), options, folder / str(batch))


def row(name, model, batch, other, options, folder):
    (onnx, why), x = other, inputs()
    sides = [ScikitLearn(model), Strc(options.strc, model, folder, batch), *([onnx] if onnx else [])]
    expected = sides[0].results(x)
    _, far = difference(sides[1].results(x), expected)
    if far > 1e-5:
        raise SystemExit(f"{name}: values differ by {far}")
    others = "{} classes differ, values by {:.0e}".format(*difference(onnx.results(x), expected)) if onnx else why
    sklearn, strc, *rest = medians(sides, x, batch, options.runs)
    strategy = ", ".join(sides[1].exported.strategies.values())
    words = [name, f"{batch}", strategy, f"{sklearn:.2f}", f"{rest[0]:.2f}" if rest else "-", f"{strc:.2f}", f"{sklearn / strc:.1f}"]
    return [*words, f"{rest[0] / strc:.1f}" if rest else "-", others]


def table(heads, rows):
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|", flush=True)
    for words in rows:
        print("| " + " | ".join(words) + " |", flush=True)


def compare(options):
    chosen = [e for e in entries() if not options.names or any(name in e.name for name in options.names)]
    heads = ["model", "batch", "strategy", "scikit-learn", "ONNX Runtime", "strc", "scikit-learn / strc",
             "ONNX / strc", "ONNX beside scikit-learn"]
    with tempfile.TemporaryDirectory(prefix="strc-sklearn-") as name:
        folders = [Path(name) / str(i) for i in range(len(chosen))]
        table(heads, (words for entry, folder in zip(chosen, folders) for words in rows_of(entry, options, folder)))


def strategies(options):
    """Random forests of 100 trees by each strategy."""
    x, y = make_classification(4000, FEATURES, n_informative=12, n_classes=3, random_state=0)

    def rows():
        for depth in (1, 2, 3, 4, 6, 8, 10, 12):
            model = RandomForestClassifier(max_depth=depth, random_state=0).fit(x.astype(numpy.float32), y)
            for batch in BATCHES:
                with tempfile.TemporaryDirectory(prefix="strc-sklearn-") as name:
                    names = [s for s in STRATEGIES if s != "gemm" or depth <= 4]
                    sides = [Strc(options.strc, model, Path(name) / s, batch, s) for s in names]
                    found = dict(zip(names, medians(sides, inputs(), batch, options.runs)))
                yield [str(depth), str(batch), *(f"{found[s]:.2f}" if s in found else "-" for s in STRATEGIES)]

    table(["depth", "batch", *STRATEGIES], rows())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strc", default=str(ROOT / "build/release/bin/strc"))
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--strategies", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    (strategies if options.strategies else compare)(options)


if __name__ == "__main__":
    main()
