"""What `strc import --quantize --generate` does with a model that has been read."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy
import safetensors.torch
import torch

from ..errors import ImportFailure
from ..streaming.running import compiler
from ..torch.generation import Generator
from .calibration import Samples, counted, read_samples
from .importing import about_layers, layers_of_bytes, quantised_by
from .running import ELEMENTS, run_for_samples, type_text

STEPS = 32  # at most, of tokens that nobody has given
ITEMS = 2  # that an encoder takes


def quantised_generator(made: Generator, files: Sequence[str]) -> tuple[Generator, str]:
    """The same with weights of int8, and what that changes, in words. Raises `ImportFailure`.

    `files`: one with tokens of a text, `batch` for each step, by which units are set. Without an encoder the scores behind each token are compared, else the
    tokens that are said, since the decoder has no input of its own.
    """
    if made.encoder:
        if files:
            raise ImportFailure("--calibrate has tokens for a decoder that takes them: the layers of a model with an encoder find their units as they run")
        return with_encoder(made)
    if files:
        samples = read_samples(files, [torch.zeros(made.batch, dtype=torch.int64)])
        check_tokens(files[0], torch.stack(samples.inputs[0]), made.tokens)
        return quantised_by(made, samples, True)
    steps = min(STEPS, made.context)
    tokens = tuple(torch.randint(0, made.tokens, (made.batch,)) for _ in range(steps))
    return quantised_by(made, Samples((tokens,), f"{counted(steps, 'random token')} one after the other"), False)


def check_tokens(path: str, found: torch.Tensor, count: int) -> None:
    least, greatest = int(found.min()), int(found.max())
    if least < 0 or greatest >= count:
        raise ImportFailure(f"'{path}' has tokens from {least} to {greatest}, and the model those from 0 to {count - 1}")


def with_encoder(made: Generator) -> tuple[Generator, str]:
    assert made.encoder
    step, encoder = layers_of_bytes(made), layers_of_bytes(made.encoder)
    found = replace(
        made, program=step.program, tensors=step.tensors, encoder=replace(made.encoder, program=encoder.program, tensors=encoder.tensors)
    )
    given = example_items(made)
    before, after = (tokens_of(each, given) for each in (made, found))
    said = numpy.arange(len(before)) // made.batch % made.context >= len(made.prompt)
    same = int((before == after)[said].sum())
    count = len({*step.layers, *encoder.layers})
    told = f"{about_layers(count, False)}; for {ITEMS} random inputs {same} of {int(said.sum())} tokens are those that it says with weights of floats"
    return found, told


def example_items(made: Generator) -> torch.Tensor:
    kind = made.taken
    assert kind and made.encoder
    shape = (ITEMS, *kind.shape)
    element = next(each for each, name in ELEMENTS.items() if name == kind.elements)
    if element.is_floating_point:
        return torch.randn(shape).to(element)
    return torch.randint(0, made.given_tokens, shape, dtype=element)


def tokens_of(made: Generator, given: torch.Tensor) -> numpy.ndarray:
    """What the program gives for these items of the encoder's input."""
    with tempfile.TemporaryDirectory(prefix="strc-quantise-") as folder:
        path = Path(folder)
        (path / "model.str").write_text(made.source(), encoding="ascii")
        safetensors.torch.save_file({name: t.contiguous().clone() for name, t in made.used_tensors().items()}, path / "model.safetensors")
        numpy.save(path / "given.npy", given.numpy())
        words = [compiler(), "run", "-w", "--top", "Generate", "--input", type_text(given[0]), "--in", "given.npy", "--out-format", "text", "model.str"]
        done = run_for_samples(words, path)
        if done.returncode != 0:
            raise ImportFailure(f"the program that generates does not run on the samples:\n{done.stderr.decode('utf-8', errors='replace').strip()}")
        return numpy.array([int(token) for token in done.stdout.split()])
