#!/usr/bin/env python3
"""Native functions: called from a library that --native names, explained where they are missing.

run.py STRC LIBRARY
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(strc, *options):
    command = [strc, "run", *options, str(HERE / "natives.str"), "-i", "1"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def main(strc, library):
    called = run(strc, "--native", library)
    expected = (HERE / "natives.out").read_text()
    assert called.returncode == 0 and called.stdout.startswith(expected), (called.stdout, called.stderr)
    missing = run(strc)
    assert missing.returncode == 1 and "[native-unavailable]" in missing.stderr, missing.stderr
    assert "natives.str:11:" in missing.stderr, missing.stderr
    unopened = run(strc, "--native", "nowhere.so")
    assert unopened.returncode == 1 and "[cannot-open-file]" in unopened.stderr, unopened.stderr
    print("natives: 3 checks passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
