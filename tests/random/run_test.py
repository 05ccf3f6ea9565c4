#!/usr/bin/env python3
"""run.py has to see what is wrong, beside stand-ins for strc."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import generate  # noqa: E402
import model  # noqa: E402


# What `strc build` makes is the stand-in itself.
BUILD = """#!/bin/sh
if [ "$1" = build ]; then
    while [ "$1" != -o ]; do shift; done
    exec cp "$0" "$2"
fi
"""


def run_with(script, seed=1):
    """Status, output and written files of run.py with `script` as strc."""
    with tempfile.TemporaryDirectory() as folder:
        strc = Path(folder, "stand-in")
        strc.write_text(BUILD + script, encoding="ascii")
        os.chmod(strc, 0o755)
        command = [sys.executable, HERE / "run.py", "--strc", strc, "--first", str(seed), "--count", "1"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout, sorted(p.name for p in Path(folder).glob("random-*"))


def printing(lines):
    return "cat <<'END'\n" + "\n".join(lines) + "\nEND\n"


class Runner(unittest.TestCase):
    def setUp(self):
        self.lines = generate.generate(1, 60)[1]

    def test_right_output(self):
        self.assertEqual(run_with(printing(self.lines)), (0, "1 passed, 0 failed\n", []))

    def test_wrong_line(self):
        status, out, files = run_with(printing([*self.lines[:-1], "wrong"]))
        self.assertEqual(status, 1)
        self.assertIn("FAILED seed 1, interpret, output: line 60 is wrong", out)
        self.assertEqual(files, ["random-1.out", "random-1.str"])

    def test_one_engine_alone(self):
        script = 'case "$*" in *-O3*) echo 1; exit;; esac\n' + printing(self.lines)
        self.assertIn("FAILED seed 1, jit -O3, output", run_with(script)[1])

    def test_executables(self):
        script = 'if [ "$1" != run ]; then echo 1; exit; fi\n' + printing(self.lines)
        self.assertIn("FAILED seed 1, executable, output", run_with(script)[1])

    def test_missing_line(self):
        self.assertIn("line 60 is nothing", run_with(printing(self.lines[:-1]))[1])

    def test_status(self):
        self.assertIn("interpret, status 3", run_with("exit 3")[1])


class Numbers(unittest.TestCase):
    def test_integers(self):
        self.assertEqual(model.quotient(-7, 2), -3)
        self.assertEqual(model.remainder(-7, 2), -1)
        self.assertEqual(model.quotient(-(2**31), -1), -(2**31))
        self.assertEqual(model.to_int(float("nan")), 0)
        self.assertEqual(model.to_int(3e9), 2**31 - 1)

    def test_floats(self):
        for value, text in [(0.1, "0.1"), (1e7, "1.0E7"), (0.00012, "1.2E-4"), (-0.0, "-0.0"),
                            (100.0, "100.0"), (16777216.0, "1.6777216E7"), (0.0123, "0.0123")]:  # fmt: skip
            self.assertEqual(model.shortest(model.f32(value)), text)


if __name__ == "__main__":
    unittest.main()
