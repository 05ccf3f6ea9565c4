#!/usr/bin/env python3
"""--kernels: what is said where a library is missing or has nothing to do, and that programs which call one give the same."""

import os
import re
import shutil
import struct
import subprocess
import unittest
from pathlib import Path

from command import STRC, Case

PROGRAM = """void->void pipeline Main { add Source; add conv2d(3, 8, 3, 3, padding_h = 1, padding_w = 1, weights = "conv"); add relu(); add flatten(0);
    add linear(8 * 6 * 5, 7, weights = "fc"); add Sink; }
void->tensor filter Source { int n; work push 1 { push(full(0.1 * n++, 3, 6, 5)); } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
"""
SCALARS = """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { int n; work push 1 { push(n++); } }
int->void filter Sink { work pop 1 { println(pop()); } }
"""
EFFECT = "float->float filter Half { work pop 1 push 1 { push(0.5 * pop()); } }\n"
LARGE = """void->void pipeline Main { add Source; add linear(512, 256, weights = "a"); add linear(256, 8, weights = "b"); add Sink; }
void->tensor filter Source { work push 1 { push(full(0.5, 1024, 512)); } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
"""
WEIGHTS = ("--weights", "random:1")


def numbers(text):
    return [float(each) for each in re.findall(rb"-?\d+\.?\d*(?:e[-+]?\d+)?", text)]


