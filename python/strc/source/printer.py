"""Streams as text."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.model import Kind, Loop, State
from ..streams import Leaf, Pass, Pick, Pipe, Regroup, Split, Stream
from ..streams.tree import Names
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


def noted(line: str, names: Names) -> str:
    """A line with the names of values behind it, if they fit there."""
    text = f"{line}  // {', '.join(names)}"
    return text if names and len(text) <= WIDTH else line


def picking(stream: Pick, item: str) -> str:
    """What drops, repeats and reorders values."""
    if item == "tensor" and not stream.numbers:
        return f"separator({literal((0,) * stream.pops)})"
    if item == "tensor":
        return f"pick({stream.pops}, {literal(stream.numbers)})"
    pops = sum(stream.sizes)
    head, drop = f"float->float filter {{ work pop {pops} push {sum(stream.gives)} {{", f"for (int k = 0; k < {pops}; k++) pop();"
    if stream.in_turns:
        kept = [sum(stream.sizes[:number]) for number in stream.numbers]
        pushes = " ".join(f"push(peek(k + {place}));" if place else "push(peek(k));" for place in kept)
        return f"{head} for (int k = 0; k < {stream.gives[0]}; k++) {{ {pushes} }} {drop} }} }}"
    runs: list[list[int]] = []  # neighbours are one loop
    for number in stream.numbers:
        start, end = sum(stream.sizes[:number]), sum(stream.sizes[: number + 1])
        if runs and runs[-1][1] == start:
            runs[-1][1] = end
        else:
            runs.append([start, end])
    text = [f"for (int k = {one}; k < {end}; k++) push(peek(k));" for one, end in runs]
    return f"{head} {' '.join([*text, drop])} }} }}"


def regrouping(stream: Regroup) -> str:
    """What reads several rounds of values as one, or one as several."""
    total, times = sum(stream.sizes), stream.times
    starts = [sum(stream.sizes[:i]) for i in range(len(stream.sizes))]
    if stream.gathers:
        text = [
            f"for (int i = 0; i < {times}; i++) for (int k = 0; k < {size}; k++) push(peek(i * {total} + {start} + k));"
            for start, size in zip(starts, stream.sizes)
        ]
        pushes = " ".join(text)
    else:
        each = [f"for (int k = 0; k < {size}; k++) push(peek({start * times} + i * {size} + k));" for start, size in zip(starts, stream.sizes)]
        pushes = f"for (int i = 0; i < {times}; i++) {{ {' '.join(each)} }}"
    count = total * times
    return f"float->float filter {{ work pop {count} push {count} {{ {pushes} for (int k = 0; k < {count}; k++) pop(); }} }}"


def is_wire(stream: Stream) -> bool:
    """Has it no text?"""
    if isinstance(stream, Pipe):
        return all(map(is_wire, stream.parts))
    return isinstance(stream, Regroup) and len(stream.sizes) == 1


def tensor(kind: Kind | None) -> str:
    return "tensor" if kind is None else f"tensor<{kind.elements}>[{', '.join(map(str, kind.shape))}]"


CONVERSIONS = {"float": "{}", "long": "long({})", "int": "(int) {}", "double": "(double) {}", "boolean": "(boolean) {}"}


def first_value(state: State) -> str:
    """What a state is before the first firing."""
    if state.first is not None:
        shape = "".join(f", {size}" for size in state.shape)
        return f'stored("", {literal(state.first)}{shape if state.elements == "float" else ""})'
    return CONVERSIONS[state.elements].format(f"zeros({', '.join(map(str, state.shape))})")


class Printer:
    """The body of one definition; `texts` are taken in the order of the leaves."""

    def __init__(self, definition: Definition):
        self.definition = definition
        self.texts: Iterator[str] = iter(definition.texts)

    def parts(self, stream: Stream, indent: str) -> list[str]:
        """The statements of a pipeline."""
        lines = []
        parts = stream.parts if isinstance(stream, Pipe) else (stream,)
        for part, after in zip(parts, (*parts[1:], None)):
            # Names are told of values that are carried on, not of operands.
            lines += self.added(part, indent, "", after is not None and not isinstance(after, Leaf))
        return lines

    def added(self, stream: Stream, indent: str, instead: str = "Identity<float>()", told: bool = False) -> list[str]:
        """`instead`: what stands for a wire; nothing where it may be left out. `told`: with names of the values that go on."""
        if isinstance(stream, Leaf):
            text = next(self.texts) or instead
            return wrapped(f"add {text};", indent) if text else []
        if is_wire(stream):
            return [f"{indent}add {instead};"] if instead else []
        if isinstance(stream, Regroup):
            return [f"{indent}add {regrouping(stream)};"]
        if isinstance(stream, Pass):
            return [noted(f"{indent}add Identity<{self.definition.item}>();", stream.names if told else ())]
        if isinstance(stream, Pick):
            return [noted(f"{indent}add {picking(stream, self.definition.item)};", stream.names if self.tells else ())]
        if isinstance(stream, Pipe):
            return [f"{indent}add pipeline {{", *self.parts(stream, indent + INDENT), f"{indent}}}"]
        return self.split(stream, indent, told and self.tells)

    @property
    def tells(self) -> bool:
        """Values of streams of floats have many items, and no names here."""
        return self.definition.item == "tensor"

    def split(self, stream: Split, indent: str, told: bool) -> list[str]:
        inner = indent + INDENT
        dealt = "duplicate" if stream.duplicate else round_robin([sum(branch.takes) for branch in stream.branches])
        lines = [f"{indent}add splitjoin {{", f"{inner}split {dealt};"]
        for branch in stream.branches:
            lines += self.added(branch, inner, told=told)
        joined = round_robin([1 if stream.in_turns else sum(branch.gives) for branch in stream.branches])
        return [*lines, noted(f"{inner}join {joined};", stream.names if told else ()), f"{indent}}}"]

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
        """A feedback loop, in which the states go round. Its ends say the shapes, so that files hold many items."""
        takes = tensor(loop.taken) if self.definition.stream.pops > len(loop.states) else "void"
        ends = f"{takes}->{tensor(loop.given)}"
        known = [kind for kind in (loop.taken, loop.given) if kind]
        if not known or len({kind.elements for kind in [*known, *loop.states]}) == 1:
            return "\n".join([f"{ends} feedbackloop {self.definition.name} {{", *self.around(loop, INDENT), "}"])
        # What a loop's ends declare holds for what goes round, too.
        inner = [f"{INDENT}add feedbackloop {{", *self.around(loop, INDENT * 2), f"{INDENT}}}"]
        return "\n".join([f"{ends} pipeline {self.definition.name} {{", *inner, "}"])

    def around(self, loop: Loop, indent: str) -> list[str]:
        """The statements of a feedback loop."""
        stream, states = self.definition.stream, loop.states
        return [
            f"{indent}join roundrobin({stream.pops - len(states)}, {len(states)});",
            f"{indent}body pipeline {{",
            *self.parts(stream, indent + INDENT),
            f"{indent}}}",
            f"{indent}loop Identity<tensor>();",
            f"{indent}split roundrobin({stream.pushes - len(states)}, {len(states)});",
            *(f"{indent}enqueue {first_value(state)};" for state in states),
        ]
