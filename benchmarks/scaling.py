#!/usr/bin/env python3
"""How the cost of compiling and running grows with the graph: programs/scaling.str in many sizes.

scaling.py [--strc BINARY] [--engine NAME]... [--most N] [--runs N] [--limit S] [--out FOLDER]

A pipeline and a splitjoin of 10, 100, 1000 and 10,000 filters, alike and each with a constant of its
own. Prints the time of a firing (of one filter for one item), of starting and compiling, and the
memory at most, as medians; writes them to scaling.md and scaling.json. What takes longer than the
limit is given up. Exit status 1: something did not run.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import catalogue
import measure
import native_report
import sides

BUILD = Path(__file__).resolve().parent.parent / "build"
SIZES = (10, 100, 1000, 10_000)
SHAPES = {
    "pipeline, alike": ("Chain", 0),
    "pipeline, different": ("Chain", 1e-6),
    "splitjoin, alike": ("Bank", 0),
    "splitjoin, different": ("Bank", 1e-6),
}
FIRINGS = 100_000_000
FEWEST, MOST = 20_000, 2_000_000  # items
HEADS = ("graph", "filters", "engine", "ns a firing", "start and compiling", "memory at most")


def measure_one(shape, size, engine, arguments):
    top, step = SHAPES[shape]
    parameters = {"n": size, "step": step}
    benchmark = catalogue.Benchmark(shape, top, 0, "", program="scaling", parameters=parameters)
    items = min(max(FIRINGS // size, FEWEST), MOST)
    with tempfile.TemporaryDirectory(prefix="strc-scaling-") as folder:
        source = Path(folder, "in.raw")
        catalogue.make_input("float", items, source)
        side = sides.strc_side(engine, benchmark, False, arguments, folder)
        runs = [
            measure.run(side.command(sides.file_input(source), os.devnull), arguments.limit)
            for _ in range(arguments.runs)
        ]
    work = [side.work_seconds(run) for run in runs]
    return {
        "firing": statistics.median(work) / (items * size),
        "compile": side.compile_seconds(work, [run.wall for run in runs]),
        "memory": max(run.peak for run in runs + side.built),
    }


def row(shape, size, engine, cost):
    if cost is None:
        return (shape, f"{size:,}", engine, "given up", "", "")
    return (
        shape,
        f"{size:,}",
        engine,
        f"{cost['firing'] * 1e9:.2f}",
        f"{cost['compile']:.2f} s",
        f"{cost['memory'] / 1e6:.0f} MB",
    )


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = BUILD / "release" / "bin" / "strc"
    parser.add_argument("--march", default="native", help="the processor to compile for (native)")
    parser.add_argument("--strc", default=default, type=os.path.abspath)
    parser.add_argument("--engine", action="append", dest="engines", choices=sorted(sides.ENGINES))
    parser.add_argument("--most", type=int, default=SIZES[-1], help="filters of the largest graph")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds of a run (default 120)")
    parser.add_argument("--out", default=BUILD / "benchmarks", type=Path, help="folder of results")
    arguments = parser.parse_args()
    arguments.engines = sides.known_engines(arguments)
    return arguments


def main():
    arguments = arguments_of()
    results, rows = [], []
    widths = (22, 8, 10, 12, 20, 15)
    print("".join(f"{head:<{width}}" for head, width in zip(HEADS, widths)))
    for shape in SHAPES:
        for size in (size for size in SIZES if size <= arguments.most):
            for engine in arguments.engines:
                try:
                    cost = measure_one(shape, size, engine, arguments)
                except RuntimeError as fault:
                    print(f"FAILED {fault}")
                    cost = None
                cells = row(shape, size, engine, cost)
                print("".join(f"{cell:<{width}}" for cell, width in zip(cells, widths)), flush=True)
                rows.append(cells)
                results.append({"graph": shape, "filters": size, "engine": engine, "cost": cost})
    arguments.out.mkdir(parents=True, exist_ok=True)
    everything = {"machine": native_report.machine(arguments.march), "results": results}
    (arguments.out / "scaling.json").write_text(json.dumps(everything, indent=1) + "\n", "utf-8")
    table = [native_report.machine_line(arguments.march), "", native_report.markdown(HEADS, rows, left=1), ""]
    (arguments.out / "scaling.md").write_text("\n".join(table), "utf-8")
    return 1 if any(result["cost"] is None for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
