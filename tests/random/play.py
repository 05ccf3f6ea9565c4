#!/usr/bin/env python3
"""Plays ints through a library of strc in pieces, as a host does.

play.py LIBRARY STREAM IN OUT THREADS SEED
"""

import ctypes
import random
import sys
from pathlib import Path

MOST = 500  # items of a piece


class ThreadOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_uint32),
        ("priority", ctypes.c_int32),
        ("spin", ctypes.c_uint32),
        ("processors", ctypes.c_void_p),
    ]


def play(library, stream, items, threads, seed):
    """What it gives; exits with 3 at a fault, as `strc run` does."""

    def function(name, result=ctypes.c_int):
        found = getattr(library, f"{stream}_{name}")
        found.restype = result
        return found

    create, process, message = function("create", ctypes.c_void_p), function("process"), function("message", ctypes.c_char_p)
    handle = ctypes.c_void_p(create(None))
    how = ThreadOptions(ctypes.sizeof(ThreadOptions), threads)
    if function("threads")(handle, ctypes.byref(how)) != 0:
        sys.exit(message(handle).decode())
    draw, given, at = random.Random(seed), bytearray(), 0
    out = (ctypes.c_int32 * (64 * MOST))()
    taken, made = ctypes.c_size_t(), ctypes.c_size_t()
    while at < len(items):
        piece = items[at : at + draw.randint(1, MOST)]
        status = process(
            handle, (ctypes.c_int32 * len(piece))(*piece), ctypes.c_size_t(len(piece)), out, ctypes.c_size_t(len(out)),
            ctypes.byref(taken), ctypes.byref(made),
        )  # fmt: skip
        given += bytes(out)[: 4 * made.value]
        if status != 0:
            print(message(handle).decode(), file=sys.stderr)
            return given, 3
        at += taken.value
    while True:
        status = function("drain")(handle, out, ctypes.c_size_t(len(out)), ctypes.byref(made))
        given += bytes(out)[: 4 * made.value]
        if status != 0 or made.value < len(out):
            break
    if status != 0:
        print(message(handle).decode(), file=sys.stderr)
        return given, 3
    function("destroy", None)(handle)
    return given, 0


def main():
    path, stream, source, to, threads, seed = sys.argv[1:]
    items = memoryview(Path(source).read_bytes()).cast("i").tolist()
    given, status = play(ctypes.CDLL(path), stream, items, int(threads), int(seed))
    Path(to).write_bytes(given)
    return status


if __name__ == "__main__":
    sys.exit(main())
