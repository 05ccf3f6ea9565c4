#!/usr/bin/env python3
"""Prints the products of the pairs in pairs.raw."""
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS, INNER, COLUMNS = 4, 6, 3


def main():
    with open(os.path.join(HERE, "pairs.raw"), "rb") as file:
        values = [v for v, in struct.iter_unpack("<f", file.read())]
    size = ROWS * INNER + INNER * COLUMNS
    for start in range(0, len(values), size):
        pair = values[start:start + size]
        a = [pair[i * INNER:(i + 1) * INNER] for i in range(ROWS)]
        rest = pair[ROWS * INNER:]
        b = [rest[k * COLUMNS:(k + 1) * COLUMNS] for k in range(INNER)]
        for row in a:
            print(" ".join(str(float("%.6g" % sum(x * y for x, y in zip(row, column)))) for column in zip(*b)))
        print()


if __name__ == "__main__":
    main()
