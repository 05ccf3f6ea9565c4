"""Programs with a part on a CUDA device, on a driver of our own that stands in for CUDA's (fake_cuda.c), so that what the runtime
calls, and what it says when a call fails, can be seen anywhere. STRC_TEST_DRIVER names a real one (libcuda.so.1), for the tests
that can do with it."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from command import STRC, Case

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
REAL = os.environ.get("STRC_TEST_DRIVER")
SOURCES = ("fake_cuda.c", "fake_kernels.c", "fake_grid.c")
WEIGHTS = ("--weights", "random:1")


class DeviceCase(Case):
    made = None  # the folder of emulated code

    def setUp(self):
        super().setUp()
        self.log = self.folder / "log"
        self.file("p.str", "void->void pipeline Main { add S; add T; } void->int filter S { work push 1 { push(1); } } "
                  "int->void filter T { work pop 1 { pop(); } }")
        if b"without the CUDA toolkit" in self.strc("nowhere.so")[2]:
            # Who has a GPU wants to see it.
            (self.fail if REAL else self.skipTest)("this strc was built without the CUDA toolkit")

    def fake(self):
        """Builds the driver."""
        driver = self.folder / "cuda.so"
        if not driver.exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-I", ROOT / "runtime/include", "-o", driver,
                            *(HERE / name for name in SOURCES), "-ldl"], check=True)
        return driver

    def driver(self):
        return REAL or self.fake()

    @classmethod
    def emulated(cls):
        """What makes the driver do the code that it is given, rather than functions of its own that stand in for it."""
        if REAL:
            return {}
        if not cls.made:
            cls.made = Path(tempfile.mkdtemp(prefix="strc-ptx-"))
            cls.addClassCleanup(shutil.rmtree, cls.made)
            words = [NVCC, "-O3", "-std=c++17", "-I", ROOT / "runtime/include", "-ptx", "-arch=compute_80",
                     ROOT / "stdlib/native/cuda/library.cu", "-o", cls.made / "library.ptx"]
            subprocess.run(words, check=True)
        return {"FAKE_CUDA_TOOLS": str(HERE), "FAKE_CUDA_LIBRARY": str(cls.made / "library.ptx"), "FAKE_CUDA_CACHE": str(cls.made)}

    def strc(self, driver, *words, command=None, **env):
        command = command or [STRC, "run", "-i", "3", *WEIGHTS, "--device", "cuda", *words, "p.str"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=1800,
                              env={"PATH": "/usr/bin:/bin", "STRC_CUDA_LIB": str(driver), "FAKE_CUDA_LOG": str(self.log),
                                   "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), **env})
        return done.returncode, done.stdout, done.stderr

    def check_fails(self, text, driver, *words, command=None, **env):
        status, output, errors = self.strc(driver, *words, command=command, **env)
        self.assertEqual(status, 1, errors)
        self.assertIn(text, errors)
        self.assertEqual(output, b"")
        return errors
