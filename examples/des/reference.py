#!/usr/bin/env python3
"""DES on whole integers. Checks published test vectors and writes what des.str prints to expected.txt
in the folder named first (default: its own)."""

import os
import sys

# fmt: off
IP = [58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4,
      62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
      57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3,
      61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7]
E = [32, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
     16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1]
P = [16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
     2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25]
PC1 = [57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
       63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4]
PC2 = [14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
       41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32]
SHIFTS = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]
S = [
    [14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
     4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13],
    [15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
     0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9],
    [10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
     13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12],
    [7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
     10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14],
    [2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
     4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3],
    [12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
     9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13],
    [4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
     1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12],
    [13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
     7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11],
]
# fmt: on
# key, plain text, cipher text: the worked example of the literature, and three lines of the tables in
# NBS Special Publication 500-20 (variable plain text, permutation operation, substitution tables).
VECTORS = [
    (0x133457799BBCDFF1, 0x0123456789ABCDEF, 0x85E813540F0AB405),
    (0x0101010101010101, 0x8000000000000000, 0x95F8A5E5DD31D900),
    (0x1046913489980131, 0x0000000000000000, 0x88D55E54F54C97B4),
    (0x7CA110454A1A6E57, 0x01A1D6D039776742, 0x690F5B0D9A26939B),
]


def permute(value, width, table):
    """The bits of value that table names, bit 1 being the highest of width."""
    result = 0
    for position in table:
        result = result << 1 | value >> (width - position) & 1
    return result


def round_keys(key):
    state = permute(key, 64, PC1)
    c, d = state >> 28, state & 0xFFFFFFF
    keys = []
    for shift in SHIFTS:
        c = (c << shift | c >> (28 - shift)) & 0xFFFFFFF
        d = (d << shift | d >> (28 - shift)) & 0xFFFFFFF
        keys.append(permute(c << 28 | d, 56, PC2))
    return keys


def feistel(half, key):
    mixed = permute(half, 32, E) ^ key
    out = 0
    for box in range(8):
        six = mixed >> (42 - 6 * box) & 63
        row, column = (six >> 5) * 2 + (six & 1), six >> 1 & 15
        out = out << 4 | S[box][16 * row + column]
    return permute(out, 32, P)


def des(block, keys):
    state = permute(block, 64, IP)
    left, right = state >> 32, state & 0xFFFFFFFF
    for key in keys:
        left, right = right, left ^ feistel(right, key)
    inverse = [IP.index(n) + 1 for n in range(1, 65)]
    return permute(right << 32 | left, 64, inverse)


def main():
    for key, plain, cipher in VECTORS:
        assert des(plain, round_keys(key)) == cipher
        assert des(cipher, round_keys(key)[::-1]) == plain
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "plain.bin"), "rb") as file:
        assert file.read() == b"".join(plain.to_bytes(8, "big") for _, plain, _ in VECTORS)
    folder = sys.argv[1] if len(sys.argv) > 1 else here
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        for key, plain, _ in VECTORS:
            cipher = des(plain, round_keys(key))
            back = des(cipher, round_keys(key)[::-1])
            print("%016X %016X %016X" % (plain, cipher, back), file=out)


if __name__ == "__main__":
    main()
