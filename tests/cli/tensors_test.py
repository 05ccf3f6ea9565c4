#!/usr/bin/env python3
"""Tensors at the ends of programs: NumPy's files and texts, in every engine."""

import io
import os
import subprocess
import unittest

from command import Case

try:
    import numpy as np
except ImportError:
    np = None

TWICE = "tensor->tensor filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n"
ROWS = "tensor<float>[_]->tensor filter Rows { work pop 1 push 1 { push(pop() + 1); } }\n"
SHOW = "tensor->void filter Show { work pop 1 { println(pop()); } }\n"
BOTH = """tensor->tensor splitjoin Both {
    split roundrobin;
    add Twice();
    add Rows();
    join roundrobin;
}
""" + TWICE + ROWS
ENGINES = (["--interpret"], ["-O1"])


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@unittest.skipIf(np is None, "there is no numpy")
class Tensors(Case):
    def save(self, name, array):
        return self.file(name, npy(array))

    def load(self, name):
        return np.load(self.folder / name)

    def build(self, *words):
        self.call("build", "-o", "made", *words)
        return str(self.folder / "made")

    def make(self, top):
        """A program, and the calls of its stream in all engines that build it as they run."""
        path = self.file("p.str", BOTH + SHOW)
        ways = [["run", *engine, "--top", top, path] for engine in ENGINES]
        return path, ways

    def same(self, got, expected):
        self.assertEqual(got.dtype, expected.dtype)
        self.assertEqual(got.shape, expected.shape)
        np.testing.assert_array_equal(got, expected)

    def test_a_file_is_one_item_or_several(self):
        whole = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.save("in.npy", whole)
        for top, factor, more in (("Twice", 2, 0), ("Rows", 1, 1)):
            for way in self.make(top)[1]:
                self.call(*way, "--in", "in.npy", "--out", "out.npy")
                self.same(self.load("out.npy"), factor * whole + np.float32(more))

    def test_types_of_elements(self):
        for kind in (np.float16, np.float32, np.float64, np.int8, np.int32, np.int64):
            values = np.array([[1, 2], [-3, 60]], dtype=kind)
            self.save("in.npy", values)
            for way in self.make("Twice")[1]:
                self.call(*way, "--in", "in.npy", "--out", "out.npy")
                self.same(self.load("out.npy"), 2 * values)

    def test_several_files_take_turns(self):
        first = np.arange(4, dtype=np.float64)
        second = np.arange(10, dtype=np.float32).reshape(2, 5)
        self.save("a.npy", first.astype(np.float32).reshape(2, 2))
        self.save("b.npy", second[0])
        for way in self.make("Both")[1]:
            self.call(*way, "--in", "a.npy", "--in", "b.npy", "--out", "c.npy", "--out", "d.npy")
            self.same(self.load("c.npy"), 2 * first.astype(np.float32).reshape(2, 2))
            self.same(self.load("d.npy"), second[0] + 1)

    def test_no_input_is_overwritten(self):
        for name in ("a.npy", "b.npy"):
            self.save(name, np.ones(3, np.float32))
        path = self.make("Both")[0]
        made = self.build("--top", "Both", "--input", "3", path)
        files = ("--in", "a.npy", "--in", "b.npy", "--out", "a.npy", "--out", "c.npy")
        _, err = self.call("run", "--top", "Both", path, *files, status=2)
        self.assertIn("--in and --out with the same file exclude each other", err)
        self.assertIn("--in and --out with the same file exclude each other", self.run_made(made, *files, status=2)[1])
        self.same(self.load("a.npy"), np.ones(3, np.float32))

    def test_no_output_is_written_twice(self):
        for name in ("a.npy", "b.npy"):
            self.save(name, np.ones(3, np.float32))
        path = self.make("Both")[0]
        made = self.build("--top", "Both", "--input", "3", path)
        files = ("--in", "a.npy", "--in", "b.npy", "--out", "c.npy", "--out", "c.npy")
        said = "--out and another --out with the same file exclude each other"
        self.assertIn(said, self.call("run", "--top", "Both", path, *files, status=2)[1])
        self.assertIn(said, self.run_made(made, *files, status=2)[1])
        self.assertFalse((self.folder / "c.npy").exists())
        devices = [word.replace("c.npy", "/dev/null") for word in files]
        self.call("run", "--top", "Both", path, *devices, "--out-format", "text")

    def test_executables_know_the_shapes_beforehand(self):
        rows = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.save("a.npy", np.stack([rows, rows]))
        self.save("b.npy", rows)
        path = self.make("Both")[0]
        made = self.build("--top", "Both", "--input", "2x3", "--input", "3", path)
        self.run_made(made, "--in", "a.npy", "--in", "b.npy", "--out", "c.npy", "--out", "d.npy")
        self.same(self.load("c.npy"), 2 * np.stack([rows, rows]))
        self.same(self.load("d.npy"), rows + 1)
        wanted = "holds tensor<float>[2, 3], but the main stream takes tensor<float>[2, 3], tensor<float>[3]"
        self.assertIn(wanted, self.run_made(made, "--in", "b.npy", status=1)[1])
        self.save("b.npy", rows.astype(np.float64))
        wanted = "holds tensor<double>[2, 3], but the main stream takes tensor<float>[3]"
        self.assertIn(wanted, self.run_made(made, "--in", "a.npy", "--in", "b.npy", status=1)[1])

    def run_made(self, made, *words, status=0):
        ran = subprocess.run([made, *words], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL)
        self.assertEqual(ran.returncode, status, ran.stderr)
        return ran.stdout, ran.stderr.decode()

    def test_outputs_are_shown_as_numpy_shows_them(self):
        values = np.array([[0.5, 1], [-2, 1e-3]], dtype=np.float32)
        self.save("in.npy", values)
        path, ways = self.make("Twice")
        expected = str(2 * values) + "\n"
        for way in ways:
            self.assertEqual(self.call(*way, "--in", "in.npy")[0].decode(), expected)
            self.call(*way, "--in", "in.npy", "--out", "out.txt")
            self.assertEqual(self.bytes("out.txt").decode(), expected)
            raw = self.call(*way, "--in", "in.npy", "--out-format", "raw")[0]
            self.assertEqual(raw, (2 * values).tobytes())
        made = self.build("--top", "Twice", "--input", "2x2", path)
        self.assertEqual(self.run_made(made, "--in", "in.npy")[0].decode(), expected)

    def test_filters_read_and_write_files(self):
        rows = np.arange(12, dtype=np.int64).reshape(2, 2, 3) - 2**40
        self.save("in.npy", rows)
        path = self.file("p.str", """void->void pipeline Main {
    add NpyReader<tensor<long>[2, 3]>("in.npy");
    add NpyWriter<tensor>("out.npy");
}
""")
        made = self.build(path)
        for run in (lambda: self.call("run", "--interpret", path), lambda: self.call("run", path),
                    lambda: self.run_made(made)):
            (self.folder / "out.npy").unlink(missing_ok=True)
            run()
            self.same(self.load("out.npy"), rows)
        self.save("in.npy", rows.astype(np.float32))
        message = "file 'in.npy' holds tensor<float>[2, 2, 3], but Main.NpyReader takes tensor<long>[2, 3]"
        self.assertIn(message, self.run_made(made, status=1)[1])

    def test_other_formats_hold_numbers_alone(self):
        path = self.file("p.str", """void->tensor filter Pair { work push 1 { push(long(ones(2))); } }
void->tensor filter Row { work push 1 { push(ones(2)); } }
void->tensor filter Truths { work push 1 { push(ones(2) > 0); } }
""")
        out = self.call("run", "-i1", "--top", "Row", "--out-format", "raw", path)[0]
        self.assertEqual(out, np.ones(2, np.float32).tobytes())
        for top, element in (("Pair", "long"), ("Truths", "boolean")):
            made = self.build("--top", top, path)
            message = f"WAV files cannot hold items of type 'tensor<{element}>[2]'"
            self.assertIn(message, self.call("run", "-i1", "--top", top, "--out", "x.wav", path, status=2)[1])
            self.assertIn(message, self.run_made(made, "-i1", "--out", "x.wav", status=2)[1])

    def test_one_npy_file_does_not_take_several_types(self):
        path = self.file("p.str", """void->tensor filter Two { work push 2 { push(ones(3)); push(ones(2)); } }
void->tensor filter Brain { work push 1 { push(bfloat16(ones(3))); } }
""")
        made = self.build("--top", "Two", path)
        self.file("x.npy", "precious")
        for call in (lambda *words: self.call("run", "--top", "Two", path, *words, status=2),
                     lambda *words: self.run_made(made, *words, status=2)):
            err = call("-i1", "--out", "x.npy")[1]
            self.assertEqual(self.bytes("x.npy"), b"precious")
            self.assertIn("npy files cannot hold items of type 'tensor<float>[3], tensor<float>[2]'", err)
            self.assertIn("note: a .safetensors file takes tensors of several types, and so do several '--out'", err)
        self.run_made(made, "-i1", "--out", "x.npy", "--out", "y.npy")
        self.same(self.load("y.npy"), np.ones(2, np.float32))
        self.file("x.npy", "precious")
        err = self.run_made(self.build("--top", "Brain", path), "-i1", "--out", "x.npy", status=2)[1]
        self.assertIn("npy files cannot hold items of type 'tensor<bfloat16>[3]'", err)
        self.assertNotIn("note:", err)
        self.assertEqual(self.bytes("x.npy"), b"precious")

    def test_what_fits_nothing_is_told(self):
        path = self.make("Rows")[0]
        self.save("in.npy", np.zeros((2, 3, 4), np.float32))
        _, err = self.call("run", "--top", "Rows", path, "--in", "in.npy", status=1)
        self.assertIn("file 'in.npy' holds tensor<float>[2, 3, 4], but the program takes tensor<float>[_]", err)
        self.save("in.npy", np.zeros(3, np.uint8))
        _, err = self.call("run", "--top", "Rows", path, "--in", "in.npy", status=1)
        self.assertIn("its elements are of type 'u1', which no tensor has", err)
        _, err = self.call("check", "--top", "Twice", path, status=1)
        self.assertIn("--input 1x3x224x224", err)
        for text in ("3y4", "3x", "-1", "2:real", "x3", "100000x100000"):
            _, err = self.call("check", "--top", "Twice", "--input", text, path, status=1)
            self.assertIn("[input-shape]", err)
        self.call("check", "--top", "Twice", "--input", "2x3:int", path)
        _, err = self.call("check", "--top", "Twice", "--input", "2x0", path, status=1)
        self.assertIn("tensor<float>[2, 0] has no elements", err)
        self.save("in.npy", np.zeros((3, 0), np.float32))
        _, err = self.call("run", "--top", "Twice", path, "--in", "in.npy", status=1)
        self.assertIn("tensor<float>[3, 0] has no elements", err)

    def test_pipes_do_not_say_shapes(self):
        """What they give is there once: nothing looks into them before the program runs."""
        path, ways = self.make("Twice")
        self.file("p.str", BOTH + SHOW + "tensor<float>[3]->tensor pipeline Three { add Twice; }\n")
        numbers = np.arange(6, dtype=np.float32).reshape(2, 3)
        os.mkfifo(self.folder / "in.npy")
        for way in ways:
            pipe = os.open(self.folder / "in.npy", os.O_RDWR | os.O_NONBLOCK)
            self.addCleanup(os.close, pipe)
            os.write(pipe, npy(numbers))
            for name in ("in.npy", "/dev/stdin"):
                _, err = self.call(*way, "--in", name, "--in-format=npy", input=npy(numbers), status=1)
                self.assertIn("the shape of the program's input is not known when the program is compiled", err)
                self.assertIn("--input 1x3x224x224", err)
            self.assertEqual(os.read(pipe, 1000), npy(numbers))
            for words in ([*way, "--input=3"], ["run", way[1], "--top=Three", path]):
                os.write(pipe, npy(numbers))
                self.call(*words, "--in=in.npy", "--out=out.npy")
                self.same(self.load("out.npy"), 2 * numbers)

    def test_extents_that_parameters_give(self):
        self.file("p.str", """tensor->tensor filter Local(int n) { work pop 1 push 1 { tensor<float>[n, 4] x; push(concat(pop(), x, 0)); } }
tensor->tensor filter Field(int n) { tensor<float>[n, 4] x; work pop 1 push 1 { push(concat(pop(), x, 0)); } }
tensor->tensor pipeline Weights(int n) { add linear(4, n, weights = "fc"); }
""")
        for top, name, at in (("Local", "x", "p.str:1:78"), ("Field", "x", "p.str:2:58"), ("Weights", "linear': 'weight", "linear.str:5")):
            for n, why in ((-3, "-3 is no extent"), (-1, "-1 is no extent"), (2000000000, "it has more than 2147483647 elements")):
                with self.subTest(top=top, n=n):
                    _, err = self.call("check", "--top", top, "-D", f"n={n}", "--input", "2x4", "--weights", "random:1", "p.str",
                                       status=1)
                    self.assertIn(f"error: '{name}': {why} [tensor-shape]", err)
                    self.assertIn(at, err)

    def test_no_extent_that_is_said_is_open(self):
        self.file("p.str", """tensor<float>[_, n]->tensor filter In(int n) { work pop 1 push 1 { push(pop()); } }
tensor->tensor<float>[_, n] filter Out(int n) { work pop 1 push 1 { push(pop()); } }
tensor<float>[_, n]->tensor pipeline Both(int n) { add In(4); }
tensor->tensor pipeline Argument(int n) { add Identity<tensor<float>[_, n]>(); }
""")
        for top in ("In", "Out", "Both", "Argument"):
            words = ("check", "--top", top, "--input", "2x4", "p.str", "-D")
            self.call(*words, "n=4")
            for n in (-1, -2):
                with self.subTest(top=top, n=n):
                    self.assertIn(f"the array bound is negative: {n} [bound-negative]", self.call(*words, f"n={n}", status=1)[1])

    def test_extents_that_static_arrays_give(self):
        self.file("p.str", """static { int[2] shape = {2, 3}; }
void->tensor filter Field { tensor x; init { x = ones(shape); } work push 1 { push(x + zeros(shape)); } }
tensor->void filter Show { work pop 1 { println(pop()); } }
void->void pipeline Main { add Field; add Show; }
""")
        for engine in ENGINES:
            self.assertEqual(self.call("run", *engine, "-i1", "p.str")[0], b"[[1. 1. 1.]\n [1. 1. 1.]]\n")

    def test_dimensions_that_are_not_there(self):
        self.file("p.str", "")
        for top, why in (("sum(5)", "there is no dimension 5 in 2 dimensions"),
                         ("mean(-7)", "there is no dimension -7 in 2 dimensions"),
                         ("amax({0, 2}, true)", "there is no dimension 2 in 2 dimensions"),
                         ("unflatten(1, {7, 2})", "the sizes do not make the 4 items of dimension 1"),
                         ("unflatten(1, {2, 3})", "the sizes do not make the 4 items of dimension 1"),
                         ("unflatten(1, {3})", "the sizes do not make the 4 items of dimension 1")):
            with self.subTest(top=top):
                _, err = self.call("check", "--top", top, "--input", "3x4", "p.str", status=1)
                self.assertIn(why, err)
                self.assertIn("[tensor-shape]", err)

    def test_faults_in_streams_of_the_library_are_where_they_are_added(self):
        for kind, add, why in (
                ("tensor->tensor", "upsample(-1)", "'upsample': factors are greater than 0"),
                ("tensor->tensor", 'batchnorm2d(3, weights = "p")', "'batchnorm2d': it is made for 3 channels, dimension 1 has 4"),
                ("tensor->tensor", "chunk(0)", "'chunk': n is at least 1"),
                ("tensor->tensor", 'pad({1, 1}, "mirror")', "'pad': mode is \"constant\", "),
                ("tensor->tensor", 'interpolate(4, mode = "cubic")', "'interpolate': mode is \"nearest\" or "),
                ("tensor->tensor", "lstm(5, 7)", "'lstm': it takes steps x (batch x) features"),
                ("tensor->tensor", "linear(7, 3)", "'linear': it is made for 7 features, the last dimension has 8"),
                ("tensor->tensor", "conv2d(3, 2, 1, 1)", "'conv2d': 'conv': 2x4x8x8 has 4 channels, the weights take 3"),
                ("tensor->tensor", "adaptiveavgpool2d(2, -2)", "'adaptiveavgpool2d': out_h and out_w are at least 1"),
                ("float->float", "frame(0)", "'frame': 0 is no extent")):
            with self.subTest(add=add):
                self.file("p.str", f"{kind} pipeline Main {{\n  add {add};\n}}\n")
                shape = ["--input", "2x4x8x8"] if kind == "tensor->tensor" else []
                _, err = self.call("check", "--top", "Main", *shape, "--weights", "random:1", "p.str", status=1)
                self.assertIn("p.str:2:3: error: ", err)
                self.assertIn(why, err)
        self.file("p.str", 'tensor->tensor pipeline Main {\n  add batchnorm2d(3, weights = "p");\n}\n')
        (self.folder / "w.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
        _, err = self.call("check", "--top", "Main", "--input", "2x3x8x8", "--weights", "w.safetensors", "p.str", status=1)
        self.assertIn("p.str:2:3: error: there is no 'p.running_var'", err)

    def test_all_shapes_that_are_wrong_by_themselves_are_told(self):
        self.file("p.str", """tensor<float>[4, 4]->tensor pipeline Main {
  add splitjoin {
    split duplicate;
    add linear(5, 4, weights = "a");
    add conv1d(3, 4, 3, weights = "b");
    add linear(4, 4, weights = "c");
    join roundrobin;
  };
  add cat(3);
  add linear(9, 9, weights = "d");
}
""")
        _, err = self.call("check", "--weights", "random:1", "--top", "Main", "p.str", status=1)
        self.assertIn("p.str:4:5: error: 'linear': it is made for 5 features, the last dimension has 4", err)
        self.assertIn("p.str:5:5: error: 'conv1d': 'conv': 4x4 has 4 channels, the weights take 3", err)
        self.assertEqual(err.count("error:"), 2, err)

    def test_parts_that_a_body_takes(self):
        self.file("p.str", "tensor<float>[2, 3]->float filter Main { work pop 1 push 1 { tensor x = pop(); push(x[0]); } }\n")
        _, err = self.call("check", "--top", "Main", "p.str", status=1)
        self.assertIn("'read': 1 index for a tensor of shape 2x3; 'narrow' and 'squeeze' give a part of it", err)

    def test_the_index_that_is_outside_is_told(self):
        self.file("p.str", "")
        for index, told in ((7, 7), (-1, -1), (2**40, 2**31 - 1)):
            self.save("in.npy", np.array([0, index], np.int64))
            for engine in ("--interpret", "--no-interpret"):
                _, err = self.call("run", engine, "--top", "embedding(7, 3)", "--weights", "random:1", "--in", "in.npy", "p.str", status=1)
                self.assertIn(f"index {told} is outside of the array, whose length is 7", err)

    def test_a_tensor_is_no_number(self):
        self.file("p.str", "tensor->int filter Main { work pop 1 push 1 { tensor<int> x = pop(); push((int) sum(x)); } }\n")
        _, err = self.call("check", "--input", "3:int", "p.str", status=1)
        self.assertIn("cannot convert 'tensor<int>' to 'int' in 'push'", err)
        self.assertIn("note: 'item(x)' is the only element of a tensor, 'x[i, j]' one of several", err)

    def test_a_tensor_joins_no_text(self):
        for words in ('"x = " + x', 'x + " x"'):
            self.file("p.str", "tensor->void filter Main { work pop 1 { tensor x = pop(); println(%s); } }\n" % words)
            _, err = self.call("check", "--input", "3", "p.str", status=1)
            self.assertIn("'+' cannot be applied to 'String'", err)
            self.assertIn("""note: a tensor is printed by itself: 'print("x = "); println(x);'""", err)

    def test_averages_have_the_type_of_what_they_are_of(self):
        self.file("p.str", "")
        values = np.arange(50, dtype=np.float16).reshape(1, 2, 5, 5)
        for top, first in (("avgpool1d(3, 1, 1)", 1 / 3), ("avgpool2d(3, 1, 1)", 12 / 9), ("avgpool2d(3, 1, 1, count_include_pad = false)", 3),
                           ("avgpool2d(2, ceil = true)", 3), ("adaptiveavgpool2d(3, 2)", 3.5), ("adaptiveavgpool2d(5)", 0)):
            self.save("in.npy", values.reshape(2, 25) if "1d" in top else values)
            for engine in ENGINES:
                self.call("run", *engine, "--top", top, "--in", "in.npy", "--out", "out.npy", "p.str")
                got = self.load("out.npy")
                self.assertEqual(got.dtype, np.float16, top)
                self.assertAlmostEqual(float(got.reshape(-1)[0]), first, 2, top)

    def test_softmax_of_small_elements_is_rounded_once(self):
        self.file("p.str", "void->void filter Main { work { println(softmax(bfloat16(arange(3)) + 1)); println(softmax(half(arange(3)), 0)); } }\n")
        for engine in ENGINES:
            out = self.call("run", *engine, "-i1", "p.str")[0].decode()
            self.assertEqual(out, "[0.08984375 0.24511719 0.6640625 ]\n[0.09   0.2448 0.665 ]\n")

    def test_writers_of_one_file_write_items_of_one_type(self):
        self.file("p.str", """void->void pipeline Main {
    add void->tensor filter { work push 2 { push(ones(2, 2)); push(ones(%s)); } };
    add splitjoin { split roundrobin; add NpyWriter<tensor>("w.npy"); add NpyWriter<tensor>("w.npy"); join roundrobin(0); };
}
""" % "3")
        _, err = self.call("check", "p.str", status=1)
        self.assertIn("file 'w.npy' holds tensor<float>[2, 2], but Main.splitjoin.NpyWriter[1] takes tensor<float>[3] [item-shape]", err)
        self.file("p.str", (self.folder / "p.str").read_text().replace("ones(3)", "ones(2, 2)"))
        self.call("run", "-i", "1", "p.str")
        self.assertEqual(np.load(self.folder / "w.npy").shape, (2, 2, 2))

    def test_nothing_that_has_no_elements_is_an_item(self):
        self.file("p.str", "")
        err = self.call("check", "--top", "chunk(4)", "--input", "3x4", "p.str", status=1)[1]
        self.assertIn("4 parts of 1 items are more than the 3 of the dimension [tensor-shape]", err)
        for top in ("slice(0, 3)", "slice(1, 2, 1)"):
            _, err = self.call("check", "--top", top, "--input", "3x4", "p.str", status=1)
            self.assertIn("error: 'slice': 'push': tensor<float>[", err)
            self.assertIn("has no elements [tensor-shape]", err)

    def test_functions_that_cannot_take_tensors(self):
        work = "work pop 1 push 1 { push(%s); }"
        shapeless = "with a shape of its own"
        for function, call, said in [
            ("tensor f(tensor x) { if (item(x) > 0) return f(x - 1); return x; }", "f(pop())", "'f': a function that takes or gives tensors can"),
            ("tensor f(tensor x) { return g(x); } tensor g(tensor x) { return f(x); }", "g(pop())", "neither call itself"),
            ("tensor f(float[2] a, tensor x) { a[0] = 1; return x; } float[2] a;", "f(a, pop())", "nor take or give arrays"),
            ("tensor f(tensor x) { for (int k = 0; k < 3; k++) if (item(x) > k) return x * k; return x; }", "f(pop())", "nowhere inside of a loop"),
            ("tensor f(tensor<float>[2] x) { return x; }", "f(pop())", shapeless),
            ("tensor<float>[2] f(tensor x) { return x; }", "f(pop())", shapeless),
            ("tensor f(tensor x) { return x; }", "P.f(pop())", "a parameter of a function outside of filters"),
            ("tensor f(tensor x) { return matmul(x, x); }", "f(f(pop()))", "'matmul'"),
        ]:
            package = f"helper P {{ {function} }}" if "P." in call else ""
            self.file("p.str", f"{package}tensor<float>[1]->tensor filter F {{ {function} {work % call} }}\n")
            err = self.call("check", "--top=F", "p.str", status=1)[1]
            self.assertIn(said, err)
            self.assertIn("p.str:1:", err)

    def test_random_tensors_are_shown_as_numpy_shows_them(self):
        version = tuple(int(part) for part in np.__version__.split(".")[:2])
        if version < (2, 3):
            self.skipTest("this numpy shows numbers in another way")
        rng = np.random.default_rng(7)
        path = self.make("Show")[0]
        for round in range(12):
            array = self.sample(rng)
            self.save("in.npy", array)
            engine = ENGINES[round % 2]
            out = self.call("run", *engine, "--top", "Show", path, "--in", "in.npy")[0].decode()
            with np.errstate(all="ignore"):
                self.assertEqual(out, str(array) + "\n")

    @staticmethod
    def sample(rng):
        shape = tuple(int(extent) for extent in rng.integers(1, 13, rng.integers(1, 4)))
        kind = rng.choice(["f4", "f8", "i4", "i8", "?"])
        if kind in ("i4", "i8", "?"):
            return rng.integers(-1000, 1000, shape).astype(kind)
        values = rng.normal(size=shape) * 10.0 ** rng.integers(-4, 5, shape if rng.random() < 0.5 else ())
        flat = values.reshape(-1)
        if rng.random() < 0.4:
            flat[rng.integers(0, flat.size)] = rng.choice([np.nan, np.inf, -np.inf, 0.0])
        return values.astype(kind)


if __name__ == "__main__":
    unittest.main()
