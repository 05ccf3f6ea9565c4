#!/usr/bin/env python3
"""Shapes that are computed from parameters, by fields and functions, are known when the graph is built."""

import subprocess
import unittest

from command import Case

PROGRAM = """void->void pipeline Main { add Source(4); add Sink; }
tensor->void filter Sink { work pop 1 { tensor x = pop(); println(size(x, 0) + " " + size(x, 1) + " " + item(1.0 * sum(x))); } }
helper Extents {
    int next(int a) { return a + 1; }
    int log(int a) { int k = 0; while (a > 1) { a = a / 2; k++; } return k; }
}
void->tensor filter Source(int n) {
    int twice(int a) { if (a > 7) return 1; return a * 2; }
    tensor<float> pair(int a) { return ones(twice(a), Extents.next(a)); }
    void more() { changed[0]++; }
    int m = 2 * n;
    int k;
    int[2] s = {n, n + 1};
    int[2] t;
    int[2] changed = {1, 2};
    FIELDS
    work push 1 { push(VALUE); THEN }
}
"""


class Extents(Case):
    def program(self, value, then="", fields=""):
        return self.file("p.str", PROGRAM.replace("VALUE", value).replace("THEN", then).replace("FIELDS", fields))

    def same(self, value, fields=""):
        """What all engines print; with shapes that only the run knows code would not be made."""
        path, quiet, made = self.program(value, "", fields), "-w", self.folder / "made"
        printed = [self.call("run", "-i2", quiet, *engine, path) for engine in
                   (("--interpret",), ("--no-interpret",), ("-O0",), ("--disable-pass=fuse-tensors",))]
        self.call("build", quiet, "-o", made, path)
        ran = subprocess.run([made, "-i2"], capture_output=True, timeout=1800)
        printed.append((ran.stdout, ran.stderr.decode()))
        self.assertEqual(printed, [(printed[0][0], "")] * len(printed))
        return printed[0][0].decode().splitlines()[0]

    def test_fields_of_scalars(self):
        self.assertEqual(self.same("x", "tensor<float>[m, m + 1] x;"), "8 9 0.0")
        self.assertEqual(self.same("x", "tensor x = ones(m, 2);"), "8 2 16.0")
        self.assertEqual(self.same("x", "tensor x; init { k = m - 1; x = ones(k, 2); }"), "7 2 14.0")
        self.assertEqual(self.same("x", "tensor x; init { if (n > 3) k = n; else k = 1; x = ones(k, 2); }"), "4 2 8.0")

    def test_fields_of_lists(self):
        self.assertEqual(self.same("reshape(1.0 * arange(20), s)"), "4 5 190.0")
        self.assertEqual(self.same("ones(s[1], s[0])"), "5 4 20.0")
        self.assertEqual(self.same("x", "tensor x = ones(s);"), "4 5 20.0")
        self.assertEqual(self.same("x", "tensor x; init { t[0] = m; t[1] = s[0]; x = ones(t); }"), "8 4 32.0")
        self.assertEqual(self.same("ones(t)", "init { for (int j = 0; j < 2; j++) t[j] = m + j; }"), "8 9 72.0")

    def test_tensors_of_integers_are_no_lists(self):
        self.assertEqual(self.same("matmul(1.0 * x, 1.0 * x)", "tensor<int>[2, 2] x; init { for (int j = 0; j < 2; j++)"
                                   " x = update(x, (int) reshape(1.0 * arange(2), 1, 2), 0, j); }"), "2 2 2.0")

    def test_functions(self):
        self.assertEqual(self.same("ones(twice(n), Extents.next(n))"), "8 5 40.0")
        self.assertEqual(self.same("ones(twice(2 * n), Extents.log(n * n))"), "1 4 4.0")
        self.assertEqual(self.same("pair(3)"), "6 4 24.0")
        self.assertEqual(self.same("x", "tensor<float>[m, Extents.log(m)] x;"), "8 3 0.0")
        self.assertEqual(self.same("x", "tensor x = ones(twice(n), Extents.next(m));"), "8 9 72.0")
        self.assertEqual(self.same("x", "tensor x; init { k = twice(3); x = ones(k, 2); }"), "6 2 12.0")

    def test_what_changes_is_not_known(self):
        random = "init { t[0] = 1; t[1] = 1 + (int) (random() * 5); }"
        for value, then, fields in (("ones(changed)", "more();", ""), ("ones(changed)", "changed[1]++;", ""),
                                    ("ones(k, 2)", "k++;", "init { k = 1; }"), ("ones(t)", "", random)):
            path = self.program(value, then, fields)
            self.assertIn("only the run can tell a shape", self.call("check", path)[1], (value, then))
        path = self.program("ones(changed)", "more();")
        self.assertEqual(self.call("run", "-w", "-i3", path)[0], b"1 2 2.0\n2 2 4.0\n3 2 6.0\n")
        for init in ("if (random() < 0.5) k = 3; x = ones(k, 2);", "for (int j = 0; random() < 0.5; j++) k = j; x = ones(k, 2);"):
            path = self.program("x", "", "tensor x; init { k = 1; " + init + " }")
            self.assertIn("is not known when the program is compiled", self.call("check", path, status=1)[1], init)


if __name__ == "__main__":
    unittest.main()
