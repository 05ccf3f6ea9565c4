#!/usr/bin/env python3
"""Writes noisy.wav: a short melody in white noise, 0.6 seconds at 8000 Hz."""

import math
import os
import random
import struct
import wave

RATE = 8000
NOTES = [0, 330, 0, 440, 550, 0]  # Hz, a tenth of a second each; 0 is silence
NOISE = 0.08


def melody():
    sound = []
    for pitch in NOTES:
        count = RATE // 10
        for k in range(count):
            fade = min(1.0, k / 80, (count - k) / 80)
            sound.append(0.5 * fade * math.sin(2 * math.pi * pitch * k / RATE))
    return sound


def main():
    noise = random.Random(1)
    sound = [value + noise.gauss(0, NOISE) for value in melody()]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "noisy.wav")
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(struct.pack(f"<{len(sound)}h", *(round(32767 * max(-1, min(1, v))) for v in sound)))


if __name__ == "__main__":
    main()
