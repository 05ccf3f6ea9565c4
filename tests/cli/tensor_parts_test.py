#!/usr/bin/env python3
"""Parts of tensors: cut up, computed by branches, put together."""

import re
import subprocess
import unittest
from array import array

from command import Case

# Tensors of 8 x 12 numbers, which are powers of two or small, so that sums of products are exact.
PROGRAM = """void->tensor filter Source { int n; work push 1 { push(reshape((float) arange(96), 8, 12) - 40.0 + n); n++; } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
tensor->tensor filter Product(int rows, int columns, float seed) {
    tensor<float>[rows, columns] m = reshape((float) arange(rows * columns) * 0.25 - seed, rows, columns);
    tensor<float>[columns] bias = (float) arange(columns) - 1.0;
    work pop 1 push 1 { push(relu(matmul(pop(), m) + bias)); }
}
tensor->tensor pipeline Rows { add chunk(4, 0); add splitjoin { split roundrobin;
    for (int k = 0; k < 4; k++) add Product(12, 5, 2.0); join roundrobin; } add cat(4, 0); }
tensor->tensor pipeline Whole { add Product(12, 5, 2.0); }
tensor->tensor pipeline Columns { add chunk(3, 1); add splitjoin { split roundrobin;
    for (int k = 0; k < 3; k++) add Product(4, 6, k); join roundrobin; } add cat(3, 1); }
void->void pipeline Main { add Source; add NAME; add Sink; }
"""

# A product of 128 x 160 with 64 sums, exact; sums of rows and columns are printed.
LARGE = """void->void pipeline Main { add Source; add Product; add Sink; }
void->tensor filter Source { int n; work push 1 { tensor<float> x = 1.0 * arange(128 * 64); n++;
    push(reshape(x - (n + 6) * floor(x / (n + 6)) - 3, 128, 64)); } }
tensor->tensor filter Product { tensor<float>[64, 160] m; tensor<float>[160] bias; init {
    tensor<float> k = 1.0 * arange(64 * 160); m = reshape(k - 7 * floor(k / 7) - 3, 64, 160); bias = arange(160) - 80.0; }
    work pop 1 push 1 { push(relu(matmul(pop(), m) + bias)); } }
tensor->void filter Sink { work pop 1 { tensor x = pop(); println(sum(x, 0)); println(sum(x, 1)); } }
"""
# 2 pictures of 3 x 40 x 40, 20 channels.
IMAGES = """void->void pipeline Main { add Source; add Conv; add Sink; }
void->tensor filter Source { int n; work push 1 { tensor<float> x = 1.0 * arange(2 * 3 * 40 * 40); n++;
    push(reshape(x - (n + 6) * floor(x / (n + 6)) - 3, 2, 3, 40, 40)); } }
tensor->tensor filter Conv { tensor<float>[20, 3, 3, 3] w; init {
    tensor<float> k = 1.0 * arange(540); w = reshape(k - 7 * floor(k / 7) - 3, 20, 3, 3, 3); }
    work pop 1 push 1 { push(conv(pop(), w, 1, 1, 1, 1, 1)); } }
tensor->void filter Sink { work pop 1 { tensor x = pop(); for (int d = 0; d < 4; d++) println(sum(x, d)); } }
"""
# Rows in parts of a few.
MANY = """void->void pipeline Main(int parts) { add Source; add chunk(parts); add splitjoin { split roundrobin;
    for (int k = 0; k < parts; k++) add linear(3, 2, weights = "layer"); join roundrobin; } add cat(parts); add Sink; }
void->tensor filter Source { int n; work push 1 { push(reshape((float) arange(2800 * 3), 2800, 3) * 0.5 + n); n++; } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
"""


