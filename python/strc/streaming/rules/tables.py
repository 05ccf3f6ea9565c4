"""Rows of stored tables, and places of a dimension."""

from __future__ import annotations

from dataclasses import replace

import torch

from ...ir import Instruction, Named
from ..builder import Builder, Refused
from ..places import permuted
from ..resampling import time_alone
from ..timing import whole, windowed
from ..values import Stored, Timed, Value
from .features import side_by_side
from .table import integer, named, only, rule


@rule("embedding", takes_merged=True)
def embedding(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x = only(args)
    rows, columns = map(integer, instruction.positional[:2])
    made = replace(x, shape=build.shape)
    return replace(made, var=build.emit("stream_embedding", (rows, columns, *named(instruction, "weights")), [x.var], made.size))


@rule("take", takes_padding=True, takes_merged=True)
def take(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    x, places = args
    dim = integer(instruction.positional[0])
    if isinstance(x, Stored) and isinstance(places, Timed):
        return from_table(build, x, whole(build, places), dim)
    if isinstance(x, Timed) and isinstance(places, Stored):
        if dim != x.axis:
            return of_frame(build, whole(build, x), places, dim, instruction)
        bands = bands_of(build.tensor(places).long(), x.steps) if x.outer > 1 and x.inner == 1 else None
        return windows(build, time_alone(build, x), places) if bands is None else of_bands(build, whole(build, x), places, *bands)
    raise Refused("which places it takes depends on the input, and so does what it takes them of")


def from_table(build: Builder, table: Stored, places: Timed, dim: int) -> Timed:
    if dim != 0:
        raise Refused("it takes columns of a stored table by numbers that come with time: only rows can be taken")
    values = build.tensor(table).to(torch.float32)
    rows = values.reshape(values.shape[0], -1)
    name = f"{table.name}.table"
    build.store(f"{name}.weight", rows.clone())
    made = replace(places, shape=build.shape)
    return replace(made, var=build.emit("stream_embedding", (*rows.shape, Named("weights", name)), [places.var], made.size))


def of_frame(build: Builder, x: Timed, places: Stored, dim: int, instruction: Instruction) -> Timed:
    """Places of another dimension than time."""
    axis = x.axis + (len(places.shape) - 1 if dim < x.axis else 0)
    made = replace(x, shape=build.shape, axis=axis)
    return replace(made, var=build.framed([(x.var, x.single), places], "take", instruction.params, made.single))


def bands_of(places: torch.Tensor, steps: int) -> tuple[int, torch.Tensor] | None:
    """Of places in a dimension that counts bands and, faster, time steps: which of their dimensions counts the time steps, and the bands, if each step takes
    the same ones of its own.
    """
    for dim in (dim for dim, extent in enumerate(places.shape) if extent == steps):
        begun = places - torch.arange(steps).reshape([-1 if i == dim else 1 for i in range(places.dim())])
        bands = begun.select(dim, 0)
        if not bool((begun % steps).any()) and torch.equal(begun, bands.unsqueeze(dim).expand_as(begun)):
            return dim, bands // steps
    return None


def of_bands(build: Builder, x: Timed, places: Stored, dim: int, bands: torch.Tensor) -> Timed:
    """As `unfold` over frequency and all of time has them."""
    made = replace(x, shape=build.shape, axis=x.axis + dim, outer=1)
    name = build.store(f"{places.name}.bands", bands)
    frame = (*x.shape[: x.axis], *bands.shape, *x.shape[x.axis + 1 :])
    return replace(made, var=build.framed([(x.var, x.single), Stored(name, tuple(bands.shape))], "take", (x.axis,), frame))


def windows(build: Builder, x: Timed, places: Stored) -> Timed:
    """Places of time that begin as far apart in one dimension of the numbers: windows, as `unfold` makes them."""
    given = build.tensor(places).long()
    ways = [(dim, stride) for dim in range(given.dim()) if (stride := distance(given, dim)) > 0]
    if not ways or int(given.min()) < 0:
        raise Refused("the time steps that it takes are not windows that begin equally far apart; interpolation goes by whole factors (scale_factor=2), and "
                      "padding is with constants on the left (functional.pad(x, (n, 0)))")  # fmt: skip
    dim, stride = max(ways, key=lambda way: way[1] * given.shape[way[0]])
    return cut(build, x, given.select(dim, 0), dim, stride)


def distance(places: torch.Tensor, dim: int) -> int:
    """How far apart neighbours in a dimension are; 0 if that is not the same everywhere."""
    first, count = places.select(dim, 0), places.shape[dim]
    if count < 2:
        return 0
    stride = int((places.select(dim, 1) - first).flatten()[0])
    steps = torch.arange(count).reshape([-1 if i == dim else 1 for i in range(places.dim())])
    return stride if torch.equal(places, first.unsqueeze(dim) + stride * steps) else 0


def cut(build: Builder, x: Timed, first: torch.Tensor, dim: int, stride: int) -> Timed:
    """Windows with these places, `dim` the dimension that counts them."""
    places = tuple(first.flatten().tolist())
    reach = max(places) + 1
    given = (x.size, places, stride, max(reach, stride))
    made = windowed(build, x, "stream_window", given, reach, stride, len(places) * x.size)
    before = x.shape[: x.axis]
    frames = (len(places), *before, *x.shape[x.axis + 1 :])
    order = (*range(1, len(before) + 1), 0, *range(len(before) + 1, len(frames)))
    return replace(made, var=permuted(build, made.var, frames, order), axis=x.axis + dim)
