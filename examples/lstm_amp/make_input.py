#!/usr/bin/env python3
"""Writes dry.wav: three quarters of a second of plucked strings. Needs NumPy."""

import os
import wave

import numpy

import sounds


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dry.wav")
    sound = sounds.plucks(7, 1, 12000)[0]
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(sounds.RATE)
        out.writeframes(numpy.round(32767 * sound).astype("<i2").tobytes())


if __name__ == "__main__":
    main()
