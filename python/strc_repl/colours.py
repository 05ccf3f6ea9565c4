"""Colours of what is typed: the core says what is what, here stands which colour that has."""

from __future__ import annotations

import os
from typing import Callable

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from strc_repl.core import Core

SOON = 0.3  # seconds after which a key is shown without colours
# The terminal's own colours, so that they suit its background.
STYLE = Style.from_dict(
    {
        "prompt": "ansigreen",
        "prompt.more": "ansibrightblack",
        "token.keyword": "ansiblue bold",
        "token.type": "ansicyan",
        "token.number": "ansimagenta",
        "token.string": "ansigreen",
        "token.comment": "ansibrightblack italic",
        "token.stream": "ansiyellow",
        "token.struct": "ansicyan",
        "token.function": "ansiyellow",
        "token.instance": "ansiyellow",
        "token.command": "ansiblue bold",
        "matching-bracket.cursor": "noinherit bold",
        "matching-bracket.other": "noinherit bold",
        "completion-menu": "bg:ansiwhite fg:ansiblack",
        "completion-menu.completion.current": "reverse",
        "completion-menu.meta.completion": "bg:ansiwhite fg:ansiblack",
        "completion-menu.meta.completion.current": "reverse",
    }
)


def wanted() -> bool:
    return not os.environ.get("NO_COLOR")


def depth() -> ColorDepth:
    return ColorDepth.DEFAULT if wanted() else ColorDepth.DEPTH_1_BIT


class TokenLexer(Lexer):
    """Asks the core what the input consists of, once for each text."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.text = ""
        self.lines: list[StyleAndTextTuples] = []

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        if document.text != self.text or not self.lines:
            self.text = document.text
            self.lines = coloured(document.text, self.tokens(document.text))
        lines = self.lines
        return lambda number: lines[number] if number < len(lines) else []

    def tokens(self, text: str) -> list[tuple[int, int, str]]:
        if not text.strip() or not wanted():
            return []
        found: list[tuple[int, int, str]] = self.core.ask("tokens", SOON, text=text).get("tokens", [])
        return found


def coloured(text: str, tokens: list[tuple[int, int, str]]) -> list[StyleAndTextTuples]:
    """The lines of the text as pieces with the class of their token."""
    lines: list[StyleAndTextTuples] = [[]]

    def put(style: str, piece: str) -> None:
        first, *others = piece.split("\n")
        if first:
            lines[-1].append((style, first))
        for other in others:
            lines.append([(style, other)] if other else [])

    done = 0
    for begin, end, kind in tokens:
        put("", text[done:begin])
        put("class:token." + kind, text[begin:end])
        done = end
    put("", text[done:])
    return lines
