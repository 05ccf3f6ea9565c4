"""Attention over the past: what every time step has to do with every other one, as long as only a band of it counts.

A model computes a matrix with a row for each time step and a column for each; a mask hides most of it. Here the products are put off until it is
known which of them count. What is left has the same columns beside the diagonal in every row, or comes again after some rows (chunks), so that a stream
needs the last frames alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch

from ..ir.model import Shape
from .builder import Refused
from .values import Stored, Timed

HIDDEN = -1e4  # what masks add, or more of it, where others write minus infinity
EQUAL = 1e-6


@dataclass(frozen=True)
class Scores:
    """`(scale * query key^T + bias)`, its softmax if there is one, times `factor`; tables have a matrix for each head, or one for all.

    `shape` is that in the model, whose last two dimensions are the time of the queries and that of the keys.
    """

    query: Timed
    key: Timed
    shape: Shape
    scale: float = 1.0
    bias: torch.Tensor | None = None
    softmax: bool = False
    factor: torch.Tensor | None = None

    @property
    def steps(self) -> int:
        return self.shape[-1]

    def scaled(self, by: float) -> Scores:
        if self.softmax or self.factor is not None:
            return self.times(torch.full((1, 1, 1), by))
        return replace(self, scale=self.scale * by, bias=None if self.bias is None else self.bias * by)

    def plus(self, table: torch.Tensor) -> Scores:
        if self.softmax or self.factor is not None:
            raise Refused("it adds something to the shares of the time steps, behind the softmax")
        return replace(self, bias=table if self.bias is None else self.bias + table)

    def times(self, table: torch.Tensor) -> Scores:
        if not self.softmax and self.bias is not None:
            raise Refused("it multiplies scores that something has been added to by a table")
        return replace(self, factor=table if self.factor is None else self.factor * table)

    def hiding(self, mask: torch.Tensor, value: float) -> Scores:
        """With a number where a mask is true."""
        if self.softmax or value == 0:
            if value != 0:
                raise Refused(f"it puts {value} in place of shares of the time steps, behind the softmax")
            return self.times((~mask).to(torch.float32))
        if value > HIDDEN:
            raise Refused(f"it puts {value} in place of scores, which hides nothing from a softmax; float('-inf') does")
        nothing = torch.zeros(()) if self.bias is None else self.bias
        return replace(self, bias=torch.where(mask, float("-inf"), nothing))

    def hidden(self) -> torch.Tensor:
        """Which time steps (columns) do not count for which (rows), for any head."""
        found = torch.zeros(1, self.steps, self.steps, dtype=torch.bool)
        if self.bias is not None and self.softmax:
            found = found | (self.bias <= HIDDEN)
        if self.factor is not None:
            found = found | (self.factor == 0)
        return found.all(0)


Operand = Timed | Stored | Scores


@dataclass(frozen=True)
class Band:
    """Each time step looks at those from `before` steps back to `ahead` steps on; which of these count, and how, is the same again after
    `period` steps. Tables are of shape (period, heads, before + 1 + ahead).
    """

    before: int
    ahead: int
    period: int
    bias: torch.Tensor
    factor: torch.Tensor
    reaches: tuple[tuple[int, int], ...] = field(default=())  # of each step of a period, how far it looks back and ahead


def band_of(scores: Scores, context: int | None) -> Band:
    """What of the scores counts. `context`: no more than so many time steps, each one's own among them. Raises `Refused`."""
    steps = scores.steps
    counts = ~scores.hidden()
    if context is not None:
        counts &= lags(steps) < context
    rows, columns = counts.nonzero(as_tuple=True)
    if not len(rows):
        raise Refused("its mask hides everything")
    before, ahead = max(0, int((rows - columns).max())), max(0, int((columns - rows).max()))
    if ahead == steps - 1:
        raise Refused(f"each time step looks at all {steps} of the sequence, also at later ones: no latency suffices. A mask that hides them makes it causal")
    if before == steps - 1 and context is None:
        raise Refused(
            f"each time step looks at all that came before it (at {steps} in the example), which would have to be kept for ever. It can be streamed with a "
            "bounded context: a mask that hides what is more than N time steps back, or --context N, which imports the model as if it had such a "
            "mask. If it has one, give an example that is longer than its reach"
        )
    tables = [steady(lagged(table, counts, before, ahead, fill)) for table, fill in ((scores.bias, float("-inf")), (scores.factor, 0.0))]
    period = max(len(table) for table in tables)
    if any(period % len(table) for table in tables):
        raise Refused("its masks are repeated at different distances")
    bias, factor = (table.repeat(period // len(table), 1, 1) for table in tables)
    seen = (factor != 0) & (bias > float("-inf")) if scores.softmax else factor != 0
    return Band(before, ahead, period, bias, factor, tuple(reach(row, before) for row in seen.any(1)))


def reach(seen: torch.Tensor, before: int) -> tuple[int, int]:
    places = seen.nonzero().flatten().tolist() or [before]
    return before - places[0], places[-1] - before


def lags(steps: int) -> torch.Tensor:
    """How far back a column is for a row."""
    numbers = torch.arange(steps)
    return numbers.unsqueeze(1) - numbers


def lagged(table: torch.Tensor | None, counts: torch.Tensor, before: int, ahead: int, fill: float) -> torch.Tensor:
    """Of each row the columns beside the diagonal: (rows, heads, before + 1 + ahead); NaN where there is none."""
    steps = len(counts)
    usual = 1.0 if fill == 0 else 0.0
    whole = torch.full((1, steps, steps), usual) if table is None else torch.broadcast_to(table.to(torch.float32), (len(table), steps, steps))
    whole = torch.where(counts, whole, fill)
    columns = torch.arange(steps).unsqueeze(1) + torch.arange(-before, ahead + 1)
    inside = (columns >= 0) & (columns < steps)
    found = whole[:, torch.arange(steps).unsqueeze(1), columns.clamp(0, steps - 1)]
    return torch.where(inside, found, float("nan")).permute(1, 0, 2)


def steady(table: torch.Tensor) -> torch.Tensor:
    """The rows that come again and again: (period, heads, lags). Raises `Refused`."""
    for period in range(1, len(table) // 3 + 1):
        rows = [table[phase::period] for phase in range(period)]
        filled = [row.nan_to_num(float("-inf"), float("inf"), float("-inf")) for row in rows]
        most = [row.amax(0) for row in filled]
        known = [~row.isnan() for row in rows]
        if all(map(same_in_all, rows, most)) and all(bool(one.any(0).all()) for one in known):
            return torch.stack(most)
    raise Refused(
        "what its mask hides, or what is added to its scores, is different in each row: it may depend on how far apart two time steps are, and come again "
        "after some of them (chunks), three times at least in the example"
    )


def same_in_all(rows: torch.Tensor, one: torch.Tensor) -> bool:
    equal = (rows == one) | rows.isnan() | ((rows - one).abs() <= EQUAL * one.abs().clamp(min=1))
    return bool(equal.all())
