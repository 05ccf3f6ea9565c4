"""Reads the text of the model IR."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .model import Instruction, Named, Param, Program, Slice

TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<float>-?\d+\.\d*(?:[eE][+-]?\d+)?|-?\d+[eE][+-]?\d+)
      | (?P<int>-?\d+)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<mark>[=<>(),\[\]])""",
    re.X,
)
UNESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
WORDS: dict[str, Param] = {"True": True, "False": False, "None": None}


class IrSyntaxError(ValueError):
    """Text that is not the model IR; says the line."""


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    line: int


def tokens_of(text: str) -> list[Token]:
    found, at, line = [], 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise IrSyntaxError(f"line {line}: unexpected {text[at]!r}")
        kind = match.lastgroup or ""
        if kind != "space":
            found.append(Token(kind, match.group(), line))
        line += match.group().count("\n")
        at = match.end()
    return [*found, Token("end", "the end of the text", line)]


class Reader:
    """Recursive descent, one method a rule of the grammar."""

    def __init__(self, text: str):
        self.tokens = tokens_of(text)
        self.at = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def fail(self, wanted: str) -> IrSyntaxError:
        return IrSyntaxError(f"line {self.here.line}: expected {wanted}, found {self.here.text}")

    def take(self, kind: str, wanted: str) -> str:
        if self.here.kind != kind:
            raise self.fail(wanted)
        self.at += 1
        return self.tokens[self.at - 1].text

    def meets(self, mark: str) -> bool:
        if self.here.text != mark or self.here.kind not in ("mark", "name"):
            return False
        self.at += 1
        return True

    def mark(self, mark: str) -> None:
        if not self.meets(mark):
            raise self.fail(f"'{mark}'")

    def variable(self) -> int:
        match = re.fullmatch(r"var(\d+)", self.here.text)
        if self.here.kind != "name" or not match:
            raise self.fail("a variable (var0)")
        self.at += 1
        return int(match.group(1))

    def variables(self) -> tuple[int, ...]:
        self.mark("(")
        found: list[int] = []
        while not self.meets(")"):
            if found:
                self.mark(",")
            found.append(self.variable())
        return tuple(found)

    def bound(self) -> int | None:
        if self.meets("None"):
            return None
        return int(self.take("int", "an int or None"))

    def slice(self) -> Slice:
        self.mark("(")
        bounds = [self.bound()]
        for _ in range(2):
            self.mark(",")
            bounds.append(self.bound())
        self.mark(")")
        return Slice(*bounds)

    def params(self, end: str) -> tuple[Param, ...]:
        found: list[Param] = []
        while not self.meets(end):
            if found:
                self.mark(",")
            found.append(self.param())
        return tuple(found)

    def word(self) -> Param:
        word = self.take("name", "a parameter")
        if word in WORDS:
            return WORDS[word]
        if word == "slice" and self.here.text == "(":
            return self.slice()
        self.mark("=")
        return Named(word, self.param())

    def param(self) -> Param:
        kind = self.here.kind
        if kind == "int":
            return int(self.take("int", "an int"))
        if kind == "float":
            return float(self.take("float", "a float"))
        if kind == "string":
            inner = self.take("string", "a string")[1:-1]
            return re.sub(r"\\(.)", lambda match: UNESCAPED.get(match[1], match[1]), inner)
        if self.meets("["):
            return self.params("]")
        return self.word()

    def instruction(self) -> Instruction:
        variable = self.variable()
        self.mark("=")
        op = self.take("name", "an operator")
        params = self.params(">") if self.meets("<") else ()
        return Instruction(variable, op, params, self.variables())

    def program(self) -> tuple[list[Instruction], tuple[int, ...]]:
        instructions = []
        while not self.meets("return"):
            instructions.append(self.instruction())
        results = self.variables()
        if not results:
            raise self.fail("at least one result")
        self.take("end", "the end of the text")
        return instructions, results


def check(instructions: list[Instruction], inputs: set[int]) -> None:
    """Every variable is made once, before it is used."""
    made = set(inputs)
    for instruction in instructions:
        late = [number for number in instruction.args if number not in made]
        if late:
            raise IrSyntaxError(f"var{late[0]} is used by var{instruction.var} before it is made")
        if instruction.var in made:
            raise IrSyntaxError(f"var{instruction.var} is made twice")
        made.add(instruction.var)


def parse(text: str, name: str = "Model") -> Program:
    """Reads a program; the variables that nothing makes are its inputs. Raises `IrSyntaxError`."""
    instructions, results = Reader(text).program()
    made = {instruction.var for instruction in instructions}
    used = {number for instruction in instructions for number in instruction.args} | set(results)
    inputs = used - made
    check(instructions, inputs)
    return Program(tuple(sorted(inputs)), instructions, results, name)
