"""When the frames of a value come, and what of the input they depend on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

# What depends on all that came before.
ALWAYS = -(10**15)


@dataclass(frozen=True)
class Clock:
    """For every `taken` items of the input there are as many frames as `last` has numbers.

    Frame i of the model needs nothing behind item `last[i]` of the input, and nothing before item `first[i]`; from there on it is so again, `taken`
    items later. Where there are several inputs, an item is one of the input that has most of them.
    """

    taken: int
    last: tuple[int, ...]
    first: tuple[int, ...]

    @property
    def frames(self) -> int:
        """How many there are in a period."""
        return len(self.last)

    @property
    def rate(self) -> Fraction:
        """Frames for each item of the input."""
        return Fraction(self.frames, self.taken)

    def last_of(self, frame: int) -> int:
        period, place = divmod(frame, self.frames)
        return self.last[place] + period * self.taken

    def first_of(self, frame: int) -> int:
        period, place = divmod(frame, self.frames)
        return max(ALWAYS, self.first[place] + period * self.taken)

    def again(self, frames: int, taken: int, places: Callable[[int], tuple[int, int]]) -> Clock:
        """Frame i needs the frames of this clock from `places(i)[0]` to `places(i)[1]`."""
        ranges = [places(i) for i in range(frames)]
        return Clock(taken, tuple(self.last_of(end) for _, end in ranges), tuple(self.first_of(begin) for begin, _ in ranges))

    def moved(self, by: int) -> Clock:
        """Its frame 0 is frame `by` of this one."""
        return self.again(self.frames, self.taken, lambda i: (i + by, i + by))

    def windowed(self, reach: int, stride: int) -> Clock:
        """Each frame needs `reach` of this clock; they begin `stride` apart."""
        periods = stride // math.gcd(self.frames, stride)
        frames = self.frames * periods // stride
        return self.again(frames, self.taken * periods, lambda i: (stride * i, stride * i + reach - 1))

    def upsampled(self, factor: int) -> Clock:
        """So many frames for each of this clock."""
        return self.again(self.frames * factor, self.taken, lambda i: (i // factor, i // factor))

    def without_end(self) -> Clock:
        """Each frame needs all that came."""
        return Clock(self.taken, self.last, (ALWAYS,) * self.frames)


def together(clocks: Iterable[Clock]) -> Clock:
    """Frame i needs what frame i of each of these needs. They have the same rate."""
    some = list(dict.fromkeys(clocks))
    frames = math.lcm(*(clock.frames for clock in some))
    taken = some[0].taken * frames // some[0].frames
    last = tuple(max(clock.last_of(i) for clock in some) for i in range(frames))
    first = tuple(min(clock.first_of(i) for clock in some) for i in range(frames))
    return Clock(taken, last, first)


ONE = Clock(1, (0,), (0,))
