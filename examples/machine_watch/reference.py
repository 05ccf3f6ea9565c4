#!/usr/bin/env python3
"""The same by plain Python, from the tables of the forest. Writes what the program prints into the folder named first (default: its
own)."""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from references import sound, weights_of  # noqa: E402

WINDOW = 500
CLASSES = ["bearing", "off", "smooth", "unbalanced"]


def features(samples):
    """Strength, peak, peak against strength, and how rough: the mean step against strength."""
    strength = math.sqrt(sum(value * value for value in samples) / len(samples))
    peak = max(abs(value) for value in samples)
    steps = sum(abs(b - a) for a, b in zip(samples, samples[1:])) / (len(samples) - 1)
    return [strength, peak, peak / strength, steps / strength]


def decide(tables, item):
    """The class that most trees are for. All trees have the same depth."""
    name = "randomforestclassifier."
    feature, threshold, value = (tables[name + word] for word in ("feature", "threshold", "value"))
    trees = 20
    depth = (len(value) // trees).bit_length() - 1
    sums = [0.0] * len(CLASSES)
    for tree in range(trees):
        at = tree
        for level in range(depth):
            node = trees * (2**level - 1) + at
            # Columns behind the features are for those that are missing, which none is.
            at = 2 * at + (item[feature[node] % len(item)] > threshold[node])
        for k in range(len(CLASSES)):
            sums[k] += value[at][k]
    return CLASSES[sums.index(max(sums))]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    samples = sound(os.path.join(HERE, "machine.wav"))
    tables = weights_of(os.path.join(HERE, "forest.safetensors"))
    mean, scale = tables["standardscaler.mean"], tables["standardscaler.scale"]
    lines, last = [], ""
    for i in range(0, len(samples) - WINDOW + 1, WINDOW):
        item = [(value - m) / s for value, m, s in zip(features(samples[i : i + WINDOW]), mean, scale)]
        now = decide(tables, item)
        if now != last:
            lines.append(f"{1000 * i // 4000} ms: {now}\n")
        last = now
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as file:
        file.writelines(lines)


if __name__ == "__main__":
    main()
