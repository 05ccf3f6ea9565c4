#!/usr/bin/env python3
"""The sums of the convolution one by one, in double precision. Writes expected.wav into the folder named first (default: its own)."""

import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))


def samples(path):
    """By channel, from -1 to 1."""
    with wave.open(path) as file:
        values = [v / 32768 for v, in struct.iter_unpack("<h", file.readframes(file.getnframes()))]
        return [values[k :: file.getnchannels()] for k in range(file.getnchannels())]


def convolved(x, h):
    y = [0.0] * len(x)
    for k, tap in enumerate(h):
        if tap != 0:
            y = y[:k] + [a + tap * b for a, b in zip(y[k:], x)]
    return y


def main():
    dry, = samples(os.path.join(HERE, "..", "echo_reverb", "dry.wav"))
    ears = [convolved(dry, h) for h in samples(os.path.join(HERE, "room.wav"))]
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with wave.open(os.path.join(folder, "expected.wav"), "wb") as out:
        out.setparams((2, 2, 8000, 0, "NONE", ""))
        for frame in zip(*ears):
            out.writeframes(struct.pack("<2h", *(max(-32768, min(32767, round(32768 * v))) for v in frame)))


if __name__ == "__main__":
    main()
