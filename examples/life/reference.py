#!/usr/bin/env python3
"""Life on a set of living cells. Writes twenty generations to expected.txt in the folder named
first (default: its own)."""

import os
import sys
from collections import Counter

H, W = 16, 40


def main():
    lines = []
    alive = {(1, 2), (2, 3), (3, 1), (3, 2), (3, 3)}
    alive |= {(4, 14 + i) for i in range(3)} | {(9, 22 + i) for i in range(10)}
    for generation in range(1, 21):
        neighbours = Counter(
            ((y + dy) % H, (x + dx) % W)
            for y, x in alive
            for dy in (-1, 0, 1)
            for dx in (-1, 0, 1)
            if dy or dx
        )
        alive = {cell for cell, n in neighbours.items() if n == 3 or n == 2 and cell in alive}
        lines.append("generation %d" % generation)
        lines += ["".join("#" if (y, x) in alive else "." for x in range(W)) for y in range(H)]
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        out.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
