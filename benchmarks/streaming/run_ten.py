#!/usr/bin/env python3
"""The ten networks of examples/streaming on one thread, a period at a time and 64, beside PyTorch, ONNX Runtime and tract with states carried by hand.

    run_ten.py [--strc PATH] [--keep FOLDER] [--pairs N] [--sides NAMES] [--compile] [--minute] [NAME...]

Each is imported (which proves it) and built as a library, as it is and with --fast-math. What every side gives for the same noise is compared with what the model gives
for all of it. Then all sides run in turn; the numbers are medians of processor time for a period, in microseconds, and the median over the rounds of the others'
time divided by strc's. --minute tells what share of a core a minute of sound takes, a period at a time, and the longest of its calls. Runs in an environment as constraints.txt says; what is not installed,
or cannot do a network, is left out with its reason.
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TRACT_CPU_THREADS"):
    os.environ[variable] = "1"
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
import torch  # noqa: E402

from stepping import Compiled, Onnx, Strc, Torch, Tract  # noqa: E402
from ten import NETS, chunk_of, make  # noqa: E402

CHUNKS = (1, 64)
CHECKED = 192  # periods, of which the last third is compared, since states that start as zeros are not those of a sequence that begins


def library_of(net, options, folder, fast):
    """Imported and built, unless it is there from before and newer than the compiler."""
    import strc.torch

    program, library = folder / f"{net.name}.str", folder / f"lib{net.name}{'_fast' if fast else ''}.so"
    if not program.exists():
        torch.manual_seed(2)
        example = torch.randn(net.shape)
        strc.torch.export(make(net), (example,), program, streaming=True, latency=net.latency, time=[net.time])
    if not library.exists() or library.stat().st_mtime < max(program.stat().st_mtime, os.stat(options.strc).st_mtime):
        words = [options.strc, "build", "--shared", "--top", net.model, *(["--fast-math"] if fast else []), "-o", library, program.name]
        subprocess.run(words, cwd=folder, check=True)
    return str(library)


def sides_of(net, options, folder, loops):
    """How each is made, by name."""
    spectra = net.name in ("deep_filter", "rnnoise", "speech_encoder", "voice_detector")
    return {
        "strc": lambda chunk: Strc(net, chunk, library_of(net, options, folder, False), loops),
        "strc --fast-math": lambda chunk: Strc(net, chunk, library_of(net, options, folder, True), loops),
        "PyTorch": lambda chunk: Torch(net, chunk),
        **({"torch.compile": lambda chunk: Compiled(net, chunk)} if options.compile else {}),
        "ONNX Runtime": lambda chunk: Onnx(net, chunk, folder),
        **({"ONNX Runtime, DFT": lambda chunk: Onnx(net, chunk, folder, True)} if spectra else {}),
        "tract, pulse": lambda chunk: Tract(net, chunk, folder),
        "tract, states": lambda chunk: Tract(net, chunk, folder, False),
    }


def expected(net, x):
    with torch.no_grad():
        whole = make(net)(x)
    return whole if isinstance(whole, tuple) else (whole,)


def difference(found, wanted):
    return float(np.abs(found.astype(np.float64) - wanted).max() / max(1.0, np.abs(wanted).max()))


def wrong(net, side, periods, x):
    """The largest difference from the model, divided by its largest value."""
    whole = [y.numpy() for y in expected(net, x)]
    found = [side.feed(piece) for piece in x.split(net.period * periods, net.time)]
    if isinstance(side, Strc):
        found = np.concatenate(found)
        per = [np.moveaxis(y, axis, 0).reshape(CHECKED, -1) for y, axis in zip(whole, net.times)]
        wanted = np.concatenate(per, 1).reshape(-1)[: found.size]
        assert found.size > wanted.size // 2
        return difference(found, wanted)
    worst = 0
    for k, (axis, late) in enumerate(zip(net.times, getattr(side, "late", net.late))):
        y = np.concatenate([results[k] for results in found], axis)
        count = y.shape[axis]
        a, b = (z.take(range(count * 2 // 3 - back, count - back), axis) for z, back in ((y, 0), (whole[k], late)))
        worst = max(worst, difference(a, b))
    return worst


def made(net, name, make_side, periods, x):
    """A side that gives the same as the model, or None and why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            side = make_side(x.narrow(net.time, 0, net.period * periods))
            off = wrong(net, side, periods, x)
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        return None, f"{type(error).__name__}: {' / '.join(lines[:4])[:240].replace('|', '/')}"
    return (side, "") if off < 1e-4 else (None, f"its results differ by {off:.1e}")


