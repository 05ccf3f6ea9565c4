#!/usr/bin/env python3
"""A linear layer split in parts, on several workers, beside libtorch and oneDNN.

    run.py [--strc PATH] [--runs N] [--workers N]... [--parts N]... [--layer small|large]...

strc's times are those of executables for one item, without what making the input and adding up the output take
(measured by the same program without the layer). PyTorch computes the layer whole and split by hand, and whole with
oneDNN and weights packed once, which is what all others are divided by. All sides take turns; medians. The
sums of all outputs are compared. Needs PyTorch (`strc setup torch`).
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
ITEMS = {"small": 60, "large": 6}


class Executable:
    """The program as one that runs; seconds an item, or with `works` off those of what is around."""

    def __init__(self, strc, folder, layer, parts, works=True):
        rows, inner, outer = LAYERS[layer]
        self.items = ITEMS[layer]
        self.path = folder / f"{layer}_{parts}_{works}"
        values = dict(rows=rows, inner=inner, outer=outer, parts=parts, works=str(works).lower())
        defines = [word for name, value in values.items() for word in ("-D", f"{name}={value}")]
        weights = ["--weights", folder / f"{layer}.safetensors"]
        command = [strc, "build", *defines, *weights, "-o", self.path, HERE / "split.str"]
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
    programs = {parts: Executable(options.strc, folder, layer, parts) for parts in options.parts}
    others = torch_sides(weight, bias, options.parts)
    times = {}
    for run in range(options.runs):
        empty, _ = around.run(1)
        for name, compute in others.items():
            seconds, sums = torch_seconds(compute, layer)
            expected = sums if run == 0 and name == "oneDNN, packed" else expected
            check(name, sums, expected)
            times.setdefault(name, []).append(seconds)
        for parts, program in programs.items():
            for workers in options.workers:
                name = f"strc, {parts} parts, {workers} workers"
                seconds, sums = program.run(workers)
                check(name, sums, expected)
                times.setdefault(name, []).append(seconds - empty)
    return {name: statistics.median(all_) for name, all_ in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = HERE.parent.parent / "build" / "release" / "bin" / "strc"
    parser.add_argument("--strc", type=Path, default=default)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--workers", type=int, action="append")
    parser.add_argument("--parts", type=int, action="append")
    parser.add_argument("--layer", choices=LAYERS, action="append")
    options = parser.parse_args()
    options.workers = options.workers or [1, 2, 4, 8]
    options.parts = options.parts or [1, 2, 16, 64, 128]
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="strc-split-") as folder, torch.no_grad():
        for layer in options.layer or LAYERS:
            medians = measure(layer, options, Path(folder))
            bar = medians["oneDNN, packed"]
            rows = [[name, f"{s * 1e3:.2f}", f"{s / bar:.2f}"] for name, s in medians.items()]
            print(f"\n{layer}: {' x '.join(map(str, LAYERS[layer]))}. {machine_line()}\n")
            print(markdown(["side", "ms an item", "of oneDNN"], rows, left=1), flush=True)


if __name__ == "__main__":
    main()
