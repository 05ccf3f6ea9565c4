#!/usr/bin/env python3
"""Weights: where they are found, what is wrong with a file, names, shapes, and executables with and without them."""

import array
import json
import math
import os
import re
import resource
import struct
import subprocess
import unittest
from pathlib import Path

from command import SECONDS, STRC, Case, clean, safetensors

PROGRAM = """void->void pipeline Main { add Source; add Block("net"); add Show; }
void->tensor filter Source { work push 1 { push(ones(1, 2)); } }
tensor->tensor pipeline Block(String weights) { add Layer(2, 1, weights + ".fc"); }
tensor->tensor filter Layer(int n, int m, String weights) {
    tensor<float>[m, n] weight = stored(weights, "weight");
    tensor bias;
    init { bias = 2 * stored(weights, "bias", m); }
    work pop 1 push 1 { push(matmul(pop(), transpose(weight, 0, 1)) + bias); }
}
tensor->void filter Show { work pop 1 { println(item(sum(pop()))); } }
"""
CC = os.environ.get("CC") or "cc"
WEIGHT = ("net.fc.weight", "F32", [1, 2], array.array("f", [3, 4]).tobytes())
BIAS = ("net.fc.bias", "F32", [1], array.array("f", [10]).tobytes())


def small():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


class Weights(Case):
    def setUp(self):
        super().setUp()
        self.file("p.str", PROGRAM)
        self.file("p.safetensors", safetensors(WEIGHT, BIAS))

    def run_program(self, *options):
        return self.call("run", "-i1", *options, "p.str")[0]

    def refused(self, *words):
        """What is said of a program that does not run; nothing is printed."""
        out, err = self.call("run", "-i1", *words, "p.str", status=1)
        self.assertEqual(out, b"")
        return err

    def execute(self, *words, status=0):
        done = subprocess.run(["./p", "-i1", *words], cwd=self.folder, capture_output=True, timeout=SECONDS, env=clean())
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done.stdout, done.stderr.decode()


class Finding(Weights):
    def test_beside_the_program(self):
        for engine in ([], ["--interpret"], ["--no-interpret", "-O0"]):
            self.assertEqual(self.run_program(*engine), b"27.0\n", engine)

    def test_by_name(self):
        self.file("other", safetensors(("x", "I8", [1], b"\0"), BIAS, (*WEIGHT[:3], array.array("f", [1, 1]).tobytes())))
        self.assertEqual(self.run_program("--weights", "other"), b"22.0\n")

    def test_nowhere(self):
        (self.folder / "p.safetensors").unlink()
        self.assertRegex(self.refused(), r"(?s)p.str:3:49: error: 'net.fc.weight' needs a weights file, and there is none.*"
                                         r"'--weights FILE' names one")
        self.assertIn("'none' cannot be used: No such file", self.refused("--weights", "none"))

    def test_a_file_that_nobody_needs_may_be_anything(self):
        self.file("p.safetensors", b"nothing")
        self.file("p.str", "void->void pipeline Main { add Ramp; add Print; }\n")
        self.assertEqual(self.run_program(), b"0.0\n")

    def test_made_up(self):
        first = self.run_program("--weights", "random:1")
        self.assertEqual(self.run_program("--weights", "random:1", "--interpret"), first)
        self.assertNotEqual(self.run_program("--weights", "random:2"), first)
        self.file("p.str", PROGRAM.replace("<float>[m, n]", ""))
        self.assertIn("the shape of 'net.fc.weight', whose values are to be made up,", self.refused("--weights", "random:1"))
        wrong = self.call("run", "--weights", "random:x", "p.str", status=2)[1]
        self.assertIn("'random:x' is not a value for --weights", wrong)


