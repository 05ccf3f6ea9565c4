#!/usr/bin/env python3
"""Writes expected.wav into the folder named first (default: its own): the pedal with its own settings, in double precision."""

import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from references import sound  # noqa: E402

RATE = 16000
DRIVE, CUTOFF, ECHO, DELAY = 12, 4000, 0.3, 2400


def low_pass(samples):
    """The biquad of Robert Bristow-Johnson's cookbook."""
    angle = 2 * math.pi * CUTOFF / RATE
    alpha = math.sin(angle) / (2 * math.sqrt(0.5))
    scale = 1 + alpha
    b0, b1 = (1 - math.cos(angle)) / 2 / scale, (1 - math.cos(angle)) / scale
    a1, a2 = -2 * math.cos(angle) / scale, (1 - alpha) / scale
    x1 = x2 = y1 = y2 = 0
    made = []
    for x in samples:
        y = b0 * x + b1 * x1 + b0 * x2 - a1 * y1 - a2 * y2
        x1, x2, y1, y2 = x, x1, y, y1
        made.append(y)
    return made


def main():
    gain = 10 ** (DRIVE / 20)
    samples = low_pass([math.tanh(gain * x) for x in sound(os.path.join(HERE, "../wavenet_amp/guitar.wav"))])
    first, second = [0.0] * DELAY, [0.0] * DELAY
    frames = []
    for t, x in enumerate(samples):
        a, b = first[t % DELAY], second[t % DELAY]
        first[t % DELAY], second[t % DELAY] = x + 0.5 * b, a
        frames += [x + ECHO * a, x + ECHO * b]
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with wave.open(os.path.join(folder, "expected.wav"), "wb") as file:
        file.setparams((2, 2, RATE, 0, "NONE", ""))
        file.writeframes(b"".join(struct.pack("<h", max(-32768, min(32767, round(32768 * v)))) for v in frames))


main()
