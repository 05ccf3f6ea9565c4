#!/usr/bin/env python3
"""Writes expected.wav into the folder named first (default: its own): the network over the whole sound, in double precision."""

import json
import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))
DILATIONS = (1, 2, 4, 8, 16, 32)


def tensors(path):
    """The values of a safetensors file as lists of lists."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<Q", data)[0]
    found = {}
    for name, about in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = about["data_offsets"]
        values = list(struct.unpack_from(f"<{(end - begin) // 4}f", data, 8 + size + begin))
        for extent in reversed(about["shape"][1:]):
            values = [values[k : k + extent] for k in range(0, len(values), extent)]
        found[name] = values
    return found


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
        made.append([sum(map(float.__mul__, row, window)) + b for row, b in zip(rows, bias)])
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
    with wave.open(os.path.join(HERE, "guitar.wav")) as file:
        rate, count = file.getframerate(), file.getnframes()
        samples = [v / 32768 for v in struct.unpack(f"<{count}h", file.readframes(count))]
    made = amplified(tensors(os.path.join(HERE, "amplifier.safetensors")), samples)
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    with wave.open(os.path.join(folder, "expected.wav"), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(struct.pack(f"<{count}h", *(max(-32768, min(32767, round(32768 * v))) for v in made)))


main()
