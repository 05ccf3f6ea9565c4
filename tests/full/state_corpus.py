#!/usr/bin/env python3
"""Every stream of the conformance programs, the project's own, examples and benchmarks that can be a library: it gives the same bytes if it is stopped at random places
and goes on in other processes, and many handles together give what they give one by one.

state_corpus.py --strc BINARY [--jobs N] [FILE]...   prints what failed, and why others have no lanes
"""

import argparse
import collections
import random
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for each in ("cli", "embed"):
    sys.path.insert(0, str(ROOT / "tests" / each))
import emit_c_test  # noqa: E402
import handles  # noqa: E402
from emit_c_corpus import command, streams  # noqa: E402

ITEMS = 2000


def sizes(data, out):
    return [max(1, struct.calcsize("=" + each)) for each in (data, out)]


def items(data, seed):
    return emit_c_test.items(data, ITEMS, seed) if data else b""


class Source(handles.Player):
    """Plays a program without input, which goes on for ever."""

    @property
    def is_done(self):
        return self.status != handles.OK or len(self.out) > 40000


def whole(library, data, given):
    player = handles.Player(library, given, 1) if data else Source(library, b"", 1)
    while not player.is_done:
        player.step()
        player.is_draining = player.is_draining and bool(data)
    return player


def hops(library, data, given, seed):
    """The same, with another handle now and then."""
    draw = random.Random(seed)
    player = handles.Player(library, given, seed) if data else Source(library, b"", seed)
    while not player.is_done:
        if draw.random() < 0.4:
            state, other = player.handle.save(), library.handle()
            if other.restore(state) != handles.OK or other.save() != state:
                raise AssertionError(other.message)
            player.handle = other
        player.step()
        player.is_draining = player.is_draining and bool(data)
    return player


def together(library, data, count=37):
    """Handles together, and one by one."""
    draw = random.Random(count)
    some, others = ([library.handle() for _ in range(count)] for _ in range(2))
    for turn in range(8):
        number, room = draw.choice([3, 64, 300]), draw.choice([10, 64, 700])
        given = [emit_c_test.items(data, number, turn * count + k) if data else b"" for k in range(count)]
        _, taken, made = library.together(some, given, room)
        want = [one.process(each, room) for one, each in zip(others, given, strict=True)]
        if list(zip(taken, made, strict=True)) != [each[1:] for each in want]:
            raise AssertionError("together it is not the same")
        if [one.save() for one in some] != [one.save() for one in others]:
            raise AssertionError("together the states are not the same")


def check(path, name, data, out):
    library = handles.Library(path, name, *sizes(data, out))
    given = items(data, 1)
    want = whole(library, data, given)
    for seed in (2, 3):
        found = hops(library, data, given, seed)
        least = min(len(found.out), len(want.out)) if not data else None
        if found.out[:least] != want.out[:least] or found.handle.message != want.handle.message:
            raise AssertionError(f"another output: {len(found.out)} and {len(want.out)} bytes, {found.handle.message!r}, {want.handle.message!r}")
    together(library, data)


def elsewhere(library, name, data, out, folder):
    """A few processes, each of which goes on where the last one stopped."""
    Path(folder, "in.raw").write_bytes(items(data, 1))
    words = [sys.executable, ROOT / "tests/embed/handles.py", library, name, *sizes(data, out), "in.raw", "state", "out.raw"]
    for turn in range(60):
        done = command(*words, turn, 23, folder=folder)
        if done.returncode != 0 or done.stdout != "more\n":
            return done, Path(folder, "out.raw").read_bytes()
    return done, Path(folder, "out.raw").read_bytes()


def compare(strc, path, data, out, name, folder):
    """What is wrong, or what there was to compare."""
    shared = command(strc, "build", "--shared", "--lanes", f"--top={name}", "-o", "libp.so", path, folder=folder)
    if shared.returncode != 0:
        return "no library"
    library = Path(folder, "libp.so")
    probe = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import state_corpus as c; c.check(sys.argv[1], {name!r}, {data!r}, {out!r})"
    done = command(sys.executable, "-c", probe, library, folder=folder)
    if done.returncode != 0:
        return f"FAILED: status {done.returncode}: {done.stderr[-400:]}"
    if data:
        want = whole(handles.Library(library, name, *sizes(data, out)), data, items(data, 1))
        done, found = elsewhere(library, name, data, out, folder)
        if done.returncode != 0 or found != want.out[: len(found)] or (done.stdout == "done\n" and found != want.out):
            return f"FAILED: in other processes: {done.stdout}{done.stderr[-300:]}"
    said = shared.stderr.partition("one by one: ")[2]
    return "same, no lanes: " + said.splitlines()[0].split(": ")[-1] if said else "same, in lanes"


def one(strc, job):
    path, data, out, name = job
    with tempfile.TemporaryDirectory(prefix="strc-state-") as folder:
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
        for folder in ("tests/conformance/programs", "tests/run/programs", "examples", "benchmarks/programs", "benchmarks/sessions")
        for path in sorted((ROOT / folder).rglob("*.str"))
        if "invalid" not in path.parts
    ]
    jobs = [(path.resolve(), *stream) for path in files for stream in streams(path)]
    reasons = collections.Counter()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for (path, _, _, name), reason in pool.map(lambda job: one(arguments.strc.resolve(), job), jobs):
            reasons["failed" if reason.startswith("FAILED") else reason] += 1
            if reason.startswith("FAILED"):
                print(f"{path.name}, {name}: {reason}", flush=True)
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    return 1 if reasons["failed"] or not reasons["same, in lanes"] else 0


if __name__ == "__main__":
    sys.exit(main())
