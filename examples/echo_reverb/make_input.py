#!/usr/bin/env python3
"""Writes dry.wav: five plucked strings (Karplus-Strong) and silence behind, 16 bits at 8 kHz."""

import os
import struct
import wave

RATE = 8000
NOTES = [(0.0, 110.0), (0.2, 164.81), (0.4, 220.0), (0.6, 277.18), (0.8, 329.63)]
LENGTH = 3.0


def main():
    state = 7
    samples = [0.0] * int(LENGTH * RATE)
    for start, frequency in NOTES:
        string = []
        for _ in range(round(RATE / frequency)):
            state = (state * 1664525 + 1013904223) % 2**32
            string.append(0.25 if state >= 2**31 else -0.25)
        for n in range(int(0.45 * RATE)):  # damped after 0.45 s
            string.append(0.498 * (string[n] + string[n + 1]))
            samples[int(start * RATE) + n] += string[n] * min(1.0, (0.45 * RATE - n) / 400)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dry.wav")
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(
            b"".join(struct.pack("<h", max(-32768, min(32767, round(32767 * x)))) for x in samples)
        )


if __name__ == "__main__":
    main()
