#!/usr/bin/env python3
"""Parts of tensors: cut up, computed by branches, put together."""

import re
import unittest

from command import Case

# Tensors of 8 x 12 numbers, which are powers of two or small, so that sums of products are exact.
PROGRAM = """void->tensor filter Source { int n; work push 1 { push(reshape((float) arange(96), 8, 12) - 40.0 + n); n++; } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
tensor->tensor filter Product(int rows, int columns, float seed) {
    tensor<float>[rows, columns] m = reshape((float) arange(rows * columns) * 0.25 - seed, rows, columns);
    tensor<float>[columns] bias = (float) arange(columns) - 1.0;
    work pop 1 push 1 { push(relu(matmul(pop(), m) + bias)); }
}
tensor->tensor pipeline Rows { add chunk(4, 0); add splitjoin { split roundrobin;
    for (int k = 0; k < 4; k++) add Product(12, 5, 2.0); join roundrobin; } add cat(4, 0); }
tensor->tensor pipeline Whole { add Product(12, 5, 2.0); }
tensor->tensor pipeline Columns { add chunk(3, 1); add splitjoin { split roundrobin;
    for (int k = 0; k < 3; k++) add Product(4, 6, k); join roundrobin; } add cat(3, 1); }
void->void pipeline Main { add Source; add NAME; add Sink; }
"""


class Parts(Case):
    def program(self, name):
        return self.file("p.str", PROGRAM.replace("NAME", name))

    def shown(self, path, name, *words):
        return self.call("check", path, "--emit-after", name, *words)[0].decode()

    def printed(self, path, *words):
        return self.call("run", "-i3", path, *words)[0]

    def test_rows_and_columns_of_parts_are_never_copied(self):
        for name, parts in (("Rows", 4), ("Columns", 3)):
            path = self.program(name)
            text = self.shown(path, "fuse-epilogues")
            body = text[text.index("; fuse-epilogues: Main." + name):]
            self.assertEqual(len(re.findall(r"^ *contract", body, re.M)), parts, body)
            for copies in ("copy", "store.at", "loop {"):
                self.assertNotIn(copies, body)
            places = self.shown(path, "items-in-place")
            self.assertRegex(places, r"local \d+ is popped item 0\n *local \d+ is pushed item 0")
            self.assertEqual(self.printed(path), self.printed(path, "--interpret"))
            self.assertEqual(self.printed(path), self.printed(path, "--disable-pass", "fuse-tensors"))

    def test_parts_are_the_whole(self):
        self.assertEqual(self.printed(self.program("Rows")), self.printed(self.program("Whole")))


if __name__ == "__main__":
    unittest.main()
