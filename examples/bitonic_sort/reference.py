#!/usr/bin/env python3
"""Writes keys.txt in sorted blocks, one a line and one key a line, into the folder named first
(default: its own)."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    with open(os.path.join(HERE, "keys.txt"), encoding="ascii") as file:
        keys = [int(word) for word in file.read().split()]
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    for n, name, sep in (
        (16, "expected.txt", " "),
        (64, "expected_64.txt", " "),
        (16, "expected_sorted.txt", "\n"),
    ):
        with open(os.path.join(folder, name), "w", encoding="ascii") as out:
            for start in range(0, len(keys), n):
                print(*sorted(keys[start : start + n]), sep=sep, file=out)


if __name__ == "__main__":
    main()
