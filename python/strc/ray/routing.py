"""Which slot of a pool a session belongs to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def slot_of(key: str, slots: Iterable[int]) -> int:
    """The slot with the highest hash of slot and key: a further slot takes sessions from the others, and moves none between them."""
    name = key.encode()
    return max(slots, key=lambda slot: (hashlib.blake2b(name, digest_size=8, salt=slot.to_bytes(8, "little")).digest(), slot))
