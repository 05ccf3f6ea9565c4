#!/usr/bin/env python3
"""Images with their channels last: what can be chosen beside it gives the same numbers."""

import subprocess
import unittest

import numpy
from command import STRC, Case, safetensors

PROGRAM = """tensor->tensor pipeline Main {
    add conv2d(3, 32, 3, 3, 2, 2, 1, 1, weights = "first"); add batchnorm2d(32, weights = "norm"); add relu6();
    add maxpool2d(3, 2, 1);
    for (int k = 0; k < 2; k++) add Residual("block" + k);
    add Mobile(32, 48, "mobile");
    add adaptiveavgpool2d(2); add flatten(); add linear(48 * 4, 10, weights = "fc");
}
tensor->tensor pipeline Residual(String name) {
    add splitjoin {
        split duplicate;
        add Identity<tensor>();
        add pipeline {
            add conv2d(32, 32, 3, 3, 1, 1, 1, 1, weights = name + "a"); add relu();
            add conv2d(32, 32, 3, 3, 1, 1, 1, 1, weights = name + "b");
        }
        join roundrobin;
    }
    add add(); add relu();
}
tensor->tensor pipeline Mobile(int in, int out, String name) {
    add conv2d(in, 64, 1, 1, weights = name + "a"); add silu();
    add conv2d(64, 64, 3, 3, 1, 1, 1, 1, 1, 1, 64, weights = name + "b"); add gelu();
    add conv2d(64, out, 1, 1, weights = name + "c");
}
"""
WEIGHTS = ("--weights", "random:1")
CONVOLUTIONS = {"first": (32, 3, 3, 3), "block0a": (32, 32, 3, 3), "block0b": (32, 32, 3, 3), "block1a": (32, 32, 3, 3),
                "block1b": (32, 32, 3, 3), "mobilea": (64, 32, 1, 1), "mobileb": (64, 1, 3, 3), "mobilec": (48, 64, 1, 1)}  # fmt: skip
SHAPE = (2, 3, 32, 32)


class TensorLayouts(Case):
    def setUp(self):
        super().setUp()
        self.file("p.str", PROGRAM)
        generator = numpy.random.default_rng(1)
        numpy.save(self.folder / "in.npy", generator.standard_normal((2, *SHAPE), dtype=numpy.float32))
        self.words = ["--top", "Main", "--input", "x".join(map(str, SHAPE)), *WEIGHTS]
        self.expected = self.result("--disable-pass=layout-propagation")
        self.assertGreater(abs(self.expected).max(), 1e-3)

    def read(self):
        found = numpy.load(self.folder / "out.npy")
        (self.folder / "out.npy").unlink()
        return found

    def result(self, *words):
        self.call("run", "--in", "in.npy", "--out", "out.npy", *self.words, *words, "p.str")
        return self.read()

    def same(self, found):
        numpy.testing.assert_allclose(found, self.expected, rtol=1e-5, atol=1e-5 * abs(self.expected).max())

    def turned(self, *words):
        shown = self.call("check", "--emit-after", "layout-propagation", *self.words, *words, "p.str")[0].decode()
        return shown.count("values channels last")

    def test_the_interpreter(self):
        self.assertGreater(self.turned(), 3)
        self.same(self.result("--interpret"))
        self.same(self.result())

    def test_workers(self):
        for count in "124":
            self.same(self.result("--workers", count))

    def test_optimisation(self):
        for level in ("-O0", "-O1", "-O2", "-O3"):
            self.same(self.result(level))
        self.same(self.result("--disable-pass=register-tiling"))
        self.same(self.result("--disable-pass=fuse-epilogues"))
        self.same(self.result("--disable-pass=copy-elision"))

    def test_each_filter_may_be_left_as_it_is(self):
        for limit in range(0, 60, 7):
            self.same(self.result(f"--opt-bisect-limit={limit}"))

    def executable(self, *words):
        self.call("build", *self.words, *words, "-o", "net", "p.str")
        done = subprocess.run(["./net", "--in", "in.npy", "--out", "out.npy"], cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read()

    def test_executables(self):
        self.same(self.executable())

    def test_weights_that_are_read_at_the_start(self):
        generator = numpy.random.default_rng(2)
        tensors = []
        for name, shape in {**CONVOLUTIONS, "fc": (10, 192)}.items():
            tensors += [(f"{name}.weight", shape), (f"{name}.bias", shape[:1])]
        tensors += [(f"norm.{each}", (32,)) for each in ("weight", "bias", "running_mean", "running_var")]
        values = [generator.uniform(-0.2, 0.2, shape).astype(numpy.float32) for _, shape in tensors]
        values[-1] += 1
        self.file("w.safetensors", safetensors(*((name, "F32", shape, each.tobytes())
                                                 for (name, shape), each in zip(tensors, values, strict=True))))  # fmt: skip
        self.words[-1] = "w.safetensors"
        self.expected = self.result("--interpret", "--disable-pass=layout-propagation")
        self.same(self.executable("--external-weights"))
        self.same(self.executable("--external-weights", "--disable-pass=layout-propagation"))
        out = self.call("build", *self.words, "--external-weights", "--emit-after", "register-tiling", "-o", "-", "p.str")[0].decode()
        self.assertRegex(out, r"\bstored\b")

    def test_libraries_and_devices_want_rows(self):
        for words in (["--kernels=onednn"], ["--kernels=auto"], ["--kernels=torch"], ["--device=auto"]):
            self.assertEqual(self.turned(*words), 0, words)
        self.same(self.result("--kernels=auto"))
        self.same(self.result("--device=auto"))


if __name__ == "__main__":
    unittest.main()
