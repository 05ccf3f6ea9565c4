"""What `strc import --quantize` does with a model that has been read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import torch

from ..errors import ImportFailure
from ..ir import Program
from ..torch.export import Model
from .accuracy import compared
from .calibration import Samples, counted, random_samples, read_samples, steps_of
from .layers import quantise
from .running import results_of

M = TypeVar("M", bound=Model)


def taken(program: Program, samples: Samples) -> Samples:
    """Without those inputs that nothing uses: the program does not take them."""
    used = {arg for instruction in program.instructions for arg in instruction.args} | set(program.results)
    return replace(samples, inputs=tuple(one for number, one in zip(program.inputs, samples.inputs) if number in used))


def quantised(imported: M, examples: Sequence[torch.Tensor], files: Sequence[str]) -> tuple[M, str]:
    """The same model with weights of int8, and how far its results are from those of floats, in words. Raises `ImportFailure`.

    `files` have samples of the inputs, by which the units of what arrives at layers are set; without any each layer finds its own as the program runs.
    """
    program = imported.program
    if program.loop:
        raise ImportFailure("--quantize runs the model on samples of its inputs, each for itself: one that keeps states from call to call is refused")
    samples = taken(program, read_samples(files, examples) if files else random_samples(examples))
    steps = steps_of(program, imported.tensors, imported.written, samples) if files else None
    made = quantise(program, imported.tensors, steps)
    if not made.layers:
        raise ImportFailure("the model has no linear layer and no convolution over one or two dimensions whose weights are floats: nothing would become int8")
    expected = results_of(program, imported.tensors, imported.written, samples.inputs)
    found = results_of(made.program, made.tensors, imported.written, samples.inputs)
    units = "units set by these" if files else "units found as it runs"
    told = (
        f"{counted(len(made.layers), 'layer')} with weights of int8, {units}; for {samples.about} the program "
        f"{compared(expected, found)}"
    )
    return replace(imported, program=made.program, tensors=made.tensors), told
