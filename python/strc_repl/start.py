"""From the command line to a prompt: with prompt_toolkit here, with another Python's, or plain."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from typing import NoReturn

TRIED = "STRC_REPL_TRIED"  # the Pythons that have no prompt_toolkit, while looking for one that has
HINT = """strc: simple line editing only: Python's prompt_toolkit is missing \
(on Debian: apt install python3-prompt-toolkit)
"""


def main(words: list[str]) -> int:
    strc, options, files = parse(words)
    if not importlib.util.find_spec("prompt_toolkit"):
        try_elsewhere(words)
        sys.stderr.write(HINT)
        become_plain(strc, options, files)
    os.environ.pop(TRIED, None)
    if os.environ.get("TERM", "dumb") == "dumb" or not (sys.stdin.isatty() and sys.stdout.isatty()):
        become_plain(strc, options, files)
    # The core starts while prompt_toolkit is imported, which takes longer than all else here.
    from strc_repl.core import Core

    core = Core([strc, "repl", "--json", "--events", *options])
    from strc_repl.session import Session

    return Session(core, files).run()


def parse(words: list[str]) -> tuple[str, list[str], list[str]]:
    """The compiler, options for it, files."""
    if len(words) < 2 or words[0] != "--strc":
        sys.exit("usage: strc_repl --strc STRC [OPTIONS --] [FILES]")
    rest = words[2:]
    if "--" not in rest:
        return words[1], [], rest
    at = rest.index("--")
    return words[1], rest[:at], rest[at + 1 :]


def try_elsewhere(words: list[str]) -> None:
    """Becomes this program in another Python that may have prompt_toolkit, if there is one."""
    if os.environ.get("STRC_PYTHON"):
        return
    tried = os.environ.get(TRIED, "").split(os.pathsep) + [os.path.realpath(sys.executable)]
    for python in ("/usr/bin/python3", shutil.which("python3")):
        if python and os.access(python, os.X_OK) and os.path.realpath(python) not in tried:
            # A launcher such as pyenv's may be another file than what it starts.
            os.environ[TRIED] = os.pathsep.join([*tried, os.path.realpath(python)])
            os.execv(python, [python, os.path.dirname(os.path.abspath(__file__)), *words])
    os.environ.pop(TRIED, None)


def become_plain(strc: str, options: list[str], files: list[str]) -> NoReturn:
    sys.stderr.flush()
    try:
        os.execv(strc, [strc, "repl", "--plain", *options, *files])
    except OSError as error:
        sys.exit(f"strc: cannot start '{strc}': {error.strerror}")
