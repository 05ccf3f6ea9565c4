#!/usr/bin/env python3
"""Writes the table and the sound into the folder named first (default: its own). The five bands
are first added up to one filter, and levels are correlations with sine and cosine, in double precision.
"""

import cmath
import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
EDGES = [0, 400, 800, 1600, 2800, 4000]
GAINS = [6, 0, -6, 3, -12]
TONES = [200, 600, 1152, 2200, 3300]
TAPS = 127
RATE = 8000


def sinc(x):
    return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)


def levels(x):
    result = []
    for tone in TONES:
        z = sum(v * cmath.exp(-2j * math.pi * tone * i / RATE) for i, v in enumerate(x))
        result.append(20 * math.log10(2 * abs(z) / len(x) + 1e-6))
    return result


def tenth(x):
    """Halves go up; a value near one is refused, because rounding could go either way."""
    assert abs(10 * x - math.floor(10 * x) - 0.5) > 0.002, x
    return math.floor(10 * x + 0.5) / 10 + 0.0


def main():
    with wave.open(os.path.join(HERE, "tones.wav")) as file:
        data = file.readframes(file.getnframes())
    x = [v / 32768 for v, in struct.iter_unpack("<h", data)]
    h = []
    for i in range(TAPS):
        m = i - (TAPS - 1) / 2
        window = 0.54 - 0.46 * math.cos(2 * math.pi * i / (TAPS - 1))
        h.append(
            window
            * sum(
                10 ** (gain / 20)
                * 2
                * (high * sinc(2 * high / RATE * m) - low * sinc(2 * low / RATE * m))
                / RATE
                for gain, low, high in zip(GAINS, EDGES, EDGES[1:])
            )
        )
    y = [sum(a * b for a, b in zip(h, x[n : n + TAPS])) for n in range(len(x) - TAPS + 1)]
    blocks = len(y) // 2000
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        for k in range(blocks):
            print("band  before  behind", file=out)
            pairs = zip(
                levels(x[2000 * k : 2000 * k + 2000]), levels(y[2000 * k : 2000 * k + 2000])
            )
            for i, (before, behind) in enumerate(pairs):
                print("%d     %s   %s" % (i + 1, tenth(before), tenth(behind)), file=out)
    with wave.open(os.path.join(folder, "expected.wav"), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(b"".join(struct.pack("<h", round(32767 * v)) for v in y[: 2000 * blocks]))


if __name__ == "__main__":
    main()
