#!/usr/bin/env python3
"""Runs the example programs as their READMEs say and compares what they print and write.

run.py --strc BINARY [--engine NAME] [NAME]...   the examples of these names, or all
run.py --references [NAME]...                    compares the expected files with reference.py

Every line `    ./strc ...` of examples/NAME/README.md is a command that has to run well, from a
folder in which `examples` is the folder of the examples. examples/NAME/test.json says what must come
of it: {"the words after ./strc": {"stdout": FILE, "tolerance": X, "files": {WRITTEN: FILE, ...}},
...}, the FILEs being beside it; "then": [COMMAND, ...] are calls that follow in the same folder. Each command there has to be in the README. With "picture": true
blanks count. What a command writes has to be known to git as nothing of its own, lest it litters the
checkout. Commands in the comments of a program (`//   strc ...`) have to be in the README, too.
"""

import argparse
import array
import fnmatch
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
EXAMPLES = TESTS.parent / "examples"
sys.path.insert(0, str(TESTS / "conformance"))
import compare  # noqa: E402
import engines  # noqa: E402
import execute  # noqa: E402

SAMPLE_TOLERANCE = (
    3 / 32768
)  # of WAV files: rounding to 16 bits, and single against double precision


def commands(folder):
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    return [
        line.strip().removeprefix("./strc ") for line in lines if line.startswith("    ./strc ")
    ]


def other_commands(folder):
    """Indented lines that call something else: what comes after a `strc build --shared`."""
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.startswith("    ") and not line.startswith("    ./strc ")]


def commands_in_comments(folder):
    return [
        line.strip().removeprefix("//   strc ")
        for path in sorted(folder.glob("*.str"))
        for line in path.read_text(encoding="ascii").splitlines()
        if line.startswith("//   strc ")
    ]


def ignored(name):
    """Does git ignore a file of that name in the root of the checkout?"""
    lines = (EXAMPLES.parent / ".gitignore").read_text(encoding="utf-8").splitlines()
    return any(fnmatch.fnmatchcase("/" + name, line) for line in lines if line.startswith("/"))


