#!/usr/bin/env python3
"""The runtime of executables under ThreadSanitizer: its clock is a second thread, and threads share programs.
threads_test.py STRC
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[2] / "runtime"
SKIPPED = 77
SANITIZER = ["-O1", "-g", "-fsanitize=thread"]
# Transactions of many steady states, one that takes too long, dynamic rates; chunks with all that is carried, of several lengths, and those of a
# static part of a program with dynamic rates.
PROGRAMS = {
    "scaled": """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { int n; work push 1 { push(n++); } }
int->void filter Sink { int s; work pop 1 { s += pop(); if (s % 1000 == 0) println(s); } }
""",
    "slow": """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { int n; work push 1 { int x = n++; for (int i = 0; i < 200000; i++) x = x * 31 + i; push(x); } }
int->void filter Sink { int n; work pop 1 { int x = pop(); if (++n % 500 == 0) println(x); } }
""",
    "dynamic": """void->void pipeline Main { add Source; add Some; add Sink; }
void->int filter Source { int n; work push 1 { push(n++); } }
int->int filter Some { work pop [1, 3] push 1 { int x = pop(); if (x % 2 == 0) pop(); push(x); } }
int->void filter Sink { int n; work pop 1 { int x = pop(); if (++n % 5000 == 0) println(x); } }
""",
    "chunks": """void->void pipeline Main { add Source; add Heavy; add Window; add State; add Heavy; add State; add Noise; add Sink; }
""",
    "lengths": """void->void pipeline Main { add Source; add Heavy; add Window; add State; add State; add Heavy; add State; add Sink; }
""",
    "messages": """void->void pipeline Main { portal<Told> p; portal<Kept> q; add Source; add Heavy; add Tells(p); add Window; add Told to p; add Heavy;
    add Kept to q; add State; add TellsKept(q); add Heavy; add Sink; }
""",
    "ahead": """void->void pipeline Main { portal<Told> p; add Source; add Heavy; add TellsLater(p); add Window; add Heavy; add Told to p; add Heavy; add Sink; }
""",
    "batches": """void->void pipeline Main { add Source; add Heavy; add Window; add Some; add Heavy; add Window; add Sink; }
""",
}
PARTS = """
void->int filter Source { int x; work push 1 { x = x * 1103515245 + 12345; push(x >> 8); } }
int->int filter Heavy { work pop 1 push 1 { int x = pop(); for (int k = 0; k < 100; k++) x = x * 31 + (x >> 5) + k; push(x); } }
int->int filter Window { work peek 30 pop 1 push 1 { int sum = 0; for (int k = 0; k < 30; k++) sum += peek(k) * k; pop(); push(sum + iter()); } }
int->int filter State { int[3] s; int at; work pop 1 push 1 { at = (at + 1) % 3; s[at] = s[at] * 7 + (pop() ^ s[at] >> 3); push(s[at]); } }
int->int filter Noise { work pop 1 push 1 { push(pop() + (int)(random() * 1000)); } }
int->int filter Some { work pop * push 1 { int x = pop(); if (x % 2 == 0) pop(); push(x); } }
int->int filter Told { int gain = 1; handler set(int g) { gain = gain * 5 + g; } work pop 1 push 1 { push(pop() * gain); } }
int->int filter Kept { int gain = 1; handler set(int g) { gain = gain * 3 + g; } work pop 1 push 1 { push(pop() ^ gain); } }
int->int filter Tells(portal<Told> p) { work pop 1 push 1 { int x = pop(); if (x % 7 == 0) p.set(x) [x & 31:x & 31]; if (x % 99 == 0) p.set(1) [900:900]; push(x); } }
int->int filter TellsLater(portal<Told> p) { work pop 1 push 1 { int x = pop(); if (x % 7 == 0) p.set(x) [1:1]; if (x % 99 == 0) p.set(1) [900:900]; push(x); } }
int->int filter TellsKept(portal<Kept> p) { work pop 1 push 1 { int x = pop(); if (x % 5 == 0) p.set(x) [3:3]; push(x); } }
int->void filter Sink { int s; work pop 8 { for (int k = 0; k < 8; k++) s = s * 3 + pop(); println(s); } }
"""
SHARED = ["-j3", "--no-tune"]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **options)


def make_runtime(folder):
    """The object files, or None: there is no ThreadSanitizer."""
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    if not shutil.which("cc") or run("cc", *SANITIZER, "-o", folder / "empty", folder / "empty.c").returncode != 0:
        return None
    made = []
    for source in sorted([*(RUNTIME / "src").glob("*.c"), *(RUNTIME / "main").glob("*.c"),
                          *(RUNTIME / "files").glob("*.c")]):
        to = folder / f"{source.parent.name}-{source.stem}.o"
        flags = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", *(f"-I{RUNTIME / part}" for part in ("include", "src", "main", "files"))]
        done = run("cc", "-c", *SANITIZER, *flags, source, "-o", to)
        assert done.returncode == 0, done.stderr
        made.append(to)
    return made


def check(program, *words, interrupt=False):
    """What it prints."""
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        if interrupt:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert "ThreadSanitizer" not in err, f"{program.name} {words}\n{err}"
    assert out, f"{program.name} {words} prints nothing\n{err}"
    return out


def check_threads(program):
    """What many threads print is what one does, however they get in each other's way."""
    expected = check(program, "-i", "20000", "-j1")
    for delays in ("", "1", "2"):
        os.environ["STRC_TEST_DELAYS"] = delays or "0"
        assert check(program, "-i", "20000", *SHARED) == expected, f"{program.name} with delays '{delays}'"
    check(program, "--seconds", "1", *SHARED)
    check(program, *SHARED, interrupt=True)


def main():
    with tempfile.TemporaryDirectory(prefix="strc-threads-") as name:
        folder = Path(name)
        runtime = make_runtime(folder)
        if runtime is None:
            return SKIPPED
        for title, text in PROGRAMS.items():
            source, code, program = folder / f"{title}.str", folder / f"{title}.code", folder / title
            is_shared = title in ("chunks", "lengths", "batches", "messages", "ahead")
            source.write_text(text + PARTS if is_shared else text)
            words = ["--chunk=40"] if is_shared and title != "lengths" else []
            done = run(sys.argv[1], "build", "-w", "--emit=obj", *words, "-o", code, source)
            assert done.returncode == 0, done.stderr
            done = run("cc", *SANITIZER, "-o", program, code, *runtime, "-lm", "-lpthread")
            assert done.returncode == 0, done.stderr
            if is_shared:
                check_threads(program)
                continue
            check(program, "-i", "20000")
            check(program, "--seconds", "1")
            check(program, interrupt=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
