#!/usr/bin/env python3
"""Writes room.wav: the impulse response of a small room for two ears, 16 bits at 8 kHz: the sound itself, ten echoes from walls,
and noise that fades by 60 decibels."""

import os
import struct
import wave

RATE = 8000
LENGTH = 800
FADE = 10 ** (-3 / LENGTH)


def main():
    state = 1
    ears = []
    for ear in range(2):
        response = [0.0] * LENGTH
        for n in range(40, LENGTH):
            state = (state * 1664525 + 1013904223) % 2**32
            response[n] = 0.05 * (state / 2**31 - 1) * FADE**n
        for k in range(10):
            response[23 * k + 7 * ear * k + 5 * ear] += 0.5 * 0.6**k
        ears.append(response)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "room.wav")
    with wave.open(path, "wb") as out:
        out.setparams((2, 2, RATE, 0, "NONE", ""))
        for frame in zip(*ears):
            out.writeframes(struct.pack("<2h", *(round(32767 * x) for x in frame)))


if __name__ == "__main__":
    main()