def wav(data):
    """Rate, channels and samples (as floats) of a WAV file of 16-bit integers or 32-bit floats."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError("no WAV file")
    if len(data) != 8 + struct.unpack_from("<I", data, 4)[0]:
        raise ValueError("the size in the header is wrong")
    chunks, at = {}, 12
    while at + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, at)
        chunks[name] = data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
    code, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunks[b"fmt "])
    if code == 0xFFFE:  # the real code stands in the extension
        code = struct.unpack_from("<H", chunks[b"fmt "], 24)[0]
    kind, scale = {(1, 16): ("h", 32768), (3, 32): ("f", 1)}[code, bits]
    return rate, channels, [value / scale for value in array.array(kind, chunks[b"data"])]


def wav_difference(expected, actual):
    (rate, channels, want), (other_rate, other_channels, got) = wav(expected), wav(actual)
    if (rate, channels) != (other_rate, other_channels):
        return f"{other_rate} Hz, {other_channels} channels instead of {rate} Hz, {channels}"
    if len(want) != len(got):
        return f"{len(got)} samples instead of {len(want)}"
    for place, (a, b) in enumerate(zip(want, got)):
        if not abs(a - b) <= SAMPLE_TOLERANCE:
            return f"sample {place} is {b:.6f} instead of {a:.6f}"
    return None


def text_difference(expected, actual, expectation):
    want = expected.decode("utf-8").splitlines()
    got = actual.decode("utf-8", "replace").splitlines()
    if len(got) > len(want):
        return f"{len(got)} lines instead of {len(want)}"
    if expectation.get("picture"):  # blanks count
        got = [line.replace(" ", "_") for line in got]
        want = [line.replace(" ", "_") for line in want]
    return compare.first_difference(want, got, len(want), expectation.get("tolerance"))


def file_difference(name, expected, actual):
    if name.endswith(".wav"):
        try:
            return wav_difference(expected, actual)
        except (ValueError, KeyError, struct.error) as fault:
            return f"not as it should be: {fault}"
    return None if expected == actual else "other bytes than expected"


def run_command(folder, words, expectation, arguments):
    """Runs one command in a folder of its own; what is wrong, or None."""
    with tempfile.TemporaryDirectory(prefix="strc-example-") as place:
        os.symlink(EXAMPLES, os.path.join(place, "examples"))
        if words[0] == "run":
            outcome = engines.run(arguments.strc, arguments.engine, words[1:], place)
        else:
            outcome = execute.run([arguments.strc, *words], place)
        if outcome is None:
            print(f"skipped: {shlex.join(words)}")
            return None
        for command in (expectation or {}).get("then", []):
            if not outcome.fault and outcome.status == 0:
                outcome = execute.run(shlex.split(command), place)
        fault = outcome.fault or (f"exit status {outcome.status}" if outcome.status else None)
        if fault:
            return fault + "".join(f"\n    {line}" for line in outcome.err.splitlines()[:12])
        litter = [name for name in sorted(os.listdir(place)) if name != "examples" and not ignored(name)]
        if litter:
            return f"writes {', '.join(litter)}, which .gitignore does not have"
        if expectation is None:
            return None
        expected = (folder / expectation["stdout"]).read_bytes() if "stdout" in expectation else b""
        fault = text_difference(expected, outcome.out, expectation)
        if fault:
            return fault + "".join(f"\n    {line}" for line in outcome.err.splitlines()[:12])
        for written, name in expectation.get("files", {}).items():
            path = Path(place, written)
            if not path.is_file():
                return f"did not write {written}"
            fault = file_difference(name, (folder / name).read_bytes(), path.read_bytes())
            if fault:
                return f"{written}: {fault}"
    return None


def check_example(folder, arguments):
    """The faults of an example, each as a line."""
    expectations = json.loads((folder / "test.json").read_text(encoding="utf-8"))
    promised = commands(folder)
    told = other_commands(folder)
    done = [command for e in expectations.values() for command in e.get("then", [])]
    faults = [f"the README does not say: ./strc {c}" for c in expectations if c not in promised]
    faults += [f"the README does not say: {c}" for c in done if c not in told]
    faults += [
        f"the README does not say: ./strc {c}" for c in commands_in_comments(folder) if c not in promised
    ]
    for command in promised:
        fault = run_command(folder, shlex.split(command), expectations.get(command), arguments)
        if fault:
            faults.append(f"./strc {command}: {fault}")
    return faults


def check_references(folder):
    """Whether reference.py still gives the expected files."""
    faults = []
    expectations = json.loads((folder / "test.json").read_text(encoding="utf-8"))
    printed = {e["stdout"]: e for e in expectations.values() if "stdout" in e}
    with tempfile.TemporaryDirectory(prefix="strc-example-") as place:
        command = [sys.executable, folder / "reference.py", place]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return [f"reference.py fails:\n{done.stderr}"]
        made = {path.name for path in Path(place).iterdir()}
        kept = {path.name for path in folder.glob("expected*")}
        if made != kept:
            faults.append(f"reference.py writes {sorted(made)}, kept are {sorted(kept)}")
        for name in sorted(made & kept):
            contents = (folder / name).read_bytes(), Path(place, name).read_bytes()
            if name in printed:
                fault = text_difference(*contents, printed[name])
            else:
                fault = file_difference(name, *contents)
            if fault:
                faults.append(f"{name}: {fault}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", type=os.path.abspath)
    parser.add_argument("--engine", choices=sorted(engines.ENGINES), default="interpret")
    parser.add_argument("--references", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    if not arguments.references and not arguments.strc:
        parser.error("--strc is missing")

    folders = [EXAMPLES / name for name in arguments.names]
    folders = folders or sorted(path.parent for path in EXAMPLES.glob("*/test.json"))
    failed = 0
    for folder in folders:
        faults = (
            check_references(folder) if arguments.references else check_example(folder, arguments)
        )
        failed += bool(faults)
        for fault in faults:
            print(f"FAILED {folder.name}: {fault}")
    print(f"{len(folders) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
