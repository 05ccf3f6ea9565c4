"""What the generated programs mean, computed without strc: numbers, tapes and a graph that fires.

A stream is one of these classes; `text` of a program and its meaning are made from the same tree, but
from different words: a filter carries its body both in StreamIt and in Python.
"""

import ctypes
import math
from fractions import Fraction


def wrap(value):
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def f32(value):
    return ctypes.c_float(value).value


def quotient(a, b):
    magnitude = abs(a) // abs(b)
    return wrap(magnitude if (a < 0) == (b < 0) else -magnitude)


def remainder(a, b):
    return wrap(a - b * quotient(a, b)) if b != -1 else 0


def divide(a, b):
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def f32_divide(a, b):
    return f32(divide(a, b))


def root(value):
    return f32(math.sqrt(value)) if value >= 0 else math.nan


def to_int(value):
    if math.isnan(value):
        return 0
    if value <= -2147483648.0:
        return -2147483648
    return 2147483647 if value >= 2147483647.0 else int(value)


def shortest(value, rounded=f32, most=9):
    """A binary32 as Java prints it, with the fewest digits that identify it, which are at most `most`."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    value = abs(value)
    if value == 0:
        return sign + "0.0"
    text = next(t for t in (f"{value:.{p}e}" for p in range(most)) if rounded(float(t)) == value)
    mantissa, exponent = text.split("e")
    digits, exponent = mantissa.replace(".", "").rstrip("0") or "0", int(exponent)
    if not 1e-3 <= value < 1e7:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    digits = digits.ljust(exponent + 1, "0")
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :] or '0'}"


def printed(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return shortest(value) if isinstance(value, float) else str(value)


def printed_double(value):
    return shortest(value, float, 17)


WORDS = {
    "W": wrap, "F": f32, "DIV": quotient, "REM": remainder, "FDIV": f32_divide, "INT": to_int,
    "DDIV": divide, "ROOT": root, "TEXT": printed, "DTEXT": printed_double,
}  # fmt: skip


class Unbalanced(Exception):
    """The rates of two ways differ."""


class Tape:
    def __init__(self, items=()):
        self.items, self.first = list(items), 0

    def __len__(self):
        return len(self.items) - self.first

    def pop(self):
        assert self.first < len(self.items)
        self.first += 1
        item = self.items[self.first - 1]
        if self.first > 256:
            del self.items[: self.first]
            self.first = 0
        return item

    def peek(self, index):
        assert 0 <= index < len(self)
        return self.items[self.first + index]

    def push(self, item):
        self.items.append(item)


class Actor:
    """needs(): pairs of a tape and the items it must hold; fire(): one firing."""

    def __init__(self, needs, fire):
        self.needs, self.fire = needs, fire

    def ready(self):
        return all(len(tape) >= count for tape, count in self.needs())


class Graph:
    def __init__(self):
        self.actors, self.lines = [], []

    def add(self, needs, fire):
        self.actors.append(Actor(needs, fire))

    def run(self, lines, firings):
        """Fires the actor that stands last and can fire, until so many lines are there."""
        for _ in range(firings):
            actor = next((a for a in reversed(self.actors) if a.ready()), None)
            if actor is None or len(self.lines) >= lines:
                break
            actor.fire()
        return self.lines[:lines]

    def busy(self):
        return any(actor.ready() for actor in self.actors)


class Filter:
    """A filter of a definition (text, Python class, rates) with arguments."""

    def __init__(self, definition, arguments=()):
        self.definition, self.arguments = definition, list(arguments)
        self.takes, self.gives = definition.takes, definition.gives

    def ratio(self, rate, reps):
        d = self.definition
        reps.append(rate / d.pop if d.pop else Fraction(1))
        return reps[-1] * d.push

    def build(self, graph, source):
        d, out = self.definition, Tape()
        instance = d.make(self.arguments, source, out, graph.lines)

        def needs():
            if d.wants:
                return ((source, instance.wants()),)
            if instance.fresh:
                return ((source, max(d.first_peek, d.first_pop)),) if source is not None else ()
            return ((source, max(d.peek, d.pop)),) if source is not None else ()

        graph.add(needs, instance.fire)
        return out


class Pipeline:
    def __init__(self, children):
        self.children = children
        self.takes, self.gives = children[0].takes, children[-1].gives

    def ratio(self, rate, reps):
        for child in self.children:
            rate = child.ratio(rate, reps)
        return rate

    def build(self, graph, source):
        for child in self.children:
            source = child.build(graph, source)
        return source


class SplitJoin:
    """split: None for duplicate, else the weights."""

    def __init__(self, split, children, join):
        self.split, self.children, self.join = split, children, join
        self.takes, self.gives = children[0].takes, children[0].gives

    def ratio(self, rate, reps):
        rounds = rate / (sum(self.split) if self.split else 1)
        reps.append(rounds)
        weights = self.split or [1] * len(self.children)
        outs = {
            child.ratio(rounds * weight, reps) / joined
            for child, weight, joined in zip(self.children, weights, self.join)
        }
        if len(outs) != 1:
            raise Unbalanced
        reps.append(outs.pop())
        return reps[-1] * sum(self.join)

    def build(self, graph, source):
        ins = [Tape() for _ in self.children]
        splitter(graph, source, ins, self.split)
        outs = [child.build(graph, tape) for child, tape in zip(self.children, ins)]
        return joiner(graph, outs, self.join)


class FeedbackLoop:
    def __init__(self, join, body, loop, split, enqueued):
        self.join, self.body, self.loop, self.split = join, body, loop, split
        self.enqueued = enqueued
        self.takes, self.gives = body.takes, body.gives

    def ratio(self, rate, reps):
        rounds = rate / self.join[0]
        reps.append(rounds)
        rate = self.body.ratio(rounds * sum(self.join), reps)
        turns = rate / (sum(self.split) if self.split else 1)
        reps.append(turns)
        back = self.loop.ratio(turns * (self.split[1] if self.split else 1), reps)
        if back != rounds * self.join[1]:
            raise Unbalanced
        return turns * (self.split[0] if self.split else 1)

    def build(self, graph, source):
        back = Tape(self.enqueued)
        joined = joiner(graph, [source, back], self.join)
        made = self.body.build(graph, joined)
        out, around = Tape(), Tape()
        splitter(graph, made, [out, around], self.split)
        returned = self.loop.build(graph, around)
        returned.push = back.push  # the last tape of the way back is the one with the items
        return out


def splitter(graph, source, targets, weights):
    def fire():
        if weights is None:
            item = source.pop()
            for target in targets:
                target.push(item)
            return
        for target, weight in zip(targets, weights):
            for _ in range(weight):
                target.push(source.pop())

    need = ((source, sum(weights) if weights else 1),)
    graph.add(lambda: need, fire)


def joiner(graph, sources, weights):
    out = Tape()
    need = tuple(zip(sources, weights))

    def fire():
        for source, weight in need:
            for _ in range(weight):
                out.push(source.pop())

    graph.add(lambda: need, fire)
    return out


def repetitions(stream):
    """Firings of all actors in one steady state."""
    reps = []
    stream.ratio(Fraction(1), reps)
    common = math.lcm(*(r.denominator for r in reps))
    counts = [int(r * common) for r in reps]
    return sum(counts) // math.gcd(*counts)


def expected(stream, lines, firings):
    graph = Graph()
    stream.build(graph, None)
    return graph.run(lines, firings)
