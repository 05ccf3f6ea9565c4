#!/usr/bin/env python3
"""Filters that get tensors of different shapes in turn: code is made for as many firings as take them all."""

import subprocess
import unittest

from command import Case

# Ten rows in parts of 4, 4 and 2.
PROGRAM = """void->tensor filter Source { int n; work push 1 { push(reshape((float) arange(20) - 7 + n, 10, 2)); n++; } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
tensor->void filter Sums { work pop 1 { println(sum(pop(), 0)); } }
tensor->tensor filter Counted { int n; work pop 1 push 1 { n++; push(pop() * n); } }
tensor->tensor filter Pairs { work pop 2 push 1 { tensor a = pop(); push(concat(a, pop(), 0)); } }
tensor->tensor filter Ahead { work pop 1 peek 2 push 1 { push(concat(peek(1), peek(0), 0)); pop(); } }
tensor->tensor filter Returning { int n; work pop 1 push 1 { push(pop()); n++; if (n > 1) return; println(n); } }
tensor->tensor filter Found { int n; work pop 1 push 1 { tensor x = pop(); n++;
    for (int k = 0; k < 3; k++) if (k == n) { push(x + k); return; } push(x); } }
void->void pipeline Main { add Source; add chunk(3); STREAMS }
"""


class Turns(Case):
    def program(self, *streams):
        adds = "".join(f"add {each}; " for each in streams)
        return self.file("p.str", PROGRAM.replace("STREAMS", adds))

    def same(self, *streams):
        """What all engines print, without a word."""
        path, quiet, made = self.program(*streams), "-Wno-unused-stream", self.folder / "made"
        printed = [self.call("run", "-i3", quiet, *engine, path) for engine in
                   (("--interpret",), ("--no-interpret",), ("-O0",), ("--disable-pass=fuse-tensors",))]
        self.call("build", quiet, "-o", made, path)
        ran = subprocess.run([made, "-i3"], capture_output=True, timeout=1800)
        printed.append((ran.stdout, ran.stderr.decode()))
        self.assertEqual(printed, [(printed[0][0], "")] * len(printed))
        return printed[0][0].decode().splitlines()

    def test_filters_with_and_without_a_state(self):
        self.assertEqual(self.same("relu", "Sums")[:4], ["[0. 0.]", "[16. 20.]", "[20. 22.]", "[0. 1.]"])
        self.assertEqual(self.same("Counted", "cat(3)", "slice(0, 2, 10, 3)", "Sink")[:3],
                         ["[[-3. -2.]", " [ 6.  8.]", " [27. 30.]]"])

    def test_firings_that_take_several_or_look_ahead(self):
        # Two of three parts at a time, so six parts in three firings; then each part and the one before it.
        self.assertEqual(self.same("Pairs", "Sums")[:3], ["[0. 8.]", "[ 8. 14.]", "[42. 48.]"])
        self.assertEqual(self.same("Ahead", "Sums")[:3], ["[0. 8.]", "[36. 42.]", "[ 8. 14.]"])

    def test_branches_with_shapes_of_their_own(self):
        filters = """void->int filter Count { int n; work push 1 { push(n++); } }
            int->tensor<float>[2] filter Two { work pop 1 push 1 { push(full(pop(), 2) * 1.0); } }
            int->%s filter Three { work pop 1 push 1 { push(full(pop(), 3) * 2.0); } }
            tensor->void filter Show { work pop 1 { println(pop()); } }
            """
        main = "void->void pipeline Main { add Count; add splitjoin { split duplicate; %s join roundrobin; }; add Show; }"
        for declared in ("tensor", "tensor<float>", "tensor<float>[3]", "tensor<float>[_]"):
            for branches, wanted in (("add Two; add Three;", b"[0. 0.]\n[0. 0. 0.]\n[1. 1.]\n[2. 2. 2.]\n"),
                                     ("add Three; add Two;", b"[0. 0. 0.]\n[0. 0.]\n[2. 2. 2.]\n[1. 1.]\n")):
                path = self.file("b.str", filters % declared + main % branches)
                for engine in ("--interpret", "--no-interpret"):
                    self.assertEqual(self.call("run", "-i2", engine, path), (wanted, ""))

    def test_returns(self):
        self.assertEqual(self.same("Returning", "Sums")[:5],
                         ["1", "[-16. -12.]", "[16. 20.]", "[20. 22.]", "[-12.  -8.]"])

    def test_what_returns_inside_of_a_loop_is_interpreted(self):
        out, err = self.call("run", "-i1", "-Wno-unused-stream", self.program("Found", "Sums"))
        self.assertIn("are not the same ones in each firing", err)
        self.assertEqual(out, b"[-12.  -8.]\n[24. 28.]\n[20. 22.]\n")

    def test_loops_are_interpreted(self):
        text = """void->tensor filter Source { int n; work push 2 { push(ones(2)); push(ones(3)); } }
            tensor->tensor filter Add { work pop 2 push 2 { tensor a = pop(); push(a); push(sum(pop(), 0) + a); } }
            tensor->void filter Sink { work pop 1 { println(sum(pop(), 0)); } }
            void->void pipeline Main { add Source; add feedbackloop { join roundrobin(1, 1); body Add; loop Identity<tensor>;
                split roundrobin(1, 1); enqueue zeros(2); enqueue zeros(3); }; add Sink; }"""
        out, err = self.call("run", "-i2", self.file("l.str", text))
        self.assertIn("symbolic-shape", err)
        self.assertEqual(out, b"2.0\n3.0\n2.0\n3.0\n")

    def test_one_firing_for_many_is_not_made_of_too_many(self):
        text = """void->tensor filter Source { work push 100 { for (int k = 1; k <= 100; k++) push(ones(k)); } }
            tensor->void filter Sink { work pop 1 { println((int) item(sum(pop(), 0))); } }
            void->void pipeline Main { add Source; add Sink; }"""
        out, err = self.call("run", "-i1", self.file("m.str", text))
        self.assertIn("symbolic-shape", err)
        self.assertEqual(out.decode().split(), [str(k) for k in range(1, 101)])


if __name__ == "__main__":
    unittest.main()
