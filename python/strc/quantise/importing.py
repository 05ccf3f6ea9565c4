"""What `strc import --quantize` does with a model that has been read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import torch

from ..errors import ImportFailure
from ..ir import Program
from ..torch.export import Model
from .accuracy import compared
from .calibration import Samples, counted, random_samples, read_samples, steps_of
from .layers import Quantised, quantise
from .running import results_of

M = TypeVar("M", bound=Model)


def taken(program: Program, samples: Samples) -> Samples:
    """Without those inputs that nothing uses: the program does not take them. States are no inputs that have samples."""
    used = {arg for instruction in program.instructions for arg in instruction.args} | set(program.results)
    return replace(samples, inputs=tuple(one for number, one in zip(program.inputs, samples.inputs) if number in used))


def quantised(imported: M, examples: Sequence[torch.Tensor], files: Sequence[str]) -> tuple[M, str]:
    """The same model with weights of int8, and how far its results are from those of floats, in words. Raises `ImportFailure`.

    `files` have samples of the inputs, by which the units of what arrives at layers are set; without any each layer finds its own as the program runs.
    """
    return quantised_by(imported, read_samples(files, examples) if files else random_samples(examples), bool(files))


def quantised_by(imported: M, samples: Samples, sets_units: bool) -> tuple[M, str]:
    """Likewise. If the model keeps states its samples are those of one sequence, in order. `sets_units`: they do."""
    program = imported.program
    if program.loop and len(samples.inputs) > 1:
        raise ImportFailure("--quantize runs the model on samples of its inputs: one that keeps states, and takes several inputs besides, is refused")
    samples = taken(program, samples)
    if not samples.inputs:
        raise ImportFailure("--quantize runs the model on samples of its inputs, and nothing uses those that it has")
    made = layers_of_bytes(imported, steps_of(program, imported.tensors, imported.written, samples) if sets_units else None)
    expected = results_of(program, imported.tensors, imported.written, samples.inputs)
    found = results_of(made.program, made.tensors, imported.written, samples.inputs)
    told = f"{about_layers(len(made.layers), sets_units)}; for {samples.about} the program {compared(expected, found)}"
    return replace(imported, program=made.program, tensors=made.tensors), told


def layers_of_bytes(imported: Model, steps: Mapping[int, float] | None = None) -> Quantised:
    """Raises `ImportFailure` if there are none."""
    made = quantise(imported.program, imported.tensors, steps)
    if not made.layers:
        raise ImportFailure("the model has no linear layer and no convolution over one or two dimensions whose weights are floats: nothing would become int8")
    return made


def about_layers(count: int, sets_units: bool) -> str:
    return f"{counted(count, 'layer')} with weights of int8, {'units set by these' if sets_units else 'units found as it runs'}"
