#!/usr/bin/env python3
"""Checks the pages of `strc explain` against the table of diagnostics, and their examples against
the compiler.

    check_pages.py                       every error and warning has a page, and every page an entry
    check_pages.py --strc PATH           also run the examples, and compare what is reported
    check_pages.py --strc PATH NAME...   run those of some pages only

The form of a page, docs/diagnostics/NAME.md:

    # NAME
    one or more paragraphs that say why
    ```file numbers.txt         a file that the examples need (any number of them)
    run: strc check FILE        the command of the example that follows; this one if not given
    ```str bad                  a whole program that gives this diagnostic, and no other error
    ```str good                 the program mended: no errors, and not this diagnostic
    ```sh bad, ```sh good       a command without a program, instead
    No example: REASON.         instead of both

An example runs in a folder that holds nothing but
it and the files of its page.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/base/diagnostics.def"
PAGES = ROOT / "docs/diagnostics"
ROW = re.compile(r'^DIAG\((\w+), (\w+), (Error|Warning|Note), "([^"]*)",\s*"((?:[^"\\]|\\.)*)"\)'
                 r' // (.*)$', re.M)
AREAS = {"syntax", "name", "type", "place", "graph", "elab", "run", "cli", "warn", "lint", "note"}
TIMEOUT = 60


class Example:
    def __init__(self, language, text, command):
        self.language = language
        self.text = text
        self.command = command


class Page:
    """What a page says: its title, its paragraphs, files and two examples."""

    def __init__(self, name, text):
        self.name = name
        self.faults = []
        self.files = {}
        self.examples = {}
        self.reason = None
        self.prose = []
        self.command = None
        self.read(text.split("\n"))
        self.check()

    def read(self, lines):
        if lines[0] != f"# {self.name}":
            self.faults.append(f"the first line has to be '# {self.name}'")
        number = 1
        while number < len(lines):
            line = lines[number]
            number += 1
            if line.startswith("```"):
                if "```" not in lines[number:]:
                    self.faults.append(f"fence '{line}' is not closed")
                    break
                end = lines.index("```", number)
                text = "".join(l + "\n" for l in lines[number:end])
                self.fence(line[3:].split(), text)
                number = end + 1
            elif line.startswith("run: "):
                self.command = line[5:]
            elif line.startswith("No example: "):
                self.reason = line[12:]
            elif line and self.reason is None:
                self.prose.append(line)

    def fence(self, words, text):
        if len(words) != 2:
            self.faults.append(f"unknown fence '{' '.join(words)}'")
        elif words[0] == "file":
            self.files[words[1]] = text
        elif words[0] in ("str", "sh") and words[1] in ("bad", "good"):
            if words[1] in self.examples:
                self.faults.append(f"two {words[1]} examples")
            command = text.strip() if words[0] == "sh" else self.command or "strc check FILE"
            self.examples[words[1]] = Example(words[0], text, command)
            self.command = None
        else:
            self.faults.append(f"unknown fence '{' '.join(words)}'")

    def check(self):
        if not self.prose:
            self.faults.append("no paragraph")
        if self.reason is None and set(self.examples) != {"bad", "good"}:
            self.faults.append("needs a bad and a good example, or 'No example: REASON.'")
        if self.reason is not None and self.examples:
            self.faults.append("has examples and says that it has none")
        for example in self.examples.values():
            if not example.command.startswith("strc "):
                self.faults.append(f"'{example.command}' does not start with 'strc'")


def read_table(text):
    """Severity of each entry by its public name, and what is wrong with the table itself."""
    rows = ROW.findall(text)
    faults = []
    if len(rows) != len(re.findall(r"^DIAG\(", text, re.M)):
        faults.append("some rows of the table are not of the form DIAG(...) // numbers")
    severities = {}
    for area, enum, severity, name, message, _ in rows:
        expected = re.sub(r"(?<!^)([A-Z])", r"-\1", enum).lower()
        if name != expected:
            faults.append(f"{name}: its C++ name {enum} stands for {expected}")
        if name in severities:
            faults.append(f"{name}: listed twice")
        if area not in AREAS:
            faults.append(f"{name}: unknown area {area}")
        if message.endswith("."):
            faults.append(f"{name}: the message ends with a period")
        if re.search(r"[{}]", re.sub(r"\{[^{}]+\}", "", message)):
            faults.append(f"{name}: '{{' and '}}' do not enclose what stands for an argument")
        severities[name] = severity
    return severities, faults


def check_table(severities, pages):
    faults = []
    for name, severity in severities.items():
        if severity != "Note" and name not in pages:
            faults.append(f"{name}: no page docs/diagnostics/{name}.md")
        if severity == "Note" and name in pages:
            faults.append(f"{name}: a note needs no page")
    for name, page in pages.items():
        if name not in severities:
            faults.append(f"{name}: has a page, but is not in diagnostics.def")
        faults += [f"{name}: {fault}" for fault in page.faults]
    return faults


def run(strc, page, example):
    """The diagnostics that the example's command reports, and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in page.files.items():
            pathlib.Path(folder, name).write_text(text, encoding="ascii")
        source = f"{page.name}.str"
        if example.language == "str":
            pathlib.Path(folder, source).write_text(example.text, encoding="ascii")
        words = [source if word == "FILE" else word for word in shlex.split(example.command)]
        command = [strc, words[1], "--diagnostics=json", *words[2:]]
        environment = dict(os.environ, LC_ALL="C")
        result = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=TIMEOUT, check=False)
    found = []
    for line in result.stderr.decode("utf-8", "replace").splitlines():
        if line.startswith("{"):
            found.append(json.loads(line))
        else:
            found.append({"severity": "text", "code": "", "message": line})
    return found, result.returncode


