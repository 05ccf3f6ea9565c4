#!/usr/bin/env python3
"""What messages say besides the fault: where to look, and what to write instead."""

import unittest

from command import Case

ENGINES = [["--interpret"], ["-O0"], ["-O2"]]


class Ranges(Case):
    """Both engines point at the same place."""

    def marked(self, work, fields=""):
        self.file("p.str", "void->void pipeline Main { add S; add K; }\n"
                           "void->int filter S { int n; work push 1 { push(n++); } }\n"
                           "struct Pair { int[2] of; }\n"
                           f"int->void filter K {{ {fields}\nwork pop 1 {{ int i = pop();\n{work}\n}} }}\n")
        found = set()
        for engine in ENGINES:
            _, err = self.call("run", *engine, "-i", "9", "p.str", status=1)
            lines = err.splitlines()
            self.assertIn("[index-out-of-range]", lines[0])
            self.assertIn("p.str:6:", lines[0])
            begin = lines[2].index("^")
            found.add(lines[1][begin:begin + lines[2].count("^") + lines[2].count("~")])
        self.assertEqual(len(found), 1, found)
        return found.pop()

    def test_index(self):
        self.assertEqual(self.marked("println(a[i]);", "int[3] a;"), "i")
        self.assertEqual(self.marked("println(a[i + 1]);", "int[3] a;"), "i + 1")
        self.assertEqual(self.marked("a[i - 1] = i; println(a[0]);", "int[3] a;"), "i - 1")

    def test_index_of_a_row(self):
        self.assertEqual(self.marked("println(a[i + 1][0 * i]);", "int[3][9] a;"), "i + 1")
        self.assertEqual(self.marked("println(a[0 * i][i + 2]);", "int[3][9] a;"), "i + 2")
        self.assertEqual(self.marked("a[i][i * 2] = 1; println(a[0][0]);", "int[9][3] a;"), "i * 2")

    def test_index_of_a_struct(self):
        self.assertEqual(self.marked("println(a[i + 2].of[1]);", "Pair[4] a;"), "i + 2")
        self.assertEqual(self.marked("println(a[0 * i].of[i]);", "Pair[4] a;"), "i")


if __name__ == "__main__":
    unittest.main()
