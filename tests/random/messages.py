#!/usr/bin/env python3
"""Runs random programs that send messages on one thread and on several, and compares them with the interpreter, which does one firing after
the other.

messages.py --strc BINARY [--first SEED] [--count N] [--jobs N] [--library]

With --library they are libraries, whose calls several threads share.

A program that fails is written to the current folder as messages-SEED.str.
"""

import argparse
import array
import concurrent.futures
import os
import random
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import execute  # noqa: E402

ENGINES = {
    "1 thread": ["-j1"],
    "2 threads": ["-j2", "--no-tune", "--chunk=1"],
    "3 threads": ["-j3", "--no-tune", "--chunk=4"],
    "16 threads": ["-j16", "--no-tune", "--chunk=2"],
    "3 threads, long chunks": ["-j3", "--no-tune"],
}
LINES = 400
ITEMS = 3000  # that a library takes
BOUNDS = [20, 1000, 100000]  # messages that may wait
MOST_STAGES = 9


class Program:
    """A pipeline, some of whose filters send to others, by portals of their own."""

    def __init__(self, seed, is_library=False):
        self.random = random.Random(seed)
        self.is_library = is_library
        self.filters = []
        count = self.random.randint(4, MOST_STAGES)
        self.rates = [(self.random.randint(1, 3), self.random.randint(1, 3)) for _ in range(count)]
        self.peeks = [self.random.choice([0, 0, 0, 2]) for _ in range(count)]
        self.besides = [self.random.random() < 0.2 for _ in range(count)]  # in a branch beside another one
        self.portals = []  # (senders, receivers, latency)
        for _ in range(self.random.randint(1, 3)):
            self.add_portal(count)

    def add_portal(self, count):
        receivers = self.random.sample(range(count), self.random.choice([1, 1, 1, 2]))
        senders = self.random.sample(range(count), self.random.choice([1, 1, 1, 2]))
        latency = self.random.choice(["", "[0:0]", "[1:1]", "[1:3]", "[40:40]", "[*]", "[x & 3:x & 3]"])
        if self.random.random() < 0.2 and all(s < r for s in senders for r in receivers):
            latency = "[-2:-2]"
        self.portals.append((senders, receivers, latency))

    def stage(self, index):
        pop, push = self.rates[index]
        peek = pop + self.peeks[index]
        own = [(k, p) for k, p in enumerate(self.portals) if index in p[0]]
        parameters = ", ".join(f"portal<Base{r}> p{k}_{r}" for k, p in own for r in p[1])
        body = [f"int x = n * {self.random.choice([0, 1, 7])}; n++;"]
        body += [f"for (int k = 0; k < {peek}; k++) x = x * 31 + peek(k);"]
        rounds = self.random.choice([1, 20]) * (30 if self.is_library else 1)  # worth a hand-over
        body += [f"for (int k = 0; k < {rounds}; k++) x = x * 5 + (x >> 3);"]
        body += ["for (int k = 0; k < %d; k++) pop();" % pop]
        sends = []
        for k, p in own:
            often = self.random.choice([1, 3, 17])
            sends += [f"if ((x & 255) % {often} == 0) p{k}_{r}.set(x) {p[2]};" for r in p[1]]
        body += sends
        body.append(f"for (int k = 0; k < {push}; k++) push(x + told * k);")
        told = self.random.choice(["v", "v", "v + iter()", "v + n"])
        # Seldom, so that what is told does not become more and more.
        passes_on = "int x = told; if ((x >> 2 & 15) == 5) { %s }" % " ".join(sends) if self.random.random() < 0.3 else ""
        rates = f"peek {peek} pop {pop} push {push}"
        prework = f"\n  prework {rates} {{ {' '.join(body)} }}" if self.random.random() < 0.2 else ""
        return (
            f"int->int filter Base{index}({parameters}) {{ int told = 1; int n; "
            f"handler set(int v) {{ told = told * 3 + {told}; {passes_on} }}{prework}\n"
            f"  work {rates} {{\n    " + "\n    ".join(body) + "\n  }\n}\n"
        )

    def beside(self, index):
        """Has the rates of that stage."""
        pop, push = self.rates[index]
        body = f"int x = 0; for (int k = 0; k < {pop}; k++) x += pop(); for (int k = 0; k < {push}; k++) push(x ^ k);"
        return f"add int->int filter {{ work pop {pop} push {push} {{ {body} }} }};"

    def text(self):
        count = len(self.rates)
        lines = ["int->int pipeline Main {" if self.is_library else "void->void pipeline Main {"]
        for k, p in enumerate(self.portals):
            lines += [f"  portal<Base{r}> p{k}_{r};" for r in p[1]]
        if not self.is_library:
            lines.append("  add void->int filter { int i; work push 1 { push(i * 7919); i++; } };")
        for index in range(count):
            given = ", ".join(f"p{k}_{r}" for k, p in enumerate(self.portals) if index in p[0] for r in p[1])
            to = ", ".join(f"p{k}_{index}" for k, p in enumerate(self.portals) if index in p[1])
            stage = f"add Base{index}({given})" + (f" to {to}" if to else "") + ";"
            if self.besides[index]:
                stage = f"add splitjoin {{ split roundrobin; {stage} {self.beside(index)} join roundrobin; }};"
            lines.append(f"  {stage}")
        if not self.is_library:
            lines.append("  add int->void filter { work pop 1 { println(pop()); } };")
        return "\n".join([*lines, "}", ""]) + "".join(self.stage(k) for k in range(count))