class Faults(Weights):
    def test_missing(self):
        self.file("p.safetensors", safetensors(BIAS, ("net.fc.weights", *WEIGHT[1:])))
        message = self.refused()
        self.assertIn("there is no 'net.fc.weight' in weights file 'p.safetensors'", message)
        self.assertIn("in instance Main.Block.Layer", message)
        self.assertIn("did you mean 'net.fc.weights'?", message)

    def test_all_faults_are_told_at_once(self):
        self.file("p.str", PROGRAM.replace("add Show;", 'add Layer(1, 3, "b"); add Layer(3, 1, "c"); add Show;'))
        self.file("p.safetensors", safetensors(BIAS, ("b.bias", "F32", [2], bytes(8)), ("c.weight", "F32", [1, 3], bytes(12))))
        message = self.refused()
        for name in ("net.fc.weight", "b.weight", "c.bias"):
            self.assertIn(f"there is no '{name}' in weights file 'p.safetensors'", message)
        self.assertIn("'b.bias' in weights file 'p.safetensors' is tensor<float>[2], not tensor<float>[3]", message)
        self.assertEqual(message.count("error:"), 4, message)

    def test_other_shapes_and_elements(self):
        for shape in ([2, 1], [2], [1, 1, 2]):
            self.file("p.safetensors", safetensors(BIAS, (WEIGHT[0], "F32", shape, WEIGHT[3])))
            self.assertIn(f"is tensor<float>{shape}, not tensor<float>[1, 2]", self.refused())
        self.file("p.safetensors", safetensors(BIAS, (WEIGHT[0], "I32", [1, 2], WEIGHT[3])))
        self.assertIn("is tensor<int>[1, 2], not tensor<float>[1, 2]", self.refused())
        self.file("p.safetensors", safetensors(WEIGHT, (BIAS[0], "F32", [2], bytes(8))))
        self.assertIn("'net.fc.bias' in weights file 'p.safetensors' is tensor<float>[2], not tensor<float>[1]", self.refused())

    def test_elements_that_nothing_computes_with(self):
        self.file("p.str", PROGRAM.replace("<float>[m, n]", ""))
        self.file("p.safetensors", safetensors(BIAS, (WEIGHT[0], "U8", [1, 2], bytes(2))))
        self.assertIn("is U8[1, 2], not of one of the element types that tensors have", self.refused())

    def test_shapes_that_no_tensor_has(self):
        self.file("p.str", PROGRAM.replace("<float>[m, n]", ""))
        empty = {"dtype": "F32", "shape": [0, 1 << 38], "data_offsets": [0, 0]}
        header = json.dumps({WEIGHT[0]: empty}).encode()
        self.file("p.safetensors", struct.pack("<Q", len(header)) + header)
        self.assertIn("is F32[0, 274877906944], not of a shape that tensors have, whose extents are ints", self.refused())

    def test_damaged(self):
        whole = safetensors(WEIGHT, BIAS)
        for size in range(0, len(whole), 7):
            self.file("p.safetensors", whole[:size])
            self.assertRegex(self.refused(), "weights file 'p.safetensors' cannot be used: (it has|it is|'net)")

    def test_one_name_of_two_shapes(self):
        self.file("p.str", PROGRAM.replace("add Show;", 'add Layer(1, 3, "net.fc"); add Show;'))
        for engine in ([], ["--interpret"]):
            message = self.refused("--weights", "random:1", *engine)
            self.assertIn("p.str:1:58: error: 'net.fc.weight' in weights file 'random:1' is tensor<float>[1, 2] for another filter,"
                          " not tensor<float>[3, 1]", message)
            self.assertIn("in instance Main.Layer", message)

    def test_in_work(self):
        self.file("p.str", PROGRAM.replace("pop())", "pop() + stored(\"\", \"net.fc.bias\"))", 1))
        self.assertIn("not in work: put them into a field", self.refused())

    def test_a_name_that_only_the_run_knows(self):
        self.file("p.str", PROGRAM.replace('init {', 'int k; init { k = (int) (2 * random()); ').replace('"bias"', '"bias" + k'))
        self.assertIn("the name of stored values is not known", self.refused())


