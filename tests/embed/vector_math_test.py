#!/usr/bin/env python3
"""Built-in functions in lanes give the same bits as libm's, one by one: for all floats if STRC_TEST_STEP is 1, for each
so-and-so-manieth else."""

import ctypes.util
import os
import platform
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from command import Case  # noqa: E402

STEP = os.environ.get("STRC_TEST_STEP", "39989")
ONE = "float->float filter Function { work pop 1 push 1 { push(NAME(pop())); } }\n"
TWO = "float->float filter Function { work pop 2 push 1 { float x = pop(); push(NAME(x, pop())); } }\n"
ARGUMENT = """float->float filter Function {
    work pop 2 push 1 { complex z; z.real = pop(); z.imag = pop(); push(arg(z)); }
}
"""
FUNCTIONS = {
    **dict.fromkeys(["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "erf"], ONE),
    **dict.fromkeys(["atan2", "pow"], TWO),
    "arg": ARGUMENT,
}
# What libmvec has functions for, and what the processor has to say of itself.
MARCHES = {
    "x86-64": set(),
    "x86-64-v3": {"avx2", "fma"},
    "x86-64-v4": {"avx512f", "avx512dq", "avx512bw", "avx512vl"},
}
HAS_VECTORS = platform.machine() == "x86_64" and ctypes.util.find_library("mvec") is not None


class VectorMath(Case):
    def check(self, name, text, *options):
        self.file("p.str", text.replace("NAME", name))
        self.call("build", "--shared", "--top=Function", *options, "p.str")
        if HAS_VECTORS:
            self.assertTrue(b"_ZGV" in self.bytes("libp.so"), f"{name} {options} is not done in vectors")
        command = [os.environ.get("CC") or "cc", "-std=gnu11", "-O1", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-I.",
                   f"-DFUNCTION={name}", f"-DARGUMENTS={1 if text is ONE else 2}", str(HERE / "vector_math.c"),
                   "-o", "host", "-L.", "-lp", f"-Wl,-rpath,{self.folder}", "-lm"]  # fmt: skip
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["./host", STEP], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), f"{name} {options}")

    def check_all(self, *options):
        for name, text in FUNCTIONS.items():
            self.check(name, text, *options)

    def test_every_bit(self):
        self.check_all()

    @unittest.skipUnless(HAS_VECTORS, "there is no libmvec")
    def test_vectors_of_each_size(self):
        known = set(Path("/proc/cpuinfo").read_text().split())
        for march, needs in MARCHES.items():
            if needs <= known:
                self.check_all(f"--march={march}")


if __name__ == "__main__":
    unittest.main()
