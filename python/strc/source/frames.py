"""Filters for several operators on one frame: arrays of floats, a loop for each operator."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..ir import Instruction, Named, Param
from .floats import StreamFilter
from .functions import ONE, SMOOTH, TWO
from .literals import identifier, literal


@dataclass(frozen=True)
class InFrame:
    """How an operator is written: the statement that makes array `y` of arrays `x`, and for which instructions that holds."""

    write: Callable[["FrameText", Instruction, str, Sequence[str]], list[str]]
    holds: Callable[[Instruction], bool] = lambda _: True


class FrameText:
    """The text of a filter that takes the frames of `args`, does what `members` do, and gives those of `results`."""

    def __init__(self, sizes: Mapping[int, tuple[int, ...]], args: Sequence[int], members: Sequence[Instruction], results: Sequence[int]):
        self.sizes, self.args = sizes, args
        self.names: dict[int, str] = {}
        self.fields: list[str] = []
        self.init: list[str] = []
        self.params: tuple[Param, ...] = ()
        self.formals: list[str] = []
        lines: list[str] = []
        for number, var in enumerate(args):
            self.names[var] = f"x{number + 1}"
            lines += [f"float[{self.size(var)}] x{number + 1};", f"{self.over(var)} x{number + 1}[k] = pop();"]
        for number, member in enumerate(members):
            self.names[member.var] = f"y{number + 1}"
            lines.append(f"float[{self.size(member.var)}] y{number + 1};")
            lines += IN_FRAMES[member.op].write(self, member, f"y{number + 1}", [self.names[arg] for arg in member.args])
        lines += [f"{self.over(var)} push({self.names[var]}[k]);" for var in results]
        pops, pushes = (sum(self.size(var) for var in some) for some in (args, results))
        head = f"float->float filter NAME{'(' + ', '.join(self.formals) + ')' if self.formals else ''} {{"
        init = ["    init {", *(f"        {line}" for line in self.init), "    }"] if self.init else []
        work = [f"    work pop {pops} push {pushes} {{", *(f"        {line}" for line in lines), "    }", "}"]
        self.body = "\n".join([head, *(f"    {line}" for line in self.fields), *init, *work])

    def filter(self, name: str, owner: str) -> StreamFilter:
        return StreamFilter(name, (), f"// What {owner} makes of a frame between its windows.\n{self.body}")

    def size(self, var: int) -> int:
        return self.sizes[var][0]

    def over(self, var: int) -> str:
        return f"for (int k = 0; k < {self.size(var)}; k++)"

    def stored(self, instruction: Instruction) -> str:
        """A parameter for the prefix of a layer's stored values; its name."""
        value = str(instruction.named("weights", ""))
        path = value.split(".")
        while len(path) > 1 and not path[-1][:1].isalpha():
            path[-2:] = ["".join(path[-2:])]
        wanted, count = identifier(path[-1]) if value else "own", 1
        name = f"{wanted}_weights"  # what names stored values ends so
        while f"String {name}" in self.formals:
            count += 1
            name = f"{wanted}{count}_weights"
        self.formals.append(f"String {name}")
        self.params += (Named(name, value),)
        return name

    def product(self, instruction: Instruction, y: str, x: str, shape: str) -> list[str]:
        """A linear layer, whose stored matrix has a row for each of its results."""
        inputs, outputs = instruction.positional[:2]
        assert isinstance(outputs, int)
        rows = self.size(instruction.var) // outputs
        name = self.stored(instruction)
        self.fields += [f'tensor<float>{shape} {y}_stored = stored({name}, "weight");', f"tensor<float>[{inputs}, {outputs}] {y}_weight;"]
        self.init.append(f"{y}_weight = transpose(reshape({y}_stored, {outputs}, {inputs}), 0, 1);")
        of_rows = f"reshape({y}_x, {rows}, {inputs})" if rows > 1 else f"{y}_x"
        lines = [f"tensor {y}_x = {x};", f"tensor {y}_sums = matmul({of_rows}, {y}_weight);"]
        bias = ""
        if instruction.named("bias", True) is not False:
            self.fields.append(f'tensor<float>[{outputs}] {y}_bias = stored({name}, "bias");')
            bias = f" + {y}_bias[k]"
        if rows > 1:
            each = f"for (int k = 0; k < {outputs}; k++) {y}[s * {outputs} + k] = {y}_sums[s, k]{bias};"
            return [*lines, f"for (int s = 0; s < {rows}; s++) {each}"]
        return [*lines, f"for (int k = 0; k < {outputs}; k++) {y}[k] = {y}_sums[k]{bias};"]


def _each(frame: FrameText, instruction: Instruction, y: str, value: str) -> list[str]:
    return [f"{frame.over(instruction.var)} {y}[k] = {value};"]


def _one(frame: FrameText, instruction: Instruction, y: str, x: Sequence[str]) -> list[str]:
    function = ONE[instruction.op]
    given = dict(zip(function.names, map(literal, instruction.positional)))
    for param in instruction.params:
        if isinstance(param, Named):
            given[param.name] = literal(param.value)
    for name, value in function.defaults.items():
        given.setdefault(name, value)
    return _each(frame, instruction, y, _put(function.floats, {**given, "x": f"{x[0]}[k]"}))


def _smooth(frame: FrameText, instruction: Instruction, y: str, x: Sequence[str]) -> list[str]:
    """By way of tensors."""
    function = SMOOTH[instruction.op.removeprefix("stream_")]
    made = _put(function.floats, {"x": f"{y}_x"})
    return [f"tensor {y}_x = {x[0]};", f"tensor {y}_made = {made};", *_each(frame, instruction, y, f"{y}_made[k]")]


def _two(frame: FrameText, instruction: Instruction, y: str, x: Sequence[str]) -> list[str]:
    return _each(frame, instruction, y, _put(TWO[instruction.op].floats, {"a": f"{x[0]}[k]", "b": f"{x[1]}[k]"}))


def _put(text: str, values: Mapping[str, str]) -> str:
    """The text with these words replaced."""
    return re.sub(r"[A-Za-z_]\w*", lambda word: values.get(word[0], word[0]), text)


def _repeat(frame: FrameText, instruction: Instruction, y: str, x: Sequence[str]) -> list[str]:
    return _each(frame, instruction, y, f"{x[0]}[0]")


def _conv(frame: FrameText, instruction: Instruction, y: str, x: Sequence[str]) -> list[str]:
    inputs, outputs = instruction.positional[:2]
    return frame.product(instruction, y, x[0], f"[{outputs}, {inputs}, 1]")


def _linear(frame: FrameText, instruction: Instruction, y: str, x: Sequence[str]) -> list[str]:
    inputs, outputs = instruction.positional[:2]
    return frame.product(instruction, y, x[0], f"[{outputs}, {inputs}]")


def _is_pointwise(instruction: Instruction) -> bool:
    ways = [instruction.named(name, 1) for name in ("stride", "groups")]
    return instruction.positional[2] == 1 and ways == [1, 1]


IN_FRAMES: dict[str, InFrame] = {
    **{op: InFrame(_one) for op in ONE},
    **{f"stream_{op}": InFrame(_smooth) for op in SMOOTH},
    **{op: InFrame(_two) for op in TWO},
    "stream_repeat": InFrame(_repeat),
    "stream_conv1d": InFrame(_conv, _is_pointwise),
    "stream_linear": InFrame(_linear),
}
