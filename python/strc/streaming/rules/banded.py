"""Values for pairs of time steps, in a band: of each time step those from some steps back to some ahead, as a dimension of its frame."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from ...ir import Instruction, Named, Param
from ...ir.model import Shape
from ..builder import Builder, Refused
from ..layout import COLUMN, ROW, NoBand
from ..pairs import MIXED, Pairs, by_time
from ..resampling import time_alone
from ..scores import Term, lagged, reach_of, rows_of, steady, term_of
from ..terms import HIDDEN, Products
from ..timing import padded, whole
from ..values import Stored, Timed
from .attended import rows_taken
from .table import by_rule
from .tables import cut

NOTHING_TO = {"softmax": -math.inf, "logsoftmax": -math.inf, "amax": -math.inf, "amin": math.inf}  # what a time step that is not there is to a sum


def summed(build: Builder, pairs: Pairs) -> Timed:
    """What sums over one of the two time steps are, of as many as count. Raises `Refused`, and `NoBand`."""
    key = min(pairs.sums_over)
    sums = [one for one in pairs.below() if one.sums_over]
    if any(one.sums_over != {key} for one in sums):
        raise NoBand
    counts = torch.stack([one.counts(key) for one in sums]).any(0)
    before, ahead = reach_of(counts, pairs.context)
    if before == len(counts) - 1:
        raise Refused(
            "--context bounds what a softmax goes over, and no sums that the model writes by hand: write a softmax in their place, or a mask that hides what is "
            "more than N time steps back"
        )
    made, windows = build.in_bands.setdefault((key, before, ahead), ({}, {}))
    return Banded(build, key, before, ahead, counts, made, windows).value(pairs)


@dataclass
class Banded:
    """Makes values in a band: of dimension `key` there are those from `before` time steps back to `ahead` on. `counts` tells which pairs make a difference."""

    build: Builder
    key: str
    before: int
    ahead: int
    counts: torch.Tensor
    made: dict[Pairs, Timed]
    windows: dict[tuple[int, int, int], Timed]

    @property
    def query(self) -> str:
        return ROW if self.key == COLUMN else COLUMN

    @property
    def reach(self) -> int:
        return self.before + 1 + self.ahead

    def value(self, pairs: Pairs) -> Timed:
        if pairs not in self.made:
            around, self.build.origin = self.build.origin, pairs.instruction.origin
            self.made[pairs] = self.operator(pairs)
            self.build.origin = around
        return self.made[pairs]

    def operator(self, pairs: Pairs) -> Timed:
        op = pairs.instruction.op
        if not pairs.inner:
            return self.product(pairs)
        shape = pairs.layout.shape(self.key, self.reach)
        if op == "matmul":
            return self.values(pairs) if any(isinstance(one, Timed) for one in pairs.operands) else self.with_matrix(pairs, shape)
        if self.key in pairs.sums_over:
            (summed_up,) = pairs.inner
            return self.rule(pairs.instruction, shape, self.without_others(summed_up, self.value(summed_up), NOTHING_TO.get(op, 0.0)))
        return self.rule(pairs.instruction, shape, *(self.operand(pairs, one) for one in pairs.operands))

    def rule(self, instruction: Instruction, shape: Shape, *args: Timed | Stored) -> Timed:
        """What an operator makes, of this shape."""
        around, self.build.shape = self.build.shape, shape
        made = by_rule(self.build, instruction, list(args))
        self.build.shape = around
        if not isinstance(made, Timed):
            raise NoBand
        return made

    def other(self, op: str, params: tuple[Param, ...], shape: Shape, *args: Timed | Stored) -> Timed:
        """An operator that the model has not."""
        return self.rule(Instruction(-1, op, params, (), self.build.origin), shape, *args)

    # ---- products of two values that come with time

    def product(self, pairs: Pairs) -> Timed:
        """Of each query with the keys of the band."""
        query, key = pairs.operands
        if not isinstance(query, Timed) or not isinstance(key, Timed) or (query.clock.rate, query.steps) != (key.clock.rate, key.steps):
            raise NoBand
        query, key = self.alone(query), self.turned(self.alone(key))
        if self.key == ROW:
            query, key = key, query
        window = self.window(key, len(key.shape) - 2)
        columns = self.other("unsqueeze", (len(query.shape),), (*query.shape, 1), query)
        *outer, steps, reach, _ = window.shape
        outer = list(torch.broadcast_shapes(tuple(outer), query.shape[:-2]))
        made = self.other("matmul", (), (*outer, steps, reach, 1), window, columns)
        made = self.other("squeeze", (len(outer) + 2,), (*outer, steps, reach), made)
        return self.turned(made) if self.key == ROW else made

    def alone(self, x: Timed) -> Timed:
        return whole(self.build, time_alone(self.build, x))

    def turned(self, x: Timed) -> Timed:
        """The last two dimensions in each other's place."""
        rank = len(x.shape)
        return self.other("transpose", (rank - 2, rank - 1), (*x.shape[:-2], x.shape[-1], x.shape[-2]), x)

    def window(self, x: Timed, axis: int) -> Timed:
        """Beside each time step those of the band, as a dimension behind that of time."""
        steps, outer, inner = x.shape[axis], math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
        known = (x.var, outer, inner)
        if known not in self.windows:
            self.windows[known] = self.new_window(replace(x, shape=(outer, steps, inner), axis=1), steps)
        return replace(self.windows[known], shape=(*x.shape[:axis], steps, self.reach, *x.shape[axis + 1 :]), axis=axis)

    def new_window(self, x: Timed, steps: int) -> Timed:
        """Behind a delay that nothing else has, since that has to stand before its window."""
        around, self.build.delays = (self.build.shape, self.build.delays), {}
        x = padded(self.build, x, self.before, self.ahead)
        self.build.shape = (x.shape[0], steps, self.reach, x.shape[2])
        made = cut(self.build, x, torch.arange(self.reach), 0, 1)
        self.build.shape, self.build.delays = around
        return made

    def values(self, pairs: Pairs) -> Timed:
        """The product with values: those of the band, each times what its pair has."""
        is_first = isinstance(pairs.operands[0], Pairs)
        shares, value = pairs.operands if is_first else reversed(pairs.operands)
        if not isinstance(shares, Pairs) or not isinstance(value, Timed):
            raise NoBand
        value, shape = self.alone(value), pairs.shape
        made = self.without_others(shares, self.value(shares), 0.0)
        if not is_first:
            made, value, shape = self.turned(made), self.turned(value), (*shape[:-2], shape[-1], shape[-2])
        if value.axis != len(value.shape) - 2 or made.axis != len(made.shape) - 2:
            raise NoBand
        row = self.other("unsqueeze", (len(made.shape) - 1,), (*made.shape[:-1], 1, made.shape[-1]), made)
        found = self.other("matmul", (), (*shape[:-1], 1, shape[-1]), row, self.window(value, value.axis))
        found = self.other("squeeze", (len(shape) - 1,), shape, found)
        return found if is_first else self.turned(found)

    def with_matrix(self, pairs: Pairs, shape: Shape) -> Timed:
        """The product with a stored matrix of what is none of time, as heads."""
        one, other = pairs.operands
        if isinstance(one, Pairs) and isinstance(other, Stored):
            return self.rule(pairs.instruction, shape, self.value(one), other)
        if not isinstance(one, Stored) or not isinstance(other, Pairs):
            raise NoBand
        name = self.build.store(f"{one.name}.turned", self.build.tensor(one).transpose(-1, -2))
        matrix = Stored(name, tuple(self.build.tensors[name].shape))
        return self.turned(self.rule(pairs.instruction, (*shape[:-2], shape[-1], shape[-2]), self.turned(self.value(other)), matrix))

    # ---- what stands beside pairs

    def operand(self, pairs: Pairs, one: Pairs | Products | Timed | Stored) -> Timed | Stored:
        if isinstance(one, Pairs):
            return self.value(one)
        if isinstance(one, Stored):
            return one if pairs.instruction.op in MIXED else self.table(pairs, one)
        return self.terms(pairs, one) if isinstance(one, Products) else self.beside(pairs, one)

    def places(self, pairs: Pairs) -> tuple[int, int]:
        """The dimensions of the query and of the key."""
        return pairs.layout.place(self.query), pairs.layout.place(self.key)

    def table(self, pairs: Pairs, stored: Stored) -> Stored:
        """Of a table what stands beside the diagonal."""
        values = self.build.tensor(stored)
        values = values.reshape((1,) * (len(pairs.shape) - values.dim()) + tuple(values.shape)).to(torch.float32)
        if all(extent == 1 or not any(part.kind == self.key for part in parts) for extent, parts in zip(values.shape, pairs.layout.dims)):
            return stored
        query, key = self.places(pairs)
        steps = pairs.shape[query]
        values = values.expand([steps if dim == query else extent for dim, extent in enumerate(values.shape)])
        lags = steady(lagged(by_time(values, pairs.layout, self.key), torch.ones_like(self.counts), self.before, self.ahead, 0.0))
        others = [extent for dim, extent in enumerate(values.shape) if dim not in (query, key)]
        rows = lags[torch.arange(steps) % len(lags)] if len(lags) > 1 else lags
        rows = rows.transpose(0, 1).reshape(*others, len(rows), self.reach).movedim((-2, -1), (query, key))
        return Stored(self.build.store(f"{stored.name}.band", rows.contiguous()), tuple(rows.shape))

    def beside(self, pairs: Pairs, x: Timed) -> Timed:
        """What each query has, or each key."""
        query, key = self.places(pairs)
        x = self.alone(x)
        if len(x.shape) < len(pairs.shape):
            shape = (1,) * (len(pairs.shape) - len(x.shape)) + x.shape
            x = self.other("reshape", (shape,), shape, x)
        if x.axis == query and x.shape[key] == 1:
            return x
        if x.axis != key or x.shape[query] != 1:
            raise NoBand
        swapped = list(range(len(x.shape)))
        swapped[query], swapped[key] = key, query
        turned = self.other("permute", (tuple(swapped),), tuple(x.shape[dim] for dim in swapped), x)
        window = self.window(turned, query)
        lag, empty = query + 1, key + (key > query)
        order = [dim for dim in range(len(window.shape)) if dim not in (lag, empty)]
        order.insert(key, lag)
        order.append(empty)
        shape = tuple(window.shape[dim] for dim in order)
        return self.other("reshape", (shape[:-1],), shape[:-1], self.other("permute", (tuple(order),), shape, window))

    def terms(self, pairs: Pairs, products: Products) -> Timed:
        """Products of queries, or of keys, with the rows of their distances."""
        codes = products.codes()
        if codes is None:
            raise NoBand
        codes = by_time(codes.broadcast_to(pairs.shape), pairs.layout, self.key)
        term = term_of(products, codes, len(codes), 1.0)
        made = self.of_rows(term, len(codes))
        hidden = torch.where(codes == HIDDEN, -math.inf, 0.0)
        query, key = self.places(pairs)
        others = [extent for dim, extent in enumerate(pairs.shape) if dim not in (query, key)]
        shape = (*others, codes.shape[-1], self.reach)
        made = self.other("reshape", (shape,), shape, made)
        order = list(range(len(others)))
        for at, dim in sorted(((query, len(others)), (key, len(others) + 1))):
            order.insert(at, dim)
        made = self.other("permute", (tuple(order),), tuple(shape[dim] for dim in order), made)
        if not bool(hidden.any()):
            return made
        whole_table = hidden.reshape(*others, *hidden.shape[1:]).movedim((-2, -1), (query, key)).contiguous()
        name = self.build.store(self.build.local_name("attention.hidden"), whole_table)
        return self.other("add", (), made.shape, made, self.table(pairs, Stored(name, tuple(whole_table.shape))))

    def of_rows(self, term: Term, heads: int) -> Timed:
        """In each head what a term is for the time steps of the band."""
        rows, steps = rows_of(term, self.counts, self.before, self.ahead).transpose(0, 1), len(self.counts)
        if rows.shape[1] > 1:
            rows = rows[:, torch.arange(steps) % rows.shape[1]]
        name = self.build.store(self.build.local_name("attention.rows"), rows.contiguous())
        table, size = Stored(name, tuple(rows.shape)), rows.shape[-1]
        count = term.query.size // size
        taken = rows_taken(self.build, term.query.var, count, term.slots)
        frames = replace(term.query, var=taken, shape=(heads, steps, size), axis=1, outer=1, inner=1)
        if term.is_of_keys:
            products = self.other("mul", (), (heads, steps, self.reach, size), self.window(frames, 1), table)
            return self.other("sum", ((3,),), (heads, steps, self.reach), products)
        columns = replace(frames, shape=(heads, steps, size, 1))
        made = self.other("matmul", (), (heads, steps, self.reach, 1), table, columns)
        return replace(made, shape=(heads, steps, self.reach))

    # ---- the start

    def without_others(self, pairs: Pairs, x: Timed, fill: float) -> Timed:
        """With a number where a time step is before the first one."""
        if not self.before:
            return x
        query, key = self.places(pairs)
        size, rank = self.build.sizes[x.var][0], len(x.shape)
        numbers = torch.arange(self.before + 1).unsqueeze(1) + torch.arange(self.reach)
        name = self.build.store(self.build.local_name("attention.missing"), (numbers < self.before).to(torch.float32))
        var = self.build.emit("stream_settled", (size, self.reach, x.offset, self.before + 1, Named("weights", name)), [x.var], self.reach)
        shape = tuple(x.shape[dim] if dim in (query, key) else 1 for dim in range(rank))
        missing = replace(x, var=var, shape=shape)
        return self.other("masked_fill", (fill,), x.shape, x, missing)
