#!/usr/bin/env python3
"""Sobel's operator as differences of smoothed rows and columns. Writes the drawing and
the picture into the folder named first (default: its own)."""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    with open(os.path.join(HERE, "picture.pgm"), "rb") as file:
        header, size, _, pixels = file.read().split(b"\n", 3)
    width, height = map(int, size.split())

    def at(x, y):
        return pixels[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]

    def smooth_column(x, y):
        return at(x, y - 1) + 2 * at(x, y) + at(x, y + 1)

    def smooth_row(x, y):
        return at(x - 1, y) + 2 * at(x, y) + at(x + 1, y)

    strength = [
        [
            min(
                255,
                math.isqrt(
                    (smooth_column(x + 1, y) - smooth_column(x - 1, y)) ** 2
                    + (smooth_row(x, y + 1) - smooth_row(x, y - 1)) ** 2
                ),
            )
            for x in range(width)
        ]
        for y in range(height)
    ]
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        for y in range(0, height, 2):
            values = map(max, strength[y], strength[y + 1])
            signs = [
                "#" if v >= 200 else "+" if v >= 100 else "." if v >= 40 else " " for v in values
            ]
            print("".join(signs) + "|", file=out)
    with open(os.path.join(folder, "expected.pgm"), "wb") as out:
        out.write(b"P5\n%d %d\n255\n" % (width, height) + bytes(v for row in strength for v in row))


if __name__ == "__main__":
    main()
