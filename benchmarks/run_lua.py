#!/usr/bin/env python3
"""Compares the interpreter with Lua: the same loops, run in turn, so that both see the same
machine.

run_lua.py [--strc BINARY] [--lua BINARY] [--pairs N] [--json FILE] [PROGRAM]...

Each pair runs programs/NAME.str with `strc run --interpret -i COUNT` and lua/NAME.lua with COUNT.
First their outputs are compared, then times are taken (user and system time of the child, with
start-up). Prints medians and the ratio of the medians: below 1 the interpreter is faster. Exit
status 1: outputs differ or something did not run.
"""

import argparse
import json
import os
import statistics
import sys
from pathlib import Path

import measure

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "conformance"))
import compare  # noqa: E402  the rules for comparing output are those of the conformance programs

# Steady states (and the argument of the Lua program), and how far floats may be apart: sums of many
# values differ between single precision, in which strc computes, and Lua's double precision.
PROGRAMS = {
    "fm_radio": (40, 1e-3),
    "fft": (8000, 1e-3),
    "des": (3000, None),
    "matmul": (800, 1e-3),
    "bitonic": (800, None),
}


def timed(command):
    """Output and processor seconds of a command that has to end well."""
    done = measure.run(command)
    return done.out.splitlines(), done.processor


def compare_times(name, arguments):
    count, tolerance = PROGRAMS[name]
    count = max(1, round(count * arguments.scale))
    strc = [
        arguments.strc,
        "run",
        "--interpret",
        "-i",
        str(count),
        HERE / "programs" / f"{name}.str",
    ]
    lua = [arguments.lua, HERE / "lua" / f"{name}.lua", str(count)]
    times = {"strc": [], "lua": []}
    for pair in range(arguments.pairs):
        order = [("strc", strc), ("lua", lua)]
        outputs = {}
        for side, command in order if pair % 2 == 0 else reversed(order):
            outputs[side], seconds = timed(command)
            times[side].append(seconds)
        if pair == 0:
            expected = outputs["lua"]
            if not expected:
                raise RuntimeError(f"{name}: prints nothing")
            if len(outputs["strc"]) != len(expected):
                raise RuntimeError(f"{name}: {len(outputs['strc'])} lines, Lua has {len(expected)}")
            difference = compare.first_difference(
                expected, outputs["strc"], len(expected), tolerance
            )
            if difference:
                raise RuntimeError(f"{name}: {difference}")
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = HERE.parent / "build" / "release" / "bin" / "strc"
    parser.add_argument("--strc", default=default, type=os.path.abspath)
    parser.add_argument("--lua", default="lua5.4")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each side (default 5)")
    parser.add_argument("--scale", type=float, default=1, help="share of the usual amount of work")
    parser.add_argument("--json", help="write all times to this file")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(PROGRAMS)}")
    arguments = parser.parse_args()
    for name in arguments.programs:
        if name not in PROGRAMS:
            parser.error(f"no program {name}")

    print(
        f"{'program':10} {'strc s':>8} {'Lua s':>8} {'ratio':>6}   {arguments.pairs} interleaved pairs"
    )
    everything, failed = {}, False
    for name in arguments.programs or PROGRAMS:
        try:
            times = compare_times(name, arguments)
        except (RuntimeError, OSError) as fault:
            print(f"FAILED {fault}")
            failed = True
            continue
        everything[name] = times
        medians = {side: statistics.median(values) for side, values in times.items()}
        ratio = medians["strc"] / medians["lua"]
        print(f"{name:10} {medians['strc']:8.2f} {medians['lua']:8.2f} {ratio:6.2f}", flush=True)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
