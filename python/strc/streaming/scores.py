"""Attention over the past: what every time step has to do with every other one, as long as only a band of it counts.

A model computes a matrix with a row for each time step and a column for each; a mask hides most of it. Here the products are put off until it is
known which of them count. What is left has the same columns beside the diagonal in every row, or comes again after some rows (chunks), so that a stream
needs the last frames alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import torch

from ..ir import Instruction
from ..ir.model import Shape
from .builder import Refused
from .moves import NOTHING, moved
from .terms import HIDDEN, LOWEST, Products
from .values import Stored, Timed

EQUAL = 1e-6
OTHERS = -3  # the row of a pair that has the query of another time step


@dataclass(frozen=True)
class Term:
    """Products of queries with rows, added to scores: for each pair of time steps its own row, or `NOTHING`.

    Of each head `slots` says which row of the query's frame it has; `places` are rows by heads (or one for all), and the two time steps. `is_of_keys`: what
    is called a query here goes with the time step that is looked at.
    """

    query: Timed
    slots: torch.Tensor
    rows: torch.Tensor
    places: torch.Tensor
    is_of_keys: bool = False


def term_of(products: Products, codes: torch.Tensor, heads: int, sign: float) -> Term:
    """Products by the codes of heads (or one for all), queries and keys: whichever of these two they are of, in most pairs."""
    steps = codes.shape[-1]
    count = math.prod(products.rows.shape[:-1])
    step, rest = codes // (products.slots * count), codes % (products.slots * count)
    numbers = torch.arange(steps)
    ways = [(codes >= 0) & (step == numbers.unsqueeze(1)), (codes >= 0) & (step == numbers)]
    is_of_keys = int(ways[1].sum()) > int(ways[0].sum())
    own = ways[is_of_keys]
    slots = torch.where(own, rest // count, -1).flatten(1).amax(1)
    own = own & (rest // count == slots[:, None, None])
    rows, inverse = torch.unique(products.rows.reshape(count, -1), dim=0, return_inverse=True)
    places = torch.where(own, inverse[rest % count], torch.where(codes < 0, NOTHING, OTHERS))
    return Term(products.query, slots.clamp(min=0).expand(heads), rows * (sign * products.scale), places, is_of_keys)


@dataclass(frozen=True)
class Scores:
    """`(scale * query key^T + bias + terms)`, its softmax if there is one, times `factor`; tables have a matrix for each head, or one for all. With a
    function, the softmax is that of `outer_scale * function(...) + outer_bias`.

    `shape` is that in the model. Its last two dimensions are the time of the queries and that of the keys, or else `codes` are the places of the
    elements in such a shape. `is_greatest`: it is the greatest score of each query.
    """

    query: Timed
    key: Timed
    shape: Shape
    scale: float = 1.0
    bias: torch.Tensor | None = None
    softmax: bool = False
    factor: torch.Tensor | None = None
    terms: tuple[Term, ...] = ()
    codes: torch.Tensor | None = None
    is_greatest: bool = False
    function: str | None = None
    outer_scale: float = 1.0
    outer_bias: torch.Tensor | None = None

    @property
    def steps(self) -> int:
        return self.key.steps

    @property
    def heads(self) -> int:
        return math.prod(self.shape) // self.steps**2

    def numbered(self) -> torch.Tensor:
        """Of each element in the model its place among heads, queries and keys."""
        return torch.arange(math.prod(self.shape)).reshape(self.shape) if self.codes is None else self.codes

    def moved(self, instruction: Instruction, shape: Shape) -> Scores:
        """Its elements in other places, all of them."""
        codes = moved(self.numbered(), instruction, shape)
        in_order = shape[-2:] == (self.steps,) * 2 and torch.equal(codes.flatten(), torch.arange(codes.numel()))
        return replace(self, shape=shape, codes=None if in_order else codes)

    def by_heads(self, table: torch.Tensor) -> torch.Tensor:
        """A table that goes with the elements in the model as one for each head, or for all of them."""
        table = table.reshape((1,) * (len(self.shape) - table.dim()) + tuple(table.shape))
        if self.codes is not None:
            found = torch.empty(math.prod(self.shape), dtype=table.dtype)
            found[self.codes.flatten()] = table.expand(self.shape).flatten()
            found = found.reshape(-1, self.steps, self.steps)
            return found[:1] if torch.equal(found, found[:1].expand_as(found)) else found
        if any(extent != 1 for extent in table.shape[:-2]):
            table = table.expand(*self.shape[:-2], *table.shape[-2:])
        table = table.reshape(-1, *table.shape[-2:])
        return table.expand(len(table), self.steps, self.steps)

    def scaled(self, by: float) -> Scores:
        if self.softmax or self.factor is not None:
            return self.times(torch.full((1, 1, 1), by))
        if self.function:
            return replace(self, outer_scale=self.outer_scale * by, outer_bias=None if self.outer_bias is None else self.outer_bias * by)
        terms = tuple(replace(term, rows=term.rows * by) for term in self.terms)
        return replace(self, scale=self.scale * by, bias=None if self.bias is None else self.bias * by, terms=terms)

    def plus(self, table: torch.Tensor) -> Scores:
        self.check_before_softmax()
        if self.function:
            return replace(self, outer_bias=table if self.outer_bias is None else self.outer_bias + table)
        return replace(self, bias=table if self.bias is None else self.bias + table)

    def through(self, function: str) -> Scores:
        """A function of each score."""
        if self.softmax or self.factor is not None or self.function:
            raise Refused(f"'{function}' of shares of the time steps, or of a function of scores, has no form that works frame by frame")
        return replace(self, function=function)

    @property
    def last_bias(self) -> torch.Tensor | None:
        """What is added at last."""
        return self.outer_bias if self.function else self.bias

    def check_before_softmax(self) -> None:
        if self.softmax or self.factor is not None:
            raise Refused("it adds something to the shares of the time steps, behind the softmax")

    def plus_products(self, products: Products, sign: float) -> Scores:
        """With products of queries and rows, as far as they are for each pair of time steps the query's own, and the same row as far apart."""
        self.check_before_softmax()
        if self.function:
            raise Refused("it adds products of queries and rows to a function of its scores; they can be added to the scores before it")
        codes = products.codes()
        if codes is None or torch.broadcast_shapes(codes.shape, self.shape) != self.shape:
            raise Refused(
                "what is added to its scores are products of queries and rows, put together in a way that is not known: they may be moved (a table of places, "
                "padding and reshaping), scaled, and hidden"
            )
        codes = self.by_heads(codes)
        term = term_of(products, codes, self.heads, sign)
        if term.is_of_keys:
            raise Refused("what is added to its scores are products of keys and rows")
        hidden = codes == HIDDEN
        made = self.plus(torch.where(hidden, float("-inf"), 0.0)) if bool(hidden.any()) else self
        return replace(made, terms=(*made.terms, term))

    def times(self, table: torch.Tensor) -> Scores:
        return replace(self, factor=table if self.factor is None else self.factor * table)

    def hiding(self, mask: torch.Tensor, value: float) -> Scores:
        """With a number where a mask is true."""
        if self.softmax or value == 0:
            if value != 0:
                raise Refused(f"it puts {value} in place of shares of the time steps, behind the softmax")
            return self.times((~mask).to(torch.float32))
        if value > LOWEST:
            raise Refused(f"it puts {value} in place of scores, which hides nothing from a softmax; float('-inf') does")
        nothing = torch.zeros(()) if self.last_bias is None else self.last_bias
        bias = torch.where(mask, float("-inf"), nothing)
        return replace(self, outer_bias=bias) if self.function else replace(self, bias=bias)

    def hidden(self) -> torch.Tensor:
        """Which time steps (columns) do not count for which (rows), for any head."""
        found = torch.zeros(1, self.steps, self.steps, dtype=torch.bool)
        if self.last_bias is not None and self.softmax:
            found = found | (self.last_bias <= LOWEST)
        if self.factor is not None:
            found = found | (self.factor == 0)
        return found.all(0)


