"""What goes wrong in a pool, beside what goes wrong in its program."""

from __future__ import annotations


class PoolError(RuntimeError):
    """A pool that cannot do what it was asked: a worker that cannot start, a session whose chunks are gone."""


class ChunkError(PoolError):
    """A chunk with a number that does not follow, or that another chunk had."""


class LimitError(PoolError):
    """More than a limit of the pool allows."""


class SnapshotError(PoolError):
    """A snapshot that cannot be written, or from which no session can go on. `code` is "snapshot-unwritten", "snapshot-unread",
    "snapshot-damaged", "snapshot-newer", "snapshot-other-session" or "snapshot-other-program"."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[SnapshotError], tuple[str, str]]:
        return type(self), (self.code, str(self))


class SnapshotWarning(UserWarning):
    """Snapshots cannot be written; sessions go on as long as their callers keep what is in none."""
