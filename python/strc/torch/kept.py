"""States that come back longer than they went in: caches, of which the last so many elements are kept."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ImportFailure
from ..ir import Instruction, Program


def grown_in(before: Sequence[int], after: Sequence[int], context: int | None) -> int | None:
    """The dimension in which a state of `context` elements comes back longer, and is the same in all others; None if there is none."""
    if context is None or len(before) != len(after):
        return None
    other = [dim for dim, (one, two) in enumerate(zip(before, after)) if one != two]
    return other[0] if len(other) == 1 and before[other[0]] == context < after[other[0]] else None


def keep_last(program: Program, states: Sequence[Sequence[int]], context: int | None) -> None:
    """Lets results that go round keep their last `context` elements, where they are grown. `states` are the shapes of the program's last inputs, to which its last results go
    round. Raises `ImportFailure` if there is a context, and none is grown."""
    results = list(program.results)
    for place, before in enumerate(states, len(results) - len(states)):
        after = program.shapes[results[place]]
        dim = grown_in(before, after, context)
        if dim is not None:
            var = program.fresh()
            program.instructions.append(Instruction(var, "slice", (dim, after[dim] - before[dim], after[dim]), (results[place],)))
            program.shapes[var] = tuple(before)
            results[place] = var
    if context is not None and program.results == tuple(results):
        raise ImportFailure(f"--context {context}: no state comes back with more than {context} elements in a dimension, in which it has so many")
    program.results = tuple(results)
