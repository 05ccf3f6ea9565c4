#!/usr/bin/env python3
"""Writes picture.pgm, a picture of 72 x 48 pixels: a sun, a house and a hill."""

import os

WIDTH, HEIGHT = 72, 48


def pixel(x, y):
    if (x - 56) ** 2 + (y - 12) ** 2 < 64:
        return 250  # sun
    if 12 <= x < 32 and 22 <= y < 40:
        if 16 <= x < 21 and 26 <= y < 31:
            return 200  # window
        return 60  # wall
    if 10 <= y < 22 and abs(x - 22) <= y - 10:
        return 110  # roof
    if y > 36 - 10 * max(0.0, 1 - ((x - 50) / 24) ** 2):
        return 90 + x // 8  # hill
    return 150 + y  # sky, brighter towards the horizon


def main():
    pixels = [pixel(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "picture.pgm"), "wb") as out:
        out.write(b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT) + bytes(pixels))


if __name__ == "__main__":
    main()
