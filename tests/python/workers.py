"""Many samples in few processes: one that crashes or hangs is a fault of its sample and no more."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from typing import Any

EACH = 150  # samples that a process does before a new one takes its place


def work(pipe: Any, function: Callable[[int], Any]) -> None:
    while True:
        number = pipe.recv()
        pipe.send(function(number))


class Worker:
    def __init__(self, function: Callable[[int], Any]):
        running = multiprocessing.get_context("fork")
        self.pipe, theirs = running.Pipe()
        self.process = running.Process(target=work, args=(theirs, function), daemon=True)
        self.process.start()
        theirs.close()
        self.done = 0

    def stop(self) -> None:
        self.process.kill()
        self.process.join()


def one_by_one(function: Callable[[int], Any], numbers: Sequence[int], patience: float) -> Iterator[tuple[int, Any, str]]:
    """Of each number what the function gives, or None and what went wrong."""
    worker = None
    for number in numbers:
        if worker is None or worker.done >= EACH:
            if worker is not None:
                worker.stop()
            worker = Worker(function)
        worker.pipe.send(number)
        worker.done += 1
        fault = f"no answer in {patience:.0f} s"
        try:
            if wait([worker.pipe], patience):
                yield number, worker.pipe.recv(), ""
                continue
        except (EOFError, ConnectionResetError):
            fault = "the process ends"
        worker.stop()
        worker = None
        yield number, None, fault
    if worker is not None:
        worker.stop()
