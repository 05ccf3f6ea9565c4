#!/usr/bin/env python3
"""Files that there is no room for: what is whole stays, or nothing; by each engine, and by executables."""

import resource
import struct
import unittest

from command import Case

ROOM = 100_000
NUMBERS = "void->int[3] filter Main { int n; work push 1 { int[3] x; x[0] = n; x[1] = -n; x[2] = 7; push(x); n++; } }"
TENSORS = "void->tensor filter Main { int n; work push 1 { n++; push(full(1.0 * n, 3, 4, 5)); } }"
PIXELS = "void->int filter Main { int n; work push 1 { n = n * 1103515245 + 12345; push((n >> 16) & 255); } }"


def small():
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


class Room(Case):
    def written(self, text, name, *words, items=50_000):
        """By each engine in turn, with the room and without it."""
        path = self.file("p.str", text)
        self.call("build", "-o", "made", "--top", "Main", path)
        words = (f"-i{items}", "--out", name, *words)
        for engine in (("run", "--interpret"), ("run",), None):
            def write(engine=engine, **how):
                command = (*engine, "--top", "Main", *words, path) if engine else words
                err = self.call(*command, executable=None if engine else "./made", **how)[1]
                return self.bytes(name), err

            whole, _ = write()
            self.assertGreater(len(whole), ROOM)
            part, err = write(status=1, preexec_fn=small)
            self.assertEqual(err.count("error"), 1, err)
            self.assertIn(f"cannot write '{name}': File too large [cannot-write-file]", err)
            with self.subTest(engine=engine, name=name):
                yield whole, part

    def check_prefix(self, whole, part, header, size):
        """As many whole items as there is room for."""
        self.assertEqual(len(part), header + (ROOM - header) // size * size)
        self.assertEqual(part[header:], whole[header:len(part)])

    def test_items(self):
        for whole, part in self.written(NUMBERS, "x.raw"):
            self.check_prefix(whole, part, 0, 12)
        for whole, part in self.written(NUMBERS, "x.pcm"):
            self.check_prefix(whole, part, 0, 6)

    def test_lines(self):
        for whole, part in self.written(NUMBERS, "x.txt"):
            self.assertEqual(part, whole[:whole.rindex(b"\n", 0, ROOM) + 1])

    def test_arrays(self):
        for text, size in ((NUMBERS, 12), (TENSORS, 240)):
            for whole, part in self.written(text, "x.npy"):
                header = 10 + struct.unpack_from("<H", whole, 8)[0]
                self.check_prefix(whole, part, header, size)
                count = (len(part) - header) // size
                self.assertIn(f"'shape': ({count}, 3".encode(), part[:header])

    def test_sounds(self):
        for whole, part in self.written(NUMBERS, "x.wav"):
            self.check_prefix(whole, part, 44, 6)
            self.assertEqual(struct.unpack_from("<I", part, 4), (len(part) - 8,))
            self.assertEqual(struct.unpack_from("<I", part, 40), (len(part) - 44,))

    def test_films(self):
        for whole, part in self.written(PIXELS, "x.pgm", "--out-width", "10", "--out-height", "10", items=110_000):
            self.check_prefix(whole, part, 0, len(b"P5\n10 10\n255\n") + 100)

    def test_what_makes_no_sense_in_part(self):
        for _, part in self.written(TENSORS, "x.safetensors"):
            self.assertEqual(part, b"")
        for name in ("x.png", "x.jpg", "x.pgm"):
            for _, part in self.written(PIXELS, name, "--out-width", "400", items=160_000):
                self.assertEqual(part, b"")


class Refused(Case):
    """Items that a file does not take leave what it has got whole."""

    def test_second_picture(self):
        path = self.file("p.str", PIXELS)
        size = ("--out-width", "4", "--out-height", "5")
        self.call("build", "-o", "made", "--top", "Main", path)
        for name in ("x.png", "x.jpg"):
            self.call("run", "--top", "Main", "-i20", "--out", f"one{name}", *size, path)
            for command, program in ((("run", "--top", "Main", path), None), ((), "./made")):
                _, err = self.call(*command, "-i21", "--out", name, *size, executable=program, status=1)
                self.assertEqual(err.count("the image is full, and more items come"), 1, err)
                self.assertEqual(self.bytes(name), self.bytes(f"one{name}"))

    def test_elements_that_no_array_has(self):
        path = self.file("p.str", "void->tensor filter Main { work push 1 { push(bfloat16(full(1.0, 2, 3))); } }")
        self.call("build", "-o", "made", "--top", "Main", path)
        for command, program in ((("run", "--top", "Main", path), None), ((), "./made")):
            self.file("x.npy", "as it was")
            _, err = self.call(*command, "-i1", "--out", "x.npy", executable=program, status=2)
            self.assertIn("npy files cannot hold items of type 'tensor<bfloat16>[2, 3]' [format-item-type]", err)
            self.assertEqual(self.bytes("x.npy"), b"as it was")


if __name__ == "__main__":
    unittest.main()
