#!/usr/bin/env python3
"""Compares programs on several threads with the same programs on one.

run_cores.py [--strc BINARY] [--threads N[,N]...] [--input KIND] [--march NAME] [--pairs N] [--scale X]
             [--out FOLDER] [PROGRAM]...

Every program of catalogue.py is built twice: as it is, and with `-j1`, for one thread alone. Input and output are files in
memory (/dev/shm). First the outputs of all numbers of threads are compared bit for bit. Then the program for one thread and
the program with each number of threads are run in turn, and the ratio of their medians is how many times as fast it is.
Time is that of the work, files included and start excluded. Writes cores.md and cores.json. Exit status 1: outputs differ or
something did not run. Needs as many idle processors as threads.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import catalogue
import measure
import sides

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
MEMORY = Path("/dev/shm")
INPUTS = {"file": (False,), "lcg": (True,), "both": (False, True)}
CONSIDERED = 10  # ns an item on one thread: what takes less is mostly reading and writing


@dataclass
class Result:
    name: str
    items: int  # that go in, or come out of a program that makes its input itself
    alone: list  # seconds of each run
    shared: dict  # by threads: the same

    def gain(self, threads):
        return statistics.median(self.alone) / statistics.median(self.shared[threads])

    @property
    def each(self):
        """ns for an item on one thread."""
        return statistics.median(self.alone) / self.items * 1e9


def build(benchmark, from_lcg, arguments, folder, name, *options):
    target = Path(folder, name)
    command = [arguments.strc, "build", "--march", arguments.march, *options]
    measure.run([*command, *sides.strc_program(benchmark, from_lcg), "-o", target])
    return target


def options_of(benchmark, from_lcg, items, folder):
    if from_lcg:
        return ["--limit", items]
    source = Path(folder, "input")
    catalogue.make_input(benchmark.input, items, source)
    return ["--in", source, "--in-format", "raw"]


def seconds(command, target):
    done = measure.run([*command, "--stats", "--out", target, "--out-format", "raw"])
    return max(float(sides.SECONDS.search(done.err).group(1)), 1e-6)


def compare(benchmark, from_lcg, arguments):
    items = max(1, round(benchmark.items * arguments.scale))
    with tempfile.TemporaryDirectory(prefix="strc-cores-", dir=MEMORY) as folder:
        inputs = options_of(benchmark, from_lcg, items, folder)
        alone = [build(benchmark, from_lcg, arguments, folder, "alone", "-j1"), *inputs]
        program = build(benchmark, from_lcg, arguments, folder, "shared")
        shared = {number: [program, "-j", number, *inputs] for number in arguments.threads}
        target, expected = Path(folder, "output"), Path(folder, "expected")
        seconds(alone, expected)
        for number, command in shared.items():
            seconds(command, target)
            if target.read_bytes() != expected.read_bytes():
                raise RuntimeError(f"{benchmark.name}: other output with {number} threads")
        expected.unlink()
        result = Result(benchmark.name, items, [], {number: [] for number in shared})
        for _ in range(arguments.pairs):
            result.alone.append(seconds(alone, target))
            for number, command in shared.items():
                result.shared[number].append(seconds(command, target))
    return result


def mean(gains):
    return math.exp(statistics.fmean(map(math.log, gains)))


def rows(results, threads):
    for result in results:
        gains = " | ".join(f"{result.gain(number):.2f}" for number in threads)
        yield f"| {result.name} | {result.each:.1f} | {gains} |"
    counted = [result for result in results if result.each >= CONSIDERED]
    for title, some in (("all", results), (f"those of {CONSIDERED} ns and more", counted)):
        if some:
            means = " | ".join(f"{mean([r.gain(number) for r in some]):.2f}" for number in threads)
            yield f"| **{title}** | | {means} |"


def report(tables, threads):
    lines = []
    for title, results in tables.items():
        heads = " | ".join(f"{number} threads" for number in threads)
        lines += [f"Input: {title}", "", f"| program | ns an item, one thread | {heads} |"]
        lines += ["|---|--:|" + "--:|" * len(threads), *rows(results, threads), ""]
    return "\n".join(lines)


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = BUILD / "release" / "bin" / "strc"
    parser.add_argument("--strc", default=default, type=os.path.abspath)
    numbers = lambda text: [int(word) for word in text.split(",")]  # noqa: E731
    parser.add_argument("--threads", type=numbers, default=[os.cpu_count()], metavar="N[,N]...")
    parser.add_argument("--input", choices=INPUTS, default="file")
    parser.add_argument("--march", default="native", metavar="NAME")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--scale", type=float, default=1, help="times the items of the catalogue")
    parser.add_argument("--out", type=Path, default=BUILD / "benchmarks", metavar="FOLDER")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    return parser.parse_args()


def main():
    arguments = arguments_of()
    wanted = [b for b in catalogue.BENCHMARKS.values() if not arguments.programs or b.name in arguments.programs]
    tables, failed = {}, False
    for from_lcg in INPUTS[arguments.input]:
        title = "made by the program" if from_lcg else "a file"
        for benchmark in wanted:
            if from_lcg and not benchmark.has_lcg:
                continue
            try:
                result = compare(benchmark, from_lcg, arguments)
            except RuntimeError as fault:
                print(fault, file=sys.stderr)
                failed = True
                continue
            tables.setdefault(title, []).append(result)
            print(next(rows([result], arguments.threads)), flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    text = report(tables, arguments.threads)
    (arguments.out / "cores.md").write_text(text, "utf-8")
    plain = {title: [vars(result) for result in results] for title, results in tables.items()}
    (arguments.out / "cores.json").write_text(json.dumps(plain, indent=1), "utf-8")
    print(text)
    return failed


if __name__ == "__main__":
    sys.exit(main())
