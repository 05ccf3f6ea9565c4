#!/usr/bin/env python3
"""Tensors in several files, each of a format of its own: executables write and read what `strc run` does."""

import pathlib
import subprocess
import unittest

import numpy

from command import Case, STRC, safetensors

# Two branches whose tensors are alike; four that take turns with three types; vectors of one number, two, one, ...
ALIKE = """tensor<float>[2, 3]->tensor<float>[2, 3] filter Times(float by) { work pop 1 push 1 { push(pop() * by); } }
tensor<float>[2, 3]->tensor<float>[2, 3] splitjoin Main { split roundrobin; add Times(1); add Times(2); join roundrobin; }
"""
SEVERAL = """void->tensor filter One { float x; work push 1 { push(full(x++, 2)); } }
void->tensor filter Two { int x; work push 1 { push(full(x++, 1, 3)); } }
void->tensor filter Three { work push 1 { push(ones(2, 2) > 0); } }
void->tensor splitjoin Main { split roundrobin(0); add One; add Two; add Three; add Two; join roundrobin; }
"""
LATE = """void->int filter Lengths { int n; work push 1 { push(n % 2 + 1); n++; } }
int->tensor filter Vectors { work pop 1 push 1 { int n = pop(); push(arange(n) * 1.5); } }
void->tensor pipeline Main { add Lengths; add Vectors; }
"""
NUMBERS = numpy.arange(24, dtype=numpy.float32).reshape(4, 2, 3) / 8


def outs(names):
    return [word for name in names for word in ("--out", name)]


def ins(names):
    return [word for name in names for word in ("--in", name)]