class Parts(Case):
    def program(self, name):
        return self.file("p.str", PROGRAM.replace("NAME", name))

    def shown(self, path, name, *words):
        return self.call("check", path, "--emit-after", name, *words)[0].decode()

    def printed(self, path, *words):
        return self.call("run", "-i3", path, *words)[0]

    def test_rows_and_columns_of_parts_are_never_copied(self):
        for name, parts in (("Rows", 4), ("Columns", 3)):
            path = self.program(name)
            text = self.shown(path, "fuse-epilogues", "--disable-pass=coalesce-parts")
            body = text[text.index("; fuse-epilogues: Main." + name):]
            self.assertEqual(len(re.findall(r"^ *contract", body, re.M)), parts, body)
            for copies in ("copy", "store.at", "loop {"):
                self.assertNotIn(copies, body)
            places = self.shown(path, "copy-elision")
            self.assertRegex(places, r"local \d+ is popped item 0\n *local \d+ is pushed item 0")
            self.assertEqual(self.printed(path), self.printed(path, "--interpret"))
            self.assertEqual(self.printed(path), self.printed(path, "--disable-pass", "fuse-tensors"))

    def test_parts_are_the_whole(self):
        self.assertEqual(self.printed(self.program("Rows")), self.printed(self.program("Whole")))

    def test_equal_branches_are_one(self):
        path = self.program("Rows")
        text = self.shown(path, "fuse-epilogues")
        body = text[text.index("; fuse-epilogues: Main.Rows"):]
        self.assertEqual(len(re.findall(r"^ *contract", body, re.M)), 1, body)
        self.assertEqual(self.printed(path), self.printed(path, "--disable-pass=coalesce-parts"))

    def test_a_hundred_branches_and_more(self):
        path = self.file("many.str", MANY)

        def numbers(parts):
            text = self.printed(path, "--weights=random:1", f"-Dparts={parts}").decode()
            return [float(number) for number in re.findall(r"-?\d[\d.e+-]*", text)]

        whole = numbers(1)
        self.assertGreater(len(whole), 10)
        for parts in (100, 280):
            for found, wanted in zip(numbers(parts), whole, strict=True):
                self.assertAlmostEqual(found, wanted, delta=1e-4 * max(1, abs(wanted)))

    def test_hundreds_of_equal_branches_are_one(self):
        path = self.file("many.str", MANY)
        text = self.shown(path, "fuse-epilogues", "--weights=random:1", "-Dparts=280")
        body = text[text.index("; fuse-epilogues: Main"):]
        self.assertEqual(len(re.findall(r"^ *contract", body, re.M)), 1, body[:1000])


LAYERS = """tensor->tensor pipeline Same(int n) { add chunk(n); add splitjoin { split roundrobin;
    for (int k = 0; k < n; k++) add Layers("a", "b"); join roundrobin; } add cat(n); }
tensor->tensor pipeline Own(int n) { add linear(8, 8, weights = "c"); add chunk(n); add splitjoin { split roundrobin;
    for (int k = 0; k < n; k++) add Layers("a" + k, "b" + k); join roundrobin; } add cat(n); add relu(); }
tensor->tensor pipeline Layers(String a, String b) { add linear(8, 12, weights = a); add gelu(); add linear(12, 4, weights = b); }
tensor->tensor pipeline Rows(int n) { add chunk(n); add splitjoin { split roundrobin;
    for (int k = 0; k < n; k++) add pipeline { add linear(8, 4, weights = "a"); add softmax(DIM); }; join roundrobin; } add cat(n); }
"""


