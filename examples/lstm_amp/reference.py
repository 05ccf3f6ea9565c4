#!/usr/bin/env python3
"""The same LSTM in plain Python and double precision. Writes what the host and what `strc run` make of the strings into
the folder named first (default: its own)."""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from references import sigmoid, sound, weights_of, write_sound  # noqa: E402

UNITS = 16


def played(samples, drive):
    w = weights_of(os.path.join(HERE, "amp.safetensors"))
    rows = range(4 * UNITS)
    fixed = [w["lstm.bias_ih_l0"][k] + w["lstm.bias_hh_l0"][k] + drive * w["lstm.weight_ih_l0"][k][1] for k in rows]
    of_sample = [row[0] for row in w["lstm.weight_ih_l0"]]
    of_state = w["lstm.weight_hh_l0"]
    h = [0.0] * UNITS
    c = [0.0] * UNITS
    for x in samples:
        sums = [a + x * b + sum(p * q for p, q in zip(row, h)) for a, b, row in zip(fixed, of_sample, of_state)]
        write, keep, new, show = (sums[k : k + UNITS] for k in range(0, 4 * UNITS, UNITS))
        c = [sigmoid(f) * v + sigmoid(i) * math.tanh(g) for f, v, i, g in zip(keep, c, write, new)]
        h = [sigmoid(o) * math.tanh(v) for o, v in zip(show, c)]
        yield x + w["out.bias"][0] + sum(p * q for p, q in zip(w["out.weight"][0], h))


def main():
    dry = sound(os.path.join(HERE, "dry.wav"))
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    write_sound(os.path.join(folder, "expected.wav"), 16000, played(dry, 0.2))
    write_sound(os.path.join(folder, "expected_run.wav"), 16000, played(dry, 0.9))


if __name__ == "__main__":
    main()
