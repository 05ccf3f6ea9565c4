#!/usr/bin/env python3
"""Tests of the checks of pages, with a compiler that reports what its input says."""

import contextlib
import io
import json
import stat
import sys
import tempfile
import unittest
from pathlib import Path

import check_pages

PAGE = """# bad-thing

Why it is bad.

```file numbers.txt
1
```

```str bad
{bad}
```

run: strc run -i 1 FILE

```str good
{good}
```
"""
COMPILER = f"""#!{sys.executable}
import pathlib, sys
assert sys.argv[2] == "--diagnostics=json" and pathlib.Path("numbers.txt").read_text() == "1\\n"
if sys.argv[1] == "run":
    assert sys.argv[3:5] == ["-i", "1"]
text = pathlib.Path(sys.argv[-1]).read_text()
sys.stderr.write(text)
sys.exit(1 if "error" in text else 0)
"""


def report(severity, code, line=1):
    places = {"start": {"line": line, "column": 1}, "end": {"line": 1, "column": 2}}
    return json.dumps({"severity": severity, "code": code, "message": "it is bad",
                       "file": "x.str", "range": places})


def page(bad="", good=""):
    return check_pages.Page("bad-thing", PAGE.format(bad=bad, good=good))


class Table(unittest.TestCase):
    def faults(self, *rows):
        return check_pages.read_table("".join(row + "\n" for row in rows))[1]

    def test_good_rows(self):
        text = ('DIAG(syntax, BadThing, Error, "bad-thing",\n     "\'{name}\' is bad") // 1\n'
                'DIAG(note, Why, Note, "why",\n     "because") // -\n')
        severities, faults = check_pages.read_table(text)
        self.assertEqual(severities, {"bad-thing": "Error", "why": "Note"})
        self.assertEqual(faults, [])

    def test_faults_of_rows(self):
        self.assertIn("some rows", self.faults('DIAG(name, BadThing, Error, "bad-thing", "x")')[0])
        self.assertIn("stands for", self.faults('DIAG(name, Bad, Error, "bad-thing", "x") // 1')[0])
        self.assertIn("area", self.faults('DIAG(nose, Bad, Error, "bad", "x") // 1')[0])
        for text in ("{}", "{x", "x}", "{{x}}"):
            self.assertIn("enclose", self.faults(f'DIAG(name, Bad, Error, "bad", "{text}") // 1')[0])
        self.assertIn("period", self.faults('DIAG(name, Bad, Error, "bad", "x.") // 1')[0])
        row = 'DIAG(name, Bad, Error, "bad", "x") // 1'
        self.assertIn("twice", self.faults(row, row)[0])


class Pages(unittest.TestCase):
    def test_parts(self):
        found = page("int x;", "int y;")
        self.assertEqual(found.faults, [])
        self.assertEqual(found.prose, ["Why it is bad."])
        self.assertEqual(found.files, {"numbers.txt": "1\n"})
        self.assertEqual(found.examples["bad"].command, "strc check FILE")
        self.assertEqual(found.examples["good"].command, "strc run -i 1 FILE")
        self.assertEqual(found.examples["good"].text, "int y;\n")

    def test_faults_of_pages(self):
        for text, fault in ((PAGE.replace("# bad", "# mad"), "first line"),
                            (PAGE.replace("Why it is bad.", ""), "no paragraph"),
                            (PAGE.replace("str good", "str bad"), "two bad examples"),
                            (PAGE.replace("str good", "str better"), "unknown fence"),
                            (PAGE.replace("run: strc", "run: cc"), "does not start"),
                            (PAGE + "No example: none.\n", "says that it has none"),
                            (PAGE + "```str bad\n", "not closed"),
                            ("# bad-thing\n\nWhy.\n", "needs a bad and a good example")):
            self.assertIn(fault, " ".join(check_pages.Page("bad-thing", text).faults))

    def test_table_and_pages_agree(self):
        pages = {"bad-thing": page()}
        self.assertEqual(check_pages.check_table({"bad-thing": "Error", "why": "Note"}, pages), [])
        self.assertIn("no page", check_pages.check_table({"other": "Warning"}, {})[0])
        self.assertIn("not in diag", check_pages.check_table({}, pages)[0])
        self.assertIn("needs no", check_pages.check_table({"bad-thing": "Note"}, pages)[0])


class Examples(unittest.TestCase):
    def faults(self, severity, bad, good=""):
        with tempfile.TemporaryDirectory() as folder:
            compiler = Path(folder, "strc")
            compiler.write_text(COMPILER, encoding="ascii")
            compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
            with contextlib.redirect_stdout(io.StringIO()):
                return check_pages.check_examples(str(compiler), {"bad-thing": severity},
                                                  {"bad-thing": page(bad, good)}, set())

    def test_as_they_should_be(self):
        self.assertEqual(self.faults("Error", report("error", "bad-thing")), [])
        self.assertEqual(self.faults("Warning", report("warning", "bad-thing")), [])
        self.assertEqual(self.faults("Error", report("error", "bad-thing"),
                                     report("warning", "other-thing")), [])

    def test_faults(self):
        error = report("error", "bad-thing")
        for bad, good, fault in (
                ("", "", "does not report it"),
                (report("warning", "bad-thing"), "", "does not report it"),
                (error + "\n" + report("error", "other-thing"), "", "other errors"),
                (report("error", "bad-thing", line=0), "", "impossible place"),
                (report("error", "bad-thing", line=2), "", "impossible place"),
                (error, error, "good example is refused"),
                (error, report("warning", "bad-thing"), "good example is refused")):
            self.assertIn(fault, " ".join(self.faults("Error", bad, good)))


if __name__ == "__main__":
    unittest.main()
