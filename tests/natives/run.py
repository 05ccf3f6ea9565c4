#!/usr/bin/env python3
"""Native functions: called from a library that --native names, explained where they are missing.

run.py STRC LIBRARY
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


ENGINES = [["--interpret"], ["-O0", "--no-interpret"], ["--no-interpret"]]


def call(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1800)


def run(strc, *options, program="natives.str"):
    return call(strc, "run", *options, HERE / program, "-i", "1")


def check_calls(strc, library):
    expected = (HERE / "natives.out").read_text()
    outcomes = [run(strc, *engine, "--native", library) for engine in ENGINES]
    with tempfile.TemporaryDirectory() as folder:
        built = call(strc, "build", "--native", library, "-o", f"{folder}/program", HERE / "natives.str")
        assert built.returncode == 0, built.stderr
        outcomes.append(call(f"{folder}/program", "-i", "1"))
        own = shutil.copy(library, f"{folder}/own.so")
        built = call(strc, "build", "--native", own, "--bundle", f"{folder}/bundle", HERE / "natives.str")
        assert built.returncode == 0, built.stderr
        os.remove(own)
        os.rename(f"{folder}/bundle", f"{folder}/moved")
        outcomes.append(call(f"{folder}/moved/natives", "-i", "1"))
    for called in outcomes:
        assert called.returncode == 0 and called.stdout == expected, (called.stdout, called.stderr)


def check_missing(strc, program, place):
    """What is not there fails where it is called, also in a program that calls it only as it runs."""
    outcomes = [run(strc, *engine, program=program) for engine in ENGINES]
    for missing in outcomes:
        assert missing.returncode == 1 and "[native-unavailable]" in missing.stderr, missing.stderr
        assert place in missing.stderr, missing.stderr
        assert missing.stdout == outcomes[0].stdout, missing.stdout


def main(strc, library):
    check_calls(strc, library)
    check_missing(strc, "natives.str", "natives.str:11:")
    check_missing(strc, "missing.str", "missing.str:10:")
    unopened = run(strc, "--native", "nowhere.so")
    assert unopened.returncode == 1 and "[cannot-open-file]" in unopened.stderr, unopened.stderr
    print("natives: 4 checks passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
