#!/usr/bin/env python3
"""Each warning by itself: switched off, made an error, on with the others. The programs are those of
the diagnostics' pages."""

import json
import shlex
import sys
import unittest
from pathlib import Path

from command import Case

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "diag"))
import check_pages  # noqa: E402

# Of a broken binary file (build_test.py), of sounds (sounds_test.py) and of devices (tests/devices).
ELSEWHERE = {"short-file", "sound-channels", "sound-rate", "dropouts"}
OF_CALLS = {"renamed-pass"}  # never errors: the program has no fault
OFF = {"missing-stateful", "integer-division"}  # unless asked for
NAMES = [
    name
    for name, severity in check_pages.read_table(check_pages.TABLE.read_text(encoding="utf-8"))[0].items()
    if severity == "Warning" and name not in ELSEWHERE
]


class Warnings(Case):
    def report(self, name, *options, status=0):
        """What is reported about the bad program of a warning: (severity, name) of each."""
        text = (check_pages.PAGES / f"{name}.md").read_text(encoding="utf-8")
        page = check_pages.Page(name, text)
        for file, contents in page.files.items():
            self.file(file, contents)
        self.file("p.str", page.examples["bad"].text)
        words = [word for word in shlex.split(page.examples["bad"].command)[1:] if not word.startswith("-W")]
        words = ["p.str" if word == "FILE" else word for word in words]
        _, err = self.call(words[0], "--diagnostics=json", *options, *words[1:], status=status)
        return [(d["severity"], d["code"]) for d in map(json.loads, err.splitlines())]

    def test_all_are_there(self):
        self.assertGreater(len(NAMES), 15)
        self.assertLess(OFF, set(NAMES))

    def test_on_or_off(self):
        for name in NAMES:
            with self.subTest(name):
                self.assertEqual(("warning", name) in self.report(name), name not in OFF)
                self.assertIn(("warning", name), self.report(name, f"-W{name}"))
                self.assertIn(("warning", name), self.report(name, "-Wno-all", f"-W{name}"))

    def test_silenced(self):
        for name in NAMES:
            for options in ((f"-Wno-{name}",), ("-Wall", f"-Wno-{name}"), ("-Wno-all",), ("-w",), ("-w", "-Wall")):
                with self.subTest(name, options=options):
                    self.assertNotIn(name, [code for _, code in self.report(name, *options)])

    def test_as_errors(self):
        for name in NAMES:
            if name in OF_CALLS:
                continue
            with self.subTest(name):
                self.assertIn(("error", name), self.report(name, f"-Werror={name}", status=1))
                self.assertIn(("error", name), self.report(name, f"-W{name}", "-Werror", status=1))
                self.assertIn(("error", name), self.report(name, "-Wall", "-Werror", status=1))

    def test_others_are_left_alone(self):
        for name, other in zip(NAMES, NAMES[1:] + NAMES[:1]):
            with self.subTest(name):
                found = self.report(name, f"-W{name}", f"-Werror={other}", f"-Wno-{other}")
                self.assertIn(("warning", name), found)


if __name__ == "__main__":
    unittest.main()