def describe(found):
    return "".join(f"\n    {d['severity']}: {d['message']} [{d['code']}]" for d in found)


def judge(name, severity, kind, found, status):
    """What is wrong with the reports about an example of this diagnostic, or None."""
    codes = [d["code"] for d in found if d["severity"] == severity.lower()]
    errors = {d["code"] for d in found if d["severity"] == "error"}
    if kind == "good":
        if errors or status != 0 or any(d["code"] == name for d in found):
            return f"the good example is refused (exit status {status}):{describe(found)}"
        return None
    if name not in codes:
        return f"the bad example does not report it (exit status {status}):{describe(found)}"
    if errors - {name}:
        return f"the bad example reports other errors as well:{describe(found)}"
    if status != (1 if severity == "Error" else 0) and not (severity == "Error" and status == 2):
        return f"the bad example ends with exit status {status}"
    if severity == "Error" and not all(has_place(d) for d in found if d["code"] == name):
        return f"the bad example is reported at an impossible place:{describe(found)}"
    return None


def has_place(diagnostic):
    """A diagnostic that names a file has to name a place in it."""
    if not diagnostic.get("file") or not diagnostic.get("range"):
        return True
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    return (1, 1) <= (start["line"], start["column"]) <= (end["line"], end["column"])


def check_examples(strc, severities, pages, names):
    def one(task):
        page, kind = task
        try:
            found, status = run(strc, page, page.examples[kind])
        except subprocess.TimeoutExpired:
            return f"{page.name}: the {kind} example does not end"
        fault = judge(page.name, severities[page.name], kind, found, status)
        return f"{page.name}: {fault}" if fault else None

    tasks = [(page, kind) for page in pages.values() for kind in sorted(page.examples)
             if not names or page.name in names]
    with ThreadPoolExecutor(max_workers=2) as pool:
        faults = [fault for fault in pool.map(one, tasks) if fault]
    print(f"{len(tasks)} examples, {len(faults)} faults")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--strc", help="the compiler; run the examples with it")
    parser.add_argument("names", nargs="*", help="run the examples of these pages only")
    options = parser.parse_args()

    severities, faults = read_table(TABLE.read_text(encoding="ascii"))
    pages = {path.stem: Page(path.stem, path.read_text(encoding="ascii"))
             for path in sorted(PAGES.glob("*.md"))}
    faults += check_table(severities, pages)
    if options.strc and not faults:
        strc = str(pathlib.Path(options.strc).resolve())
        faults = check_examples(strc, severities, pages, set(options.names))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(severities)} diagnostics, {len(pages)} pages: "
          + ("all as they should be" if not faults else f"{len(faults)} faults"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
