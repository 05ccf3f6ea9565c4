#!/usr/bin/env python3
"""Writes expected.wav into the folder named first (default: its own): the network over the whole sound, in double precision."""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from references import products, sigmoid, sound, weights_of, write_sound  # noqa: E402


def bands_of(stored, samples):
    """What each of the filters makes of the sound."""
    taps = [row[0] for row in stored["bands.weight"]]
    before = [0.0] * (len(taps[0]) - 1) + samples
    windows = (before[t : t + len(taps[0])] for t in range(len(samples)))
    return [products(taps, window, stored["bands.bias"]) for window in windows]


def loudness_of(bands, length=32):
    """The mean of what there was in each band, without the sign."""
    sums, made = [0.0] * len(bands[0]), []
    for t, frame in enumerate(bands):
        old = bands[t - length] if t >= length else [0.0] * len(frame)
        sums = [s + abs(a) - abs(b) for s, a, b in zip(sums, frame, old)]
        made.append([s / length for s in sums])
    return made


def suppressed(stored, samples):
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    from_input, from_state, one, other = (stored["gru." + name] for name in names)
    size = len(from_state[0])
    h, made = [0.0] * size, []
    bands = bands_of(stored, samples)
    for frame, loudness in zip(bands, loudness_of(bands)):
        fresh, old = products(from_input, loudness, one), products(from_state, h, other)
        r, z = ([sigmoid(fresh[k] + old[k]) for k in range(at, at + size)] for at in (0, size))
        n = [math.tanh(fresh[k + 2 * size] + r[k] * old[k + 2 * size]) for k in range(size)]
        h = [(1 - z[k]) * n[k] + z[k] * h[k] for k in range(size)]
        gains = map(sigmoid, products(stored["gains.weight"], h, stored["gains.bias"]))
        made.append(sum(w[0] * v * g for w, v, g in zip(stored["mix.weight"][0], frame, gains)))
    return made


def main():
    samples = sound(os.path.join(HERE, "noisy.wav"))
    made = suppressed(weights_of(os.path.join(HERE, "denoise.safetensors")), samples)
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    write_sound(os.path.join(folder, "expected.wav"), 8000, made)


main()
