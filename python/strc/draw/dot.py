"""Text in DOT."""

from __future__ import annotations

STYLE = 'node [shape=box, style=rounded, fontname="sans-serif", fontsize=10];'


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def box(name: str, label: str, **attributes: str) -> str:
    extra = "".join(f", {key}={quoted(value)}" for key, value in attributes.items())
    return f"{quoted(name)} [label={quoted(label)}{extra}];"


def arrow(one: str, other: str, label: str = "") -> str:
    return f"{quoted(one)} -> {quoted(other)}{f' [label={quoted(label)}]' if label else ''};"


def digraph(lines: list[str]) -> str:
    return "\n".join(["digraph {", f"    {STYLE}", *(f"    {line}" for line in lines), "}"]) + "\n"
