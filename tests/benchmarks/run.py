#!/usr/bin/env python3
"""Runs a program of the benchmarks on a small input, and compares with its twin in C++.

run.py --strc BINARY --twin BINARY PROGRAM   with several engines: the same bits as the twin
run.py --catalogue                           the catalogue and the files belong together
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

ENGINES = ("interpret", "jit", "executable")
ITEMS = 20_000  # unless the catalogue says otherwise


def run_strc(benchmark, engine, source, target, arguments):
    """The bytes that a program writes. Parameters have their defaults, as those of the twin."""
    program = BENCHMARKS / "programs" / f"{benchmark.file}.str"
    words = ["--top", benchmark.top, "--in", str(source), "--out", str(target), str(program)]
    outcome = engines.run(arguments.strc, engine, words, target.parent)
    if outcome is None:
        raise RuntimeError("cannot be made an executable")
    if outcome.fault or outcome.status != 0:
        raise RuntimeError(outcome.fault or f"status {outcome.status}\n{outcome.err}")
    return target.read_bytes()


def run_one(program, arguments):
    """What is wrong, as lines."""
    benchmark = next(b for b in catalogue.BENCHMARKS.values() if b.file == program)
    with tempfile.TemporaryDirectory(prefix="strc-benchmark-") as folder:
        source, target = Path(folder, "in.raw"), Path(folder, "out.raw")

        def run_twin():
            subprocess.run([arguments.twin, source, target], check=True, stderr=subprocess.PIPE)
            return target.read_bytes()

        faults = []
        if benchmark.known:
            source.write_bytes(bytes.fromhex(benchmark.known[0]))
            if run_twin().hex() != benchmark.known[1]:
                faults.append(f"the twin does not give what is published, but {run_twin().hex()}")
        catalogue.make_input(benchmark.input, benchmark.small or ITEMS, source)
        want = run_twin()
        if not want:
            faults.append("the twin writes nothing")
        for engine in ENGINES:
            try:
                got = run_strc(benchmark, engine, source, target, arguments)
                fault = catalogue.difference(benchmark.output, want, got, None)
            except RuntimeError as error:
                fault = str(error)
            faults += [f"{engine}: {fault}"] if fault else []
        return faults


def check_catalogue():
    """Every benchmark has its files, and every twin, library or Faust program its benchmark."""
    wanted = set()
    for benchmark in catalogue.BENCHMARKS.values():
        wanted |= {f"programs/{benchmark.file}.str", f"cpp/{benchmark.file}.cpp"}
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
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    arguments = parser.parse_args()
    faults = check_catalogue() if arguments.catalogue else []
    for program in arguments.programs:
        faults += [f"{program}, {fault}" for fault in run_one(program, arguments)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
