#!/usr/bin/env python3
"""What streams require of their arguments and shapes, and where they say so."""

import unittest

from command import Case

GIVEN = "void->tensor filter Given { work push 1 { push(zeros(2, 3)); } }\n"
SHOW = "tensor->void filter Show { work pop 1 { println(pop()); } }\n"


class Require(Case):
    def refused(self, text, line, *said):
        path = self.file("p.str", text)
        for engine in (["--interpret"], ["-O1"]):
            _, err = self.call("run", *engine, "-i", "1", path, status=1)
            first = err.split("\n")[0]
            self.assertTrue(first.startswith(f"{path}:{line}:"), err)
            for part in said:
                self.assertIn(part, err)
            self.assertEqual(err.count("error:"), 1, err)

    def shown(self, text):
        path = self.file("p.str", text)
        shown = {self.call("run", *engine, "-i", "2", path)[0].decode() for engine in (["--interpret"], ["-O0"], [])}
        self.assertEqual(len(shown), 1)
        return shown.pop()

    def test_work_requires_shapes(self):
        work = ("tensor->tensor filter Rows(int n) {{ work pop 1 push 1 {{ tensor x = pop(); "
                "require({}, \"it is made for \" + n + \" rows, there are \" + size(x, 0)); push(x); }} }}\n")
        main = "void->void pipeline Main {{ add Given();\n  add Rows({});\n  add Show(); }}\n"
        good = GIVEN + SHOW + work.format("rank(x) == 2 && size(x, 0) == n")
        self.assertIn("[0. 0. 0.]", self.shown(good + main.format(2)))
        self.refused(good + main.format(3), 5, "error: 'Rows': it is made for 3 rows, there are 2 [tensor-shape]",
                     "p.str:3:75: note: in the body of 'Rows'", "note: what arrives: tensor<float>[2, 3]")
        self.refused(GIVEN + SHOW + work.format("item(sum(x)) > 0") + main.format(2), 5,
                     "the condition of 'require' is not known when the program is compiled [tensor-unknown]")

    def test_loops_and_functions_require(self):
        rows = """tensor->tensor filter Rows(int[_] shape) {
    tensor doubled(tensor x) { require(rank(x) == 2, "two dimensions"); return 2 * x; }
    work pop 1 push 1 {
        tensor x = pop();
        for (int k = 0; k < shape.length; k++) require(size(x, k) == shape[k], "not " + shape[k]);
        push(doubled(x));
    }
}
"""
        main = "void->void pipeline Main {{ add Given();\n  add Rows({});\n  add Show(); }}\n"
        self.assertIn("[0. 0. 0.]", self.shown(GIVEN + SHOW + rows + main.format("{2, 3}")))
        self.refused(GIVEN + SHOW + rows + main.format("{2, 4}"), 12, "'Rows': not 4")
        flat = GIVEN.replace("2, 3", "6")
        self.refused(flat + SHOW + rows + main.format("{6}"), 12, "'Rows': two dimensions")

    def test_scalar_filters_and_composites_require(self):
        text = """void->void pipeline Main {{
    add Numbers({0});
    add Sums({1});
    add int->void filter {{ work pop 1 {{ println(pop()); }} }};
}}
void->int filter Numbers(int n) {{
    init {{ require(n > 0, n + " is not positive"); }}
    work push 1 {{ push(n); }}
}}
int->int pipeline Sums(int n) {{
    require(n % 2 == 0, "n is even");
    for (int k = 0; k < n; k++) add int->int filter {{ work pop 1 push 1 {{ require(k < 4, "at most 4"); push(pop() + k); }} }};
}}
"""
        self.assertEqual(self.shown(text.format(7, 4)), "13\n13\n")
        self.refused(text.format(0, 4), 2, "'Numbers': 0 is not positive")
        self.refused(text.format(7, 3), 3, "'Sums': n is even")
        self.refused(text.format(7, 6), 12, "at most 4")

    def test_the_run_checks_what_it_alone_knows(self):
        path = self.file("p.str", """void->void pipeline Main { add Growing(); add Small(); add Show(); }
void->tensor filter Growing { int n; work push 1 { n++; push(zeros(n)); } }
tensor->tensor filter Small { work pop 1 push 1 {
    tensor x = pop();
    require(size(x, 0) < 3, "less than 3, not " + size(x, 0));
    push(x);
} }
""" + SHOW)
        out, err = self.call("run", path, status=1)
        self.assertEqual(out.decode(), "[0.]\n[0. 0.]\n")
        self.assertIn(f"{path}:1:43: error: 'Small': less than 3, not 3 [tensor-shape]", err)
        self.assertIn(f"{path}:5:5: note: in the body of 'Small'", err)

    def test_the_library_refuses_what_the_run_alone_knows(self):
        for add, why in (("maxpool1d(2)", "'maxpool1d': it takes (batch x) channels x length"),
                         ("transpose(0, 1)", "'transpose': 'transpose': there is no dimension 1 in 1 dimension"),
                         ("pad({9, 0}, mode = \"reflect\")", "'pad': less than the 1 items of dimension 0 can be reflected")):
            path = self.file("p.str", "void->void pipeline Main { add Growing(); add %s; add Show(); }\n" % add +
                             "void->tensor filter Growing { int n; work push 1 { n++; push(zeros(n)); } }\n" + SHOW)
            _, err = self.call("run", path, status=1)
            self.assertIn(f"{path}:1:43: error: {why} [tensor-shape]", err)

    def test_a_name_of_a_program_wins(self):
        self.assertEqual(self.shown("""void->void filter Main {
    int require(int n, int m) { return n * m; }
    work { println(require(3, 4)); }
}
"""), "12\n12\n")


class Damaged(Case):
    """A body with an error says nothing of shapes."""

    def test_there_is_one_error(self):
        for wrong in ('pop() * "a"', "relux(pop())", "pop() % 2"):
            path = self.file("p.str", "tensor->tensor filter A { work pop 1 push 1 { push(" + wrong + "); } }\n" + GIVEN + SHOW
                             + "void->void pipeline Main { add Given(); add A(); add Show(); }\n")
            _, err = self.call("check", path, status=1)
            self.assertEqual(err.count("error: "), 1, err)


if __name__ == "__main__":
    unittest.main()
