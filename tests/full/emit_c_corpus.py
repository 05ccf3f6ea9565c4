#!/usr/bin/env python3
"""Every stream of the conformance programs, examples and benchmarks that can be a library: as C source it compiles without a
warning, and gives the bytes that the shared library gives.

emit_c_corpus.py --strc BINARY [--jobs N] [FILE]...   prints what failed, and why others have no C source
"""

import argparse
import collections
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import emit_c_test  # noqa: E402

KINDS = {"int": "i", "float": "f", "double": "d", "bit": "B", "complex": "ff", "void": ""}
STREAM = re.compile(r"^(\w+)->(\w+)\s+(?:stateful\s+)?(?:filter|pipeline|splitjoin|feedbackloop)\s+(\w+)\s*(\([^)]*\))?\s*\{", re.M)
PIECES = ([(100000, 100000)], [(7, 5), (64, 100), (1, 0), (3, 1)])  # items and room of the calls, in turn
SECONDS = 30


def streams(path):
    for found in STREAM.finditer(path.read_text(encoding="utf-8", errors="replace")):
        source, target, name, parameters = found.groups()
        needs = parameters and any("=" not in each for each in parameters.strip("()").split(",") if each.strip())
        if source in KINDS and target in KINDS and (source, target) != ("void", "void") and not needs:
            yield KINDS[source], KINDS[target], name


def command(*words, folder):
    return subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=SECONDS)


def outputs(path, name, data, out, sizes):
    library = emit_c_test.Library(path, name)
    size = struct.calcsize("=" + data) if data else 0
    out_size = struct.calcsize("=" + out) if out else 0
    given = emit_c_test.items(data, 2000) if data else b""
    events = [library.run(given, size, out_size, each, ()) for each in sizes]
    library.close()
    return events


def compare(strc, path, data, out, name, folder):
    """What is wrong, or why there is nothing to compare."""
    shared = command(strc, "build", "--shared", f"--top={name}", "-o", "libshared.so", path, folder=folder)
    if shared.returncode != 0:
        return "no library"
    made = command(strc, "build", "--emit=c", f"--top={name}", "-o", "p.c", path, folder=folder)
    if made.returncode != 0:
        return "refused: " + made.stderr.strip().splitlines()[0].split("error: ")[-1]
    for compiler in emit_c_test.COMPILERS:
        done = command(compiler, *emit_c_test.FLAGS, "-O2", "-o", f"lib{compiler}.so", "p.c", "-lm", folder=folder)
        if done.returncode != 0:
            return f"FAILED: {compiler}: {done.stderr[:600]}"
    probe = f"import sys; sys.path[:0] = {[str(ROOT / 'tests' / 'full'), str(ROOT / 'tests' / 'cli')]!r}; import emit_c_corpus as c; print(c.outputs(sys.argv[1], {name!r}, {data!r}, {out!r}, {PIECES!r}))"
    results = [command(sys.executable, "-c", probe, Path(folder, f"lib{each}.so"), folder=folder) for each in ("shared", *emit_c_test.COMPILERS)]
    if any(each.returncode != 0 for each in results):
        return "FAILED: " + "; ".join(f"status {each.returncode}: {each.stderr[-300:]}" for each in results)
    return "same" if len({each.stdout for each in results}) == 1 else "FAILED: results differ"


def one(strc, job):
    path, data, out, name = job
    with tempfile.TemporaryDirectory(prefix="strc-c-") as folder:
        try:
            return job, compare(strc, path, data, out, name, folder)
        except subprocess.TimeoutExpired:
            return job, "it takes too long"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strc", required=True, type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    files = arguments.files or [
        path
        for folder in ("tests/conformance/programs", "examples", "benchmarks/programs")
        for path in sorted((ROOT / folder).rglob("*.str"))
        if "invalid" not in path.parts
    ]
    jobs = [(path.resolve(), *stream) for path in files for stream in streams(path)]
    reasons = collections.Counter()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for (path, _, _, name), reason in pool.map(lambda job: one(arguments.strc.resolve(), job), jobs):
            reasons[reason.split(" [")[0] if not reason.startswith("FAILED") else "failed"] += 1
            if reason.startswith("FAILED"):
                print(f"{path.name}, {name}: {reason}", flush=True)
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    return 1 if reasons["failed"] or not reasons["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
