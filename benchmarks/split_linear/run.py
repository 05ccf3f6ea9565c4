#!/usr/bin/env python3
"""A linear layer split in parts, on several workers, beside libtorch and oneDNN.

    run.py [--strc PATH] [--runs N] [--workers N]... [--parts N]... [--layer small|large]... [--time SECONDS]

strc's times are those of executables for one item, without what making the input and adding up the output take
(measured by the same program without the layer), with equal parts coalesced and each part a product of its own
(`--disable-pass=coalesce-parts`). PyTorch computes the layer whole and split by hand, and whole with
oneDNN and weights packed once, which is what all others are divided by. All sides take turns; medians. The
sums of all outputs are compared. No further round begins for a layer after --time (150 seconds), if there were three.
Needs PyTorch (`strc setup torch`).
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from safetensors.torch import save_file

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from native_report import machine_line, markdown  # noqa: E402

LAYERS = {"small": (1024, 512, 256), "large": (1024, 4096, 1024)}
ITEMS = {"small": 60, "large": 4}
LEAST_RUNS = 3


class Executable:
    """The program as one that runs; seconds an item, or with `works` off those of what is around."""

    def __init__(self, strc, folder, layer, parts, works=True, coalesced=True):
        rows, inner, outer = LAYERS[layer]
        self.items = ITEMS[layer]
        self.path = folder / f"{layer}_{parts}_{works}_{coalesced}"
        values = dict(rows=rows, inner=inner, outer=outer, parts=parts, works=str(works).lower())
        defines = [word for name, value in values.items() for word in ("-D", f"{name}={value}")]
        weights = ["--weights", folder / f"{layer}.safetensors"]
        passes = [] if coalesced else ["--disable-pass=coalesce-parts"]
        command = [strc, "build", *passes, *defines, *weights, "-o", self.path, HERE / "split.str"]
        subprocess.run(command, check=True)

    def run(self, workers):
        command = [self.path, "-i", str(self.items), "--stats", "--workers", str(workers)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds = float(done.stderr.split("firings, ")[1].split(" s")[0])
        return seconds / self.items, [float(line) for line in done.stdout.split()]


def inputs(layer):
    """What the program makes."""
    rows, inner, _ = LAYERS[layer]
    x = torch.arange(rows * inner, dtype=torch.float32).reshape(rows, inner) / (rows * inner)
    for n in range(ITEMS[layer]):
        x[n % rows] = 0.125 * (n % 8)
        yield x


def torch_seconds(compute, layer):
    """Seconds an item, and the sums of the outputs."""
    spent, sums = [], []
    for x in inputs(layer):
        start = time.perf_counter()
        y = compute(x)
        spent.append(time.perf_counter() - start)
        sums.append(float(y.sum(dtype=torch.float64)))
    return statistics.median(spent), sums


def torch_sides(weight, bias, parts):
    linear = torch.nn.functional.linear
    packed = torch.ops.mkldnn._reorder_linear_weight(weight, 1024)
    pointwise = torch.ops.mkldnn._linear_pointwise
    sides = {"oneDNN, packed": lambda x: pointwise(x, packed, bias, "none", [], "")}
    sides["libtorch"] = lambda x: linear(x, weight, bias)
    for count in parts:
        if count > 1:
            sides[f"libtorch, {count} parts"] = lambda x, count=count: torch.cat(
                [linear(part, weight, bias) for part in x.chunk(count)]
            )
    return sides


def check(name, sums, expected):
    for found, wanted in zip(sums, expected):
        if abs(found - wanted) > 1e-3 * max(1, abs(wanted)):
            raise SystemExit(f"{name}: the output adds up to {found} instead of {wanted}")


def measure(layer, options, folder):
    """Medians of all sides, in turn: name -> seconds an item."""
    _, inner, outer = LAYERS[layer]
    torch.manual_seed(1)
    weight, bias = torch.randn(outer, inner) / inner**0.5, torch.randn(outer)
    save_file({"layer.weight": weight, "layer.bias": bias}, folder / f"{layer}.safetensors")
    around = Executable(options.strc, folder, layer, 1, works=False)
    programs = {
        (parts, coalesced): Executable(options.strc, folder, layer, parts, coalesced=coalesced)
        for parts in options.parts
        for coalesced in ((True, False) if parts > 1 else (True,))
    }
    others = torch_sides(weight, bias, options.parts)
    times = {}
    start = time.monotonic()
    for run in range(options.runs):
        if run >= LEAST_RUNS and time.monotonic() - start > options.time:
            break
        empty, _ = around.run(1)
        for name, compute in others.items():
            seconds, sums = torch_seconds(compute, layer)
            expected = sums if run == 0 and name == "oneDNN, packed" else expected
            check(name, sums, expected)
            times.setdefault(name, []).append(seconds)
        for (parts, coalesced), program in programs.items():
            for workers in options.workers:
                how = "coalesced" if coalesced else "apart"
                name = f"strc, {parts} parts, {how}, {workers} workers"
                seconds, sums = program.run(workers)
                check(name, sums, expected)
                times.setdefault(name, []).append(seconds - empty)
    return {name: statistics.median(all_) for name, all_ in times.items()}


def table(medians, options):
    """A row for each number of parts: what all sides take of oneDNN's time."""
    bar = medians["oneDNN, packed"]

    def side(name):
        return f"{medians[name] / bar:.2f}" if name in medians else ""

    columns = ["parts", "libtorch"]
    hows = ("coalesced", "apart")
    columns += [f"{how}, {n}" for how in hows for n in options.workers]
    rows = []
    for parts in options.parts:
        row = [str(parts), side("libtorch" if parts == 1 else f"libtorch, {parts} parts")]
        row += [side(f"strc, {parts} parts, {how}, {n} workers") for how in hows for n in options.workers]
        rows.append(row)
    return markdown(columns, rows, left=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = HERE.parent.parent / "build" / "release" / "bin" / "strc"
    parser.add_argument("--strc", type=Path, default=default)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--workers", type=int, action="append")
    parser.add_argument("--parts", type=int, action="append")
    parser.add_argument("--layer", choices=LAYERS, action="append")
    parser.add_argument("--time", type=float, default=150)
    options = parser.parse_args()
    options.workers = options.workers or [1, 2, 4, 8]
    options.parts = options.parts or [1, 2, 16, 64, 128]
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="strc-split-") as folder, torch.no_grad():
        for layer in options.layer or LAYERS:
            medians = measure(layer, options, Path(folder))
            bar = medians["oneDNN, packed"]
            shape = " x ".join(map(str, LAYERS[layer]))
            print(f"\n{layer}: {shape}. {machine_line()}")
            print(f"Parts of what oneDNN takes for the whole with packed weights on one core, {bar * 1e3:.2f} ms;")
            print("strc with equal parts coalesced and apart, by workers.\n")
            print(table(medians, options), flush=True)


if __name__ == "__main__":
    main()
