"""What the values of a region are called, for those who read the program: as the model calls them, where it does."""

from __future__ import annotations

import re

from .region import Call, Node, Region, Value

ASSIGNED = re.compile(r"(\w+(?:\s*,\s*\w+)*)\s*=[^=]")


def names_of(region: Region) -> dict[Value, str]:
    """A name for each value, no two the same."""
    ends = ends_of_lines(region)
    found: dict[Value, str] = {}
    taken: set[str] = set()

    def enter(value: Value, wanted: str) -> None:
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted}{count}"
        taken.add(name)
        found[value] = name

    for value in region.inputs:
        enter(value, "x")
    for node in region.nodes:
        assigned = targets(node) if node.var in ends else []
        for value in node.values():
            enter(value, assigned[value.index] if value.index < len(assigned) else word_for(node))
    return found


def ends_of_lines(region: Region) -> set[int]:
    """The nodes that the model's line ends with; lines that run again end each time. Calls of modules say no line."""
    found, after = set(), None
    for node in reversed(region.nodes):
        place = node.instruction.origin.place if node.instruction else None
        line = (place.file, place.line) if place and place.file else None
        if line and line != after:
            found.add(node.var)
        after = line or after
    return found


def targets(node: Node) -> list[str]:
    """The variables of `a, b = ...`."""
    text = node.instruction.origin.place.text if node.instruction else ""
    found = ASSIGNED.match(text)
    names = [name.strip() for name in found[1].split(",")] if found else []
    return names if len(names) in (0, 1, node.results) else []


def word_for(node: Node) -> str:
    """The module that makes it, or else the operator."""
    if isinstance(node, Call) and node.region:
        path, kind = node.region.frame.module, node.region.frame.class_name.rpartition(".")[2]
    else:
        assert node.instruction is not None
        path, kind = str(node.instruction.named("weights") or ""), node.instruction.op
    parts = path.split(".")
    word = parts[-1] if not parts[-1].isdigit() else "".join(parts[-2:])
    return word or kind
