#!/usr/bin/env python3
"""Feedback loops whose first tensors come from a `prework`."""

import unittest

from command import Case


class Loops(Case):
    LOOP = """void->void pipeline Main {{ add Given(); add Sums(); add Show(); }}
void->tensor filter Given {{ work push 1 {{ push(ones({0})); }} }}
tensor->void filter Show {{ work pop 1 {{ println(pop()); }} }}
tensor->tensor feedbackloop Sums {{
    join roundrobin(1, 1);
    body tensor->tensor filter {{ work pop 2 push 1 {{ push(pop() + pop()); }} }};
    loop Late();
    split duplicate;
}}
tensor->tensor filter Late {{
    prework push 1 {{ push({1}); }}
    work pop 1 push 1 {{ push(pop()); }}
}}
"""

    def test_they_go_round(self):
        path = self.file("p.str", self.LOOP.format(3, "zeros(3)"))
        for engine in (["--interpret"], ["-O0"], []):
            out = self.call("run", *engine, "-i", "3", path)[0].decode()
            self.assertEqual(out, "[1. 1. 1.]\n[2. 2. 2.]\n[3. 3. 3.]\n")

    def test_first_ones_that_are_not_like_the_others(self):
        path = self.file("p.str", self.LOOP.format(3, "zeros(1)"))
        out, err = self.call("run", "-i", "2", path)
        self.assertEqual(out, b"[1. 1. 1.]\n[2. 2. 2.]\n")
        self.assertIn("items of different types are pushed", err)
        self.assertIn("[symbolic-shape]", err)

    def test_a_declared_shape_without_dimensions(self):
        text = self.LOOP.replace("tensor->tensor filter Late", "tensor<float>[]->tensor<float>[] filter Late")
        path = self.file("p.str", text.format("{1}".replace("{1}", "1"), "sum(zeros(3))").replace(
            "push(ones(1))", "tensor<float>[] one = sum(ones(1)); push(one)"))
        for engine in (["--interpret"], []):
            self.assertEqual(self.call("run", *engine, "-i", "3", path)[0].decode(), "1.0\n2.0\n3.0\n")
        _, err = self.call("run", self.file("q.str", text.format(3, "sum(zeros(3))")), status=1)
        self.assertIn("tensor<float>[3] arrives where tensor<float>[] is declared", err)


if __name__ == "__main__":
    unittest.main()
