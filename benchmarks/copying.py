#!/usr/bin/env python3
"""What handing floats on from one raw file to another takes beside `cp`, in memory.

copying.py [--strc BINARY] [--engine executable|run] [--pairs N] [--mebibytes N]

The files lie in /dev/shm. `cp` and the program take turns; prints the medians of the time of the clock and of the
processors, and of the ratios in the pairs. Exit status 1: the copy differs.
"""

import argparse
import filecmp
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STRC = Path(__file__).resolve().parent.parent / "build" / "release" / "bin" / "strc"
SAME = "float->float filter Same { work pop 1 push 1 { push(pop()); } }\n"


def cost(command, folder):
    """Seconds of the clock and of the processors."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def command_of(arguments, folder):
    files = ["--in", "in.raw", "--out", "out.raw"]
    Path(folder, "same.str").write_text(SAME)
    if arguments.engine == "run":
        return [arguments.strc, "run", "--top", "Same", *files, "same.str"]
    subprocess.run([arguments.strc, "build", "--top", "Same", "same.str"], cwd=folder, check=True)
    return ["./same", *files]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strc", default=str(STRC))
    parser.add_argument("--engine", choices=("executable", "run"), default="executable")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--mebibytes", type=int, default=256)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="strc-copying-", dir="/dev/shm") as folder:
        Path(folder, "in.raw").write_bytes(os.urandom(1 << 20) * arguments.mebibytes)
        command = command_of(arguments, folder)
        copies = [(cost(["cp", "in.raw", "cp.raw"], folder), cost(command, folder)) for _ in range(arguments.pairs)]
        for k, name in enumerate(("clock", "processors")):
            copied, handed = ([1e3 * pair[side][k] for pair in copies] for side in (0, 1))
            ratio = statistics.median(b / a for a, b in zip(copied, handed))
            medians = statistics.median(copied), statistics.median(handed)
            print(f"{name}: cp {medians[0]:.0f} ms, the program {medians[1]:.0f} ms, {ratio:.2f} times as long")
        if not filecmp.cmp(Path(folder, "in.raw"), Path(folder, "out.raw"), shallow=False):
            sys.exit("the copy differs")


if __name__ == "__main__":
    main()
