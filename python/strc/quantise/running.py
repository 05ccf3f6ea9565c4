"""Runs a program over tensors by `strc run`, with files of NumPy at its ends."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy
import safetensors.torch
import torch

from ..errors import ImportFailure
from ..ir import Program
from ..source import source_of
from ..source.expressions import EXPRESSIONS, Written
from ..streaming.running import SECONDS, compiler


ELEMENTS = {
    torch.float32: "float", torch.float64: "double", torch.float16: "half", torch.bfloat16: "bfloat16", torch.int8: "int8", torch.int32: "int",
    torch.int64: "long", torch.bool: "boolean",
}


def type_text(sample: torch.Tensor) -> str:
    """As `--input` has it. Raises `ImportFailure`."""
    if sample.dtype not in ELEMENTS or sample.dtype == torch.bfloat16:
        raise ImportFailure(f"a model whose inputs have elements of type {str(sample.dtype).removeprefix('torch.')} is not run on samples: NumPy's files have none such")
    if not sample.dim():
        raise ImportFailure("a model whose input has no dimensions is not run on samples")
    return f"{'x'.join(map(str, sample.shape))}:{ELEMENTS[sample.dtype]}"


def run_for_samples(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Raises `ImportFailure` if that takes too long."""
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise ImportFailure(f"the program takes longer than {SECONDS} s for the samples, by which --quantize says how near it comes") from None


def results_of(
    program: Program, tensors: Mapping[str, torch.Tensor], written: Mapping[str, Written], inputs: Sequence[Sequence[torch.Tensor]],
) -> list[list[torch.Tensor]]:
    """The results for each sample of the inputs: `inputs` has a list of samples for each input that the program takes. By result, then by sample.

    States go on from each sample to the next.
    """
    results = len(program.results) - (len(program.loop.states) if program.loop else 0)
    text = source_of(program, written={**EXPRESSIONS, **written})
    with tempfile.TemporaryDirectory(prefix="strc-quantise-") as folder:
        path = Path(folder)
        (path / "model.str").write_text(text, encoding="ascii")
        safetensors.torch.save_file({name: t.contiguous().clone() for name, t in tensors.items()}, path / "model.safetensors")
        words = [compiler(), "run", "-w", "--top", program.name]
        for k, samples in enumerate(inputs):
            numpy.save(path / f"in{k}.npy", numpy.stack([sample.detach().numpy() for sample in samples]))
            words += ["--input", type_text(samples[0]), "--in", f"in{k}.npy"]
        for k in range(results):
            words += ["--out", f"out{k}.npy"]
        done = run_for_samples([*words, "model.str"], path)
        if done.returncode != 0:
            told = (done.stdout + done.stderr).decode("utf-8", errors="replace").strip()
            raise ImportFailure(f"the program does not run on the samples:\n{told}")
        count = len(inputs[0])
        found = [numpy.load(path / f"out{k}.npy") for k in range(results)]
        return [[torch.from_numpy(numpy.asarray(one)) for one in (result if count > 1 else [result])] for result in found]