Operand = Timed | Stored | Scores | Products


@dataclass(frozen=True)
class Band:
    """Each time step looks at those from `before` steps back to `ahead` steps on; which of these count, and how, is the same again after
    `period` steps. Tables are of shape (period, heads, before + 1 + ahead), and rows of the terms have a further dimension.
    """

    before: int
    ahead: int
    period: int
    bias: torch.Tensor
    factor: torch.Tensor
    outer_bias: torch.Tensor
    rows: tuple[torch.Tensor, ...]
    reaches: tuple[tuple[int, int], ...] = field(default=())  # of each step of a period, how far it looks back and ahead


def band_of(scores: Scores, context: int | None) -> Band:
    """What of the scores counts. `context`: no more than so many time steps, each one's own among them. Raises `Refused`."""
    steps, counts = scores.steps, counted(scores, context)
    before, ahead = reach_of(counts, context)
    hidden = float("-inf")
    inner = torch.zeros(1, steps, steps) if scores.function and scores.bias is None else scores.bias
    given = ((inner, 0.0 if scores.function else hidden), (scores.factor, 0.0), (scores.outer_bias, hidden))
    tables = [steady(lagged(table, counts, before, ahead, fill)) for table, fill in given]
    rows = [rows_of(term, counts, before, ahead) for term in scores.terms]
    period = max(len(table) for table in (*tables, *rows))
    if any(period % len(table) for table in (*tables, *rows)):
        raise Refused("its masks are repeated at different distances")
    bias, factor, outer_bias = (again(table, period) for table in tables)
    seen = (factor != 0) & ((outer_bias if scores.function else bias) > hidden) if scores.softmax else factor != 0
    return Band(before, ahead, period, bias, factor, outer_bias, tuple(again(table, period) for table in rows), tuple(reach(row, before) for row in seen.any(1)))


