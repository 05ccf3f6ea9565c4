"""What arrives at layers for samples of the inputs, so that its unit as int8 is known before the program runs."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy
import torch

from ..errors import ImportFailure
from ..ir import Instruction, Program
from ..source.expressions import Written
from .layers import LARGEST, is_quantisable
from .running import results_of


@dataclass(frozen=True)
class Samples:
    """For each input of a model the same number of examples."""

    inputs: tuple[tuple[torch.Tensor, ...], ...]
    about: str  # where they are from

    @property
    def count(self) -> int:
        return len(self.inputs[0])


def random_samples(examples: Sequence[torch.Tensor], count: int = 8) -> Samples:
    """Random numbers in the shapes of the examples, which are the first of them."""
    def like(one: torch.Tensor) -> torch.Tensor:
        return torch.randn(one.shape).to(one.dtype) if one.dtype.is_floating_point else torch.randint(0, 2, tuple(one.shape)).to(one.dtype)

    return Samples(tuple((one, *(like(one) for _ in range(count - 1))) for one in examples), f"{count} random inputs")


def read_samples(paths: Sequence[str], examples: Sequence[torch.Tensor]) -> Samples:
    """Samples from files of NumPy, one for each input: an array of the input's shape, or of so many of them. Raises `ImportFailure`."""
    if len(paths) != len(examples):
        raise ImportFailure(f"--calibrate names {counted(len(paths), 'file')}, and the model takes {counted(len(examples), 'input')}: one for each")
    inputs = tuple(samples_in(path, example) for path, example in zip(paths, examples))
    if len({len(samples) for samples in inputs}) > 1:
        sizes = ", ".join(f"'{path}' has {len(samples)}" for path, samples in zip(paths, inputs))
        raise ImportFailure(f"the files of --calibrate have different numbers of samples: {sizes}")
    return Samples(inputs, f"{counted(len(inputs[0]), 'sample')} of {', '.join(paths)}")


def counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def samples_in(path: str, example: torch.Tensor) -> tuple[torch.Tensor, ...]:
    try:
        array = numpy.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ImportFailure(f"'{path}' is no file of NumPy: {error}") from error
    if not isinstance(array, numpy.ndarray):
        raise ImportFailure(f"'{path}' holds several arrays; --calibrate takes one (.npy)")
    shape = tuple(example.shape)
    kind = str(example.dtype).removeprefix("torch.")
    wanted = f"{'x'.join(map(str, shape))} of {kind}"
    if tuple(array.shape) == shape:
        array = array[None]
    # A batch of one is a batch of many in most files.
    elif shape[:1] == (1,) and tuple(array.shape[1:]) == shape[1:]:
        array = array[:, None]
    if tuple(array.shape[1:]) != shape or array.shape[0] == 0:
        raise ImportFailure(f"'{path}' has shape {'x'.join(map(str, array.shape))}, where one sample or several are wanted, each {wanted}")
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8 or (array.dtype.kind == "f") != example.dtype.is_floating_point:
        raise ImportFailure(f"'{path}' has elements of type {array.dtype}, where one sample or several are wanted, each {wanted}")
    found = torch.from_numpy(array.astype(array.dtype.newbyteorder("="))).to(example.dtype)
    if example.dtype.is_floating_point and not bool(torch.isfinite(found).all()):
        raise ImportFailure(f"'{path}' has elements that are no finite numbers, which say nothing about what usually arrives")
    return tuple(found)


def steps_of(program: Program, tensors: Mapping[str, torch.Tensor], written: Mapping[str, Written], samples: Samples) -> dict[int, float]:
    """The unit for each layer, by its variable: a 127th of the greatest size of what arrives, found by running the program of floats."""
    layers = [i for i in program.instructions if is_quantisable(i, tensors)]
    if not layers:
        return {}
    arriving = list(dict.fromkeys(layer.args[0] for layer in layers))
    measured = list(program.instructions)
    greatest: dict[int, int] = {}
    fresh = program.fresh()
    for value in arriving:
        measured += [Instruction(fresh, "abs", (), (value,)), Instruction(fresh + 1, "amax", (), (fresh,))]
        greatest[value] = fresh + 1
        fresh += 2
    loop = program.loop and replace(program.loop, given=None)
    kept = program.results[len(program.results) - len(loop.states) :] if loop else ()
    observed = replace(program, instructions=measured, results=(*(greatest[value] for value in arriving), *kept), shapes={}, loop=loop)
    results = results_of(observed, tensors, written, samples.inputs)
    sizes = {value: max(float(one) for one in result) for value, result in zip(arriving, results)}
    # Where nothing arrived, or what is no number, the layer finds its unit as it runs.
    return {layer.var: sizes[layer.args[0]] / LARGEST for layer in layers if 0 < sizes[layer.args[0]] < math.inf}
