"""Programs with a part on a CUDA device, on a driver of our own that stands in for CUDA's (fake_cuda.c), so that what the runtime
calls, and what it says when a call fails, can be seen anywhere."""

import subprocess
from pathlib import Path

from command import STRC, Case

WEIGHTS = ("--weights", "random:1")


class DeviceCase(Case):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "log"
        self.file("p.str", "void->void pipeline Main { add S; add T; } void->int filter S { work push 1 { push(1); } } "
                  "int->void filter T { work pop 1 { pop(); } }")
        if b"without the CUDA toolkit" in self.strc("nowhere.so")[2]:
            self.skipTest("this strc was built without the CUDA toolkit")

    def fake(self):
        """Builds the driver."""
        folder, driver = Path(__file__).parent, self.folder / "cuda.so"
        if not driver.exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-I", folder.parent.parent / "runtime" / "include", "-o", driver,
                            folder / "fake_cuda.c", folder / "fake_kernels.c"], check=True)
        return driver

    def strc(self, driver, *words, command=None, **env):
        command = command or [STRC, "run", "-i", "3", *WEIGHTS, "--device", "cuda", *words, "p.str"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=1800,
                              env={"PATH": "/usr/bin:/bin", "STRC_CUDA_LIB": str(driver), "FAKE_CUDA_LOG": str(self.log),
                                   **env})
        return done.returncode, done.stdout, done.stderr

    def check_fails(self, text, driver, *words, command=None, **env):
        status, output, errors = self.strc(driver, *words, command=command, **env)
        self.assertEqual(status, 1, errors)
        self.assertIn(text, errors)
        self.assertEqual(output, b"")
        return errors
