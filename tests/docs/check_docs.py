#!/usr/bin/env python3
"""Checks the documentation: links lead somewhere, and programs do what their pages say.

    check_docs.py                       every relative link of every page has a target
    check_docs.py --strc PATH           also run the programs and commands of the pages
    check_docs.py --strc PATH PAGE...   run those of some pages only (docs/tour.md, README.md)

What is run is marked behind the language of a fence. The parts of a page share a folder, which
holds `strc` and the checkout's `examples` and `include` from the start, and are used in order:

    ```str run          a whole program; the lines of the ```output that follows are the first that
                        it prints, and all that it prints if it ends. It may not give warnings.
    ```str file NAME    a program that is only put into the folder, for a command that follows
    ```file NAME        the same for any other file
    ```str check        a whole program that has to be accepted without a warning
    ```sh run           commands; ```output is what they print (standard error too), the status is 0
    ```sh fails         the same, but the last command has to fail
    ```repl run         a conversation with `strc repl`: what is typed stands behind `strc> ` and `...> `,
                        the rest is what is shown. The conversations of a page are one session.
    ```str, ```sh, ...  without such a word: only to be read

Indented lines `    strc ...` are calls, up to two blanks in a row; they have to be possible. Files named
in them need not exist. Words in brackets or capitals make a line one that is only to be read.

Every page of docs/ is linked from docs/index.md, those of diagnostics/ as a folder. docs/tensors.md names every operation
on tensors that can be called.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 60
LINK = re.compile(r"\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(([^()\s]+)\)")
EXTERNAL = ("http://", "https://", "mailto:")


def pages_of(root):
    found = [root / "README.md", root / "CHANGELOG.md"]
    for folder in ("docs", "examples", "benchmarks", "tests"):
        found += sorted((root / folder).glob("**/*.md"))
    return [path for path in found if path.is_file()]


# ---------------------------------------------------------------- links

def without_code(text):
    """The text without fences and `code`, in which links mean nothing."""
    text = re.sub(r"^(```|~~~).*?^\1[ \t]*$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "``", text)


def anchors_of(text):
    """The anchors that headings get on GitHub."""
    text = re.sub(r"^(```|~~~).*?^\1[ \t]*$", "", text, flags=re.M | re.S)
    anchors = set()
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", text, flags=re.M):
        words = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        anchor, count = words, 0
        while anchor in anchors:
            count += 1
            anchor = f"{words}-{count}"
        anchors.add(anchor)
    return anchors


def check_links(path, text):
    faults = []
    for target in LINK.findall(without_code(text)):
        if target.startswith(EXTERNAL):
            continue
        name, _, anchor = target.partition("#")
        other = path if not name else (path.parent / name).resolve()
        if not other.exists():
            faults.append(f"link to {target}: there is no such file")
        elif anchor and other.suffix == ".md" and \
                anchor not in anchors_of(other.read_text(encoding="utf-8")):
            faults.append(f"link to {target}: there is no such heading")
    return faults


def check_index(root):
    """Pages that the index does not have."""
    index = root / "docs/index.md"
    linked = {(index.parent / target.partition("#")[0]).resolve()
              for target in LINK.findall(without_code(index.read_text(encoding="utf-8")))}
    return [f"docs/index.md: no link to {page.relative_to(root)}"
            for page in sorted((root / "docs").glob("**/*.md"))
            if page != index and not linked & {page.resolve(), *page.resolve().parents}]


FUNCTION = re.compile(r"^(?:FN|ELEMENTS)\(\w+, \"(\w+)\", \"[^\"]+\", (?:Call|Maker)\b", re.M)


def check_operations(table, page):
    """Operations on tensors that programs can call, and the page's section does not have."""
    section = page.partition("\n## Operations\n")[2].partition("\n## ")[0]
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]*`", section))))
    return [f"docs/tensors.md: no '{name}' among the operations"
            for name in FUNCTION.findall(table) if name not in words]


# ---------------------------------------------------------------- calls

CALL = re.compile(r"^    strc (\S+(?: \S+)*)(?:  .*)?$", re.M)
STAND_IN = """void->void pipeline Main { add CsvReader<int>("numbers.txt"); add IntPrint; }
"""
LIBRARY = "int->int filter Same { work pop 1 push 1 { push(pop()); } }\n"


def calls_of(text):
    """The calls in indented lines that can be tried."""
    text = re.sub(r"^(```|~~~).*?^\1[ \t]*$", "", text, flags=re.M | re.S)
    return [call for call in CALL.findall(text) if not re.search(r"[\[…]|\b[A-Z]{2,}\b", call)]


