#!/usr/bin/env python3
"""Linear layers that processes share, beside one process.

    run.py [--package FOLDER] [--layer small|large]... [--processes N]... [--parts N]... [--runs N]

The layers 1024 x 512 to 256 and 1024 x 4096 to 1024 in 2, 4 and 8 parts of their columns and of their sums, over 1, 2, 3 and 4 processes that Gloo connects, each with one
thread, and a stack of 8 items of which each process does some. One process does the same layer whole beside them. All take turns; the fastest of --runs (15). What
crosses are the bytes that a process gets in a call. The bits are compared with those of one process that has the same parts.
Needs PyTorch and the package (`pip install ./python`; FOLDER is where it lies otherwise).
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import torch
import torch.multiprocessing

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
LAYERS = {"small": (1024, 512, 256), "large": (1024, 4096, 1024)}
STACK = 8
SOURCE = 'tensor->tensor pipeline Main(int inner, int outer) { add linear(inner, outer, weights = "layer"); }'


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", default="")
    parser.add_argument("--layer", action="append", choices=list(LAYERS))
    parser.add_argument("--processes", action="append", type=int)
    parser.add_argument("--parts", action="append", type=int)
    parser.add_argument("--runs", type=int, default=15)
    return parser.parse_args()


def crossing(split, parts, processes, layer):
    """Bytes that a process gets: all blocks but its own."""
    rows, _, outer = LAYERS[layer]
    if processes == 1:
        return 0
    others, result = processes - 1, 4 * rows * outer
    if split == "batch":
        return STACK * result * others // processes
    if split == "columns":
        return -(-parts // processes) * result // parts * others
    return (-(-parts // processes) + 1) * result // processes * others


class Call:
    """Something to measure; what all processes do together needs all of them."""

    def __init__(self, name, program, x, is_alone=False):
        self.name, self.program, self.x, self.is_alone = name, program, x, is_alone
        self.seconds = []

    def run(self, rank):
        torch.distributed.barrier()
        begin = time.perf_counter()
        if rank == 0 or not self.is_alone:
            self.program(self.x)
        self.seconds.append(time.perf_counter() - begin)


def calls_of(layer, parts, processes):
    import strc

    rows, inner, outer = LAYERS[layer]
    torch.manual_seed(1)
    x, stack = torch.randn(rows, inner), torch.randn(STACK, rows, inner)
    weights = {"layer.weight": torch.randn(outer, inner) / inner**0.5, "layer.bias": torch.randn(outer)}
    how = {"inputs": [x], "weights": weights, "params": {"inner": inner, "outer": outer}, "at_once": 1}
    whole = strc.compile(SOURCE, "Main", **how)
    yield Call(("whole", 1), whole, x, True), None
    yield Call(("whole stack", 1), whole, stack, True), None
    yield Call(("batch", 1), strc.compile(SOURCE, "Main", mesh=processes, split="batch", **how), stack), None
    for count in parts:
        for name, split in (("columns", f"1:{outer // count}"), ("sums", f"sums:{inner // count}")):
            made = strc.compile(SOURCE, "Main", mesh=processes, split=split, **how)
            alone = strc.compile(SOURCE, "Main", options={"split": split}, **how)
            yield Call((name, count), made, x), torch.equal(alone(x).view(torch.int32), made(x).view(torch.int32))


def process(rank, processes, store, results, layer, chosen):
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=processes)
    made = list(calls_of(layer, chosen.parts, processes))
    for _ in range(chosen.runs):
        for call, _ in made:
            call.run(rank)
    if rank == 0:
        torch.save([(call.name, min(call.seconds), same) for call, same in made], results)
    torch.distributed.barrier()
    os._exit(0)


def measure(layer, processes, chosen):
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        torch.multiprocessing.spawn(process, (processes, f"{folder}/store", str(results), layer, chosen), nprocs=processes)
        return torch.load(results)


def rows_of(layer, chosen):
    for processes in chosen.processes:
        found = measure(layer, processes, chosen)
        alone = {name: seconds for (name, _), seconds, _ in found}
        for (split, parts), seconds, same in found:
            if split.startswith("whole"):
                continue
            one = alone["whole stack" if split == "batch" else "whole"]
            what = f"{parts} parts of {split}" if split != "batch" else f"{STACK} items"
            bits = "the same" if same is None or same else "OTHERS"
            crosses = f"{crossing(split, parts, processes, layer) / 2**20:.1f}"
            yield [what, bits, str(processes), crosses, f"{one * 1e3:.1f}", f"{seconds * 1e3:.1f}", f"{one / seconds:.2f}"]


def main():
    chosen = options()
    if chosen.package:
        sys.path.insert(0, chosen.package)
        os.environ["PYTHONPATH"] = chosen.package
    chosen.parts = chosen.parts or [2, 4, 8]
    chosen.processes = chosen.processes or [1, 2, 3, 4]
    from native_report import machine_line, markdown

    print(machine_line())
    for layer in chosen.layer or LAYERS:
        rows, inner, outer = LAYERS[layer]
        print(f"\n{rows} x {inner} to {outer}\n")
        heads = ["split", "bits", "processes", "MiB that each gets", "ms alone", "ms shared", "times as fast"]
        print(markdown(heads, list(rows_of(layer, chosen)), 2))


if __name__ == "__main__":
    main()
