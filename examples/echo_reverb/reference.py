#!/usr/bin/env python3
"""The same room as difference equations in double precision. Writes the sounds of both commands
into the folder named first (default: its own)."""

import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))


def echo(x, delay, gain):
    y = []
    for n, value in enumerate(x):
        y.append(value + (gain * y[n - delay] if n >= delay else 0.0))
    return y


def all_pass(x, delay, gain):
    y = []
    for n, value in enumerate(x):
        y.append(-gain * value + (x[n - delay] + gain * y[n - delay] if n >= delay else 0.0))
    return y


def reverb(x, rate, seconds=1.5, dry=0.7, wet=0.25):
    delays = [0.0297, 0.0371, 0.0411, 0.0437]
    combs = [echo(x, round(d * rate), 10 ** (-3 * d / seconds)) for d in delays]
    spread = all_pass(all_pass([sum(v) for v in zip(*combs)], 40, 0.7), 14, 0.7)
    return [dry * a + wet * b for a, b in zip(x, spread)]


def write(path, samples):
    assert max(map(abs, samples)) < 1
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(b"".join(struct.pack("<h", round(32767 * v)) for v in samples))


def main():
    with wave.open(os.path.join(HERE, "dry.wav")) as file:
        data = file.readframes(file.getnframes())
    dry = [v / 32768 for v, in struct.iter_unpack("<h", data)]
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    write(os.path.join(folder, "expected.wav"), reverb(echo(dry, 2000, 0.35), 8000))
    write(os.path.join(folder, "expected_reverb.wav"), reverb(dry, 8000))


if __name__ == "__main__":
    main()
