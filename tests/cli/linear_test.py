#!/usr/bin/env python3
"""Linear filters that are combined: random programs of them do what the interpreter does, with as much of the
input; floats within the tolerance that docs/command-line.md states."""

import array
import random
import subprocess
import unittest

from command import Case

SEEDS = range(24)
TOLERANCE = 1e-4  # of the largest value


class Program:
    """A random stream int->int (or float->float) of linear filters."""

    def __init__(self, seed, item):
        self.random = random.Random(seed)
        self.item = item
        self.filters = []
        self.text = self.pipeline(2, 1, 1, "Main") + "\n".join(self.filters)

    def number(self, low, high):
        return self.random.randint(low, high)

    def factor(self):
        if self.item == "float":
            return f"{self.random.uniform(-1, 1):.4f}"
        return str(self.random.choice((0, 1, -1, 3, self.number(-(2**31) + 1, 2**31 - 1))))

    def filter(self, pop, push):
        peek = pop + self.number(0, 3)
        rows = []
        for _ in range(push):
            terms = [f"{self.factor()} * peek({k})" for k in range(peek) if self.number(0, 2)]
            rows.append(f"push({' + '.join(terms + [self.factor()])});")
        name = f"F{len(self.filters)}"
        body = " ".join(rows) + f" for (int i = 0; i < {pop}; i++) pop();"
        work = f"work pop {pop} peek {peek} push {push}"
        self.filters.append(f"{self.item}->{self.item} filter {name} {{ {work} {{ {body} }} }}")
        return f"add {name};"

    def other(self):
        """Something that is not linear."""
        name = f"N{len(self.filters)}"
        self.filters.append(f"{self.item}->{self.item} filter {name} {{ work pop 2 peek 3 push 1 "
                            "{ push(peek(0) > peek(2) ? peek(1) : peek(0)); pop(); pop(); } }")
        return f"add {name};"

    def stream(self, depth, pop, push):
        """Takes a multiple of `pop` for the same multiple of `push`."""
        kind = self.number(0, 5)
        if depth == 0 or kind < 2:
            times = self.number(1, 3)
            return self.filter(times * pop, times * push)
        if kind < 4:
            return f"add pipeline {{ {self.parts(depth, pop, push)} }};"
        return self.splitjoin(depth, pop, push)

    def parts(self, depth, pop, push):
        between = [self.number(1, 3) for _ in range(self.number(0, 2))]
        rates = [pop, *between, push]
        return " ".join(self.stream(depth - 1, a, b) for a, b in zip(rates, rates[1:]))

    def splitjoin(self, depth, pop, push):
        weights = [self.number(1, 3) for _ in range(self.number(2, 3))]
        if self.number(0, 1):
            split = "duplicate"
            branches = [self.stream(depth - 1, pop, weight) for weight in weights]
            taken, given = sum(weights), push
        else:
            shares = [self.number(1, 2) for _ in weights]
            split = f"roundrobin({', '.join(map(str, shares))})"
            branches = [self.stream(depth - 1, share, weight) for share, weight in zip(shares, weights)]
            taken, given = sum(weights) * pop, push * sum(shares)
        join = f"roundrobin({', '.join(map(str, weights))})"
        rest = self.filter(taken, given)
        whole = f"add splitjoin {{ split {split}; {' '.join(branches)} join {join}; }};"
        return f"add pipeline {{ {whole} {rest} }};"

    def pipeline(self, depth, pop, push, name):
        parts = [self.stream(depth, pop, push) for _ in range(self.number(2, 4))]
        if self.number(0, 2) == 0:
            parts.insert(self.number(0, len(parts)), self.other())
        return f"{self.item}->{self.item} pipeline {name} {{ {' '.join(parts)} }}\n"


