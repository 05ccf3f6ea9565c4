#!/usr/bin/env python3
"""The same room in double precision. Writes what the host and what `strc run` make of the sound into the folder
named first (default: its own)."""

import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))


def echo(x, delay, strength):
    y = []
    for n, value in enumerate(x):
        y.append(value + (strength * y[n - delay] if n >= delay else 0.0))
    return y


def limiter(x, n):
    return [0.8 * x[k] / max(0.8, *map(abs, x[k : k + n])) for k in range(len(x) - n + 1)]


def write(path, samples):
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(b"".join(struct.pack("<h", round(32767 * v)) for v in samples))


def main():
    with wave.open(os.path.join(HERE, "../echo_reverb/dry.wav")) as file:
        data = file.readframes(file.getnframes())
    dry = [v / 32768 for v, in struct.iter_unpack("<h", data)]
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    late = [0.0] * 31
    write(os.path.join(folder, "expected.wav"), limiter(echo(late + dry, 1520, 0.3), 32))
    write(os.path.join(folder, "expected_run.wav"), limiter(echo(dry, 1520, 0.6), 32))


if __name__ == "__main__":
    main()
