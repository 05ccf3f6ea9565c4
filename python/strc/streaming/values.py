"""What a value of the model is when the model runs for ever: a sequence of frames."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import ImportFailure, Place
from ..ir.model import Shape
from .clock import ONE, Clock


class NotStreamable(ImportFailure):
    """A layer that cannot work frame by frame; the text names it and the model's own line."""

    def __init__(self, what: str, place: Place):
        super().__init__(f"the model cannot be streamed: {what}\n  {place}")


@dataclass(frozen=True)
class Culprit:
    """A layer that looks ahead, and by how many samples of the input more than what comes before it."""

    op: str
    place: Place
    samples: int


@dataclass(frozen=True)
class Stored:
    """A stored value, which is the same at all times: its name, and its shape in the model."""

    name: str
    shape: Shape


@dataclass(frozen=True)
class Timed:
    """Frames: the value in the model without its dimension `axis`, which counts time. A model may put time together with others in one dimension: it has
    `outer` times as many elements then, in which time goes slower, and `inner` times as many, in which it goes faster.

    Streams of all values go with the time, as `clock` says, but for `early` frames that are there before anything comes. Frame i of the model is
    number `i + offset` of the stream; what comes before frame 0 means nothing. With a negative offset the stream begins within the padding:
    `fill` stands for what would be before it.
    """

    var: int
    shape: Shape  # in the model, with the dimension of time
    axis: int
    clock: Clock = ONE
    offset: int = 0
    early: int = 0
    fill: float = 0.0
    culprits: tuple[Culprit, ...] = ()
    outer: int = 1
    inner: int = 1

    @property
    def alone(self) -> bool:
        """Is time a dimension of its own?"""
        return self.outer == self.inner == 1

    @property
    def frame(self) -> Shape:
        """One time step as the model has it: without time, where it is alone."""
        return self.shape[: self.axis] + (() if self.alone else (self.outer * self.inner,)) + self.shape[self.axis + 1 :]

    @property
    def single(self) -> Shape:
        """One time step, with as many dimensions as the value has."""
        return self.shape[: self.axis] + (self.outer * self.inner,) + self.shape[self.axis + 1 :]

    @property
    def size(self) -> int:
        """The numbers of a frame."""
        return math.prod(self.frame)

    @property
    def steps(self) -> int:
        return self.shape[self.axis] // (self.outer * self.inner)

    @property
    def from_right(self) -> int:
        """The place of the dimension of time, counted from the last, which is 1."""
        return len(self.shape) - self.axis

    def look_ahead(self, length: int) -> int:
        """Items behind the end of an input of that length that the last frame waits for."""
        return max(0, self.clock.last_of(self.steps - 1) - (length - 1))


Value = Timed | Stored
