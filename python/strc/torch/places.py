"""Lines of models: those that are neither PyTorch's nor the importer's."""

from __future__ import annotations

import os
import traceback
from types import TracebackType

import torch

from ..errors import Place

TORCH_FOLDER = os.path.join(os.path.dirname(os.path.abspath(torch.__file__)), "")  # not torchvision
OWN_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


def is_foreign(file: str) -> bool:
    return not os.path.abspath(file).startswith((TORCH_FOLDER, OWN_FOLDER)) and not file.startswith("<")


def is_of_model(file: str) -> bool:
    """True of a file of the user's, or of a library of models."""
    return is_foreign(file) and ("/lib/python" not in file or "/site-packages/" in file)


def own_place(trace: TracebackType | None) -> Place:
    """The deepest line of a traceback that is neither PyTorch's nor the importer's: one of the user's, else one of a library of models."""
    frames = [frame for frame in traceback.extract_tb(trace) if is_of_model(frame.filename)]
    users = [frame for frame in frames if "/site-packages/" not in os.path.abspath(frame.filename)]
    for frame in [*reversed(users), *reversed(frames)]:
        return Place(file=frame.filename, line=frame.lineno or 0, text=(frame.line or "").strip())
    return Place()


def at_line(place: Place) -> str:
    return f"\n  {place.where}\n      {place.text}" if place.file else ""


def stays(name: str, place: Place = Place()) -> str:
    """Why what a model changes would be wrong in a stream."""
    return (
        f"the model changes '{name}', which is no buffer, so that a stream would take it for a constant; "
        f"what goes round from call to call is made with register_buffer{at_line(place)}"
    )
