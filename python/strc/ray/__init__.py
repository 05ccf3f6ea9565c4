"""Many sessions of one program on the machines of a Ray cluster.

`Pool` makes actors of a program, each of which serves many sessions; `Session` is one of them, used as a stream is. A chunk is processed exactly
once, whatever worker dies (docs/design/ray.md). `map` calls a program for each row of a data set.
"""

from __future__ import annotations

try:
    import ray  # noqa: F401
except ImportError as error:
    raise ImportError(f"strc.ray needs Ray, which cannot be loaded ({error}): pip install 'strc[ray]'") from None

from .data import map
from .errors import ChunkError, LimitError, PoolError, SnapshotError, SnapshotWarning
from .pool import Pool
from .session import Answer, Session

__all__ = ["Answer", "ChunkError", "LimitError", "Pool", "PoolError", "Session", "SnapshotError", "SnapshotWarning", "map"]
