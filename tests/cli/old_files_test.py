#!/usr/bin/env python3
"""What a file held before: a program that fails before it has written anything leaves it alone."""

import unittest

from command import STRC, Case
from fake_device import DeviceCase

OLD = b"precious " * 40
# Nothing is written before the fault of the third firing, since the last filter wants three items.
FAULTY = """int->int pipeline Main { add Third; add Copy; }
int->int filter Third { int n; int[2] two; work pop 1 push 1 { push(pop() + two[n]); n++; } }
int->int filter Copy { work pop 3 push 3 { for (int k = 0; k < 3; k++) push(pop()); } }
"""
SINGLY = "int->int filter Main { int n; int[2] two; work pop 1 push 1 { push(pop() + two[n]); n++; } }"
NOTHING = "int->int filter Main { work pop 3 push 3 { for (int k = 0; k < 3; k++) push(pop()); } }"
TO_FILES = """int->void pipeline Main { add Third; add splitjoin { split duplicate; add FileWriter<int>("a.raw"); add Waves; join roundrobin; } }
int->int filter Third { int n; int[2] two; work pop 1 push 1 { push(pop() + two[n + 2]); n++; } }
int->void pipeline Waves { add WavWriter<int>("b.wav", 8000, 1); }
"""
TENSORS = """int->tensor filter Main { int n; int[1] none; work pop 1 push 2 { int k = pop() + none[n + 1]; push(full(1.0, 2)); push(full(k, 3)); } }"""
COPY = "int->int filter Copy { work pop 1 push 1 { push(pop()); } }"
LATE = "int->tensor filter Main { int n; int[1] none; work pop 1 push 1 { push(ones(pop() + none[n], 2)); n++; } }"
NAMES = ("x.raw", "x.npy", "x.wav", "x.txt", "x.pgm", "x.png", "x.jpg", "x.pcm")
SIZE = ("--out-width", "3")


class Engines(Case):
    def each(self, text, *words):
        """Calls of the engines, which give standard error."""
        path = self.file("p.str", text)
        self.call("build", "-o", "made", "--top", "Main", path)
        run = ("run", "--top", "Main", *words)

        def by(*command, executable=None):
            return lambda *more, **how: self.call(*command, *more, executable=executable, **how)[1]

        return by(*run, "--interpret", path), by(*run, path), by(*words, executable="./made")

    def names(self):
        return {path.name for path in self.folder.iterdir()} - {"p.str", "made", "n.txt"}


class Faults(Engines):
    def setUp(self):
        super().setUp()
        self.file("n.txt", "1 2 3 4 5 6\n")

    def test_before_the_first_item(self):
        for fails in self.each(FAULTY, "--in", "n.txt"):
            for name in NAMES:
                size = SIZE if name in ("x.pgm", "x.png", "x.jpg") else ()
                self.file(name, OLD)
                self.assertIn("index 2 is outside", fails("--out", name, *size, status=1))
                self.assertEqual(self.bytes(name), OLD, name)
                (self.folder / name).unlink()
                fails("--out", name, *size, status=1)
                self.assertEqual(self.names(), set())

    def test_after_some(self):
        for fails in self.each(SINGLY, "--in", "n.txt"):
            self.file("x.txt", OLD)
            fails("--out", "x.txt", status=1)
            self.assertEqual(self.bytes("x.txt").split(), [b"1", b"2"])

    def test_files_of_filters(self):
        for fails in self.each(TO_FILES, "--in", "n.txt"):
            self.file("a.raw", OLD)
            fails(status=1)
            self.assertEqual(self.bytes("a.raw"), OLD)
            self.assertEqual(self.names(), {"a.raw"})
            (self.folder / "a.raw").unlink()

    def test_tensors(self):
        for fails in self.each(TENSORS, "--in", "n.txt"):
            for names in (["a.npy", "b.npy"], ["a.safetensors:x", "a.safetensors:y"], ["a.npy", "b.txt"]):
                files = {name.split(":")[0] for name in names}
                words = [word for name in names for word in ("--out", name)]
                for name in files:
                    self.file(name, OLD)
                fails(*words, status=1)
                for name in files:
                    self.assertEqual(self.bytes(name), OLD)
                    (self.folder / name).unlink()
                fails(*words, status=1)
                self.assertEqual(self.names(), set())

    def test_shapes_that_only_the_run_knows(self):
        path = self.file("p.str", LATE)
        run = ("run", "--top", "Main", "--in", "n.txt")
        for name in ("x.npy", "x.safetensors", "x.raw", "x.txt"):
            self.file(name, OLD)
            self.call(*run, "--out", name, "--out", "no/y.npy", path, status=1)
            self.assertEqual(self.bytes(name), OLD)
            self.call(*run, "--out", name, "--out", "late.npy", path, status=1)
            self.assertNotEqual(self.bytes(name), OLD)
            self.assertEqual(self.bytes("late.npy"), b"")
            (self.folder / "late.npy").unlink()
        early = self.file("p.str", LATE.replace("none[n]", "none[n + 1]"))
        for name in ("x.npy", "x.safetensors", "x.raw", "x.txt"):
            self.file(name, OLD)
            self.call(*run, "--out", name, "--out", "late.npy", early, status=1)
            self.assertEqual(self.bytes(name), OLD)
            self.assertFalse((self.folder / "late.npy").exists())

    def test_second_file(self):
        for fails in self.each(TENSORS, "--in", "n.txt"):
            self.file("a.npy", OLD)
            err = fails("--out", "a.npy", "--out", "no/b.npy", status=1)
            self.assertIn("cannot write 'no/b.npy': No such file or directory", err)
            self.assertEqual(self.bytes("a.npy"), OLD)
            (self.folder / "a.npy").unlink()

    def test_what_is_no_file(self):
        for fails in self.each(FAULTY, "--in", "n.txt"):
            fails("--out", "/dev/null", status=1)
            (self.folder / "link.raw").symlink_to("old.raw")
            self.file("old.raw", OLD)
            fails("--out", "link.raw", status=1)
            self.assertEqual(self.bytes("old.raw"), OLD)
            self.assertTrue((self.folder / "link.raw").is_symlink())
            (self.folder / "link.raw").unlink()


