#!/usr/bin/env python3
"""Programs of tensors whose shapes only the run knows: the interpreter runs them."""

import os
import pathlib
import struct
import subprocess
import unittest

from command import Case, engines

try:
    import numpy
except ImportError:
    numpy = None

# Vectors of 1, 2, 3, 1, 2, 3, ... numbers, which one firing after the other decides on.
GROWING = """void->int filter Lengths { int n; work push 1 { push(n % 3 + 1); n++; } }
int->tensor filter Vectors { work pop 1 push 1 { int n = pop(); push(arange(n) * 1.5); } }
tensor->void filter Show { work pop 1 { tensor x = pop(); println(x); println(sum(x)); } }
"""
SUMS = "[0.]\n0.0\n[0.  1.5]\n1.5\n[0.  1.5 3. ]\n4.5\n"


def heads(err):
    """First lines of errors, and notes that have a place or name an instance."""
    lines = err.splitlines()
    while lines and "error: " not in lines[0]:  # what is warned of when the program is compiled
        del lines[0]
    return [line for line in lines
            if "error: " in line or line.startswith("note: in instance") or ": note: in the body of" in line]


class Program(Case):
    def at(self, name):
        return str(self.folder / name)

    def refused(self, *words, status=1):
        out, err = self.call(*words, status=status)
        self.assertEqual(out, b"")
        return err

    def shown(self, text, *words, status=0):
        """What a program prints, and what is said about it: the same in all engines."""
        path = self.file("p.str", text)
        done = self.call("run", *words, path, status=status)
        self.assertEqual(self.call("run", "--interpret", *words, path, status=status), done)
        built = self.built(*words, path)
        if built:
            made = subprocess.run(built, cwd=self.folder, capture_output=True)
            self.assertEqual((made.returncode, made.stdout), (status, done[0]), made.stderr)
            self.assertEqual(heads(made.stderr.decode()), heads(done[1]))
        elif "only the run can tell" in done[1]:
            self.assertIn("only the interpreter runs it", done[1])
        return done[0].decode(), done[1]

    def built(self, *words):
        """The call of an executable that does what `strc run WORDS` does; none if it cannot be built."""
        compiler, program = engines.split(map(str, words))
        path = self.at("strc")  # messages begin with its name
        pathlib.Path(path).unlink(missing_ok=True)
        made = subprocess.run([os.environ["STRC"], "build", "-w", "-o", path, *compiler], cwd=self.folder, capture_output=True)
        return [path, *program] if made.returncode == 0 else None

    def printed(self, text, *words):
        return self.shown(text, *words)[0]

    def main(self, *names):
        return "void->void pipeline Main { " + " ".join(f"add {name};" for name in names) + " }\n"


