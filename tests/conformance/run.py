#!/usr/bin/env python3
"""Runs the conformance programs on an engine and compares as README.md says.

run.py --strc BINARY [--engine NAME] [--stop limit|interrupt] [--programs DIR] [FOLDER | FOLDER/NAME]...

--programs has the folders of programs (default: the conformance programs).
--stop says how programs without end are stopped: `limit` asks strc for so many lines, `interrupt`
reads so many lines and sends SIGINT.
--formatted lets `strc fmt` rewrite the programs first, twice: the second time must change nothing.
Only valid programs are run then, as the others name lines.
Executables cannot be made of all programs yet; the others are counted as skipped.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import compare
import engines
import execute

PROGRAMS = Path(__file__).resolve().parent / "programs"
SKIPPED = "skipped"
INTERNAL_FAULT = 70


class Program:
    """A program's text and the headers in its first lines."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.lines = int(self.header("lines", "0"))
        tolerance = self.header("tolerance", "")
        self.tolerance = float(tolerance) if tolerance else None
        self.inputs = self.header("input", "").split()
        self.writes = self.header("writes", "").split()
        self.words = self.header("words", "").split()  # options of `strc run`: it ends by itself, behind its last line

    def header(self, name, default):
        found = re.search(rf"^// {name}: *(.*)$", self.text, re.MULTILINE)
        return found.group(1).strip() if found else default

    @property
    def invalid(self):
        return self.path.parent.name == "invalid"

    def error_line(self):
        """The line a message has to name, 0 where any will do."""
        for number, line in enumerate(self.text.split("\n"), start=1):
            if "// error:" in line:
                return number
        if "// error-anywhere:" in self.text:
            return 0
        raise ValueError(f"{self.path} names no error")


def exit_fault(outcome, allowed):
    if outcome.fault:
        return outcome.fault
    if outcome.status < 0 and outcome.status not in allowed:
        return f"ended by signal {-outcome.status}"
    if outcome.status not in allowed:
        return f"exit status {outcome.status}"
    return None


def check_invalid(program, outcome):
    if outcome.fault:
        return outcome.fault
    if outcome.status == 0:
        return "accepted"
    if outcome.status < 0 or outcome.status >= 128 or outcome.status == INTERNAL_FAULT:
        return f"not refused but failed, exit status {outcome.status}"
    if outcome.out:
        return f"refused, but only after printing {outcome.out[:60]!r}"
    line = program.error_line()
    place = re.escape(program.path.name) + (rf":{line}\b" if line else "")
    if not re.search(place, outcome.err):
        return f"the message names no {program.path.name}:{line or '...'}"
    return None


def check_valid(program, outcome, folder):
    # Interrupted programs end well, or as the signal would have it.
    fault = exit_fault(outcome, (0, 130, -2) if outcome.interrupted else (0,))
    if fault:
        return fault
    expected = program.path.with_suffix(".out").read_text(encoding="utf-8").split("\n")
    actual = outcome.out.decode("utf-8", "replace").split("\n")
    if actual[-1] == "":
        actual.pop()
    difference = compare.first_difference(expected, actual, program.lines, program.tolerance)
    if difference:
        return difference
    if program.words and len(actual) != program.lines:
        return f"{len(actual)} lines instead of {program.lines}"
    for name in program.writes:
        begin = (program.path.parent / f"{name}.expected").read_bytes()
        written = Path(folder, name)
        if not written.exists():
            return f"did not write {name}"
        if not written.read_bytes().startswith(begin):
            return f"{name} does not begin with the expected {len(begin)} bytes"
    return None


def rewrite(strc, file, folder):
    """Formats a file; what is wrong, or None."""
    for option in ("--write", "--check"):
        done = subprocess.run(
            [strc, "fmt", option, file], cwd=folder, capture_output=True, timeout=execute.SECONDS
        )
        if done.returncode != 0:
            return f"fmt {option}: exit status {done.returncode}\n    {done.stderr.decode()}"
    return None


def check(program, arguments):
    """Runs the program in a folder of its own; what is wrong, SKIPPED, or None."""
    with tempfile.TemporaryDirectory(prefix="strc-conformance-") as folder:
        for name in [program.path.name, *program.inputs]:
            shutil.copy(program.path.parent / name, folder)
        fault = rewrite(arguments.strc, program.path.name, folder) if arguments.formatted else None
        if fault:
            return fault
        words = []
        interrupt = None
        if program.invalid:
            words += ["--limit", "100"]  # only in case it is accepted
        elif program.words:
            words += program.words
        elif not program.writes:  # these have to end by themselves
            if arguments.stop == "limit":
                words += ["--limit", str(program.lines)]
            else:
                interrupt = program.lines
        words.append(program.path.name)
        outcome = engines.run(arguments.strc, arguments.engine, words, folder, interrupt)
        if outcome is None:
            return SKIPPED
        if program.invalid:
            fault = check_invalid(program, outcome)
        else:
            fault = check_valid(program, outcome, folder)
        if fault and outcome.err:
            fault += "\n    " + "\n    ".join(outcome.err.splitlines()[:12])
        return fault


def select(programs, names):
    if not names:
        return sorted(programs.glob("*/*.str"))
    found = []
    for name in names:
        paths = sorted(programs.glob(f"{name}/*.str")) or sorted(programs.glob(f"{name}.str"))
        if not paths:
            sys.exit(f"no program {name} in {programs}")
        found += paths
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", required=True, type=os.path.abspath)
    parser.add_argument("--engine", choices=sorted(engines.ENGINES), default="interpret")
    parser.add_argument("--stop", choices=["limit", "interrupt"], default="limit")
    parser.add_argument("--formatted", action="store_true")
    parser.add_argument("--programs", default=PROGRAMS, type=lambda name: Path(name).resolve())
    parser.add_argument("names", nargs="*", metavar="FOLDER or FOLDER/NAME")
    arguments = parser.parse_args()

    programs = [Program(path) for path in select(arguments.programs, arguments.names)]
    if arguments.formatted:
        programs = [program for program in programs if not program.invalid]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(pool.map(lambda program: check(program, arguments), programs))
    skipped = faults.count(SKIPPED)
    for program, fault in zip(programs, faults):
        if fault and fault is not SKIPPED:
            print(f"FAILED {program.path.relative_to(arguments.programs)}: {fault}")
    failed = sum(fault is not None for fault in faults) - skipped
    print(
        f"{len(programs) - failed - skipped} passed, {failed} failed"
        + (f", {skipped} skipped" if skipped else "")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
