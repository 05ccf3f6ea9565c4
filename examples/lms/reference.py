#!/usr/bin/env python3
"""The canceller sample by sample in double precision, with the switch thrown exactly at the sample
where the near speaker is heard or has been quiet for long enough. Writes expected.txt and
expected_deaf.txt (without the switch) into the folder named first (default: its own)."""

import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
TAPS = 32


def tenth(energy):
    """A level in decibels, to a tenth; refuses one that rounding could push either way."""
    x = 100 * math.log10(energy + 1e-9)
    assert abs(x - math.floor(x) - 0.5) > 0.003, x
    return math.floor(x + 0.5) / 10


def cancel(call, listen):
    """Pairs of what is heard and what is left of it."""
    weights = [0.0] * TAPS  # weights[k] belongs to the sample k ago
    talking, quiet, adapting = False, 0, True
    results = []
    for n, (far, heard) in enumerate(call):
        loudest = max(abs(call[k][0]) for k in range(max(0, n - 63), n + 1))
        limit = 0.6 * loudest + 0.001
        assert abs(abs(heard) - limit) > 1e-6 * limit
        if abs(heard) > limit:
            talking, quiet = True, 0
        elif talking:
            quiet += 1
            talking = quiet <= 200
        if listen:
            adapting = not talking
        if n < TAPS - 1:
            continue
        recent = [call[n - k][0] for k in range(TAPS)]
        left = heard - sum(w * x for w, x in zip(weights, recent))
        if adapting:
            step = 0.5 * left / (0.01 + sum(x * x for x in recent))
            weights = [w + step * x for w, x in zip(weights, recent)]
        results.append((heard, left))
    return results


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with wave.open(os.path.join(HERE, "call.wav")) as file:
        data = file.readframes(file.getnframes())
    call = [(a / 32768, b / 32768) for a, b in struct.iter_unpack("<hh", data)]
    for listen, name in ((True, "expected.txt"), (False, "expected_deaf.txt")):
        results = cancel(call, listen)
        with open(os.path.join(folder, name), "w", encoding="ascii") as out:
            for start in range(0, len(results) - 799, 800):
                heard, left = (
                    tenth(sum(v * v for v in part) / 800)
                    for part in zip(*results[start : start + 800])
                )
                print(
                    "%d ms: microphone %s, sent back %s" % (start // 8 + 100, heard, left), file=out
                )


if __name__ == "__main__":
    main()
