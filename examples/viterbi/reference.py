#!/usr/bin/env python3
"""Codes the message, flips the same bits and decodes by one search through the whole message, over
paths instead of back-pointers. Writes the comparison and both texts into the folder
named first (default: its own)."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
G = [0o171, 0o133]
BLOCK = 64
AHEAD = 64


def bits(data):
    return [byte >> i & 1 for byte in data for i in range(7, -1, -1)]


def pack(stream):
    return bytes(int("".join(map(str, stream[k : k + 8])), 2) for k in range(0, len(stream), 8))


def encode(message):
    window = [0] * 7  # newest first
    out = []
    for b in message:
        window = [b] + window[:6]
        out += [sum(w for w, g in zip(window, f"{mask:07b}") if g == "1") % 2 for mask in G]
    return out


def line(stream, percent, seed):
    out = []
    for b in stream:
        seed = (seed * 1664525 + 1013904223) % 2**32
        out.append(b ^ ((seed >> 16 & 0x7FFF) < 32768 * percent // 100))
    return out


def decode(received):
    """The message nearest to what was received, over all messages."""
    paths = {(0,) * 6: (0, [])}  # last six bits, newest first: (errors, message)
    for k in range(0, len(received), 2):
        pair = received[k : k + 2]
        fresh = {}
        for state, (errors, message) in paths.items():
            for b in (0, 1):
                window = (b,) + state
                sent = [sum(w for w, g in zip(window, f"{mask:07b}") if g == "1") % 2 for mask in G]
                total = errors + sum(x != y for x, y in zip(sent, pair))
                best = fresh.get(window[:6])
                if best is None or total < best[0]:
                    fresh[window[:6]] = (total, (message, b))
        paths = fresh
    _, message = min(paths.values(), key=lambda entry: entry[0])
    out = []
    while message:
        message, b = message
        out.append(b)
    return out[::-1]


def main():
    percent = 4
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with open(os.path.join(HERE, "message.txt"), "rb") as file:
        message = bits(file.read())
    plain = line(message, percent, 1)
    coded = decode(line(encode(message), percent, 2))
    blocks = (len(message) - AHEAD) // BLOCK
    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        for k in range(blocks):
            wrong = [
                sum(
                    a != b for a, b in zip(message[k * BLOCK : (k + 1) * BLOCK], other[k * BLOCK :])
                )
                for other in (plain, coded)
            ]
            print("block %d: wrong bits without the code %d, with it %d" % (k, *wrong), file=out)
    for name, stream in (("plain", plain), ("coded", coded)):
        with open(os.path.join(folder, f"expected_{name}.txt"), "wb") as out:
            out.write(pack(stream[: blocks * BLOCK]))


if __name__ == "__main__":
    main()
