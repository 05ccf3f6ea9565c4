"""The filters of streamed programs, over floats: the numbers of a frame follow each other. They are written into the program."""

from __future__ import annotations

from .along_time import ALONG_TIME
from .attention import ATTENTION
from .elementwise import BINARY, CHOICE, STORED, UNARY
from .filter import StreamFilter
from .layers import LAYERS
from .recurrent import RECURRENT
from .spectra import COMPLEX, TRANSFORMS
from .timelines import TIMELINES

FILTERS: dict[str, StreamFilter] = {
    **UNARY,
    **BINARY,
    **STORED,
    **CHOICE,
    **ALONG_TIME,
    **LAYERS,
    **RECURRENT,
    **COMPLEX,
    **TRANSFORMS,
    **TIMELINES,
    **ATTENTION,
}

# Operators that do nothing where numbers follow each other: what they take is what they give.
WIRES = {"stream_parts", "stream_cat", "complex_of"}
# Operators that take the numbers of their operands in turns.
IN_TURNS = {*BINARY, *CHOICE, "complex_of", "complex_polar", "complex_mul", "complex_div"}
# The names of what is declared together with some filters.
PARTS = {f"{made.name}{part}" for made in RECURRENT.values() for part in ("Loop", "Gates", "Cell")}

__all__ = ["BINARY", "FILTERS", "IN_TURNS", "PARTS", "UNARY", "WIRES", "StreamFilter"]
