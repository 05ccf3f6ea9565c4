"""The filters of streamed programs, over floats: the numbers of a frame follow each other. They are written into the program."""

from __future__ import annotations

from .along_time import ALONG_TIME
from .attention import ATTENTION
from .choices import CHOICES, IN_ORDER
from .cumulative import CUMULATIVE
from .elementwise import BINARY, FRAMED, STORED, UNARY
from .filter import StreamFilter
from .layers import LAYERS
from .places import PLACES
from .recurrent import RECURRENT, WITHIN_FRAMES
from .spectra import COMPLEX, PAIRS, TRANSFORMS
from .tables import TABLES
from .timelines import TIMELINES
from .transposed import TRANSPOSED
from .windows import WINDOWS

FILTERS: dict[str, StreamFilter] = {
    **UNARY,
    **FRAMED,
    **BINARY,
    **STORED,
    **ALONG_TIME,
    **CUMULATIVE,
    **LAYERS,
    **RECURRENT,
    **WITHIN_FRAMES,
    **CHOICES,
    **PLACES,
    **TABLES,
    **TRANSPOSED,
    **WINDOWS,
    **COMPLEX,
    **TRANSFORMS,
    **TIMELINES,
    **ATTENTION,
}

# Operators that do nothing where numbers follow each other: what they take is what they give.
WIRES = {"stream_parts", "stream_cat", "stream_view", "complex_of"}
# Operators that take the numbers of their operands in turns.
IN_TURNS = {*BINARY, *IN_ORDER, *PAIRS}
# The names of what is declared together with some filters.
PARTS = {f"{made.name}{part}" for made in RECURRENT.values() for part in ("Loop", "Step")}

__all__ = ["BINARY", "CHOICES", "FILTERS", "FRAMED", "IN_TURNS", "PARTS", "UNARY", "WIRES", "StreamFilter"]
