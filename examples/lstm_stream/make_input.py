#!/usr/bin/env python3
"""Writes guitar.wav: a plucked chord by the algorithm of Karplus and Strong, half a second at 16000 Hz."""

import os
import random
import struct
import wave

RATE = 16000
LENGTH = RATE // 2
STRINGS = [82.4, 123.5, 164.8, 207.7]


def pluck(pitch, length, noise):
    """A line of noise that goes round and gets duller."""
    line = [noise.uniform(-1, 1) for _ in range(round(RATE / pitch))]
    sound = []
    for k in range(length):
        at = k % len(line)
        sound.append(line[at])
        line[at] = 0.498 * (line[at] + line[(at + 1) % len(line)])
    return sound


def main():
    noise = random.Random(1)
    total = [0.0] * LENGTH
    for number, pitch in enumerate(STRINGS):
        start = number * 400
        for k, value in enumerate(pluck(pitch, LENGTH - start, noise)):
            total[start + k] += 0.15 * value
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guitar.wav")
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(struct.pack(f"<{LENGTH}h", *(round(32767 * max(-1, min(1, v))) for v in total)))


main()
