#!/usr/bin/env python3
"""Makes a program smaller as long as it goes on being wrong in the same way.

reduce.py --strc STRC [-o FILE] [--reference OPTIONS] [--suspect OPTIONS] [--seconds S] PROGRAM.str
reduce.py --test COMMAND [-o FILE] PROGRAM.str

Wrong is a program that ends or prints differently under two sets of options of `strc run`: the reference
(`--interpret`) and the suspect (`-O2 --no-interpret`). With --test, wrong is one for which `COMMAND FILE`
exits with 0. The smaller program goes to PROGRAM-small.str, formatted if --strc is known.

Exit status: 0 made smaller, or as small as it can be; 1 the program is not wrong; 2 a wrong call.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<number>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdi]?)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<sign><<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|.)""",
    re.VERBOSE | re.DOTALL,
)
CLOSING = {"(": ")", "[": "]", "{": "}"}
OPERATORS = set("+ - * / % & | ^ && || == != < > <= >= << >> ?".split())
SEPARATORS = {",", ";", ":", "=", "+=", "-=", "return", "push", "add"}


class Token:
    """One piece of the program; what counts is which one it is, not what it says."""

    def __init__(self, kind, text):
        self.kind = kind
        self.text = text


class Group:
    """Tokens and groups between two brackets; of the whole program: no brackets."""

    def __init__(self, opening=None):
        self.opening = opening
        self.closing = None
        self.parts = []

    def is_block(self):
        return self.opening is None or self.opening.text == "{"

    def groups(self):
        yield self
        for part in self.parts:
            if isinstance(part, Group):
                yield from part.groups()

    def tokens(self):
        if self.opening:
            yield self.opening
        for part in self.parts:
            yield from part.tokens() if isinstance(part, Group) else (part,)
        if self.closing:
            yield self.closing


def read(text):
    return [Token(m.lastgroup, m.group()) for m in TOKEN.finditer(text) if m.lastgroup != "skip"]


def render(tokens):
    lines, line = [], []
    for token in tokens:
        line.append(token.text)
        if token.text in ";{}":
            lines.append(" ".join(line))
            line = []
    return "\n".join([*lines, " ".join(line)]) + "\n"


def tree(tokens):
    root = Group()
    stack = [root]
    for token in tokens:
        if token.text in CLOSING:
            stack.append(Group(token))
            stack[-2].parts.append(stack[-1])
        elif len(stack) > 1 and token.text == CLOSING[stack[-1].opening.text]:
            stack.pop().closing = token
        else:
            stack[-1].parts.append(token)
    return root


def flat(parts):
    for part in parts:
        yield from part.tokens() if isinstance(part, Group) else (part,)


def text_of(part):
    return None if isinstance(part, Group) else part.text


def units(group):
    """Statements and declarations of a block, as lists of its parts."""
    result, unit = [], []
    for at, part in enumerate(group.parts):
        unit.append(part)
        after = text_of(group.parts[at + 1]) if at + 1 < len(group.parts) else None
        ends = text_of(part) == ";" or (isinstance(part, Group) and part.opening.text == "{")
        if ends and after not in ("else", ";", "while", ")"):
            result.append(unit)
            unit = []
    return [*result, unit] if unit else result


def items(group):
    """Between commas, each with the comma after it (the last one: before it)."""
    result, item = [], []
    for part in group.parts:
        item.append(part)
        if text_of(part) == ",":
            result.append(item)
            item = []
    if item and result:
        comma = result[-1][-1]
        result.append([comma, *item])
    return result


def operands(group):
    """What stands on either side of an operator, with the operator."""
    for at, part in enumerate(group.parts):
        if text_of(part) not in OPERATORS:
            continue
        first, last = at, at + 1
        while first > 0 and text_of(group.parts[first - 1]) not in SEPARATORS:
            first -= 1
        while last < len(group.parts) and text_of(group.parts[last]) not in SEPARATORS:
            last += 1
        yield group.parts[at:last]
        yield group.parts[first : at + 1]