class TensorFormats(Case):
    def setUp(self):
        super().setUp()
        numpy.save(self.folder / "in.npy", NUMBERS)
        numpy.save(self.folder / "in.2.npy", 1 - NUMBERS)
        self.file("in.raw", NUMBERS.tobytes())
        self.file("in.safetensors", safetensors(("a", "F32", [4, 2, 3], (1 - NUMBERS).tobytes())))
        self.file("in.x", b"x")
        self.inputs = set(self.files())

    def files(self):
        return {path.name: path.read_bytes() for path in pathlib.Path(self.folder).iterdir()}

    def build(self, text):
        path = self.file("p.str", text)
        self.call("build", "-w", "--top", "Main", "-o", "strc", path)  # whose messages begin as those of strc do
        self.inputs = set(self.files())
        self.runs = ([STRC, "run", "-w", "--top", "Main", "p.str"], [self.folder / "strc"])

    def each(self, *words):
        """What `strc run` and an executable do: exit status, output, messages, files."""
        for call in self.runs:
            done = subprocess.run([*call, *words], cwd=self.folder, capture_output=True, timeout=1800)
            made = {name: text for name, text in self.files().items() if name not in self.inputs}
            for name in made:
                (self.folder / name).unlink()
            yield done.returncode, done.stdout, done.stderr.decode(), made

    def same(self, *words, status=0, says=""):
        """The same by both; what it is."""
        first, second = self.each(*words)
        self.assertEqual(first, second, words)
        self.assertEqual(first[0], status, first[2])
        self.assertIn(says, first[2])
        if status == 2:  # nothing has been written
            self.assertEqual(first[1:2] + first[3:], (b"", {}))
        return first[1], first[3]

    def test_each_output_has_its_own_format(self):
        self.build(ALIKE)
        for names in (("o.txt", "o.npy"), ("o.npy", "o.txt"), ("o.safetensors", "o.npy"), ("o.npy", "o.safetensors:b"),
                      ("o.safetensors:x", "o.npy", "o.safetensors:y", "o.csv"), ("o.npy", "o.safetensors", "p.safetensors", "p.npy", "q.npy")):
            _, made = self.same("--in", "in.npy", *outs(names))
            self.assertEqual(set(made), {name.split(":")[0] for name in names})
        for names in (("o.png", "o.npy"), ("o.npy", "o.pgm"), ("o.pgm", "o.png"), ("o.ppm", "o.txt")):
            self.same("-i1", "--in", "in.npy", *outs(names))
        out, made = self.same("--in", "in.npy", *outs(("-", "o.npy")))
        self.assertTrue(out.startswith(b"[[0."), out)
        self.assertTrue(made["o.npy"].startswith(b"\x93NUMPY"))

    def test_tensors_of_one_name(self):
        self.build(ALIKE)
        for names in (("o.safetensors:output.1", "o.safetensors"), ("o.safetensors", "o.txt", "o.safetensors:output"),
                      ("o.safetensors:output.1", "o.npy", "o.safetensors")):
            self.same("--in", "in.npy", *outs(names), status=1, says="two tensors are called")

    def test_one_format_for_all_that_was_asked_for(self):
        self.build(ALIKE)
        out, made = self.same("--in", "in.npy", *outs(("-", "o.txt")), "--out-format", "npy")
        self.assertTrue(out.startswith(b"\x93NUMPY"))
        self.assertTrue(made["o.txt"].startswith(b"\x93NUMPY"))

    def test_files_without_a_tensor(self):
        self.build(ALIKE)
        _, made = self.same("--in", "in.npy", "-i0", *outs(("o.npy", "o.safetensors", "o.txt")))
        self.assertEqual(made["o.txt"], b"")
        self.assertIn(b"(0, 2, 3)", made["o.npy"])
        self.assertIn(b"[0,2,3]", made["o.safetensors"])
        _, made = self.same("--in", "in.npy", "-i1", "--limit", "1", *outs(("o.npy", "o.safetensors", "o.txt")))
        self.assertIn(b"(2, 3)", made["o.npy"])
        self.assertIn(b"[0,2,3]", made["o.safetensors"])

    def test_items_of_several_types(self):
        self.build(SEVERAL)
        for names in (("o.txt", "o.npy"), ("o.npy", "o.txt", "o.safetensors", "p.npy"),
                      ("o.npy", "o.safetensors:b", "o.safetensors:a", "p.npy"), ("-", "o.safetensors")):
            self.same("-i3", *outs(names))
        for names, kind in ((("o.npy", "o.txt"), "npy"), (("o.txt", "o.npy", "o.safetensors"), "npy"),
                            (("o.txt", "o.safetensors", "-"), "safetensors")):
            self.same("-i3", *outs(names), status=2, says=f"{kind} files cannot hold items of type 'tensor<float>[2], ")

    def test_numbers_alone_are_not_among_several(self):
        self.build(ALIKE)
        for names in (("o.raw", "o.npy"), ("o.npy", "o.raw"), ("o.raw", "p.raw"), ("o.txt", "o.raw")):
            self.same("--in", "in.npy", *outs(names), status=2, says="raw files cannot hold items of type 'tensor<float>[2, 3]'")
        self.same("--in", "in.npy", *outs(("-", "o.npy")), "--out-format", "raw", status=2, says="raw files cannot hold")
        self.same("--in", "in.npy", *outs(("o.wav", "o.npy")), status=2, says="WAV files cannot hold items of type")
        self.same("--in", "in.npy", "--out", "o.raw")

    def test_formats_that_nobody_knows(self):
        self.build(ALIKE)
        for names in (("o.x", "o.npy"), ("o.npy", "o.x")):
            self.same("--in", "in.npy", *outs(names), status=2, says="'o.x' is not known")
        for names in (("in.x", "in.npy"), ("in.npy", "in.x")):
            self.same(*ins(names), "--out", "o.npy", status=2, says="'in.x' is not known")

    def test_shapes_that_only_the_run_knows(self):
        self.build(LATE)
        for names in (("o.npy", "o.txt"), ("o.txt", "o.npy"), ("o.safetensors:a", "o.npy"), ("o.raw", "o.npy"), ("o.npy", "o.raw"),
                      ("o.raw", "p.raw"), ("-", "o.npy"), ("o.safetensors:a", "o.safetensors:b"),
                      ("o.safetensors", "o.npy", "o.safetensors:b", "o.txt")):
            for count in ("-i0", "-i1", "-i2", "-i8"):
                self.same(count, *outs(names))
        for names in (("o.safetensors:output.1", "o.safetensors"), ("o.safetensors:output.2", "o.txt", "o.safetensors:b", "o.safetensors")):
            self.same("-i4", *outs(names), status=1, says="two tensors are called 'output.")

    def test_each_input_has_its_own_format(self):
        self.build(ALIKE)
        wanted = self.same(*ins(("in.npy", "in.2.npy")), "--out", "o.npy")
        self.assertEqual(self.same(*ins(("in.npy", "in.safetensors")), "--out", "o.npy"), wanted)
        self.assertEqual(self.same(*ins(("in.npy", "in.safetensors:a")), "--out", "o.npy"), wanted)
        swapped = self.same(*ins(("in.2.npy", "in.npy")), "--out", "o.npy")
        self.assertEqual(self.same(*ins(("in.safetensors", "in.npy")), "--out", "o.npy"), swapped)
        for names in (("in.npy", "in.raw"), ("in.raw", "in.npy"), ("in.raw", "in.raw")):
            self.same(*ins(names), "--out", "o.npy", status=2, says="raw files cannot hold items of type 'tensor<float>[2, 3]'")
        self.same("--in", "in.raw", "--out", "o.npy")


if __name__ == "__main__":
    unittest.main()
