#!/usr/bin/env python3
"""Programs whose filters need more memory than there is: the message names the filter and what it needs."""

import resource
import subprocess
import unittest

from command import STRC, Case

PROGRAM = """tensor->tensor filter Field(int n) { tensor<float>[n, n] w; work pop 1 push 1 { push(sum(w) + pop()); } }
tensor->tensor filter Init(int n) { tensor w; init { w = zeros(n, n) + 1; } work pop 1 push 1 { push(sum(w) + pop()); } }
tensor->tensor pipeline Weights(int n) {
    add tensor->tensor filter { work pop 1 push 1 { push(zeros(n) + item(pop())); } };
    add linear(n, n, weights = "fc");
}
"""
BYTES = 4 * 8000 * 8000


def within(room):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room))


class Memory(Case):
    def setUp(self):
        super().setUp()
        if subprocess.run([STRC, "--version"], capture_output=True, preexec_fn=within(300_000_000)).returncode != 0:
            self.skipTest("this strc needs more memory than that for itself")

    def check(self, top, room, *texts):
        path = self.file("p.str", PROGRAM)
        for engine in (["--interpret"], []):
            err = self.call("run", *engine, "--weights", "random:1", "--top", top, "--input", "1", "--in", "n.npy", path,
                            status=1, preexec_fn=within(room))[1]
            for text in texts:
                self.assertIn(text, err)
            self.assertEqual(err.count("error"), 1, err)

    def test_field(self):
        for top, place in (("Field(8000)", "1:58"), ("Init(8000)", "2:44")):
            name = top.split("(")[0]
            self.check(top, 300_000_000, f"p.str:{place}: error: out of memory: field 'w' needs {BYTES} bytes",
                       f"in instance Top.{name}")

    def test_copy_of_the_state(self):
        for name in ("Field", "Init"):
            self.check(f"{name}(8000)", 560_000_000, f"error: out of memory: the state of '{name}' needs {BYTES} bytes",
                       f"in instance Top.{name}")

    def test_weights(self):
        self.check("Weights(8000)", 300_000_000, f"p.str:5:5: error: out of memory: 'fc.weight' needs {BYTES} bytes",
                   "in instance Top.Weights.linear")


if __name__ == "__main__":
    unittest.main()
