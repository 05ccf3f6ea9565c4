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
    strc, files = parse(words)
    if not importlib.util.find_spec("prompt_toolkit"):
        try_elsewhere(words)
        sys.stderr.write(HINT)
        become_plain(strc, files)
    os.environ.pop(TRIED, None)
    if os.environ.get("TERM", "dumb") == "dumb" or not (sys.stdin.isatty() and sys.stdout.isatty()):
        become_plain(strc, files)
    # The core starts while prompt_toolkit is imported, which takes longer than all else here.
    from strc_repl.core import Core

    core = Core([strc, "repl", "--json", "--events"])
    from strc_repl.session import Session

    return Session(core, files).run()


def parse(words: list[str]) -> tuple[str, list[str]]:
    if len(words) < 2 or words[0] != "--strc":
        sys.exit("usage: strc_repl --strc STRC [-- FILES]")
    rest = words[2:]
    return words[1], rest[1:] if rest[:1] == ["--"] else rest


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


def become_plain(strc: str, files: list[str]) -> NoReturn:
    sys.stderr.flush()
    try:
        os.execv(strc, [strc, "repl", "--plain", *files])
    except OSError as error:
        sys.exit(f"strc: cannot start '{strc}': {error.strerror}")
