"""Norms over what is inside of a frame."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Instruction
from ..builder import Builder, Refused
from ..values import Value
from .table import only, rule


@rule("groupnorm instancenorm2d")
def groups(build: Builder, instruction: Instruction, args: list[Value]) -> Value:
    """Each time step is an item of the batch: where time is another dimension they normalise over it."""
    x = only(args)
    if x.axis != 0:
        raise Refused(
            f"it normalises over all {x.steps} time steps, so it would have to look ahead to the end: no latency suffices. With the time steps as "
            "batch, or with sums over the past (cumsum) divided by their count, it can be streamed"
        )
    alone = replace(x, shape=(x.steps, 1, *x.frame))
    return replace(x, var=build.framed(alone, instruction.op, instruction.params, alone.frame))
