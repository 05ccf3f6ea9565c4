#!/usr/bin/env python3
"""Times programs with a part on a CUDA device, beside the same programs on the processor.

run.py [--strc BINARY] [--seconds S | --count N] [--out FOLDER] [--words "MORE WORDS FOR BUILD"] sessions|overlap|streams [NUMBER]...

sessions  session.str, a streamed network whose program has the states of 64 and 1024 sessions (or NUMBER...): microseconds for a frame
          of all of them, and how many sessions a device serves if each brings a frame every 10 ms
overlap   copies beside the work: the passes as they are, and with --disable-pass=device-overlap, for items of 64 and 1024 KiB
streams   programs of ../programs without tensors (fir64, fft, des, filter_bank), with STRC_TRY=device-streams: times, or why nothing
          of them is on a device

A time is that of a run on 3n items less that on n, over 2n: the start does not count, copies and files do. Outputs of both sides
are compared first. Writes TABLE.md to a folder, by default build/benchmarks. Exit status 1: something of it failed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent)]

import catalogue  # noqa: E402
import measure  # noqa: E402
import numpy  # noqa: E402

PERIOD = 10_000  # microseconds between two frames of a session
ALLOWED = 1e-4  # of the largest number of the output
SESSIONS = (64, 1024)
KIBIBYTES = (64, 1024)
MANY = 1 << 20  # items, so that there are phases of as many firings as a device wants
STREAMS = ("fir64", "fft", "des", "filter_bank")
MOST_BYTES = 1 << 30  # of an input
COPIED = """void->void pipeline Main {{
    add FileReader<tensor<float>[{0}]>("frames.raw");
    add Change;
    add FileWriter<tensor<float>[{0}]>("answers.raw");
}}
tensor->tensor filter Change {{ work pop 1 push 1 {{ push(pop() * 2 + 1); }} }}
"""


@dataclass
class Program:
    """A program that reads frames.raw and writes answers.raw, in the folder where it is built."""

    source: Path
    item_bytes: int
    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # for the executable, if the program does not name them itself
    fewest: int = 0  # items that are compared
    kind: str = "float"  # of the numbers in frames.raw


def build(options, program, folder, name, *words):
    command = [options.strc, "build", "-o", name, *program.words, *options.words, *words, program.source]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())


def frames(program, folder, items):
    if program.kind != "float":
        return catalogue.make_input(program.kind, items, Path(folder, "frames.raw"))
    count = items * program.item_bytes // 4
    values = numpy.random.default_rng(1).standard_normal(min(count, 1 << 20), dtype=numpy.float32)
    with open(Path(folder, "frames.raw"), "wb") as file:
        for start in range(0, count, len(values)):
            file.write(values[: count - start].tobytes())


def answers(program, folder, name):
    measure.run([Path(folder, name), *program.files], folder=folder)
    return Path(folder, "answers.raw").read_bytes()


def check_same(program, found, expected):
    if program.kind != "float" and found != expected:
        raise RuntimeError("the outputs differ")
    if len(found) != len(expected) or not found:
        raise RuntimeError(f"{len(found)} bytes of output instead of {len(expected)}")
    if program.kind != "float":
        return
    mine, theirs = (numpy.frombuffer(each, dtype=numpy.float32) for each in (found, expected))
    worst = float(abs(mine - theirs).max() / max(1e-30, abs(theirs).max()))
    if not worst <= ALLOWED:
        raise RuntimeError(f"the outputs differ by {worst:g} of the largest number")


def seconds(program, folder, name, items):
    """Of `items` items, without the start."""
    taken = []
    for times in (3, 1):
        frames(program, folder, times * items)
        taken.append(min(measure.run([Path(folder, name), *program.files], folder=folder).wall for _ in range(2)))
    return max(1e-9, taken[0] - taken[1]) / 2


def microseconds(options, program, folder, name):
    """For an item: the median of three, each of so many items that they take as long as was asked for."""
    most = max(1, MOST_BYTES // 3 // program.item_bytes)
    count = max(options.count or 64, program.fewest)
    while not options.count and count < most and seconds(program, folder, name, count) < options.seconds / 4:
        count = min(most, 4 * count)
    pairs = 1 if options.count else 3
    return statistics.median(1e6 * seconds(program, folder, name, count) / count for _ in range(pairs))


def compared(options, program, sides):
    """Microseconds an item by side, each a name and the words that build it; the first says what outputs are right."""
    with tempfile.TemporaryDirectory(prefix="strc-device-") as folder:
        for name, words in sides.items():
            build(options, program, folder, name, *words)
        frames(program, folder, max(options.count or 70, program.fewest))
        expected = answers(program, folder, next(iter(sides)))
        for name in sides:
            check_same(program, answers(program, folder, name), expected)
        return {name: microseconds(options, program, folder, name) for name in sides}


DEVICE = {"processor": (), "device": ("--device", "cuda")}


def sessions(options):
    lines = ["| sessions | processor, µs a frame of all | device, µs a frame of all | sessions a device, a frame every 10 ms |",
             "|--:|--:|--:|--:|"]
    for count in options.numbers or SESSIONS:
        words = ("--top", "Sessions", "-D", f"sessions={count}", "--weights", "random:1")
        found = compared(options, Program(HERE / "session.str", 4 * 40 * count, words), DEVICE)
        lines.append(f"| {count} | {found['processor']:.1f} | {found['device']:.1f} | "
                     f"{int(PERIOD / found['device'] * count)} |")
    return lines, []


def overlap(options):
    sides = {"processor": (), "beside": ("--device", "cuda"), "after": ("--device", "cuda", "--disable-pass=device-overlap")}
    lines = ["| KiB an item | copies beside the work, µs an item | one after the other, µs an item |", "|--:|--:|--:|"]
    for kibibytes in options.numbers or KIBIBYTES:
        with tempfile.TemporaryDirectory(prefix="strc-device-") as folder:
            source = Path(folder, "copied.str")
            source.write_text(COPIED.format(256 * kibibytes))
            found = compared(options, Program(source, 1024 * kibibytes), sides)
        lines.append(f"| {kibibytes} | {found['beside']:.1f} | {found['after']:.1f} |")
    return lines, []


def streams(options):
    """With the trial `device-streams`; what is refused is a row, too."""
    os.environ["STRC_TRY"] = "device-streams"
    lines = ["| program | processor, µs for 1,000 items | device, µs for 1,000 items |", "|---|--:|--:|"]
    failed = []
    for name in STREAMS:
        case = catalogue.BENCHMARKS[name]
        words = ["--top", case.top, *(f"-D{key}={value}" for key, value in case.parameters.items())]
        source = HERE.parent / "programs" / f"{case.program or case.name}.str"
        files = ("--in", "frames.raw", "--out", "answers.raw")
        program = Program(source, 1 if case.input == "bit" else 4, tuple(words), files, MANY, case.input)
        try:
            found = compared(options, program, DEVICE)
            lines.append(f"| {name} | {1000 * found['processor']:.2f} | {1000 * found['device']:.2f} |")
        except RuntimeError as why:
            text = str(why).split("error: ")[-1].splitlines()[0]
            lines.append(f"| {name} | | {text} |")
            if "nothing of it can be on a device" not in text:
                failed.append(f"{name}: {text}")
    return lines, failed


PARTS = {"sessions": sessions, "overlap": overlap, "streams": streams}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strc", default=str(ROOT / "build/release/bin/strc"))
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement")
    parser.add_argument("--count", type=int, help="items of a measurement, instead of --seconds")
    parser.add_argument("--words", type=str.split, default=[], help="more words for strc build")
    parser.add_argument("--out", default=ROOT / "build/benchmarks", type=Path)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("numbers", nargs="*", type=int)
    options = parser.parse_args()
    lines, failed = PARTS[options.part](options)
    options.out.mkdir(parents=True, exist_ok=True)
    Path(options.out, options.part + ".md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    for each in failed:
        print(each, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as fault:
        sys.exit(str(fault))
