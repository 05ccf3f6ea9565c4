#!/usr/bin/env python3
"""copyright.py DOC LIBRARIES PORTABLE: writes DOC/copyright, and into DOC/licences the terms of what others wrote.

That is what is linked into the programs (PARTS, with PORTABLE=1 also PORTABLE_PARTS) and the libraries in the folder
LIBRARIES, which Debian's packages hold. Their terms are in the files /usr/share/doc/PACKAGE/copyright."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

DOC = Path("/usr/share/doc")
COMMON = Path("/usr/share/common-licenses")
PARTS = {"libantlr4-runtime-dev": "ANTLR's runtime (BSD)", "libcli11-dev": "CLI11 (BSD)", "nlohmann-json3-dev": "JSON for Modern C++ (MIT)"}
PORTABLE_PARTS = {"llvm-19-dev": "LLVM (Apache 2.0 with LLVM exceptions)", "libfmt-dev": "fmt (MIT)",
                  "libstdc++-12-dev": "the C++ library of GCC (GPL 3 with the GCC Runtime Library Exception)"}


def package_of(library):
    """The Debian package that holds a library of this name, and its version."""
    done = subprocess.run(["dpkg-query", "-S", f"*/{library}"], capture_output=True, text=True, check=True)
    package = done.stdout.splitlines()[0].split(":")[0]
    version = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package}=${source:Version}\n", package],
                             capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return package, version


def copy_terms(package, folder):
    """The terms of a package, with the texts of licences that they only name."""
    terms = (DOC / package / "copyright").read_text(encoding="utf-8", errors="replace")
    (folder / package).write_text(terms, encoding="utf-8")
    for name in re.findall(rf"{COMMON}/([A-Za-z0-9.+-]*[A-Za-z0-9])", terms):
        if (COMMON / name).exists():
            (folder / "common").mkdir(exist_ok=True)
            shutil.copyfile(COMMON / name, folder / "common" / name)


def main():
    doc, libraries, portable = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "1"
    folder = doc / "licences"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = (Path(__file__).resolve().parents[2] / "LICENSE").read_text(encoding="utf-8")
    text += "\n\nThese works of others are part of the programs; their terms are in the folder licences:\n"
    for package, name in {**PARTS, **(PORTABLE_PARTS if portable else {})}.items():
        text += f"  {name}: licences/{package}\n"
        copy_terms(package, folder)
    bundled = sorted(path for path in libraries.glob("*.so*") if not path.is_symlink()) if portable else []
    if bundled:
        text += (f"\nThe libraries in {libraries.parent.name}/{libraries.name} are those of Debian, unchanged, and may be replaced by others with the\n"
                 "same interface. `apt-get source PACKAGE=VERSION` has the sources they were made of:\n")
    for path in bundled:
        package, source = package_of(path.name)
        text += f"  {path.name}: licences/{package}, source {source}\n"
        copy_terms(package, folder)
    (doc / "copyright").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
