#!/usr/bin/env python3
"""Checks every #include of the tree against the walls between the folders.

The walls are the strc_library lines of src/CMakeLists.txt: DEPS are the folders whose headers a
folder may include, PRIVATE the third-party libraries of its .cpp files. Headers that no other
folder sees stand under detail/. check_includes.py [ROOT]
"""

import re
import sys
from pathlib import Path

# What the headers of a library look like, by the CMake target that brings them.
LIBRARIES = {
    "fmt::fmt": r"fmt/",
    "strc_grammar": r"antlr4-runtime\.h$|Strc(Lexer|Parser|Visitor|BaseVisitor)\.h$",
    "nlohmann_json::nlohmann_json": r"nlohmann/",
    "CLI11::CLI11": r"CLI/",
    "PNG::PNG": r"png\.h$",
    "JPEG::JPEG": r"jpeglib\.h$",
    "PkgConfig::ffi": r"ffi\.h$",
    "strc_llvm": r"llvm(-c)?/",
}
# The system beyond the C++ library: signals, terminals, descriptors.
POSIX = r"(unistd|dlfcn|pwd|fcntl|signal|poll|spawn|time|pthread|termios|netinet/in|sys/\w+)\.h$"
POSIX_FOLDERS = {"base", "io", "weights", "interp", "executable", "host", "session", "driver", "eval"}
# LLVM comes through one door in each of two sizes: every other file of its folder includes these.
DOORS = {"strc_llvm": {"codegen/detail/llvm.h", "codegen/detail/llvm_backend.h"}}
# Folders that are for one file of another.
FOLDER_DOORS = {("driver", "repl"): {"driver/repl_command.cpp"}}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def walls(cmake):
    """folder -> (folders it may include, CMake targets of its third-party libraries)"""
    text = re.sub(r"#.*", "", cmake)
    table = {}
    for body in re.findall(r"strc_library\(([^)]*)\)", text):
        words = body.replace("$<TARGET_NAME_IF_EXISTS:", "").replace(">", "").split()
        folder, lists, current = words[0], {"DEPS": set(), "PRIVATE": set()}, None
        for word in words[1:]:
            if word in lists:
                current = lists[word]
            else:
                current.add(word)
        table[folder] = (lists["DEPS"], lists["PRIVATE"])
    return table


def check_order(table):
    seen = {"runtime"}
    for folder, (deps, _) in table.items():
        for dep in sorted(deps - seen):
            yield f"src/CMakeLists.txt: {folder} depends on {dep}, which does not come before it"
        seen.add(folder)


def library_of(name):
    return next((lib for lib, form in LIBRARIES.items() if re.match(form, name)), None)


def third_party_fault(folder, is_header, name, allowed, includer):
    """What is wrong with a header from outside the tree, or None."""
    library = library_of(name)
    if library:
        if library not in allowed:
            return f"<{name}>: {folder} does not use {library}"
        if includer not in DOORS.get(library, {includer}):
            return f"<{name}>: {library} comes through {', '.join(sorted(DOORS[library]))}"
        if is_header:
            return f"<{name}>: third-party headers belong into .cpp files"
    elif re.match(POSIX, name):
        if is_header or folder not in POSIX_FOLDERS:
            return f"<{name}>: the system is for .cpp files of {', '.join(sorted(POSIX_FOLDERS))}"
    elif not re.match(r"[a-z_0-9]+$", name):
        return f"<{name}>: neither the C++ library nor a known third party"
    return None


def own_fault(src, includer, is_public, name, deps):
    """What is wrong with the header "name" of the tree, or None."""
    if name.startswith("embedded/"):
        return None  # generated for this very target
    folder, target = includer.split("/")[0], name.split("/")[0]
    if name == "strc/strc.h" and (folder == "api" or "api" in deps):
        return None
    if name == "strc/tree.h" and folder in {"api", "dsl"}:
        return None  # the kinds of recorded nodes
    if name == "strc/dlpack.h" and not is_public:
        return None  # structs that native functions see
    if target == "strc" and "runtime" in deps:
        return None
    if target != folder and target not in deps:
        return f'"{name}": {folder} may not know {target}'
    if includer not in FOLDER_DOORS.get((folder, target), {includer}):
        return f'"{name}": only {", ".join(sorted(FOLDER_DOORS[folder, target]))} may know {target}'
    if "/detail/" in name and (target != folder or is_public):
        return f'"{name}" is private to {target}'
    if not (src / name).is_file():
        return f'"{name}" is not there'
    return None


def check_file(src, path, table):
    relative = path.relative_to(src)
    folder, is_header = relative.parts[0], path.suffix == ".h"
    deps, libraries = table[folder]
    # Private headers are seen by .cpp files of their folder alone, so they may open its libraries.
    private = "detail" in relative.parts
    text = path.read_text(encoding="utf-8")
    if is_header and not re.match(r"(//.*\n|\s)*#pragma once\n", text):
        yield "does not start with #pragma once"
    includes = INCLUDE.findall(text)
    for bracket, name in includes:
        if bracket == "<" or library_of(name):
            fault = third_party_fault(
                folder, is_header and not private, name, libraries, relative.as_posix())
        else:
            fault = own_fault(src, relative.as_posix(), is_header and not private, name, deps)
        if fault:
            yield fault
    own = relative.with_suffix(".h").as_posix()
    if path.suffix == ".cpp" and (src / own).is_file() and (not includes or includes[0][1] != own):
        yield f'does not include its own "{own}" first'


def private_headers(src):
    """Headers that no other folder sees, by itself or through a header that it sees."""
    users = {path.relative_to(src).as_posix(): set() for path in src.rglob("*.h")}
    for base in (src, src.parent / "tools"):
        for path in base.rglob("*"):
            if path.suffix not in {".h", ".cpp"}:
                continue
            includer = path.relative_to(src).as_posix() if base == src else "tools"
            for bracket, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if bracket == '"' and name in users:
                    users[name].add(includer)
    seen = {name for name, own in users.items()
            if any(user.split("/")[0] != name.split("/")[0] for user in own)}
    more = seen
    while more:
        more = {name for name, own in users.items() if name not in seen and own & seen}
        seen |= more
    return set(users) - seen


def check_tree(root):
    src = root / "src"
    for name in sorted(private_headers(src)):
        if "/detail/" not in name:
            yield f"src/{name}: no other folder sees it, so it belongs into detail/"
    table = walls((src / "CMakeLists.txt").read_text(encoding="utf-8"))
    yield from check_order(table)
    for path in sorted(src.rglob("*")):
        if path.suffix not in {".h", ".cpp"}:
            continue
        if path.relative_to(src).parts[0] not in table:
            yield f"{path.relative_to(root)}: its folder has no line in src/CMakeLists.txt"
            continue
        for fault in check_file(src, path, table):
            yield f"{path.relative_to(root)}: {fault}"
    for path in sorted((root / "tools").rglob("*.cpp")):
        for bracket, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if bracket == '"' and not name.startswith("driver/"):
                yield f'{path.relative_to(root)}: "{name}": tools see driver alone'


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    faults = list(check_tree(root))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
