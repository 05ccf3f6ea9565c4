#!/usr/bin/env python3
"""Tests of the checks: each kind of fault, planted in a small tree, is found; nothing else is."""

import tempfile
import unittest
from pathlib import Path

import check_includes
import check_sizes

CMAKE = """
strc_library(base            PRIVATE fmt::fmt)  # not (this)
strc_library(parser DEPS base
                             PRIVATE fmt::fmt $<TARGET_NAME_IF_EXISTS:strc_grammar>)
strc_library(sched  DEPS base)
"""


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("src/CMakeLists.txt", CMAKE)
        self.write("src/base/a.h", "// What it is for.\n#pragma once\n#include <string_view>\n")
        self.write("src/base/a.cpp", '#include "base/a.h"\n#include <fmt/format.h>\n')
        self.write("src/parser/p.cpp", '#include <antlr4-runtime.h>\n#include "StrcParser.h"\n#include "base/a.h"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Includes(Tree):
    def faults(self, name, text):
        self.write(name, text)
        return "\n".join(check_includes.check_tree(self.root))

    def test_nothing_wrong(self):
        self.assertEqual(self.faults("src/sched/s.cpp", '#include <map>\n#include "base/a.h"\n'), "")

    def test_walls(self):
        self.assertIn("may not know", self.faults("src/base/b.cpp", '#include "sched/s.h"\n'))
        self.assertIn("not there", self.faults("src/base/b.cpp", '#include "base/none.h"\n'))
        self.write("src/base/detail/d.h", "#pragma once\n")
        self.assertIn("private", self.faults("src/sched/s.cpp", '#include "base/detail/d.h"\n'))

    def test_private_headers(self):
        private = "belongs into detail"
        self.assertIn(private, self.faults("src/base/b.h", "#pragma once\n"))
        self.write("src/base/a.h", '#pragma once\n#include "base/b.h"\n')
        self.assertEqual(self.faults("src/base/b.h", "#pragma once\n"), "", "a header that others see shows it")
        self.write("src/base/a.h", "#pragma once\n")
        self.assertIn(private, self.faults("src/base/c.cpp", '#include "base/b.h"\n'))
        self.write("src/base/c.cpp", "")
        self.assertEqual(self.faults("src/sched/s.cpp", '#include "base/b.h"\n'), "")

    def test_the_compiler_behind_its_c_functions(self):
        self.write("src/CMakeLists.txt", CMAKE + "strc_library(repl)\nstrc_library(api DEPS base)\n"
                   "strc_library(driver DEPS base api repl)\n")
        self.write("src/api/detail/c.h", "#pragma once\n")
        public = '#include "strc/strc.h"\n'
        self.assertEqual(self.faults("src/driver/d.cpp", public), "")
        self.assertIn("private", self.faults("src/driver/d.cpp", '#include "api/detail/c.h"\n'))
        self.write("src/repl/r.h", "#pragma once\n")
        self.assertIn("only driver/repl_command.cpp", self.faults("src/driver/d.cpp", '#include "repl/r.h"\n'))
        self.write("src/driver/d.cpp", "")
        self.assertEqual(self.faults("src/driver/repl_command.cpp", '#include "repl/r.h"\n'), "")
        self.assertIn("may not know", self.faults("src/sched/s.cpp", public))

    def test_third_parties(self):
        text = "#pragma once\n#include <fmt/core.h>\n"
        self.assertEqual(self.faults("src/base/detail/h.h", text), "")
        self.assertIn("does not use fmt", self.faults("src/sched/s.cpp", "#include <fmt/core.h>\n"))
        self.assertIn("into .cpp files", self.faults("src/base/h.h", text))
        self.assertIn("strc_grammar", self.faults("src/base/b.cpp", '#include "StrcLexer.h"\n'))
        self.assertIn("strc_llvm", self.faults("src/base/b.cpp", "#include <llvm/IR/Module.h>\n"))
        self.assertIn("neither", self.faults("src/base/b.cpp", "#include <boost/any.hpp>\n"))
        self.assertIn("system", self.faults("src/sched/s.cpp", "#include <unistd.h>\n"))

    def test_form(self):
        self.assertIn("#pragma once", self.faults("src/base/h.h", "struct A;\n"))
        self.write("src/base/h.h", "#pragma once\n")
        text = '#include <map>\n#include "base/h.h"\n'
        self.assertIn("first", self.faults("src/base/h.cpp", text))

    def test_order_and_membership(self):
        self.assertIn("no line", self.faults("src/other/o.cpp", ""))
        text = "strc_library(base DEPS parser)\nstrc_library(parser DEPS base)\n"
        faults = self.faults("src/CMakeLists.txt", text)
        self.assertIn("base depends on parser", faults)

    def test_tools_see_the_driver_alone(self):
        self.assertIn("tools", self.faults("tools/t/main.cpp", '#include "base/a.h"\n'))


class Sizes(Tree):
    def faults(self, text, name="src/base/b.cpp"):
        self.write(name, text)
        return list(check_sizes.excesses(self.root, check_sizes.LIMIT))

    def test_functions(self):
        body = "    f();\n" * 99
        head = "namespace a {\n\nint x = 1;\n\nvoid g();\n\n"
        self.assertEqual(self.faults(head + "void f() {\n" + body[9:] + "}\n}\n"), [])
        found = self.faults(head + "void f() {\n" + body + "}\n}  // namespace a\n")
        self.assertEqual(len(found), 1)
        self.assertIn("b.cpp:7: a function of 101 lines", found[0])
        excuse = "// NOLINTNEXTLINE(readability-function-size): a flat switch\n"
        self.assertEqual(self.faults(head + excuse + "void f() {\n" + body + "}\n}\n"), [])
        self.assertEqual(self.faults("struct S {\n" + "    int a;\n" * 200 + "};\n"), [])

    def test_long_signatures(self):
        body = "    f();\n" * 120
        found = self.faults("int f(int a,\n      int b) {\n" + body + "}\n")
        self.assertEqual(len(found), 1)
        self.assertEqual(self.faults("int f(int a,\n      int b);\n" + "int x;\n" * 120), [])

    def test_classes(self):
        body = "        f();\n" * 99
        head = "namespace {\n\nclass C : public B {\npublic:\n    int x = 0;\n\n"
        tail = "    }\n\nprivate:\n    int y = 0;\n};\n\n}\n"
        self.assertEqual(self.faults(head + "    void f() {\n" + body[13:] + tail), [])
        found = self.faults(head + "    void f() {\n" + body + tail)
        self.assertEqual(len(found), 1)
        self.assertIn("b.cpp:7: a function of 101 lines", found[0])
        deep = "            f();\n" * 99
        inner = "struct S {\n    struct T {\n        void f() {\n" + deep + "        }\n    };\n};\n"
        self.assertEqual(len(self.faults(inner)), 1)

    def test_runtime(self):
        found = self.faults("void f(void) {\n" + "    f();\n" * 99 + "}\n", "runtime/src/a.c")
        self.assertEqual(len(found), 1)

    def test_files(self):
        self.assertEqual(len(self.faults("int x;\n" * 1001)), 1)
        self.assertEqual(len(self.faults("int x;\n" * 301, "src/base/b.h")), 2)


class Declarations(Tree):
    EXCEPTIONS = "tests/layering/size_exceptions.txt"

    def faults(self, text, name="src/base/b.h"):
        self.write(name, text)
        return "\n".join(check_sizes.declaration_faults(self.root))

    def class_of(self, count):
        methods = "".join(f"    int f{k}(int x) const {{ return g(x, h(x)); }}\n" for k in range(count - 2))
        others = ("    C() = default;\n    C(const C&) = delete;\n    int a = f(1);\n    std::function<int(int)> b;\n    int (*c)(int);\n"
                  "    using D = int(int);\n    // int e();\n    struct Inner {\n        int f();\n    };\n    int d{f(2)};\n")
        return f"class C final : public B<int> {{\npublic:\n    explicit C(int x) : a(x), d{{x}} {{}}\n    bool operator==(const C&) const;\n{methods}{others}}};\n"

    def test_methods(self):
        self.assertEqual(self.faults(self.class_of(40)), "")
        self.assertIn("b.h: C has 41 methods (at most 40)", self.faults(self.class_of(41)))

    def test_parameters(self):
        six = "int f(int a, std::map<int, int> b, int c = g(1, 2), const A& d, A*, int e[3]"
        self.assertEqual(self.faults(six + ");\n"), "")
        for after in (", int g);\n", ",\n      std::function<void(int, int)> g) {\n}\n"):
            self.assertIn("f has 7 parameters (at most 6)", self.faults(six + after))
        calls = "int h() {\n    // int f(int a, int b, int c, int d, int e, int f, int g)\n    return f(a, b, c, d, e, f, g);\n}\n"
        self.assertEqual(self.faults(calls + "int x = f(1, 2, 3, 4, 5, 6, 7);\n"), "")

    def test_exceptions_only_shrink(self):
        self.write(self.EXCEPTIONS, "# today\nmethods src/base/b.h C 43\n")
        self.assertEqual(self.faults(self.class_of(43)), "")
        self.assertIn("C has 44 methods (at most 43)", self.faults(self.class_of(44)))
        self.assertIn("says 43", self.faults(self.class_of(42)))
        self.assertIn("need not name it", self.faults(self.class_of(40)))


if __name__ == "__main__":
    unittest.main()