class Executables(Weights):
    def test_weights_are_inside(self):
        self.call("build", "p.str")
        (self.folder / "p.safetensors").unlink()
        self.assertEqual(self.execute()[0], b"27.0\n")
        self.assertIn("the weights are in the executable", self.execute("--weights", "p.safetensors", status=2)[1])

    def test_weights_stay_outside(self):
        self.call("build", "--external-weights", "p.str")
        self.assertEqual(self.execute()[0], b"27.0\n")
        self.file("trained", safetensors(BIAS, (*WEIGHT[:3], array.array("f", [1, 1]).tobytes())))
        self.assertEqual(self.execute("--weights", "trained")[0], b"22.0\n")

    def test_layers_of_the_library_take_those_of_another_training(self):
        self.file("net.str", """void->void pipeline Main { add Source; add conv2d(2, 4, 3, 3, weights = "c"); add instancenorm2d(4, affine = true, weights = "i");
                add groupnorm(2, 4, weights = "g"); add layernorm({4, 4}, weights = "n"); add flatten(1); add rmsnorm({64}, weights = "r");
                add linear(64, 6, weights = "l"); add Three; add multiheadattention(6, 2, weights = "m"); add lstm(6, 3, 1, weights = "s");
                add separator({1, 0, 0}); add Show; }
            void->tensor filter Source { int n; work push 1 { n++; push(sin(reshape(arange(72) * 0.3 + n, 1, 2, 6, 6))); } }
            tensor->tensor filter Three { work pop 1 push 3 { tensor x = pop(); push(x); push(x); push(x); } }
            tensor->void filter Show { work pop 1 { println(pop()); } }""")
        shapes = {"c.weight": [4, 2, 3, 3], "c.bias": [4], "i.weight": [4], "i.bias": [4], "g.weight": [4], "g.bias": [4], "n.weight": [4, 4],
                  "n.bias": [4, 4], "r.weight": [64], "l.weight": [6, 64], "l.bias": [6], "m.in_proj_weight": [18, 6], "m.in_proj_bias": [18],
                  "m.out_proj.weight": [6, 6], "m.out_proj.bias": [6], "s.weight_ih_l0": [12, 6], "s.weight_hh_l0": [12, 3],
                  "s.bias_ih_l0": [12], "s.bias_hh_l0": [12]}  # fmt: skip
        for name, factor in (("one", 0.7), ("two", 0.9)):
            values = [(key, "F32", shape, array.array("f", [factor * (k % 7 - 3) / 5 for k in range(math.prod(shape))]).tobytes())
                      for key, shape in shapes.items()]
            self.file(name, safetensors(*values))
        self.call("build", "--external-weights", "--weights", "one", "-o", "p", "net.str")
        printed = {}
        for name in ("one", "two"):
            printed[name] = self.call("run", "-i2", "--weights", name, "net.str")[0]
            done = subprocess.run(["./p", "-i2", "--weights", name], cwd=self.folder, capture_output=True, timeout=SECONDS, env=clean())
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assert_close(done.stdout, printed[name])
        self.assertNotEqual(printed["one"], printed["two"])

    def assert_close(self, got, wanted):
        """Sums of products are in the order that suits the processor and the place of the weights (tensors.md)."""
        number = re.compile(rb"-?[0-9][-+.0-9E]*")
        self.assertEqual(number.sub(b"_", got), number.sub(b"_", wanted))
        for one, other in zip(number.findall(got), number.findall(wanted)):
            self.assertAlmostEqual(float(one), float(other), delta=1e-6)

    def test_what_scales_weights_outside(self):
        scale = "tensor->tensor filter Scale { work pop 1 push 1 { push(2 * pop()); } }\n"
        self.file("p.str", PROGRAM.replace('add Block("net");', 'add Block("net"); add Scale;') + scale)
        self.call("build", "p.str")
        self.assertEqual(self.execute()[0], b"54.0\n")
        self.call("build", "--external-weights", "p.str")
        self.assertEqual(self.execute()[0], b"54.0\n")
        self.file("trained", safetensors(BIAS, (*WEIGHT[:3], array.array("f", [1, 1]).tobytes())))
        self.assertEqual(self.execute("--weights", "trained")[0], b"44.0\n")

    def test_weights_are_checked_again(self):
        self.call("build", "--external-weights", "p.str")
        half = array.array("f", [5]).tobytes()
        other = (WEIGHT[0], "F32", [2, 1], WEIGHT[3])
        faults = [(b"", "it is empty"), (safetensors(WEIGHT, BIAS)[:-1], "it is truncated"), (None, "No such file"),
                  (safetensors(BIAS), "there is no 'net.fc.weight' in weights file 'w'"),
                  (safetensors(other), "there is no 'net.fc.bias' in weights file 'w'"),
                  (safetensors(BIAS, other), "is F32[2, 1], not F32[1, 2]"),
                  (safetensors(BIAS, (WEIGHT[0], "I32", [1, 2], WEIGHT[3])), "is I32[1, 2], not F32[1, 2]"),
                  (safetensors(WEIGHT, (*BIAS[:3], half)), "'net.fc.bias' has changed since the program was built")]  # fmt: skip
        for contents, message in faults:
            if contents is None:
                (self.folder / "w").unlink()
            else:
                self.file("w", contents)
            out, err = self.execute("--weights", "w", status=1)
            self.assertEqual(out, b"")
            for line in (message, "p.str:3:49: error: ", "note: in instance Main.Block.Layer"):
                self.assertIn(line, err)
        (self.folder / "p.safetensors").unlink()
        self.assertIn("No such file or directory", self.execute(status=1)[1])

    def test_bundle(self):
        """The folder goes somewhere else; where it was made nothing is left."""
        self.call("build", "--no-torch", "--external-weights", "--bundle", "all/p", "p.str")
        self.assertEqual(sorted(os.listdir(self.folder / "all/p")), ["p", "p.safetensors"])
        self.assertNotIn("p", os.listdir(self.folder))
        os.rename(self.folder / "all/p", self.folder / "moved")
        (self.folder / "p.safetensors").unlink()
        for name in ("moved/p", "link"):
            if name == "link":
                os.symlink("moved/p", self.folder / name)
            done = subprocess.run([f"./{name}", "-i1"], cwd=self.folder, capture_output=True, timeout=SECONDS, env=clean())
            self.assertEqual(done.stdout, b"27.0\n", done.stderr)
        (self.folder / "moved/p.safetensors").unlink()
        done = subprocess.run(["./moved/p", "-i1"], cwd=self.folder, capture_output=True, timeout=SECONDS, env=clean())
        self.assertIn(f"weights file '{self.folder}/moved/p.safetensors' cannot be used: No such file", done.stderr.decode())

    def test_bundle_with_weights_inside(self):
        self.call("build", "--bundle", ".", "-o", "x/q", "p.str")
        self.assertEqual(sorted(os.listdir(self.folder)), ["p.safetensors", "p.str", "q"])
        self.call("build", "--bundle", ".", "--external-weights", "p.str")  # its weights are there
        self.assertEqual(self.execute()[0], b"27.0\n")

    def test_no_output_is_written_over_weights(self):
        weights = self.bytes("p.safetensors")
        self.file("p.str", PROGRAM.replace("void->void pipeline Main { add Source; add Block(\"net\"); add Show; }",
                                           "void->tensor pipeline Main { add Source; add Block(\"net\"); }"))
        os.link(self.folder / "p.safetensors", self.folder / "other.safetensors")
        said = "the file with the weights and --out with the same file exclude each other"
        for out in ("p.safetensors", "other.safetensors:x"):
            for engine in ("--interpret", "-O0"):
                self.assertIn(said, self.call("run", engine, "-i1", "--top=Main", "p.str", "--out", out, status=2)[1])
            self.call("build", "--external-weights", "--top=Main", "p.str")
            self.assertIn(said, self.execute("--out", out, status=2)[1])
        self.call("build", "--top=Main", "p.str")
        self.assertEqual(self.bytes("p.safetensors"), weights)
        self.execute("--out", "p.safetensors")  # that has its own
        self.assertNotEqual(self.bytes("p.safetensors"), weights)

    def test_no_program_is_written_over_weights(self):
        weights = self.bytes("p.safetensors")
        os.link(self.folder / "p.safetensors", self.folder / "other")
        said = "and the file with the weights of that name exclude each other"
        for words in (("p.safetensors",), ("other",), ("other", "--shared"), ("p.safetensors", "--external-weights"),
                      ("p.safetensors", "--external-weights", "--bundle=parts")):
            self.assertIn(f"-o {words[0]} {said}", self.call("build", "p.str", "-o", *words, status=2)[1])
            self.assertFalse((self.folder / "parts").exists())
        self.assertEqual(self.bytes("p.safetensors"), weights)

    def test_bundle_without_room(self):
        """The file that there is no room for is named, and what was not there before is not left behind."""
        large = ("net.large", "F32", [100_000], bytes(400_000))
        self.file("p.safetensors", safetensors(WEIGHT, BIAS, large))
        (self.folder / "old").mkdir()
        self.file("old/other", b"")
        for folder in ("new/b", "old"):
            err = self.call("build", "--external-weights", "--bundle", folder, "p.str", status=1, preexec_fn=small)[1]
            self.assertEqual(err, f"strc: error: cannot write '{folder}/p.safetensors': File too large [cannot-write-file]\n")
            self.assertFalse((self.folder / "new").exists())
        self.assertEqual(sorted(os.listdir(self.folder / "old")), ["other"])

    def test_bundle_that_cannot_be_linked(self):
        err = self.call("build", "--external-weights", "--linker=false", "--bundle", "b", "p.str", status=1)[1]
        self.assertIn("error", err)
        self.assertFalse((self.folder / "b").exists())

    def test_made_up_ones_lie_in_no_file(self):
        err = self.call("build", "--external-weights", "--weights=random:3", "p.str", status=2)[1]
        self.assertIn("--external-weights and --weights random:SEED exclude each other", err)

    def test_no_bundle(self):
        for option in ("--shared", "--emit=obj"):
            self.assertIn("--bundle", self.call("build", option, "-o", "x", "--bundle", "b", "p.str", status=2)[1])
        err = self.call("build", "--bundle", "p.str/b", "p.str", status=1)[1]
        self.assertIn("cannot write 'p.str/b'", err)
        self.file("p.safetensors", safetensors(BIAS))
        self.call("build", "--bundle", "b", "p.str", status=1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["p.safetensors", "p.str"])

    def test_narrow_elements(self):
        self.file("p.str", PROGRAM.replace("<float>[m, n]", "<half>[m, n]"))
        half = (WEIGHT[0], "F16", [1, 2], struct.pack("<2e", 3, 4))
        self.file("p.safetensors", safetensors(half, BIAS))
        self.assertEqual(self.run_program(), b"27.0\n")
        self.call("build", "--external-weights", "p.str")
        self.assertEqual(self.execute()[0], b"27.0\n")
        self.file("w", safetensors((*half[:3], bytes(4)), BIAS))
        self.assertEqual(self.execute("--weights", "w")[0], b"20.0\n", "elements of two bytes are read as they are, as floats are")

    def test_odd_places(self):
        flag = ("flag", "BOOL", [1], b"\1")
        self.file("p.safetensors", safetensors(flag, WEIGHT, BIAS))
        self.assertEqual(self.run_program(), b"27.0\n")
        self.call("build", "--external-weights", "p.str")
        self.assertEqual(self.execute()[0], b"27.0\n")

    def test_libraries_have_theirs_inside(self):
        self.assertIn("--external-weights", self.call("build", "--shared", "--external-weights", "p.str", status=2)[1])


