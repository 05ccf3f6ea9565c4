#!/usr/bin/env python3
"""Life on a set of living cells. Prints the generations that life.str prints."""
import sys
from collections import Counter

H, W = 16, 40


def main():
    generations = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    alive = {(1, 2), (2, 3), (3, 1), (3, 2), (3, 3)}
    alive |= {(4, 14 + i) for i in range(3)} | {(9, 22 + i) for i in range(10)}
    for generation in range(1, generations + 1):
        neighbours = Counter(((y + dy) % H, (x + dx) % W) for y, x in alive
                             for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)
        alive = {cell for cell, n in neighbours.items() if n == 3 or n == 2 and cell in alive}
        print("generation %d" % generation)
        for y in range(H):
            print("".join("#" if (y, x) in alive else "." for x in range(W)))


if __name__ == "__main__":
    main()
