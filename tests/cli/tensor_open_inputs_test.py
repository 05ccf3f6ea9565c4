#!/usr/bin/env python3
"""Executables of tensors whose extents `--input` leaves open: each run, and each item, brings its own."""

import io
import os
import struct
import subprocess
import unittest
import zlib

from command import Case, safetensors

try:
    import numpy
except ImportError:
    numpy = None

SMALL = """tensor->tensor pipeline Small {
    add interpolate(4, 5, "bilinear");
    add Shade();
}
tensor->tensor filter Shade { work pop 1 push 1 { tensor x = pop(); push(x * 0.5 + mean(mean(x, 1, 1), 2, 1)); } }
"""
CLASSES = """tensor->tensor pipeline Classes {
    add conv2d(3, 4, 3, 3, 1, 1, 1, 1, weights = "conv");
    add relu();
    add maxpool2d(2, 2, 0);
    add flatten();
    add linear(64, 10, weights = "out");
    add softmax();
}
"""
PAIRS = "tensor->tensor filter Pairs { work pop 2 push 1 { tensor x = pop(); push(concat(x, pop(), 0)); } }\n"


def random(shape, seed=1):
    return numpy.random.default_rng(seed).random(shape, dtype=numpy.float32)


def npy(array):
    made = io.BytesIO()
    numpy.save(made, array)
    return made.getvalue()


def picture(channels, height, width, seed=1):
    """As PNG; and as PPM or PGM."""
    samples = numpy.random.default_rng(seed).integers(0, 256, (height, width, channels), dtype=numpy.uint8)

    def chunk(name, contents):
        return struct.pack(">I", len(contents)) + name + contents + struct.pack(">I", zlib.crc32(name + contents))

    rows = b"".join(b"\0" + row.tobytes() for row in samples)
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    kind = {1: b"P5", 3: b"P6"}[channels]
    return png, b"%s\n%d %d\n255\n" % (kind, width, height) + samples.tobytes()


