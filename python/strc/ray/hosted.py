"""A session as its worker has it: which chunk is next, and which replies are kept."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from ..program.diagnostics import StateError
from ..program.stream import Stream
from .errors import ChunkError, LimitError, SnapshotError
from .messages import Behind, Done, Limits, Opened, Refused, Reply, Request, sum_of
from .snapshot import KeptReply, Snapshot, decode


class HostedSession:
    """The state of one session. It knows nothing of actors, and nothing of time but when it was saved."""

    def __init__(self, key: str, stream: Stream, limits: Limits):
        self.key = key
        self.stream = stream
        self.limits = limits
        self.next = self.confirmed = self.covered = 0
        self.replies: dict[int, KeptReply] = {}
        self.failure: Exception | None = None
        self.saved_at = time.monotonic()
        self.saving = asyncio.Lock()
        self.is_closed = False

    def restore(self, data: bytes, where: str) -> None:
        """Goes on from a snapshot. Raises SnapshotError."""
        found = decode(data, self.key, where)
        try:
            self.stream.restore(found.state)
        except StateError as error:
            code = error.code.replace("state-", "snapshot-").replace("truncated", "damaged")
            raise SnapshotError(code, f"the session '{self.key}' cannot go on from {where}: {error}") from None
        self.next = self.covered = found.next
        self.confirmed, self.replies = found.confirmed, found.replies

    def snapshot(self) -> Snapshot:
        return Snapshot(self.key, self.next, self.confirmed, self.stream.save(), dict(self.replies))

    @property
    def opened(self) -> Opened:
        return Opened(self.next, self.covered)

    @property
    def is_unsaved(self) -> bool:
        return self.next > self.covered and self.failure is None

    def reply_to(self, request: Request) -> Reply | None:
        """What can be said without processing the chunk; None if it is the one that is next."""
        self.confirm(request.confirmed)
        if request.number < self.next:
            return self.reply_again(request)
        if request.number > self.next:
            return Behind(self.next)
        if self.failure is not None:
            return Refused(self.failure)
        if len(self.replies) >= self.limits.window:
            return Refused(LimitError(
                f"{len(self.replies)} chunks of the session '{self.key}' have replies that its caller has not confirmed, which is the pool's window"
            ))
        return None

    def confirm(self, number: int) -> None:
        """The caller has all replies below."""
        for old in range(self.confirmed, min(number, self.next)):
            self.replies.pop(old, None)
        self.confirmed = max(self.confirmed, min(number, self.next))

    def reply_again(self, request: Request) -> Reply:
        kept = self.replies.get(request.number)
        if kept is None:
            return Refused(ChunkError(
                f"chunk {request.number} of the session '{self.key}' was processed, and its reply confirmed; the next one is {self.next}"
            ))
        if kept.sum != sum_of(request.chunk):
            return Refused(ChunkError(f"chunk {request.number} of the session '{self.key}' was another one when it was processed"))
        return self.done(kept.output)

    def done(self, output: Any) -> Done:
        return Done(output, self.covered, "")

    def keep(self, request: Request, output: Any) -> Done:
        """The chunk that is next has been processed."""
        self.replies[request.number] = KeptReply(sum_of(request.chunk), output)
        self.next += 1
        return self.done(output)
