#!/usr/bin/env python3
"""Files of a run that has to take back what it did ahead: the same from the interpreter, compiled programs and executables."""

import struct
import subprocess
import unittest

from command import SECONDS, clean
from sounds_test import Sounds as Engines
from sounds_test import form, wav

# The table has four places: the item 4 ends the run.
PROGRAM = """float->float filter Same {
    int[4] table;
    work pop 1 push 1 { float x = pop(); table[(int)x] = 1; push(x); }
}
"""
ITEMS = 300000
FAULT = 250001


class TakenBack(Engines):
    def setUp(self):
        super().setUp()
        self.items = [float(k % 4) for k in range(ITEMS)]
        self.items[FAULT] = 4.0
        self.data = struct.pack(f"<{ITEMS}f", *self.items)
        self.file("p.str", PROGRAM)
        self.call("build", "--top=Same", "p.str")

    def run_into_it(self, command, *options):
        """Runs into the fault."""
        done = subprocess.run([*command, *options], cwd=self.folder, capture_output=True, env=clean(), timeout=SECONDS)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"[index-out-of-range]", done.stderr)

    def check(self, name, contents, header=0):
        """All before the fault is there, and nothing behind it."""
        self.file("in" + name, contents)
        for command in self.commands():
            self.file("out" + name, b"what was there before" * 100000)
            self.run_into_it(command, "--in=in" + name, "--out=out" + name)
            self.assertEqual(self.bytes("out" + name)[header:], self.data[: 4 * FAULT])

    def test_raw(self):
        self.check(".raw", self.data)

    def test_wav(self):
        self.check(".wav", wav(form(3, bits=32), self.data), 56)

    def test_again(self):
        """The fault comes behind the beginning to which the input has gone back."""
        self.file("in.raw", self.data[: 4 * 7])
        self.file("p.str", PROGRAM.replace("int[4] table;", "int[4] table; int n;")
                  .replace("filter", "stateful filter").replace("(int)x", f"++n == {FAULT} ? 4 : 0"))
        self.call("build", "--top=Same", "p.str")
        for command in self.commands():
            self.run_into_it(command, "--in=in.raw", "--out=out.raw", "--loop-input")
            expected = (self.data[: 4 * 7] * (FAULT // 7 + 1))[: 4 * (FAULT - 1)]
            self.assertEqual(self.bytes("out.raw"), expected)


if __name__ == "__main__":
    unittest.main()
