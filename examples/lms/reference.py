#!/usr/bin/env python3
"""The canceller sample by sample in double precision, with the switch thrown exactly at the sample
where the near speaker is heard or has been quiet for long enough."""
import math
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TAPS = 32


def tenth(energy):
    """A level in decibels, to a tenth; refuses one that rounding could push either way."""
    x = 100 * math.log10(energy + 1e-9)
    assert abs(x - math.floor(x) - 0.5) > 0.003, x
    return math.floor(x + 0.5) / 10


def main():
    listen = "--deaf" not in sys.argv
    with open(os.path.join(HERE, "call.raw"), "rb") as file:
        call = list(struct.iter_unpack("<ff", file.read()))
    weights = [0.0] * TAPS                      # weights[k] belongs to the sample k ago
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
    for block in range(len(results) // 800):
        part = results[800 * block:800 * block + 800]
        print("%d ms: microphone %s, sent back %s" % (
            100 * (block + 1), tenth(sum(h * h for h, _ in part) / 800), tenth(sum(v * v for _, v in part) / 800)))


if __name__ == "__main__":
    main()
