#!/usr/bin/env python3
"""Writes the products of the pairs in pairs.txt to expected.txt in the folder named first (default:
its own)."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS, INNER, COLUMNS = 4, 6, 3


def main():
    with open(os.path.join(HERE, "pairs.txt"), encoding="ascii") as file:
        values = [float(word) for word in file.read().split()]
    lines = []
    size = ROWS * INNER + INNER * COLUMNS
    for start in range(0, len(values), size):
        pair = values[start : start + size]
        a = [pair[i * INNER : (i + 1) * INNER] for i in range(ROWS)]
        rest = pair[ROWS * INNER :]
        b = [rest[k * COLUMNS : (k + 1) * COLUMNS] for k in range(INNER)]
        for row in a:
            products = [sum(x * y for x, y in zip(row, column)) for column in zip(*b)]
            lines.append(" ".join(str(float("%.6g" % p)) for p in products) + "\n")
        lines.append("\n")
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        out.writelines(lines)


if __name__ == "__main__":
    main()