class Shortened(Weights):
    """The file loses its end while a program is at work."""

    LINE = b"1048576.0\n"
    N = 1024

    def setUp(self):
        super().setUp()
        endless = PROGRAM.replace("ones(1, 2)", f"ones(1, {self.N})").replace("Layer(2, 1,", f"Layer({self.N}, {self.N},")
        self.file("p.str", endless.replace("tensor bias;", "").replace('init { bias = 2 * stored(weights, "bias", m); }', "").replace(" + bias", ""))
        values = (array.array("f", [1]) * self.N**2).tobytes()
        self.file("p.safetensors", safetensors((WEIGHT[0], "F32", [self.N, self.N], values)))

    def shorten(self, command, bytes_left):
        """Runs until it has printed, and shortens the file: the process, and the lines so far."""
        child = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean())
        for last in (child.stdout.close, child.stderr.close, child.wait, child.kill):
            self.addCleanup(last)
        lines = [child.stdout.readline()]
        os.truncate(self.folder / "p.safetensors", bytes_left)
        return child, lines

    def test_executables_say_so(self):
        self.call("build", "--external-weights", "p.str")
        whole = (self.folder / "p.safetensors").read_bytes()
        for workers in ("1", "2"):
            for bytes_left in (0, 1 << 20, len(whole) - 4):
                self.file("p.safetensors", whole)
                child, lines = self.shorten(["./p", "--workers", workers], bytes_left)
                out, err = child.communicate(timeout=SECONDS)
                self.assertEqual((child.returncode, set(lines + out.splitlines(True))), (1, {self.LINE}), err)
                for line in ("p.str:3:49: error: weights file", "it has been made shorter while it was in use",
                             "note: in instance Main.Block.Layer"):  # fmt: skip
                    self.assertIn(line, err.decode())

    def test_written_again(self):
        self.call("build", "--external-weights", "p.str")
        child, lines = self.shorten(["./p"], (self.folder / "p.safetensors").stat().st_size)
        out, err = child.communicate(timeout=SECONDS)
        self.assertEqual((child.returncode, set(lines + out.splitlines(True))), (1, {self.LINE}), err)
        self.assertIn("it has been written while it was in use", err.decode())

    def test_the_compiler_has_read_it(self):
        whole = (self.folder / "p.safetensors").read_bytes()
        for engine in ([], ["--interpret"]):
            self.file("p.safetensors", whole)
            child, lines = self.shorten([STRC, "run", *engine, "p.str"], 0)
            lines += [child.stdout.readline() for _ in range(20)]
            self.assertEqual(set(lines), {self.LINE})
            self.assertIsNone(child.poll())


