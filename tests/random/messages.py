#!/usr/bin/env python3
"""Runs random programs that send messages on one thread and on several, and compares them with the interpreter, which does one firing after
the other.

messages.py --strc BINARY [--first SEED] [--count N] [--jobs N]

A program that fails is written to the current folder as messages-SEED.str.
"""

import argparse
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
MOST_STAGES = 9


class Program:
    """A pipeline, some of whose filters send to others, by portals of their own."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.filters = []
        count = self.random.randint(4, MOST_STAGES)
        self.rates = [(self.random.randint(1, 3), self.random.randint(1, 3)) for _ in range(count)]
        self.peeks = [self.random.choice([0, 0, 0, 2]) for _ in range(count)]
        self.portals = []  # (senders, receivers, latency)
        for _ in range(self.random.randint(1, 3)):
            self.add_portal(count)

    def add_portal(self, count):
        receivers = self.random.sample(range(count), self.random.choice([1, 1, 1, 2]))
        senders = self.random.sample(range(count), self.random.choice([1, 1, 1, 2]))
        latency = self.random.choice(["", "[0:0]", "[1:1]", "[3:3]", "[40:40]", "[*]", "[x & 3:x & 3]"])
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
        body += [f"for (int k = 0; k < {self.random.choice([1, 20])}; k++) x = x * 5 + (x >> 3);"]
        body += ["for (int k = 0; k < %d; k++) pop();" % pop]
        for k, p in own:
            often = self.random.choice([1, 3, 17])
            for r in p[1]:
                body.append(f"if ((x & 255) % {often} == 0) p{k}_{r}.set(x) {p[2]};")
        body.append(f"for (int k = 0; k < {push}; k++) push(x + told * k);")
        handler = "handler set(int v) { told = told * 3 + v; }"
        return (
            f"int->int filter Base{index}({parameters}) {{ int told = 1; int n; {handler}\n"
            f"  work peek {peek} pop {pop} push {push} {{\n    " + "\n    ".join(body) + "\n  }\n}\n"
        )

    def text(self):
        count = len(self.rates)
        lines = ["void->void pipeline Main {"]
        for k, p in enumerate(self.portals):
            lines += [f"  portal<Base{r}> p{k}_{r};" for r in p[1]]
        lines.append("  add void->int filter { int i; work push 1 { push(i * 7919); i++; } };")
        for index in range(count):
            given = ", ".join(f"p{k}_{r}" for k, p in enumerate(self.portals) if index in p[0] for r in p[1])
            to = ", ".join(f"p{k}_{index}" for k, p in enumerate(self.portals) if index in p[1])
            lines.append(f"  add Base{index}({given})" + (f" to {to}" if to else "") + ";")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", type=os.path.abspath, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    failed = ran = 0
    seeds = range(arguments.first, arguments.first + arguments.count)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        results = pool.map(check, [arguments.strc] * len(seeds), seeds)
        for seed, (fault, is_whole) in zip(seeds, results):
            ran += is_whole
            if fault:
                failed += 1
                Path(f"messages-{seed}.str").write_text(Program(seed).text(), encoding="ascii")
                print(f"FAILED seed {seed}, {fault}", flush=True)
    print(f"{arguments.count - failed} passed, {failed} failed, {ran} ran to their limit")
    return 1 if failed or 2 * ran < arguments.count else 0


if __name__ == "__main__":
    sys.exit(main())
