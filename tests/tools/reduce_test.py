#!/usr/bin/env python3
"""tools/reduce.py, with a compiler that is made to be wrong about some programs."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
STRC = os.environ.get("STRC") or "strc"

PROGRAM = """// what does not matter is to go
struct Pair { int a; int b; }
void->void pipeline Main(int n = 3) {
    add Count(n, 1 + 2);
    add Both();
    add Mix(7);
    add Show;
}
void->int filter Count(int step, int start) {
    int x;
    init { x = start * 2; }
    work push 1 { push(x); x = (x + step) & 1023; }
}
int->int splitjoin Both {
    split roundrobin(1, 1);
    add Mix(5);
    add Mix(6);
    join roundrobin(1, 1);
}
int->int filter Mix(int k) {
    int twice(int v) { return v * 2; }
    work pop 1 push 1 {
        int v = pop();
        if (v > 3) { v = twice(v) + k; } else { v = v - 1; }
        push(v % 17 + k);
    }
}
int->void filter Show { work pop 1 { println(pop()); } }
"""


class Reduce(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="strc-reduce-test-"))
        self.addCleanup(subprocess.run, ["rm", "-rf", self.folder], check=True)
        self.program = self.folder / "p.str"
        self.program.write_text(PROGRAM, encoding="ascii")

    def compiler(self, trigger, harm):
        """strc, but for programs with `trigger` in their text: with -O3 these do `harm` to the output."""
        path = self.folder / "wrong-strc"
        path.write_text(
            "#!/bin/sh\n"
            f'case "$*" in run*-O3*) ;; *) exec {STRC} "$@" ;; esac\n'
            "for word; do case $word in *.str) file=$word ;; esac; done\n"
            f'if grep -q "{trigger}" "$file"; then {STRC} "$@" >"$file.out" || exit; {harm}\n'
            f'else exec {STRC} "$@"; fi\n',
            encoding="ascii",
        )
        path.chmod(0o755)
        return path

    def reduce(self, *words, status=0):
        command = [sys.executable, ROOT / "tools" / "reduce.py", *words, self.program]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def words(self, name="p-small.str"):
        return re.findall(r"\w+|[^\w\s]", (self.folder / name).read_text(encoding="ascii"))

    def test_what_prints_otherwise_becomes_small(self):
        strc = self.compiler("%", 'sed "s/1/2/" "$file.out"')
        told = self.reduce("--strc", strc, "--suspect=-O3", "--lines=20")
        self.assertRegex(told, r"p-small\.str: \d+ of \d+ words are left; wrong: output")
        small = self.words()
        self.assertIn("%", small)
        self.assertLess(len(small), 100, " ".join(small))
        for gone in ("Pair", "Both", "twice", "init"):
            self.assertNotIn(gone, small)
        checked = subprocess.run([STRC, "check", "p-small.str"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        formatted = subprocess.run([STRC, "fmt", "--check", "p-small.str"], cwd=self.folder)
        self.assertEqual(formatted.returncode, 0)

    def test_the_kind_of_what_is_wrong_stays(self):
        strc = self.compiler("twice", "exit 9")
        self.assertIn("wrong: status 9", self.reduce("--strc", strc, "--suspect=-O3", "-o", "q.str"))
        small = self.words("q.str")
        self.assertIn("twice", small)
        self.assertLess(len(small), 100, " ".join(small))

    def test_a_test_of_ones_own(self):
        told = self.reduce("--test", "grep -q twice")
        self.assertIn("1 of ", told)
        self.assertEqual(self.words(), ["twice"])

    def test_what_is_not_wrong(self):
        self.assertIn("p.str is not wrong", self.reduce("--strc", STRC, "--suspect=-O3", status=1))
        self.assertFalse((self.folder / "p-small.str").exists())

    def test_wrong_calls(self):
        self.assertIn("--strc or --test", self.reduce(status=2))


if __name__ == "__main__":
    unittest.main()
