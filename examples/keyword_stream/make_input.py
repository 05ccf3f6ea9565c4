#!/usr/bin/env python3
"""Writes speech.wav: three made-up words with pauses, at 8000 Hz. A word is two tones that glide, one after the other."""

import math
import os
import random
import struct
import wave

RATE = 8000
# Of each word the tones at the beginning, in the middle and at the end, in Hz.
WORDS = [(400, 1600, 400), (1800, 600, 600), (500, 500, 2200)]


def spoken(word, length=1.0):
    """A word as samples; `length` 1 is a quarter of a second."""
    count = round(RATE / 4 * length)
    phase, sound = 0.0, []
    for k in range(count):
        part = 2 * k / count
        low, high = (word[0], word[1]) if part < 1 else (word[1], word[2])
        phase += 2 * math.pi * (low + (high - low) * (part % 1)) / RATE
        sound.append(0.4 * math.sin(math.pi * k / count) * math.sin(phase))
    return sound


def main():
    noise = random.Random(1)
    sound = []
    for word in (WORDS[1], WORDS[0], WORDS[2], WORDS[0]):
        sound += [0.0] * (RATE // 4) + spoken(word)
    sound += [0.0] * (RATE // 4)
    sound = [v + noise.gauss(0, 0.01) for v in sound]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "speech.wav")
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(struct.pack(f"<{len(sound)}h", *(round(32767 * max(-1, min(1, v))) for v in sound)))


if __name__ == "__main__":
    main()
