"""Schedules as data: loop trees of firings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Firing:
    """A filter, splitter or joiner, by its path, fires `count` times."""

    count: int
    node: str


@dataclass(frozen=True)
class Loop:
    """Steps that are done `count` times one after the other."""

    count: int
    steps: tuple[Firing | Loop, ...]


Step = Firing | Loop


@dataclass(frozen=True)
class Schedule:
    """What is done once, and what is done over and over."""

    init: tuple[Step, ...]
    steady: tuple[Step, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    def firings(self, node: str) -> int:
        """Of a node in one steady state."""
        return sum(times for times, step in flat(self.steady) if step.node == node)


def flat(steps: tuple[Step, ...], times: int = 1) -> Iterator[tuple[int, Firing]]:
    """All firings, with how often each is done."""
    for step in steps:
        if isinstance(step, Firing):
            yield times * step.count, step
        else:
            yield from flat(step.steps, times * step.count)


def parse(text: str) -> Schedule:
    """The text that the compiler shows."""
    parts: dict[str, list[str]] = {"init": [], "steady": []}
    part = None
    for line in text.splitlines():
        head = re.match(r"(init|steady)\b.*:", line)
        if head:
            part = parts[head[1]]
        elif line.startswith("tape"):
            break
        elif part is not None:
            part += re.findall(r"[()]|[^\s()]+", line)
    return Schedule(steps_of(parts["init"]), steps_of(parts["steady"]), text)


def steps_of(words: list[str]) -> tuple[Step, ...]:
    """Reads `A 2 B (3 A B)`."""
    stack: list[tuple[int, list[Step]]] = [(1, [])]
    count = 1
    for i, word in enumerate(words):
        if word == "(":
            stack.append((1, []))
        elif word == ")":
            times, steps = stack.pop()
            stack[-1][1].append(Loop(times, tuple(steps)))
        elif word.isdigit() and i > 0 and words[i - 1] == "(":
            stack[-1] = (int(word), stack[-1][1])
        elif word.isdigit():
            count = int(word)
        else:
            stack[-1][1].append(Firing(count, word))
            count = 1
    return tuple(stack[0][1])
