#!/usr/bin/env python3
"""The C of executables, as a whole, under AddressSanitizer and UndefinedBehaviorSanitizer: what tests do with
executables is done with such as are linked with a runtime that has them. executables_test.py STRC"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
RUNTIME = TESTS.parent / "runtime"
SKIPPED = 77
FOUND = 99  # exit status of a program in which something was found
SANITIZER = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
WRONG = "int main(int count, char **words) { int a[2] = {1, 2}; (void)words; return a[count + 1]; }\n"
# The linker of `strc build`: the same, with the other runtime.
WRAPPER = """#!/bin/sh
for word do
    shift
    case "$word" in
    */libstrc_program.a) set -- "$@" "{archive}" ;;
    *) set -- "$@" "$word" ;;
    esac
done
exec "{cc}" {flags} "$@"
"""
SUITES = {
    "conformance": (["conformance/run.py", "--strc", "{strc}", "--engine", "executable"], {}),
    "programs": (["conformance/run.py", "--strc", "{strc}", "--engine", "executable", "--programs", "{tests}/run/programs"], {}),
    "commands": (["cli/commands_test.py"], {"STRC_ENGINE": "executable"}),
    "streams": (["cli/streams_test.py"], {"STRC_ENGINE": "executable"}),
}  # fmt: skip


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)


def make_archive(cc, folder):
    flags = ["-O1", "-std=gnu11", "-ffp-contract=off", "-fPIC", "-ffunction-sections", "-fdata-sections",
             f"-I{RUNTIME / 'include'}", *SANITIZER]  # fmt: skip
    made = []
    for source in sorted([*(RUNTIME / "src").glob("*.c"), *(RUNTIME / "main").glob("*.c")]):
        to = folder / f"{source.parent.name}-{source.stem}.o"
        done = run(cc, "-c", *flags, source, "-o", to)
        assert done.returncode == 0, done.stderr
        made.append(to)
    archive = folder / "libsanitized.a"
    done = run("ar", "rcs", archive, *made)
    assert done.returncode == 0, done.stderr
    return archive


def make_linker(folder):
    """The folder of a `cc` that links with the sanitizers, or None: there are none."""
    cc = shutil.which("cc")
    wrong = folder / "wrong.c"
    wrong.write_text(WRONG)
    if not cc or run(cc, *SANITIZER, "-o", folder / "wrong", wrong).returncode != 0:
        return None
    linker = folder / "bin" / "cc"
    linker.parent.mkdir()
    linker.write_text(WRAPPER.format(archive=make_archive(cc, folder), cc=cc, flags=" ".join(SANITIZER)))
    linker.chmod(0o755)
    return linker.parent


def main():
    strc = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="strc-executables-") as name:
        folder = Path(name)
        linker = make_linker(folder)
        if linker is None:
            return SKIPPED
        # Programs that end free nothing: the system does.
        environment = {**os.environ, "PATH": f"{linker}:{os.environ['PATH']}", "STRC": str(strc), "STRC_TEST_TIME_FACTOR": "10",
                       "ASAN_OPTIONS": f"detect_leaks=0:exitcode={FOUND}", "UBSAN_OPTIONS": f"exitcode={FOUND}"}  # fmt: skip
        assert run(folder / "wrong", env=environment).returncode == FOUND, "the sanitizers find nothing"
        failed = False
        for suite in sys.argv[2:] or SUITES:
            words, more = SUITES[suite]
            words = [word.format(strc=strc, tests=TESTS) for word in words]
            done = run(sys.executable, TESTS / words[0], *words[1:], env={**environment, **more})
            failed = failed or done.returncode != 0
            print(f"{suite}: {'failed' if done.returncode else 'fine'}")
            if done.returncode:
                print(done.stdout + done.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