# Stands in the way of a function of the C library: makes the file shorter when pages of it are given back.
CUT = """#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int madvise(void *at, size_t size, int advice) {
    if (truncate("p.safetensors", 4096) != 0) abort();
    return (int)syscall(SYS_madvise, at, size, advice);
}
"""


class Panels(Weights):
    """Weights of products of several rows are brought into another order when the program starts."""

    N = 256

    def setUp(self):
        super().setUp()
        n = self.N
        text = PROGRAM.replace("ones(1, 2)", f"ones(8, {n})").replace("Layer(2, 1,", f"Layer({n}, {n},")
        text = text.replace("tensor bias;", "").replace('init { bias = 2 * stored(weights, "bias", m); }', "").replace(" + bias", "")
        names = ("a", "b", "c")
        self.file("p.str", text.replace('add Block("net");', "".join(f'add Block("{name}");' for name in names)))
        values = [(array.array("f", [factor / n]) * n**2).tobytes() for factor in (1, 2, 3)]
        self.file("p.safetensors", safetensors(*((f"{name}.fc.weight", "F32", [n, n], each)
                                                 for name, each in zip(names, values, strict=True))))  # fmt: skip
        self.call("build", "--external-weights", "p.str")

    def test_weights_are_read_once(self):
        """Then their file takes no memory: all that is looked at again are panels."""
        child = subprocess.Popen(["./p"], cwd=self.folder, stdout=subprocess.PIPE, env=clean())
        for last in (child.stdout.close, child.wait, child.kill):
            self.addCleanup(last)
        lines = {child.stdout.readline() for _ in range(3)}
        mappings = Path(f"/proc/{child.pid}/smaps").read_text()
        self.assertEqual(lines, {f"{8 * self.N * 6}.0\n".encode()})
        resident = re.search(r"p\.safetensors\n(?:\w+: .*\n)*?Rss: +(\d+) kB", mappings)
        self.assertEqual(resident[1], "0")

    def test_a_file_that_is_made_shorter_before_it_has_been_read(self):
        self.file("cut.c", CUT)
        subprocess.run([CC, "-shared", "-fPIC", "-o", "cut.so", "cut.c"], cwd=self.folder, check=True)
        done = subprocess.run(["./p", "-i1"], cwd=self.folder, capture_output=True, env=clean() | {"LD_PRELOAD": "./cut.so"})
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        for line in ("p.str:3:49: error: weights file", "it has been made shorter while it was in use",
                     "note: in instance Main.Block[1].Layer"):  # fmt: skip
            self.assertIn(line, done.stderr.decode())


