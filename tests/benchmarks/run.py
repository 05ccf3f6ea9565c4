#!/usr/bin/env python3
"""Runs a benchmark on a small input, from a file and made by the program, and compares with its twin in C++.

run.py --strc BINARY --twin BINARY BENCHMARK   with several engines: the same bits as the twin
run.py --catalogue                             the catalogue and the files belong together
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parent.parent
BENCHMARKS = TESTS.parent / "benchmarks"
sys.path[:0] = [str(BENCHMARKS), str(TESTS / "conformance")]
import catalogue  # noqa: E402
import engines  # noqa: E402
import sides  # noqa: E402

ENGINES = ("interpret", "jit", "jit-arrays", "executable", "executable-ranks")
MAY_LACK = {"executable-ranks"}  # where a program cannot be cut
ITEMS = 20_000  # unless the catalogue says otherwise


def run_strc(program, engine, source, target, strc):
    """The bytes that a program writes; `program` is the options and files that name it."""
    words = [*source.options, "--out", target, "--out-format", "raw", *program]
    outcome = engines.run(strc, engine, list(map(str, words)), target.parent)
    if outcome is None and engine in MAY_LACK:
        return None
    if outcome is None:
        raise RuntimeError("cannot be made an executable")
    if outcome.fault or outcome.status != 0:
        raise RuntimeError(outcome.fault or f"status {outcome.status}\n{outcome.err}")
    return target.read_bytes()


def run_twin(twin, source, target):
    subprocess.run([twin, source.word, target], check=True, stderr=subprocess.PIPE)
    return target.read_bytes()


def compare(benchmark, from_lcg, arguments, folder):
    """What is wrong where input comes from a file, or from the program, as lines."""
    path, target = Path(folder, "in.raw"), Path(folder, "out.raw")
    items = benchmark.small or ITEMS
    source = sides.lcg_input(benchmark, items, 0) if from_lcg else sides.file_input(path)
    if not from_lcg:
        catalogue.make_input(benchmark.input, items, path)
    want = run_twin(arguments.twin, source, target)
    faults = [] if want else ["the twin writes nothing"]
    if from_lcg:
        outputs = len(want) // sides.ITEM_BYTES[benchmark.output]
        source = sides.lcg_input(benchmark, items, outputs)
    program = sides.strc_program(benchmark, from_lcg)
    for engine in ENGINES:
        try:
            got = run_strc(program, engine, source, target, arguments.strc)
            fault = got is not None and catalogue.difference(benchmark.output, want, got, None)
        except RuntimeError as error:
            fault = str(error)
        faults += [f"{engine}: {fault}"] if fault else []
    return faults


def check_published(benchmark, arguments, folder):
    path = Path(folder, "known.raw")
    path.write_bytes(bytes.fromhex(benchmark.known[0]))
    got = run_twin(arguments.twin, sides.file_input(path), Path(folder, "out.raw")).hex()
    return [] if got == benchmark.known[1] else [f"the twin does not give what is published, but {got}"]


def run_one(name, arguments):
    """What is wrong, as lines."""
    benchmark = catalogue.BENCHMARKS[name]
    with tempfile.TemporaryDirectory(prefix="strc-benchmark-") as folder:
        faults = check_published(benchmark, arguments, folder) if benchmark.known else []
        faults += compare(benchmark, False, arguments, folder)
        if benchmark.has_lcg:
            faults += [f"lcg, {fault}" for fault in compare(benchmark, True, arguments, folder)]
        return faults


def check_catalogue():
    """Every benchmark has its files, and every twin, library or Faust program its benchmark."""
    wanted = set()
    for benchmark in catalogue.BENCHMARKS.values():
        wanted |= {f"programs/{benchmark.file}.str", f"cpp/{benchmark.twin_file}.cpp"}
        wanted |= {f"libraries/{benchmark.file}_{name}.cpp" for name, _ in benchmark.libraries}
        if benchmark.faust is not None:
            wanted.add(f"faust/{benchmark.file}.dsp")
    there = {
        str(path.relative_to(BENCHMARKS))
        for pattern in ("cpp/*.cpp", "libraries/*.cpp", "faust/*.dsp")
        for path in BENCHMARKS.glob(pattern)
    }
    missing = [f"there is no {name}" for name in wanted if not (BENCHMARKS / name).is_file()]
    return missing + [f"no benchmark uses {name}" for name in sorted(there - wanted)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", type=os.path.abspath)
    parser.add_argument("--twin", type=os.path.abspath)
    parser.add_argument("--catalogue", action="store_true")
    parser.add_argument("benchmarks", nargs="*", metavar="BENCHMARK")
    arguments = parser.parse_args()
    faults = check_catalogue() if arguments.catalogue else []
    for name in arguments.benchmarks:
        faults += [f"{name}, {fault}" for fault in run_one(name, arguments)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
