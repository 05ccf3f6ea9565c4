#!/usr/bin/env python3
"""Writes voice_and_carrier.wav: 1.5 s at 8 kHz in two channels. The voice is made of pulses
through two resonances that move from vowel to vowel, the carrier is a chord of saw-teeth."""

import math
import os
import struct
import wave

RATE = 8000
LENGTH = 12000
VOWELS = [
    (730, 1090),
    (270, 2290),
    (300, 870),
    (530, 1840),
    (570, 840),
]  # a i u e o: two formants each


def main():
    state = [[0.0, 0.0], [0.0, 0.0]]
    data = b""
    phase = 0.0
    for n in range(LENGTH):
        t = n / RATE
        position = t / 0.3
        k = int(position)
        blend = min(1.0, max(0.0, (position - k - 0.7) / 0.3))
        now, then = VOWELS[k % 5], VOWELS[(k + 1) % 5]
        phase += (120 + 10 * math.sin(2 * math.pi * 3 * t)) / RATE
        voice = 0.0
        if phase >= 1:
            phase -= 1
            voice = 1.0
        voice *= 0.5 - 0.5 * math.cos(2 * math.pi * min(1.0, 2 * ((position - k) % 1)))
        for i in range(2):  # formants, one behind the other
            frequency = now[i] * (1 - blend) + then[i] * blend
            radius = math.exp(-math.pi * 80 / RATE)
            y1, y2 = state[i]
            y = (
                voice
                + 2 * radius * math.cos(2 * math.pi * frequency / RATE) * y1
                - radius * radius * y2
            )
            state[i] = [y, y1]
            voice = 0.25 * y
        carrier = sum(2 * (f * t % 1) - 1 for f in (110.0, 138.59, 164.81, 220.0)) / 4
        data += struct.pack("<hh", round(32767 * voice), round(32767 * carrier))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "voice_and_carrier.wav")
    with wave.open(path, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(data)


if __name__ == "__main__":
    main()
