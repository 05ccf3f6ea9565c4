#!/usr/bin/env python3
"""`strc opt`: passes over texts of the IR, and texts that are none."""

import unittest

from command import COUNTER, Case

HALF = """filter Half int->int {
    setup {
    }
    work {
        %0: int = pop
        %1: int = const 6
        %2: int = const 3
        %3: int = div %1, %2
        %4: int = div %0, %3
        push<int> %4
    }
}
"""


class Opt(Case):
    def fault(self, text, *args):
        self.file("p.ir", text)
        _, err = self.call("opt", *args, "p.ir", status=1)
        return err

    def test_passes_run_in_order(self):
        self.file("p.ir", HALF)
        folded = self.call("opt", "--pass=fold", "p.ir")[0].decode()
        self.assertIn("%3: int = const 2\n", folded)
        self.assertNotIn("const 6", folded)
        self.assertEqual(self.call("opt", "--pass", "inline,fold", "--pass=fold", "p.ir")[0].decode(), folded)
        self.assertEqual(self.call("opt", "-o", "out.ir", "--pass=fold", "p.ir")[0], b"")
        self.assertEqual(self.bytes("out.ir").decode(), folded)

    def test_without_a_pass_the_text_is_checked(self):
        self.file("p.ir", "; a comment\n" + HALF)
        self.assertEqual(self.call("opt", "p.ir")[0].decode(), HALF)

    def test_what_other_commands_print_can_be_read(self):
        self.file("p.str", COUNTER)
        for option in ("--emit=ir", "--emit-after=specialize"):
            text = self.call("check", option, "p.str")[0].decode()
            self.file("p.ir", text)
            printed = self.call("opt", "p.ir")[0].decode()
            self.assertIn("filter ", printed)
            self.file("q.ir", printed)
            self.assertEqual(self.call("opt", "q.ir")[0].decode(), printed)

    def test_unknown_passes(self):
        self.file("p.ir", HALF)
        _, err = self.call("opt", "--pass=fold,inlin", "p.ir", status=2)
        self.assertIn("'inlin' is not a value for --pass: ", err)
        self.assertIn("did you mean 'inline'?", err)
        _, err = self.call("opt", "--pass=lanes", "p.ir", status=2)
        self.assertIn("tensor-cse", err)
        self.call("opt", "--pass=", "p.ir", status=2)
        self.call("opt", "--pass=fold,", "p.ir", status=2)

    def test_one_file(self):
        self.file("p.ir", HALF)
        self.call("opt", status=2)
        self.call("opt", "p.ir", "p.ir", status=2)
        self.assertIn("[cannot-open-file]", self.call("opt", "nothing.ir", status=1)[1])

    def test_what_is_not_the_language_is_located(self):
        err = self.fault(HALF.replace("const 3", "constant 3"))
        self.assertIn("p.ir:7:19: error: expected an operation before 'constant' [expected-token]", err)
        self.assertIn("expected a body before the end of the file", self.fault(HALF[:-2]))
        self.assertIn("[unterminated-string]", self.fault(HALF.replace("const 3", 'const "3')))
        self.assertIn("expected a smaller register number", self.fault(HALF.replace("%4", "%4000000")))
        self.assertIn("expected a smaller type", self.fault(HALF.replace("int = pop", "int[9999999][9999999] = pop")))
        deep = "if %0 { " * 1000
        self.assertIn("fewer blocks inside of each other", self.fault(HALF.replace("push<int> %4", deep)))

    def test_what_is_malformed_is_located(self):
        err = self.fault(HALF.replace("div %0, %3", "div %0, %7"))
        self.assertIn("p.ir:9:9: error: 'p.ir' is not a valid IR file: Half.work: no such register", err)
        self.assertIn("[malformed-input]", err)
        self.assertIn("the type is missing", self.fault(HALF.replace("push<int>", "push")))
        self.assertIn("not the type of the tape's items", self.fault(HALF.replace("push<int>", "push<float>")))


if __name__ == "__main__":
    unittest.main()
