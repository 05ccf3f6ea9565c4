#!/usr/bin/env python3
"""Nanoseconds a sample of streamed networks on one thread, beside PyTorch with its states carried by hand.

    run.py [--strc PATH] [--pairs N] [--scale X] [NAME...]

Every network is imported (which compares its outputs with PyTorch's at every time step) and built as a library, as it is and with
--fast-math; a host in C gives it chunks of 1, 64 and 512 samples. PyTorch gets the same chunks, and is compared with itself over the whole sequence. All sides
run in turn; the numbers are medians of processor time. Needs the Python of `strc setup torch`, and a C compiler.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "python"))

import torch  # noqa: E402
from nets import NETS, make  # noqa: E402

import strc.torch  # noqa: E402

CHUNKS = (1, 64, 512)
SIDES = {"strc": (), "strc --fast-math": ("--fast-math",)}


def build(strc_path, folder, name):
    """The libraries of a network, by side, and the name of its main stream."""
    model, example, axis = make(name)
    imported = strc.torch.export(model, (example,), folder / f"{name}.str", streaming=True)
    made = {}
    for side, options in SIDES.items():
        made[side] = folder / f"lib{name}{len(made)}.so"
        words = [strc_path, "build", "--shared", "--top", imported.captured.class_name, *options, "-o", made[side], f"{name}.str"]
        subprocess.run(words, cwd=folder, check=True)
    return made, imported.captured.class_name


def run_library(host, library, top, samples):
    """Nanoseconds a sample for each size of chunk."""
    words = [host, library, top, str(samples), *map(str, CHUNKS)]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    return [float(line) for line in lines[:-1]]


def pieces(x, axis, chunk):
    return x.split(chunk, axis)


def check_steps(model, axis):
    """PyTorch's own chunks have to give what the whole sequence gives."""
    shape = [1, 1, 1]
    shape[axis] = 5000
    x = torch.randn(*shape) * 0.3
    with torch.no_grad():
        whole, states, found = model(x), model.start(), []
        for piece in pieces(x, axis, 64):
            y, states = model.step(piece, states)
            found.append(y)
    found = torch.cat(found, axis)[(slice(None),) * axis + (slice(shape[axis] - whole.shape[axis], None),)]
    assert torch.allclose(found, whole, atol=1e-5), float((found - whole).abs().max())


def run_torch(model, axis, samples):
    torch.set_num_threads(1)
    found = []
    with torch.no_grad():
        for chunk in CHUNKS:
            shape = [1, 1, 1]
            shape[axis] = chunk
            x, states, rounds = torch.randn(*shape) * 0.3, model.start(), max(8, samples // chunk // 16)
            for _ in range(4):
                _, states = model.step(x, states)
            start = time.process_time_ns()
            for _ in range(rounds):
                _, states = model.step(x, states)
            found.append((time.process_time_ns() - start) / rounds / chunk)
    return found


def measure(name, options, folder, host):
    model, _, axis = make(name)
    check_steps(model, axis)
    libraries, top = build(options.strc, folder, name)
    samples = round(options.scale * (20000 if name == "wavenet" else 100000))
    times = {side: [] for side in (*SIDES, "PyTorch")}
    for _ in range(options.pairs):
        for side, library in libraries.items():
            times[side].append(run_library(host, library, top, samples))
        times["PyTorch"].append(run_torch(model, axis, samples // 4))
    return {side: [statistics.median(column) for column in zip(*rows)] for side, rows in times.items()}


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", default=ROOT / "build/release/bin/strc", type=os.path.abspath)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NETS]
    if unknown:
        parser.error(f"no network {unknown[0]}; there are {', '.join(NETS)}")
    return options


def main():
    options = arguments_of()
    os.environ["STRC"] = str(options.strc)
    print("| network | chunk | strc | --fast-math | PyTorch | PyTorch / strc |\n|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory(prefix="strc-streaming-") as place:
        host = Path(place) / "host"
        subprocess.run(["cc", "-O2", "-o", host, HERE / "host.c", "-ldl"], check=True)
        for name in options.names or NETS:
            times = measure(name, options, Path(place), host)
            for chunk, ours, fast, theirs in zip(CHUNKS, *times.values()):
                print(f"| {name} | {chunk} | {ours:.0f} | {fast:.0f} | {theirs:.0f} | {theirs / ours:.1f} |", flush=True)


main()
