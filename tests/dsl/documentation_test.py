#!/usr/bin/env python3
"""The code of docs/dsl.md: its program compiles, and prints what stands under it; every line of the table of constructs that is an
expression of C++ names something that the headers have.

    documentation_test.py --compiler PATH --library PATH
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/dsl.md"


def program(compiler, library, text):
    found = re.search(r"```cpp\n(.*?)```\n\n```\n(.*?)```\n", text, re.S)
    code, expected = found.groups()
    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder) / "page.cpp", pathlib.Path(folder) / "page"
        source.write_text(code)
        subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", source, library,
                        f"-Wl,-rpath,{pathlib.Path(library).parent}", "-o", made], check=True)
        printed = subprocess.run([made], check=True, capture_output=True, text=True).stdout
    if printed.strip() != expected.strip():
        sys.exit(f"the program of the page prints\n{printed}\ninstead of\n{expected}")


def names(text):
    """Every name that is called in the right column is one that the headers declare."""
    headers = "".join(each.read_text() for each in (ROOT / "include/strc").rglob("*.h"))
    table = text[text.index("## Every construct"):text.index("## Running")]
    unknown = set()
    for row in re.findall(r"^\| .* \| (.*) \|$", table, re.M):
        for name in re.findall(r"(?<![\w.\"])(?:f\.)?([A-Za-z]\w*)(?:<[^()]*>)?\(", " ".join(re.findall(r"`([^`]*)`", row))):
            if not re.search(rf"\b{name}\b", headers) and name not in {"g", "p", "Peak"}:
                unknown.add(name)
    if unknown:
        sys.exit(f"the headers have no {', '.join(sorted(unknown))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--library", required=True)
    args = parser.parse_args()
    text = PAGE.read_text()
    names(text)
    program(args.compiler, args.library, text)


main()