class Layers(Case):
    """Branches of several layers."""

    words = ("--input=256x8", "--weights=random:1", "-w")

    def tapes(self, path, top):
        plan = self.call("check", path, "--top", top, *self.words, "--emit=plan")[0].decode()
        return len(re.findall(r" -> ", plan))

    def results(self, path, top, *more):
        numbers = array("f", (k % 13 - 6.0 for k in range(256 * 8)))
        items = self.file("in.raw", numbers.tobytes())
        words = (path, "--top", top, *self.words, "--in", items, "--out-format=raw")
        return array("f", self.call("run", *words, *more)[0])

    def check(self, path, top, size):
        wanted = self.results(path, top, "--interpret")
        self.assertEqual(len(wanted), size)
        for more in ((), ("--disable-pass=coalesce-parts",), ("--disable-pass=fuse-tensors",), ("--workers=2",)):
            for found, number in zip(self.results(path, top, *more), wanted, strict=True):
                self.assertAlmostEqual(found, number, delta=1e-5 * max(1, abs(number)))

    def test_equal_ones_are_the_layers_of_the_whole(self):
        path = self.file("p.str", LAYERS.replace("DIM", ""))
        shown = self.call("check", path, "--top=Same(4)", *self.words, "--emit-after=coalesce-parts")[0].decode()
        self.assertEqual([shown.count("tensor " + name) for name in ("matmul", "slice", "concat")], [2, 0, 0], shown)
        self.assertEqual(self.tapes(path, "Same(4)"), 2)
        self.check(path, "Same(4)", 256 * 4)

    def test_different_ones_are_not_copied(self):
        path = self.file("p.str", LAYERS.replace("DIM", ""))
        self.assertEqual(self.tapes(path, "Own(4)"), 3)  # the layer before it is a filter
        shown = self.call("check", path, "--top=Own(4)", *self.words, "--emit-after=copy-elision")[0].decode()
        self.assertRegex(shown, r"local \d+ is popped item 0\n *local \d+ is pushed item 0")
        self.check(path, "Own(4)", 256 * 4)

    def test_a_hundred_rows_of_softmax(self):
        path = self.file("p.str", LAYERS.replace("DIM", ""))
        shown = self.call("check", path, "--top=Rows(128)", *self.words, "--emit-after=coalesce-parts")[0].decode()
        self.assertEqual([shown.count("tensor " + name) for name in ("matmul", "softmax", "slice")], [1, 1, 0], shown)
        self.check(path, "Rows(128)", 256 * 4)


DROPPED = """void->void pipeline Main { add Source; add splitjoin { split duplicate;
    add pipeline { FIRST };
    add pipeline { add linear(6, 9, weights = "a"); add gelu(); MORE add linear(9, 4, weights = "b"); };
    join roundrobin; } add separator({1, 0}); add Sink; }
void->tensor filter Source { int n; work push 1 { push(reshape((float) arange(24) - n, 4, 6)); n++; } }
tensor->void filter Sink { work pop 1 { println(pop()); } }
tensor->tensor filter Say { work pop 1 push 1 { tensor x = pop(); println(size(x, 1)); push(x); } }
tensor->tensor filter Pick { int n; work pop 1 push 1 { tensor x = pop(); push(x + x[0, n]); n += 5; } }
tensor->tensor filter Divide { int n = 2; work pop 1 push 1 { tensor x = pop(); n--; push(x + 6 / full(n, 9)); } }
"""


class Dropped(Case):
    """What nobody gets is not computed."""

    words = ("--weights=random:1", "-w")

    def program(self, first="add relu();", more=""):
        return self.file("p.str", DROPPED.replace("FIRST", first).replace("MORE", more))

    def same(self, path):
        printed = [self.call("run", "-i2", path, *self.words, *engine)[0] for engine in
                   (("--interpret",), ("-O0",), (), ("--disable-pass=fuse-tensors",))]
        self.assertEqual(printed, [printed[0]] * len(printed))
        return printed[0]

    def test_a_branch_is_left_out(self):
        path = self.program()
        shown = self.call("check", path, *self.words, "--emit-after=fuse-tensors")[0]
        self.assertIn(b"tensor relu", shown)
        self.assertNotIn(b"matmul", shown)
        self.assertEqual(len(self.same(path).splitlines()), 8)

    def test_a_product_of_another_branch_stays(self):
        shown = self.call("check", self.program('add linear(6, 2, weights = "c");'), *self.words, "--emit-after=fuse-tensors")[0]
        self.assertEqual(shown.count(b"tensor matmul"), 1, shown)

    def test_what_prints_stays(self):
        path = self.program(more="add Say;")
        self.assertEqual(self.same(path).splitlines().count(b"9"), 2)

    def test_what_may_fail_stays(self):
        path = self.program(more="add Pick;")
        for engine in ("--interpret", "-O2"):
            err = self.call("run", "-i3", engine, path, *self.words, status=1)[1]
            self.assertIn("index 10 is outside", err)
        path = self.program(more="add Divide;")
        for engine in ("--interpret", "-O2"):
            err = self.call("run", "-i3", engine, path, *self.words, status=1)[1]
            self.assertIn("integer division by zero", err)


