#!/usr/bin/env python3
"""What a long impulse response costs: the share of a processor core at 48 kHz, for a response of a second.

    convolution.py [--strc PATH] [--pairs N] [--taps N]

Each stream is built as a library, which a host in C calls with blocks of 64 samples, or of as many as one steady state has.
All run in turn; the numbers are medians of processor time.
"""

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RATE = 48000
# The stream, the block of the host, and how many samples it gives.
STREAMS = [
    ("DirectConvolver(h, {taps})", 64, 64 * 200),
    ("Convolver(h)", 64, 64 * 8000),
    ("ZeroLatencyConvolver(h)", 64, 64 * 8000),
    ("Convolver(h, 256)", 256, 64 * 8000),
    ("Convolver(h, 1024)", 1024, 64 * 8000),
    ("Convolver(h, 64, 4096)", 4096, 64 * 8000),
    ("ZeroLatencyConvolver(h, 64, 4096)", 4096, 64 * 8000),
]
PROGRAM = """float->float pipeline Room {{
    float[{taps}] h;
    for (int i = 0; i < {taps}; i++) h[i] = sin(0.1 * i * i) * exp(-10.0 * i / {taps});
    add {stream};
}}
"""


def build(strc, folder, at, stream, taps):
    text = PROGRAM.format(taps=taps, stream=stream.format(taps=taps))
    source, library = folder / f"room{at}.str", folder / f"libroom{at}.so"
    source.write_text(text, encoding="ascii")
    subprocess.run([strc, "build", "--shared", "--top", "Room", "-o", library, source], check=True)
    return library


def nanoseconds(host, library, block, samples):
    words = [host, library, "Room", str(samples), str(block)]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", default=ROOT / "build" / "release" / "bin" / "strc", type=Path)
    parser.add_argument("--pairs", default=5, type=int)
    parser.add_argument("--taps", default=RATE, type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="strc-convolution-") as name:
        folder = Path(name)
        host = folder / "host"
        subprocess.run(["cc", "-O2", "-o", host, HERE / "streaming" / "host.c", "-ldl"], check=True)
        libraries = [build(arguments.strc.resolve(), folder, at, stream, arguments.taps) for at, (stream, _, _) in enumerate(STREAMS)]
        times = [[nanoseconds(host, library, block, samples) for library, (_, block, samples) in zip(libraries, STREAMS)]
                 for _ in range(arguments.pairs)]
    print("| stream | block of the host | us a block of 64 | share of a core |\n|---|--:|--:|--:|")
    for (stream, block, _), found in zip(STREAMS, zip(*times)):
        one = statistics.median(found)
        print(f"| `{stream.format(taps=arguments.taps)}` | {block} | {one * 64 / 1000:.1f} | {one * RATE / 1e9:.2%} |")


if __name__ == "__main__":
    main()
