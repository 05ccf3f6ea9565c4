#!/usr/bin/env python3
"""Compares networks compiled by strc with PyTorch, ONNX Runtime and OpenVINO.

run.py [--strc BINARY] [--threads N | --device WORD [--fast-math]] [--pairs N] [--batch N]... [--seconds S] [--out FOLDER] [NETWORK]...

Every network of models.py is imported and built as an executable; the other sides compute the same weights in processes that
stay alive. First all outputs are compared with PyTorch's. Then all compute items that differ, in turn, so that all see
the same machine: the table has the medians of the time for an inference, and strc's share of the best other side's. On one
thread, the default, that is the processor's time, which is what passes on a machine that does nothing else; on more it is
what passes, and all are kept on as many processors. With --device (cuda, cuda:N) programs have their part on that device, the other sides are
PyTorch there (eager, in a CUDA graph, by torch.compile(mode="max-autotune")) with copies to and fro from pinned memory, and
what passes is told; with --fast-math products of both are done on tensor cores, of factors of 11 bits (TF32). An executable reads its items from
a file, which the others need not do; its start does not count. Sides that are not installed (constraints.txt) are left out with a
word. Writes tensors.md and tensors.json to a folder, by default build/benchmarks.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "python")]
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS"):
    os.environ[variable] = "1"

import measure  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402
from models import NETWORKS, made  # noqa: E402

import strc.torch  # noqa: E402

ITEMS = 8  # inputs that differ
ALLOWED = 1e-4
ALLOWED_FAST = 2e-2  # of factors of 11 bits, through all layers
RIVALS = {"eager": "torch", "compile": "torch", "onnxruntime": "onnxruntime", "openvino": "openvino"}
DEVICE_RIVALS = {"cuda-eager": "torch", "cuda-graph": "torch", "cuda-max-autotune": "torch"}


def fast_words(options):
    return ["--fast-math"] if options.fast_math else []


class Executable:
    """A network built by strc; `seconds(count)` of so many inferences, without the start."""

    name = "strc"

    def __init__(self, network, batch, folder, options):
        self.folder = folder
        self.threads = options.threads
        self.is_wall = options.threads > 1 or options.device != "cpu"
        self.binary = "./network"
        shape = "x".join(str(extent) for extent in network.shape(batch))
        top = type(made(network)).__name__
        words = [options.strc, "build", "--top", top, "--input", shape, "model.str", "-o", self.binary,
                 "--device", options.device, *fast_words(options), *options.words]
        subprocess.run(words, cwd=folder, check=True)

    def command(self, count, out):
        words = ["--workers", str(self.threads), "-i", str(count), "--loop-input"]
        words += ["--in", Path(self.folder, "items.npy"), "--out", out]
        return [Path(self.folder, self.binary), *words]

    def seconds(self, count):
        runs = [measure.run([*self.command(times, "/dev/null"), "--out-format", "raw"]) for times in (count + 1, 1)]
        taken = [each.wall if self.is_wall else each.processor for each in runs]
        return max(1e-9, taken[0] - taken[1])

    def output(self):
        measure.run(self.start())
        return numpy.load(Path(self.folder, "first.npy"))

    def start(self):
        return self.command(1, Path(self.folder, "first.npy"))

    def close(self):
        pass


class Rival:
    """A process of rival.py."""

    def __init__(self, name, network, batch, folder, options):
        threads = options.threads
        self.name = name
        self.folder = folder
        words = [sys.executable, str(HERE / "rival.py"), name, network.name, str(batch), str(threads), "items-batched.npy",
                 *fast_words(options)]
        self.words = words
        self.child = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      stderr=subprocess.DEVNULL, env={**os.environ, **self.threads_of(options)})
        if self.answer() != "ready":
            raise RuntimeError(f"{name} does not start")

    @staticmethod
    def threads_of(options):
        """Code for a device is compiled by all processors."""
        variables = {"OMP_NUM_THREADS": str(options.threads)}
        if options.device != "cpu":
            variables["TORCHINDUCTOR_COMPILE_THREADS"] = str(len(os.sched_getaffinity(0)))
        return variables

    def answer(self):
        return self.child.stdout.readline().strip()

    def ask(self, words):
        self.child.stdin.write(words + "\n")
        self.child.stdin.flush()
        return self.answer()

    def seconds(self, count):
        return float(self.ask(str(count)))

    def output(self):
        self.ask("output first-rival.npy")
        return numpy.load(Path(self.folder, "first-rival.npy"))

    def start(self):
        return [*self.words, "--once"]

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def prepare(network, batch, folder, rivals):
    """The inputs, the program with its weights, the ONNX model if a side reads it."""
    model = made(network)
    shape = network.shape(batch)
    generator = torch.Generator().manual_seed(2)
    items = torch.randn(ITEMS, *shape, generator=generator)
    numpy.save(Path(folder, "items.npy"), items.numpy())
    numpy.save(Path(folder, "items-batched.npy"), items.numpy())
    with torch.no_grad():
        strc.torch.export(model, (items[0],), Path(folder, "model.str"))
        if {"onnxruntime", "openvino"} & set(rivals):
            torch.onnx.export(model, (items[0],), str(Path(folder, f"{network.name}-{batch}.onnx")), dynamo=True,
                              verbose=False)
        return model(items[0]).numpy()


def check(sides, expected, allowed):
    for side in sides:
        found = side.output().reshape(expected.shape)
        worst = float((abs(found - expected) / numpy.maximum(1, abs(expected))).max())
        if not worst <= allowed:
            raise RuntimeError(f"{side.name}: differs by {worst:g}")


def count_for(side, options):
    """Inferences that take about so long."""
    if options.count:
        return options.count
    count, seconds = 1, options.seconds
    while True:
        taken = side.seconds(count)
        if taken > seconds / 8 or count > 1_000_000:
            return max(1, round(count * seconds / max(taken, 1e-9)))
        count *= 4


def compare(network, batch, options):
    with tempfile.TemporaryDirectory(prefix="strc-tensors-") as folder:
        expected = prepare(network, batch, folder, options.rivals)
        sides = [Executable(network, batch, folder, options)]
        for name in options.rivals:
            try:
                sides.append(Rival(name, network, batch, folder, options))
            except RuntimeError as fault:
                print(fault, file=sys.stderr)
        try:
            check(sides, expected, ALLOWED_FAST if options.fast_math else ALLOWED)
            return measure_all(sides, network, batch, options)
        finally:
            for side in sides:
                side.close()


def measure_all(sides, network, batch, options):
    counts = {side.name: count_for(side, options) for side in sides}
    times = {side.name: [] for side in sides}
    for pair in range(options.pairs):
        turn = pair % len(sides)
        for side in sides[turn:] + sides[:turn]:
            times[side.name].append(side.seconds(counts[side.name]) / counts[side.name])
    row = {"network": network.name, "batch": batch, "seconds": {}, "start": {}, "peak": {}}
    for side in sides:
        row["seconds"][side.name] = statistics.median(times[side.name])
        if options.start:
            row["start"][side.name] = statistics.median(measure.run(side.start(), folder=side.folder).wall for _ in range(3))
            row["peak"][side.name] = measure.peak(side.start(), side.folder)
    best = min((row["seconds"][side.name] for side in sides if isinstance(side, Rival)), default=None)
    row["best"] = best
    return row


def duration(seconds):
    return f"{1e6 * seconds:.1f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.2f} ms"


def table(rows, names):
    lines = ["| network | batch | " + " | ".join(names) + " | strc / best other |",
             "|---|--:|" + "--:|" * (len(names) + 1)]
    for row in rows:
        cells = [duration(row["seconds"][name]) if name in row["seconds"] else "" for name in names]
        ratio = f"{row['seconds'][Executable.name] / row['best']:.2f}" if row["best"] else ""
        lines.append(f"| {row['network']} | {row['batch']} | " + " | ".join(cells) + f" | {ratio} |")
    return "\n".join(lines) + "\n"


def starts(rows, names):
    lines = ["", "Start to first result, and peak memory:", "", "| network | batch | " + " | ".join(names) + " |",
             "|---|--:|" + "--:|" * len(names)]
    for row in rows:
        cells = [f"{1e3 * row['start'][name]:.0f} ms, {row['peak'][name] >> 20} MB" if name in row["start"] else ""
                 for name in names]
        lines.append(f"| {row['network']} | {row['batch']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strc", default=str(ROOT / "build/release/bin/strc"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--batch", type=int, action="append")
    parser.add_argument("--device", default="cpu", help="cuda or cuda:N: what programs have on a device, beside PyTorch there")
    parser.add_argument("--fast-math", action="store_true", help="with --device: all sides may round factors of products to TF32")
    parser.add_argument("--words", type=str.split, default=[], help="more words for strc build")
    parser.add_argument("--count", type=int, help="inferences of a measurement, instead of --seconds")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement")
    parser.add_argument("--no-start", dest="start", action="store_false", help="do not measure start and memory")
    parser.add_argument("--rivals", help=f"some of {', '.join(RIVALS)}; with --device of {', '.join(DEVICE_RIVALS)}")
    parser.add_argument("--out", default=ROOT / "build/benchmarks", type=Path)
    parser.add_argument("networks", nargs="*")
    options = parser.parse_args()
    unknown = set(options.networks) - {network.name for network in NETWORKS}
    if unknown:
        parser.error(f"no network {min(unknown)}; there are {', '.join(network.name for network in NETWORKS)}")
    if options.fast_math and options.device == "cpu":
        parser.error("--fast-math is for --device")
    known = RIVALS if options.device == "cpu" else DEVICE_RIVALS
    wanted = list(known) if options.rivals is None else [name for name in options.rivals.split(",") if name]
    if set(wanted) - set(known):
        parser.error(f"no side {min(set(wanted) - set(known))}; there are {', '.join(known)}")
    options.rivals = [name for name in wanted if importlib.util.find_spec(known[name])]
    for name in set(wanted) - set(options.rivals):
        print(f"{name} is not installed: left out", file=sys.stderr)
    torch.set_num_threads(1)
    if options.device == "cpu":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
    rows, failed = [], False
    names = [Executable.name, *options.rivals]
    for network in NETWORKS:
        if options.networks and network.name not in options.networks:
            continue
        for batch in options.batch or (1, 8):
            began = time.monotonic()
            try:
                rows.append(compare(network, batch, options))
                print(table(rows[-1:], names).splitlines()[-1], f" ({time.monotonic() - began:.0f} s)", flush=True)
            except (RuntimeError, subprocess.CalledProcessError) as fault:
                failed = True
                print(f"{network.name}, batch {batch}: {fault}", file=sys.stderr)
    text = table(rows, names) + (starts(rows, names) if options.start else "")
    options.out.mkdir(parents=True, exist_ok=True)
    Path(options.out, "tensors.md").write_text(text)
    Path(options.out, "tensors.json").write_text(json.dumps(rows, indent=1))
    print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
