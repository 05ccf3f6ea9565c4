#!/usr/bin/env python3
"""Writes iq.raw: 1.5 s of radio at 64 kHz with two FM stations, as unsigned bytes I, Q, ..."""

import math
import os

RATE = 64000
LENGTH = 96000
DEVIATION = 5000.0
AMPLITUDE = 0.35
NOISE = 0.01
STATIONS = {
    # offset in hertz: notes as (frequency, seconds)
    -14000: [(523.25, 0.25), (587.33, 0.25), (659.26, 0.25), (523.25, 0.25), (783.99, 0.5)],
    14000: [(880.0, 0.125), (698.46, 0.125)] * 6,
}


def melody(notes):
    """The audio of a station at RATE: each note a fundamental and an octave that fade away."""
    samples = []
    for frequency, seconds in notes:
        for i in range(int(seconds * RATE)):
            t = i / RATE
            fade = min(1.0, t / 0.01) * math.exp(-2.5 * t)
            samples.append(
                fade
                * (
                    0.6 * math.sin(2 * math.pi * frequency * t)
                    + 0.25 * math.sin(4 * math.pi * frequency * t)
                )
            )
    return (samples + [0.0] * LENGTH)[:LENGTH]


def noise():
    """Pseudo-random values in [-1, 1)."""
    state = 1
    while True:
        state = (state * 1664525 + 1013904223) % 2**32
        yield state / 2**31 - 1


def main():
    phases = dict.fromkeys(STATIONS, 0.0)
    audio = {offset: melody(notes) for offset, notes in STATIONS.items()}
    hiss = noise()
    data = bytearray()
    for n in range(LENGTH):
        i, q = NOISE * next(hiss), NOISE * next(hiss)
        for offset in STATIONS:
            phases[offset] += 2 * math.pi * (offset + DEVIATION * audio[offset][n]) / RATE
            i += AMPLITUDE * math.cos(phases[offset])
            q += AMPLITUDE * math.sin(phases[offset])
        data += bytes(max(0, min(255, round(127.5 + 127.5 * x))) for x in (i, q))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "iq.raw"), "wb") as out:
        out.write(data)


if __name__ == "__main__":
    main()