@unittest.skipUnless(numpy, "there is no NumPy")
class OpenInputs(Case):
    def build(self, text, *words, status=0):
        """Of the first stream. What the compiler says."""
        self.file("p.str", text)
        self.top = f"--top={text.split('{')[0].split()[2]}"
        return self.call("build", "-w", "-o", "made", self.top, *words, "p.str", status=status)[1]

    def made(self, *words, status=0, **how):
        done = subprocess.run([self.folder / "made", *words], cwd=self.folder, capture_output=True, **{"stdin": subprocess.DEVNULL, **how})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr.decode()

    def same(self, *files, options=()):
        """What the executable and `strc run` make of the files."""
        ends = [word for file in files for word in ("--in", file)] + ["--out"]
        self.call("run", self.top, *options, "p.str", *ends, "want.npy")
        self.made(*ends, "found.npy")
        want, found = (numpy.load(self.folder / name) for name in ("want.npy", "found.npy"))
        self.assertEqual((found.shape, found.dtype), (want.shape, want.dtype))
        numpy.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)
        return found

    def test_pictures_of_any_size(self):
        self.build(SMALL, "--input=3x_x_")
        for height, width in ((7, 9), (1, 1), (40, 30), (4, 5)):
            for name, contents in zip(("x.png", "x.ppm"), picture(3, height, width), strict=True):
                self.file(name, contents)
                self.assertEqual(self.same(name).shape, (3, 4, 5))

    def test_several_in_one_run(self):
        self.build(SMALL, "--input=3x_x_")
        for k, size in enumerate(((7, 9), (30, 20), (5, 5))):
            self.file(f"{k}.png", picture(3, *size, seed=k)[0])
        self.assertEqual(self.same("0.png", "1.png", "2.png").shape, (3, 3, 4, 5))
        self.file("x.npy", npy(random((6, 3, 11, 8))))
        self.assertEqual(self.same("x.npy", options=["--input=3x_x_"]).shape, (6, 3, 4, 5))
        tensors = [(f"t{k}", "F32", [3, 6 + k, 9 - k], random((3, 6 + k, 9 - k), k).tobytes()) for k in range(4)]
        self.file("x.safetensors", safetensors(*tensors))
        self.assertEqual(self.same("x.safetensors").shape, (4, 3, 4, 5))
        self.assertEqual(self.same("x.safetensors:t2").shape, (3, 4, 5))

    def test_behind_the_resizing_all_is_compiled(self):
        self.file("p.str", SMALL)
        shown = self.call("check", "-w", "--top=Small", "--input=3x_x_", "--emit=graph", "p.str")[0].decode()
        self.assertIn("tensor<float>[3, 4, 5]", shown)

    def test_batches_of_any_size(self):
        weights = "--weights=random:1"
        self.build(CLASSES, "--input=_x3x8x8", weights)
        for batch in (1, 5, 2):
            self.file("x.npy", npy(random((batch, 3, 8, 8), batch)))
            self.assertEqual(self.same("x.npy", options=[weights]).shape, (batch, 10))
        self.file("x.npy", npy(random((3, 8, 8))))
        self.assertEqual(self.same("x.npy", options=[weights, "--input=_x3x8x8"]).shape, (1, 10))
        self.file("x.npy", npy(random((4, 2, 3, 8, 8))))
        self.assertEqual(self.same("x.npy", options=[weights, "--input=_x3x8x8"]).shape, (4, 2, 10))

    def test_pipes(self):
        self.build(SMALL, "--input=3x_x_")
        array = random((2, 3, 9, 7))
        self.file("x.npy", npy(array))
        want = self.same("x.npy", options=["--input=3x_x_"])
        out, _ = self.made("--in", "-", "--in-format=npy", "--out", "-", "--out-format=npy", stdin=None, input=npy(array))
        numpy.testing.assert_array_equal(numpy.load(io.BytesIO(out)), want)
        out, err = self.made("--in", "-", "--in-format=npy", "--out", "o.npy", stdin=None, input=npy(array)[:-8], status=1)
        self.assertIn("it ends 2 elements too early", err)
        self.assertEqual(numpy.load(self.folder / "o.npy").shape, (1, 3, 4, 5)[1:])
        err = self.call("run", self.top, "--input=3x_x_", "p.str", "--in", "-", "--out", "o.npy", status=1)[1]
        self.assertIn("[tensor-unknown]", err)
        self.assertIn("executables ('strc build') read any", err)

    def test_other_elements_and_extents(self):
        text = "tensor->tensor filter Sum { work pop 1 push 1 { push(sum(pop(), 0)); } }\n"
        for kind, type_ in (("int", "int32"), ("long", "int64"), ("boolean", "bool"), ("half", "float16"), ("int8", "int8"), ("double", "float64")):
            with self.subTest(kind):
                self.build(text, f"--input=_x3:{kind}")
                self.file("x.npy", npy((random((5, 3)) * 9).astype(type_)))
                self.assertEqual(self.same("x.npy").shape, (3,))

    def test_firings_of_several_items(self):
        self.build(PAIRS, "--input=_x2")
        for k in range(3):
            self.file(f"{k}.npy", npy(random((k + 1, 2), k)))
        self.made("--in", "0.npy", "--in", "1.npy", "--out", "o.npy")
        want = numpy.concatenate([random((1, 2), 0), random((2, 2), 1)])
        numpy.testing.assert_array_equal(numpy.load(self.folder / "o.npy"), want)
        self.made("--loop-input", "--limit=3", "--in", "1.npy", "--out", "o.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "o.npy"), numpy.stack([numpy.concatenate([random((2, 2), 1)] * 2)] * 3))
        self.made("--tail=pad", "--in", "2.npy", "--out", "o.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "o.npy"), numpy.concatenate([random((3, 2), 2), numpy.zeros((3, 2), "f")]))
        self.call("build", "-o", "made", self.top, "--input=_x2", "p.str")  # with warnings
        _, err = self.made("--in", "0.npy", "--in", "1.npy", "--in", "2.npy", "--out", "o.npy")
        self.assertIn("2.npy", err)  # what is left over

    def test_what_does_not_fit(self):
        self.build(SMALL, "--input=3x_x_")
        for name, array, words in (("x.npy", random((4, 9, 7)), "tensor<float>[4, 9, 7]"), ("x.npy", random((9, 7)), "tensor<float>[9, 7]"),
                                   ("x.npy", random((3, 9, 7)).astype("float64"), "tensor<double>[3, 9, 7]")):
            self.file(name, npy(array))
            err = self.made("--in", name, "--out", "o.npy", status=1)[1]
            self.assertIn(words, err)
            self.assertIn("tensor<float>[3, _, _]", err)
            self.assertIn("tensor<float>[3, _, _]", self.call("run", self.top, "--input=3x_x_", "p.str", "--in", name, "--out", "o.npy", status=1)[1])
        self.file("x.png", picture(1, 4, 4)[0])
        self.assertIn("tensor<float>[1, 4, 4]", self.made("--in", "x.png", "--out", "o.npy", status=1)[1])
        self.file("x.raw", b"\0" * 240)
        self.assertIn("cannot hold items of type 'tensor<float>[3, _, _]'", self.made("--in", "x.raw", "--out", "o.npy", status=2)[1])
        self.file("x.npy", npy(random((3, 0, 7))))
        self.made("--in", "x.npy", "--out", "o.npy", status=1)
        self.build(CLASSES, "--input=_x3x_x_", "--weights=random:1")
        self.file("x.npy", npy(random((2, 3, 10, 10))))
        err = self.made("--in", "x.npy", "--out", "o.npy", status=1)[1]
        self.assertIn("p.str:6:", err)
        self.assertIn("64", err)

    def test_what_cannot_be_built(self):
        for words, why in ((["--shared"], "a library of it has no memory for that"), (["--static"], "static executables cannot load"),
                           (["--target=aarch64-linux-gnu"], "there is nothing for another machine")):
            err = self.build(SMALL, "--input=3x_x_", *words, status=1)
            self.assertIn("only the run can tell a shape in 'Interpolate': the program's input: '--input' leaves extents open: tensor<float>[3, _, _], and " + why, err)
        some = "tensor->tensor filter Some { work pop [1, 2] push 1 { tensor x = pop(); push(x); } }\n"
        self.assertIn("how much 'Some' takes depends on its items", self.build(some, "--input=_x3", status=1))
        self.assertIn("or '_' for any", self.build(SMALL, "--input=3x?x_", status=1))


if __name__ == "__main__":
    os.environ.setdefault("STRC", "strc")
    unittest.main()
