#!/usr/bin/env python3
"""Writes expected.wav into the folder named first (default: its own): the network over the whole sound, in double precision."""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from references import products, sound, weights_of, write_sound  # noqa: E402

DILATIONS = (1, 2, 4, 8, 16, 32)


def layer(stored, name, frames, dilation=1):
    """A causal convolution of frames, which are lists of channels."""
    weight, bias = stored[name + ".weight"], stored[name + ".bias"]
    taps = len(weight[0][0])
    # The weights of a tap beside each other, as a window has the channels of a frame.
    rows = [[channel[k] for k in range(taps) for channel in row] for row in weight]
    reach = (taps - 1) * dilation
    before = [[0.0] * len(frames[0])] * reach + frames
    made = []
    for t in range(len(frames)):
        window = [value for k in range(0, reach + 1, dilation) for value in before[t + k]]
        made.append(products(rows, window, bias))
    return made


def plus(one, other):
    return [[a + b for a, b in zip(x, y)] for x, y in zip(one, other)]


def amplified(stored, samples):
    x = layer(stored, "first", [[v] for v in samples])
    head = [[0.1 * v for v in frame] for frame in x]
    for number, dilation in enumerate(DILATIONS):
        y = layer(stored, f"layers.{number}.conv", x, dilation)
        y = [[math.tanh(v) for v in frame] for frame in y]
        if dilation != DILATIONS[-1]:  # only what comes behind takes it
            x = plus(x, layer(stored, f"layers.{number}.out", y))
        head = plus(head, y)
    return [frame[0] for frame in layer(stored, "last", head)]


def main():
    samples = sound(os.path.join(HERE, "guitar.wav"))
    made = amplified(weights_of(os.path.join(HERE, "amplifier.safetensors")), samples)
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    write_sound(os.path.join(folder, "expected.wav"), 16000, made)


main()