def check_call(strc, call):
    """What is wrong with a call, or None; programs that end stand in for those named in it."""
    with Folder(strc) as folder:
        (folder.path / "numbers.txt").write_text("1 2 3\n", encoding="ascii")
        programs = [word for word in call.split() if word.endswith(".str")]
        if any(pathlib.Path(name).parts[0] == "examples" for name in programs):
            return f"strc {call}: a stand-in would be written over a file of the checkout; put the call into a fence"
        for name in programs:
            text = STAND_IN if name == programs[-1] else LIBRARY
            (folder.path / name).write_text(text, encoding="ascii")
        try:
            result = folder.run(["strc", *call.split()])
        except subprocess.TimeoutExpired:
            return f"strc {call}: it does not end"
        if result.returncode != 0:
            return f"strc {call}: exit status {result.returncode}:\n{result.stderr}"
    return None


# ---------------------------------------------------------------- programs

class Part:
    """One fence that means something, and the output that belongs to it."""

    def __init__(self, line, words, text):
        self.line = line
        self.words = words
        self.text = text
        self.output = None


def parts_of(text):
    """The parts of a page in order, and what is wrong with its fences."""
    parts, faults = [], []
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        opening = re.match(r"(```+)\s*(.*?)\s*$", lines[number])
        number += 1
        if not opening:
            continue
        start = number
        if opening[1] not in lines[start:]:
            faults.append(f"line {start}: the fence is not closed")
            break
        end = lines.index(opening[1], start)
        body = "".join(line + "\n" for line in lines[start:end])
        number = end + 1
        words = opening[2].split()
        if words == ["output"]:
            if not parts or parts[-1].output is not None or parts[-1].words[1] not in ("run", "fails"):
                faults.append(f"line {start}: output of nothing")
            else:
                parts[-1].output = body
        elif known(words):
            parts.append(Part(start, words, body))
        elif len(words) > 1 or words[:1] == ["file"]:
            faults.append(f"line {start}: unknown fence '{opening[2]}'")
    for part in parts:
        if part.output is None and part.words[1] in ("run", "fails") and part.words[0] != "repl":
            faults.append(f"line {part.line}: no output")
    return parts, faults


def known(words):
    return words in (["str", "run"], ["str", "check"], ["sh", "run"], ["sh", "fails"],
                     ["repl", "run"]) or \
        (len(words) == 3 and words[:2] == ["str", "file"]) or \
        (len(words) == 2 and words[0] == "file")


def exchanges_of(text):
    """What is typed and what is shown then, of a conversation."""
    found = []
    for line in text.splitlines(keepends=True):
        if line.startswith(("strc> ", "strc>\n")):
            found.append([line[6:], ""])
        elif line.startswith("...> ") and found:
            found[-1][0] += line[5:]
        elif found:
            found[-1][1] += line
    return found