class Reducer:
    def __init__(self, tokens, wrong, seconds):
        self.tokens = tokens
        self.wrong = wrong
        self.end = time.monotonic() + seconds
        self.tried = set()

    def attempt(self, tokens):
        text = render(tokens)
        if text in self.tried or time.monotonic() > self.end:
            return False
        self.tried.add(text)
        if not self.wrong(text):
            return False
        self.tokens = tokens
        return True

    def without(self, parts):
        gone = set(flat(parts))
        return [token for token in self.tokens if token not in gone]

    def leave_out(self, chunks):
        """As many of the chunks as can be missing: first many at a time, then single ones."""
        size = len(chunks)
        while size > 0:
            at = 0
            while at < len(chunks):
                some = [part for chunk in chunks[at : at + size] for part in chunk]
                if self.attempt(self.without(some)):
                    del chunks[at : at + size]
                else:
                    at += size
            size //= 2

    def blocks(self):
        """From the outside in: what is left out there need not be looked at."""
        done = 0
        while True:
            found = [group for group in tree(self.tokens).groups() if group.is_block()]
            if done >= len(found):
                return
            self.leave_out(units(found[done]))
            done += 1

    def each(self, candidates):
        """Candidates are made anew after each success; those before it are not tried again."""
        at = 0
        while True:
            made = list(candidates(tree(self.tokens)))
            while at < len(made) and not self.attempt(made[at]()):
                at += 1
            if at >= len(made):
                return

    def unwrap(self, root):
        """A statement's block instead of the statement."""
        for group in root.groups():
            for unit in units(group) if group.is_block() else ():
                for part in unit[1:]:
                    if isinstance(part, Group) and part.opening.text == "{":
                        kept = set(part.tokens()) - {part.opening, part.closing}
                        gone = [token for token in flat(unit) if token not in kept]
                        yield lambda gone=gone: self.without(gone)

    def shorten(self, root):
        for group in root.groups():
            for chunk in (*items(group), *operands(group)):
                yield lambda chunk=chunk: self.without(chunk)

    def parameters(self, root):
        """A parameter together with its arguments."""
        named = {}
        for group in root.groups():
            for before, part in zip(group.parts, group.parts[1:]):
                if isinstance(part, Group) and getattr(before, "kind", "") == "word":
                    named.setdefault(before.text, []).append(items(part) or [part.parts])
        for lists in named.values():
            for k in range(max(map(len, lists)) if len(lists) > 1 else 0):
                chunk = [part for each in lists if k < len(each) for part in each[k]]
                yield lambda chunk=chunk: self.without(chunk)

    def pieces(self, root):
        """Every single word or pair of brackets."""
        for group in root.groups():
            for part in group.parts:
                yield lambda part=part: self.without([part])

    def simplify(self, root):
        """Brackets and numbers become small numbers."""
        for group in root.groups():
            if group.opening is not None and group.opening.text == "(":
                yield lambda group=group: self.replaced(group, "1")
        for token in self.tokens:
            if token.kind == "number":
                for text in ("0", "1", str(int(token.text) // 2) if token.text.isdigit() else "1"):
                    if text != token.text and (len(text), text) < (len(token.text), token.text):
                        yield lambda token=token, text=text: self.with_text(token, text)

    def replaced(self, group, text):
        place = Token("number", text)
        kept = self.without(group.parts + [group.closing] if group.closing else group.parts)
        return [place if token is group.opening else token for token in kept]

    def with_text(self, token, text):
        return [Token(token.kind, text) if each is token else each for each in self.tokens]

    def run(self):
        before = None
        while before != render(self.tokens) and time.monotonic() < self.end:
            before = render(self.tokens)
            self.blocks()
            for candidates in (self.unwrap, self.parameters, self.shorten, self.pieces, self.simplify):
                self.each(candidates)
        return self.tokens


# ---------------------------------------------------------------- what is wrong


def outcome(command, seconds):
    """(kind, what it printed): kinds of ends that are not alike."""
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "time", b""
    return ("fine" if done.returncode == 0 else f"status {done.returncode}"), done.stdout


def difference(strc, reference, suspect, path, seconds):
    """How the suspect differs, or None. A program that the reference does not run is of no interest."""
    run = [strc, "run", "-w", str(path)]
    expected = outcome([*run, *reference], seconds)
    if expected[0] != "fine":
        return None
    got = outcome([*run, *suspect], seconds)
    if got == expected:
        return None
    return "output" if got[0] == "fine" else got[0]


def judge(arguments, folder):
    """A function from a text to what is wrong with it, or None."""
    path = Path(folder, Path(arguments.program).name)

    def differs(text):
        path.write_text(text, encoding="latin-1")
        if arguments.test:
            command = [*shlex.split(arguments.test), str(path)]
            return "test" if outcome(command, arguments.each)[0] == "fine" else None
        options = ["--limit", str(arguments.lines)]
        return difference(
            arguments.strc,
            [*shlex.split(arguments.reference), *options],
            [*shlex.split(arguments.suspect), *options],
            path,
            arguments.each,
        )

    return differs


def formatted(strc, text):
    if not strc:
        return text
    done = subprocess.run([strc, "fmt", "-"], input=text.encode("latin-1"), capture_output=True)
    return done.stdout.decode("latin-1") if done.returncode == 0 else text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", metavar="PROGRAM.str")
    parser.add_argument("--strc", help="the compiler")
    parser.add_argument("-o", metavar="FILE", dest="output", help="default: PROGRAM-small.str")
    parser.add_argument("--reference", metavar="OPTIONS", default="--interpret")
    parser.add_argument("--suspect", metavar="OPTIONS", default="-O2 --no-interpret")
    parser.add_argument("--lines", type=int, default=100, help="of output that are compared (100)")
    parser.add_argument("--test", metavar="COMMAND", help="COMMAND FILE exits with 0: it is wrong")
    parser.add_argument("--each", type=float, default=10, help="seconds for each run (10)")
    parser.add_argument("--seconds", type=float, default=600, help="for all of it (600)")
    arguments = parser.parse_args()
    if not arguments.strc and not arguments.test:
        parser.error("--strc or --test is needed")
    text = Path(arguments.program).read_text(encoding="latin-1")
    with tempfile.TemporaryDirectory(prefix="strc-reduce-") as folder:
        differs = judge(arguments, folder)
        kind = differs(text)
        if not kind:
            print(f"{arguments.program} is not wrong", file=sys.stderr)
            return 1
        tokens = read(text)
        made = Reducer(tokens, lambda t: differs(t) == kind, arguments.seconds).run()
        small = formatted(arguments.strc, render(made))
        if differs(small) != kind:  # however it is formatted
            small = render(made)
    output = arguments.output or str(Path(arguments.program).with_suffix("")) + "-small.str"
    Path(output).write_text(small, encoding="latin-1")
    print(f"{output}: {len(made)} of {len(tokens)} words are left; wrong: {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
