#!/usr/bin/env python3
"""Prints keys.raw in sorted blocks."""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    with open(os.path.join(HERE, "keys.raw"), "rb") as file:
        keys = [key for key, in struct.iter_unpack("<i", file.read())]
    for start in range(0, len(keys), n):
        print(" ".join(map(str, sorted(keys[start:start + n]))))


if __name__ == "__main__":
    main()
