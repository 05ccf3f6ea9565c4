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


def passing(count: int, item: str = "tensor") -> str:
    """What lets values go by. A firing of Identity takes one item, and all its firings have to see the same shape."""
    return f"Identity<{item}>()" if count == 1 or item != "tensor" else f"separator({literal((1,) * count)})"


def separating(stream: Separator, item: str) -> str:
    """What drops and repeats values."""
    if item == "tensor":
        return f"separator({literal(stream.weights)})"
    pops, start = sum(stream.sizes), 0
    head, drop = f"float->float filter {{ work pop {pops} push {sum(stream.gives)} {{", f"for (int k = 0; k < {pops}; k++) pop();"
    if stream.in_turns:
        kept = [sum(stream.sizes[:i]) for i, weight in enumerate(stream.weights) if weight]
        pushes = " ".join(f"push(peek(k + {place}));" if place else "push(peek(k));" for place in kept)
        return f"{head} for (int k = 0; k < {stream.gives[0]}; k++) {{ {pushes} }} {drop} }} }}"
    runs: list[list[int]] = []  # neighbours that are kept once are one loop
    for size, weight in zip(stream.sizes, stream.weights):
        if weight == 1 and runs and runs[-1][1] == start:
            runs[-1][1] += size
        else:
            runs += [[start, start + size]] * weight
        start += size
    text = [f"for (int k = {one}; k < {end}; k++) push(peek(k));" for one, end in runs]
    return f"{head} {' '.join([*text, drop])} }} }}"


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
            lines += self.added(part, indent, "")
        return lines

    def added(self, stream: Stream, indent: str, instead: str = "Identity<float>()") -> list[str]:
        """`instead`: what stands for a wire; nothing where it may be left out."""
        if isinstance(stream, Leaf):
            text = next(self.texts) or instead
            return wrapped(f"add {text};", indent) if text else []
        if isinstance(stream, Pass):
            return [f"{indent}add {passing(stream.pops, self.definition.item)};"]
        if isinstance(stream, Separator):
            return [f"{indent}add {separating(stream, self.definition.item)};"]
        if isinstance(stream, Pipe):
            return [f"{indent}add pipeline {{", *self.parts(stream, indent + INDENT), f"{indent}}}"]
        return self.split(stream, indent)

    def split(self, stream: Split, indent: str) -> list[str]:
        inner = indent + INDENT
        dealt = "duplicate" if stream.duplicate else round_robin([sum(branch.takes) for branch in stream.branches])
        lines = [f"{indent}add splitjoin {{", f"{inner}split {dealt};"]
        for branch in stream.branches:
            lines += self.added(branch, inner)
        joined = round_robin([1 if stream.in_turns else sum(branch.gives) for branch in stream.branches])
        return [*lines, f"{inner}join {joined};", f"{indent}}}"]

    def text(self) -> str:
        """The whole definition."""
        if self.definition.loop:
            return self.loop(self.definition.loop)
        parameters = ", ".join(f"{parameter.type} {parameter.name}" for parameter in self.definition.parameters)
        item = self.definition.item
        takes = item if item != "tensor" else self.definition.takes
        ends = f"{takes}->{item}" if self.definition.stream.pops else f"void->{item}"
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
