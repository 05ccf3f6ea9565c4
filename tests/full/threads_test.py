#!/usr/bin/env python3
"""The runtime of executables under ThreadSanitizer: its clock is a second thread. threads_test.py STRC"""

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
# Transactions of many steady states, one that takes too long, and dynamic rates.
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
}


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **options)


def make_runtime(folder):
    """The object files, or None: there is no ThreadSanitizer."""
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    if not shutil.which("cc") or run("cc", *SANITIZER, "-o", folder / "empty", folder / "empty.c").returncode != 0:
        return None
    made = []
    for source in sorted([*(RUNTIME / "src").glob("*.c"), *(RUNTIME / "main").glob("*.c")]):
        to = folder / f"{source.parent.name}-{source.stem}.o"
        flags = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", *(f"-I{RUNTIME / part}" for part in ("include", "src", "main"))]
        done = run("cc", "-c", *SANITIZER, *flags, source, "-o", to)
        assert done.returncode == 0, done.stderr
        made.append(to)
    return made


def check(program, *words, interrupt=False):
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        if interrupt:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert "ThreadSanitizer" not in err, f"{program.name} {words}\n{err}"
    assert out, f"{program.name} {words} prints nothing\n{err}"


def main():
    with tempfile.TemporaryDirectory(prefix="strc-threads-") as name:
        folder = Path(name)
        runtime = make_runtime(folder)
        if runtime is None:
            return SKIPPED
        for title, text in PROGRAMS.items():
            source, code, program = folder / f"{title}.str", folder / f"{title}.code", folder / title
            source.write_text(text)
            done = run(sys.argv[1], "build", "--emit=obj", "-o", code, source)
            assert done.returncode == 0, done.stderr
            done = run("cc", *SANITIZER, "-o", program, code, *runtime, "-lm", "-lpthread")
            assert done.returncode == 0, done.stderr
            check(program, "-i", "20000")
            check(program, "--seconds", "1")
            check(program, interrupt=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
