#!/usr/bin/env python3
"""Runs a program of the benchmarks on a small input, and compares with its twin in C++.

run.py --strc BINARY --twin BINARY PROGRAM   interpreted and compiled: the same bits as the twin
run.py --catalogue                           the catalogue and the files belong together
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
import catalogue  # noqa: E402

ENGINES = {"interpreted": ["--interpret"], "compiled": []}
ITEMS = 20_000  # unless the catalogue says otherwise


def run_one(program, arguments):
    """What is wrong, as lines. Parameters have their defaults on both sides."""
    benchmark = next(b for b in catalogue.BENCHMARKS.values() if b.file == program)
    with tempfile.TemporaryDirectory(prefix="strc-benchmark-") as folder:
        source, expected = Path(folder, "in.raw"), Path(folder, "twin.raw")
        catalogue.make_input(benchmark.input, benchmark.small or ITEMS, source)
        subprocess.run([arguments.twin, source, expected], check=True, stderr=subprocess.PIPE)
        want = expected.read_bytes()
        if not want:
            return ["the twin writes nothing"]
        faults = []
        for engine, options in ENGINES.items():
            target = Path(folder, f"{engine}.raw")
            command = [arguments.strc, "run", *options, "--top", benchmark.top]
            command += ["--in", source, "--out", target, BENCHMARKS / "programs" / f"{program}.str"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                faults.append(f"{engine}: status {done.returncode}\n{done.stderr}")
                continue
            fault = catalogue.difference(benchmark.output, want, target.read_bytes(), None)
            if fault:
                faults.append(f"{engine}: {fault}")
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
