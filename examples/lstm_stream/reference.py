#!/usr/bin/env python3
"""Writes expected.wav into the folder named first (default: its own): the network over the whole sound, in double precision."""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from references import products, sigmoid, sound, weights_of, write_sound  # noqa: E402


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
    samples = sound(os.path.join(HERE, "../wavenet_amp/guitar.wav"))
    made = amplified(weights_of(os.path.join(HERE, "amplifier.safetensors")), samples)
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    write_sound(os.path.join(folder, "expected.wav"), 16000, made)


main()