class Symbolic(Program):
    def test_large_fields(self):
        """So large that memory is looked through while they are set up."""
        text = """void->int filter Lengths { int n; work push 1 { push(n++ % 3 + 1); } }
int->tensor filter Parts(double low) {
    tensor<float>[2200000] one;
    tensor<float>[2200000] other;
    init { one = (float) full(low, 2200000); other = (float) full(low + 1, 2200000); }
    work pop 1 push 1 { int n = pop(); push(concat(slice(one, 0, 0, n), slice(other, 0, 0, n), 0)); }
}
tensor->void filter Show { work pop 1 { println(pop()); } }
void->void pipeline P {
    add Lengths();
    add splitjoin { split duplicate; add Parts(1); add Parts(3); join roundrobin; }
    add Show();
}
"""
        out, err = self.shown(text, "--limit", "2")
        self.assertEqual(out, "[1. 2.]\n[3. 4.]\n", err)

    def test_extents_that_come_along_a_channel(self):
        out, err = self.shown(GROWING + self.main("Lengths", "Vectors", "Show"), "-i3")
        self.assertEqual(out, SUMS)
        self.assertIn("p.str:4:", err)
        self.assertIn("warning: only the run can tell a shape: 'arange': operand 1 decides on the "
                      "shape", err)
        self.assertIn("in instance Main.Vectors", err)
        self.assertIn("p.str:2:", err)

    def test_through_splitters_joiners_and_identities(self):
        text = GROWING + self.main("Lengths", "Vectors", """splitjoin { split duplicate;
            add Identity<tensor>; add Twice; join roundrobin; }""", "Show") + """
            tensor->tensor filter Twice { work pop 1 push 1 { push(2 * pop()); } }"""
        self.assertEqual(self.printed(text, "-i2"),
                         "[0.]\n0.0\n[0.]\n0.0\n[0.  1.5]\n1.5\n[0. 3.]\n3.0\n")
        text = text.replace("split duplicate", "split roundrobin(2, 1)").replace(
            "join roundrobin", "join roundrobin(2, 1)")
        self.assertEqual(self.printed(text, "-i1"),
                         "[0.]\n0.0\n[0.  1.5]\n1.5\n[0. 3. 6.]\n9.0\n")

    def test_a_field_that_grows(self):
        text = """void->tensor filter Rows { int n; work push 1 { n++; push(full(n, 1, 3)); } }
            tensor->tensor filter Cache { tensor all; int calls; init { all = zeros(1, 3); }
                work pop 1 push 1 { all = concat(all, pop(), 0); calls++; push(mean(all, 0) * calls); } }
            tensor->void filter Show { work pop 1 { println(pop()); } }
            """ + self.main("Rows", "Cache", "Show")
        out, err = self.shown(text, "-i3")
        self.assertEqual(out, "[0.5 0.5 0.5]\n[2. 2. 2.]\n[4.5 4.5 4.5]\n")
        self.assertIn("'all': the field is tensor<float>[1, 3] and becomes tensor<float>[2, 3]", err)

    def test_functions_and_handlers_give_fields_other_shapes(self):
        head = """void->tensor filter Ones(portal<Grow> p) { int n; work push 1 { n++; push(ones(1)); if (n % 2 == 0) p.longer(n); } }
            tensor->void filter Show { work pop 1 { println(pop()); } }
            void->void pipeline Main { portal<Grow> p; add Ones(p); add Grow to p; add Show; }
            """
        for body in ("handler longer(int n) { all = zeros(n + 1); }", "void grow(int n) { all = zeros(n + 1); } handler longer(int n) { grow(n); }",
                     "handler longer(int n) { for (int k = size(all, 0); k <= n; k++) all = concat(all, zeros(1), 0); }"):
            text = head + "tensor->tensor filter Grow { tensor all; init { all = zeros(2); } %s work pop 1 push 1 { push(concat(all, pop(), 0)); } }" % body
            out, err = self.shown(text, "-i4")
            self.assertEqual(out, "[0. 0. 1.]\n[0. 0. 0. 1.]\n[0. 0. 0. 1.]\n[0. 0. 0. 0. 0. 1.]\n")
            self.assertIn("only the run can tell a shape", err)

    def test_functions_that_init_calls_have_shapes(self):
        text = """void->tensor filter Grow { int n; tensor all; init { n = 3; longer(); } void longer() { all = zeros(n); } work push 1 { push(all); } }
            tensor->void filter Show { work pop 1 { println(pop()); } }
            """ + self.main("Grow", "Show")
        self.assertIn("error: 'zeros': operand 1 decides on the shape", self.shown(text, "-i1", status=1)[1])

    def test_static_variables(self):
        text = """static { tensor<float>[2] bias = {1.5, -2.5}; int[3] table; float scale = 2; table[1] = 7; }
            int->tensor filter F { work pop 1 push 1 { int n = pop(); push(concat(bias * scale, zeros(n - 1) + table[n % 3], 0)); } }
            """ + GROWING + self.main("Lengths", "F", "Show")
        self.assertEqual(self.printed(text, "-i2"), "[ 3. -5.]\n-2.0\n[ 3. -5.  0.]\n-2.0\n")

    def test_fields_that_are_stored_or_have_no_value_yet(self):
        text = """int->tensor filter Take { tensor table; tensor last; tensor<float>[2, 3] none; float scale = 2;
                init { table = reshape(arange(12) * 1.0, 4, 3); last = table; }
                work pop 1 push 1 { int n = pop(); tensor<float>[1, 3] zero;
                    push(concat(narrow(table, 0, 1, n) * scale, zero, none, 0)); } }
            """ + GROWING + self.main("Lengths", "Take", "Sizes") + """
            tensor->void filter Sizes { work pop 1 { tensor x = pop(); println(size(x, 0)); println(sum(x, 0)); println(rank(x)); } }"""
        self.assertEqual(self.printed(text, "-i2"),
                         "4\n[ 6.  8. 10.]\n2\n5\n[18. 22. 26.]\n2\n")

    def test_which_of_two_shapes_comes_depends_on_the_run(self):
        text = """int->tensor filter Either { work pop 1 push 1 { int n = pop();
                if (n > 1) push(zeros(n)); else push(ones(2, 2)); } }
            """ + GROWING + self.main("Lengths", "Either", "Show")
        out, err = self.shown(text, "-i2")
        self.assertEqual(out, "[[1. 1.]\n [1. 1.]]\n4.0\n[0. 0.]\n0.0\n")
        self.assertIn("'zeros': operand 1 decides on the shape", err)

    def test_variables_of_several_shapes(self):
        text = """int->tensor filter Grow { tensor twice(tensor x) { return concat(x, x, 0); }
            work pop 1 push 1 { int n = pop(); tensor x = ones(1);
                for (int k = 0; k < n; k++) x = twice(x); push(x[0] > 0 ? x : zeros(1)); } }
            """ + GROWING + self.main("Lengths", "Grow", "Show")
        self.assertEqual(self.printed(text, "-i3"),
                         "[1. 1.]\n2.0\n[1. 1. 1. 1.]\n4.0\n[1. 1. 1. 1. 1. 1. 1. 1.]\n8.0\n")

    def test_a_feedback_loop_of_items_that_change(self):
        text = """tensor->tensor filter Longer { work pop 2 push 2 { tensor x = pop(); tensor y = pop();
                tensor z = x[0] > 0 ? concat(x, y, 0) : x; push(z); push(z); } }
            void->tensor filter Ones { work push 1 { push(ones(1)); } }
            """ + GROWING + """void->void pipeline Main { add Ones; add feedbackloop { join roundrobin(1, 1);
            body Longer; loop Identity<tensor>; split roundrobin(1, 1); enqueue ones(2); }; add Show; }"""
        self.assertEqual(self.printed(text, "-i2"), "[1. 1. 1.]\n3.0\n[1. 1. 1. 1.]\n4.0\n")

    def test_what_is_declared_is_known_again(self):
        text = GROWING + self.main("Lengths", "Vectors", "Total", "Show") + """
            tensor->tensor<float>[1] filter Total { work pop 1 push 1 { push(sum(pop(), 0, 1)); } }"""
        self.assertEqual(self.printed(text, "-i2"), "[0.]\n0.0\n[1.5]\n1.5\n")
        shown = self.call("check", "--emit=graph", self.file("g.str", text))[0].decode()
        self.assertIn("tensor<float>[1]", shown)

    def test_faults_of_the_run_have_a_place(self):
        for body, why in (("push(pop() + ones(2));", "'add': the shapes 3 and 2 do not fit each other"),
                          ("tensor<float>[2] y = pop(); push(y);",
                           "'y': it is declared as tensor<float>[2] and gets tensor<float>[1]"),
                          ("tensor x = pop(); int k = 2; push(full(x[k], 1));", "2"),
                          ("tensor x; tensor y = pop(); if (size(y, 0) > 1) x = y; push(x);",
                            "'x': it has no value yet")):
            text = GROWING + self.main("Lengths", "Vectors", "Wrong", "Show") + (
                "tensor->tensor filter Wrong { work pop 1 push 1 { %s } }" % body)
            out, err = self.shown(text, "-i3", status=1)
            self.assertIn(why, err)
            self.assertIn("p.str:5:", err)
            self.assertIn("Main.Wrong", err)

    def test_declared_items_are_checked(self):
        head = GROWING + self.main("Lengths", "Vectors", "Wrong", "Show")
        for wrong, words in (
                ("tensor<float>[2]->tensor filter Wrong { work pop 1 push 1 { push(pop()); } }",
                 "'Vectors': tensor<float>[1] comes where tensor<float>[2] is declared"),
                ("tensor->tensor<float>[2] filter Wrong { work pop 1 push 1 { push(pop()); } }",
                 "'Wrong': tensor<float>[1] comes where tensor<float>[2] is declared"),
                ("tensor->tensor<int> filter Wrong { work peek 1 pop 1 push 1 { push(peek(0)); pop(); } }",
                 "'Wrong': tensor<float>[1] comes where tensor<int> is declared"),
                ("tensor->tensor pipeline Wrong { add Identity<tensor<float>[2]>; }",
                 "tensor<float>[1] comes where tensor<float>[2] is declared"),
                ("tensor->tensor<float>[2] pipeline Wrong { add relu(); }",
                 "tensor<float>[1] comes where tensor<float>[2] is declared")):
            with self.subTest(wrong):
                self.assertIn(words, self.shown(head + wrong, "-i1", status=1)[1])

    def test_what_does_not_fit_leaves_the_program_nowhere(self):
        path = self.file("p.str", """int->tensor<float>[3] filter Three { work pop 1 push 1 { push(ones(pop())); } }
            int->tensor<float>[20000000] filter Large { work pop 1 push 1 { push(ones(pop())); } }
            int->tensor pipeline A { add Three; }
            int->tensor pipeline B { add Large; }
            int->tensor pipeline C { add Three; add tensor->tensor filter { work pop 1 push 1 { push(2 * pop()); } }; }
            """)
        ends = self.file("ends.txt", "3 3 1 3")
        for top, kind, given in (("A", "text", b"[1. 1. 1.]\n" * 2), ("A", "raw", struct.pack("<6f", *[1] * 6)),
                                 ("B", "npy", None), ("C", "text", b"[2. 2. 2.]\n" * 2)):
            out, err = self.call("run", "-w", "--top", top, "--in", ends, "--out-format", kind, path, status=1)
            if given is not None:
                self.assertEqual(out, given)
            self.assertIn("comes where tensor<float>[", err)
            self.assertEqual(err.count("error:"), 1)

    def test_a_loop_whose_first_items_alone_are_known(self):
        text = """tensor->tensor filter Later { prework push 1 { push(ones(3)); } work pop 1 push 1 {
                tensor x = pop(); push(zeros(1 + (int) x[0])); } }
            tensor->tensor filter Turn { work pop 2 push 2 { tensor a = pop(); tensor b = pop(); push(b); push(a); } }
            """ + GROWING + """void->void pipeline Main { add Lengths; add Vectors; add feedbackloop { join roundrobin(1, 1);
            body Turn; loop Later; split roundrobin(1, 1); }; add Show; }"""
        self.assertEqual(self.printed(text, "-i2"), "[1. 1. 1.]\n3.0\n[0.]\n0.0\n")

    def test_small_tensors_are_collected(self):
        text = GROWING + self.main("Lengths", "Vectors", "Count") + """
            tensor->void filter Count { int n; work pop 1 { pop(); n++; if (n % 1000000 == 0) println(n); } }"""
        self.assertEqual(self.printed(text, "-i1000000"), "1000000\n")

    def test_what_composites_declare_holds_where_shapes_are_known_too(self):
        text = """void->tensor filter Two { work push 1 { push(ones(2)); } }
            void->tensor<float>[3] pipeline Three { add Two; }
            tensor->void filter Show { work pop 1 { println(pop()); } }
            """ + self.main("Three", "Show")
        self.assertIn("error: the stream: tensor<float>[2] comes where tensor<float>[3] is declared",
                      self.shown(text, "-i1", status=1)[1])

    def test_what_a_field_is_declared_as_is_no_matter_of_the_run(self):
        text = """void->tensor filter Row { work push 1 { push(ones(3)); } }
            tensor->tensor filter Grow { tensor<float>[3] y; work pop 1 push 1 { y = concat(y, pop(), 0); push(y); } }
            tensor->void filter Show { work pop 1 { println(pop()); } }
            """ + self.main("Row", "Grow", "Show")
        self.assertIn("error: 'y': it is declared as tensor<float>[3] and gets tensor<float>[6]",
                      self.shown(text, "-i1", status=1)[1])

    def test_mistakes_of_known_shapes_stay_errors(self):
        text = GROWING + self.main("Lengths", "Vectors", "Show", "Rows", "Wrong") + """
            void->tensor filter Rows { work push 1 { push(ones(3)); } }
            tensor->void filter Wrong { work pop 1 { println(pop() + ones(2)); } }"""
        text = text.replace("add Show;", "add Show; } void->void pipeline Other {", 1)
        text += " void->void pipeline Both { add splitjoin { split roundrobin(0); add Main; add Other; join roundrobin(0); }; }"
        err = self.refused("run", "-i1", "--top", "Other", self.file("p.str", text))
        self.assertIn("the shapes 3 and 2 do not fit each other", err)

    def test_what_needs_shapes_refuses(self):
        path = self.file("p.str", GROWING + self.main("Lengths", "Vectors", "Show"))
        for words, why in ((["--shared", "-o", self.at("p.so")], "a library of it has no memory for that"),
                           (["--static", "-o", self.at("p")], "static executables cannot load what finds it out"),
                           (["--target", "aarch64-linux-gnu", "-o", self.at("p")], "there is nothing for another machine")):
            err = self.refused("build", *words, path)
            self.assertIn("cannot be compiled yet: only the run can tell a shape in 'Vectors': 'arange'", err)
            self.assertIn(", and " + why, err)
        text = GROWING + """void->void pipeline Main(int n) { add Lengths; add Rows(n); add Show; }
            int->tensor filter Rows(int n) { work pop 1 push 1 { push(ones(pop()) * n); } }"""
        err = self.refused("build", "--keep-param", "n", "-Dn=3", "-o", self.at("p"), self.file("k.str", text))
        self.assertIn("has a parameter that is left open", err)
        err = self.refused("run", "--device=cuda", "-i1", path)
        self.assertIn("only the run can tell a shape in 'Vectors'", err)
        self.assertEqual(self.call("run", "-i3", "-Wno-symbolic-shape", path), (SUMS.encode(), ""))

    def test_filters_with_shapes_are_compiled(self):
        path = self.file("p.str", """void->tensor filter Image { int n; work push 1 { n++; push(reshape(arange(12) * 0.5 + n, 4, 3)); } }
            tensor->tensor filter Twice { work pop 1 push 1 { push(relu(pop() - 1) * 2); } }
            tensor->tensor filter Keep { work pop 1 push 1 { tensor x = pop(); tensor keep = zeros(0, 3);
                for (int i = 0; i < 4; i++) if (x[i, 0] > 5) keep = concat(keep, narrow(x, 0, i, 1), 0); push(keep); } }
            tensor->tensor<float>[3] filter Best { work pop 1 push 1 { push(sum(pop(), 0)); } }
            tensor->void filter Show { work pop 1 { println(pop()); } }
            """ + self.main("Image", "relu()", "Twice", "Keep", "Best", "relu()", "Show"))
        plan = self.call("check", "-w", "--emit=plan", path)[0].decode()
        self.assertIn("Main.relu+Twice -> Main.Keep", plan)  # fused, and memory for its result
        self.assertRegex(plan, r"Main.Keep -> Main.Best +0 +1 +4 ")  # a name
        self.assertRegex(plan, r"Main.Best -> Main.relu.1. +0 +1 +12 ")
        llvm = self.call("check", "-w", "--emit=llvm", path)[0].decode()
        self.assertEqual(llvm.count("call i32 @strc_fire("), 2)
        done = self.call("run", "-w", "--no-interpret", "-i4", path)
        self.assertEqual(done, self.call("run", "-w", "--interpret", "-i4", path))
        self.assertEqual(done, self.call("run", "-w", "--no-interpret", "--tapes=ring", "-i4", path))
        self.assertEqual(len(done[0].splitlines()), 4)

    def test_executables_need_their_library(self):
        path = self.file("p.str", GROWING + self.main("Lengths", "Vectors", "Show"))
        built = self.built("-i3", path)
        done = subprocess.run(built, capture_output=True, env={"STRC_SYMBOLIC_LIB": "/none/lib.so"})
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"cannot open '/none/lib.so'", done.stderr)
        self.assertIn(b"/none/lib.so: cannot open shared object file", done.stderr)
        self.call("build", "-w", "--bundle", self.at("b"), "-o", "p", path)
        self.assertEqual(sorted(os.listdir(self.at("b"))), ["libstrc_symbolic.so", "p"])
        os.rename(self.at("b"), self.at("moved"))
        done = subprocess.run([self.at("moved/p"), "-i3"], capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (0, SUMS.encode()), done.stderr)
        needed = subprocess.run(["readelf", "-d", self.at("moved/libstrc_symbolic.so")], capture_output=True).stdout
        for name in (b"libfmt", b"libstdc++", b"libLLVM", b"libffi"):
            self.assertNotIn(name, needed)

    def test_executables_stop_as_programs_do(self):
        path = self.file("p.str", GROWING + self.main("Lengths", "Vectors", "Show"))
        built = self.built(path)
        done = subprocess.run([*built, "--limit", "3"], capture_output=True, timeout=1800)
        self.assertEqual((done.returncode, done.stdout), (0, "".join(SUMS.splitlines(True)[:3]).encode()))
        text = """void->tensor filter Long { work push 1 { int n = 1; while (n > 0) n = n % 7 + 1; push(ones(n)); } }
            tensor->void filter Show { work pop 1 { println(pop()); } }
            """ + self.main("Long", "Show")
        built = self.built(self.file("l.str", text))
        done = subprocess.run([*built, "--seconds", "0.2"], capture_output=True, timeout=1800)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)

    def test_why_all_of_a_program_is_interpreted(self):
        some = """tensor->tensor filter Some { int n; work pop [1, 2] push 1 { tensor x = pop(); n++;
                if (n % 2 == 0) x = concat(x, pop(), 0); push(x); } }
            """ + GROWING + self.main("Lengths", "Vectors", "Some", "Show")
        self.assertIn("only the interpreter runs it, since how much 'Some' takes depends on its items", self.shown(some, "-i2")[1])
        err = self.refused("run", "--no-interpret", "-i2", self.file("p.str", some))
        self.assertIn("only the run can tell a shape in 'Vectors': 'arange'", err)
        self.assertIn(", and how much 'Some' takes depends on its items", err)

    def test_memory_is_given_back_and_bounded(self):
        text = """void->tensor filter Large { int n; work push 1 { n = n % 2 + 1; push(zeros(n, 1000000)); } }
            tensor->void filter Count { int n; work pop 1 { pop(); n++; if (n % 200 == 0) println(n); } }
            """ + self.main("Large", "Count")
        self.assertEqual(self.printed(text, "-i400"), "200\n400\n")  # 2.4 GB in all, of 1 GiB that may live
        text = """void->tensor filter Hoard { tensor all; init { all = ones(1); } work push 1 {
                all = concat(all, all, 0); push(all); } }
            tensor->void filter Forget { work pop 1 { pop(); } }
            """ + self.main("Hoard", "Forget")
        out, err = self.shown(text, "-i100", status=1)
        self.assertIn("Main.Hoard", err)
        self.assertRegex(err, "memory|elements")

    def test_as_many_items_as_the_run_finds(self):
        each = """tensor->tensor filter Each { int n; work pop 1 push [0, *] { tensor x = pop(); n++;
                for (int i = 0; i < size(x, 0); i++) if (n % 4 != 0) push(narrow(x, 0, i, 1)); } }
            tensor->int filter Sizes { work pop 1 push [0, 2] { int n = size(pop(), 0); for (int i = 1; i < n; i++) push(n * 10 + i); } }
            int->void filter ShowInt { work pop 1 { println(pop()); } }
            tensor<float>[1]->tensor filter Keep { work pop 1 push 1 { push(pop() + 1); } }
            tensor->tensor<float>[1] filter First { work pop 1 push [0, 1] { tensor x = pop(); if (size(x, 0) > 1) push(narrow(x, 0, 1, 1)); } }
            tensor->tensor filter Two { work pop 2 push 1 { tensor x = pop(); push(concat(x, pop(), 0)); } }
            """ + GROWING
        self.assertEqual(self.printed(each + self.main("Lengths", "Vectors", "Each", "Show"), "-i5", "--limit", "10"),
                         "[0.]\n0.0\n[0.]\n0.0\n[1.5]\n1.5\n[0.]\n0.0\n[1.5]\n1.5\n")
        self.assertEqual(self.printed(each + self.main("Lengths", "Vectors", "Sizes", "ShowInt"), "-i4", "--limit=4"), "21\n31\n32\n21\n")
        self.assertEqual(self.printed(each + self.main("Lengths", "Vectors", "Each", "Two", "Show"), "-i2", "--limit=4"),
                         "[0. 0.]\n0.0\n[1.5 0. ]\n1.5\n")
        # Known again behind it, with a region of filters that are compiled.
        text = each + self.main("Lengths", "Vectors", "First", "Keep", "relu()", "Show")
        self.assertEqual(self.printed(text, "-i3", "--limit=6"), "[2.5]\n2.5\n" * 3)
        path = self.file("d.str", each + self.main("Lengths", "Vectors", "Each", "Two", "Count") + """
            tensor->void filter Count { int n; work pop 1 { pop(); n++; if (n % 100000 == 0) println(n); } }""")
        self.call("build", "-w", "-o", self.at("d"), path)
        for call in ([self.at("d")], [os.environ["STRC"], "run", "-w", "--no-interpret", path]):
            done = subprocess.run(["sh", "-c", 'ulimit -v 2000000; exec "$@"', "sh", *call[:1], *call[1:], "-i300000"], capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (0, b"100000\n200000\n300000\n"), done.stderr)

    def test_declared_items_behind_splitters_and_joiners(self):
        head = GROWING + """tensor<float>[3]->tensor filter Three { work pop 1 push 1 { push(pop()); } }
            tensor<float>[2]->tensor filter Two { work pop 1 push 1 { push(pop()); } }
            """
        for streams in ("splitjoin { split duplicate; add Identity<tensor>; add Three; join roundrobin; }",
                        "splitjoin { split roundrobin; add Identity<tensor>; add Identity<tensor>; join roundrobin; }; add Two"):
            path = self.file("p.str", head + "void->void pipeline Main { add Lengths; add Vectors; add %s; add Show; }" % streams)
            for call in (["run", "--interpret"], ["run", "--no-interpret"]):
                self.assertIn("tensor<float>[1] comes where tensor<float>[", self.refused(*call, "-w", "-i1", path))
            done = subprocess.run(self.built("-i1", path), capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertIn(b"tensor<float>[1] comes where tensor<float>[", done.stderr)

    def test_too_many_items(self):
        text = """tensor->int filter Many { work pop 1 push [0, 2] { int n = size(pop(), 0); for (;;) push(n); } }
            int->void filter ShowInt { work pop 1 { println(pop()); } }
            """ + GROWING + self.main("Lengths", "Vectors", "Many", "ShowInt")
        self.assertIn("'Many' declares push [0, 2], but one firing pushes 3", self.shown(text, "-i1", status=1)[1])

    def test_more_dimensions_than_files_have(self):
        text = """void->tensor filter Deep { int n; work push 1 { n++; tensor x = ones(1); for (int k = 0; k < 70; k++) x = unsqueeze(x, 0);
            push(n > 0 ? x : ones(1)); } }"""
        built = self.built("--top", "Deep", self.file("p.str", text))
        for kind in ("npy", "text"):
            done = subprocess.run([*built, "-i1", "--out-format", kind], capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"cannot hold items of type 'tensors of so many dimensions'", done.stderr)

    def test_messages_beside_filters_without_shapes(self):
        text = """void->int filter Source(portal<Scale> p) { int n; work push 1 { n++; push(n % 3 + 1); if (n % 2 == 0) p.by(n); } }
            tensor<float>[3]->tensor<float>[3] filter Scale { float s = 1; handler by(int n) { s = n; } work pop 1 push 1 { push(pop() * s); } }
            int->tensor<float>[3] filter Rows { work pop 1 push 1 { push(sum(ones(pop(), 3), 0)); } }
            tensor->void filter Print { work pop 1 { println(pop()); } }
            void->void pipeline Main { portal<Scale> p; add Source(p); add Rows; add Scale to p; add Print; }"""
        self.assertNotIn("only the interpreter runs it", self.shown(text, "-i6")[1])
        grow = text.replace("float s = 1;", "tensor s; init { s = ones(1); }").replace("s = n;", "s = concat(s, ones(1), 0);").replace("pop() * s", "pop() * sum(s)")
        self.assertIn("only the interpreter runs it, since 'Scale' has to do with messages", self.shown(grow, "-i6")[1])

    def test_dynamic_rates_and_messages(self):
        text = """tensor->tensor filter Some { int n; work pop [1, 2] push 1 { tensor x = pop(); n++;
                if (n % 2 == 0) x = concat(x, pop(), 0); push(x); } }
            """ + GROWING + self.main("Lengths", "Vectors", "Some", "Show")
        self.assertEqual(self.printed(text, "-i2"), "[0.]\n0.0\n[0.  1.5 0.  1.5 3. ]\n6.0\n")

    def test_peeks_and_prework(self):
        text = """tensor->tensor filter Ahead { prework push 1 { push(zeros(1)); }
                work pop 1 peek 3 push 1 { push(concat(peek(2), peek(0), 0)); pop(); } }
            """ + GROWING + self.main("Lengths", "Vectors", "Ahead", "Show")
        self.assertEqual(self.printed(text, "-i3"),
                         "[0.]\n0.0\n[0.  1.5 3.  0. ]\n4.5\n[0.  0.  1.5]\n1.5\n")

    def test_library_filters(self):
        text = GROWING + self.main("Lengths", "Vectors", "unsqueeze(0)", 'pad({1, 0}, value = 0.5)', "maxpool1d(2, 1, 0)",
                                   "cat(1, 1)", "flatten(0)", "Show")
        self.assertEqual(self.printed(text, "-i3"),
                         "[0.5]\n0.5\n[0.5 1.5]\n2.0\n[0.5 1.5 3. ]\n5.0\n")


@unittest.skipUnless(numpy, "NumPy is not there")
class Files(Program):
    def each(self, *words):
        """Exit status, output and messages of `strc run` and of an executable."""
        for call in ([os.environ["STRC"], "run", "-w", *words], self.built("-w", *words)):
            done = subprocess.run(call, cwd=self.folder, capture_output=True)
            yield done.returncode, done.stdout, done.stderr.decode()

    VECTORS = GROWING + "void->tensor pipeline Main { add Lengths; add Vectors; }\n"
    ROWS = """void->tensor pipeline Main { add Lengths; add Rows; }
        int->tensor filter Rows { work pop 1 push 1 { int n = pop(); push(sum(ones(n, 4), 0)); } }
        """ + GROWING

    def test_outputs_of_one_shape_are_stacked(self):
        for out in self.each("-i3", "--top", "Main", "--out", "out.npy", self.file("p.str", self.ROWS)):
            self.assertEqual(out, (0, b"", ""))
            self.assertEqual(numpy.load(self.at("out.npy")).tolist(), [[1] * 4, [2] * 4, [3] * 4])
        for kind, wanted in (("raw", numpy.float32([1] * 4 + [2] * 4).tobytes()), ("text", b"[1. 1. 1. 1.]\n[2. 2. 2. 2.]\n")):
            for out in self.each("-i2", "--top", "Main", "--out-format", kind, self.file("p.str", self.ROWS)):
                self.assertEqual(out, (0, wanted, ""))

    def test_outputs_of_several_shapes(self):
        path = self.file("p.str", self.VECTORS)
        self.assertEqual(self.call("run", "-i2", "--top", "Main", path)[0], b"[0.]\n[0.  1.5]\n")
        one, two, three = self.at("1.npy"), self.at("2.npy"), self.at("3.npy")
        for out in self.each("-i6", "--top", "Main", "--out", one, "--out", two, "--out", three, path):
            self.assertEqual(out, (0, b"", ""))
            self.assertEqual(numpy.load(three).tolist(), [[0, 1.5, 3]] * 2)
        for status, _, err in self.each("-i2", "--top", "Main", "--out", one, path):
            self.assertEqual(status, 1)
            self.assertIn("has items of tensor<float>[1] and cannot take the tensor<float>[2] that "
                          "comes next [item-differs]", err)
            self.assertEqual(numpy.load(one).tolist(), [0])

    def test_types_of_elements(self):
        for cast, kind in (("half", "float16"), ("int8", "int8"), ("long", "int64"), ("(boolean)", "bool"), ("(double)", "float64")):
            text = GROWING + "void->tensor pipeline Main { add Lengths; add Vectors; add To; }\n" + (
                "tensor->tensor filter To { work pop 1 push 1 { push(%s(pop())); } }" % cast)
            for status, _, err in self.each("-i1", "--top", "Main", "--out", "o.npy", self.file("p.str", text)):
                self.assertEqual((status, err), (0, ""))
                self.assertEqual(numpy.load(self.at("o.npy")).dtype, kind)

    def test_without_items_files_are_empty(self):
        text = """void->tensor pipeline Main { add Lengths; add Vectors; add Never; }
            tensor->tensor filter Never { work pop 1 push [0, 1] { tensor x = pop(); if (size(x, 0) > 10) push(x); } }
            """ + GROWING
        self.file("o.npy", "old")
        path = self.file("p.str", text)
        self.call("run", "-i3", "--top", "Main", "--out", "o.npy", path)
        self.assertEqual(self.bytes("o.npy"), b"")
        self.assertIn("cannot write", self.refused("run", "-i3", "--top", "Main", "--out", "none/o.npy", path))

    def test_writers(self):
        out = self.at("w.npy")
        text = GROWING + self.main("Lengths", "Vectors", f'NpyWriter<tensor>("{out}")')
        err = self.shown(text, "-i2", status=1)[1]
        self.assertIn("item-differs", err)
        text = self.ROWS.replace("void->tensor", "void->void").replace(
            "add Rows;", f'add Rows; add NpyWriter<tensor>("{out}");')
        self.shown(text, "-i2")
        self.assertEqual(numpy.load(out).tolist(), [[1] * 4, [2] * 4])

    def test_weights_of_filters_without_shapes_have_to_be_the_same(self):
        from safetensors.numpy import save_file
        text = """tensor->tensor filter F { int n; tensor<float>[2] w = stored("f", "w"); work pop 1 push 1 { n++; push(concat(pop(), w, zeros(n), 0)); } }
            tensor->tensor filter G { tensor<float>[2] w = stored("g", "w"); work pop 1 push 1 { push(pop() + w); } }
            int->tensor filter Two { work pop 1 push 1 { push(ones(2) * pop()); } }
            """ + GROWING + self.main("Lengths", "Two", "G", "F", "Show")
        one, two = numpy.float32([1, 2]), numpy.float32([3, 4])
        save_file({"f.w": one, "g.w": one}, self.at("a.safetensors"))
        save_file({"f.w": one, "g.w": two}, self.at("b.safetensors"))
        save_file({"f.w": two, "g.w": one}, self.at("c.safetensors"))
        self.call("build", "-w", "--external-weights", "--weights", self.at("a.safetensors"), "-o", self.at("x"), self.file("p.str", text))
        for name in "ab":
            done = subprocess.run([self.at("x"), "-i1", "--weights", self.at(name + ".safetensors")], capture_output=True)
            self.assertEqual((done.returncode, done.stdout),
                             (0, b"[2. 3. 1. 2. 0.]\n8.0\n" if name == "a" else b"[4. 5. 1. 2. 0.]\n12.0\n"), done.stderr)
        done = subprocess.run([self.at("x"), "-i1", "--weights", self.at("c.safetensors")], capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"f.w", done.stderr)

    def test_inputs(self):
        text = """tensor<float>[3]->tensor filter Main { work pop 1 push 1 { tensor x = pop();
            push(narrow(x, 0, 0, (int) item(x[0]))); } }"""
        text = text.replace("item(x[0])", "x[0]")
        path, file = self.file("p.str", text), self.at("in.npy")
        numpy.save(file, numpy.array([[3, 5, 6], [2, 1, 7]], numpy.float32))
        for out in self.each("--top", "Main", "--in", file, path):
            self.assertEqual(out, (0, b"[3. 5. 6.]\n[2. 1.]\n", ""))


if __name__ == "__main__":
    unittest.main()
