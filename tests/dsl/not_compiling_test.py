#!/usr/bin/env python3
"""What C++ can refuse it refuses: each snippet does not compile, and says why; without its last line it compiles.

    not_compiling_test.py --compiler PATH
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "#include <strc/dsl.h>\nusing namespace strc;\nvoid snippet(Filter<float, int>& f, Filter<void, int>& source) {\n"

# A word of the message, what is right, what is wrong.
SNIPPETS = [
    ("bool", "auto x = f.pop() > 0;", "if (x) return;"),
    ("operator int|cannot convert|no viable|conversion", "Value<int> n = 3;", "int k = n; (void)k;"),
    ("pops nothing", "source.push(1);", "source.pop();"),
    ("push|convert", "f.push(1);", "f.push(f.pop());"),
    ("no such type", "f.field<int>(\"n\");", "f.field<long double>(\"x\");"),
    ("operator%|invalid operands", "auto a = f.iter() % 3;", "auto b = f.pop() % 3;"),
    ("operator=|deleted|assign", "Value<int> n = f.iter();", "n = 3;"),
    ("roundrobin|constraint|matching", "splitjoin(duplicate, identity<int>(), roundrobin(1));",
     "splitjoin(duplicate, identity<int>(), identity<int>());"),
]


def compiles(compiler, text):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "snippet.cpp"
        source.write_text(text)
        done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT}/include", source],
                              capture_output=True, text=True)
        return done.returncode == 0, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    compiler = parser.parse_args().compiler
    right = HEAD + "".join(f"{{ {good} }}\n" for _, good, _ in SNIPPETS) + "}\n"
    fine, message = compiles(compiler, right)
    if not fine:
        sys.exit(f"what is right does not compile:\n{message}")
    for words, good, bad in SNIPPETS:
        fine, message = compiles(compiler, f"{HEAD}{good}\n{bad}\n}}\n")
        if fine:
            sys.exit(f"it compiles: {bad}")
        if not any(word in message for word in words.split("|")):
            sys.exit(f"{bad}\nis refused for another reason:\n{message}")


main()
