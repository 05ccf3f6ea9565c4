#!/usr/bin/env python3
"""How long blocks of 64 samples take in libraries with 1, 2 and more threads.

latency.py [--strc BINARY] [--minutes M] [--threads N[,N]...] [--spin US[,US]...] [PROGRAM]...

Every program (bank.str, chain.str) becomes a library whose handles, one for each number of threads, play the same M minutes of sound at 48 kHz,
block by block in turn, without pauses. Outputs are compared bit for bit. A table says the median, the 99.9th percentile and the worst time of a
block. `--spin`: µs for which helpers look for a block before they sleep; while another handle has its turn those with little sleep. Times mean little
unless the machine has as many idle processors as threads: the load is printed, too.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BLOCKS_IN_MINUTE = 48000 * 60 // 64


def build(strc, program, threads, folder):
    stream = program.stem.capitalize()
    library = folder / f"lib{program.stem}.so"
    command = [strc, "build", "--shared", "--threads", str(threads), "--top", stream, "-o", library, program]
    subprocess.run(command, check=True)
    host = folder / program.stem
    command = ["cc", "-std=gnu11", "-O2", f"-DSTREAM={stream}", "-include", library.with_suffix(".h"), HERE / "latency.c", "-o", host]
    subprocess.run([*command, f"-L{folder}", f"-l{program.stem}", f"-Wl,-rpath,{folder}"], check=True)
    return host


def measure(host, blocks, spin, threads):
    done = subprocess.run([host, str(blocks), str(spin), *map(str, threads)], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{host.name}: " + ("outputs differ" if done.returncode == 5 else f"status {done.returncode}"))
    for line in done.stdout.splitlines():
        count, median, rare, worst, shared, joined, late = line.split()
        print(f"| `{host.name}` | {count} | {spin} | {median} | {rare} | {worst} | {shared} | {joined} | {late} |", flush=True)


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strc", default=HERE.parents[1] / "strc")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--spin", type=numbers, default=[50, 2000])
    parser.add_argument("programs", nargs="*", type=Path, default=[HERE / "bank.str", HERE / "chain.str"])
    arguments = parser.parse_args()
    blocks = max(1000, int(arguments.minutes * BLOCKS_IN_MINUTE))
    print(f"{blocks} blocks of 64 samples; load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors\n")
    print("| program | threads | spin, µs | median, µs | 99.9 %, µs | worst, µs | shared blocks | joined by helpers | late |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for program in arguments.programs:
            host = build(arguments.strc, program, max(arguments.threads), Path(folder))
            for spin in arguments.spin:
                measure(host, blocks, spin, arguments.threads)


if __name__ == "__main__":
    main()
