#!/usr/bin/env python3
"""Huffman's code with a heap, codes as strings. Writes the report and the bits into the folder
named first (default: its own), and checks that the code is free of prefixes and comes back as the
text.
"""

import heapq
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LETTERS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        [
            817,
            149,
            278,
            425,
            1270,
            223,
            202,
            609,
            697,
            15,
            77,
            403,
            241,
            675,
            751,
            193,
            10,
            599,
            633,
            906,
            276,
            98,
            236,
            15,
            197,
            7,
        ],
    )
)


def codes():
    weights = {chr(i): 1 for i in range(128)}
    for letter, weight in LETTERS.items():
        weights[letter] = weight
        weights[letter.upper()] = weight // 30 + 1
    weights.update({" ": 1900, "\n": 150, ",": 130, ".": 100})
    # Equal weights: the older node first.
    heap = [(weight, age, {letter: ""}) for age, (letter, weight) in enumerate(weights.items())]
    heapq.heapify(heap)
    age = len(heap)
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        joined = {letter: "0" + code for letter, code in a[2].items()}
        joined.update({letter: "1" + code for letter, code in b[2].items()})
        heapq.heappush(heap, (a[0] + b[0], age, joined))
        age += 1
    return heap[0][2]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with open(os.path.join(HERE, "text.txt"), encoding="ascii") as file:
        text = file.read()
    table = codes()
    bits = "".join(table[c] for c in text)

    back = {code: letter for letter, code in table.items()}
    again, code = "", ""
    for b in bits:
        code += b
        if code in back:
            again, code = again + back[code], ""
    assert again == text

    with open(os.path.join(folder, "expected.txt"), "w", encoding="ascii") as out:
        for k in range(0, len(text) // 100 * 100, 100):
            size = sum(len(table[c]) for c in text[k : k + 100])
            print("100 characters: 800 bits became %d" % size, file=out)
    bits += "0" * (-len(bits) % 8)
    with open(os.path.join(folder, "expected.bin"), "wb") as out:
        out.write(bytes(int(bits[k : k + 8], 2) for k in range(0, len(bits), 8)))


if __name__ == "__main__":
    main()
