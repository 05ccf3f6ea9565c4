"""Stored values that are different at each time step, as what goes on for ever.

A model has them for as many time steps as its input has: positions, counts, shares. Here it is found out what they are functions of.
Numbers are computed in double, so that they stay right as long as a stream runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch

EXACT = 1e-6  # relative, or to 1: what float32 may round away
ROUNDED = 1.2e-7  # of an angle
BASES = (10000.0, 500000.0, 1000000.0)


@dataclass(frozen=True)
class Timeline:
    """What each column is a function of: `kind` is a filter's, `values` a row of doubles for each of its parameters."""

    kind: str
    values: torch.Tensor


def timeline_of(table: torch.Tensor) -> Timeline | None:
    """The function of rows 0, 1, ... of a table; None if none is known."""
    table = table.to(torch.float64)
    for find in (line, inverse_line, settled, period, decay, wave):
        if len(table) > 3 and (found := find(table)) is not None:
            return found
    return None


def near(found: torch.Tensor, table: torch.Tensor, more: torch.Tensor | float = 0.0) -> bool:
    return bool(((found - table).abs() <= EXACT * table.abs().clamp(min=1) + more).all())


def steps(table: torch.Tensor) -> torch.Tensor:
    return torch.arange(len(table), dtype=torch.float64).unsqueeze(1)


def snapped(values: torch.Tensor) -> torch.Tensor:
    """Whole numbers, where rounding has hidden them."""
    whole = values.round()
    return torch.where((values - whole).abs() <= EXACT * values.abs(), whole, values)


def line_through(table: torch.Tensor) -> torch.Tensor:
    """Start and step of the line from the first row to the last one."""
    return torch.stack((snapped(table[0]), snapped((table[-1] - table[0]) / (len(table) - 1))))


def line(table: torch.Tensor) -> Timeline | None:
    values = line_through(table)
    return Timeline("line", values) if near(values[0] + values[1] * steps(table), table) else None


def inverse_line(table: torch.Tensor) -> Timeline | None:
    if bool((table == 0).any()) or not bool(table.isfinite().all()):
        return None
    values = line_through(1 / table)
    wanted = values[0] + values[1] * steps(table)
    return Timeline("inverse_line", values) if bool(((wanted * table - 1).abs() <= EXACT).all()) else None


def settled(table: torch.Tensor) -> Timeline | None:
    """Different in at most the first half; the same from there on."""
    different = (table != table[-1]).any(1).nonzero()
    count = int(different.max()) + 1 if len(different) else 0
    return Timeline("settled", table[: count + 1]) if 2 * count < len(table) else None


def period(table: torch.Tensor) -> Timeline | None:
    """The same again, four times at least."""
    for length in range(1, len(table) // 4 + 1):
        if torch.equal(table[length:], table[:-length]):
            return Timeline("period", table[:length])
    return None


def decay(table: torch.Tensor) -> Timeline | None:
    """A number to the power of the time step."""
    if bool((table * table[0] <= 0).any()) or not bool(table.isfinite().all()):
        return None
    slope = line_through(table.abs().log())[1]
    found = table[0] * torch.exp(slope * steps(table))
    return Timeline("decay", torch.stack((table[0], slope))) if bool(((found / table - 1).abs() <= 4 * EXACT).all()) else None


# ---- waves: positions in a circle


def wave(table: torch.Tensor) -> Timeline | None:
    """a cos(w t) + b sin(w t), with the frequencies of rotary or sinusoidal positions, or with others that fit."""
    if not bool(table.isfinite().all()):
        return None
    # Heads have the same positions, one after the other.
    total = table.shape[1]
    columns = next(n for n in range(1, total + 1) if total % n == 0 and torch.equal(table[:, n:], table[:, : total - n]))
    if columns < total:
        found = wave(table[:, :columns])
        return None if found is None else Timeline("wave", found.values.repeat(1, total // columns))
    for frequencies in [*usual_frequencies(table.shape[1]), own_frequencies(table)]:
        found = waves_with(table, frequencies)
        if found is not None:
            return found
    return None


def usual_frequencies(columns: int) -> Iterator[torch.Tensor]:
    """Of positions with so many columns: one for each pair of columns, for either half of them, or one for each; of retention those that end with the base."""
    numbers = torch.arange(columns)
    half = max(1, columns // 2)
    for base in BASES:
        ending = 1.0 / base ** torch.linspace(0, 1, half)
        yield from (ending[(numbers // 2).clamp(max=half - 1)].to(torch.float64), ending[numbers % half].to(torch.float64))
        for size, order in ((columns, numbers // 2), (columns, numbers % max(1, columns // 2)), (2 * columns, numbers)):
            # As models compute them, in float32.
            yield (1.0 / base ** (2 * order.to(torch.float32) / size)).to(torch.float64)


def own_frequencies(table: torch.Tensor) -> torch.Tensor:
    """Of each column alone: from what three neighbours have in common, and then better step by step."""
    middle, around = table[1:-1], table[2:] + table[:-2]
    cosine = (middle * around).sum(0) / (2 * (middle * middle).sum(0).clamp(min=1e-30))
    frequencies = torch.acos(cosine.clamp(-1, 1))
    time = steps(table)
    for _ in range(20):
        a, b = parts(table, frequencies)
        angle = frequencies * time
        rest = table - a * torch.cos(angle) - b * torch.sin(angle)
        slope = time * (b * torch.cos(angle) - a * torch.sin(angle))
        frequencies = frequencies + (rest * slope).sum(0) / (slope * slope).sum(0).clamp(min=1e-30)
    return frequencies


def parts(table: torch.Tensor, frequencies: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The parts of cosine and sine that fit best."""
    angle = frequencies * steps(table)
    c, s = torch.cos(angle), torch.sin(angle)
    cc, ss, cs = (c * c).sum(0), (s * s).sum(0), (c * s).sum(0)
    ct, st = (c * table).sum(0), (s * table).sum(0)
    det = (cc * ss - cs * cs).clamp(min=1e-30)
    return (ct * ss - st * cs) / det, (st * cc - ct * cs) / det


def waves_with(table: torch.Tensor, frequencies: torch.Tensor) -> Timeline | None:
    angle = frequencies * steps(table)
    rounded = ROUNDED * angle.abs()
    for a, b in (*((torch.full_like(frequencies, one), torch.full_like(frequencies, other)) for one, other in ((1, 0), (0, 1))),
                 pure(table, angle, rounded), parts(table, frequencies)):
        if near(a * torch.cos(angle) + b * torch.sin(angle), table, rounded * (a.abs() + b.abs())):
            # Turns rather than angles: what is left of many whole ones is exact.
            turn = torch.full_like(frequencies, 2 * math.pi)
            return Timeline("wave", torch.stack((a, b, frequencies / turn, turn)))
    return None


def pure(table: torch.Tensor, angle: torch.Tensor, rounded: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A cosine in some columns, and a sine in the others."""
    is_cosine = ((torch.cos(angle) - table).abs() <= EXACT + rounded).all(0)
    a = is_cosine.to(torch.float64)
    return a, 1 - a
