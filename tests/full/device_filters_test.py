#!/usr/bin/env python3
"""device_filters_test.py STRC: the filters of the tensor library on a CUDA device, compared with PyTorch (tests/tensors/filters.py).
Without a driver in STRC_TEST_DRIVER a processor does the printed code in the device's place (tests/cli/fake_grid.h)."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
os.environ["STRC"] = sys.argv[1]
sys.path.insert(0, str(HERE.parent / "cli"))
from fake_device import DeviceCase  # noqa: E402  (it asks for STRC)

CASES = (("--every", "1"), ("--random", "31", "--count", "60"), ("--random", "32", "--chains", "--count", "40"))


class Filters(DeviceCase):
    def test_filters(self):
        environment = os.environ | self.emulated() | {"STRC_CUDA_LIB": str(self.driver())}
        for words in CASES:
            with self.subTest(words):
                done = subprocess.run([HERE.parent / "tensors/run", "filters.py", "--strc", sys.argv[1], "--engine", "cuda", *words],
                                      env=environment, capture_output=True, text=True)
                if done.returncode == 77:
                    self.skipTest(done.stdout)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
