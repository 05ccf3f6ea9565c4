#!/usr/bin/env python3
"""The receiver in double precision, by block convolution. Writes expected.wav, and
expected_14000.wav for the other station, into the folder named first (default: its own). Checks on
the way that what comes out is what the station sent."""

import cmath
import math
import os
import struct
import sys
import wave

import make_input

HERE = os.path.dirname(os.path.abspath(__file__))


def taps(n, cutoff):
    """Windowed sinc; cutoff as a part of the sampling rate."""
    result = []
    for i in range(n):
        m = i - (n - 1) / 2
        window = 0.54 - 0.46 * math.cos(2 * math.pi * i / (n - 1))
        result.append(
            2 * cutoff * window * (math.sin(2 * math.pi * cutoff * m) / (2 * math.pi * cutoff * m))
        )
    return result


def decimate(x, h, step):
    return [
        sum(a * b for a, b in zip(h, x[start : start + len(h)]))
        for start in range(0, len(x) - len(h) + 1, step)
    ]


def receive(offset):
    with open(os.path.join(HERE, "iq.raw"), "rb") as file:
        data = file.read()
    iq = [complex(data[k] - 127.5, data[k + 1] - 127.5) / 127.5 for k in range(0, len(data), 2)]
    base = [z * cmath.exp(-2j * math.pi * offset / 64000 * n) for n, z in enumerate(iq)]
    channel = decimate(base, taps(96, 9000 / 64000), 4)
    sound = [
        cmath.phase(b / a) * 16000 / (2 * math.pi * 5000) for a, b in zip(channel, channel[1:])
    ]
    return decimate(sound, taps(64, 3000 / 16000), 2)


def quality(received, offset):
    """Signal to noise in decibels against the melody that was sent, at the best whole delay."""
    sent = make_input.melody(make_input.STATIONS[offset])
    best = -math.inf
    for shift in range(0, 400, 2):
        pairs = [(sent[8 * n + shift], y) for n, y in enumerate(received[:-100])]
        error = sum((a - b) ** 2 for a, b in pairs)
        best = max(best, 10 * math.log10(sum(a * a for a, _ in pairs) / error))
    return best


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    for offset, name in ((-14000, "expected.wav"), (14000, "expected_14000.wav")):
        sound = receive(offset)
        assert quality(sound, offset) > 20, quality(sound, offset)
        assert max(map(abs, sound)) < 1
        with wave.open(os.path.join(folder, name), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(8000)
            out.writeframes(b"".join(struct.pack("<h", round(32767 * x)) for x in sound))


if __name__ == "__main__":
    main()
