#!/usr/bin/env python3
"""Writes sweep.wav: a rising sweep with an echo of itself, a beeping tone and some noise."""

import math
import os
import struct
import wave

RATE = 8000
LENGTH = 6400


def sweep(t):
    """100 Hz to 3700 Hz in 0.7 s, the phase being the integral of the frequency."""
    return math.sin(2 * math.pi * (100 * t + 0.5 * (3600 / 0.7) * t * t)) if 0 <= t < 0.7 else 0.0


def main():
    state = 3
    data = b""
    for n in range(LENGTH):
        t = n / RATE
        state = (state * 1664525 + 1013904223) % 2**32
        beep = math.sin(2 * math.pi * 2500 * t) if n // 800 % 2 else 0.0
        x = 0.5 * sweep(t) + 0.05 * sweep(t - 0.1) + 0.2 * beep + 0.003 * (state / 2**31 - 1)
        data += struct.pack("<h", round(32767 * x))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sweep.wav")
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(data)


if __name__ == "__main__":
    main()
