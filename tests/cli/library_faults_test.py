#!/usr/bin/env python3
"""Faults of code of the library name the line that adds it."""

import subprocess
import unittest

from command import Case


class Library(Case):
    PROGRAM = """void->tensor filter Given { work push 1 { push(5 * arange(3)); } }
tensor->void filter Show { work pop 1 { println(pop()); } }
void->void pipeline Main {
    add Given();
    add embedding(7, 2);
    add Show();
}
"""
    POOLS = """void->float filter Given { int k; work push 1 { push(k++); } }
void->void pipeline Main {
    add Given();
    add Table();
    add float->void filter { work pop 1 { println(pop()); } };
}
float->float pipeline Table {
    add frame({1});
    add tensor->tensor filter { work pop 1 push 1 { push(long(pop())); } };
    add embedding(3, 1);
    add unframe({1, 1});
}
"""

    def test_of_a_run(self):
        path = self.file("p.str", self.PROGRAM)
        for engine in (["--interpret"], ["-O0"], ["-O2"]):
            _, err = self.call("run", *engine, "--weights", "random:1", path, status=1)
            self.assertIn("error: index 10 is outside of the array, whose length is 7", err)
            self.assertIn(f"{path}:5:5: note: 'embedding' is added here", err)

    def test_inside_of_a_pipeline_of_the_program(self):
        path = self.file("p.str", self.POOLS)
        _, err = self.call("run", "--weights", "random:1", path, status=1)
        self.assertIn(f"{path}:10:5: note: 'embedding' is added here", err)

    def test_of_an_executable(self):
        path = self.file("p.str", self.PROGRAM)
        self.call("build", "--weights", "random:1", "-o", "made", path)
        ran = subprocess.run([self.folder / "made"], capture_output=True, stdin=subprocess.DEVNULL)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("index 10 is outside of the array", ran.stderr.decode())
        self.assertIn(f"{path}:5:5: note: 'embedding' is added here\n", ran.stderr.decode())


if __name__ == "__main__":
    unittest.main()
