"""How the items of several values follow each other in one stream.

As often as all of them come a whole number of times: first the items of the first value, then those of the second, and so on. Values that come
equally often have a frame of each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from .region import Value


def common(values: Sequence[Value]) -> Fraction:
    """How often all of them come a whole number of times."""
    rates = [value.rate for value in values]
    parts = math.lcm(*(rate.denominator for rate in rates))
    return Fraction(math.gcd(*(int(rate * parts) for rate in rates)) or parts, parts)


def weights(values: Sequence[Value]) -> tuple[int, ...]:
    """The items of each value that follow each other."""
    often = common(values)
    return tuple(value.size * int(value.rate / often) for value in values)


def rounds(part: Sequence[Value], whole: Sequence[Value]) -> int:
    """How many rounds of some values there are in one of more."""
    return int(common(part) / common(whole)) if part else 1