def measure(net, options, folder, loops, periods):
    """Seconds a period of each side, by name, one for each round; and why others are missing."""
    x = chunk_of(net, CHECKED, torch.Generator().manual_seed(3))
    sides, missing = {}, {}
    for name, make_side in sides_of(net, options, folder, loops).items():
        if options.sides and name not in options.sides and name != "strc":
            continue
        side, reason = made(net, name, make_side, periods, x)
        if side:
            sides[name] = side
        else:
            missing[name] = reason
    rounds = {name: max(3, int(options.seconds / max(side.time(3) / 3, 1e-7))) for name, side in sides.items()}
    times = {name: [] for name in sides}
    for _ in range(options.pairs):
        for name, side in sides.items():
            times[name].append(side.time(rounds[name]) / rounds[name] / periods)
    return times, missing


def report(net, periods, times, missing):
    ours = times["strc"]
    for name, found in times.items():
        ratio = statistics.median(theirs / mine for theirs, mine in zip(found, ours))
        print(f"| {net.name} | {periods} | {name} | {statistics.median(found) * 1e6:.2f} | {ratio:.2f} |", flush=True)
    for name, reason in missing.items():
        print(f"| {net.name} | {periods} | {name} | {reason} | |", flush=True)


def minute(net, options, folder, loops):
    chunk = chunk_of(net, 1, torch.Generator().manual_seed(3))
    side = Strc(net, chunk, library_of(net, options, folder, False), loops)
    rounds = 60 * net.rate // net.period
    side.time(100)
    share = side.time(rounds) / 60
    worst, wall = side.worst(rounds)
    period = net.period / net.rate
    print(f"| {net.name} | {period * 1e3:.3f} | {share:.2%} | {1 / share:.0f} | {worst * 1e6:.1f} | {wall * 1e6:.1f} |", flush=True)


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", default=ROOT / "build/release/bin/strc", type=os.path.abspath)
    parser.add_argument("--keep", type=Path, help="a folder in which programs and libraries stay for the next time")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.05, help="of processor time that a side takes in a round, about")
    parser.add_argument("--sides", type=lambda text: text.split(","), help="these alone, by their names with commas between them, beside strc")
    parser.add_argument("--compile", action="store_true", help="torch.compile, too")
    parser.add_argument("--minute", action="store_true", help="the share of a core and the longest call in a minute")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NETS]
    if unknown:
        parser.error(f"no network {unknown[0]}; there are {', '.join(NETS)}")
    return options


def main():
    options = arguments_of()
    os.environ["STRC"] = str(options.strc)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="strc-streaming-") as place:
        folder = options.keep or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", folder / "frames.so", HERE / "frames.c"], check=True)
        loops = ctypes.CDLL(str(folder.resolve() / "frames.so"))
        folder = folder.resolve()
        if options.minute:
            print("| network | ms of sound a call | share of a core | times real time | longest call, processor us | by the clock us |\n|---|--:|--:|--:|--:|--:|")
        else:
            print("| network | periods a call | side | us a period | of strc's time |\n|---|--:|---|--:|--:|")
        for net in (NETS[name] for name in options.names or NETS):
            if options.minute:
                minute(net, options, folder, loops)
            else:
                for periods in CHUNKS:
                    report(net, periods, *measure(net, options, folder, loops, periods))


main()
