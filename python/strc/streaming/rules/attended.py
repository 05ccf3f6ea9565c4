"""The products of shares, or of scores, and values: a filter with a window of keys and values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch

from ...ir import Named, Param
from ..builder import Builder, Refused
from ..clock import Clock
from ..scores import Band, Scores, Term, band_of, lags, rows_of
from ..timing import in_time, merged
from ..values import Stored, Timed


def attended(build: Builder, scores: Scores, value: Timed) -> Timed:
    """The products with values that come with time."""
    numbered = scores.numbered().reshape(scores.heads, -1)
    if value.shape[:-2] != scores.shape[:-2] or value.steps != scores.steps:
        raise Refused("queries and values have other numbers of heads, or of time steps")
    if not torch.equal(numbered - numbered[:, :1], torch.arange(scores.steps**2).expand_as(numbered)):
        raise Refused("its scores are multiplied by values in another order")
    scores = in_order(build, scores, numbered[:, 0] // scores.steps**2)
    made = filtered(build, scores, band_of(scores, build.context), value)
    return replace(made, shape=build.shape, axis=len(build.shape) - 2)


def attended_rows(build: Builder, scores: Scores, stored: Stored) -> Timed:
    """The products with stored rows, one for each pair of time steps, which depends on how far these are apart."""
    table, steps, numbered = build.tensor(stored), scores.steps, scores.numbered()
    if table.dim() < 2 or table.shape[-2] != steps or not torch.equal(numbered - numbered[..., :1], torch.arange(steps).expand_as(numbered)):
        raise Refused("its scores are multiplied by something stored that has no row for each time step that is looked at")
    queries = numbered[..., 0]  # of each row of the result
    axis = next((dim for dim in range(queries.dim()) if goes_along(queries // steps % steps, dim, steps)), None)
    if axis is None:
        raise Refused("the products of its scores and stored rows have time together with other dimensions")
    rows, inverse = torch.unique(table.reshape(-1, table.shape[-1]), dim=0, return_inverse=True)
    places = inverse.reshape(table.shape[:-1]).unsqueeze(-2)
    places = scores.by_heads(places.expand(torch.broadcast_shapes(places.shape, scores.shape)))
    order = (queries // steps**2).select(axis, 0).flatten()
    scores = in_order(build, scores, order)
    term = Term(scores.query, order, rows, of_heads(places, order))
    band = band_of(scores, build.context)
    in_band = (lags(steps) <= band.before) & (lags(steps) >= -band.ahead)
    beside = rows_of(term, in_band, band.before, band.ahead)
    if len(beside) > 1:
        raise Refused("its scores are multiplied by stored rows that do not depend on how far two time steps are apart alone")
    made = filtered(build, scores, band, None)
    name = build.store(build.local_name("attention.rows"), beside[0].expand(scores.heads, -1, -1).contiguous())
    reach = beside.shape[2]
    var = build.framed([(made.var, (scores.heads, 1, reach)), Stored(name, (scores.heads, reach, beside.shape[3]))], "matmul", (), (scores.heads, 1, beside.shape[3]))
    return replace(made, var=var, shape=build.shape, axis=axis)


def goes_along(steps: torch.Tensor, dim: int, count: int) -> bool:
    """Is a dimension that of time?"""
    places = torch.arange(count).reshape([-1 if i == dim else 1 for i in range(steps.dim())])
    return bool(steps.shape[dim] == count and torch.equal(steps, places.expand_as(steps)))


def of_heads(table: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    return table if len(table) == 1 else table[order]


def in_order(build: Builder, scores: Scores, order: torch.Tensor) -> Scores:
    """Scores of heads, queries and keys, where head i is the one that had number `order[i]`."""
    shape = (scores.heads, scores.steps, scores.steps)
    if torch.equal(order, torch.arange(scores.heads)):
        return replace(scores, shape=shape, codes=None)
    bias, factor, outer_bias = (None if table is None else of_heads(table, order) for table in (scores.bias, scores.factor, scores.outer_bias))
    terms = tuple(replace(term, slots=term.slots[order], places=of_heads(term.places, order)) for term in scores.terms)
    query, key = (replace(arg, var=rows_taken(build, arg.var, scores.heads, order)) for arg in (scores.query, scores.key))
    return replace(scores, query=query, key=key, shape=shape, codes=None, bias=bias, factor=factor, terms=terms, outer_bias=outer_bias)


def rows_taken(build: Builder, var: int, count: int, rows: torch.Tensor) -> int:
    """Some rows of a frame of so many."""
    if torch.equal(rows, torch.arange(count)):
        return var
    size = build.sizes[var][0] // count
    name = build.store(build.local_name("attention.order"), rows)
    return build.framed([(var, (count, size)), Stored(name, tuple(rows.shape))], "take", (0,), (len(rows), size))


def filtered(build: Builder, scores: Scores, band: Band, value: Timed | None) -> Timed:
    """The products of shares and values, a row for each head; without values the shares themselves."""
    operands = [scores.query, scores.key, *([value] if value else []), *([queries_of(build, scores)] if scores.terms else [])]
    whole = frames_beside(build, operands, scores)
    heads, sizes = scores.heads, [build.sizes[arg.var][0] // scores.heads for arg in operands]
    late = whole.offset + band.ahead
    given: tuple[Param, ...] = (heads, sizes[0], band.before, band.ahead, band.period, late, band.bias.shape[1], band.factor.shape[1], float(scores.scale), scores.softmax)
    named = [stored_as(build, "bias", band.bias), stored_as(build, "factor", band.factor)]
    op = "stream_attention" if value else "stream_shares"
    given += (sizes[2],) if value else ()
    if scores.terms:
        rows = together_rows(band.rows)
        op += "_rows"
        given += (sizes[-1], rows.shape[1])
        named.append(stored_as(build, "row", rows))
    if scores.function:
        op += f"_{scores.function}"
        given += (scores.outer_scale, band.outer_bias.shape[1])
        named.append(stored_as(build, "outer_bias", band.outer_bias))
    before = build.delay(whole.var, band.before + band.ahead)
    reach = band.before + 1 + band.ahead
    var = build.emit(op, (*given, *named), [before], heads * (sizes[2] if value else reach))
    return replace(whole, var=var, clock=clock_of(band, whole.clock), offset=late)


def together_rows(tables: Sequence[torch.Tensor]) -> torch.Tensor:
    """The rows of several terms, one behind the other."""
    heads = max(table.shape[1] for table in tables)
    return torch.cat([table.expand(-1, heads, -1, -1) for table in tables], -1)


def stored_as(build: Builder, name: str, table: torch.Tensor) -> Named:
    return Named(f"{name}_weights", build.store(build.local_name(f"attention.{name}"), table.contiguous()))


def queries_of(build: Builder, scores: Scores) -> Timed:
    """The queries of all terms, those of each head beside each other."""
    queries = [replace(term.query, var=rows_taken(build, term.query.var, term.query.size // term.rows.shape[-1], term.slots)) for term in scores.terms]
    if len(queries) == 1:
        return queries[0]
    made, frames = in_step(build, queries, scores)
    shapes = [(scores.heads, build.sizes[var][0] // scores.heads) for var in frames]
    whole = (scores.heads, sum(size for _, size in shapes))
    return replace(made, var=build.framed(list(zip(frames, shapes)), "cat", (len(frames), 1), whole))


def in_step(build: Builder, operands: Sequence[Timed], scores: Scores) -> tuple[Timed, list[int]]:
    """What the result of several values is, and these, as many frames late as the latest one."""
    shape, build.shape = build.shape, scores.shape
    timed = [replace(arg, shape=scores.shape, axis=len(scores.shape) - 2, outer=1, inner=1) for arg in operands]
    made = merged(build, timed)
    build.shape = shape
    return made, [in_time(build, arg, made).var for arg in timed]


def frames_beside(build: Builder, operands: Sequence[Timed], scores: Scores) -> Timed:
    """The numbers of several values side by side in one frame."""
    made, frames = in_step(build, operands, scores)
    return replace(made, var=build.emit("stream_cat", (), frames, sum(build.sizes[var][0] for var in frames)))


def clock_of(band: Band, clock: Clock) -> Clock:
    frames = math.lcm(band.period, clock.frames)

    def places(i: int) -> tuple[int, int]:
        back, ahead = band.reaches[i % band.period]
        return i - back, i + ahead

    return clock.again(frames, clock.taken * frames // clock.frames, places)
