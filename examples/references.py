"""What reference.py of several examples need: learned values and sounds, as lists of numbers."""

import json
import math
import struct
import wave

KINDS = {"F32": "f", "F64": "d", "I32": "i"}


def weights_of(path):
    """The values of a safetensors file by name, rows and columns as lists in lists."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        values = [value for value, in struct.iter_unpack("<" + KINDS[entry["dtype"]], data[slice(*entry["data_offsets"])])]
        for extent in reversed(entry["shape"][1:]):
            values = [values[k : k + extent] for k in range(0, len(values), extent)]
        found[name] = values
    return found


def sound(path):
    """The samples of a WAV file with one channel of 16 bits, from -1 to 1."""
    with wave.open(path) as file:
        return [value / 32768 for value, in struct.iter_unpack("<h", file.readframes(file.getnframes()))]


def write_sound(path, rate, samples):
    """As strc writes them: rounded, and clipped."""
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(b"".join(struct.pack("<h", max(-32768, min(32767, round(32768 * v)))) for v in samples))


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def products(matrix, vector, bias=None):
    """Of a matrix and a vector, and a vector is added."""
    sums = [sum(map(float.__mul__, row, vector)) for row in matrix]
    return sums if bias is None else [s + b for s, b in zip(sums, bias)]
