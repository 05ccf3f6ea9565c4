#!/usr/bin/env python3
"""Tests of the checks of pages, with a compiler that prints what its input says."""

import stat
import sys
import tempfile
import unittest
from pathlib import Path

import check_docs

COMPILER = f"""#!{sys.executable}
import sys
text = open(sys.argv[-1]).read()
lines = [line[2:] for line in text.splitlines() if line.startswith("p ")]
if sys.argv[1] == "run":
    limit = int(sys.argv[sys.argv.index("--limit") + 1]) if "--limit" in sys.argv else 100
    print("".join(line + "\\n" for line in lines[:limit]), end="")
if "warning" in text or "error" in text:
    print(text.split()[0], file=sys.stderr)
sys.exit("error" in text)
"""


class Operations(unittest.TestCase):
    TABLE = 'FN(A, "add", "TT", Operator, x)\nELEMENTS(B, "relu", "T", Call, y)\nFN(C, "ones", "i*", Maker, z)\n'

    def test_all_there(self):
        page = "# T\n## Operations\n| `relu gelu` | `ones(2)` |\n## Next\n"
        self.assertEqual(check_docs.check_operations(self.TABLE, page), [])

    def test_missing(self):
        page = "`relu`\n## Operations\nrelu, `ones(2)`\n## Next\n`relu`\n"
        self.assertEqual(check_docs.check_operations(self.TABLE, page),
                         ["docs/tensors.md: no 'relu' among the operations"])


class Links(unittest.TestCase):
    def faults(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            Path(folder, "other.md").write_text("# One: `two`\n\n## One two\n\n# One two\n",
                                                encoding="utf-8")
            return check_docs.check_links(page.resolve(), text)

    def test_good_links(self):
        self.assertEqual(self.faults("[a](other.md) [b](other.md#one-two) [c](other.md#one-two-2)\n"
                                     "[d](https://example.org/x) ![`e` [f]](other.md)\n"
                                     "`[g](nothing.md)`\n```\n[h](nothing.md)\n```\n"), [])

    def test_bad_links(self):
        self.assertIn("no such file", self.faults("see [a](nothing.md).")[0])
        self.assertIn("no such heading", self.faults("[a](other.md#three)")[0])


class Index(unittest.TestCase):
    def test_pages_without_a_link(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name in ("index", "one", "two", "all/three", "some/four"):
                (root / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
                (root / "docs" / f"{name}.md").write_text("[a](one.md#b) [c](all) `[d](two.md)`\n",
                                                          encoding="utf-8")
            self.assertEqual([fault.split()[-1] for fault in check_docs.check_index(root)],
                             ["docs/some/four.md", "docs/two.md"])


class Calls(unittest.TestCase):
    def test_which_are_tried(self):
        self.assertEqual(check_docs.calls_of("x\n\n    strc run -i 4 a.str   four of them\n    strc check a.str\n"
                                             "    strc explain NAME\n    strc fmt [FILE...]\n    ./strc run b.str\n"
                                             "```\n    strc run c.str\n```\n"), ["run -i 4 a.str", "check a.str"])

    def test_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            compiler = Path(folder, "compiler")
            compiler.write_text(f"#!{sys.executable}\nimport sys\nopen('a.str'), open('b.str')\n"
                                "sys.exit('--wrong' in sys.argv)\n", encoding="ascii")
            compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
            self.assertIsNone(check_docs.check_call(compiler, "run a.str b.str"))
            self.assertIn("exit status 1", check_docs.check_call(compiler, "run --wrong a.str b.str"))


class Fences(unittest.TestCase):
    def faults(self, text):
        return " ".join(check_docs.parts_of(text)[1])

    def test_parts(self):
        parts, faults = check_docs.parts_of(
            "x\n```str run\np 1\n```\nso\n```output\n1\n```\n```file a.txt\n2\n```\n"
            "```str\nx\n```\n```\nplain\n```\n```str file b.str\ny\n```\n")
        self.assertEqual(faults, [])
        self.assertEqual([part.words[-1] for part in parts], ["run", "a.txt", "b.str"])
        self.assertEqual((parts[0].text, parts[0].output), ("p 1\n", "1\n"))

    def test_faults(self):
        for text, fault in (("```output\n1\n```\n", "output of nothing"),
                            ("```str check\n```\n```output\n```\n", "output of nothing"),
                            ("```str run\n```\n", "no output"),
                            ("```sh fails\n```\n", "no output"),
                            ("```str go\n```\n", "unknown fence"),
                            ("```file\n```\n", "unknown fence"),
                            ("```str\nx\n", "not closed")):
            self.assertIn(fault, self.faults(text))


class Programs(unittest.TestCase):
    def faults(self, text):
        parts, wrong = check_docs.parts_of(text)
        self.assertEqual(wrong, [])
        with tempfile.TemporaryDirectory() as folder:
            compiler = Path(folder, "compiler")
            compiler.write_text(COMPILER, encoding="ascii")
            compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
            return " ".join(check_docs.check_programs(compiler, parts))

    def test_as_they_should_be(self):
        self.assertEqual(self.faults(
            "```str run\np 1\np 2\np 3\n```\n```output\n1\n2\n```\n"
            "```str check\np 1\n```\n"
            "```str file a.str\np 7\n```\n```file b.txt\n8\n```\n"
            "```sh run\nstrc run a.str\ncat b.txt\n```\n```output\n7\n8\n```\n"
            "```str file bad.str\nerror\n```\n"
            "```sh fails\n./strc check bad.str\n```\n```output\nerror\n```\n"), "")

    def test_faults(self):
        for text, fault in (
                ("```str run\np 1\n```\n```output\n2\n```\n", "should print"),
                ("```str run\np 1\n```\n```output\n1\n2\n```\n", "should print"),
                ("```str run\nwarning\n```\n```output\n```\n", "exit status 0"),
                ("```str check\nerror\n```\n", "exit status 1"),
                ("```str check\nwarning\n```\n", "exit status 0"),
                ("```sh run\nfalse\n```\n```output\n```\n", "exit status 1"),
                ("```sh fails\ntrue\n```\n```output\n```\n", "exit status 0"),
                ("```sh run\necho a >&2\n```\n```output\n```\n", "should print")):
            self.assertIn(fault, self.faults(text))


if __name__ == "__main__":
    unittest.main()
