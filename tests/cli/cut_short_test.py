#!/usr/bin/env python3
"""Input with a fault: it is told once, and all that is whole before it comes first."""

import struct
import unittest

from command import Case


def npy(descr, shape, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\0" + struct.pack("<H", 118) + header.ljust(117) + b"\n" + values


def floats(count):
    return struct.pack(f"<{count}f", *range(count))


COPIES = """int->int filter Ints { work pop 1 push 1 { push(pop()); } }
float->float filter Floats { work pop 1 push 1 { push(pop()); } }
float[2]->float[2] filter Pairs { work pop 1 push 1 { push(pop()); } }
tensor->tensor filter Tensors { work pop 1 push 1 { push(sum(pop())); } }
tensor->tensor pipeline Large { add tensor->tensor filter { work pop 1 push 1 { push(sum(pop())); } }; }
"""


class CutShort(Case):
    def check(self, top, kind, data, why, expected, *build):
        """Through a pipe, by each engine."""
        path = self.file("p.str", COPIES)
        self.call("build", "-o", "made", "--top", top, *build, path)
        words = ("--in", "-", "--in-format", kind, "--out", "-", "--out-format", "text")
        run = ("run", "--top", top, *build, *words)
        for command, program in (((*run, "--interpret", path), None), ((*run, path), None), (words, "./made")):
            with self.subTest(command=command):
                out, err = self.call(*command, input=data, status=1, executable=program)
                self.assertEqual([float(word.split(b",")[0]) for word in out.split()], expected)
                self.assertEqual(err.count("error"), 1, err)
                self.assertIn(f"'standard input' is not a valid {kind} file: {why} [malformed-input]", err)

    def test_tensors(self):
        whole = npy("<f4", (5, 8), floats(40))
        self.check("Tensors", "npy", whole[:-90], "it ends 23 elements too early", [28, 92], "--input", "8")
        self.check("Tensors", "npy", whole[:-130], "it ends 33 elements too early", [], "--input", "8")

    def test_large_tensors(self):
        """Those that executables read straight to where they go."""
        size = 1 << 15
        whole = npy("<f4", (5, size), bytes(5 * size * 4))
        self.check("Large", "npy", whole[:-8], "it ends 2 elements too early", [0, 0, 0, 0], "--input", str(size))

    def test_numbers(self):
        whole = npy("<f4", (4000,), floats(4000))
        self.check("Floats", "npy", whole[:-90], "it ends 23 elements too early", list(range(3977)))
        self.check("Pairs", "npy", whole[:-90], "it ends 23 elements too early", list(range(0, 3976, 2)))

    def test_numbers_that_do_not_fit(self):
        values = struct.pack("<5q", 1, 2, 3, 1 << 40, 5)
        self.check("Ints", "npy", npy("<i8", (5,), values), "element 3 does not fit the type of the items", [1, 2, 3])

    def test_texts(self):
        self.check("Ints", "text", b"1 2\n3 x 5\n", "line 2: 'x' is not an int", [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
