"""The actor that serves the sessions of one slot."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import time
import zlib
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import ray

from ..program.diagnostics import RunError, StateError
from ..program.stream import Stream, together
from .errors import LimitError, PoolError, SnapshotError
from .hosted import HostedSession
from .messages import Done, Limits, Moved, Opened, Refused, Reply, Request
from .routing import slot_of
from .stores import SnapshotStore

WRITES_AT_ONCE = 64


@dataclass(frozen=True)
class Assignment:
    """All that a worker has to know."""

    program: bytes  # pickled
    version: str  # of strc, at the pool's owner
    reference: bytes  # the state of a stream at its start, which only the same program can go on from
    store: SnapshotStore
    limits: Limits
    every: float  # seconds from snapshot to snapshot; 0: one before each reply


class SessionWorker:
    """Serves the sessions that the routing table gives to its slot."""

    def __init__(self) -> None:
        self.slot = -1  # it serves none yet
        self.slots: tuple[int, ...] = ()
        self.hosted: dict[str, HostedSession] = {}
        self.opening: dict[str, asyncio.Task[Exception | None]] = {}
        self.waiting: list[tuple[Request, asyncio.Future[Reply]]] = []
        self.arrived = asyncio.Event()
        self.writes = asyncio.Semaphore(WRITES_AT_ONCE)
        self.tasks: set[asyncio.Task[None]] = set()
        self.chunks = self.groups = self.restored = 0
        self.trouble = ""

    # ---- life

    async def start(self, assignment: Assignment) -> str | PoolError:
        """Compiles the program; gives the node it is on, or what is wrong with this worker."""
        from strc import __version__

        self.assignment, self.store, self.limits = assignment, assignment.store, assignment.limits
        where = f"the worker on the node {ray.util.get_node_ip_address()}"
        if __version__ != assignment.version:
            return PoolError(f"{where} has strc {__version__}, and the pool is of strc {assignment.version}")
        try:
            self.compiled = pickle.loads(assignment.program).compiled()
            self.compiled.stream().restore(assignment.reference)
        except StateError as error:
            return PoolError(
                f"{where} has another program or other weights than the pool, or one that was optimised for another processor: {error}. "
                "The files that the program reads have to be the same on all nodes; options={'march': ...} says for which processor it is compiled"
            )
        except Exception as error:
            return PoolError(f"{where} cannot compile the program: {type(error).__name__}: {error}")
        self.start_task(self.process_for_ever())
        if assignment.every > 0:
            self.start_task(self.save_for_ever())
        return str(ray.get_runtime_context().get_node_id())

    async def serve(self, slot: int, slots: Sequence[int]) -> None:
        """From now on it serves that slot, of these."""
        self.slot, self.slots = slot, tuple(slots)

    def start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs it beside all else; the set keeps it from being collected."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def hand_over(self, slots: Sequence[int]) -> SnapshotError | None:
        """From now on there are these slots. Writes what is no longer served here to the store and forgets it; if that cannot be done nothing
        has changed."""
        before, self.slots = self.slots, tuple(slots)
        leaving = [session for key, session in self.hosted.items() if not self.is_mine(key)]
        results = await asyncio.gather(*(self.save(session) for session in leaving if session.is_unsaved))
        for error in results:
            if error is not None:
                self.slots = before
                return error
        for session in leaving:
            self.hosted.pop(session.key, None)
        return None

    def is_mine(self, key: str) -> bool:
        return self.slot in self.slots and slot_of(key, self.slots) == self.slot

    async def status(self) -> dict[str, Any]:
        return {
            "slot": self.slot, "node": ray.get_runtime_context().get_node_id(), "pid": os.getpid(), "sessions": len(self.hosted),
            "chunks": self.chunks, "groups": self.groups, "restored": self.restored, "trouble": self.trouble,
        }

    # ---- sessions

    async def open(self, key: str) -> Opened | Moved | Refused:
        error = await self.open_here(key)
        if error is not None:
            return Refused(error)
        return self.hosted[key].opened if key in self.hosted and self.is_mine(key) else Moved()

    async def close(self, key: str) -> Opened | Moved | Refused:
        if not self.is_mine(key):
            return Moved()
        session = self.hosted.pop(key, None)
        async with session.saving if session else contextlib.nullcontext():
            if session:
                session.is_closed = True
            try:
                await self.store.remove(key)
            except SnapshotError as error:
                return Refused(error)
        return Opened(0, 0)

    async def open_here(self, key: str) -> Exception | None:
        """Sees to it that the session is there, if it belongs here."""
        if key in self.hosted or not self.is_mine(key):
            return None
        if key not in self.opening:
            self.opening[key] = asyncio.create_task(self.load(key))
            self.opening[key].add_done_callback(lambda _: self.opening.pop(key, None))
        return await self.opening[key]

    async def load(self, key: str) -> Exception | None:
        if self.is_full:
            return self.full(key)
        session = HostedSession(key, Stream(self.compiled), self.limits)
        session.saved_at -= self.assignment.every * (zlib.crc32(key.encode()) % 1024) / 1024  # not all at once
        try:
            found = await self.store.read(key)
            if found is not None:
                session.restore(*found)
                self.restored += 1
        except SnapshotError as error:
            return error
        if self.is_full:
            return self.full(key)
        if self.is_mine(key):  # it may have moved meanwhile
            self.hosted[key] = session
        return None

    @property
    def is_full(self) -> bool:
        return self.limits.sessions is not None and len(self.hosted) >= self.limits.sessions

    def full(self, key: str) -> LimitError:
        return LimitError(f"worker {self.slot} serves {len(self.hosted)} sessions, which is its limit, so '{key}' cannot be opened")

    # ---- chunks

    async def work(self, requests: Sequence[Request]) -> list[Reply]:
        """A reply for each chunk."""
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[Reply]] = [loop.create_future() for _ in requests]
        self.waiting += zip(requests, futures)
        self.arrived.set()
        return await asyncio.gather(*futures)

    async def process_for_ever(self) -> None:
        while True:
            await self.arrived.wait()
            self.arrived.clear()
            turn = self.take_turn()
            while turn:
                try:
                    await self.process_turn(turn)
                except Exception as error:  # a fault of this code must not leave callers without a reply
                    for _, future in turn:
                        if not future.done():
                            future.set_result(Refused(PoolError(f"worker {self.slot}: {type(error).__name__}: {error}")))
                await asyncio.sleep(0)  # what has arrived meanwhile joins the next turn
                turn = self.take_turn()

    def take_turn(self) -> list[tuple[Request, asyncio.Future[Reply]]]:
        """All that waits, but one chunk of each session."""
        turn: list[tuple[Request, asyncio.Future[Reply]]] = []
        rest: list[tuple[Request, asyncio.Future[Reply]]] = []
        taken: set[str] = set()
        for entry in self.waiting:
            key = entry[0].key
            (rest if key in taken else turn).append(entry)
            taken.add(key)
        self.waiting = rest
        return turn

    async def process_turn(self, turn: Sequence[tuple[Request, asyncio.Future[Reply]]]) -> None:
        errors: dict[str, Exception] = {}
        for request, _ in turn:
            self.drop_if_old(request)
        unknown = [request.key for request, _ in turn if request.key not in self.hosted]
        for key, error in zip(unknown, await asyncio.gather(*(self.open_here(key) for key in unknown))):
            if error is not None:
                errors[key] = error
        replies: dict[str, Reply] = {}
        next_ones: list[Request] = []
        for request, _ in turn:
            reply = self.reply_at_once(request, errors)
            if reply is None:
                next_ones.append(request)
            else:
                replies[request.key] = reply
        replies.update(self.process(next_ones))
        for request, future in turn:
            reply = replies[request.key]
            if isinstance(reply, Done):
                reply = reply._replace(trouble=self.trouble)
            if isinstance(reply, Done) and (request.must_save or self.assignment.every == 0) and reply.covered <= request.number:
                self.start_task(self.reply_when_saved(self.hosted[request.key], request, reply, future))
            elif not future.done():
                future.set_result(reply)

    def drop_if_old(self, request: Request) -> None:
        """A session that is behind a snapshot its caller knows of was opened while the worker before, thought dead, wrote it."""
        session = self.hosted.get(request.key)
        if session is not None and session.next < request.covered:
            session.is_closed = True
            del self.hosted[request.key]

    def reply_at_once(self, request: Request, errors: dict[str, Exception]) -> Reply | None:
        if not self.is_mine(request.key):
            return Moved()
        if request.key in errors:
            return Refused(errors[request.key])
        if request.key not in self.hosted:
            return Moved()  # it was closed, or moved away and back, while others were opened
        return self.hosted[request.key].reply_to(request)

    async def reply_when_saved(self, session: HostedSession, request: Request, reply: Done, future: asyncio.Future[Reply]) -> None:
        error = await self.save(session, request.number + 1)
        if not future.done():
            future.set_result(Refused(error) if error else reply._replace(covered=session.covered))

    def process(self, requests: Sequence[Request]) -> dict[str, Reply]:
        """Chunks that are each the next one of their session: those of one length side by side."""
        groups: dict[int, list[Request]] = {}
        replies: dict[str, Reply] = {}
        for request in requests:
            if self.can_group:
                groups.setdefault(len(request.chunk[0]), []).append(request)
            else:
                replies[request.key] = self.process_alone(request)
                self.groups += 1
        for group in groups.values():
            replies.update(self.process_group(group))
            self.groups += 1
        self.chunks += len(requests)
        return replies

    @property
    def can_group(self) -> bool:
        ends = (self.compiled.input, self.compiled.output)
        return all(end is not None and not end.tensors for end in ends)

    def process_group(self, group: Sequence[Request]) -> dict[str, Reply]:
        sessions = [self.hosted[request.key] for request in group]
        places = [session.stream.given for session in sessions]
        made, is_fine = together([session.stream for session in sessions], [request.chunk[0] for request in group])
        error = None if is_fine else RunError(self.compiled.ear.listen(5))
        replies: dict[str, Reply] = {}
        for request, session, place, items in zip(group, sessions, places, made):
            if session.stream.has_failed:
                replies[request.key] = self.failed(session, error)
            else:
                end = self.compiled.output
                output = end.parted(items, place) if request.is_apart and end is not None else items
                replies[request.key] = session.keep(request, output)
        return replies

    def process_alone(self, request: Request) -> Reply:
        session = self.hosted[request.key]
        try:
            output = session.stream.process(*request.chunk, apart=request.is_apart)
        except RunError as error:
            return self.failed(session, error)
        except (TypeError, ValueError) as error:
            return Refused(error)  # nothing has been processed
        return session.keep(request, output)

    def failed(self, session: HostedSession, error: Exception | None) -> Refused:
        session.failure = error or PoolError(f"a check of the program has failed in the session '{session.key}'")
        return Refused(session.failure)

    # ---- snapshots

    async def save(self, session: HostedSession, number: int | None = None) -> SnapshotError | None:
        """Writes a snapshot of the session, if none covers all chunks below `number`."""
        async with session.saving, self.writes:
            if session.is_closed or session.failure is not None or session.covered >= (session.next if number is None else number):
                return None
            session.saved_at = time.monotonic()
            try:
                snapshot = session.snapshot()
                await self.store.write(session.key, snapshot.next, snapshot.encode())
            except Exception as error:  # whatever it is, a caller waits for a reply
                refusal = error if isinstance(error, SnapshotError) else self.unwritten(session, error)
                self.trouble = str(refusal)
                return refusal
            session.covered = snapshot.next
            self.trouble = ""
            return None

    @staticmethod
    def unwritten(session: HostedSession, error: Exception) -> SnapshotError:
        return SnapshotError("snapshot-unwritten", f"there can be made no snapshot of the session '{session.key}': {type(error).__name__}: {error}")

    async def save_for_ever(self) -> None:
        """A snapshot of each session that has gone on, every so many seconds."""
        every = self.assignment.every
        while True:
            await asyncio.sleep(every / 8)
            due = time.monotonic() - every
            await asyncio.gather(*(self.save(session) for session in list(self.hosted.values()) if session.is_unsaved and session.saved_at <= due))
