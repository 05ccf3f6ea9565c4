#!/usr/bin/env python3
"""The vocoder in double precision, band after band over whole signals. Writes expected.wav
into the folder named first (default: its own)."""

import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
RATE = 8000


def resonate(x, w, q):
    alpha = math.sin(w) / (2 * q)
    y = []
    for n in range(len(x)):
        x2 = x[n - 2] if n > 1 else 0.0
        y1 = y[n - 1] if n > 0 else 0.0
        y2 = y[n - 2] if n > 1 else 0.0
        y.append((alpha * (x[n] - x2) + 2 * math.cos(w) * y1 - (1 - alpha) * y2) / (1 + alpha))
    return y


def band_pass(x, low, high):
    centre = math.sqrt(low * high)
    for _ in range(2):
        x = resonate(x, 2 * math.pi * centre / RATE, centre / (high - low))
    return x


def main():
    with wave.open(os.path.join(HERE, "voice_and_carrier.wav")) as file:
        data = file.readframes(file.getnframes())
    pairs = [(a / 32768, b / 32768) for a, b in struct.iter_unpack("<hh", data)]
    voice = [v for v, _ in pairs]
    carrier = [c for _, c in pairs]
    out = [0.0] * len(pairs)
    k = 1 - math.exp(-2 * math.pi * 30 / RATE)
    for band in range(12):
        low, high = (150 * (3400 / 150) ** (i / 12) for i in (band, band + 1))
        level = 0.0
        for n, (v, c) in enumerate(zip(band_pass(voice, low, high), band_pass(carrier, low, high))):
            level += k * (abs(v) - level)
            out[n] += level * c
    out = [max(-1.0, min(1.0, 24 * v)) for v in out]
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with wave.open(os.path.join(folder, "expected.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", round(32767 * v)) for v in out))


if __name__ == "__main__":
    main()
