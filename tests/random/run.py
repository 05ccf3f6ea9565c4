#!/usr/bin/env python3
"""Runs random programs on every engine and compares what they print with what the model says.

run.py --strc BINARY [--first SEED] [--count N] [--jobs N] [--engines NAME,NAME] [--reduce]

A program that fails is written to the current folder as random-SEED.str, the expected output beside it
as random-SEED.out; with --reduce made smaller first.
"""

import argparse
import concurrent.futures
import copy
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import engines  # noqa: E402
import execute  # noqa: E402
import generate  # noqa: E402
import model  # noqa: E402

ENGINES = {
    "interpret": ["--interpret"],
    "jit -O0": ["-O0", "--no-interpret"],
    "jit -O2": ["-O2", "--no-interpret"],
    "jit -O3": ["-O3", "--no-interpret"],
    "jit without lanes": [
        *(f"--disable-pass={name}" for name in ("vectorise-firings", "vectorise-loops", "if-conversion")),
        "--no-interpret",
    ],
    "jit 1 thread": ["-j1", "--no-interpret"],
    "jit 2 threads": ["-j2", "--no-tune", "--chunk=1", "--no-interpret"],
    "jit 3 threads": ["-j3", "--no-tune", "--chunk=2", "--no-interpret"],
    "jit 16 threads": ["-j16", "--no-tune", "--chunk=1", "--no-interpret"],
    "jit slices": ["-j3", "--no-tune", "--chunk=4", "--no-interpret"],
    "jit rings": ["--tapes=ring", "--no-interpret"],
    "lower form": ["--tapes=arrays", "--no-interpret"],
    "lower form, 3 threads": ["--tapes=arrays", "-j3", "--no-tune", "--chunk=3", "--no-interpret"],
    "interpreted lower form": ["--tapes=arrays", "--interpret"],
    "executable": None,  # `strc build`, then what it made
}


def fault_on(strc, engine, text, expected):
    """(kind, description) of what is wrong on this engine, or None."""
    with tempfile.TemporaryDirectory(prefix="strc-random-") as folder:
        Path(folder, "program.str").write_text(text, encoding="ascii")
        words = ["-w", "--limit", str(len(expected)), "program.str"]
        if ENGINES[engine] is None:
            outcome = engines.run(strc, engine, words, folder)
        else:
            outcome = execute.run([strc, "run", *ENGINES[engine], *words], folder)
    if outcome and "form" in engine and "[cannot-compile]" in outcome.err:
        return None  # there is no lower form of it yet
    if outcome is None:
        return "refused", "there is no executable of it"
    if outcome.fault:
        return "time", outcome.fault
    if outcome.status != 0:
        return f"status {outcome.status}", outcome.err
    got = outcome.out.decode("ascii", "replace").splitlines()
    if got == expected:
        return None
    at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
    lines = [x[at] if at < len(x) else "nothing" for x in (got, expected)]
    return "output", f"line {at + 1} is {lines[0]} instead of {lines[1]}"


def check(strc, seed, lines, chosen=tuple(ENGINES)):
    stream, expected = generate.generate(seed, lines)
    text = generate.text(stream)
    for engine in chosen:
        fault = fault_on(strc, engine, text, expected)
        if fault:
            return engine, fault
    return None


def blocks(stream):
    """Every list of a program from which something can be left out."""
    if isinstance(stream, model.Filter):
        d = stream.definition
        for part in (d.fields, d.init, d.functions, d.prework or [], d.work):
            yield from statement_blocks(part)
    elif isinstance(stream, model.FeedbackLoop):
        yield from blocks(stream.body)
        yield from blocks(stream.loop)
    else:
        if isinstance(stream, model.Pipeline):
            yield stream.children
        for child in stream.children:
            yield from blocks(child)


def statement_blocks(statements):
    yield statements
    for statement in statements:
        if statement.body is not None:
            yield from statement_blocks(statement.body)
        if statement.other is not None:
            yield from statement_blocks(statement.other)


def variants(stream):
    """Programs with one thing less."""
    for place, block in enumerate(list(blocks(stream))):
        for index in range(len(block)):
            smaller = copy.deepcopy(stream)
            del list(blocks(smaller))[place][index]
            yield smaller


def still_wrong(strc, stream, engine, kind, lines):
    try:
        text, expected = generate.text(stream), model.expected(stream, lines, generate.MOST_FIRINGS)
    except Exception:  # whatever a program without one of its parts does in Python
        return False
    if not expected:
        return False
    fault = fault_on(strc, engine, text, expected)
    return fault is not None and fault[0] == kind


def reduce(strc, stream, engine, kind, lines):
    """Leaves out parts as long as the engine goes on being wrong in the same way."""
    shrinking = True
    while shrinking:
        shrinking = False
        for smaller in variants(stream):
            if still_wrong(strc, smaller, engine, kind, lines):
                stream, shrinking = smaller, True
                break
    return stream


def report(arguments, seed, engine, fault):
    stream, expected = generate.generate(seed, arguments.lines)
    if arguments.reduce:
        stream = reduce(arguments.strc, stream, engine, fault[0], arguments.lines)
        expected = model.expected(stream, arguments.lines, generate.MOST_FIRINGS)
    Path(f"random-{seed}.str").write_text(generate.text(stream), encoding="ascii")
    Path(f"random-{seed}.out").write_text("\n".join(expected) + "\n", encoding="ascii")
    print(f"FAILED seed {seed}, {engine}, {fault[0]}: {fault[1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", type=os.path.abspath, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--engines", type=lambda text: tuple(text.split(",")), default=tuple(ENGINES))
    parser.add_argument("--reduce", action="store_true")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.engines if name not in ENGINES]
    if unknown:
        parser.error(f"there is no engine '{unknown[0]}', only {', '.join(ENGINES)}")
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.first, arguments.first + arguments.count)
        jobs = {pool.submit(check, arguments.strc, s, arguments.lines, arguments.engines): s for s in seeds}
        for job in concurrent.futures.as_completed(jobs):
            if job.result():
                failed += 1
                report(arguments, jobs[job], *job.result())
    print(f"{arguments.count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
