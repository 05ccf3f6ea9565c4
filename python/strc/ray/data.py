"""Programs over data sets of Ray Data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..program import Program

Columns = str | Sequence[str]


class RowCaller:
    """Calls a program with columns of a row. Ray makes one in each of its workers, where the program is compiled once."""

    def __init__(self, program: Program, inputs: Sequence[str], outputs: Sequence[str]):
        self.program, self.inputs, self.outputs = program, inputs, outputs

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        found = self.program(*(row[name] for name in self.inputs))
        several = found if isinstance(found, tuple) else (found,)
        if len(several) != len(self.outputs):
            raise ValueError(f"the program gives {len(several)} arrays for a row, and there are {len(self.outputs)} names of columns for them")
        return {**row, **dict(zip(self.outputs, several))}


def map(dataset: Any, program: Program, *, input: Columns = "item", output: Columns | None = None, workers: int | tuple[int, int] = 1, **options: Any) -> Any:
    """The data set with what the program gives for each row, called with the array in the column `input` from the start to the end of it, in the column
    `output` (that of the input, if there is no other). Several inputs and outputs have a column each. `workers`: processes, or the fewest and the most.
    Further options are those of Dataset.map."""
    inputs = [input] if isinstance(input, str) else list(input)
    outputs = inputs if output is None else [output] if isinstance(output, str) else list(output)
    missing = [name for name in inputs if name not in (dataset.columns() or inputs)]
    if missing:
        raise ValueError(f"the data set has no column '{missing[0]}'; there are {', '.join(dataset.columns())}")
    size = {"size": workers} if isinstance(workers, int) else {"min_size": workers[0], "max_size": workers[1]}
    from ray.data import ActorPoolStrategy

    return dataset.map(RowCaller, fn_constructor_args=(program, inputs, outputs), compute=ActorPoolStrategy(**size), **options)
