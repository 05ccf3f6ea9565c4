#!/usr/bin/env python3
"""Compares a chain of filters on several threads with the same chain by others: Faust's scheduler, GNU Radio and oneTBB.

cores_beside.py [--strc BINARY] [--threads N] [--items N] [--pairs N] [--out FOLDER]

cores/chain.str is four filters of 64 taps. Input and output are files in memory (/dev/shm); all outputs are compared with that of strc,
up to rounding, before anything is measured. Then all run in turn, on N threads and on one. Time is that of whole processes by the clock; GNU Radio's
start (Python) is measured with an empty input and subtracted, as that of the others is. What is not installed is left out (Debian:
faust, gnuradio, libtbb-dev). Needs as many idle processors as threads. Exit status 1: outputs differ.
"""

import argparse
import array
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHAIN = HERE / "cores"
BUILD = HERE.parent / "build"
PERIOD = 1_000_000  # items of the input, after which they come again
CXX = ["g++", "-O3", "-march=native", "-std=c++20", "-ffp-contract=off"]


def run(*words, **options):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, **options)


def confined(threads):
    """To so many processors: for schedulers that take as many threads as they like."""
    processors = sorted(os.sched_getaffinity(0))[:threads]
    return lambda: os.sched_setaffinity(0, processors)


def build_strc(arguments, folder):
    target = folder / "chain"
    run(arguments.strc, "build", "--top", "Chain", CHAIN / "chain.str", "-o", target)
    return lambda source, to, threads: run(target, "--in", source, "--out", to, "-j", threads)


def build_tbb(_, folder):
    target = folder / "chain_tbb"
    try:
        run(*CXX, CHAIN / "chain_tbb.cpp", "-o", target, "-ltbb", stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        return None
    return lambda source, to, threads: run(target, source, to, threads)


def build_faust(_, folder):
    if not shutil.which("faust"):
        return None
    target = folder / "chain_faust"
    run("faust", "-sch", "-t", "600", "-cn", "Program", "-o", folder / "chain.inc", CHAIN / "chain.dsp", stderr=subprocess.DEVNULL)
    scheduler = Path("/usr/share/faust")
    run(*CXX, f"-I{folder}", f"-I{scheduler}", "-w", CHAIN / "chain_faust.cpp", "-o", target, "-lpthread")
    environment = {**os.environ, "OMP_REALTIME": "0"}
    return lambda source, to, threads: run(target, source, to, env=environment, preexec_fn=confined(threads))


def build_gnuradio(_, __):
    python = shutil.which("python3", path="/usr/bin")
    if not python or subprocess.run([python, "-c", "import gnuradio.filter"], stderr=subprocess.DEVNULL).returncode != 0:
        return None
    script = CHAIN / "chain_gnuradio.py"
    return lambda source, to, threads: run(python, script, source, to, preexec_fn=confined(threads))


SIDES = {"strc": build_strc, "oneTBB, by hand": build_tbb, "Faust": build_faust, "GNU Radio": build_gnuradio}


def make_input(path, items):
    """A million numbers at random, again and again."""
    generator = random.Random(1)
    block = array.array("f", (generator.uniform(-1, 1) for _ in range(PERIOD)))
    with open(path, "wb") as file:
        for at in range(0, items, PERIOD):
            block[:min(PERIOD, items - at)].tofile(file)


def output(path):
    """How many floats there are, and as many of the first ones as are not made of what comes again."""
    with open(path, "rb") as file:
        read = array.array("f")
        read.frombytes(file.read(4 * PERIOD))
    return path.stat().st_size // 4, read


def is_close(made, expected):
    return made[0] >= expected[0] * 0.99 and all(abs(a - b) < 1e-4 for a, b in zip(made[1], expected[1]))


def seconds(side, source, to, threads):
    begin = time.monotonic()
    side(source, to, threads)
    return time.monotonic() - begin


def measure(sides, folder, arguments):
    """By side and threads, the median without that of the start."""
    source, empty, to = folder / "in.raw", folder / "empty.raw", folder / "out.raw"
    # One filter's window and some: nothing to speak of.
    empty.write_bytes(source.read_bytes()[:4 * 1024])
    kinds = [(name, threads) for name in sides for threads in (1, arguments.threads)]
    times = {kind: ([], []) for kind in kinds}
    for _ in range(arguments.pairs):
        for name, threads in kinds:
            times[name, threads][0].append(seconds(sides[name], source, to, threads))
            times[name, threads][1].append(seconds(sides[name], empty, to, threads))
    return {kind: statistics.median(long) - statistics.median(short) for kind, (long, short) in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strc", type=Path, default=BUILD / "release/bin/strc")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--items", type=int, default=80_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--out", type=Path, default=BUILD / "benchmarks")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="strc-", dir="/dev/shm") as name:
        folder = Path(name)
        make_input(folder / "in.raw", arguments.items)
        sides = {name: made for name, build in SIDES.items() if (made := build(arguments, folder))}
        outputs = {}
        for name, side in sides.items():
            side(folder / "in.raw", folder / "out.raw", arguments.threads)
            outputs[name] = output(folder / "out.raw")
        wrong = [name for name in sides if not is_close(outputs[name], outputs["strc"])]
        for name in wrong:
            print(f"{name} gives something else", file=sys.stderr)
        found = measure(sides, folder, arguments)
    lines = [f"| side | 1 thread, s | {arguments.threads} threads, s | times strc's |", "|---|--:|--:|--:|"]
    for name in sides:
        one, many = found[name, 1], found[name, arguments.threads]
        lines.append(f"| {name} | {one:.2f} | {many:.2f} | {many / found['strc', arguments.threads]:.2f} |")
    text = "\n".join(lines) + "\n"
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "cores_beside.md").write_text(text, "utf-8")
    print(text, end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
