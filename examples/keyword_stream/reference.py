#!/usr/bin/env python3
"""Writes expected.txt into the folder named first (default: its own): what the network hears in the whole sound, in double precision."""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from references import products, sigmoid, sound, weights_of  # noqa: E402

RATE, HOP = 8000, 256


def strided(stored, name, frames, before, step):
    """A convolution that goes on by `step` frames, behind so many frames of zeros."""
    weight, taps = stored[name + ".weight"], len(stored[name + ".weight"][0][0])
    rows = [[channel[k] for k in range(taps) for channel in row] for row in weight]
    frames = [[0.0] * len(frames[0])] * before + frames
    made = []
    for t in range(0, len(frames) - taps + 1, step):
        window = [value for frame in frames[t : t + taps] for value in frame]
        made.append([max(0.0, v) for v in products(rows, window, stored[name + ".bias"])])
    return made


def scores(stored, samples):
    frames = strided(stored, "bands", [[v] for v in samples], 32, 32)
    frames = strided(stored, "frames", frames, 0, 8)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    from_input, from_state, one, other = (stored["gru." + name] for name in names)
    size = len(from_state[0])
    h = [0.0] * size
    for frame in frames:
        fresh, old = products(from_input, frame, one), products(from_state, h, other)
        r, z = ([sigmoid(fresh[k] + old[k]) for k in range(at, at + size)] for at in (0, size))
        n = [math.tanh(fresh[k + 2 * size] + r[k] * old[k + 2 * size]) for k in range(size)]
        h = [(1 - z[k]) * n[k] + z[k] * h[k] for k in range(size)]
        yield products(stored["words.weight"], h, stored["words.bias"])


def main():
    samples = sound(os.path.join(HERE, "speech.wav"))
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    last = 0
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as file:
        for number, row in enumerate(scores(weights_of(os.path.join(HERE, "spotter.safetensors")), samples)):
            best = row.index(max(row))
            if best not in (0, last):
                file.write(f"word {best} at {round(100 * HOP * (number + 1) / RATE) / 100} s\n")
            last = best


main()
