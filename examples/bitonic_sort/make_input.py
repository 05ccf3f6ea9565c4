#!/usr/bin/env python3
"""Writes keys.raw: 128 integers of 32 bits, among them equal, negative and extreme ones."""

import os
import random
import struct

EXTREMES = [2**31 - 1, -(2**31), 0, -1, 1, 7, 7, 7]


def main():
    generator = random.Random(1968)
    keys = EXTREMES + [generator.randrange(-500, 1000) for _ in range(120)]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "keys.raw"), "wb") as out:
        out.write(struct.pack("<128i", *keys))


if __name__ == "__main__":
    main()
