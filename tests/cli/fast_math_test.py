#!/usr/bin/env python3
"""--fast-math: outputs stay within the tolerance that docs/command-line.md states, and without it they are exact."""

import platform
import subprocess
import unittest

from command import Case

TOLERANCE = 1e-4  # of the largest value

# Long sums, built-in functions of floats and complex numbers.
PROGRAM = """void->void pipeline Main { add Wave; add Fir(64); add Shape; add Turn; add Show; }
void->float filter Wave {
    int n;
    work push 1 { push(sin(0.01 * n) + 0.5 * cos(0.37 * n)); n++; }
}
float->float filter Fir(int taps) {
    float[taps] h;
    init { for (int i = 0; i < taps; i++) h[i] = exp(-0.05 * i) / 7; }
    work pop 1 push 1 peek taps {
        float sum = 0;
        for (int i = 0; i < taps; i++) sum += peek(i) * h[i];
        pop();
        push(sum);
    }
}
float->float filter Shape {
    work pop 1 push 1 {
        float x = pop();
        push(tanh(x) + exp(-x * x) * sin(3 * x) + log(2 + cos(x)) + pow(1 + x * x, 0.3));
    }
}
float->float filter Turn {
    work pop 2 push 1 {
        complex z = pop() + 0.5i;
        complex w = z * z + pop();
        push(w.real + atan2(w.imag, w.real + 20));
    }
}
float->void filter Show { work pop 1 { println(pop()); } }
"""
RUN = ["run", "-i", "4000", "p.str"]


class FastMath(Case):
    def setUp(self):
        super().setUp()
        self.file("p.str", PROGRAM)
        self.exact = self.call(*RUN, "--interpret")[0]

    def check_near(self, output):
        exact, got = ([float(line) for line in text.split()] for text in (self.exact, output))
        self.assertEqual(len(got), len(exact))
        largest = max(map(abs, exact))
        self.assertGreater(largest, 1)
        worst = max(abs(a - b) for a, b in zip(exact, got))
        self.assertLess(worst, TOLERANCE * largest)

    def test_without_it_every_bit_is_right(self):
        for level in ("-O0", "-O2", "-O3"):
            self.assertEqual(self.call(*RUN, level)[0], self.exact)

    def test_within_the_tolerance(self):
        for level in ("-O0", "-O2", "-O3"):
            self.check_near(self.call(*RUN, "--fast-math", level)[0])
        self.check_near(self.call(*RUN, "--fast-math", "--disable-pass=vectorise-firings")[0])
        self.assertEqual(self.call(*RUN, "--fast-math", "--interpret")[0], self.exact)

    def test_executables(self):
        for words in ([], ["--static"], ["--march=x86-64"] if platform.machine() == "x86_64" else ["-O3"]):
            self.call("build", "--fast-math", *words, "-o", "p", "p.str")
            self.check_near(self.program("./p", "-i", "4000"))

    def program(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_something_is_done(self):
        """The output may differ or not; the code does."""
        fast = self.call("check", "--fast-math", "--emit=llvm", "p.str")[0].decode()
        plain = self.call("check", "--emit=llvm", "p.str")[0].decode()
        self.assertIn("nsz contract", fast)
        self.assertNotIn("contract", plain)
        self.assertIn("expf", fast)
        self.assertNotIn("expf", plain)
        if platform.machine() == "x86_64":
            code = self.call("build", "--fast-math", "--emit=asm", "--march=x86-64-v3", "p.str")[0].decode()
            self.assertIn("_ZGVdN8v_expf", code)
            self.assertIn("vfmadd", code)
            code = self.call("check", "--emit=asm", "p.str")[0].decode()
            self.assertNotIn("vfmadd", code)

    @unittest.skipUnless(platform.machine() == "x86_64", "there is no vector library")
    def test_functions_in_loops_become_vectors(self):
        self.file("loop.str", """float->float filter Loop {
    float last;
    work pop 16 push 16 {
        float[16] x;
        for (int k = 0; k < 16; k++) x[k] = last + pop();
        for (int k = 0; k < 16; k++) x[k] = tanh(x[k]);
        for (int k = 0; k < 16; k++) push(x[k]);
        last = x[3];
    }
}
""")
        words = ["build", "--shared", "--emit=asm", "--march=x86-64-v3", "--top=Loop", "loop.str"]
        self.assertIn("_ZGVdN8v_tanhf", self.call(*words, "--fast-math")[0].decode())
        self.assertNotIn("_ZGVdN8v_tanhf", self.call(*words)[0].decode())

    def test_subnormal_numbers_are_zeros(self):
        self.file("small.str", """void->void pipeline Main { add Halve; add Show; }
void->float filter Halve { float x; double y; init { x = 2e-38; y = 3e-4; for (int k = 0; k < 8; k++) y *= 1e-38; }
    work push 2 { x /= 2; y /= 2; push(x > 0 ? 1 : 0); push(y > 0 ? 1 : 0); } }
float->void filter Show { work pop 1 { println(pop()); } }
""")
        def has_zeros(output):
            return [float(line) == 0 for line in output.decode().split()][8:]

        words = ["-i", "12", "small.str"]
        for exact in ([], ["--fast-math", "--interpret"]):
            self.assertEqual(has_zeros(self.call("run", *exact, *words)[0]), [False] * 16)
        for options in (["-O0"], ["-j1"], ["-j2", "--chunk=2"], ["--tapes=ring"]):
            self.assertEqual(has_zeros(self.call("run", "--fast-math", *options, *words)[0]), [True] * 16, options)
        self.call("build", "--fast-math", "-o", "small", "small.str")
        self.assertEqual(has_zeros(self.program("./small", "-i", "12")), [True] * 16)

    def test_what_is_a_double_stays_one(self):
        self.file("d.str", """void->void pipeline Main { add S; add T; }
void->float filter S { int n; work push 1 { push(0.1 * n++); } }
float->void filter T { work pop 1 { double x = pop(); double d = sin(x); println(d * 1000000000.0); } }
""")
        exact = self.call("run", "-i", "50", "--interpret", "d.str")[0]
        self.assertEqual(self.call("run", "-i", "50", "--fast-math", "d.str")[0], exact)


if __name__ == "__main__":
    unittest.main()
