#!/usr/bin/env python3
"""Compares compiled programs with C++: the same work, run in turn, so that all see the same machine.

run_native.py [--strc BINARY] [--engine NAME]... [--input KIND] [--march NAME] [--clock KIND] [--pairs N]
              [--scale X] [--out FOLDER] [PROGRAM]...

Every program of catalogue.py reads and writes raw files, and so do its twin in C++ (clang and gcc, -O3
-march=native, without and with contraction of a * b + c) and, where there are, a Faust program and
one that calls a library. With `--input lcg` the program and the twin make their input themselves instead.
First all outputs are compared with the twin's: strc's bit for bit, the others' within the tolerance of
the catalogue. Then all are run in turn. The twin's time is that of the faster one of its compilers.
Prints medians of the time that each takes for its work, files included and start excluded, and the ratios
of strc to the twin; writes them to native.md, native.json and native.svg. Exit status 1: outputs differ
or something did not run.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import catalogue
import measure
import native_report
import sides

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
COMPARED = 1 << 20  # bytes that are looked at where outputs may differ a little
INPUTS = {"file": (False,), "lcg": (True,), "both": (False, True)}
FIGURES = {"wall": "median", "processor": "least"}  # of the runs


def items_of(benchmark, scale):
    return max(1, round(benchmark.items * scale))


def noise_file(benchmark, items):
    folder = BUILD / "benchmarks" / "inputs"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{benchmark.input}-{items}.raw"
    if not path.exists():
        unfinished = path.with_suffix(f".{os.getpid()}")
        catalogue.make_input(benchmark.input, items, unfinished)
        unfinished.replace(path)
    return path


def lcg_input(benchmark, items, twin, folder):
    """Programs are told how many items to give: as many as the twin."""
    path = Path(folder, "outputs")
    measure.run(twin.command(sides.lcg_input(benchmark, items, 0), path))
    outputs = path.stat().st_size // sides.ITEM_BYTES[benchmark.output]
    path.unlink()
    return sides.lcg_input(benchmark, items, outputs)


def check_outputs(benchmark, present, source, folder):
    """Runs every side once; those that give something else than the twin make it an error."""
    outputs = {}
    for side in present:
        path = Path(folder, f"{side.name.replace(' ', '_')}.out")
        measure.run(side.command(source, path))
        outputs[side.name] = path.read_bytes()
        path.unlink()
    twins = [sides.compiled_by(sides.TWIN, name) for name in sides.COMPILERS]
    expected = next(outputs[name] for name in twins if name in outputs)
    if not expected:
        raise RuntimeError(f"{benchmark.name}: the twin writes nothing")
    for side in present:
        want, got = expected, outputs[side.name][side.skipped :]
        if not side.exact:
            if len(want) != len(got):
                raise RuntimeError(
                    f"{benchmark.name}, {side.name}: {len(got)} bytes instead of {len(want)}"
                )
            want, got = want[:COMPARED], got[:COMPARED]
        tolerance = None if side.exact else benchmark.allowed
        fault = catalogue.difference(benchmark.output, want, got, tolerance)
        if fault:
            raise RuntimeError(f"{benchmark.name}, {side.name}: {fault}")


def compare_times(benchmark, from_lcg, arguments):
    items = items_of(benchmark, arguments.scale)
    with tempfile.TemporaryDirectory(prefix="strc-native-") as folder:
        present = sides.strc_sides(benchmark, from_lcg, arguments, folder)
        twins = sides.twin_sides(benchmark, arguments, folder)
        present += twins
        if from_lcg:
            source = lcg_input(benchmark, items, twins[0], folder)
        else:
            source = sides.file_input(noise_file(benchmark, items))
            present += sides.other_sides(benchmark, arguments, folder)
        check_outputs(benchmark, present, source, folder)
        work = {side.name: [] for side in present}
        whole = {side.name: [] for side in present}
        for pair in range(arguments.pairs):
            turn = pair % len(present)
            for side in present[turn:] + present[:turn]:
                done = measure.run(side.command(source, os.devnull))
                on_clock = arguments.clock == "wall"
                work[side.name].append(side.work_seconds(done) if on_clock else done.processor)
                whole[side.name].append(done.wall)
    result = {
        "what": benchmark.what,
        "items": items,
        "work": work,
        "whole": whole,
        "compile": {
            side.name: side.compile_seconds(work[side.name], whole[side.name]) for side in present
        },
        "figure": FIGURES[arguments.clock],
    }
    sides.choose_best(result, native_report.FIGURES[result["figure"]])
    return result


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = BUILD / "release" / "bin" / "strc"
    parser.add_argument("--strc", default=default, type=os.path.abspath)
    parser.add_argument("--clang", default="clang++-19")
    parser.add_argument("--gcc", default="g++")
    parser.add_argument(
        "--march", default="native", metavar="NAME", help="processor to make code for, on both sides"
    )
    parser.add_argument(
        "--input",
        choices=INPUTS,
        default="file",
        help="where input comes from: a file (default), a generator in the program, or both in turn",
    )
    parser.add_argument(
        "--clock",
        choices=FIGURES,
        default="wall",
        help="what is compared: medians of the time for the work (wall, the default), or, on a busy machine, the "
        "least time of the processor for the whole process",
    )
    parser.add_argument(
        "--engine",
        action="append",
        dest="engines",
        choices=sorted(sides.ENGINES),
        help="how strc runs the programs; repeatable (default: build, or jit if it has no build, "
        "also with --fast-math, --check=none and --tapes=ring)",
    )
    parser.add_argument("--pairs", type=int, default=5, help="runs of each side (default 5)")
    parser.add_argument("--scale", type=float, default=1, help="share of the usual amount of work")
    parser.add_argument("--out", default=BUILD / "benchmarks", type=Path, help="folder of results")
    parser.add_argument("--list", action="store_true", help="print the programs and stop")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    arguments = parser.parse_args()
    for name in arguments.programs:
        if name not in catalogue.BENCHMARKS:
            parser.error(f"no program {name}; --list shows them")
    return arguments


def main():
    arguments = arguments_of()
    if arguments.list:
        for benchmark in catalogue.BENCHMARKS.values():
            print(f"{benchmark.name:18} {benchmark.what}")
        return 0
    arguments.engines = sides.known_engines(arguments)
    results, failed = {}, False
    print(native_report.heading(arguments.engines, arguments.pairs))
    for name in arguments.programs or catalogue.BENCHMARKS:
        benchmark = catalogue.BENCHMARKS[name]
        for from_lcg in INPUTS[arguments.input]:
            if from_lcg and not benchmark.has_lcg:
                continue
            row = f"{name}, lcg" if from_lcg else name
            try:
                results[row] = compare_times(benchmark, from_lcg, arguments)
            except (RuntimeError, OSError) as fault:
                print(f"FAILED {fault}")
                failed = True
                continue
            print(native_report.line(row, results[row], arguments.engines), flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    everything = {"machine": native_report.machine(arguments.march), "results": results}
    (arguments.out / "native.json").write_text(json.dumps(everything, indent=1) + "\n", "utf-8")
    table = native_report.table(results, arguments.engines, arguments.march)
    (arguments.out / "native.md").write_text(table, "utf-8")
    (arguments.out / "native.svg").write_text(
        native_report.plot(results, arguments.engines), "utf-8"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
