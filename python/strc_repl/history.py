"""Entries across sessions, in a file that several sessions may write at once."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Iterable, Optional

from prompt_toolkit.history import History

KEPT = 5000  # entries; the file is cut to that when it has half as many more


def history() -> FileHistory:
    """As STRC_HISTORY has it: a file, or off; by default in the XDG folder of states."""
    return FileHistory(place(os.environ))


def place(env: os._Environ[str] | dict[str, str]) -> Optional[Path]:
    chosen = env.get("STRC_HISTORY")
    if chosen is not None:
        return None if chosen in ("", "off") else Path(chosen).expanduser()
    state = env.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):  # as the XDG specification says
        if not env.get("HOME"):
            return None
        state = os.path.join(env["HOME"], ".local", "state")
    return Path(state) / "strc" / "history"


class FileHistory(History):
    """An entry is a line `# TIME` and its lines, each after a `+`. Entries are appended whole, under a
    lock, so those of several sessions lie one after the other. A file that cannot be read or written
    ends nothing: `trouble` is then what to say between two prompts, once. Without a path, entries
    live as long as the session."""

    def __init__(self, path: Optional[Path]) -> None:
        super().__init__()
        self.path = path
        self.told = False
        self.trouble = ""

    def load_history_strings(self) -> Iterable[str]:
        """Newest first."""
        if not self.path:
            return []
        try:
            text = self.path.read_bytes().decode(errors="replace")
        except FileNotFoundError:
            return []
        except OSError as error:
            self.tell("read", error)
            return []
        found = entries(text)
        if len(found) > KEPT * 3 // 2:
            self.shorten(self.path)
        return found[: -KEPT - 1 : -1]

    def store_string(self, string: str) -> None:
        if not self.path:
            return
        data = written(string)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with Locked(self.path) as descriptor:
                os.lseek(descriptor, 0, os.SEEK_END)
                while data:
                    data = data[os.write(descriptor, data) :]
        except OSError as error:
            self.tell("write", error)

    def shorten(self, path: Path) -> None:
        """Under the lock and in place: the other sessions have the file open by its name alone."""
        try:
            with Locked(path) as descriptor, open(descriptor, "r+b", closefd=False) as file:
                kept = entries(file.read().decode(errors="replace"))[-KEPT:]
                file.seek(0)
                file.write(b"".join(written(entry) for entry in kept))
                file.truncate()
        except OSError as error:
            self.tell("write", error)

    def tell(self, what: str, error: OSError) -> None:
        if not self.told:
            self.trouble = f"strc: cannot {what} the history '{self.path}': {error.strerror}\n"
        self.told = True


class Locked:
    """The file, made if missing, open and locked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> int:
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        except OSError:
            pass  # some network's file system; unlocked is better than none
        return self.descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)


def written(entry: str) -> bytes:
    lines = "".join(f"+{line}\n" for line in entry.split("\n"))
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"\n# {stamp}\n{lines}".encode(errors="replace")


def entries(text: str) -> list[str]:
    """Oldest first. What is neither an entry's line nor between entries belongs to nobody."""
    found: list[str] = []
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith("+"):
            lines.append(line[1:])
        elif lines:
            found.append("\n".join(lines))
            lines = []
    if lines:
        found.append("\n".join(lines))
    return found
