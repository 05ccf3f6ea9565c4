#!/usr/bin/env python3
"""Which architectures import, equal PyTorch's result, and how fast they run beside it.

    run.py [--runs N] [--size N] [--seconds N] [--no-run] [NAME...]     names may be parts: vit, timm/

Prints a table. Needs the packages of `strc setup torch --all`, and to run the models the package strc with its extension (docs/python.md),
of which STRC_WHEEL may name the folder.
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, os.environ.get("STRC_WHEEL") or str(ROOT / "python"))

from models import entries  # noqa: E402

import strc.torch  # noqa: E402
from strc.errors import ImportFailure  # noqa: E402


def eager_seconds(model, x, runs):
    """The best of some runs on one thread."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        model(x)
        best = min(best, time.perf_counter() - start)
    return best


def work(folder, top, runs):
    """In a process of its own: compiles model.str, calls it with x.npy, writes y.npy and what it took."""
    x = torch.from_numpy(numpy.load(folder / "x.npy"))
    start = time.perf_counter()
    program = strc.compile(folder / "model.str", top, inputs=[x], at_once=1)
    y = program(x)
    compiling = time.perf_counter() - start
    numpy.save(folder / "y.npy", y.numpy())
    (folder / "took.json").write_text(json.dumps([compiling, eager_seconds(program, x, runs)]))


def run_strc(folder, top, x, options):
    """Output, seconds to compile, and of a call; or None and what is wrong instead."""
    numpy.save(folder / "x.npy", x.numpy())
    words = [sys.executable, __file__, "--runs", str(options.runs), "--work", str(folder), top]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=options.seconds)
    except subprocess.TimeoutExpired:
        return None, f"takes more than {options.seconds} s", ""
    if done.returncode != 0:
        return None, told(done.stderr), ""
    return torch.from_numpy(numpy.load(folder / "y.npy")), *json.loads((folder / "took.json").read_text())


def told(text):
    """The line that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if "error:" in line or "Error" in line]
    return lines[0] if lines else "ends without a word"


def difference(found, expected):
    """The largest difference, as a part of the largest value."""
    if found.numel() != expected.numel():
        return float("inf")
    return float((found.reshape(expected.shape) - expected).abs().max() / expected.abs().max())


def rounding(model, x):
    """How far PyTorch's own result is from the one in double: what a difference means for this model."""
    expected = model(x)
    try:
        exact = copy.deepcopy(model).double()(x.double() if x.is_floating_point() else x)
    except RuntimeError:
        return ""
    return f"{difference(expected.double(), exact):.1e}"


def liven(model, x):
    """Weights that tell: what starts as nothing but zeros or ones (last layers, scales) gets random values, and norms the statistics of x."""
    for parameter in model.parameters():
        if parameter.numel() > 1 and bool((parameter == parameter.flatten()[0]).all()):
            spread = 0.1 if parameter.dim() < 2 else parameter[0].numel() ** -0.5
            parameter.add_(spread * torch.randn(parameter.shape))
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the mean of all batches
        norm.train()
    if norms and x.is_floating_point():
        model(torch.cat([x, torch.randn(3, *x.shape[1:])]))
    model.eval()


def row(entry, options):
    """Name, whether it imports, instructions and lines of text, difference, PyTorch's own from double, ms of a call of PyTorch and of strc,
    seconds to compile."""
    torch.manual_seed(1)
    model, x = entry.make(options.size)
    model.eval()
    with tempfile.TemporaryDirectory(prefix="strc-import-") as name, torch.no_grad():
        liven(model, x)
        folder = Path(name)
        try:
            imported = strc.torch.export(model, (x,), folder / "model.str")
        except ImportFailure as fault:
            return [entry.name, "no", "", "", str(fault).splitlines()[1 if "\n" in str(fault) else 0].strip(), "", "", "", ""]
        lines = len((folder / "model.str").read_text().splitlines())
        start = [entry.name, "yes", str(len(imported.program.instructions)), str(lines)]
        if options.no_run:
            return [*start, "", "", "", "", ""]
        eager = f"{1000 * eager_seconds(model, x, options.runs):.2f}"
        found, compiling, seconds = run_strc(folder, type(model).__name__, x, options)
        if found is None:
            return [*start, compiling, "", eager, "", ""]
        return [*start, f"{difference(found, model(x)):.1e}", rounding(model, x), eager, f"{1000 * seconds:.2f}", f"{compiling:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, help="of images, where a model takes any (its own)")
    parser.add_argument("--seconds", type=int, default=600, help="for each model, compiling included (600)")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-run", action="store_true", help="only import")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.work:
        return work(Path(options.work[0]), options.work[1], options.runs)
    print("| model | imports | instructions | lines | difference | of double | eager ms | strc ms | s to compile |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for entry in entries():
        if not options.names or any(name in entry.name for name in options.names):
            print("| " + " | ".join(row(entry, options)) + " |", flush=True)


if __name__ == "__main__":
    main()
