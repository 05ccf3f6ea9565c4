#!/usr/bin/env python3
"""Writes dialled.wav: a number dialled over a noisy line, and two tones that are no keys."""

import math
import os
import struct
import wave

RATE = 8000
NUMBER = "0172*39845D6#"
LOW = [697, 770, 852, 941]
HIGH = [1209, 1336, 1477, 1633]
KEYS = ["123A", "456B", "789C", "*0#D"]


def tones(key):
    row = next(r for r in range(4) if key in KEYS[r])
    return LOW[row], HIGH[KEYS[row].index(key)]


def main():
    pieces = [((), 500)]
    for n, key in enumerate(NUMBER):
        pieces += [(tones(key), 640 + 37 * (n % 5)), ((), 560)]
        if n == 4:
            pieces += [((852,), 900), ((), 500)]  # only one tone
        if n == 8:
            pieces += [((1000, 1700), 900), ((), 500)]  # two wrong ones
    state = 5
    data = b""
    for frequencies, length in pieces:
        for n in range(length):
            state = (state * 1664525 + 1013904223) % 2**32
            x = 0.02 * (state / 2**31 - 1)
            for k, frequency in enumerate(frequencies):
                x += (0.3, 0.22)[k] * math.sin(2 * math.pi * frequency * n / RATE)
            data += struct.pack("<h", round(32767 * x))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dialled.wav")
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(data)


if __name__ == "__main__":
    main()
