#!/usr/bin/env python3
"""The same pictures. A pixel at the edge of the set depends on the last bit, so every operation is
rounded to single precision here, as the language says. Writes three pictures to expected.txt in
the folder named first (default: its own)."""

import os
import struct
import sys


def f(x):
    """x as the nearest float of 32 bits."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def escape(a, b, limit):
    x = y = 0.0
    n = 0
    while n < limit and f(f(x * x) + f(y * y)) <= 4:
        re = f(f(f(x * x) - f(y * y)) + a)
        im = f(f(f(x * y) + f(y * x)) + b)
        x, y, n = re, im, n + 1
    return n


def main():
    lines = []
    width, height, limit = 76, 28, 200
    size = 3.0
    for picture in range(3):
        for row in range(height):
            line = ""
            for column in range(width):
                a = f(f(-0.74364) + f(f((column - width // 2) * size) / width))
                b = f(f(0.13183) + f(f(f((height // 2 - row) * size) / width) * 2))
                n = escape(a, b, limit)
                if n == limit:
                    line += " "
                else:
                    line += next(
                        sign
                        for part, sign in [
                            (2, "@"),
                            (4, "%"),
                            (8, "*"),
                            (16, "+"),
                            (32, ":"),
                            (limit + 1, "."),
                        ]
                        if n >= limit // part
                    )
            lines.append(line)
        lines.append("picture %d" % (picture + 1))
        size = f(size / 4)
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        out.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
