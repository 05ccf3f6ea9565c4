"""From a program over whole sequences to one over streams."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from ..errors import ImportFailure
from ..ir import Instruction, Program
from .axis import time_of
from .builder import Builder, Refused
from .rules import PADDED, RULES
from .timing import from_its_first_frame, whole
from .values import Culprit, NotStreamable, Stored, Timed, Value


@dataclass(frozen=True)
class Streamed:
    """A program that runs for ever: `program` is over floats.

    For every `stride` frames of the input, each of `taken` numbers, there is a frame of `given` numbers, but none for the first `late` times.
    They come at once for `block` frames of the input.
    The model's last frame comes when there were `latency` more frames of the input than the model has got.
    """

    program: Program
    taken: int
    given: int
    stride: int
    late: int
    latency: int
    axes: tuple[int, int]  # the dimensions of time, in the model's input and in its result
    block: int

    def about(self) -> list[str]:
        """Comments for who uses the program."""
        one = "A number" if self.taken == 1 else f"A frame of {self.taken} numbers"
        for_each = "each" if self.stride == 1 else f"{self.stride} of them"
        result = "one number" if self.given == 1 else f"a frame of {self.given} numbers"
        lines = [f"// {one} for each time step; for {for_each} {result} comes out."]
        if self.block > self.stride:
            lines.append(f"// It works in blocks of {samples(self.block)}.")
        if self.latency:
            lines.append(f"// Latency: {samples(self.latency)}.")
        return lines


def layer_name(instruction: Instruction) -> str:
    place = instruction.origin.place
    return f"{place.module or 'the model itself'} ({place.class_name or instruction.op})"


class Streamer:
    """Reads a program in order; `run` is the way in."""

    def __init__(self, program: Program, tensors: dict[str, torch.Tensor], axis: int | None, latency: int):
        self.program = program
        self.build = Builder(program, tensors)
        self.values: dict[int, Value | tuple[Value, ...]] = {}
        self.shapes = program.shapes
        self.allowed = latency
        if len(program.inputs) != 1 or len(program.results) != 1:
            ends = f"{len(program.inputs)} inputs and {len(program.results)} results"
            raise ImportFailure(f"only a model with one input and one result can be streamed; this one has {ends}")
        shape = self.shapes[program.inputs[0]]
        self.input = Timed(program.inputs[0], shape, time_of(program) if axis is None else axis % len(shape))
        self.build.sizes[self.input.var] = (self.input.size,)

    def run(self) -> Streamed:
        self.values[self.input.var] = self.input
        for instruction in self.program.instructions:
            self.values[instruction.var] = self.instruction(instruction)
        result = self.values[self.program.results[0]]
        if not isinstance(result, Timed):
            raise ImportFailure("the model's result does not depend on its input")
        self.check(result)
        late = whole(self.build, result).offset
        result = from_its_first_frame(self.build, result)
        made = replace(
            self.program, instructions=self.build.instructions, results=(result.var,), sizes=self.build.sizes, shapes={},
        )
        frames = self.input.size, result.size
        # The last frame is number `late + steps - 1` of the stream, each of which takes `stride` of the input.
        latency = max(0, (late + result.steps) * result.stride - self.input.steps)
        return Streamed(made, *frames, result.stride, late, latency, (self.input.axis, result.axis), math.lcm(result.block, result.stride))

    def instruction(self, instruction: Instruction) -> Value | tuple[Value, ...]:
        if instruction.op == "const":
            name = str(instruction.positional[0])
            return Stored(name, tuple(self.build.tensors[name].shape))
        args = [self.values[number] for number in instruction.args]
        if len(args) == 1 and isinstance(args[0], tuple):
            return self.element(instruction, args[0])
        self.build.origin, self.build.shape = instruction.origin, self.shapes[instruction.var]
        try:
            if instruction.op not in RULES:
                raise Refused(f"'{instruction.op}' has no form that works frame by frame")
            values = [arg for arg in args if not isinstance(arg, tuple)]
            if instruction.op not in PADDED:
                values = [whole(self.build, value) for value in values]
            made = RULES[instruction.op](self.build, instruction, values)
        except Refused as reason:
            raise NotStreamable(f"{layer_name(instruction)}: {reason}", instruction.origin.place) from None
        return self.blamed(instruction, made) if isinstance(made, Timed) else made

    def element(self, instruction: Instruction, whole: tuple[Value, ...]) -> Value:
        index = instruction.positional[0]
        assert isinstance(index, int)
        if index >= len(whole):
            text = f"{layer_name(instruction)}: the state behind the last step is no result of a stream, which has no last step"
            raise NotStreamable(text, instruction.origin.place)
        return whole[index]

    def blamed(self, instruction: Instruction, made: Timed) -> Timed:
        """Who looks ahead: whose result waits for more of what is behind the end than its arguments."""
        now = made.look_ahead(self.input.steps)
        if now == 0:
            return replace(made, culprits=())
        args = [self.values[number] for number in instruction.args]
        before = max((arg.look_ahead(self.input.steps) for arg in args if isinstance(arg, Timed)), default=0)
        if now <= before:
            return made
        return replace(made, culprits=(*made.culprits, Culprit(layer_name(instruction), instruction.origin.place, now - before)))

    def check(self, result: Timed) -> None:
        needed = result.look_ahead(self.input.steps)
        if needed <= self.allowed:
            return
        lines = [f"  {c.op} looks {samples(c.samples)} ahead\n    {c.place}" for c in result.culprits]
        head = f"the model is not causal: its result waits for {samples(needed)} that come later; --latency {needed} permits that:"
        raise ImportFailure("\n".join([head, *lines]))


def samples(count: int) -> str:
    return "1 sample" if count == 1 else f"{count} samples"


def streamed(program: Program, tensors: dict[str, torch.Tensor], axis: int | None = None, latency: int = 0) -> Streamed:
    """The program frame by frame. Raises `ImportFailure` for what is not causal, or only with a larger latency.

    `axis` is the dimension of the input that counts time; None: that along which its layers go. Stored values that are needed in another
    form are added to `tensors`.
    """
    return Streamer(program, tensors, axis, latency).run()