class Linear(Case):
    def run_with(self, *words):
        """What is written, and what is said about the rest of the input."""
        command = ["run", "-w", "--top", "Main", "--in", "in.raw", "--out", "out.raw", *words, "p.str"]
        err = self.call(*command)[1]
        lines = err.splitlines()
        said = [line for line in lines if not line.startswith("BISECT")]
        applied = sum("linear-combination" in line for line in lines)
        return self.bytes("out.raw"), said, applied

    def compare(self, seed, item, *words):
        self.file("p.str", Program(seed, item).text)
        numbers = random.Random(seed)
        count = numbers.randint(200, 900)
        if item == "int":
            items = array.array("i", [numbers.randint(-(2**31), 2**31 - 1) for _ in range(count)])
        else:
            items = array.array("f", [numbers.uniform(-1, 1) for _ in range(count)])
        self.file("in.raw", items.tobytes())
        expected, said, _ = self.run_with("--interpret")
        got, gotSaid, applied = self.run_with("--no-interpret", "--opt-bisect-limit=-1", *words)
        self.assertEqual(gotSaid, said, f"seed {seed}")
        self.assertEqual(len(got), len(expected), f"seed {seed}")
        return expected, got, applied

    def test_ints_have_the_same_bits(self):
        combined = 0
        for seed in SEEDS:
            expected, got, applied = self.compare(seed, "int")
            self.assertEqual(got, expected, f"seed {seed}")
            combined += applied > 0
        self.assertGreater(combined, len(SEEDS) // 2)

    def test_floats_are_near(self):
        combined = 0
        for seed in SEEDS[:8]:
            expected, got, applied = self.compare(seed, "float", "--fast-math")
            exact, near = (array.array("f", data) for data in (expected, got))
            largest = max(map(abs, exact), default=0)
            worst = max((abs(a - b) for a, b in zip(exact, near)), default=0)
            self.assertLessEqual(worst, TOLERANCE * largest, f"seed {seed}")
            combined += applied > 0
        self.assertGreater(combined, 0)

    def test_floats_keep_their_order(self):
        for seed in SEEDS[:4]:
            expected, got, applied = self.compare(seed, "float")
            self.assertEqual((got, applied), (expected, 0), f"seed {seed}")

    def test_what_is_found_is_shown(self):
        self.file("p.str", "int->int pipeline Main { add Twice; add Twice; add Square; }\n"
                           "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n"
                           "int->int filter Square { work pop 1 push 1 { int x = pop(); push(x * x); } }\n")
        shown = self.call("check", "--top", "Main", "--emit-after=linear-combination", "p.str")[0].decode()
        self.assertIn("; linear-combination: Main.Twice[1]\nlinear: pop 1 peek 1 push 1, 1 terms\n  2*x0\n", shown)
        self.assertIn("; linear-combination: Main.Square\nnot linear: it multiplies items with items\n", shown)
        self.assertIn("; linear-combination: Main.Twice+Twice\npop 1 peek 1 push 1, 1 terms\n  4*x0\n", shown)

    def test_statistics_count_the_filters_of_the_program(self):
        self.file("p.str", "int->int pipeline Main { add Twice; add Twice; }\n"
                           "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n")
        self.file("in.raw", bytes(400))
        words = "--in=in.raw", "--out=out.raw", "--stats"
        self.call("build", "--top=Main", "-o", "p", "p.str")
        told = {self.call("run", "--top=Main", *words, "p.str")[1], self.call("run", "--interpret", "--top=Main", *words, "p.str")[1],
                subprocess.run(["./p", *words], cwd=self.folder, capture_output=True, text=True).stderr}  # fmt: skip
        self.assertEqual({text.split(" s;")[0].rsplit(",", 1)[0] for text in told}, {"100 steady states, 200 firings"})

    def test_debuggers_see_all_filters(self):
        self.file("p.str", "int->int pipeline Main { add Twice; add Twice; }\n"
                           "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n")
        names = self.call("run", "--top", "Main", "--emit=plan", "p.str")[0].decode()
        self.assertIn("Twice+Twice", names)
        for words in (["-g"], ["-O1"], ["--disable-pass=linear-combination"]):
            names = self.call("run", "--top", "Main", "--emit=plan", *words, "p.str")[0].decode()
            self.assertNotIn("Twice+Twice", names)


if __name__ == "__main__":
    unittest.main()
