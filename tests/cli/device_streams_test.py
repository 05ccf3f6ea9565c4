#!/usr/bin/env python3
"""Programs without tensors on a device, as the trial `device-streams` has them: firings of filters without state are threads. The
kernels are done by the processor behind the stand-in, or by the device of the driver that STRC_TEST_DRIVER names."""

import random
import unittest
from array import array

from command import STRC
from fake_device import DeviceCase

ITEMS = 300_000  # two phases of 2 ** 17 firings and a rest
PROGRAM = """void->void pipeline Main { add FileReader<%s>("in.raw"); %s add FileWriter<%s>("out.raw"); }
float->float filter Fir(int taps, float scale) {
    float[taps] h;
    init { for (int i = 0; i < taps; i++) h[i] = scale / (i + 1); }
    work pop 1 peek taps push 1 { float sum = 0; for (int i = 0; i < taps; i++) sum += h[i] * peek(i); push(sum); pop(); }
}
float->float filter Butterflies { work pop 8 push 8 {
    float[8] x; for (int i = 0; i < 8; i++) x[i] = pop();
    for (int step = 1; step < 8; step *= 2)
        for (int i = 0; i < 8; i++) if ((i & step) == 0) { float a = x[i], b = x[i + step]; x[i] = a + b; x[i + step] = a - b; }
    for (int i = 0; i < 8; i++) push(x[i]); } }
int->int filter Rounds { int[16] table; init { for (int i = 0; i < 16; i++) table[i] = (i * 7 + 3) %% 16; }
    work pop 2 push 2 { int a = pop(); int b = pop();
        for (int r = 0; r < 6; r++) { int c = a ^ (table[b & 15] + r); a = b; b = c; } push(b); push(a); } }
int->float filter Wave { work pop 1 push 1 { push(sin(pop() * 0.01)); } }
float->float filter Sum { float sum; work pop 1 push 1 { sum += pop(); push(sum); } }
"""
REST = ("--disable-pass=linear-combination", "--disable-pass=frequency")


class Streams(DeviceCase):
    def program(self, added, kind="float", given="float"):
        self.file("p.str", PROGRAM % (kind, added, given))
        numbers = random.Random(1)
        values = ([numbers.randrange(16) for _ in range(ITEMS)] if kind == "int" else [numbers.random() for _ in range(ITEMS)])
        self.file("in.raw", array("i" if kind == "int" else "f", values).tobytes())

    def on_device(self, order="late", **env):
        command = [STRC, "run", "--device", "cuda", *REST, "p.str"]
        done = self.strc(self.driver(), command=command, FAKE_CUDA_ORDER=order, **self.emulated(), **env)
        return done[0], done[2].decode()

    def check_same(self, allowed=0.0):
        self.call("run", *REST, "p.str")
        expected = self.bytes("out.raw")
        for order in ("late", "early"):
            self.file("out.raw", b"")
            status, errors = self.on_device(order, STRC_TRY="device-streams")
            self.assertEqual(status, 0, errors)
            found = self.bytes("out.raw")
            self.assertEqual(len(found), len(expected))
            if allowed:
                mine, theirs = array("f", found), array("f", expected)
                self.assertLessEqual(max(abs(a - b) for a, b in zip(mine, theirs)), allowed)
            else:
                self.assertTrue(found == expected, order)
        launches = self.log.read_text().count("k0_") if self.log.exists() else 1
        self.assertGreater(launches, 0)

    def test_windows(self):
        self.program("add Fir(9, 0.5);")
        self.check_same()

    def test_arrays_of_a_firing(self):
        self.program("add Butterflies;")
        self.check_same()

    def test_tables_and_bits(self):
        self.program("add Rounds;", "int", "int")
        self.check_same()

    def test_functions(self):
        self.program("add Wave;", "int")
        self.check_same(1e-6)

    def test_what_is_refused(self):
        """Without the trial everything, with it filters with state."""
        self.program("add Fir(9, 0.5);")
        status, errors = self.on_device()
        self.assertEqual(status, 1)
        self.assertIn("nothing of it can be on a device, since no filter of it computes with tensors alone", errors)
        self.program("add Sum;")
        status, errors = self.on_device(STRC_TRY="other,device-streams")
        self.assertEqual(status, 1)
        self.assertIn("nothing of it can be on a device", errors)


if __name__ == "__main__":
    unittest.main()
