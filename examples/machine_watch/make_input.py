#!/usr/bin/env python3
"""Makes machine.wav: how a machine shakes that starts, runs, loses its balance, is mended, and wears out a bearing."""

import math
import random
import struct
import wave
from pathlib import Path

RATE = 4000
STATES = ["off", "smooth", "unbalanced", "bearing"]
STORY = [("off", 1), ("smooth", 2), ("unbalanced", 1.5), ("smooth", 1), ("bearing", 2), ("off", 0.5)]


def shaking(state, seconds, generator):
    """Samples of an acceleration. A machine is not like the other: `generator` decides on its speed and its noise."""
    turns = generator.uniform(22, 28)
    hum = {"off": 0.0, "smooth": 0.15, "unbalanced": 0.5, "bearing": 0.15}[state] * generator.uniform(0.8, 1.2)
    noise = generator.uniform(0.01, 0.09)
    samples = []
    for i in range(int(seconds * RATE)):
        t = i / RATE
        value = hum * math.sin(2 * math.pi * turns * t) + generator.gauss(0, noise)
        if state == "bearing":
            since = math.fmod(t, 1 / (3.6 * turns))
            value += 0.3 * math.exp(-300 * since) * math.sin(2 * math.pi * 1100 * since)
        samples.append(value)
    return samples


def main():
    generator = random.Random(7)
    samples = [value for state, seconds in STORY for value in shaking(state, seconds, generator)]
    with wave.open(str(Path(__file__).resolve().parent / "machine.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", max(-32768, min(32767, round(value * 32767)))) for value in samples))


if __name__ == "__main__":
    main()
