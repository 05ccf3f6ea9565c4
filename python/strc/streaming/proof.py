"""Proves by running that a streamed program gives what the model gives for the whole sequence, however its input is cut."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy
import torch

from ..errors import ImportFailure
from .streamed import Streamed

TOLERANCE = 1e-5
CHUNKS = (1, 7, 64, 1, 513, 3, 100)  # frames that are given at a time, over and over
LONGER = 37  # blocks by which one run is longer than the example
SECONDS = 600
# All at once, in which the program does many steady states at a time; and in pieces, one steady state after the other.
WAYS: tuple[tuple[str, ...], ...] = ((), ("--disable-pass=scaling",))


def compiler() -> str:
    """The strc that runs the program: $STRC, or the one on the path."""
    found = shutil.which(os.environ.get("STRC", "strc"))
    if not found:
        raise ImportFailure("a streamed program is run before it is written, which takes `strc` on the path; $STRC can name it")
    return os.path.abspath(found)


def formatted(text: str) -> str:
    """A program as `strc fmt` writes it."""
    done = subprocess.run([compiler(), "fmt", "-"], input=text, capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode != 0:
        raise ImportFailure(f"the streamed program cannot be read, which is an error of the importer:\n{done.stderr.strip()}")
    return done.stdout


def pieces(frames: numpy.ndarray) -> Iterator[bytes]:
    at = turn = 0
    while at < len(frames):
        count = CHUNKS[turn % len(CHUNKS)]
        yield frames[at : at + count].tobytes()
        at, turn = at + count, turn + 1


class Program:
    """A streamed program with its weights, in a folder."""

    def __init__(self, folder: str, text: bytes, weights: bytes, strc: str):
        self.folder, self.strc = Path(folder), strc
        declared = re.search(rb"^float->float \w+ (\w+)", text, re.M)
        assert declared, text
        self.name = declared[1].decode()
        (self.folder / "model.str").write_bytes(text)
        (self.folder / "model.safetensors").write_bytes(weights)

    def run(self, frames: numpy.ndarray, way: tuple[str, ...]) -> numpy.ndarray:
        """What the stream gives for these frames in whole steady states: a live stream has no end to be drained."""
        ends = ["--in", "-", "--in-format", "raw", "--out", "out.raw", "--out-format", "raw"]
        words = [self.strc, "run", "-w", "--tail=drop", *way, "--top", self.name, *ends, "model.str"]
        with open(self.folder / "told", "wb") as told, subprocess.Popen(
            words, cwd=self.folder, stdin=subprocess.PIPE, stdout=told, stderr=told
        ) as process:
            assert process.stdin is not None
            try:
                for piece in pieces(frames) if way else [frames.tobytes()]:
                    process.stdin.write(piece)
                    process.stdin.flush()
                process.stdin.close()
            except BrokenPipeError:
                pass  # it has ended, and says why
            status = process.wait(SECONDS)
        if status != 0:
            words_of = (self.folder / "told").read_text(encoding="utf-8", errors="replace").strip()
            raise ImportFailure(f"the streamed program does not run, which is an error of the importer:\n{words_of}")
        return numpy.fromfile(self.folder / "out.raw", numpy.float32)


def offline(model: torch.nn.Module, sequence: torch.Tensor, axis: int) -> torch.Tensor:
    """The model's frames, time first: of doubles, or of whole numbers."""
    with torch.no_grad():
        result = model(sequence)
    while isinstance(result, (tuple, list)):
        result = result[0]
    result = result.movedim(axis, 0).reshape(result.shape[axis], -1)
    return result.to(torch.float64) if result.is_floating_point() else result


def worst(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """The largest difference of frames that both have, as a share of what is allowed, which is none for whole numbers."""
    count = min(len(found), len(wanted))
    found, wanted = found[:count], wanted[:count]
    if not wanted.numel():
        return 0.0
    if not wanted.is_floating_point():
        return 0.0 if bool((found == wanted).all()) else float("inf")
    over = (found - wanted).abs() / wanted.abs().clamp(min=1) / TOLERANCE
    return float("inf") if bool(over.isnan().any()) else float(over.max())


def compare(streamed: Streamed, found: torch.Tensor, steps: int, wanted: torch.Tensor, way: str) -> float:
    """The share of what is allowed by which a stream's frames differ from the model's. Raises `ImportFailure` if there are not as many."""
    there = steps // streamed.block * (streamed.block // streamed.stride) - streamed.late
    if not there - streamed.block // streamed.stride < len(found) <= there or there < len(wanted) - -(-streamed.latency // streamed.stride):
        raise ImportFailure(
            f"the streamed program is not in time, which is an error of the importer: for {steps} time steps the model gives {len(wanted)} "
            f"frames, and the stream {len(found)} instead of {there} ({way})"
        )
    return worst(found, wanted)


def sequences(streamed: Streamed, example: torch.Tensor) -> list[torch.Tensor]:
    """Noise of the example's length, and of a greater one."""
    axis = streamed.axes[0]
    shape = list(example.shape)
    generator = torch.Generator().manual_seed(1)
    found = []
    for more in (0, LONGER * streamed.block):
        found.append(torch.randn(*shape[:axis], shape[axis] + more, *shape[axis + 1 :], generator=generator))
    return found


def prove(streamed: Streamed, model: torch.nn.Module, example: torch.Tensor, text: bytes, weights: bytes) -> None:
    """Runs the stream and compares it with the model at every time step, from the first valid one on. Raises `ImportFailure`."""
    strc, (axis, result_axis) = compiler(), streamed.axes
    given = sequences(streamed, example)
    wanted = [offline(model, sequence, result_axis) for sequence in given]
    if len(wanted[1]) - len(wanted[0]) != LONGER * streamed.block // streamed.stride:
        raise ImportFailure(
            f"for {given[0].shape[axis]} time steps the model gives {len(wanted[0])} frames, and for {given[1].shape[axis]} {len(wanted[1])}: "
            "what it does depends on the length of its input, which a stream has not"
        )
    with tempfile.TemporaryDirectory(prefix="strc-import-") as folder:
        program = Program(folder, text, weights, strc)
        for sequence, frames_wanted in zip(given, wanted):
            frames = sequence.movedim(axis, 0).reshape(sequence.shape[axis], -1).contiguous().numpy()
            for way in WAYS:
                found = torch.from_numpy(program.run(frames, way)).to(torch.float64).reshape(-1, streamed.given)
                named = "in pieces" if way else "all at once"
                share = compare(streamed, found, len(frames), frames_wanted, named)
                if share > 1:
                    # Where rounding alone makes more of a difference the model is asked to compute in double.
                    share = worst(found, offline(copy.deepcopy(model).double(), sequence.double(), result_axis))
                if share > 1:
                    raise ImportFailure(
                        f"the streamed program does not give what the model gives ({named}): a number differs by {share * TOLERANCE:.2g} of "
                        f"max(1, |value|), and {TOLERANCE} is allowed; nothing has been written"
                    )
