#!/usr/bin/env python3
"""Writes pairs.raw: five pairs of matrices, 4 x 6 and 6 x 3, row by row, as floats."""

import os
import random
import struct


def main():
    generator = random.Random(1850)
    data = b""
    for pair in range(5):
        for count in (4 * 6, 6 * 3):
            values = [generator.randrange(-20, 21) / (1, 2, 4, 8, 10)[pair] for _ in range(count)]
            data += struct.pack("<%df" % count, *values)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs.raw"), "wb") as out:
        out.write(data)


if __name__ == "__main__":
    main()
