#!/usr/bin/env python3
"""What is left over of the inputs: how many items of which file."""

import struct
import unittest

from command import Case, safetensors
from cut_short_test import npy

TWO = """tensor->tensor pipeline Main {
    add splitjoin { split roundrobin; add relu(); add relu(); join roundrobin; }
    add add();
}
"""
PAIRS = "tensor->tensor filter Main { work pop 2 push 1 { push(pop()); pop(); } }"


class LeftOver(Case):
    def check(self, text, inputs, expected, *words):
        path = self.file("p.str", text)
        call = [word for name in inputs for word in ("--in", name)] + ["--out", "out.npy", *words]
        self.call("build", "-o", "made", "--top", "Main", "--input", "2", path)
        run = ("run", "--top", "Main", "--input", "2", *call)
        for command, program in (((*run, "--interpret", path), None), ((*run, path), None), (call, "./made")):
            err = self.call(*command, executable=program)[1]
            told = [line.split(": ", 2)[2] for line in err.splitlines() if "left over" in line]
            ending = " [input-left-over]"
            self.assertEqual(told, [f"{left} left over at the end of '{file}'{ending}" for left, file in expected], err)

    def setUp(self):
        super().setUp()
        for name, count in (("a3.npy", 3), ("b4.npy", 4), ("c6.npy", 6)):
            self.file(name, npy("<f4", (count, 2), struct.pack(f"<{2 * count}f", *range(2 * count))))
        two = struct.pack("<2f", 1, 2)
        self.file("s.safetensors", safetensors(*((f"t{k}", "F32", [2], two) for k in range(5))))

    def test_one_file(self):
        self.check(PAIRS, ["a3.npy"], [("1 item", "a3.npy")])
        self.check(PAIRS, ["b4.npy"], [])

    def test_files_in_turn(self):
        self.check(TWO, ["c6.npy", "a3.npy"], [("3 items", "c6.npy")])
        self.check(TWO, ["a3.npy", "c6.npy"], [("3 items", "c6.npy")])
        self.check(TWO, ["c6.npy", "c6.npy"], [])
        self.check(PAIRS, ["c6.npy", "a3.npy", "b4.npy"], [("2 items", "c6.npy"), ("1 item", "b4.npy")])
        self.check(PAIRS, ["a3.npy", "b4.npy", "c6.npy"], [("1 item", "b4.npy"), ("4 items", "c6.npy")])

    def test_tensors_of_one_file(self):
        self.check(PAIRS, ["s.safetensors"], [("1 item", "s.safetensors")])

    def test_filled_up(self):
        self.check(PAIRS, ["a3.npy"], [], "--tail=pad")
        self.check(TWO, ["c6.npy", "a3.npy"], [("2 items", "c6.npy")], "--tail=pad")


if __name__ == "__main__":
    unittest.main()
