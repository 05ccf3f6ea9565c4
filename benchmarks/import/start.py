"""How long `strc import` takes, beside another checkout of strc: pairs one after the other, medians of seconds and of seconds of processor time.

start.py OTHER_CHECKOUT [PAIRS]   with the Python that `strc setup torch` made
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
MODELS = """import torch
import torchvision
from torch import nn

def small():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(7200, 10)).eval()

def resnet18():
    return torchvision.models.resnet18(weights=None).eval()

def mobilenet_v3():
    return torchvision.models.mobilenet_v3_small(weights=None).eval()

def vit():
    return torchvision.models.vit_b_16(weights=None).eval()
"""
CALLS = {
    "small": ["--input", "1x3x32x32"], "small, --dynamic 0": ["--input", "2x3x32x32", "--dynamic", "0"],
    "resnet18": ["--input", "1x3x224x224"], "mobilenet_v3": ["--input", "1x3x224x224"], "vit": ["--input", "1x3x224x224"],
}


def used() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def seconds(checkout: Path, folder: str, name: str) -> tuple[float, float]:
    command = [sys.executable, "-m", "strc.importer", f"models.py:{name.partition(',')[0]}", *CALLS[name], "-o", "made.str"]
    start, before = time.perf_counter(), used()
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(checkout / "python")}, check=True, capture_output=True)
    return time.perf_counter() - start, used() - before


def main() -> None:
    other, pairs = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "models.py").write_text(MODELS)
        for name in CALLS:
            taken = [(*seconds(other, folder, name), *seconds(HERE, folder, name)) for _ in range(pairs + 1)][1:]
            before, busy_before, after, busy = (statistics.median(column) for column in zip(*taken))
            print(f"| {name} | {before:.1f} | {after:.1f} | {busy_before:.1f} | {busy:.1f} |", flush=True)


main()
