#!/usr/bin/env python3
"""Writes left.wav and stop.wav, a word each, and talk.wav: after half a second five people one after the other, of whom four
say a word that the network knows. Needs NumPy."""

import os
import wave

import numpy

import voices

TALK = ["go", "right", None, "yes", "down"]  # None: something else


def write(name, sound):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(voices.RATE)
        out.writeframes((sound * 32768).astype("<i2").tobytes())


def talk(seed):
    draw = numpy.random.default_rng(seed)
    tracks = [
        voices.place(draw, voices.utter(draw, voices.SPELLING[word].split() if word else voices.nonsense(draw)), cut=False)
        for word in TALK
    ]
    spoken = voices.speak(draw, numpy.array(tracks)).reshape(1, -1)
    return voices.record(draw, numpy.pad(spoken, ((0, 0), (4096, 0))))[0]


def main():
    for seed, word in ((11, "left"), (12, "stop")):
        write(f"{word}.wav", voices.clips(seed, 1, [voices.WORDS.index(word)])[0][0])
    write("talk.wav", talk(15))


if __name__ == "__main__":
    main()
