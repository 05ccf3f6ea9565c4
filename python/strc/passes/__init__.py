"""Passes over the model IR. Each is a function from a `Program` to a new one with the same results."""

from ..ir import Program
from .common import eliminate_common
from .identities import drop_identities
from .liveness import eliminate_dead, live_after

__all__ = ["drop_identities", "eliminate_common", "eliminate_dead", "live_after", "run"]


def run(program: Program) -> Program:
    """The passes that every import makes, in their order."""
    return eliminate_dead(eliminate_common(drop_identities(program)))
