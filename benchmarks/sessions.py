#!/usr/bin/env python3
"""How many sessions one core serves: programs in which each user has an instance of their own, done one after the other and together
(`NAME_process_many` of a library with lanes). Pairs are interleaved, medians shown, and outputs have to be the same.

    benchmarks/sessions.py [--strc FILE] [--pairs N] [--sessions N] [--rate HZ] [--blocks N,...] [NAME...]

A NAME is one of those below, or STREAM=FILE: a program from floats to items of four bytes, such as run_ten.py keeps.
"""

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = {"biquads": "Biquads", "fir": "Fir", "gru": "Gru", "lstm": "Amplifier", "wavenet": "Amplifier"}
# Networks that were imported; their weights lie beside them.
IMPORTED = {"lstm": "lstm_stream/amplifier.str", "wavenet": "wavenet_amp/amplifier.str"}
BLOCKS = (16, 64, 160)  # items of a call


def program_of(name):
    """Its stream, its source, and what it is called."""
    if "=" in name:
        stream, source = name.split("=", 1)
        return stream, Path(source).resolve(), stream.lower()
    return PROGRAMS[name], HERE.parent / "examples" / IMPORTED[name] if name in IMPORTED else HERE / f"sessions/{name}.str", name


def build(strc, stream, source, name, folder):
    done = subprocess.run([strc, "build", "--shared", "--lanes", "-O3", f"--top={stream}", "-o", f"lib{name}.so", source],
                          cwd=folder, check=True, capture_output=True, text=True)  # fmt: skip
    print("".join(line + "\n" for line in done.stderr.splitlines() if "note:" in line), end="", flush=True)
    subprocess.run(["cc", "-O2", f"-DSTREAM={stream}", "-include", f"lib{name}.h", "-I.", "-o", name, HERE / "sessions/host.c", "-L.",
                    f"-l{name}", f"-Wl,-rpath,{folder}"], cwd=folder, check=True)  # fmt: skip


def measure(name, folder, way, sessions, items, calls):
    done = subprocess.run([f"./{name}", way, str(sessions), str(items), str(calls)], cwd=folder, check=True, capture_output=True, text=True)
    digest, spent = done.stdout.split()
    return digest, float(spent)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strc", default="strc")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--sessions", type=int, default=256)
    parser.add_argument("--rate", type=float, default=16000, help="items a second that a session brings")
    parser.add_argument("--items", type=int, default=16000, help="items of a session in all")
    parser.add_argument("--blocks", type=lambda text: [int(each) for each in text.split(",")], default=BLOCKS, help="items of a call")
    parser.add_argument("names", nargs="*", default=list(PROGRAMS))
    options = parser.parse_args()
    print(f"{'program':10} {'items a call':>12} {'one by one':>12} {'together':>12} {'ratio':>7}   sessions of {options.rate:g} items a second, on one core")
    with tempfile.TemporaryDirectory() as folder:
        for each in options.names:
            stream, source, name = program_of(each)
            build(Path(options.strc).resolve() if "/" in options.strc else options.strc, stream, source, name, folder)
            for items in options.blocks:
                calls = max(2, options.items // items)
                spent = {"one": [], "together": []}
                digests = set()
                for _ in range(options.pairs):
                    for way, times in spent.items():
                        digest, seconds = measure(name, folder, way, options.sessions, items, calls)
                        digests.add(digest)
                        times.append(seconds)
                assert len(digests) == 1, "the outputs differ"
                served = {way: options.sessions * items * calls / options.rate / statistics.median(times) for way, times in spent.items()}
                print(f"{name:10} {items:12} {served['one']:12.0f} {served['together']:12.0f} {served['together'] / served['one']:7.2f}", flush=True)


if __name__ == "__main__":
    main()
