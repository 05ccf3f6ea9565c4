#!/usr/bin/env python3
"""Writes expected.wav into the folder named first (default: its own): the network over the whole sound, in double precision."""

import json
import math
import os
import struct
import sys
import wave

HERE = os.path.dirname(os.path.abspath(__file__))


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


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def products(matrix, vector):
    return [sum(map(float.__mul__, row, vector)) for row in matrix]


def amplified(stored, samples):
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    from_input, from_state, one, other = (stored["lstm." + name] for name in names)
    size = len(from_state[0])
    h, c, made = [0.0] * size, [0.0] * size, []
    for x in samples:
        fresh, old = products(from_input, [x]), products(from_state, h)
        gates = [sum(parts) for parts in zip(fresh, old, one, other)]
        i, f, g, o = (gates[k * size : (k + 1) * size] for k in range(4))
        c = [sigmoid(f[k]) * c[k] + sigmoid(i[k]) * math.tanh(g[k]) for k in range(size)]
        h = [sigmoid(o[k]) * math.tanh(c[k]) for k in range(size)]
        made.append(x + products(stored["dense.weight"], h)[0] + stored["dense.bias"][0])
    return made


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