class Prompt(Weights):
    LINES = b"tensor->tensor filter Plus { tensor b = stored(\"net.fc\", \"bias\", 1);" \
            b" work pop 1 push 1 { push(pop() + b); } }\n" \
            b"void->tensor filter One { work push 1 { push(ones(1)); } }\n" \
            b"take 1 One() | Plus()\n"

    def test_weights_at_the_prompt(self):
        self.assertIn(b"11.", self.call("repl", "--weights", "p.safetensors", input=self.LINES)[0])
        self.file("empty.str", "")
        self.file("empty.safetensors", safetensors(BIAS))
        self.assertIn(b"11.", self.call("repl", "empty.str", input=self.LINES)[0])
        self.assertIn("needs a weights file, and there is none", self.call("repl", input=self.LINES, status=1)[1])


class Large(Weights):
    def test_nothing_looks_at_each_element(self):
        """64 MB: what did something for each of them while the graph is built would stop at its limit of steps."""
        n = 4096
        self.file("p.str", PROGRAM.replace("ones(1, 2)", f"ones(1, {n})").replace("Layer(2, 1,", f"Layer({n}, {n},"))
        weight = array.array("f", [0]) * (n * n)
        weight[n * n - 1] = 0.5
        bias = array.array("f", [1]) * n
        self.file("p.safetensors", safetensors((WEIGHT[0], "F32", [n, n], weight.tobytes()), (BIAS[0], "F32", [n], bias.tobytes())))
        expected = f"{2 * n + 0.5}\n".encode()
        self.call("check", "--step-limit", "200000", "p.str")
        self.assertEqual(self.run_program(), expected)
        self.call("build", "p.str")
        self.assertEqual(self.execute()[0], expected)


if __name__ == "__main__":
    unittest.main()
