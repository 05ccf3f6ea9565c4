#!/usr/bin/env python3
"""Makes random programs whose output is known. generate.py SEED [LINES] prints program and output."""

import random
import sys
from fractions import Fraction

import bodies
import model

MOST_REPETITIONS = 4000  # firings of a steady state
MOST_FIRINGS = 40000  # of the model
RATES = [1, 1, 1, 2, 2, 3, 4, 5, 6, 8]


class Maker:
    def __init__(self, seed):
        self.rng, self.count = random.Random(seed), 0

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def arguments(self, d):
        return [
            d.fixed.get(name) or (self.rng.randrange(-9, 20) if kind == "int" else self.rng.choice([0.5, 2.0, -1.25]))
            for kind, name in d.parameters
        ]  # fmt: skip

    def instance(self, d):
        return model.Filter(d, self.arguments(d))

    def filter(self, takes, gives, pop=None, push=None, plain=False):
        if takes == gives and takes in bodies.ROUND and pop is None and self.rng.random() < 0.15:
            return self.instance(bodies.moving(self.rng, self.name("Moving"), takes))
        pop, push = pop or self.rng.choice(RATES), push or self.rng.choice(RATES)
        if self.rng.random() < 0.45:
            return self.instance(bodies.stateless_filter(self.rng, self.name("Filter"), takes, gives, pop, push))
        d = bodies.random_filter(self.rng, self.name("Filter"), takes, gives, pop, push, plain)
        return self.instance(d)

    def stream(self, takes, gives, depth):
        way = self.rng.random()
        if depth <= 0 or way < 0.3:
            return self.filter(takes, gives)
        if way < 0.6:
            return self.pipeline(takes, gives, depth)
        if way < 0.85:
            return self.splitjoin(takes, gives, depth)
        return self.feedback(takes, gives, depth)

    def named(self, made, letter):
        made.name = self.name(letter) if self.rng.random() < 0.5 else None
        return made

    def pipeline(self, takes, gives, depth):
        if takes == gives and self.rng.random() < 0.2:
            d = bodies.random_filter(self.rng, self.name("Filter"), takes, gives, 1, 1)
            children, steps = self.family(d, self.rng.randrange(2, 5))
            made = self.named(model.Pipeline(children), "Pipeline")
            made.steps = steps
            return made
        count = self.rng.randrange(2, 4)
        kinds = [takes, *(self.rng.choice(bodies.TYPES) for _ in range(count - 1)), gives]
        children = [self.stream(a, b, depth - 1) for a, b in zip(kinds, kinds[1:])]
        return self.named(model.Pipeline(children), "Pipeline")

    def family(self, d, count):
        """Filters that differ in numbers alone, and by how much each argument grows."""
        first = self.arguments(d)
        steps = [
            0 if name in d.fixed or kind != "int" else self.rng.randrange(1, 4) for kind, name in d.parameters
        ]
        given = [[a + s * i if s else a for a, s in zip(first, steps)] for i in range(count)]
        return [model.Filter(d, g) for g in given], steps

    def siblings(self, takes, gives):
        """Filters that differ in numbers, if at all."""
        pop, push = self.rng.choice((1, 1, 2, 4)), self.rng.choice((1, 1, 2, 3))
        make = bodies.stateless_filter if self.rng.random() < 0.4 else bodies.random_filter
        d = make(self.rng, self.name("Filter"), takes, gives, pop, push)
        count = self.rng.choice((2, 4, 5, 8, 16, 18))
        children, _ = self.family(d, count)
        if self.rng.random() < 0.3:
            children = [model.Filter(d, children[0].arguments) for _ in children]
        together = self.rng.random() < 0.4
        split = None if self.rng.random() < 0.4 else [d.pop if together else 1] * count
        flow = children[0].ratio(Fraction(split[0] if split else 1), [])
        join = [d.push if together and split else 1] * count
        return self.named(model.SplitJoin(split, children, join if flow else [1] * count), "SplitJoin")

    def splitjoin(self, takes, gives, depth):
        if self.rng.random() < 0.3:
            return self.siblings(takes, gives)
        count = self.rng.randrange(2, 5)
        split = None
        if self.rng.random() < 0.6:
            same = self.rng.randrange(1, 4)
            split = [self.rng.randrange(1, 5) if self.rng.random() < 0.7 else same for _ in range(count)]
        children, ratios = [], []
        for _ in range(count):
            children.append(self.stream(takes, gives, depth - 1))
            ratios.append(children[-1].ratio(Fraction(1), []))
        flows = [r * w for r, w in zip(ratios, split or [1] * count)]
        scale = model.math.lcm(*(f.denominator for f in flows))
        join = [int(f * scale) for f in flows]
        common = model.math.gcd(*join)
        join = [n // common for n in join]
        if max(join) > 60:
            return self.filter(takes, gives)
        return self.named(model.SplitJoin(split, children, join), "SplitJoin")

    def feedback(self, takes, gives, depth):
        body = self.stream(takes, gives, depth - 1)
        ratio = body.ratio(Fraction(1), [])
        join = [self.rng.randrange(1, 4), self.rng.randrange(1, 4)]
        split = [self.rng.randrange(1, 4), self.rng.randrange(1, 4)] if self.rng.random() < 0.6 else None
        around = sum(join) * ratio * (Fraction(split[1], sum(split)) if split else 1)
        needed = Fraction(join[1]) / around
        if max(needed.numerator, needed.denominator) > 12:
            return body
        times = self.rng.choice([1, 1, 2])
        loop = self.filter(gives, takes, needed.denominator * times, needed.numerator * times)
        items = [self.value(takes) for _ in range(self.rng.randrange(4))]
        made = model.FeedbackLoop(join, body, loop, split, items)
        while len(items) < 200 and not self.lives(made):
            items += [self.value(takes) for _ in range(join[1])]
            made.enqueued = items
        return self.named(made, "Loop")

    def value(self, kind):
        if kind in ("float", "double"):
            return self.rng.choice([0.5, 2.0, -1.25, 100.0])
        return self.rng.random() < 0.5 if kind == "boolean" else self.rng.randrange(2 if kind == "bit" else 50)

    def lives(self, loop):
        """Does the loop still take its input after a long time?"""
        graph, zero = model.Graph(), {"float": 0.0, "double": 0.0, "boolean": False}.get(loop.takes, 0)
        source = model.Tape([zero] * 600)
        loop.build(graph, source)
        graph.run(1, 6000)
        return len(source) < 2 * loop.join[0] or graph.busy()

    def program(self):
        depth = self.rng.choice([1, 2, 2, 3, 3])
        kinds = [self.rng.choice(bodies.TYPES) for _ in range(2)]
        source = model.Filter(bodies.counter(self.rng, self.name("Source"), kinds[0]))
        middle = self.stream(*kinds, depth)
        sink = model.Filter(bodies.sink(self.rng, self.name("Sink"), kinds[1]))
        return model.Pipeline([source, *self.varying(kinds[0]), middle, *self.varying(kinds[1]), sink])

    def varying(self, kind):
        """Now and then a filter with dynamic rates."""
        if self.rng.random() < 0.8:
            return []
        return [model.Filter(bodies.varying(self.rng, self.name("Varying"), kind))]


def literal(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


class Writer:
    """The text of a program."""

    def __init__(self):
        self.done, self.lines = set(), []

    def place_anonymous(self, word, stream, indent):
        d = stream.definition
        inner = indent + "  "
        lines = [f"{inner}{line}" for line in d.write()]
        lines[0] = f"{inner}{word} {lines[0].strip()}"
        variables = [
            f"{inner}{kind} {name} = {literal(a)};" for (kind, name), a in zip(d.parameters, stream.arguments)
        ]
        return [indent + "{", *variables, *lines, indent + "}"]

    def creator(self, stream, indent):
        if isinstance(stream, model.Filter):
            d = stream.definition
            if d.name not in self.done:
                self.done.add(d.name)
                self.lines += d.write()
            given = ", ".join(literal(a) for a in stream.arguments)
            return [f"{d.name}({given});"]
        name = getattr(stream, "name", None)
        if name is None:
            return [self.kind(stream) + " {", *self.inside(stream, indent + "  "), indent + "};"]
        inside = self.inside(stream, "  ")
        self.lines += [f"{stream.takes}->{stream.gives} {self.kind(stream)} {name} {{", *inside, "}", ""]
        return [name + ";"]

    def kind(self, stream):
        return type(stream).__name__.lower()

    def place(self, word, stream, indent):
        if isinstance(stream, model.Filter) and stream.definition.anonymous:
            return self.place_anonymous(word, stream, indent)
        lines = self.creator(stream, indent)
        return [f"{indent}{word} {lines[0]}", *lines[1:]]

    def inside(self, stream, indent):
        if isinstance(stream, model.Pipeline):
            return self.chain(stream, indent)
        split = f"{indent}split " + (f"roundrobin({weights(stream.split)});" if stream.split else "duplicate;")
        join = f"{indent}join roundrobin({weights(stream.join)});"
        if isinstance(stream, model.SplitJoin):
            return [split, *(x for c in stream.children for x in self.place("add", c, indent)), join]
        lines = [join, *self.place("body", stream.body, indent), *self.place("loop", stream.loop, indent)]
        return [*lines, split, *(f"{indent}enqueue {literal(e)};" for e in stream.enqueued)]

    def chain(self, stream, indent):
        if self.is_loop(stream):
            first = stream.children[0]
            given = [
                f"{literal(a)} + {step} * i" if step else literal(a)
                for a, step in zip(first.arguments, stream.steps)
            ]
            self.creator(first, indent)  # declares it
            head = f"{indent}for (int i = 0; i < {len(stream.children)}; i++)"
            return [head, f"{indent}  add {first.definition.name}({', '.join(given)});"]
        return [line for child in stream.children for line in self.place("add", child, indent)]

    def is_loop(self, stream):
        """Can its children be created in a loop?"""
        steps, children = getattr(stream, "steps", None), stream.children
        return bool(steps) and not children[0].definition.anonymous and all(
            child.arguments == [a + s * i if s else a for a, s in zip(children[0].arguments, steps)]
            for i, child in enumerate(children)
        )  # fmt: skip

    def program(self, stream):
        main = ["void->void pipeline Main {", *self.inside(stream, "  "), "}"]
        return "\n".join(self.lines + main) + "\n"


def weights(numbers):
    return str(numbers[0]) if len(set(numbers)) == 1 else ", ".join(map(str, numbers))


def text(stream):
    return Writer().program(stream)


def generate(seed, lines):
    """(stream, expected lines) of the first program of this seed that is small enough and prints."""
    for attempt in range(1000):
        stream = Maker(f"{seed}.{attempt}").program()
        try:
            if model.repetitions(stream) > MOST_REPETITIONS:
                continue
        except model.Unbalanced:
            continue
        expected = model.expected(stream, lines, MOST_FIRINGS)
        if len(expected) == lines:
            return stream, expected
    raise RuntimeError(f"no program for seed {seed}")


if __name__ == "__main__":
    made, output = generate(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 30)
    print(text(made) + "/*\n" + "\n".join(output) + "\n*/")
