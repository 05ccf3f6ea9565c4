#!/usr/bin/env python3
"""What messages say besides the fault: where to look, and what to write instead."""

import unittest

from command import COUNTER, TWICE, Case

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


class Advice(Case):
    def faults(self, text, *options, status=1):
        self.file("p.str", text)
        return self.call("check", *options, "p.str", status=status)[1]

    def test_unknown_define(self):
        self.assertIn("note: it has 'n'", self.faults(COUNTER, "-D", "other=1", status=2))
        program = "void->void pipeline Main(int number = 1) { add IntRamp(number); add IntPrint; }\n"
        self.assertIn("note: did you mean 'number'?", self.faults(program, "-D", "numbr=1", status=2))

    def test_unknown_format(self):
        self.file("p.str", TWICE)
        for side in "in", "out":
            _, err = self.call("run", "--top", "Twice", f"--{side}", "a.mp3", "p.str", status=2)
            self.assertIn(f"note: '--{side}-format' says what it is", err)
        _, err = self.call("graph", "-o", "p.png", "p.str", status=2)
        self.assertIn("note: graphs are written as .dot, .svg, .json or .txt", err)

    def test_argument_count(self):
        err = self.faults("void->void pipeline Main { add S; add IntPrint; }\n"
                          "void->int filter S(int n) { work push 1 { push(n); } }\n")
        self.assertIn("p.str:2:1: note: 'S' is declared here", err)

    def test_branches_of_different_types(self):
        err = self.faults("void->void pipeline Main { add IntRamp; add splitjoin { split duplicate;\n"
                          "add int->int filter { work pop 1 push 1 { push(pop()); } };\n"
                          "add int->float filter { work pop 1 push 1 { push(pop()); } };\n"
                          "join roundrobin; }; add IntPrint; }\n")
        self.assertIn("p.str:2:1: note: 'filter' is added here", err)
        self.assertIn("p.str:3:1: note: 'filter' is added here", err)

    def test_stream_without_a_name(self):
        err = self.faults("void->void pipeline Main { add IntRamp;\n"
                          "add splitjoin { add Identity<int>; join roundrobin; }; add IntPrint; }\n")
        self.assertIn("splitjoin 'splitjoin' has no 'split'", err)

    def test_types_of_other_languages(self):
        for word, name in ("bool", "boolean"), ("string", "String"), ("Float", "float"):
            err = self.faults("void->void pipeline Main { add Ramp; add K; }\n"
                              f"float->void filter K {{ {word} x; work pop 1 {{ pop(); }} }}\n")
            self.assertIn(f"help: write '{name}' instead of '{word}'", err)

    def test_one_of_a_kind(self):
        self.file("p.str", COUNTER)
        self.assertRegex(self.call("run", "--stats", "-i", "1", "p.str")[1], r"^1 steady state, 2 firings, ")


if __name__ == "__main__":
    unittest.main()
