#!/usr/bin/env python3
"""What gdb sees of a program that was compiled with -g: lines, variables, the instance that fires, channels. For
executables and for `strc run`."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "tools" / "gdb" / "strc_gdb.py"
STRC = os.environ.get("STRC") or "strc"
SECONDS = 600 * float(os.environ.get("STRC_TEST_TIME_FACTOR", "1"))

PROGRAM = """struct Pair { int a; float[2] b; }
void->void pipeline Main { add Count; add Bank; add Show; }
void->int stateful filter Count { int n = 5; work push 1 { push(n++); } }
int->int splitjoin Bank {
    split duplicate;
    for (int i = 1; i <= 2; i++) add Scale(10 * i, { 1.5, 2.5 });
    join roundrobin;
}
int->int stateful filter Scale(int factor, float[2] shape) {
    int[4] table;
    Pair pair;
    init { for (int i = 0; i < 4; i++) table[i] = i; pair.b[1] = 2.5; }
    int weighted(int[3] a, int weight) {
        int sum = 0;
        for (int i = 0; i < 3; i++) sum += a[i] * weight;
        return sum;
    }
    work pop 1 push 1 peek 2 {
        int[3] local;
        for (int i = 0; i < 3; i++) local[i] = i + table[i];
        for (int i = 0; i < 2; i++) {
            int twice = i * 2;
            local[0] += twice;
        }
        complex z = 1.0 + 2.0i;
        boolean big = weighted(local, 2) > 3;
        bit odd = 1;
        float ratio = 0.25;
        pair.a++;
        push(pop() * factor + (big ? 1 : 0));
    }
}
int->void filter Show { work pop 1 { println(pop()); } }
"""
LINES = PROGRAM.splitlines()


def line_of(text):
    return next(number for number, line in enumerate(LINES, 1) if text in line)


PUSH = line_of("push(pop()")


class Debugging(unittest.TestCase):
    def setUp(self):
        self.assertIsNotNone(shutil.which("gdb"), "gdb is missing: scripts/set-up test installs it")
        self.folder = Path(tempfile.mkdtemp(prefix="strc-gdb-"))
        self.addCleanup(subprocess.run, ["rm", "-rf", self.folder], check=True)
        (self.folder / "prog.str").write_text(PROGRAM, encoding="ascii")

    def call(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def gdb(self, program, *commands):
        """What gdb prints for the commands, each under a line of its own."""
        words = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "set breakpoint pending on"]
        for command in (f"source {SCRIPT}", *commands):
            words += ["-ex", f"echo \\n## {command}\\n", "-ex", command]
        done = subprocess.run(
            [*words, "--args", *map(str, program)], cwd=self.folder, capture_output=True, text=True,
            timeout=SECONDS, stdin=subprocess.DEVNULL, env={**os.environ, "DEBUGINFOD_URLS": ""},
        )  # fmt: skip
        answers = {}
        for part in re.split(r"(?m)^## ", done.stdout)[1:]:
            command, _, answer = part.partition("\n")
            answers[command] = answers.get(command, "") + answer
        self.everything = done.stdout + done.stderr
        return answers

    def programs(self, level, *words):
        """The same program as an executable, and compiled in process."""
        self.call(STRC, "build", "-g", level, *words, "-o", "prog", "prog.str")
        return ["./prog", "-i", "3"], [STRC, "run", "-g", level, *words, "-i", "3", "prog.str"]

    def check_work(self, program):
        seen = self.gdb(
            program, f"break prog.str:{PUSH}", "run", "backtrace", "info locals", "strc instance",
            "strc channels", "strc channels Count", "continue", "up", "strc instance",
        )  # fmt: skip
        self.assertIn(f"at prog.str:{PUSH}", seen["run"], self.everything)
        self.assertIn("push(pop() * factor", seen["run"])
        calls = seen["backtrace"]
        self.assertRegex(calls, r"#0 .*Scale\.work \(strc_instance=Main\.Bank\.Scale\[0\]\) at prog\.str:\d+")
        self.assertRegex(calls, rf"#1 .* at prog\.str:{line_of('add Scale')}")
        self.assertIn("strc_execute", calls)
        for value in ("local = {2, 2, 4}", "z = 1 + 2i", "big = true", "odd = 1", "ratio = 0.25", "factor = 10",
                      "shape = {1.5, 2.5}", "table = {0, 1, 2, 3}", "pair = {a = 1, b = {0, 2.5}}",
                      "strc_input = {5, 6}"):  # fmt: skip
            self.assertIn(value, seen["info locals"])
        self.check_commands(seen)
        self.assertIn("strc_instance=Main.Bank.Scale[1]", seen["continue"])
        self.assertIn("Main.Bank.Scale[1]", seen["strc instance"])
        self.assertIn("parameter factor = 20", seen["strc instance"])

    def check_commands(self, seen):
        about = seen["strc instance"]
        for line in ("Main.Bank.Scale[0], in Scale.work", "parameter factor = 10", "parameter shape = {1.5, 2.5}",
                     "looks at 2 items", "pushes 1 item", "field table = {0, 1, 2, 3}"):  # fmt: skip
            self.assertIn(line, about)
        self.assertIn(self.stage(1), about)
        channels = seen["strc channels"]
        self.assertRegex(channels, r"Main\.Count -> Main\.Bank\.split: int ?\[\d+\], 1 stays, "
                                   r"window of 2, 0 popped from item 0\n  \{5, 6")  # fmt: skip
        self.assertNotIn("Show", seen["strc channels Count"])

    @staticmethod
    def stage(i):
        """What led to the instance that the loop over i has added."""
        added = line_of("add Bank")
        return (f"  Main\n  Bank, added at prog.str:{added}\n"
                f"  Scale(factor = {10 * i}, shape = {{1.5, 2.5}}), added at prog.str:{line_of('add Scale')}, where i = {i}\n")  # fmt: skip

    def check_steps(self, program):
        """From line to line, into a function and out of it."""
        first = line_of("int twice")
        seen = self.gdb(
            program, f"tbreak prog.str:{first}", "run", "next", "print twice", "print i",
            f"until {line_of('boolean big')}", "step",
            "backtrace 2", "next", "info locals", "finish", "print nonsense",
        )  # fmt: skip
        self.assertRegex(seen["next"], rf"{first + 1}\s+local\[0\] \+= twice", self.everything)
        self.assertIn("= 0", seen["print twice"])
        self.assertIn("= 0", seen["print i"])
        self.assertRegex(seen["step"], r"Scale\.weighted \(strc_instance=Main\.Bank\.Scale\[0\], a=\.\.\., weight=2\)")
        self.assertRegex(seen["backtrace 2"], r"#1 .*Scale\.work ")
        self.assertIn("sum = 0", seen["info locals"])
        self.assertIn("Scale.work (strc_instance", seen["finish"])

    def test_executables(self):
        program, _ = self.programs("-O0")
        self.check_work(program)
        self.check_steps(program)

    def test_run(self):
        _, program = self.programs("-O0")
        self.check_work(program)
        self.check_steps(program)

    def test_functions_are_found_by_name(self):
        program, _ = self.programs("-O0")
        seen = self.gdb(program, "break Scale.work", "break Scale.weighted", "run", "continue", "info args")
        self.assertIn("Scale.work (strc_instance=Main.Bank.Scale[0])", seen["run"], self.everything)
        self.assertIn("Scale.weighted (", seen["continue"])
        self.assertIn("weight = 2", seen["info args"])

    def test_optimised_code_keeps_lines_and_instances(self):
        for program in self.programs("-O2"):
            program[program.index("-i") + 1] = "5000"
            seen = self.gdb(program, f"break prog.str:{line_of('pair.a++')}", "run", "backtrace", "strc instance",
                            "strc channels")  # fmt: skip
            self.assertIn(f"at prog.str:{line_of('pair.a++')}", seen["run"], self.everything)
            self.assertRegex(seen["backtrace"], r"#0 .*Scale\.work \(strc_instance=Main\.Bank\.Scale\[[01]\]\)")
            self.assertRegex(seen["strc instance"], r"parameter factor = [12]0\n")
            self.assertIn("field table = {0, 1, 2, 3}", seen["strc instance"])
            self.assertTrue(any(self.stage(i) in seen["strc instance"] for i in (1, 2)), seen["strc instance"])
            self.assertIn("Main.Count -> Main.Bank.split", seen["strc channels"])

    def test_stages_without_the_script(self):
        """Loops inside of one another, what they compute, and what is out of sight or hidden by another one."""
        (self.folder / "prog.str").write_text(
            "void->void pipeline Main { add Grid(3); add Show; }\n"
            "void->float pipeline Grid(int rows) {\n"
            "    add void->float filter { work push 1 { push(1); } };\n"
            "    for (int gone = 0; gone < 2; gone++) ;\n"
            "    int kind = 7;\n"
            "    for (int i = 0; i < rows; i++) for (int j = i; j < 2; j++) { float gain = i + 0.5; { int kind = j; add Line(gain); } }\n"
            "}\n"
            "float->float pipeline Line(float gain) {\n"
            "    add float->float filter { work pop 1 push 1 {\n"
            "        push(gain * pop()); } };\n"
            "}\n"
            "float->void filter Show { work pop 1 { println(pop()); } }\n", encoding="ascii")  # fmt: skip
        for program in self.programs("-O0", "-w", "--top", "Main"):
            told = []
            show = "print strc_stages[(int)strc_instance]"
            seen = self.gdb(program, "break prog.str:10", "run", show, "continue", show, "continue", show)
            for i, j in ((0, 0), (0, 1), (1, 1)):
                told.append(f"Main\\nGrid(rows = 3), added at prog.str:1\\nLine(gain = {i}.5), added at prog.str:6, "
                            f"where i = {i}, j = {j}, gain = {i}.5, kind = {j}\\nfilter(gain = {i}.5), added at prog.str:9\\n")  # fmt: skip
            self.assertEqual(re.findall(r'"(.*)"', seen[show]), told, self.everything)

    def test_rings_say_what_they_hold(self):
        self.call(STRC, "build", "-g", "-O0", "--tapes=ring", "-o", "prog", "prog.str")
        seen = self.gdb(["./prog", "-i", "3"], f"break prog.str:{PUSH}", "run", "strc channels", "strc instance")
        self.assertRegex(seen["strc channels"], r"split -> Main\.Bank\.Scale\[0\]: int ?\[\d+\]\n  \{5, 6.*\n"
                                                r"  a ring: items 0 to before 2 are there", self.everything)  # fmt: skip
        self.assertIn("Main.Bank.Scale[0], in Scale.work", seen["strc instance"])

    def test_programs_inside_of_cpp(self):
        """At a line of C++: which of the streams that the line has recorded, and which iteration of the loop."""
        source = (ROOT / "tests/debug/two_stages.cpp").read_text(encoding="ascii").splitlines()
        line = next(number for number, text in enumerate(source, 1) if "stop here" in text)
        program = [os.environ["STRC_TWO_STAGES"]]
        seen = self.gdb(program, f"directory {ROOT}", f"break two_stages.cpp:{line}", "run", "print tap", "print sum",
                        "strc instance", "next", "next", "print tap")  # fmt: skip
        self.assertIn(f"two_stages.cpp:{line}", seen["run"], self.everything)
        self.assertIn("sum += f.peek(k)", seen["run"])
        self.assertEqual(re.findall(r"= (\d)", seen["print tap"]), ["0", "1"], seen)
        self.assertRegex(seen["strc instance"], r"Main\.Fir\[0\], in Fir\.work\n  parameter ")
        self.assertRegex(seen["strc instance"], r"\n  Main\n  Fir\(.* = 0\.5.*\), added at .*two_stages\.cpp:\d+\n")

    def test_where_nothing_fires(self):
        program, _ = self.programs("-O0")
        self.gdb(program, "break main", "run", "strc instance")
        self.assertIn("No filter is firing here", self.everything)
        self.gdb(program, "break main", "run", "strc channels")
        self.assertIn("not within a phase", self.everything)

    def test_the_output_is_the_same(self):
        expected = self.call(STRC, "run", "--interpret", "-i", "3000", "prog.str")
        for level in ("-O0", "-O2", "-O3"):
            self.assertEqual(self.call(STRC, "run", "-g", level, "-i", "3000", "prog.str"), expected)
            self.call(STRC, "build", "-g", level, "-o", "prog", "prog.str")
            self.assertEqual(self.call("./prog", "-i", "3000"), expected)


if __name__ == "__main__":
    unittest.main()
