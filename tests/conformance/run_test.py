#!/usr/bin/env python3
"""Tests of the comparison and of the judgement on a run."""

import stat
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import compare
import execute
import run


class Comparison(unittest.TestCase):
    def same(self, expected, actual, tolerance=None):
        self.assertTrue(compare.same_line(expected, actual, tolerance), (expected, actual))

    def differ(self, expected, actual, tolerance=None):
        self.assertFalse(compare.same_line(expected, actual, tolerance), (expected, actual))

    def test_blanks_do_not_count(self):
        self.same("1 2 ", "1  2")
        self.same("", "   ")
        self.differ("1 2", "12")
        self.differ("1 2", "1 2 3")

    def test_integers_digit_for_digit(self):
        self.same("42", "42")
        self.differ("42", "43")
        self.differ("3", "3.0")
        self.differ("00101", "101")
        self.differ("1000000001", "1000000002")

    def test_floats_in_any_notation(self):
        for actual in ["1.0E10", "1e+10", "10000000000", "1.00001e10"]:
            self.same("1.0E10", actual)
        self.same("3.0", "3")
        self.same("-0.0", "0")
        self.same("0.0", "-0.000000")
        self.differ("1.0", "1.001")
        self.differ("1.0", "-1.0")

    def test_tolerances(self):
        self.same("0.0", "0.000009")
        self.differ("0.0", "0.00002")
        self.same("1000.0", "1000.09")
        self.differ("1000.0", "1000.2")
        self.same("1.0", "1.01", 0.02)
        self.same("0.0", "0.01", 0.02)
        self.differ("1.0", "1.00005", 1e-6)

    def test_words_around_numbers(self):
        self.same("x=1.0,y=2.0;", "x=1,y=2.000001;")
        self.differ("x=1.0", "y=1.0")
        self.differ("(1.0)", "(1.0")
        self.differ("true", "1")
        self.differ("word", "1.0")

    def test_not_finite(self):
        self.same("NaN", "nan")
        self.same("Infinity", "inf")
        self.same("-Infinity", "-inf")
        self.differ("Infinity", "-inf")
        self.differ("NaN", "inf")
        self.differ("Infinity", "3e38")
        self.differ("1.0", "nan")

    def test_first_difference(self):
        self.assertIsNone(compare.first_difference(["1", "2"], ["1", "2", "3"], 2))
        self.assertIn("line 2", compare.first_difference(["1", "2"], ["1", "3"], 2))
        self.assertIn("after 1 of 2", compare.first_difference(["1", "2"], ["1"], 2))


class Judgement(unittest.TestCase):
    """A stand-in for strc, written for each case, is judged as strc would be."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = Path(self.folder.name)
        for part in ["valid", "invalid"]:
            (root / part).mkdir()
        (root / "valid/p.str").write_text("// lines: 2\n// writes: w.bin\n")
        (root / "valid/p.out").write_text("1\n2.5\n")
        (root / "valid/w.bin.expected").write_bytes(b"ab")
        (root / "valid/endless.str").write_text("// lines: 2\n")
        (root / "valid/endless.out").write_text("1\n1\n")
        (root / "invalid/q.str").write_text("\nbad // error: it is bad\n")
        self.root = root

    def judge(self, name, script, stop="limit", formatted=False):
        strc = self.root / "strc"
        strc.write_text("#!/bin/sh\n" + script)
        strc.chmod(strc.stat().st_mode | stat.S_IXUSR)
        arguments = SimpleNamespace(strc=str(strc), engine="interpret", stop=stop, formatted=formatted)
        return run.check(run.Program(self.root / name), arguments)

    def test_valid(self):
        write = "printf abc >w.bin\n"
        self.assertIsNone(self.judge("valid/p.str", write + "echo 1; echo 2.500001; echo more"))
        self.assertIn("line 2", self.judge("valid/p.str", write + "echo 1; echo 2.6"))
        self.assertIn("after 1", self.judge("valid/p.str", write + "echo 1"))
        self.assertIn("status 1", self.judge("valid/p.str", write + "echo 1; echo 2.5; exit 1"))
        self.assertIn("signal 9", self.judge("valid/p.str", write + "echo 1; kill -9 $$"))
        self.assertIn("did not write", self.judge("valid/p.str", "echo 1; echo 2.5"))
        self.assertIn("begin", self.judge("valid/p.str", "echo 1; echo 2.5; printf a >w.bin"))

    def test_formats_first(self):
        write = "printf abc >w.bin\n"
        run_it = write + "[ $(wc -l <p.str) = 3 ] && echo 1 && echo 2.5"
        fmt = '[ "$1" != fmt ] || case $2 in --write) echo >>$3; exit;; --check) exit %d;; esac\n'
        self.assertIsNone(self.judge("valid/p.str", fmt % 0 + run_it, formatted=True))
        self.assertIn("status 1", self.judge("valid/p.str", fmt % 0 + run_it))
        self.assertIn("fmt --check", self.judge("valid/p.str", fmt % 1 + run_it, formatted=True))

    def test_stops_what_does_not_end(self):
        endless = "trap 'echo end; exit 130' INT; while :; do echo 1; done"
        self.assertIsNone(self.judge("valid/endless.str", endless, "interrupt"))
        limited = '[ "$3 $4" = "--limit 2" ] && echo 1 && echo 1'
        self.assertIsNone(self.judge("valid/endless.str", limited))
        execute.SECONDS, before = 0.3, execute.SECONDS
        try:
            self.assertIn("still running", self.judge("valid/endless.str", "exec sleep 60"))
        finally:
            execute.SECONDS = before

    def test_invalid(self):
        refuse = "echo 'q.str:2:1: error: bad' >&2; "
        self.assertIsNone(self.judge("invalid/q.str", refuse + "exit 1"))
        self.assertIn("accepted", self.judge("invalid/q.str", refuse))
        self.assertIn("printing", self.judge("invalid/q.str", refuse + "echo 1; exit 1"))
        self.assertIn("failed", self.judge("invalid/q.str", refuse + "exit 70"))
        self.assertIn("failed", self.judge("invalid/q.str", refuse + "kill -11 $$"))
        self.assertIn("names no", self.judge("invalid/q.str", "echo q.str:20 >&2; exit 1"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
