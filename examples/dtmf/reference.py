#!/usr/bin/env python3
"""The same decisions from correlations with sine and cosine, in double precision. Fails where a
decision is close, and when the keys are not those that were dialled. Writes expected.txt into the
folder named first (default: its own)."""

import cmath
import math
import os
import struct
import sys
import wave

import make_input

HERE = os.path.dirname(os.path.abspath(__file__))
N = 205


def power(block, frequency):
    z = sum(v * cmath.exp(-2j * math.pi * frequency * i / 8000) for i, v in enumerate(block))
    return 4 * abs(z) ** 2 / N**2


def greater(a, b):
    assert abs(a - b) > 1e-4 * max(abs(a), abs(b)), (a, b)
    return a > b


def key_of(block):
    low = max((power(block, f), row) for row, f in enumerate(make_input.LOW))
    high = max((power(block, f), column) for column, f in enumerate(make_input.HIGH))
    everything = 2 * sum(v * v for v in block) / N
    if (
        greater(everything, 0.001)
        and greater(low[0] + high[0], 0.7 * everything)
        and greater(6 * high[0], low[0])
        and greater(6 * low[0], high[0])
    ):
        return make_input.KEYS[low[1]][high[1]]
    return None


def main():
    with wave.open(os.path.join(HERE, "dialled.wav")) as file:
        data = file.readframes(file.getnframes())
    x = [v / 32768 for v, in struct.iter_unpack("<h", data)]
    keys = [key_of(x[k * N : k * N + N]) for k in range(len(x) // N)]
    presses = []
    held = None
    for k in range(1, len(keys)):
        if keys[k] == keys[k - 1] != held:
            held = keys[k]
            if held is not None:
                presses.append((math.floor(1000 * (k - 1) * N / 8000), held))
    assert "".join(key for _, key in presses) == make_input.NUMBER
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        out.writelines("%d ms: %s\n" % press for press in presses)


if __name__ == "__main__":
    main()
