#!/usr/bin/env python3
"""Writes pairs.txt: five pairs of matrices, 4 x 6 and 6 x 3, row by row."""

import os
import random


def main():
    generator = random.Random(1850)
    text = ""
    for pair in range(5):
        for rows, columns in ((4, 6), (6, 3)):
            for _ in range(rows):
                values = [
                    generator.randrange(-20, 21) / (1, 2, 4, 8, 10)[pair] for _ in range(columns)
                ]
                text += " ".join("%6g" % value for value in values) + "\n"
            text += "\n"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs.txt")
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


if __name__ == "__main__":
    main()
