"""The actor that starts, replaces, moves and ends the workers of a pool."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayActorError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from .errors import PoolError
from .messages import RoutingTable, Worker
from .worker import SessionWorker

CALLS_AT_ONCE = 10_000
PAUSE = 0.2  # seconds between two attempts to start a worker
BREATH = 1.0  # seconds in which a worker that has taken the place of another may catch up before a new spare one compiles beside it
LOG = logging.getLogger("strc.ray")  # Ray shows it at the driver


@dataclass(frozen=True)
class Staffing:
    """How many workers there are, and how they are started."""

    workers: int
    spares: int  # workers that are ready and serve no slot yet
    cpus: float  # of each
    patience: float  # seconds in which one has to start
    watch: float  # seconds between two looks for nodes that have joined; 0: never


class Brief(NamedTuple):
    """What a supervisor has to know."""

    assignment: list[Any]  # of one reference, which stays one on its way
    staffing: Staffing


class IdleWorker(NamedTuple):
    """A worker that has compiled the program."""

    actor: Any
    node: str


class Supervisor:
    """Owns the routing table. One change at a time."""

    def __init__(self) -> None:
        self.assignment: Any = None  # a reference to an Assignment, which workers are given
        self.staffing = Staffing(0, 0, 1, 1, 0)
        self.version = time.time_ns()  # of the table; greater than that of a supervisor before
        self.workers: dict[int, Worker] = {}
        self.incarnations: dict[int, int] = {}
        self.spares: list[IdleWorker] = []
        self.refilling: asyncio.Task[None] | None = None
        self.change = asyncio.Lock()
        self.watching: asyncio.Task[None] | None = None

    # ---- what callers ask

    async def call(self, brief: Brief, method: str, arguments: Sequence[Any]) -> Any:
        """Any of the methods below. A supervisor that has begun, or begins again after its death, learns from its caller what to supervise."""
        if self.assignment is None:
            (self.assignment,), self.staffing = brief
            if method != "stop":
                await self.table()
        return await getattr(self, method)(*arguments)

    async def table(self) -> RoutingTable:
        """The table; starts the workers if there are none yet."""
        async with self.change:
            if not self.workers:
                self.publish(await self.start_all(range(self.staffing.workers), None, range(self.staffing.workers)))
                if self.staffing.watch > 0:
                    self.watching = asyncio.create_task(self.balance_for_ever())
            return RoutingTable(self.version, dict(self.workers))

    async def report(self, slot: int, incarnation: int) -> None:
        """That worker does not answer: another one takes its place, once, however many report it."""
        async with self.change:
            worker = self.workers.get(slot)
            if worker is not None and worker.incarnation == incarnation:
                ray.kill(worker.actor)
                self.publish({**self.workers, **await self.start_all([slot], None, list(self.workers), BREATH)})

    async def resize(self, count: int) -> None:
        """As many workers as that, from now on."""
        async with self.change:
            slots = list(range(count))
            new = await self.start_all([slot for slot in slots if slot not in self.workers], None, slots)
            await self.change_to({slot: worker for slot, worker in {**self.workers, **new}.items() if slot in slots}, new)

    async def drain(self, node: str) -> None:
        """Moves all workers of the node to others."""
        for slot in self.slots_on(node):
            target = self.target({other: processors for other, processors in live_nodes().items() if other != node})
            if target is None:
                raise PoolError(f"there is no other node to which the workers of the node {node} could move")
            await self.move(slot, target)

    async def move(self, slot: int, node: str) -> None:
        """Another worker on that node for the slot, to which its sessions go."""
        async with self.change:
            new = await self.start_all([slot], node, list(self.workers))
            await self.change_to({**self.workers, **new}, new)

    async def stop(self) -> None:
        """Writes the snapshots of all sessions and ends all workers. Raises what a snapshot raises; then they are still there."""
        async with self.change:
            await self.change_to({}, {})
            self.staffing = replace(self.staffing, spares=0)
            for spare in self.spares:
                ray.kill(spare.actor)

    async def status(self) -> list[dict[str, Any]]:
        found = await asyncio.gather(*(worker.actor.status.remote() for worker in self.workers.values()), return_exceptions=True)
        return [
            answer if isinstance(answer, dict) else {"slot": slot, "node": self.workers[slot].node, "trouble": f"the worker does not answer: {answer}"}
            for slot, answer in zip(self.workers, found)
        ]

    # ---- changes

    async def start_all(self, starting: Sequence[int], node: str | None, slots: Sequence[int], breath: float = 0.0) -> dict[int, Worker]:
        """Workers for the slots that are `starting`, on that node or wherever there is room; spare ones that are taken are replaced `breath` seconds
        later. Raises PoolError; then none was started."""
        made = {}
        for slot, idle in zip(starting, await self.idle_workers(len(starting), node, breath)):
            try:
                await idle.actor.serve.remote(slot, list(slots))
            except RayActorError:  # it has died since it became ready
                idle = await self.start_one(node)
                await idle.actor.serve.remote(slot, list(slots))
            self.incarnations[slot] = self.incarnations.get(slot, 0) + 1
            made[slot] = Worker(slot, self.incarnations[slot], idle.actor, idle.node)
        return made

    async def idle_workers(self, count: int, node: str | None, breath: float) -> list[IdleWorker]:
        """Spare ones first."""
        found: list[IdleWorker] = []
        while node is None and self.spares and len(found) < count:
            spare = self.spares.pop()
            with contextlib.suppress(RayActorError):
                await spare.actor.status.remote()  # it is alive
                found.append(spare)
        found += await self.start_idle(count - len(found), node)
        if self.refilling is None or self.refilling.done():
            self.refilling = asyncio.create_task(self.refill(breath))
        return found

    async def refill(self, breath: float) -> None:
        """Starts spare workers in the place of those that were taken; where there is no room for them the pool goes on without."""
        await asyncio.sleep(breath)
        while len(self.spares) < self.staffing.spares:
            try:
                self.spares += await self.start_idle(1, None)
            except PoolError as error:
                LOG.warning("there is no spare worker: %s", error)
                return

    async def start_idle(self, count: int, node: str | None) -> list[IdleWorker]:
        found = await asyncio.gather(*(self.start_one(node) for _ in range(count)), return_exceptions=True)
        started = [worker for worker in found if isinstance(worker, IdleWorker)]
        for wrong in found:
            if isinstance(wrong, BaseException):
                for worker in started:
                    ray.kill(worker.actor)
                raise wrong
        return started

    async def start_one(self, node: str | None) -> IdleWorker:
        """A worker on that node, or wherever there is room; one that dies meanwhile, as on a node that is going away, is started again. Raises
        PoolError."""
        strategy = "SPREAD" if node is None else NodeAffinitySchedulingStrategy(node, soft=False)
        kind = ray.remote(SessionWorker).options(num_cpus=self.staffing.cpus, max_concurrency=CALLS_AT_ONCE, scheduling_strategy=strategy)
        deadline = time.monotonic() + self.staffing.patience
        while True:
            actor = kind.remote()
            try:
                found = await asyncio.wait_for(as_future(actor.start.remote(self.assignment)), max(0.0, deadline - time.monotonic()))
            except asyncio.TimeoutError:
                ray.kill(actor)
                raise PoolError(self.no_room()) from None
            except RayActorError as error:
                if node is not None or time.monotonic() > deadline:
                    raise PoolError(f"a worker cannot be started: {error}") from None
                await asyncio.sleep(PAUSE)
                continue
            if isinstance(found, str):
                return IdleWorker(actor, found)
            ray.kill(actor)
            raise found

    def no_room(self) -> str:
        free, whole = ray.available_resources().get("CPU", 0), ray.cluster_resources().get("CPU", 0)
        return (
            f"a worker has not started within {self.staffing.patience:g} s. It takes {self.staffing.cpus:g} CPUs of one node; the cluster has {whole:g}, of "
            f"which {free:g} are free"
        )

    async def change_to(self, workers: Mapping[int, Worker], new: Mapping[int, Worker]) -> None:
        """Makes that the table, behind the hand-over of all sessions whose worker changes. Raises what a snapshot raises; then nothing has changed."""
        old = list(self.workers.values())
        for done, worker in enumerate(old):
            slots = [slot for slot in workers if slot != worker.slot or workers[slot] == worker]
            error = await self.hand_over(worker, slots)
            if error is not None:
                for before in old[:done]:
                    await self.hand_over(before, list(self.workers))
                for worker in new.values():
                    ray.kill(worker.actor)
                raise error
        self.publish(workers)
        for worker in old:
            if workers.get(worker.slot) != worker:
                ray.kill(worker.actor)

    async def hand_over(self, worker: Worker, slots: Sequence[int]) -> Exception | None:
        """A worker that is dead has nothing to hand over: its sessions begin from their last snapshots."""
        with contextlib.suppress(RayActorError):
            found: Exception | None = await worker.actor.hand_over.remote(slots)
            return found
        return None

    def publish(self, workers: Mapping[int, Worker]) -> None:
        self.workers = dict(workers)
        self.version += 1

    # ---- nodes

    def target(self, nodes: Mapping[str, float]) -> str | None:
        """Of nodes with their processors the one with the fewest workers for these."""
        return min(nodes, key=lambda node: (self.load(node) + 1) / nodes[node], default=None)

    def load(self, node: str) -> int:
        return len(self.slots_on(node))

    def slots_on(self, node: str) -> list[int]:
        return [slot for slot, worker in self.workers.items() if worker.node == node]

    async def balance_for_ever(self) -> None:
        known = set(live_nodes())
        while True:
            await asyncio.sleep(self.staffing.watch)
            nodes = live_nodes()
            if set(nodes) - known:
                try:
                    await self.balance(nodes)
                except Exception as error:  # it is tried again when another node joins; the pool goes on as it is
                    LOG.warning("workers cannot move to the nodes that have joined: %s", error)
            known = set(nodes)

    async def balance(self, nodes: Mapping[str, float]) -> None:
        """Moves workers as long as that makes the most loaded node lighter."""
        while True:
            full = max((node for node in nodes if self.load(node)), key=lambda node: self.load(node) / nodes[node], default=None)
            empty = self.target(nodes)
            if full is None or empty is None or (self.load(empty) + 1) / nodes[empty] >= self.load(full) / nodes[full]:
                return
            await self.move(self.slots_on(full)[0], empty)


def live_nodes() -> dict[str, float]:
    """Nodes that can run workers, with their processors."""
    return {node["NodeID"]: node["Resources"]["CPU"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")}


async def as_future(reference: Any) -> Any:
    return await reference
