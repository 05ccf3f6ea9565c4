"""The command `strc` of a wheel, which brings the compiler along in the folder `native`."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

_NATIVE = Path(__file__).resolve().parent / "native"


def _elsewhere() -> Path | None:
    """The compiler on the path, for a package without one; this command itself does not count."""
    own = Path(sys.argv[0]).resolve()
    for folder in os.get_exec_path():
        found = Path(folder, "strc")
        if os.access(found, os.X_OK) and found.resolve() != own:
            return found
    return None


def main() -> NoReturn:
    bundled = _NATIVE / "bin" / "strc"
    program = bundled if bundled.exists() else _elsewhere()
    if program is None:
        sys.exit("strc: this Python package was made without the compiler, and there is no other strc on the path")
    arguments = sys.argv[1:]
    # Models are imported by this Python if it has PyTorch, and edited lines are read by it.
    if arguments[:1] == ["import"] and find_spec("torch") and not any(word.startswith("--python") for word in arguments):
        arguments += ["--python", sys.executable]
    os.environ.setdefault("STRC_PYTHON", sys.executable)
    # Files that came by way of a package index need not be executable any more.
    if not os.access(program, os.X_OK):
        program.chmod(0o755)
    os.execv(program, [str(program), *arguments])
