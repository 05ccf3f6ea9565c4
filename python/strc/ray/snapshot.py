"""A session at one moment, as bytes.

    strcray  layout (4 bytes)  size of the head (4 bytes)  head (JSON)  state of the stream  arrays of the replies (.npy)  SHA-256 of all that
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy

from .errors import SnapshotError

MAGIC = b"strcray\n"
LAYOUT = 1
FRONT = struct.Struct("<8sII")
SUM = 32  # bytes


@dataclass
class KeptReply:
    """A reply that its caller may not have: the sum of the chunk, and what came of it."""

    sum: int
    output: Any


@dataclass
class Snapshot:
    """The state behind all chunks below `next`, and the replies from `confirmed` on."""

    key: str
    next: int
    confirmed: int
    state: bytes
    replies: dict[int, KeptReply] = field(default_factory=dict)

    def encode(self) -> bytes:
        arrays = io.BytesIO()
        rows = []
        for number, reply in self.replies.items():
            form = "none" if reply.output is None else type(reply.output).__name__ if isinstance(reply.output, (list, tuple)) else "array"
            several = [] if form == "none" else [reply.output] if form == "array" else reply.output
            for array in several:
                numpy.lib.format.write_array(arrays, numpy.asarray(array), allow_pickle=False)
            rows.append([number, reply.sum, form, len(several)])
        head = json.dumps({"key": self.key, "next": self.next, "confirmed": self.confirmed, "state": len(self.state), "replies": rows}).encode()
        whole = FRONT.pack(MAGIC, LAYOUT, len(head)) + head + self.state + arrays.getvalue()
        return whole + hashlib.sha256(whole).digest()


def decode(data: bytes, key: str, where: str) -> Snapshot:
    """The snapshot of that session; `where` names it in errors. Raises SnapshotError."""
    if len(data) < FRONT.size + SUM or data[:8] != MAGIC:
        raise SnapshotError("snapshot-damaged", f"{where} is no snapshot of a session, or its end is missing")
    _, layout, size = FRONT.unpack_from(data)
    if layout > LAYOUT:
        raise SnapshotError("snapshot-newer", f"{where} was written by a newer version of strc: its layout is {layout}, and {LAYOUT} is known here")
    if hashlib.sha256(data[:-SUM]).digest() != data[-SUM:]:
        raise SnapshotError("snapshot-damaged", f"{where} is torn or damaged: its bytes do not have the sum that was written with them")
    head = json.loads(data[FRONT.size : FRONT.size + size])
    if head["key"] != key:
        raise SnapshotError("snapshot-other-session", f"{where} is a snapshot of the session '{head['key']}', and not of '{key}'")
    at = FRONT.size + size
    state = data[at : at + head["state"]]
    arrays = io.BytesIO(data[at + head["state"] : -SUM])
    replies = {number: KeptReply(total, output_of(arrays, form, count)) for number, total, form, count in head["replies"]}
    return Snapshot(key, head["next"], head["confirmed"], state, replies)


def output_of(arrays: io.BytesIO, form: str, count: int) -> Any:
    """What came of a chunk, as the stream gave it."""
    found = [numpy.lib.format.read_array(arrays, allow_pickle=False) for _ in range(count)]
    return None if form == "none" else found[0] if form == "array" else tuple(found) if form == "tuple" else found
