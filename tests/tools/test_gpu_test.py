#!/usr/bin/env python3
"""scripts/test-gpu up to the device: a trial run on the stand-in, in slices, past failures."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
STRC = os.environ.get("STRC", str(ROOT / "build/release/bin/strc"))


class TestGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """What the stand-in consists of is made once."""
        folder = tempfile.TemporaryDirectory(prefix="strc-stand-in-")
        cls.addClassCleanup(folder.cleanup)
        cls.stand_in = folder.name

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strc-test-gpu-")
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        Path(self.out, "stand-in").symlink_to(self.stand_in)
        Path(self.out, "p.str").write_text("void->void pipeline Main { add S; add T; } void->int filter S { work push 1 { push(1); } } "
                                           "int->void filter T { work pop 1 { pop(); } }")
        told = subprocess.run([STRC, "run", "--device", "cuda", "-i", "1", "p.str"], cwd=self.out, capture_output=True, text=True)
        if "without the CUDA toolkit" in told.stderr:
            self.skipTest("this strc was built without the CUDA toolkit")

    def call(self, *words, strc=STRC):
        done = subprocess.run([sys.executable, ROOT / "scripts/test-gpu", "--out", self.out, "--strc", strc, *words],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def report(self):
        return Path(self.out, "report.md").read_text()

    def test_parts(self):
        status, told = self.call("--list")
        self.assertEqual(status, 0)
        names = [line.split()[0] for line in told.splitlines()]
        for name in ("programs", "copies", "errors", "sessions", "overlap", "streams", "network-lstm-8", "network-gru-1", "network-attention-1-launches", "network-encoder-1-tf32"):
            self.assertIn(name, names)
        self.assertNotIn("build", names)
        order = [names.index(name) for name in ("programs", "errors", "network-attention-1", "network-lstm-1", "network-attention-8",
                                                "sessions", "network-mlp-1", "network-encoder-1-tf32")]
        self.assertEqual(order, sorted(order), "what matters most comes first")
        self.assertIn("no part nonsense; there are programs, ", self.call("--stand-in", "nonsense")[1])

    def test_slices(self):
        """What is left is said; what is fine is not done again."""
        status, told = self.call("--stand-in", "--within", "0", "overlap", "streams")
        self.assertEqual(status, 2, told)
        self.assertIn("left for another call: overlap streams", told)
        status, told = self.call("--stand-in", "overlap")
        self.assertEqual(status, 0, told)
        self.assertIn("overlap: fine", told)
        text = self.report()
        self.assertIn("- GPU: none: a stand-in, whose times mean nothing", text)
        self.assertRegex(text, r"\| KiB an item \|.*\n.*\n\| 1 \| [0-9.]+ \| [0-9.]+ \|")
        self.assertRegex(text, "streams`: not done yet")
        self.assertTrue(text.endswith("## What failed\n\nNothing.\n"))
        status, told = self.call("--stand-in", "overlap", "streams")
        self.assertEqual(status, 0, told)
        self.assertNotIn("Copies beside the work ...", told)
        self.assertIn("streams: fine", told)

    def test_another_strc(self):
        """What another strc has done is done again, and its tables are gone meanwhile."""
        script = self.out / "strc"
        script.write_text(f'#!/bin/sh\nexec {STRC} "$@"\n')
        script.chmod(0o755)
        self.assertEqual(self.call("--stand-in", "overlap", strc=str(script))[0], 0)
        self.assertNotIn("Copies beside the work ...", self.call("--stand-in", "overlap", strc=str(script))[1])
        self.assertNotIn("of an older strc", self.report())
        script.write_text("#!/bin/sh\nexit 1\n")
        os.utime(script, (1, 1))
        self.assertEqual(self.call("--stand-in", "--within", "0", "overlap", strc=str(script))[0], 2)
        self.assertIn(", of an older strc", self.report())
        status, told = self.call("--stand-in", "overlap", strc=str(script))
        self.assertEqual(status, 1, told)
        self.assertNotIn("| KiB an item |", self.report())

    def test_what_fails_does_not_stop_the_rest(self):
        script = self.out / "strc"
        script.write_text("#!/bin/sh\necho 'broken: error: on purpose' >&2\nexit 1\n")
        script.chmod(0o755)
        status, told = self.call("--stand-in", "overlap", "streams", strc=str(script))
        self.assertEqual(status, 1)
        self.assertIn("failed: overlap", told)
        self.assertIn("failed: streams", told)
        self.assertIn("- overlap: failed (overlap.log)", self.report())
        self.assertIn("on purpose", self.report())
        self.assertEqual(json.loads(Path(self.out, "done.json").read_text())["overlap"]["status"], "failed")

    def test_a_part_that_takes_too_long(self):
        script = self.out / "strc"
        script.write_text("#!/bin/sh\n[ \"$1\" != build ] || exec sleep 600\n")
        script.chmod(0o755)
        status, told = self.call("--stand-in", "--within", "4", "overlap", strc=str(script))
        self.assertEqual(status, 1)
        self.assertIn("cut off: overlap", told)


if __name__ == "__main__":
    unittest.main()