def reach_of(counts: torch.Tensor, context: int | None) -> tuple[int, int]:
    """How many time steps back and ahead something counts. Raises `Refused` if that has no bound."""
    rows, columns = counts.nonzero(as_tuple=True)
    if not len(rows):
        raise Refused("its mask hides everything")
    steps = len(counts)
    before, ahead = max(0, int((rows - columns).max())), max(0, int((columns - rows).max()))
    if ahead == steps - 1:
        raise Refused(f"each time step looks at all {steps} of the sequence, also at later ones: no latency suffices. A mask that hides them makes it causal")
    if before == steps - 1 and context is None:
        raise Refused(
            f"each time step looks at all that came before it (at {steps} in the example), which would have to be kept for ever. It can be streamed with a "
            "bounded context: a mask that hides what is more than N time steps back, or --context N, which imports the model as if it had such a "
            "mask. If it has one, give an example that is longer than its reach"
        )
    return before, ahead


def again(table: torch.Tensor, period: int) -> torch.Tensor:
    return table.repeat(period // len(table), *(1,) * (table.dim() - 1))


def rows_of(term: Term, counts: torch.Tensor, before: int, ahead: int) -> torch.Tensor:
    """The rows that are beside each query: (period, heads, before + 1 + ahead, numbers of a row)."""
    if bool(((term.places == OTHERS) & counts).any()):
        raise Refused("what is added to its scores are products of rows with queries of other time steps, where its mask hides nothing")
    places = steady(lagged(term.places, counts, before, ahead, NOTHING)).long()
    return torch.where((places == NOTHING).unsqueeze(-1), 0.0, term.rows[places.clamp(min=0)])


def counted(scores: Scores, context: int | None) -> torch.Tensor:
    """Which time steps (columns) count for which (rows)."""
    counts = ~scores.hidden()
    return counts if context is None else counts & (lags(scores.steps) < context)


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
