"""What callers and workers say to each other."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy

Array = numpy.ndarray[Any, Any]


class Request(NamedTuple):
    """A chunk to be processed: an array of items, or a stack of tensors for each input."""

    key: str
    number: int
    chunk: tuple[Array, ...]
    is_apart: bool  # an array for each of several outputs is wanted
    confirmed: int  # the caller has the replies of all chunks below
    covered: int  # a snapshot covers all chunks below, and the caller has forgotten them
    must_save: bool  # the reply has to wait for a snapshot that covers it


class Done(NamedTuple):
    """What comes of the chunk. All chunks below `covered` are in a snapshot."""

    output: Any
    covered: int
    trouble: str  # why no snapshots are written; empty if they are


class Behind(NamedTuple):
    """The session waits for an earlier chunk, since it went back to a snapshot."""

    next: int


class Moved(NamedTuple):
    """The session belongs to another worker by a newer routing table."""


class Refused(NamedTuple):
    """The chunk cannot be processed."""

    error: Exception


class Opened(NamedTuple):
    """How far a session is."""

    next: int
    covered: int


Reply = Done | Behind | Moved | Refused


@dataclass(frozen=True)
class Limits:
    """How much there may be of what."""

    window: int  # chunks of a session without a confirmed reply
    unsaved: int  # chunks of a session that are in no snapshot
    longest: int | None  # items of a chunk
    sessions: int | None  # of a worker


class Worker(NamedTuple):
    """A worker as the routing table has it."""

    slot: int
    incarnation: int  # of the slot: 1 for the first worker, one more for each that replaces it
    actor: Any
    node: str


class RoutingTable(NamedTuple):
    version: int
    workers: dict[int, Worker]  # by slot


def sum_of(chunk: Sequence[Array]) -> int:
    """A sum by which two chunks are told apart."""
    total = 0
    for array in chunk:
        total = zlib.crc32(array.tobytes(), total)
    return total
