#!/usr/bin/env python3
"""Writes tones.wav: five tones of different strength, the second half softer, 16 bits at 8 kHz."""

import math
import os
import struct
import wave

RATE = 8000
LENGTH = 126 + 4 * 2000  # the filters see 126 samples ahead
TONES = [(200, 0.10), (600, 0.20), (1152, 0.15), (2200, 0.08), (3300, 0.25)]


def main():
    data = b""
    for n in range(LENGTH):
        volume = 1.0 if n < 4000 else 0.25
        x = volume * sum(a * math.sin(2 * math.pi * f * n / RATE) for f, a in TONES)
        data += struct.pack("<h", round(32767 * x))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tones.wav")
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(data)


if __name__ == "__main__":
    main()
