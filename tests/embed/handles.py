#!/usr/bin/env python3
"""Handles of libraries in Python, and a process that plays a part of an input:
handles.py LIBRARY STREAM IN_SIZE OUT_SIZE INPUT STATE OUTPUT SEED STEPS.

It goes on from the state in the file STATE, if there is one, does STEPS calls with pieces of any size, adds what comes to OUTPUT, and leaves its state
and how far it is in STATE. It says "done" when all of the input has been taken and drained, "fault" and the message of one, else "more"."""

import ctypes
import random
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OK, FAULT, MEMORY, PROCESSOR, CALL, TRUNCATED, DAMAGED, OTHER_PROGRAM, NEWER = range(9)
SIZES = ctypes.POINTER(ctypes.c_size_t)


class Library:
    def __init__(self, path, stream, in_size, out_size):
        self.code = ctypes.CDLL(str(path))
        self.stream, self.in_size, self.out_size = stream, in_size, out_size
        for name, result, *parameters in [
            ("create", ctypes.c_void_p, ctypes.c_void_p),
            ("destroy", None, ctypes.c_void_p),
            ("reset", None, ctypes.c_void_p),
            ("message", ctypes.c_char_p, ctypes.c_void_p),
            ("process", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, SIZES, SIZES),
            ("process_many", ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
             ctypes.c_size_t, SIZES, SIZES),
            ("drain", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, SIZES),
            ("state_size", ctypes.c_size_t, ctypes.c_void_p),
            ("save", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, SIZES),
            ("restore", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t),
            ("clone", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
        ]:
            function = getattr(self.code, f"{stream}_{name}")
            function.restype, function.argtypes = result, parameters
            setattr(self, name, function)

    def handle(self):
        return Handle(self, self.create(None))

    def together(self, handles, inputs, room):
        """For each handle how many items were taken, and what came; and the status."""
        count, items = len(handles), len(inputs[0]) // self.in_size
        pointers = (ctypes.c_void_p * count)(*[handle.pointer for handle in handles])
        given = [ctypes.create_string_buffer(one, max(1, len(one))) for one in inputs]
        made = [ctypes.create_string_buffer(max(1, room * self.out_size)) for _ in handles]
        consumed, produced = (ctypes.c_size_t * count)(), (ctypes.c_size_t * count)()
        addresses = [(ctypes.c_void_p * count)(*map(ctypes.addressof, some)) for some in (given, made)]
        status = self.process_many(pointers, count, addresses[0], items, addresses[1], room, consumed, produced)
        return status, list(consumed), [one.raw[: n * self.out_size] for one, n in zip(made, produced, strict=True)]


class Handle:
    def __init__(self, library, pointer):
        assert pointer
        self.library, self.pointer = library, pointer

    def __del__(self):
        self.library.destroy(self.pointer)

    @property
    def message(self):
        return self.library.message(self.pointer).decode()

    def process(self, items, room):
        """The status, how many items were taken, and what came of them."""
        library = self.library
        out = ctypes.create_string_buffer(max(1, room * library.out_size))
        taken, given = ctypes.c_size_t(), ctypes.c_size_t()
        count = len(items) // library.in_size
        status = library.process(self.pointer, items if count else None, count, out if room else None, room, ctypes.byref(taken),
                                 ctypes.byref(given))  # fmt: skip
        return status, taken.value, out.raw[: given.value * library.out_size]

    def drain(self, room):
        library = self.library
        out = ctypes.create_string_buffer(max(1, room * library.out_size))
        given = ctypes.c_size_t()
        status = library.drain(self.pointer, out if room else None, room, ctypes.byref(given))
        return status, out.raw[: given.value * library.out_size]

    def reset(self):
        self.library.reset(self.pointer)

    def save(self):
        """The state; or a status that is not OK."""
        room = self.library.state_size(self.pointer)
        to, size = ctypes.create_string_buffer(max(1, room)), ctypes.c_size_t()
        status = self.library.save(self.pointer, to, room, ctypes.byref(size))
        return to.raw[: size.value] if status == OK else status

    def restore(self, state):
        return self.library.restore(self.pointer, state, len(state))

    def clone(self):
        return Handle(self.library, self.library.clone(self.pointer, None))


class Player:
    """A handle that goes through an input, call by call."""

    def __init__(self, library, items, seed):
        self.library, self.items, self.draw = library, items, random.Random(seed)
        self.handle = library.handle()
        self.taken, self.is_draining, self.idle = 0, False, 0
        self.status = OK
        self.out = b""

    @property
    def is_done(self):
        return self.status != OK or self.idle > 5

    def step(self):
        most = self.draw.choice([1, 5, 30, 300])
        room = self.draw.randint(0, most)
        if self.is_draining:
            self.status, made = self.handle.drain(room)
            self.idle = self.idle + 1 if room and not made else 0
        else:
            count = self.draw.randint(0, most)
            at = self.taken * self.library.in_size
            self.status, taken, made = self.handle.process(self.items[at : at + count * self.library.in_size], room)
            self.taken += taken
            self.is_draining = (self.taken + 1) * self.library.in_size > len(self.items)
        self.out += made


def main(library, stream, in_size, out_size, items, state, output, seed, steps):
    player = Player(Library(library, stream, int(in_size), int(out_size)), Path(items).read_bytes(), int(seed))
    place = Path(state)
    if place.exists():
        kept = place.read_bytes()
        player.taken, player.is_draining, player.idle = struct.unpack_from("<q?B", kept)
        status = player.handle.restore(kept[10:])
        assert status == OK, player.handle.message
    for _ in range(int(steps)):
        if player.is_done:
            break
        player.step()
    with open(output, "ab") as file:
        file.write(player.out)
    if player.status == FAULT:
        print("fault", player.handle.message)
    elif player.is_done:
        print("done")
    else:
        place.write_bytes(struct.pack("<q?B", player.taken, player.is_draining, player.idle) + player.handle.save())
        print("more")


if __name__ == "__main__":
    main(*sys.argv[1:])
