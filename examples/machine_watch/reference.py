#!/usr/bin/env python3
"""The same by plain Python, from the tables of the forest. Writes what the program prints into the folder named first (default: its
own)."""

import json
import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
WINDOW = 500
CLASSES = ["bearing", "off", "smooth", "unbalanced"]
KINDS = {"F32": "f", "F64": "d", "I32": "i"}


def features(samples):
    """Strength, peak, peak against strength, and how rough: the mean step against strength."""
    strength = math.sqrt(sum(value * value for value in samples) / len(samples))
    peak = max(abs(value) for value in samples)
    steps = sum(abs(b - a) for a, b in zip(samples, samples[1:])) / (len(samples) - 1)
    return [strength, peak, peak / strength, steps / strength]


def stored():
    """The values of the weights file by name."""
    with open(os.path.join(HERE, "forest.safetensors"), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            kind = KINDS[entry["dtype"]]
            found[name] = struct.unpack(f"<{(end - begin) // struct.calcsize(kind)}{kind}", data[begin:end])
    return found


def decide(tables, item):
    """The class that most trees are for. All trees have the same depth."""
    name = "randomforestclassifier."
    feature, threshold, value = (tables[name + word] for word in ("feature", "threshold", "value"))
    trees = 20
    depth = (len(value) // len(CLASSES) // trees).bit_length() - 1
    sums = [0.0] * len(CLASSES)
    for tree in range(trees):
        at = tree
        for level in range(depth):
            node = trees * (2**level - 1) + at
            # Columns behind the features are for those that are missing, which none is.
            at = 2 * at + (item[feature[node] % len(item)] > threshold[node])
        for k in range(len(CLASSES)):
            sums[k] += value[at * len(CLASSES) + k]
    return CLASSES[sums.index(max(sums))]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with wave.open(os.path.join(HERE, "machine.wav")) as file:
        samples = [value / 32768 for value, in struct.iter_unpack("<h", file.readframes(file.getnframes()))]
    tables = stored()
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
