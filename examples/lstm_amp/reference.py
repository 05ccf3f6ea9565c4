#!/usr/bin/env python3
"""The same LSTM in plain Python and double precision. Writes what the host and what `strc run` make of the strings into
the folder named first (default: its own)."""

import array
import json
import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS = 16


def stored():
    """The values of the weights file by name, as flat lists."""
    with open(os.path.join(HERE, "amp.safetensors"), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    places = {name: entry["data_offsets"] for name, entry in header.items() if name != "__metadata__"}
    return {name: list(array.array("f", data[begin:end])) for name, (begin, end) in places.items()}


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def played(samples, drive):
    w = stored()
    rows = range(4 * UNITS)
    fixed = [w["lstm.bias_ih_l0"][k] + w["lstm.bias_hh_l0"][k] + drive * w["lstm.weight_ih_l0"][2 * k + 1] for k in rows]
    of_sample = w["lstm.weight_ih_l0"][::2]
    of_state = [w["lstm.weight_hh_l0"][UNITS * k : UNITS * k + UNITS] for k in rows]
    h = [0.0] * UNITS
    c = [0.0] * UNITS
    for x in samples:
        sums = [a + x * b + sum(p * q for p, q in zip(row, h)) for a, b, row in zip(fixed, of_sample, of_state)]
        write, keep, new, show = (sums[k : k + UNITS] for k in range(0, 4 * UNITS, UNITS))
        c = [sigmoid(f) * v + sigmoid(i) * math.tanh(g) for f, v, i, g in zip(keep, c, write, new)]
        h = [sigmoid(o) * math.tanh(v) for o, v in zip(show, c)]
        yield x + w["out.bias"][0] + sum(p * q for p, q in zip(w["out.weight"], h))


def write(path, samples):
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(16000)
        out.writeframes(b"".join(struct.pack("<h", round(32767 * v)) for v in samples))


def main():
    with wave.open(os.path.join(HERE, "dry.wav")) as file:
        data = file.readframes(file.getnframes())
    dry = [v / 32768 for v, in struct.iter_unpack("<h", data)]
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    write(os.path.join(folder, "expected.wav"), played(dry, 0.2))
    write(os.path.join(folder, "expected_run.wav"), played(dry, 0.9))


if __name__ == "__main__":
    main()
