#!/usr/bin/env python3
"""The same picture from the definition of the discrete Fourier transform, in double precision.
Fails when a level is so near to a limit that rounding could decide about a character. Writes
expected.txt into the folder named first (default: its own)."""

import cmath
import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
LIMITS = [(-12, "#"), (-24, "+"), (-36, ":"), (-48, ".")]


def character(level):
    assert all(abs(level - limit) > 0.001 for limit, _ in LIMITS), level
    return next((sign for limit, sign in LIMITS if level > limit), " ")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    size = 128
    n = 2 * size
    lines = []
    with wave.open(os.path.join(HERE, "sweep.wav")) as file:
        data = file.readframes(file.getnframes())
    x = [v / 32768 for v, in struct.iter_unpack("<h", data)]
    turns = [cmath.exp(-2j * math.pi * k / n) for k in range(n)]
    hann = [0.5 - 0.5 * math.cos(2 * math.pi * i / n) for i in range(n)]
    for frame, start in enumerate(range(0, len(x) - n + 1, size)):
        block = [a * b for a, b in zip(x[start : start + n], hann)]
        levels = []
        for k in range(size):
            z = sum(v * turns[i * k % n] for i, v in enumerate(block))
            levels.append(10 * math.log10(16 * abs(z) ** 2 / n**2 + 1e-10))
        wide = size // 64
        line = "".join(character(max(levels[c * wide : (c + 1) * wide])) for c in range(64))
        lines.append("|%s| %d\n" % (line, frame))
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        out.writelines(lines)


if __name__ == "__main__":
    main()
