#!/usr/bin/env python3
"""What is said when a device itself fails: its memory is full, or a kernel of it does wrong. The driver is spoilt by what stands
before it (cuda_shim.c): the stand-in that does the kernels, or the real one that STRC_TEST_DRIVER names."""

import ctypes.util
import subprocess
import unittest
from pathlib import Path

from command import STRC
from fake_device import HERE, REAL, WEIGHTS, DeviceCase

PROGRAM = """void->void pipeline Main { add Source; add frame({64, 64}); add relu(); add Twice; add Sink; }
void->float filter Source { int n; work push 1 { push(n++ % 7 - 3); } }
tensor->tensor filter Twice { work pop 1 push 1 { push(pop() * 2); } }
tensor->void filter Sink { work pop 1 { println(sum(pop())); } }
"""


def file_of(driver):
    """The file of a library that the loader finds by its name."""
    if "/" in str(driver):
        return driver
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/nvidia/lib64", "/usr/local/cuda/compat"):
        if Path(folder, driver).exists():
            return Path(folder, driver)
    return "-l:" + (ctypes.util.find_library("cuda") or str(driver))


class Faults(DeviceCase):
    def setUp(self):
        super().setUp()
        self.file("p.str", PROGRAM)

    def spoilt(self):
        shim = self.folder / "shim.so"
        if not shim.exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, HERE / "cuda_shim.c", "-Wl,--no-as-needed", file_of(self.driver()),
                            "-ldl"], check=True)
        return shim

    def errors(self, *words, **env):
        command = [STRC, "run", "-i", "6", *WEIGHTS, "--device", "cuda", "--disable-pass=fuse-tensors", *words, "p.str"]
        status, output, errors = self.strc(self.spoilt(), command=command, **self.emulated(), **env)
        return status, output, errors.decode()

    def test_as_ever(self):
        expected = self.call("run", "-i", "6", "p.str")[0]
        self.assertEqual(self.errors()[:2], (0, expected))

    def test_full(self):
        """The filter whose tapes need most, the size, and nothing of the output."""
        for which, what in ((1, "the tapes and fields of the program"), (2, "what filters compute with")):
            status, output, errors = self.errors(SHIM_FULL=str(which))
            self.assertEqual((status, output), (1, b""), errors)
            self.assertRegex(errors, "out of memory: %s on device cuda:0 needs? \\d" % what)

    def test_a_kernel_that_does_wrong(self):
        """By the name of its filter, or by those of the first and the last at work."""
        for words in (["--disable-pass=scaling"], []):
            status, _, errors = self.errors(*words, SHIM_WRONG="1")
            self.assertEqual(status, 1, errors)
            self.assertRegex(errors, "p.str:1:\\d+: error: cannot read 'cuda:0': an illegal memory access was encountered, when ")
            self.assertIn("in instance Main.", errors)


if __name__ == "__main__":
    unittest.main()