class Split(Case):
    """--split"""

    def split(self, where, *words, program=LARGE):
        path = self.file("p.str", program)
        return self.call("run", "-i2", path, *(["--split", where] if where else []), *words)

    def parts(self, where, program=LARGE):
        path = self.file("p.str", program)
        text = self.call("check", path, "--split", where, "--emit-after=parallel-products")[0].decode()
        return re.findall(r"^(\d+ parts of \d+ by hand)", text, re.M)

    def test_parts_are_those_that_were_asked_for(self):
        for where, parts in (("0:16", "8 parts of 16"), ("0:50", "3 parts of 50"),
                             ("1:64", "3 parts of 64"), ("1:1", "160 parts of 1"), ("0:127", "2 parts of 127")):
            self.assertEqual(self.parts(where), [parts + " by hand"], where)

    def test_filters_that_are_alone(self):
        """Nothing is around them, or nothing that they could become one with."""
        branches = LARGE.replace("add Product;", "add splitjoin { split duplicate; add Product; add Ahead; join roundrobin; } add Both;")
        branches += "tensor->tensor filter Ahead { work pop 1 peek 2 push 1 { push(peek(1)); pop(); } }\n" \
                    "tensor->tensor filter Both { work pop 2 push 1 { tensor a = pop(); push(a + sum(pop())); } }\n"
        self.assertEqual(self.parts("0:16", branches), ["8 parts of 16 by hand"])
        self.assertEqual(self.split("0:16", "--workers=2", program=branches)[0], self.split(None, program=branches)[0])
        alone = ("--top", "Product", "--input", "128x64")
        path = self.file("p.str", LARGE)
        for top in (alone, ("--top", "Product()", *alone[2:])):
            text = self.call("check", path, *top, "--split", "0:16", "--emit-after=parallel-products")[0].decode()
            self.assertIn("8 parts of 16 by hand", text)
        items = self.file("in.raw", array("f", range(2 * 128 * 64)).tobytes())
        words = (path, *alone, "--in", items, "--out-format=raw")
        self.assertEqual(self.call("run", *words, "--split", "0:16")[0], self.call("run", *words, "--interpret")[0])

    def test_results_are_the_same_with_any_number_of_workers(self):
        whole = self.split(None)[0]
        for where in ("0:16", "0:50", "1:64", "1:33", "1:1", "0:1"):
            for workers in (1, 2, 3, 7):
                self.assertEqual(self.split(where, "--workers", workers)[0], whole, (where, workers))

    def test_executables_and_external_weights(self):
        whole = self.split(None)[0]
        path = self.file("p.str", LARGE)
        for where in ("0:50", "1:33"):
            self.call("build", "--split", where, "-o", self.folder / "program", path)
            done = subprocess.run([self.folder / "program", "-i2", "--workers=2"], capture_output=True, check=True)
            self.assertEqual(done.stdout, whole)

    def test_convolutions(self):
        whole = self.split(None, program=IMAGES)[0]
        for where, parts in (("0:1", "2 parts of 1"), ("1:5", "4 parts of 5"), ("2:7", "6 parts of 7"), ("3:16", "3 parts of 16")):
            self.assertEqual(self.parts(where, IMAGES), [parts + " by hand"], where)
            self.assertEqual(self.split(where, "--workers=2", program=IMAGES)[0], whole, where)

    def test_what_is_no_split(self):
        for wrong in ("x", "0:0", "-1:4", "1", "1:", ":1", "0:4:4", "0:00", "1:99999999999", " 0:1"):
            for command in ("run", "build", "check"):
                err = self.call(command, self.file("p.str", LARGE), "--split=" + wrong, status=2)[1]
                self.assertIn("--split", err, wrong)
                self.assertIn("DIM:PLACES", err, wrong)

    def test_a_word_where_nothing_is_split(self):
        for where, why in (("9:1", "more than 1 place in dimension 9"), ("0:128", "more than 128 places in dimension 0")):
            out, err = self.split(where)
            self.assertIn(f"'--split {where}' splits nothing: no large product or convolution of tensors has {why} of its result", err)
            self.assertEqual(out, self.split(None)[0])
        self.assertNotIn("split", self.split("0:64")[1])
        err = self.split("0:2", program=PROGRAM.replace("NAME", "Whole"))[1]
        self.assertIn("splits nothing", err)


if __name__ == "__main__":
    unittest.main()
