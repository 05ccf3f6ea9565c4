#!/usr/bin/env python3
"""Checks that files and functions stay readable. check_sizes.py [--report] [ROOT]

Limits, which fail: functions of 100 lines, sources of 1000, headers of 300. Aims, which --report
lists: 50, 800 and 150. A function that is long for a reason (a flat switch) says so where it
begins: `// NOLINT(readability-function-size): the reason`.

A class has at most 40 methods of its own and a function at most six parameters, unless
size_exceptions.txt says how many it has today. These numbers only shrink: one that is no longer true fails, too.
"""

import re
import sys
from pathlib import Path

import declarations

AIM = {"function": 50, ".cpp": 800, ".c": 800, ".h": 150}
LIMIT = {"function": 100, ".cpp": 1000, ".c": 1000, ".h": 300}
MOST = {"methods": 40, "parameters": 6}
NOT_FUNCTION = re.compile(r"(namespace|enum|extern)\b")
CLASS = re.compile(r"(template .*> )?(struct|class|union)\b[^()]*\{?$")
ACCESS = re.compile(r"(public|private|protected):$")
EXCUSE = re.compile(r"NOLINT(NEXTLINE)?\(readability-function-size\): \S")


def functions(lines, first=1):
    """(first line, count, excused) of the functions of a file and of its classes, as the formatter
    lays them out: all between the first line and the closing brace is indented."""
    start = None
    for number, line in enumerate(lines):
        if line[:1] in {"", " ", "#", "/"} or ACCESS.match(line):
            continue
        closes = line.startswith("}") and start is not None
        if closes and CLASS.match(lines[start]):
            inside = [each[4:] if each.startswith("    ") else each for each in lines[start + 1 : number]]
            yield from functions(inside, first + start + 1)
        elif closes and line.rstrip() == "}":
            head = "\n".join(lines[max(0, start - 1) : start + 6])
            yield first + start, number - start + 1, bool(EXCUSE.search(head))
        opens = not line.startswith("}") and not line.rstrip().endswith(";")
        start = number if opens and not NOT_FUNCTION.match(line) else None


def excesses(root, bounds):
    files = [path for folder in ("src", "runtime") for path in sorted((root / folder).rglob("*"))]
    for path in files:
        if path.suffix not in bounds:
            continue
        lines = path.read_text(encoding="utf-8").split("\n")
        name = path.relative_to(root)
        if len(lines) - 1 > bounds[path.suffix]:
            yield f"{name}: {len(lines) - 1} lines (at most {bounds[path.suffix]})"
        for line, count, excused in functions(lines):
            if count > bounds["function"] and not excused:
                yield f"{name}:{line}: a function of {count} lines (at most {bounds['function']})"


def large_declarations(root):
    """(methods or parameters, file, name) -> how many, for each class and function with more than there may be."""
    found = {}
    for folder in ("src", "runtime"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".h", ".cpp", ".c"}:
                continue
            text = declarations.without_texts(path.read_text(encoding="utf-8"))
            name = path.relative_to(root).as_posix()
            counts = [("methods", *each) for each in declarations.classes(text)]
            counts += [("parameters", function, count) for function, _, count in declarations.functions(text)]
            for kind, declared, count in counts:
                if count > MOST[kind]:
                    key = (kind, name, declared)
                    found[key] = max(count, found.get(key, 0))
    return found


def exceptions(path):
    """What size_exceptions.txt has: lines `KIND FILE NAME COUNT`."""
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return {(kind, name, declared): int(count) for kind, name, declared, count in words}


def declaration_faults(root):
    known = exceptions(root / "tests/layering/size_exceptions.txt")
    found = large_declarations(root)
    for key in sorted(known.keys() | found.keys()):
        kind, name, declared = key
        count, most = found.get(key), known.get(key, MOST[kind])
        if count is None:
            yield f"{name}: {declared} has at most {MOST[kind]} {kind}: size_exceptions.txt need not name it"
        elif count > most:
            yield f"{name}: {declared} has {count} {kind} (at most {most})"
        elif count < most:
            yield f"{name}: {declared} has {count} {kind}: size_exceptions.txt says {most}"


def main():
    arguments = sys.argv[1:]
    report = "--report" in arguments
    places = [word for word in arguments if word != "--report"]
    root = Path(places[0]) if places else Path(__file__).resolve().parents[2]
    if report:
        for line in excesses(root, AIM):
            print(line)
        return 0
    faults = [*excesses(root, LIMIT), *declaration_faults(root)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
