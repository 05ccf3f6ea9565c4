#!/usr/bin/env python3
"""Runs random programs to the end of short inputs: every engine gives what the model does when everybody
fires who can.

drain.py --strc BINARY [--first SEED] [--count N] [--jobs N]

A program that fails is written to the current folder as drain-SEED.str.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import bodies
import generate
import model

MOST_FIRINGS = 20000  # of the model
MOST_REPETITIONS = 600  # firings of a steady state
COUNTS = 4  # lengths of the input, of each program
SECONDS = 300.0 * float(os.environ.get("STRC_TEST_TIME_FACTOR", "1"))
ENGINES = [
    ["--interpret"],
    ["--no-interpret"],
    ["--no-interpret", "--tapes=ring"],
    ["--interpret", "--tapes=arrays"],
    ["--no-interpret", "--tapes=arrays"],
    ["--no-interpret", "--tapes=arrays", "-j3", "--no-tune", "--chunk=2"],
    None,  # `strc build`, then what it made
]


def program(seed):
    """A stream with an open input, and an open output unless it prints."""
    maker = generate.Maker(f"drain.{seed}")
    takes = maker.rng.choice(["int", "float"])
    prints = maker.rng.random() < 0.5
    gives = maker.rng.choice(bodies.TYPES) if prints else maker.rng.choice(["int", "float"])
    parts = [maker.stream(takes, gives, maker.rng.choice([1, 2, 2, 3]))]
    if maker.rng.random() < 0.15:
        parts.insert(0, model.Filter(bodies.varying(maker.rng, maker.name("Varying"), takes)))
    if prints:
        parts.append(model.Filter(bodies.sink(maker.rng, maker.name("Sink"), gives)))
    return model.Pipeline(parts), maker.rng


def text_of(stream):
    return generate.Writer().program(stream).replace(
        "void->void pipeline Main", f"{stream.takes}->{stream.gives} pipeline Main"
    )


def expected(stream, items):
    """What comes out, as words; None: it does not come to an end."""
    graph = model.Graph()
    out = stream.build(graph, model.Tape(items))
    graph.run(1 << 30, MOST_FIRINGS)
    if graph.busy():
        return None
    if stream.gives == "void":
        return graph.lines
    return [model.printed(out.pop()) for _ in range(len(out))]


def cases(seed):
    """(text, [(items, expected)]) of the first program of this seed that is small enough."""
    for attempt in range(1000):
        stream, rng = program(f"{seed}.{attempt}")
        try:
            if model.repetitions(stream) > MOST_REPETITIONS:
                continue
        except model.Unbalanced:
            continue
        found = []
        for count in [rng.randrange(1, 12), *(rng.randrange(1, 200) for _ in range(COUNTS - 1))]:
            items = [rng.randrange(-50, 50) * (1 if stream.takes == "int" else 0.5) for _ in range(count)]
            found.append((items, expected(stream, items)))
        if all(lines is not None for _, lines in found) and any(lines for _, lines in found):
            return text_of(stream), found
    raise RuntimeError(f"no program for seed {seed}")


def same(got, wanted):
    """Words of numbers: texts of floats differ between what is printed and what is written to files."""
    if len(got) != len(wanted):
        return False
    return all(a == b or float(a) == model.f32(float(b)) for a, b in zip(got, wanted))


def fault_on(strc, engine, folder, has_output, items, wanted):
    words = ["--tail=drain", "--in-format=text", *(["--out-format=text"] if has_output else [])]
    start = [folder + "/program.exe"] if engine is None else [strc, "run", "-w", "--top=Main", *engine]
    end = [] if engine is None else ["program.str"]
    done = subprocess.run(
        [*start, *words, *end],
        cwd=folder,
        input=" ".join(map(str, items)).encode(),
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    got = done.stdout.decode("ascii", "replace").split()
    if engine and "--tapes=arrays" in engine and b"it has dynamic rates [cannot-compile]" in done.stderr:
        return None
    name = "executable" if engine is None else " ".join(engine)
    if done.returncode != 0:
        return f"{name}, {len(items)} items: status {done.returncode}, {done.stderr.decode()}"
    if same(got, wanted):
        return None
    return f"{name}, {len(items)} items: {len(got)} words instead of {len(wanted)}: {got[:8]}, {wanted[:8]}"


def check(strc, seed):
    text, found = cases(seed)
    has_output = "void pipeline Main" not in text
    with tempfile.TemporaryDirectory(prefix="strc-drain-") as folder:
        Path(folder, "program.str").write_text(text, encoding="ascii")
        build = [strc, "build", "-w", "--top=Main", "-o", "program.exe", "program.str"]
        built = subprocess.run(build, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
        if built.returncode != 0:
            return f"build: {built.stderr}"
        for engine in ENGINES:
            for items, wanted in found:
                fault = fault_on(strc, engine, folder, has_output, items, wanted)
                if fault:
                    return fault
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", type=os.path.abspath, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.first, arguments.first + arguments.count)
        jobs = {pool.submit(check, arguments.strc, seed): seed for seed in seeds}
        for job in concurrent.futures.as_completed(jobs):
            if job.result():
                failed += 1
                Path(f"drain-{jobs[job]}.str").write_text(cases(jobs[job])[0], encoding="ascii")
                print(f"FAILED seed {jobs[job]}, {job.result()}", flush=True)
    print(f"{arguments.count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