def run(strc, options, folder):
    words = [strc, "run", *options, "-w", "--limit", str(LINES), "program.str"]
    return execute.run(words, folder)


def check(strc, seed):
    """What is wrong, or None; and whether the program runs to its limit."""
    with tempfile.TemporaryDirectory(prefix="strc-messages-") as folder:
        Path(folder, "program.str").write_text(Program(seed).text(), encoding="ascii")
        expected = run(strc, ["--interpret"], folder)
        if expected.fault or expected.status not in (0, 1, 2, 3):
            return f"the interpreter: {expected.fault or expected.err}", False
        for name, options in ENGINES.items():
            os.environ["STRC_TEST_DELAYS"] = str(seed)
            got = run(strc, [*options, "--no-interpret"], folder)
            if got.fault:
                return f"{name}: {got.fault}", False
            if (got.out, got.status, got.err) != (expected.out, expected.status, expected.err):
                return f"{name}: status {got.status} instead of {expected.status}, {got.err[:300]}", False
    return None, expected.status == 0


def check_library(strc, seed):
    """The same of a library. A program that the interpreter refuses, or that faults, says nothing about it."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="strc-messages-") as folder:
        Path(folder, "program.str").write_text(Program(seed, True).text(), encoding="ascii")
        Path(folder, "in.raw").write_bytes(array.array("i", [k * 7919 for k in range(ITEMS)]).tobytes())
        expected = execute.run([strc, "run", "--interpret", "--top=Main", "-w", "--in", "in.raw", "--out", "want.raw", "program.str"], folder)
        if expected.status != 0:
            return None, False
        want = Path(folder, "want.raw").read_bytes()
        bound, said, is_whole = draw.choice(BOUNDS), "", True
        options = [f"--bound={bound}", "--threads=16", "--top=Main", "-w", "-o", "p.so", "program.str"]
        built = execute.run([strc, "build", "--shared", *options], folder)
        if built.status != 0:
            return f"strc build: {built.err[:300]}", False
        for threads in (1, 2, 3, 16):
            os.environ["STRC_TEST_DELAYS"] = str(seed)
            words = [sys.executable, HERE / "play.py", "./p.so", "Main", "in.raw", "out.raw", str(threads), str(seed)]
            got = execute.run([str(word) for word in words], folder)
            given = Path(folder, "out.raw").read_bytes() if got.status in (0, 3) else b""
            if threads == 1 and got.status == 3 and want.startswith(given):
                want, said, is_whole = given, got.err, False  # too many wait: all have to say so at the same place
            if got.status not in (0, 3) or given != want or got.err != said:
                return f"a library with {threads} threads, --bound={bound}: status {got.status}, {got.err[:300]}", False
    return None, is_whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", type=os.path.abspath, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--library", action="store_true")
    arguments = parser.parse_args()
    failed = ran = 0
    seeds = range(arguments.first, arguments.first + arguments.count)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        results = pool.map(check_library if arguments.library else check, [arguments.strc] * len(seeds), seeds)
        for seed, (fault, is_whole) in zip(seeds, results):
            ran += is_whole
            if fault:
                failed += 1
                Path(f"messages-{seed}.str").write_text(Program(seed, arguments.library).text(), encoding="ascii")
                print(f"FAILED seed {seed}, {fault}", flush=True)
    print(f"{arguments.count - failed} passed, {failed} failed, {ran} ran to their limit")
    return 1 if failed or 2 * ran < arguments.count else 0


if __name__ == "__main__":
    sys.exit(main())
