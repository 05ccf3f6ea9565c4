#!/usr/bin/env python3
"""Writes keys.txt: 128 integers, among them equal, negative and extreme ones."""

import os
import random

EXTREMES = [2**31 - 1, -(2**31), 0, -1, 1, 7, 7, 7]


def main():
    generator = random.Random(1968)
    keys = EXTREMES + [generator.randrange(-500, 1000) for _ in range(120)]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keys.txt")
    with open(path, "w", encoding="ascii") as out:
        for start in range(0, len(keys), 8):
            print(*keys[start : start + 8], file=out)


if __name__ == "__main__":
    main()
