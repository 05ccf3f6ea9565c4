"""Collects the instructions of a streamed program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import torch

from ..ir import Instruction, Origin, Param, Program
from ..ir.model import Frame, Shape
from ..source.floats import StreamFilter
from .unrolled import Loop
from .values import Stored, Timed

if TYPE_CHECKING:
    from .pairs import Pairs

# Layers of PyTorch that are more than one filter.
SEVERAL = ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer")


class Refused(Exception):
    """A use of an operator that cannot be streamed; the text says why. Who catches it adds the place."""


class Builder:
    """Instructions over streams of floats: a value is a stream in which the numbers of each frame follow each other."""

    def __init__(self, program: Program, tensors: dict[str, torch.Tensor], context: int | None = None):
        self.tensors = tensors
        self.shapes = program.shapes
        self.loops: Sequence[Loop] = ()  # of the program, by number
        self.written: dict[str, StreamFilter] = {}  # filters of these, by their names as operators
        self.context = context  # how many time steps attention goes back, of the model itself where that is less
        self.instructions: list[Instruction] = []
        self.sizes: dict[int, tuple[int, ...]] = {}
        self.rates: dict[int, Fraction] = {}
        self.delays: dict[tuple[int, int, float], int] = {}
        self.in_bands: dict[tuple[str, int, int], tuple[dict[Pairs, Timed], dict[tuple[int, int, int], Timed]]] = {}
        self.next = program.fresh()
        self.origin = Origin()
        self.shape: Shape = ()  # of the result of what is read now, in the model

    def emit(self, op: str, params: tuple[Param, ...], args: list[int], *sizes: int, rate: Fraction | None = None) -> int:
        """Adds an instruction whose results are frames of so many numbers, which come as often as its arguments if `rate` says nothing else."""
        var, self.next = self.next, self.next + 1
        self.instructions.append(Instruction(var, op, params, tuple(args), self.origin))
        self.sizes[var] = sizes
        self.rates[var] = self.rates[args[0]] if rate is None else rate
        return var

    def delay(self, var: int, frames: int, value: float = 0.0) -> int:
        """A value behind frames of one number."""
        size = self.sizes[var][0]
        key = (var, frames, value)
        if frames and key not in self.delays:
            given: tuple[Param, ...] = (frames * size,) if value == 0 else (frames * size, value)
            around, self.origin = self.origin, replace(self.origin, frames=self.around_layer())
            self.delays[key] = self.emit("stream_delay", given, [var], size)
            self.origin = around
        return self.delays[key] if frames else var

    def around_layer(self) -> tuple[Frame, ...]:
        """The calls around what is read now. A delay before a layer of PyTorch belongs to whoever holds that, so that it stays one filter; in a module that
        does more it stands where its window is, since what is carried by it would wait for it.
        """
        frames = self.origin.frames
        is_layer = bool(frames) and frames[-1].class_name.startswith("torch.nn.modules.") and not frames[-1].class_name.endswith(SEVERAL)
        return frames[: max(1, len(frames) - 1)] if is_layer else frames

    def part(self, var: int, index: int) -> int:
        """One of several results."""
        return self.emit("getitem", (index,), [var], self.sizes[var][index])

    def framed(self, args: Sequence[tuple[int, Shape] | Stored], op: str, params: tuple[Param, ...], result: Shape) -> int:
        """An operator over tensors, which are made of frames of these shapes, or are stored; what it makes is a frame of the shape `result`."""
        rate = self.rates[next(arg[0] for arg in args if isinstance(arg, tuple))]
        tensors = []
        for arg in args:
            if isinstance(arg, Stored):
                tensors.append(self.emit("const", (arg.name,), [], 1, rate=rate))
            else:
                tensors.append(self.emit("frame", (arg[1],), [arg[0]], 1))
        made = self.emit(op, params, tensors, 1, rate=rate)
        if op == "argmax":  # places are whole numbers, which floats have exactly
            made = self.emit("to_float", (), [made], 1)
        return self.emit("unframe", (result,), [made], math.prod(result))

    def seen(self, var: int, size: int, rate: Fraction) -> int:
        """The same numbers as frames of another size, which come the more often the smaller they are."""
        return var if size == self.sizes[var][0] else self.emit("stream_view", (), [var], size, rate=rate)

    def tensor(self, stored: Stored) -> torch.Tensor:
        return self.tensors[stored.name]

    def local_name(self, name: str) -> str:
        """A name for something stored, under the current module's."""
        path = self.origin.frames[-1].module if self.origin.frames else ""
        return f"{path}.{name}" if path else name

    def store(self, name: str, tensor: torch.Tensor) -> str:
        """Another tensor for the weights file, under a name like this one; the name."""
        count, wanted = 1, name
        while name in self.tensors and not (
            self.tensors[name].shape == tensor.shape and torch.equal(self.tensors[name], tensor)
        ):
            count += 1
            name = f"{wanted}_{count}"
        self.tensors[name] = tensor.contiguous()
        return name
