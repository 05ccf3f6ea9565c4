#!/usr/bin/env python3
"""Which architectures import, equal PyTorch's result, and how fast they run beside it.

    run.py [--strc PATH] [--runs N] [--no-run] [NAME...]     names may be parts: vit, timm/

Prints a table. Needs the packages of `strc setup torch --all`.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

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


def run_strc(strc_path, folder, top, x):
    """Output and seconds with all that comes before; or None and what strc says instead."""
    numpy.save(folder / "x.npy", x.numpy())
    words = [strc_path, "run", "--top", top, "model.str", "--in", "x.npy", "--out", "y.npy"]
    start = time.perf_counter()
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    except subprocess.TimeoutExpired:
        return None, "takes more than 10 minutes"
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit status {done.returncode}"
    return torch.from_numpy(numpy.load(folder / "y.npy")), seconds


def difference(found, expected):
    """The largest difference, as a part of max(1, |value|)."""
    if found.numel() != expected.numel():
        return float("inf")
    return float(((found.reshape(expected.shape) - expected).abs() / expected.abs().clamp(min=1)).max())


def row(entry, options):
    """Name, whether it imports, instructions and lines of text, difference, eager and strc seconds."""
    torch.manual_seed(1)
    model, x = entry.make()
    model.eval()
    with tempfile.TemporaryDirectory(prefix="strc-import-") as name, torch.no_grad():
        folder = Path(name)
        try:
            imported = strc.torch.export(model, (x,), folder / "model.str")
        except ImportFailure as fault:
            return [entry.name, "no", "", "", str(fault).splitlines()[1 if "\n" in str(fault) else 0].strip(), "", ""]
        lines = len((folder / "model.str").read_text().splitlines())
        start = [entry.name, "yes", str(len(imported.program.instructions)), str(lines)]
        if options.no_run:
            return [*start, "", "", ""]
        eager = f"{1000 * eager_seconds(model, x, options.runs):.1f}"
        found, seconds = run_strc(options.strc, folder, type(model).__name__, x)
        if found is None:
            return [*start, seconds, eager, ""]
        return [*start, f"{difference(found, model(x)):.1e}", eager, f"{1000 * seconds:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strc", default=str(ROOT / "build/release/bin/strc"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-run", action="store_true", help="only import")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| model | imports | instructions | lines | difference | eager ms | strc ms, with compiling |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for entry in entries():
        if not options.names or any(name in entry.name for name in options.names):
            print("| " + " | ".join(row(entry, options)) + " |", flush=True)


if __name__ == "__main__":
    main()
