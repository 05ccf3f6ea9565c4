#!/usr/bin/env python3
"""Writes call.wav: 1.9 s of a telephone call at 8 kHz in two channels, far speaker and microphone.
The near speaker talks from 0.8 s to 1.2 s."""

import math
import os
import struct
import wave

LENGTH = 31 + 19 * 800  # the canceller sees 31 pairs ahead


def voice(seed):
    """Noise through a resonance, in syllables of 0.2 s: as much like speech as is needed here."""
    y1 = y2 = 0.0
    n = 0
    while True:
        seed = (seed * 1664525 + 1013904223) % 2**32
        y = (seed / 2**31 - 1) + 1.2 * y1 - 0.7 * y2
        y1, y2 = y, y1
        yield 0.12 * y * (0.3 + 0.7 * math.sin(math.pi * (n % 1600) / 1600) ** 2)
        n += 1


def main():
    room = [0.0] * 6 + [0.22 * 0.82**k * math.cos(1.3 * k) for k in range(22)]
    far, near, hiss = voice(1), voice(2), voice(3)
    spoken = []
    data = b""
    for n in range(LENGTH):
        spoken.insert(0, next(far))
        del spoken[len(room) :]
        microphone = sum(a * b for a, b in zip(room, spoken)) + 0.0005 * next(hiss)
        talk = next(near)
        if 6400 <= n < 9600:
            microphone += 1.5 * talk
        data += struct.pack("<hh", round(32767 * spoken[0]), round(32767 * microphone))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "call.wav")
    with wave.open(path, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(data)


if __name__ == "__main__":
    main()
