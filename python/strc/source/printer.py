"""Streams as text."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.model import Loop, Shape
from ..streams import Leaf, Pass, Pipe, Separator, Split, Stream
from .definitions import Definition
from .literals import literal

INDENT = "    "
WIDTH = 100


def round_robin(weights: list[int]) -> str:
    if all(weight == 1 for weight in weights):
        return "roundrobin"
    return f"roundrobin({', '.join(map(str, weights))})"


def arguments_of(text: str) -> list[str]:
    """A text cut behind the commas that are in no braces."""
    pieces, depth, quoted, start = [], 0, False, 0
    for i, letter in enumerate(text):
        quoted ^= letter == '"' and text[i - 1] != "\\"
        depth += 0 if quoted else (letter == "{") - (letter == "}")
        if letter == "," and not depth and not quoted:
            pieces.append(text[start : i + 1])
            start = i + 1
    return [piece.strip() for piece in [*pieces, text[start:]]]


def wrapped(text: str, indent: str, further: str = INDENT) -> list[str]:
    """A line, broken behind commas where it is too long, as `strc fmt` does it; `further` is the indent of what follows."""
    lines, line = [], indent
    for i, piece in enumerate(arguments_of(text)):
        if i and len(line) + 1 + len(piece) > WIDTH:
            lines.append(line)
            line = indent + further + piece
        else:
            line += f" {piece}" if i else piece
    return [*lines, line]


def passing(count: int) -> str:
    """What lets values go by. A firing of Identity takes one item, and all its firings have to see the same shape."""
    return "Identity<tensor>()" if count == 1 else f"separator({literal((1,) * count)})"


def tensor(shape: Shape | None) -> str:
    return "tensor" if shape is None else f"tensor<float>[{', '.join(map(str, shape))}]"


class Printer:
    """The body of one definition; `texts` are taken in the order of the leaves."""

    def __init__(self, definition: Definition):
        self.definition = definition
        self.texts: Iterator[str] = iter(definition.texts)

    def parts(self, stream: Stream, indent: str) -> list[str]:
        """The statements of a pipeline."""
        lines = []
        for part in stream.parts if isinstance(stream, Pipe) else (stream,):
            lines += self.added(part, indent)
        return lines

    def added(self, stream: Stream, indent: str) -> list[str]:
        if isinstance(stream, Leaf):
            return wrapped(f"add {next(self.texts)};", indent)
        if isinstance(stream, Pass):
            return [f"{indent}add {passing(stream.count)};"]
        if isinstance(stream, Separator):
            return [f"{indent}add separator({literal(stream.weights)});"]
        if isinstance(stream, Pipe):
            return [f"{indent}add pipeline {{", *self.parts(stream, indent + INDENT), f"{indent}}}"]
        return self.split(stream, indent)

    def split(self, stream: Split, indent: str) -> list[str]:
        inner = indent + INDENT
        dealt = "duplicate" if stream.duplicate else round_robin([branch.pops for branch in stream.branches])
        lines = [f"{indent}add splitjoin {{", f"{inner}split {dealt};"]
        for branch in stream.branches:
            lines += self.added(branch, inner)
        joined = round_robin([branch.pushes for branch in stream.branches])
        return [*lines, f"{inner}join {joined};", f"{indent}}}"]

    def text(self) -> str:
        """The whole definition."""
        if self.definition.loop:
            return self.loop(self.definition.loop)
        parameters = ", ".join(f"{parameter.type} {parameter.name}" for parameter in self.definition.parameters)
        ends = f"{self.definition.takes}->tensor" if self.definition.stream.pops else "void->tensor"
        head = f"{ends} pipeline {self.definition.name}{f'({parameters})' if parameters else ''} {{"
        return "\n".join([*wrapped(head, "", INDENT * 2), *self.parts(self.definition.stream, INDENT), "}"])

    def loop(self, loop: Loop) -> str:
        """A feedback loop, in which the states go round and begin as zeros. Its ends say the shapes, so that files hold many items."""
        stream, states = self.definition.stream, loop.states
        lines = [f"{tensor(loop.taken)}->{tensor(loop.given)} feedbackloop {self.definition.name} {{"]
        lines.append(f"{INDENT}join roundrobin({stream.pops - len(states)}, {len(states)});")
        lines += [f"{INDENT}body pipeline {{", *self.parts(stream, INDENT * 2), f"{INDENT}}}"]
        lines.append(f"{INDENT}loop {passing(len(states))};")
        lines.append(f"{INDENT}split roundrobin({stream.pushes - len(states)}, {len(states)});")
        lines += [f"{INDENT}enqueue zeros({', '.join(map(str, shape))});" for shape in states]
        return "\n".join([*lines, "}"])
