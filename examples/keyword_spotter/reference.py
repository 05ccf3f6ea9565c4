#!/usr/bin/env python3
"""The same words, by plain Python in double precision, from the definitions of the layers. Fails where a decision is
close. Writes what the program prints for each recording into the folder named first (default: its own)."""

import cmath
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from references import sigmoid, sound, weights_of  # noqa: E402

WORDS = ["yes", "no", "up", "down", "left", "right", "stop", "go", "-"]
FRAME, HOP, BANDS, MOMENTS, RATE = 256, 128, 24, 63, 8000


# ---- from samples to bands


def fft(x):
    if len(x) == 1:
        return x
    even, odd = fft(x[::2]), fft(x[1::2])
    turned = [cmath.exp(-2j * math.pi * k / len(x)) * v for k, v in enumerate(odd)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def mel(hertz):
    return 2595 * math.log10(1 + hertz / 700)


def bands_of(frame):
    """Logarithms of what triangles in hertz make of the power, whose corners are evenly spaced in mel."""
    edges = [700 * (10 ** (mel(RATE / 2) * k / (BANDS + 1) / 2595) - 1) for k in range(BANDS + 2)]
    power = [abs(z) ** 2 for z in fft([v * (0.5 - 0.5 * math.cos(2 * math.pi * i / FRAME)) for i, v in enumerate(frame)])]
    sums = [0.0] * BANDS
    for i in range(FRAME // 2 + 1):
        hertz = i * RATE / FRAME
        for b in range(BANDS):
            low, middle, high = edges[b : b + 3]
            if low < hertz <= middle:
                sums[b] += power[i] * (hertz - low) / (middle - low)
            elif middle < hertz < high:
                sums[b] += power[i] * (high - hertz) / (high - middle)
    return [math.log(s + 0.001) for s in sums]


# ---- the network


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def normalised(rows, w):
    scale = [g / math.sqrt(v + 1e-5) for g, v in zip(w["norm.weight"], w["norm.running_var"])]
    return [
        [(x - m) * s + b for x, m, s, b in zip(row, w["norm.running_mean"], scale, w["norm.bias"])] for row in rows
    ]


def convolved(rows, weight, bias):
    """Steps x channels; windows of 5 steps, every second one, with zeros at the edges; then relu."""
    zero = [0.0] * len(rows[0])
    padded = [zero, zero, *rows, zero, zero]
    return [
        [max(0.0, b + sum(kernel[c][k] * padded[at + k][c] for c in range(len(zero)) for k in range(5)))
         for kernel, b in zip(weight, bias)]
        for at in range(0, len(rows), 2)
    ]  # fmt: skip


def last_state(rows, w):
    units = len(w["gru.weight_hh_l0"][0])
    h = [0.0] * units
    for row in rows:
        new = [dot(r, row) + b for r, b in zip(w["gru.weight_ih_l0"], w["gru.bias_ih_l0"])]
        old = [dot(r, h) + b for r, b in zip(w["gru.weight_hh_l0"], w["gru.bias_hh_l0"])]
        reset = [sigmoid(new[k] + old[k]) for k in range(units)]
        keep = [sigmoid(new[k] + old[k]) for k in range(units, 2 * units)]
        fresh = [math.tanh(new[2 * units + k] + reset[k] * old[2 * units + k]) for k in range(units)]
        h = [(1 - z) * n + z * v for z, n, v in zip(keep, fresh, h)]
    return h


def scores(picture, w):
    x = normalised(picture, w)
    x = convolved(x, w["conv1.weight"], w["conv1.bias"])
    x = convolved(x, w["conv2.weight"], w["conv2.bias"])
    h = last_state(x, w)
    return [dot(row, h) + b for row, b in zip(w["out.weight"], w["out.bias"])]


# ---- what the program prints


def spotted(rows, w):
    for at in range(0, len(rows) - MOMENTS + 1, MOMENTS):
        found = scores(rows[at : at + MOMENTS], w)
        first, second = sorted(found)[:-3:-1]
        assert first - second > 0.01, found
        yield WORDS[found.index(first)] + "\n"


def heard(rows, w, sure=0.75):
    last = held = len(WORDS) - 1
    for look, at in enumerate(range(0, len(rows) - MOMENTS + 1, 8)):
        found = scores(rows[at : at + MOMENTS], w)
        parts = [math.exp(v - max(found)) for v in found]
        parts = [p / sum(parts) for p in parts]
        assert abs(max(parts) - sure) > 0.001, parts
        best = parts.index(max(parts)) if max(parts) > sure else len(WORDS) - 1
        if best == last != held:
            held = best
            if WORDS[best] != "-":
                yield "%d ms: %s\n" % ((8 * look + MOMENTS) * HOP * 1000 // RATE, WORDS[best])
        last = best


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    w = weights_of(os.path.join(HERE, "spotter.safetensors"))
    for name, reading in (("left", spotted), ("stop", spotted), ("talk", heard)):
        x = sound(os.path.join(HERE, name + ".wav"))
        rows = [bands_of(x[k : k + FRAME]) for k in range(0, len(x) - FRAME + 1, HOP)]
        with open(os.path.join(folder, f"expected_{name}.txt"), "w", encoding="ascii") as out:
            out.writelines(reading(rows, w))


if __name__ == "__main__":
    main()
