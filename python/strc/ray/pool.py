"""A pool of workers for the sessions of one program."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import ray
from ray.exceptions import ObjectLostError, RayActorError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ..program import Program
from ..program.ends import End, is_apart
from ..program.memory import Memory, is_torch
from .errors import LimitError, PoolError
from .messages import Array, Behind, Limits, Moved, Opened, Refused, Reply, RoutingTable, Worker
from .routing import slot_of
from .session import Answer, Session
from .stores import FolderStore, Keeper, ObjectStore, SnapshotStore
from .supervisor import CALLS_AT_ONCE, Brief, Staffing, Supervisor
from .worker import Assignment

PAUSE = 0.02  # seconds between two attempts


def copied(memory: Memory) -> Array:
    """The elements as an array of NumPy that nobody else changes. Raises TypeError if NumPy has no such elements."""
    return numpy.array(memory.owner.numpy() if is_torch(memory.owner) else memory.owner)


class Call:
    """A call of a worker, with several requests."""

    def __init__(self, pool: Pool, worker: Worker, answers: Sequence[tuple[Session, int]]):
        self.pool, self.worker = pool, worker
        self.replies: list[Reply] | None = None
        self.has_ended = False
        self.reference = worker.actor.work.remote([session.request(number) for session, number in answers])

    def reply(self, place: int) -> Reply | None:
        """None if the worker has died."""
        if not self.has_ended:
            self.replies = self.pool.outcome(self.reference, self.worker)
            self.has_ended = True
        return None if self.replies is None else self.replies[place]


class Pool:
    """Actors of a program, each of which serves many sessions.

    A pool may be handed to tasks and actors of Ray; it ends with the process that made it, or with `close`."""

    def __init__(
        self, program: Program, workers: int = 1, *, spares: int = 0, snapshots: str | os.PathLike[str] | None = None, every: float = 5.0, window: int = 8,
        unsaved: int = 1024, longest: int | None = None, sessions: int | None = None, cpus: float = 1, patience: float = 60.0, watch: float = 2.0,
    ):
        """workers: how many actors, each with so many `cpus`.
        spares: further ones that are ready to take the place of one that dies.
        snapshots: the folder, reached by all nodes under this name, in which the states of sessions are kept; without it they are in Ray's object store.
        every: seconds from snapshot to snapshot of a session; 0: one before each reply.
        window: chunks of a session that may be without a reply. unsaved: chunks of a session that its caller keeps until a snapshot covers them.
        longest: items of a chunk, at most. sessions: of a worker, at most.
        patience: seconds to wait for a worker in the place of one that died. watch: seconds between two looks for nodes that have joined, to which
        workers move then; 0: never."""  # fmt: skip
        if workers < 1 or window < 1 or unsaved < 1 or every < 0 or spares < 0:
            raise ValueError("workers, window and unsaved are 1 or more, and every and spares are not negative")
        from .. import __version__

        compiled = program.compiled()
        if compiled.input is None:
            raise TypeError("a pool serves programs that take items, and this one has no input")
        self.input, self.output = compiled.input, compiled.output
        reference = program.stream().save()
        if not ray.is_initialized():
            ray.init()
        self.limits = Limits(window, unsaved, longest, sessions)
        self.patience = patience
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        self.keeper = None if snapshots else ray.remote(Keeper).options(num_cpus=0, scheduling_strategy=here).remote()
        store: SnapshotStore = FolderStore(Path(snapshots).resolve()) if snapshots else ObjectStore(self.keeper)
        assignment = ray.put(Assignment(pickle.dumps(program), __version__, reference, store, self.limits, every))
        self.brief = Brief([assignment], Staffing(workers, spares, cpus, patience, watch))
        kind = ray.remote(Supervisor).options(num_cpus=0, max_restarts=-1, max_concurrency=CALLS_AT_ONCE, scheduling_strategy=here)
        self.supervisor = kind.remote()
        try:
            self.table: RoutingTable = self.supervise("table")
        except BaseException:
            ray.kill(self.supervisor)
            raise

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.close()
        except PoolError:
            if kind is None:  # else what has gone wrong before says more
                raise

    # ---- sessions

    def session(self, key: str) -> Session:
        """The session of that name: a new one, or one that goes on. Raises LimitError and SnapshotError."""
        opened: Opened = self.ask(key, "open")
        return Session(self, key, opened)

    def process_many(self, sessions: Sequence[Session], chunks: Sequence[Any]) -> list[Any]:
        """What comes of a chunk for each of several sessions: `session.process` for each, in one call to each worker. What is refused is raised when all
        have a reply; `submit_many` has the others."""
        return [answer.result() for answer in self.settle(self.submit_many(sessions, chunks))]

    def submit_many(self, sessions: Sequence[Session], chunks: Sequence[Any]) -> list[Answer]:
        """The same, without waiting. A tuple is a chunk for each of several inputs."""
        if len(sessions) != len(chunks):
            raise ValueError(f"there are {len(sessions)} sessions, and {len(chunks)} chunks")
        answers = [session.add(chunk if isinstance(chunk, tuple) else (chunk,), None, None) for session, chunk in zip(sessions, chunks)]
        self.send(answers)
        return answers

    # ---- workers

    def status(self) -> list[dict[str, Any]]:
        """Of each worker: slot, node, process, sessions, chunks, groups in which they were processed, sessions restored, trouble with snapshots."""
        found: list[dict[str, Any]] = self.supervise("status")
        return found

    def resize(self, workers: int) -> None:
        """So many workers from now on; sessions move by snapshots."""
        if workers < 1:
            raise ValueError("a pool has one worker or more")
        self.supervise("resize", workers)
        self.brief = self.brief._replace(staffing=replace(self.brief.staffing, workers=workers))  # of a supervisor that comes back
        self.refresh()

    def drain(self, node: str) -> None:
        """Moves all workers of a node (by its id) to others."""
        self.supervise("drain", node)
        self.refresh()

    def close(self) -> None:
        """Writes the last snapshots and ends all workers. Raises SnapshotError if one cannot be written; the pool has ended nevertheless."""
        try:
            self.supervise("stop")
        finally:
            ray.kill(self.supervisor)
            if self.keeper is not None:
                ray.kill(self.keeper)

    def refresh(self) -> None:
        """Learns the newest routing table."""
        self.table = self.supervise("table")

    def supervise(self, method: str, *arguments: Any) -> Any:
        """What the supervisor answers. Raises what it raises; one that has died comes back and starts all workers again."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                return ray.get(self.supervisor.call.remote(self.brief, method, arguments))
            except RayTaskError as error:
                raise error.cause from None
            except RayActorError as error:
                if error.actor_init_failed:
                    raise PoolError(
                        f"the pool's supervisor cannot be started; the Python of the cluster's nodes has to find the package strc of this version (by "
                        f"`pip install` there, by PYTHONPATH when Ray is started, or by `ray.init(runtime_env=...)`): {error}"
                    ) from None
                if time.monotonic() > deadline:
                    raise PoolError(f"the pool's supervisor does not answer: {error}") from None
                time.sleep(PAUSE)

    # ---- what sessions need

    def arrived(self, key: str, chunks: Sequence[Any], apart: bool | None) -> tuple[tuple[Array, ...], bool]:
        """A chunk as it is sent: copies, since it may be sent again. Raises TypeError, ValueError, LimitError."""
        end = self.input
        if end.tensors:
            if len(chunks) != len(end.tensors):
                raise TypeError(f"the program takes {len(end.tensors)} tensor{'s' if len(end.tensors) > 1 else ''} in turn ({end}), and not {len(chunks)}")
            found = [end.tensor(chunk, place) for place, chunk in enumerate(chunks)]
            count, arrays = max(number or 1 for _, number in found), tuple(copied(memory) for memory, _ in found)
        else:
            arrays = (numpy.array(end.arrived(chunks)),)
            count = len(arrays[0])
        if self.limits.longest is not None and count > self.limits.longest:
            raise LimitError(f"a chunk of the session '{key}' has {count} items, and the pool allows {self.limits.longest}")
        return arrays, is_apart(chunks, apart) and not end.tensors

    def worker_of(self, key: str) -> Worker:
        return self.table.workers[slot_of(key, self.table.workers)]

    def send(self, answers: Sequence[Answer]) -> None:
        """Sends their chunks, in one call to each worker."""
        for call, group in self.calls([(answer.session, answer.number) for answer in answers]):
            for place, (session, number) in enumerate(group):
                answer = session.waiting[number]
                answer.call, answer.place = call, place

    def calls(self, chunks: Sequence[tuple[Session, int]]) -> list[tuple[Call, list[tuple[Session, int]]]]:
        groups: dict[int, list[tuple[Session, int]]] = {}
        for session, number in chunks:
            groups.setdefault(slot_of(session.key, self.table.workers), []).append((session, number))
        return [(Call(self, self.table.workers[slot], group), group) for slot, group in groups.items()]

    def outcome(self, reference: Any, worker: Worker) -> Any:
        """What a worker has answered; None if it has died, which the supervisor is told."""
        try:
            return ray.get(reference)
        except ObjectLostError:
            return None  # it lay on a node that has died
        except RayActorError:
            self.supervise("report", worker.slot, worker.incarnation)
            return None

    def settle(self, answers: Sequence[Answer]) -> Sequence[Answer]:
        """Waits until there is a reply to each. Raises PoolError if no worker can be had."""
        lost = []
        for answer in answers:
            if answer.is_settled:
                continue
            reply = None if answer.call is None else answer.call.reply(answer.place)
            if reply is None or not answer.session.heed(answer.number, reply):
                lost.append(answer)
        self.recover(lost)
        return answers

    def recover(self, answers: Sequence[Answer]) -> None:
        """Sends chunks again, and those before them that a worker has not."""
        deadline = time.monotonic() + self.patience
        first = {answer: answer.number for answer in answers}
        pause = 0.0
        while first:
            time.sleep(pause)
            self.refresh()
            replies: dict[tuple[Session, int], Reply | None] = {}
            is_known = True
            for call, group in self.calls([(answer.session, number) for answer in first for number in range(first[answer], answer.number + 1)]):
                replies.update({chunk: call.reply(place) for place, chunk in enumerate(group)})
            for answer in list(first):
                number = first.pop(answer)
                start = self.recovered(answer, number, replies)
                if start is not None:
                    first[answer] = start
                    is_known = is_known and start < number  # what the worker has not is sent at once
            if first and time.monotonic() > deadline:
                raise PoolError(f"no worker has served the session '{next(iter(first)).session.key}' for {self.patience:g} s")
            pause = 0.0 if is_known else PAUSE

    @staticmethod
    def recovered(answer: Answer, start: int, replies: dict[tuple[Session, int], Reply | None]) -> int | None:
        """From which chunk on they have to be sent again; None if this one has its reply."""
        session = answer.session
        for number in range(start, answer.number + 1):
            reply = replies[session, number]
            if isinstance(reply, Behind):
                return session.first_again(answer.number, reply)
            if reply is None or isinstance(reply, Moved):
                return number if number in session.sent else answer.number
            session.heed(number, reply)
        return None

    def ask(self, key: str, method: str) -> Any:
        """Calls a method of the worker of that session. Raises what it refuses."""
        deadline = time.monotonic() + self.patience
        while True:
            worker = self.worker_of(key)
            found = self.outcome(getattr(worker.actor, method).remote(key), worker)
            if isinstance(found, Refused):
                raise found.error
            if isinstance(found, Opened):
                return found
            if time.monotonic() > deadline:
                raise PoolError(f"no worker has served the session '{key}' for {self.patience:g} s")
            time.sleep(PAUSE)
            self.refresh()
