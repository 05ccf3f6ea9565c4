#!/usr/bin/env python3
"""What the model of ranks predicts for the programs of catalogue.py, and what this machine does.

run_ranks.py [--strc BINARY] [--network TIME,RATE] [--measure RANKS] [--runs N] [--scale X] [--out FOLDER] [PROGRAM]...

Without --measure nothing is run: `strc graph --ranks` simulates 1 to 1,024 ranks over the network, and the table (ranks.md) says of each
program how many of them are of use, how many times as fast it is then, and what ends it. With --measure the executable runs alone (-j1) and
as so many processes (-j1 each), in turn, with messages held up as the network would (STRC_TEST_NETWORK); outputs are compared bit for bit,
and the medians' ratio stands beside the predicted one (ranks_measured.md). Time is that of the work, start excluded. Needs as many idle
processors as ranks. Exit status 1: outputs differ or something did not run.
"""

import argparse
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

import catalogue
import measure
import run_cores
import sides

TIMES = {"ns": 1, "us": 1e3, "ms": 1e6}
RATES = {"Mb": 1e6, "Gb": 1e9}  # bits a second
NETWORK = re.compile(r"([\d.]+)(ns|us|ms),([\d.]+)(Mb|Gb)")
ROW = re.compile(r"\s*(\d+)\s+(\d+)\s+([\d.]+)  (.*)")
WHY_NOT = re.compile(r"ranks cannot share this program: (.*)")


class Scaling:
    """Of one program: by number of ranks how many are used, how many times as fast it is, and what sets the pace; or why it cannot be cut."""

    def __init__(self, benchmark, arguments):
        command = [arguments.strc, "graph", "--ranks", "2", "--network", arguments.network, "--format", "txt"]
        text = measure.run([*command, *sides.strc_program(benchmark, False)]).out
        found = WHY_NOT.search(text)
        self.why_not = found.group(1) if found else ""
        table = text.partition("\nranks  used")[2]
        rows = [ROW.fullmatch(line) for line in table.splitlines()]
        self.rows = {int(row[1]): (int(row[2]), float(row[3]), row[4]) for row in rows if row}

    @property
    def best(self):
        """The row of the fewest ranks that are nearly as fast as any number of them."""
        most = max(gain for _, gain, _ in self.rows.values())
        return next(row for count, row in self.rows.items() if count > 1 and row[1] >= 0.98 * most)  # that of one rank does not tell what ends it


def delays(network):
    """The network in the words of STRC_TEST_NETWORK: ns, and bytes in a ns."""
    time, unit, rate, prefix = NETWORK.fullmatch(network).groups()
    return f"{float(time) * TIMES[unit]:g} {float(rate) * RATES[prefix] / 8e9:g}"


def measured(benchmark, arguments):
    """How many times as fast so many ranks are as one. Raises RuntimeError if outputs differ."""
    items = max(1, round(benchmark.items * arguments.scale))
    with tempfile.TemporaryDirectory(prefix="strc-ranks-", dir=run_cores.MEMORY) as folder:
        program = run_cores.build(benchmark, False, arguments, folder, "program", "--ranks", "--network", arguments.network)
        command = [program, "-j1", *run_cores.options_of(benchmark, False, items, folder)]
        ranks = [*command, "--ranks", arguments.measure]
        expected, made = Path(folder, "expected"), Path(folder, "made")
        os.environ["STRC_TEST_NETWORK"] = delays(arguments.network)
        alone, shared = [], []
        for _ in range(arguments.runs):
            alone.append(run_cores.seconds(command, expected))
            shared.append(run_cores.seconds(ranks, made))
        if expected.read_bytes() != made.read_bytes():
            raise RuntimeError("the output of several ranks differs")
        return statistics.median(alone) / statistics.median(shared)


def scaling_table(names, arguments):
    yield "| program | ranks of use | times as fast | what ends it |"
    yield "|---|---:|---:|---|"
    for name in names:
        scaling = Scaling(catalogue.BENCHMARKS[name], arguments)
        used, gain, why = (1, 1.0, scaling.why_not) if scaling.why_not else scaling.best
        yield f"| {name} | {used} | {gain:.2f} | {why} |"


def measured_table(names, arguments):
    yield f"| program | predicted of {arguments.measure} ranks | measured |"
    yield "|---|---:|---:|"
    for name in names:
        benchmark = catalogue.BENCHMARKS[name]
        scaling = Scaling(benchmark, arguments)
        if not scaling.why_not:
            yield f"| {name} | {scaling.rows[arguments.measure][1]:.2f} | {measured(benchmark, arguments):.2f} |"


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strc", default=run_cores.BUILD / "release/bin/strc")
    parser.add_argument("--march", default="native", help="the processor for which programs are compiled")
    parser.add_argument("--network", default="10us,10Gb", help="as that of strc graph --ranks")
    parser.add_argument("--measure", type=int, metavar="RANKS", help="2, 4, 8, ...: run programs as so many processes")
    parser.add_argument("--runs", type=int, default=3, help="of each, in turn")
    parser.add_argument("--scale", type=float, default=1, help="of the items of an input")
    parser.add_argument("--out", type=Path, default=Path("."), help="the folder for the table")
    parser.add_argument("programs", nargs="*", default=list(catalogue.BENCHMARKS))
    return parser.parse_args()


def main():
    arguments = arguments_of()
    name, table = ("ranks_measured", measured_table) if arguments.measure else ("ranks", scaling_table)
    lines = []
    for line in table(arguments.programs, arguments):
        print(line, flush=True)
        lines.append(line)
    Path(arguments.out, f"{name}.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"run_ranks.py: {error}")