class Kernels(Case):
    def setUp(self):
        super().setUp()
        self.file("p.str", PROGRAM)

    def run_with(self, *words, command=None, **env):
        command = command or [STRC, "run", "-i", "3", *WEIGHTS, *words, "p.str"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=1800, env={**os.environ, "STRC_NO_INSTALL": "1", **env})
        return done.returncode, done.stdout, done.stderr

    def need(self, kernels):
        status, _, errors = self.run_with(f"--kernels={kernels}", "--no-interpret")
        if status != 0 and b"cannot open" in errors:
            self.skipTest(errors.decode().strip())
        self.assertEqual(status, 0, errors)

    def same(self, output):
        expected = numbers(self.run_with("--interpret")[1])
        self.assertEqual(len(expected), 21)
        for got, wanted in zip(numbers(output), expected, strict=True):
            self.assertLessEqual(abs(got - wanted), 1e-5 * max(1, abs(wanted)))

    # ---- without a library

    def test_words(self):
        errors = self.call("run", "--kernels=mkl", "p.str", status=2)[1]
        self.assertIn("generated, onednn, torch or auto", errors)

    def test_missing(self):
        status, output, errors = self.run_with("--kernels=onednn", STRC_ONEDNN_LIB="nowhere.so")
        self.assertEqual((status, output), (1, b""))
        self.assertIn(b"p.str:1:", errors)
        self.assertIn(b"cannot open 'nowhere.so': oneDNN is not there", errors)
        self.assertIn(b"./strc setup torch", errors)

    def test_what_is_missing_is_set_up_with_a_word(self):
        none = {"STRC_VENV": str(self.folder / "venv"), "STRC_ONEDNN_LIB": ""}
        for words in (["run"], ["build"]):
            command = [STRC, *words, *WEIGHTS, "--kernels=onednn", "p.str"]
            status, output, errors = self.run_with(command=command, **none)
            self.assertEqual((status, output), (1, b""))
            self.assertIn(b"are not installed in", errors)
            self.assertIn(b"venv/lib/libdnnl.so.3': oneDNN is not there", errors)
        for free in ("generated", "auto"):
            status, _, errors = self.run_with(f"--kernels={free}", **none)
            self.assertEqual((status, errors), (0, b""))

    def test_auto_goes_without(self):
        status, output, errors = self.run_with("--kernels=auto", STRC_ONEDNN_LIB="nowhere.so")
        self.assertEqual((status, errors), (0, b""))
        self.same(output)

    def test_nothing_is_needed_to_look(self):
        status, output, _ = self.run_with(command=[STRC, "run", *WEIGHTS, "--kernels=onednn", "--emit=plan", "p.str"],
                                          STRC_ONEDNN_LIB="nowhere.so")
        self.assertEqual(status, 0)
        self.assertIn(b"onednn: convolution 1x3x8x7 8x3x3x3, strides 1 1, dilations 1 1\n", output)
        self.assertIn(b"onednn: matmul 1x240 240x7\n", output)
        status, output, _ = self.run_with(command=[STRC, "run", *WEIGHTS, "--kernels=torch", "--emit=plan", "p.str"])
        self.assertIn(b"dilations 1 1, result copied\n", output)

    def test_refusals(self):
        self.file("half.str", EFFECT)
        for words, why in ((("--shared", "--top", "Half", "-o", "half.so", "half.str"), "a library allocates nothing"),
                           (("--static", "-o", "p", *WEIGHTS, "p.str"), "static executables"),
                           (("--target", "aarch64-linux-gnu", "-o", "p", *WEIGHTS, "p.str"), "another machine")):
            errors = self.call("build", "--kernels=onednn", *words, status=1)[1]
            self.assertIn(why, errors)
        self.call("build", "--kernels=auto", "--shared", "--top", "Half", "-o", "half.so", "half.str")
        errors = self.call("build", "--kernels=torch", "--no-torch", *WEIGHTS, "-o", "p", "p.str", status=2)[1]
        self.assertIn("--no-torch and --kernels=torch exclude each other", errors)
        self.assertNotIn("p", os.listdir(self.folder))

    def test_not_linked(self):
        self.call("build", *WEIGHTS, "-o", "p", "p.str")
        self.assertNotIn(b"dnnl_", (self.folder / "p").read_bytes())

    # ---- oneDNN

    def test_nothing_to_do(self):
        self.need("onednn")
        self.file("s.str", SCALARS)
        errors = self.call("run", "-i", "3", "--kernels=onednn", "s.str")[1]
        self.assertIn("nothing of the program is for onednn", errors)
        self.assertIn("s.str:1:", errors)

    def test_nothing_to_do_for_what_is_interpreted(self):
        for word in ("onednn", "torch"):
            out, errors = self.call("run", "-i3", *WEIGHTS, "--interpret", f"--kernels={word}", "p.str")
            self.assertNotEqual(out, b"")
            self.assertIn(f"nothing of the program is for {word}: it is interpreted, since '--interpret'", errors)

    def test_onednn(self):
        self.need("onednn")
        for words in ((), ("-O0",), ("--workers", "2"), ("--disable-pass=library-operators",), ("--disable-pass=scaling",)):
            status, output, errors = self.run_with("--kernels=onednn", "--no-interpret", *words)
            self.assertEqual(status, 0, errors)
            self.same(output)

    def test_auto_takes_large_products(self):
        self.need("onednn")
        self.file("q.str", LARGE)
        output = self.call("run", *WEIGHTS, "--kernels=auto", "--emit=plan", "q.str")[0]
        self.assertIn(b"onednn: matmul 1024x512 512x256\n", output)
        self.assertIn(b"generated: matmul 1024x256 256x8\n", output)

    def test_the_pass(self):
        self.need("onednn")
        output = self.call("run", *WEIGHTS, "--kernels=onednn", "--emit-after=library-operators", "p.str")[0]
        self.assertIn(b"onednn: matmul 1x240 240x7", output)

    def test_no_onednn(self):
        self.need("onednn")
        status, output, errors = self.run_with("--kernels=onednn", STRC_ONEDNN_LIB="/bin/sh")
        self.assertEqual((status, output), (1, b""))
        self.assertIn(b"cannot open '/bin/sh': STRC_ONEDNN_LIB: ", errors)

    def test_executable(self):
        self.need("onednn")
        self.call("build", *WEIGHTS, "--kernels=onednn", "-o", "p", "p.str")
        linked = subprocess.run(["ldd", self.folder / "p"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("dnnl", linked)
        status, output, errors = self.run_with(command=["./p", "-i", "3"])
        self.assertEqual(status, 0, errors)
        self.same(output)
        status, output, errors = self.run_with(command=["./p", "-i", "3"], STRC_ONEDNN_LIB="nowhere.so")
        self.assertEqual((status, output), (1, b""))
        self.assertIn(b"cannot open 'nowhere.so'", errors)

    def test_external_weights(self):
        self.need("onednn")
        header, data, at = [], b"", 0
        for name, shape in (("conv.weight", [8, 3, 3, 3]), ("conv.bias", [8]), ("fc.weight", [7, 240]), ("fc.bias", [7])):
            count = 1
            for extent in shape:
                count *= extent
            data += struct.pack(f"<{count}f", *((k * 7 % 13 - 6) / 20 for k in range(count)))
            header.append(f'"{name}":{{"dtype":"F32","shape":{shape},"data_offsets":[{at},{at + 4 * count}]}}')
            at += 4 * count
        text = ("{" + ",".join(header) + "}").encode()
        (self.folder / "w.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
        words = ("--weights", "w.safetensors", "--external-weights")
        self.call("build", *words, "--kernels=onednn", "-o", "p", "p.str")
        expected = self.call("run", "-i", "3", "--interpret", "--weights", "w.safetensors", "p.str")[0]
        output = self.run_with(command=["./p", "-i", "3"])[1]
        for got, wanted in zip(numbers(output), numbers(expected), strict=True):
            self.assertLessEqual(abs(got - wanted), 1e-5 * max(1, abs(wanted)))

    def bundle(self, kernels, library):
        self.call("build", *WEIGHTS, f"--kernels={kernels}", "--bundle", "all", "-o", "p", "p.str")
        self.assertTrue((self.folder / "all" / library).exists())
        shutil.move(self.folder / "all", self.folder / "elsewhere")
        command = [self.folder / "elsewhere" / "p", "-i", "3"]
        status, output, errors = self.run_with(command=command, HOME="/nowhere", LD_DEBUG="libs")
        self.assertEqual(status, 0, errors)
        self.same(output)
        return [line.split(b": ")[-1] for line in errors.splitlines() if b"calling init:" in line]

    def test_bundle(self):
        self.need("onednn")
        loaded = self.bundle("onednn", "libdnnl.so.3")
        folder = str(self.folder / "elsewhere").encode()
        for name in (b"libdnnl.so.3", b"libgomp.so.1"):
            self.assertTrue(any(path.startswith(folder) and path.endswith(name) for path in loaded), loaded)

    # ---- libtorch

    def test_torch(self):
        self.need("torch")
        status, output, errors = self.run_with("--kernels=torch", "--no-interpret")
        self.assertEqual(status, 0, errors)
        self.same(output)
        self.call("build", *WEIGHTS, "--kernels=torch", "-o", "p", "p.str")
        linked = subprocess.run(["ldd", self.folder / "p"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("torch", linked)
        self.same(self.run_with(command=["./p", "-i", "3"])[1])

    def test_torch_of_another_version(self):
        self.need("torch")
        self.call("build", *WEIGHTS, "--kernels=torch", "-o", "p", "p.str")
        loaded = self.run_with(command=["./p", "-i", "1"], LD_DEBUG="libs")[2]
        paths = {Path(each.decode()) for each in re.findall(rb"calling init: (\S+)", loaded)}
        folder = self.folder / "torch" / "lib"
        folder.mkdir(parents=True)
        for path in paths:
            if path.name in ("libtorch_cpu.so", "libc10.so"):
                (folder / path.name).symlink_to(path)
        (folder.parent / "version.py").write_text("__version__ = '1.2.3+cpu'\n")
        status, output, errors = self.run_with(command=["./p", "-i", "1"], STRC_TORCH_LIB=str(folder))
        self.assertEqual((status, output), (1, b""))
        self.assertIn(b"and what is there is torch 1.2.3", errors)

    def test_torch_elsewhere(self):
        self.need("torch")
        self.call("build", *WEIGHTS, "--kernels=torch", "-o", "p", "p.str")
        for command in (None, ["./p", "-i", "1"]):
            words = ("--kernels=torch", "--no-interpret")
            status, output, errors = self.run_with(*words, command=command, STRC_TORCH_LIB="no/where")
            self.assertEqual((status, output), (1, b""))
            self.assertIn(b"STRC_TORCH_LIB: no/where/libc10.so: cannot open", errors)


if __name__ == "__main__":
    unittest.main()
