#!/usr/bin/env python3
"""Trains the forest of watch.str and writes forest.str and forest.safetensors; needs scikit-learn (`./strc setup torch`) and some seconds.

    PYTHONPATH=python python examples/machine_watch/train.py
"""

import random
from pathlib import Path

import numpy
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import strc.sklearn
from make_input import STATES, shaking
from reference import WINDOW, features

HERE = Path(__file__).resolve().parent


def data(machines=60):
    """Windows of machines in each state."""
    generator = random.Random(1)
    x, y = [], []
    for _ in range(machines):
        for k, state in enumerate(STATES):
            samples = shaking(state, 1, generator)
            for i in range(0, len(samples) - WINDOW + 1, WINDOW):
                x.append(features(samples[i : i + WINDOW]))
                y.append(STATES[k])
    return numpy.array(x, numpy.float32), numpy.array(y)


def main():
    x, y = data()
    model = make_pipeline(StandardScaler(), RandomForestClassifier(20, max_depth=5, random_state=0))
    print("right of windows that it had not seen:", cross_val_score(model, x, y, cv=5).mean())
    strc.sklearn.export(model.fit(x, y), HERE / "forest.str", outputs=("class",), name="Forest")


if __name__ == "__main__":
    main()