class Prompt:
    """A session of `strc repl`."""

    def __init__(self, folder):
        self.process = subprocess.Popen(["strc", "repl", "--json"], cwd=folder.path, text=True,
                                        env=folder.environment, encoding="utf-8",
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def say(self, text):
        """What is shown."""
        self.process.stdin.write(json.dumps({"op": "eval", "text": text}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["output"] + "".join(each["text"] for each in answer["diagnostics"])

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(TIMEOUT)


class Folder:
    """Where the parts of one page are used."""

    def __init__(self, strc):
        self.holder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.holder.name)
        (self.path / "strc").symlink_to(strc)
        for name in ("examples", "include"):
            (self.path / name).symlink_to(ROOT / name)
        self.environment = dict(os.environ, LC_ALL="C", PATH=f"{self.path}:{os.environ['PATH']}")

        self.prompt = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.prompt:
            self.prompt.end()
        self.holder.cleanup()

    def converse(self, text):
        """What is wrong with a conversation, or None."""
        self.prompt = self.prompt or Prompt(self)
        for typed, expected in exchanges_of(text):
            if fault := difference(expected, self.prompt.say(typed)):
                return f"{typed.strip()}: {fault}"
        return None

    def run(self, command, mixed=False):
        return subprocess.run(command, cwd=self.path, env=self.environment, text=True,
                              encoding="utf-8", errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT if mixed else subprocess.PIPE,
                              timeout=TIMEOUT, check=False)

    def use(self, part):
        """What is wrong with the part, or None."""
        language, word = part.words[0], part.words[1]
        if language == "file" or word == "file":
            (self.path / part.words[-1]).write_text(part.text, encoding="utf-8")
            return None
        if language == "repl":
            return self.converse(part.text)
        if language == "sh":
            result = self.run(["sh", "-c", part.text], mixed=True)
            if (result.returncode != 0) != (word == "fails"):
                return f"exit status {result.returncode}:\n{result.stdout}"
            return difference(part.output, result.stdout)
        (self.path / "program.str").write_text(part.text, encoding="ascii")
        command = ["strc", "check", "program.str"]
        if word == "run":
            lines = str(part.output.count("\n"))
            command = ["strc", "run", "--limit", lines, "program.str"]
        result = self.run(command)
        if result.returncode != 0 or result.stderr:
            return f"exit status {result.returncode}:\n{result.stderr}"
        return difference(part.output or "", result.stdout)


def difference(expected, found):
    if expected == found:
        return None
    return f"it should print\n{indent(expected)}but prints\n{indent(found)}"


def indent(text):
    return "".join(f"    {line}\n" for line in text.splitlines()) or "    (nothing)\n"


def check_programs(strc, parts):
    """The faults of one page."""
    faults = []
    with Folder(strc) as folder:
        for part in parts:
            try:
                fault = folder.use(part)
            except subprocess.TimeoutExpired:
                fault = "it does not end"
            if fault:
                faults.append(f"line {part.line}: {fault}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--strc", help="the compiler; run what is marked to be run")
    parser.add_argument("pages", nargs="*", help="only these pages")
    options = parser.parse_args()
    pages = [pathlib.Path(page).resolve() for page in options.pages] or pages_of(ROOT)

    faults, all_parts, calls = check_index(ROOT), [], []
    faults += check_operations((ROOT / "src/types/tensor_functions.def").read_text(encoding="utf-8"),
                               (ROOT / "docs/tensors.md").read_text(encoding="utf-8"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT)
        found = check_links(page, text)
        if "diagnostics" not in name.parts:         # these have a form and a check of their own
            parts, wrong = parts_of(text)
            found += wrong
            calls += [(name, call) for call in calls_of(text)]
            if parts and not wrong:
                all_parts.append((name, parts))
        faults += [f"{name}: {fault}" for fault in found]

    count = 0
    if options.strc:
        strc = pathlib.Path(options.strc).resolve()
        count = sum(len(parts) for _, parts in all_parts) + len(calls)
        faults += [f"{name}: {fault}" for name, call in calls if (fault := check_call(strc, call))]
        with ThreadPoolExecutor(max_workers=2) as pool:
            results = pool.map(lambda page: check_programs(strc, page[1]), all_parts)
            for (name, _), found in zip(all_parts, results):
                faults += [f"{name}: {fault}" for fault in found]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(pages)} pages, {count} parts used, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
