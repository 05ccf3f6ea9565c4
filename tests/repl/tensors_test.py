"""Tensors at the prompt: values, what feeds streams and what comes out, in both of its engines."""

import json
import os
import struct
import subprocess
import tempfile
import unittest

STRC = os.environ["STRC"]
X = "tensor x = {{1, 2, 3}, {4, 5, 6}}\n"
NEG = "tensor->tensor filter Neg { work pop 1 push 1 { push(-pop()); } }\n"
TWO = "void->tensor filter Two { float k; work push 2 { push(full(k, 2)); push(arange(3)); k += 1; } }\n"
PAIR = "tensor<float>[2]->tensor filter Pair { work pop 1 push 1 { push(2 * pop()); } }\n"


def npy(dims, *numbers):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {dims!r}, }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}f", *numbers)


class Prompt(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def say(self, text, *options, status=0):
        done = subprocess.run([STRC, "repl", *options], input=text, text=True, timeout=1800, capture_output=True,
                              check=False, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def says(self, text, want):
        self.assertEqual(self.say(text)[0], want)

    def same(self, text, want):
        """In both engines."""
        for engine in "interpret", "jit":
            with self.subTest(engine):
                self.says(f":engine {engine}\n{text}", want)

    def refused(self, text, *words):
        err = self.say(text, status=1)[1]
        for word in words:
            self.assertIn(word, err)

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)


class Values(Prompt):
    def test_expressions_are_shown_as_numpy_does(self):
        self.says("zeros(2, 3)\n", "[[0. 0. 0.]\n [0. 0. 0.]]\n")
        self.says(X + "matmul(x, transpose(x, 0, 1))\nx[1, 2]\nsize(x, 1)\nsum(x)\n", "[[14. 32.]\n [32. 77.]]\n6.0\n3\n21.0\n")
        self.says(X + "println(x > 2)\n", "[[False False  True]\n [ True  True  True]]\n")
        self.says("arange(1200)\n", "[   0    1    2 ... 1197 1198 1199]\n")

    def test_functions_that_streams_are_called_like(self):
        self.says(X + "relu(x - 3)\nx = relu(x - 5)\nx\nsum(x) / 2\ntake(arange(3) * 2, arange(2), 0)\n",
                  "[[0. 0. 0.]\n [1. 2. 3.]]\n[[0. 0. 0.]\n [0. 0. 1.]]\n0.5\n[0 2]\n")
        self.refused(X + "y = relu(x)\n", "'tensor y = relu(x)' declares it")
        self.assertIn("tensor->tensor\n", self.say(":type relu()\n")[0])

    def test_shapes_may_change_where_they_are_open(self):
        self.says(X + "x = zeros(2)\nx\nfor (int k = 0; k < 3; k++) x = concat(x, x + 1, 0);\nx\n",
                  "[0. 0.]\n[0. 0. 1. 1. 1. 1. 2. 2. 1. 1. 2. 2. 2. 2. 3. 3.]\n")
        self.refused("tensor<float>[2, _] y = ones(2, 3)\ny = ones(2, 4)\ny = ones(3, 2)\n",
                     "<input 3>:1:1: error: 'y': it is declared as tensor<float>[2, _] and gets tensor<float>[3, 2]")
        self.refused("tensor e\ne\n", "the shape of 'e', which has no value yet, is not known")
        self.refused("tensor z = ones(2) + ones(3)\nz\n", "'add': the shapes 2 and 3 do not fit", "unknown variable 'z'")

    def test_variables_decide_on_shapes(self):
        self.says("int n = 2\nn = n + 1\nzeros(n)\ntensor x = ones(n, 1)\nx\nif (n > 2) x = x * n\nx\n", "[0. 0. 0.]\n[[1.]\n [1.]\n [1.]]\n[[3.]\n [3.]\n [3.]]\n")

    def test_streams_see_variables_as_they_are_then(self):
        self.same(X + "tensor->tensor filter Plus { tensor w = 2 * x; work pop 1 push 1 { push(pop() + x - w); } }\n"
                  "s = Plus\ns <- zeros(2, 3)\nx = -x\ns <- zeros(2, 3)\nPlus <- zeros(2, 3)\n",
                  "[[-1. -2. -3.]\n [-4. -5. -6.]]\n" * 2 + "[[1. 2. 3.]\n [4. 5. 6.]]\n")

    def test_saved_and_loaded(self):
        text = (X + "tensor<long> i = arange(3)\ni = i * 100000 * 100000 - 5\ntensor h = half(ones(2)) / 3\ntensor z = int8(-100 * x)\ntensor w = bfloat16(x) / 7\ntensor d = (double) ones(2) / 3\n"
                "tensor r = sum(x)\ntensor<boolean>[3] b = {true, false, true}\ntensor<float>[2, _] o = x\ntensor e\ntensor l = sum(arange(3))\n"
                "tensor n = zeros(2) / 0\n")
        names = "x\ni\nh\nz\nw\nd\nr\nb\no\nl\nn\n"
        want = self.say(text + ":save all.str\n" + names)[0]
        self.says(":load all.str\n" + names, want)
        self.says(":load all.str\nx = zeros(1)\no = concat(o, o, 1)\ne = x\ne\n", "[0.]\n")
        self.refused(":load all.str\no = zeros(3, 3)\n", "it is declared as tensor<float>[2, _]")

    def test_json(self):
        lines = [X, "x * 2", "relu() <- x", "take 3 Two", "x[0, 0]"]
        asked = "".join(json.dumps({"op": "eval", "text": each}) + "\n" for each in [TWO, *lines])
        done = subprocess.run([STRC, "repl", "--json"], input=asked, text=True, timeout=1800, capture_output=True, check=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()][2:]
        self.assertEqual([(each["type"], each["value"]) for each in answers], [
            ("tensor<float>[2, 3]", [[2, 4, 6], [8, 10, 12]]), ("tensor<float>[2, 3]", [[[1, 2, 3], [4, 5, 6]]]),
            ("tensor", [[0, 0], [0, 1, 2], [1, 1]]), ("float", 1)])
        self.assertEqual(answers[0]["output"], "[[ 2.  4.  6.]\n [ 8. 10. 12.]]\n")


class Feeding(Prompt):
    def test_what_is_fed_says_the_shape(self):
        self.same(X + NEG + "s = Neg | relu()\ns <- x\ns <- -x\n", "[[0. 0. 0.]\n [0. 0. 0.]]\n[[1. 2. 3.]\n [4. 5. 6.]]\n")
        self.same(NEG + "Neg <- [ones(2), zeros(2)]\nNeg <- 3\nNeg <- [1 .. 3]\nfloat[2] a = {1, -2}\nNeg <- a\n",
                  "[-1. -1.]\n[-0. -0.]\n-3\n-1\n-2\n-3\n[-1.  2.]\n")

    def test_what_is_declared_is_kept(self):
        self.same("tensor<float>[_, 2]->tensor filter F { work pop 1 push 1 { push(pop()); } }\nF <- ones(1, 2)\nF <- ones(2)\n"
                  "tensor x = ones(2, 1, 2)\nF <- x\n", "[[1. 1.]]\n" * 4)

    def test_another_shape_is_refused_where_it_stands(self):
        for engine in "interpret", "jit":
            self.refused(f":engine {engine}\n{X}{NEG}s = Neg\ns <- x\ns <- ones(2)\n",
                         "<input 6>:1:6: error: tensor<float>[2] arrives where the stream takes tensor<float>[2, 3]")
            self.refused(f":engine {engine}\n{PAIR}Pair <- ones(3, 3)\n", "<input 3>:1:9: error: tensor<float>[3, 3] arrives")
        self.refused("tensor<float>[_, 2]->tensor filter F { work pop 1 push 1 { push(pop()); } }\nF <- ones(2, 3)\n",
                     "<input 2>:1:6: error: tensor<float>[2, 3] arrives where tensor<float>[_, 2] is declared")
        self.refused("matmul() <- [ones(2, 3), ones(2, 3)]\n", "<input 1>:1:1: error: 'matmul'")

    def test_streams_wait_for_a_shape(self):
        out, err = self.say(NEG + "s = Neg\n:type s\ns\n")
        self.assertEqual(out, "tensor->tensor\n")
        self.assertEqual(err, "tensor->tensor waits for input: '<- zeros(2, 3)' feeds it\n")
        for line in "take 2 Neg", ":where", ":rates Neg", ":step":
            self.refused(NEG + "s = Neg\n" + line + "\n", "shape")

    def test_a_named_stream_keeps_what_it_was_made_of(self):
        self.same(NEG + "s = Neg\n" + NEG.replace("-pop()", "2 * pop()") + "s <- ones(2)\nNeg <- ones(2)\n", "[-1. -1.]\n[2. 2.]\n")

    def test_files(self):
        self.write("x.npy", npy((3, 2), 1, -2, 3, -4, 5, -6))
        self.same('relu() <- "x.npy"\n', "[[1. 0.]\n [3. 0.]\n [5. 0.]]\n")
        self.same(PAIR + 'Pair <- "x.npy"\ntake 2 Pair <- "x.npy"\ntake 2\n',
                  "[ 2. -4.]\n[ 6. -8.]\n[ 10. -12.]\n[ 2. -4.]\n[ 6. -8.]\n[ 10. -12.]\n")
        self.same('relu() <- "x.npy" -> "y.safetensors"\nflatten(0, 1) <- "y.safetensors:output"\n', "[1. 0. 3. 0. 5. 0.]\n")
        self.refused("tensor<float>[3]->tensor filter F { work pop 1 push 1 { push(pop()); } }\nF <- \"x.npy\"\n",
                     "<input 2>:1:6: error: file 'x.npy' holds tensor<float>[3, 2], but the stream takes tensor<float>[3]")
        self.refused('relu() <- "nosuch.npy"\n', "<input 1>:1:11: error: ", "nosuch.npy")
        self.refused('relu() <- "x.raw"\n', "'x.raw' does not say what shape its tensors have")

    def test_pictures(self):
        self.same('tensor p = {{0, 0.5}, {1, 0}}\nrelu() <- p -> "p.png"\nrelu() <- "p.png" -> q\nsize(q, 0)\nq[0, 1, 0]\n'
                  'tensor<int>->tensor filter Int { work pop 1 push 1 { push(pop()); } }\nInt <- "p.png"\n',
                  "1\n1.0\n[[[  0 128]\n  [255   0]]]\n")

    def test_numbers_of_tensors(self):
        self.same(X + "float->float filter Half { work pop 1 push 1 { push(pop() / 2); } }\nHalf <- x\n",
                  "0.5 1.0 1.5 2.0 2.5 3.0\n")
        self.refused("float->float filter Half { work pop 1 push 1 { push(pop() / 2); } }\nHalf <- arange(3)\n",
                     "<input 2>:1:9: error: tensor<long>[3] has other elements than float")


class Results(Prompt):
    def test_captures_keep_their_shapes(self):
        self.same("void->tensor filter R { float k; work push 1 { push(full(k, 2)); k += 1; } }\n" + PAIR +
                  "take 3 R -> w\nw\ntake 1 R -> v\nv\nPair <- w\n",
                  "[[0. 0.]\n [1. 1.]\n [2. 2.]]\n[0. 0.]\n[0. 0.]\n[2. 2.]\n[4. 4.]\n")

    def test_tensors_of_several_shapes(self):
        self.same(TWO + "take 3 Two\ntake 2\n", "[0. 0.]\n[0 1 2]\n[1. 1.]\n[0 1 2]\n[2. 2.]\n")
        self.refused(TWO + "take 3 Two -> w\n", "items of different shapes do not become one variable")
        self.same(TWO + 'take 4 Two -> "two.safetensors"\ntensor->tensor splitjoin Both { split roundrobin(1, 1); add relu(); add flatten(0);'
                  ' join roundrobin(1, 1); }\nBoth <- "two.safetensors"\nBoth <- [ones(1), zeros(2, 1)]\n<- [ones(1), zeros(2, 1)]\n',
                  "[[0. 0.]\n [1. 1.]]\n[0 1 2 0 1 2]\n" + "[1.]\n[0. 0.]\n" * 2)

    def test_shapes_that_only_the_run_knows(self):
        self.same("int->tensor filter Some { work pop 1 push 1 { push(ones(pop())); } }\nSome <- [1, 3]\nSome <- [2, 2] -> w\nw\n"
                  'Some <- [2, 2] -> "some.npy"\nrelu() <- "some.npy"\n' + X +
                  "tensor->tensor filter Grow { tensor all = zeros(0, 3); work pop 1 push 1 { all = concat(all, pop(), 0); push(all + x[0, 1]); } }\n"
                  "Grow <- [x, x]\n",
                  "[1.]\n[1. 1. 1.]\n" + "[[1. 1.]\n [1. 1.]]\n" * 2 +
                  "[[3. 4. 5.]\n [6. 7. 8.]]\n[[3. 4. 5.]\n [6. 7. 8.]\n [3. 4. 5.]\n [6. 7. 8.]]\n")

    def test_steps(self):
        self.says(NEG + "s = Neg\ns <- [ones(2), zeros(2)] -> v\n:back 2\n:peek input\n:step\n",
                  "after 0 firings; Neg fires next\ninput -> Neg: [[1. 1.], [0. 0.]]\nNeg fired\n[-1. -1.]\n")

    def test_arrays_say_shapes(self):
        self.says("int[2] s = {2, 3}\nzeros(s)\ns[0] = 1\nones(s)\nones(s[1])\ntensor x = zeros(s)\nsize(x, 1)\n",
                  "[[0. 0. 0.]\n [0. 0. 0.]]\n[[1. 1. 1.]]\n[1. 1. 1.]\n3\n")

    def test_back_over_outputs_of_several_shapes(self):
        self.says(TWO + "take 1 Two\n:back\ntake 3\n:step\n:back 2\n:step\n",
                  "[0. 0.]\nafter 0 firings; Two fires next\n[0. 0.]\n[0 1 2]\n[1. 1.]\n"
                  "Two fired\n[0 1 2]\n[2. 2.]\n[0 1 2]\nafter 1 firing; Two fires next\nTwo fired\n[1. 1.]\n[0 1 2]\n")

    def test_compiled(self):
        self.say(X + "tensor->tensor filter Plus { work pop 1 push 1 { push(pop() + x); } }\nPlus <- x\n:compile plus\n")
        self.write("in.npy", npy((2, 3), *range(6)))
        done = subprocess.run(["./plus", "--in", "in.npy"], cwd=self.folder, text=True, capture_output=True, check=True)
        self.assertEqual(done.stdout, "[[ 1.  3.  5.]\n [ 7.  9. 11.]]\n")


if __name__ == "__main__":
    unittest.main()