class Both(Engines):
    def test_read_by_a_filter(self):
        for refuses in self.each('void->int pipeline Main { add FileReader<int>("x.raw"); add Copy; } ' + COPY):
            self.file("x.raw", OLD)
            for name in ("x.raw", "./x.raw"):
                err = refuses("--out", name, status=1)
                self.assertIn("cannot be written here, since Main.FileReader reads it [file-read-and-written]", err)
                self.assertEqual(err.count("error"), 1, err)
                self.assertEqual(self.bytes("x.raw"), OLD)

    def test_written_by_a_filter(self):
        for refuses in self.each('int->void pipeline Main { add Copy; add FileWriter<int>("x.raw"); } ' + COPY):
            self.file("x.raw", OLD)
            err = refuses("--in", "x.raw", status=1)
            self.assertIn("p.str:1:37: error: 'x.raw' cannot be written here, since --in reads it", err)
            self.assertEqual(self.bytes("x.raw"), OLD)


class Ends(Engines):
    def test_nothing_to_write(self):
        """An orderly end leaves a file that is whole, although it has no items."""
        self.file("n.txt", "1 2\n")
        for writes in self.each(NOTHING, "--in", "n.txt"):
            for name in ("x.raw", "x.txt", "x.npy", "x.wav"):
                self.file(name, OLD)
                writes("--out", name)
                self.assertLess(len(self.bytes(name)), len(OLD))
                self.assertTrue(self.bytes(name).startswith({"x.npy": b"\x93NUMPY", "x.wav": b"RIFF"}.get(name, b"")))
            self.assertEqual(self.bytes("x.raw") + self.bytes("x.txt"), b"")

    def test_shorter_than_before(self):
        self.file("n.txt", "1 2 3\n")
        for writes in self.each(NOTHING, "--in", "n.txt"):
            self.file("x.txt", OLD)
            writes("--out", "x.txt")
            self.assertEqual(self.bytes("x.txt").split(), [b"1", b"2", b"3"])

    def test_behind_other_output(self):
        self.file("n.txt", "1 2 3\n")
        for writes in self.each(NOTHING, "--in", "n.txt"):
            self.file("x.txt", "before\n")
            with open(self.folder / "x.txt", "ab") as out:
                writes("--out", "-", "--out-format", "text", stdout=out)
            self.assertEqual(self.bytes("x.txt").split(), [b"before", b"1", b"2", b"3"])


class NoDevice(DeviceCase):
    def test_nothing_is_emptied(self):
        self.file("d.str", "tensor->tensor pipeline Main { add linear(3, 4); }")
        self.file("x.txt", "1 2 3\n")
        self.file("x.npy", b"\x93NUMPY\x01\0v\0" +
                  b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }".ljust(117) + b"\n" + bytes(12))
        self.call("build", *("--weights", "random:1", "--top=Main", "--input=3", "--device=cuda", "-o", "made", "d.str"))
        words = ("--in", "x.npy", "--out", "y.npy")
        for command in ([STRC, "run", "--weights=random:1", "--top=Main", "--device=cuda", *words, "d.str"], ["./made", *words]):
            self.file("y.npy", OLD)
            self.check_fails(b"cannot open 'cuda:0': no NVIDIA driver is installed", "nowhere.so", command=command)
            self.assertEqual(self.bytes("y.npy"), OLD)


if __name__ == "__main__":
    unittest.main()
