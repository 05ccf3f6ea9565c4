"""A session as its caller has it: a stream that outlives the workers that serve it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from ..program.memory import Maker, maker_for
from .errors import ChunkError, LimitError, PoolError, SnapshotError, SnapshotWarning
from .messages import Behind, Done, Moved, Opened, Refused, Reply, Request, sum_of

if TYPE_CHECKING:
    from .pool import Call, Pool

NOT_PROCESSED = (ChunkError, LimitError, TypeError, ValueError)  # errors that leave the session as it was


class Answer:
    """What will come of a chunk."""

    def __init__(self, session: Session, number: int, maker: Maker):
        self.session, self.number, self.maker = session, number, maker
        self.call: Call | None = None  # in which its chunk went to a worker
        self.place = 0  # in that call
        self.is_new = False  # the session's last chunk
        self.is_again = False  # a chunk that has been sent before
        self.is_settled = False
        self.output: Any = None
        self.error: Exception | None = None

    def result(self) -> Any:
        """Waits for it. Raises RunError if a check of the program has failed, PoolError if no worker can be had, and SnapshotError if a snapshot has to
        cover the chunk and cannot be written or read; then it may be asked for again."""
        self.session.pool.settle([self])
        if self.error is not None:
            raise self.error
        return self.output

    def settle(self, output: Any) -> None:
        self.is_settled, self.output, self.error = True, finished(output, self.maker), None

    def refuse(self, error: Exception) -> None:
        """What the worker refused; after a SnapshotError it can be asked again."""
        self.error, self.call = error, None
        self.is_settled = not isinstance(error, SnapshotError)


def finished(output: Any, maker: Maker) -> Any:
    """Arrays of the caller's own, of the kind that was given."""
    if output is None:
        return None
    if isinstance(output, (list, tuple)):
        return type(output)(finished(array, maker) for array in output)
    return maker.finished(output if output.flags.writeable else numpy.array(output))


class Session:
    """One session of a pool, used as a stream is, by one thread at a time.

    `next` is the number of the next chunk: for whoever goes on with a session of somebody else, the place from where to do so."""

    def __init__(self, pool: Pool, key: str, opened: Opened):
        self.pool, self.key = pool, key
        self.next, self.covered = opened
        self.sent: dict[int, Request] = {}  # chunks that may have to be sent again: no snapshot covers them, or there is no reply
        self.waiting: dict[int, Answer] = {}  # chunks without a reply
        self.failure: Exception | None = None

    def __repr__(self) -> str:
        return f"<strc.ray.Session '{self.key}', next chunk {self.next}>"

    def process(self, *chunks: Any, number: int | None = None, apart: bool | None = None) -> Any:
        """What comes of a chunk, as Stream.process has it. `number`: that of the chunk, if the caller counts; one that was processed before gives
        the same output again, if it is asked for before the next chunk. After a SnapshotError the chunk is not acknowledged, and may be given again."""
        answer = self.submit(*chunks, number=number, apart=apart)
        try:
            return answer.result()
        except SnapshotError:
            self.take_back(answer)
            raise

    def submit(self, *chunks: Any, number: int | None = None, apart: bool | None = None) -> Answer:
        """The same, without waiting for the output; if there are as many chunks without a reply as the pool's window allows, it waits for the first
        one's."""
        answer = self.add(chunks, number, apart)
        self.pool.send([answer])
        return answer

    def close(self) -> None:
        """Ends the session and forgets its snapshots."""
        self.pool.ask(self.key, "close")
        self.failure = PoolError(f"the session '{self.key}' was closed")

    # ---- chunks

    def add(self, chunks: Sequence[Any], number: int | None, apart: bool | None) -> Answer:
        """Takes a chunk, to be sent. Raises TypeError and ValueError, ChunkError, LimitError, and what has ended the session."""
        if self.failure is not None:
            raise self.failure
        number = self.next if number is None else number
        if number > self.next:
            raise ChunkError(f"chunk {number} does not follow: the session '{self.key}' waits for chunk {self.next}")
        if number in self.waiting:
            raise ChunkError(f"chunk {number} of the session '{self.key}' is under way already: ask for its result")
        arrays, is_apart = self.pool.arrived(self.key, chunks, apart)
        limits = self.pool.limits
        while self.waiting and self.next - min(self.waiting) >= limits.window:
            self.waiting[min(self.waiting)].result()
        request = Request(self.key, number, arrays, is_apart, 0, 0, len(self.sent) >= limits.unsaved)
        if number in self.sent and sum_of(self.sent[number].chunk) != sum_of(arrays):
            raise ChunkError(f"chunk {number} of the session '{self.key}' was another one when it was processed")
        answer = self.waiting[number] = Answer(self, number, maker_for(chunks))
        answer.is_new, answer.is_again = number == self.next, number in self.sent
        self.sent.setdefault(number, request)
        self.next = max(self.next, number + 1)
        return answer

    def request(self, number: int) -> Request:
        """As it is sent now."""
        return self.sent[number]._replace(confirmed=min(self.waiting, default=self.next), covered=self.covered)

    def take_back(self, answer: Answer) -> None:
        """The chunk was not acknowledged; if it is the last one the next one gets its number."""
        self.waiting.pop(answer.number, None)
        if not answer.is_again:
            self.sent.pop(answer.number, None)
        if answer.is_new and answer.number == self.next - 1:
            self.next = answer.number

    # ---- replies

    def heed(self, number: int, reply: Reply) -> bool:
        """Takes in what a worker says of a chunk; False if the chunk has to be sent again."""
        if isinstance(reply, (Behind, Moved)):
            return False
        answer = self.waiting.get(number)
        if isinstance(reply, Refused):
            if answer is not None:
                self.refuse(answer, reply.error)
            return True
        if reply.trouble:
            warnings.warn(SnapshotWarning(reply.trouble), stacklevel=6)
        if answer is not None:
            answer.settle(reply.output)
            del self.waiting[number]
        self.cover(reply)
        return True

    def cover(self, reply: Done) -> None:
        self.covered = max(self.covered, reply.covered)
        for number in [number for number in self.sent if number < self.covered and number not in self.waiting]:
            del self.sent[number]

    def refuse(self, answer: Answer, error: Exception) -> None:
        answer.refuse(error)
        if isinstance(error, NOT_PROCESSED):
            self.take_back(answer)
        elif not isinstance(error, SnapshotError):
            self.failure = error
            del self.waiting[answer.number]

    def first_again(self, number: int, reply: Behind) -> int:
        """The chunk from which on the worker wants them again. Raises PoolError if it is gone."""
        if reply.next <= number and all(k in self.sent for k in range(reply.next, number + 1)):
            return reply.next
        raise PoolError(
            f"the session '{self.key}' is lost: its worker has gone, its last snapshot is behind {reply.next} chunks, and its caller has those from "
            f"{min(self.sent, default=self.next)} on"
        )
