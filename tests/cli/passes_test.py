#!/usr/bin/env python3
"""What shows and steers the passes of the compiler: each pass has a name and a switch, and none of them changes what a
program prints."""

import re
import unittest
from pathlib import Path

from command import COUNTER, Case

DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "passes.md"

# Something for every pass: filters without state, a feedback loop, rates that are proved and others.
PROGRAM = """void->void pipeline Main { add Count; add Mix; add Scale(3); add Some; add Show; }
void->int filter Count { int n; work push 1 { push(n++); } }
int->int feedbackloop Mix {
    join roundrobin(1, 1);
    body Add;
    loop Identity<int>;
    split roundrobin(1, 1);
    for (int i = 0; i < 64; i++) enqueue i;
}
int->int filter Add { work pop 2 push 2 { int s = pop() + pop(); push(s); push(s % 100); } }
int->int filter Scale(int k) { work pop 1 push 1 { push(pop() * k); } }
int->int filter Some { work pop 1 push 1 { int x = pop(); if (x > 9) push(x); if (x <= 9) push(9 - x); } }
int->void filter Show { work pop 1 { println(pop()); } }
"""
RUN = ["run", "-i3000", "p.str"]


class Passes(Case):
    def names(self, option):
        """What the message lists for a name that there is not."""
        self.file("p.str", COUNTER)
        _, err = self.call("check", f"{option}=nothing", "p.str", status=2)
        return re.split(", | or ", re.search(r"'nothing' is not a value for \S+: (.*) is needed", err).group(1))

    def test_every_pass_has_a_switch_and_changes_no_output(self):
        passes = self.names("--disable-pass")
        self.assertIn("vectorise-firings", passes)
        self.file("p.str", PROGRAM)
        expected = self.call(*RUN, "--interpret")
        self.assertEqual(self.call(*RUN), expected)
        for name in passes:
            self.assertEqual(self.call(*RUN, "--disable-pass", name), expected, name)
        everything = [f"--disable-pass={name}" for name in passes]
        self.assertEqual(self.call(*RUN, *everything), expected)

    def test_stages_have_no_switch(self):
        self.assertNotIn("parse", self.names("--disable-pass"))
        _, err = self.call("check", "--disable-pass=parse", "p.str", status=2)
        self.assertIn("vectorise-firings", err)

    def test_former_names_work_and_are_told_once(self):
        self.file("p.str", PROGRAM)
        expected = self.call(*RUN, "--disable-pass=vectorise-firings", "--opt-bisect-limit=-1")
        former = ["--disable-pass=lanes", "--disable-pass", "lanes", "--opt-bisect-limit=-1"]
        former_after = "--emit-after=lanes"
        out, err = self.call(*RUN, *former)
        told, _, rest = err.partition("\n")
        self.assertEqual(told, "strc: warning: the pass 'lanes' is called 'vectorise-firings' now [renamed-pass]")
        self.assertEqual((out, rest), expected)
        for silent in ("-w", "-Wno-renamed-pass"):
            self.assertEqual(self.call(*RUN, *former, silent), expected)
        out, _ = self.call("check", "-O0", former_after, "p.str")
        self.assertEqual(out, b"; vectorise-firings: applied to nothing\n")
        for name in self.names("--disable-pass"):
            self.assertNotIn(name, ("lanes", "selections"), "a former name")

    def test_each_can_be_looked_at(self):
        names = self.names("--emit-after")
        self.file("p.str", PROGRAM)
        texts = {name: self.call("check", "--emit-after", name, "p.str")[0].decode() for name in names}
        for name, text in texts.items():
            self.assertTrue(text, name)
        self.assertIn("; specialize: Main.Scale\n", texts["specialize"])
        self.assertIn("filter Scale", texts["specialize"])
        self.assertIn("; vectorise-firings: Scale.work\nvarying:", texts["vectorise-firings"])
        self.assertRegex(texts["vectorise-firings"], r"@Scale\.work\.(lanes|columns)\(")
        self.assertIn("; if-conversion: Some.work\nselected:", texts["if-conversion"])
        self.assertIn("; rate-check-elimination: Scale.work\npops proved, pushes proved\n", texts["rate-check-elimination"])
        self.assertIn("; bounds-check-elimination: Add\nwork: 1 of 1 check proved\n", texts["bounds-check-elimination"])
        self.assertEqual(texts["plan"], self.call("check", "--emit=plan", "p.str")[0].decode())
        self.assertEqual(texts["llvm"], self.call("check", "--emit=llvm", "p.str")[0].decode())
        self.assertIn("@Add.work", texts["codegen"])
        out, _ = self.call("check", "-O0", "--emit-after=vectorise-firings", "p.str")
        self.assertEqual(out, b"; vectorise-firings: applied to nothing\n")
        self.call("run", "--emit-after=plan", "-o", "plan.txt", "p.str")
        self.assertEqual(self.bytes("plan.txt").decode(), texts["plan"])

    def test_looking_excludes_looking(self):
        self.file("p.str", PROGRAM)
        _, err = self.call("check", "--emit=plan", "--emit-after=plan", "p.str", status=2)
        self.assertIn("[conflicting-options]", err)

    def test_bisecting(self):
        self.file("p.str", PROGRAM)
        expected, err = self.call(*RUN, "--opt-bisect-limit=-1")
        lines = err.splitlines()
        numbers = [int(re.match(r"BISECT: running pass \((\d+)\) .+ on .", line).group(1)) for line in lines]
        self.assertEqual(numbers, list(range(1, len(lines) + 1)))
        kinds = [line.split()[4] for line in lines]
        self.assertEqual(kinds[0], "remove-round-robins")
        self.assertLess(kinds.index("vectorise-firings"), kinds.index("llvm"))
        self.assertLess(kinds.index("llvm"), len(kinds) - 1)  # LLVM's own follow
        ours = kinds.index("llvm") + 1
        for limit in [*range(ours + 1), ours + 20, len(lines) - 1]:
            out, err = self.call(*RUN, f"--opt-bisect-limit={limit}")
            self.assertEqual(out, expected, limit)
            running = [line for line in err.splitlines() if line.startswith("BISECT: running")]
            self.assertEqual(len(running), limit)
        _, err = self.call(*RUN, "--opt-bisect-limit=x", status=2)
        self.assertIn("'x'", err)

    def test_times(self):
        self.file("p.str", PROGRAM)
        out, err = self.call("check", "--emit=asm", "--time-passes", "p.str")
        self.assertEqual(out, self.call("check", "--emit=asm", "p.str")[0])
        self.check_times(err, ["parse", "elaborate", "plan", "scaling", "codegen", "vectorise-firings", "llvm", "machine-code"])
        self.assertRegex(err, "\\d {4}(others|\\S*(sroa|instcombine|inline))")
        out, err = self.call(*RUN, "--time-passes")
        self.assertEqual(out, self.call(*RUN)[0])
        self.check_times(err, ["parse", "machine-code"])
        _, err = self.call("check", "--time-passes", "p.str")
        self.check_times(err, ["parse", "schedule"])
        _, err = self.call("build", "-o", "p", "--time-passes", "p.str")
        self.check_times(err, ["machine-code", "link"])
        _, err = self.call("run", "-i1", "--time-passes", "--interpret", "p.str")
        self.check_times(err, ["balance"])

    def check_times(self, text, names):
        """The rows that stand first of what is inside add up to all of it."""
        rows = [re.match(r" *([\d.]+) +([\d.]+) +[\d.]+% +\d+  (.*)", line).groups()
                for line in text.splitlines()[1:]]  # fmt: skip
        for name in names:
            self.assertIn(name, [row[2].strip() for row in rows])
        self.assertEqual(rows[-1][2], "sum")
        self.assertAlmostEqual(sum(float(row[0]) for row in rows[:-1]), float(rows[-1][0]), places=4)
        outer = [float(row[1]) for row in rows[:-1] if not row[2].startswith(" ")]
        self.assertAlmostEqual(sum(outer), float(rows[-1][0]), places=4)

    def test_the_documentation_has_all_of_them(self):
        told = re.findall(r"^\| `([a-z-]+)` \| (stage|pass) \|", DOCS.read_text(), re.M)
        self.assertEqual([name for name, kind in told if kind == "pass"], self.names("--disable-pass"))
        shown = self.names("--emit-after")
        self.assertEqual([name for name, _ in told if name in shown], shown)


if __name__ == "__main__":
    unittest.main()
