"""Graphs as streams: whatever the graph, the stream computes the same, and every operator once."""

import random
from collections import Counter

import pytest
from support import golden

from strc.ir import parse
from strc.passes import eliminate_dead
from strc.source import source_of
from strc.streams import Leaf, Pass, Pick, Pipe, decompose, region_of, with_ends


def flow(stream, items, fired):
    """What a stream pushes for some items; `fired` counts the operators."""
    assert len(items) == stream.pops
    if isinstance(stream, Leaf):
        fired[stream.node.var] += 1
        made = (stream.node.instruction.op, stream.node.instruction.params, tuple(items))
        return [(made, index) for index in range(stream.node.results)]
    if isinstance(stream, Pass):
        return list(items)
    if isinstance(stream, Pick):
        return [items[number] for number in stream.numbers]
    if isinstance(stream, Pipe):
        for part in stream.parts:
            items = flow(part, items, fired)
        return items
    pushed, at = [], 0
    for branch in stream.branches:
        taken = items if stream.duplicate else items[at : at + branch.pops]
        at += 0 if stream.duplicate else branch.pops
        pushed += flow(branch, taken, fired)
    return pushed


def values_of(region, inputs):
    """The same by the graph."""
    known = dict(zip(region.inputs, inputs))
    for node in region.nodes:
        made = (node.instruction.op, node.instruction.params, tuple(known[arg] for arg in node.args))
        known.update((value, (made, value.index)) for value in node.values())
    return [known[value] for value in region.outputs]


def random_program(source):
    inputs = source.randint(1, 3)
    known, lines = [f"var{i}" for i in range(inputs)], []
    for i in range(source.randint(1, 14)):
        name = f"var{inputs + i}"
        recent = known[-source.choice([2, 4, 20]) :]
        count = source.choice([0, 1, 1, 1, 2, 2, 3])
        args = ", ".join(source.choice(recent) for _ in range(count))
        op = source.choice([f"f<{i}>", f"f<{i}>", "lstm"]) if count == 1 else f"f<{i}>"
        lines.append(f"{name} = {op}({args})")
        if op == "lstm":
            lines[-1:] = [f"var{100 + i} = lstm<{i}>({args})", f"{name} = getitem<{source.randint(0, 2)}>(var{100 + i})"]
            if source.random() < 0.5:
                lines.append(f"var{200 + i} = getitem<{source.randint(0, 2)}>(var{100 + i})")
                known.append(f"var{200 + i}")
        known.append(name)
    results = source.sample(known, k=min(len(known), source.randint(1, 4)))
    return parse("\n".join([*lines, f"return ({', '.join(results)})"]))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("replicate", [False, True])
def test_random_graphs(seed, replicate):
    source = random.Random(seed)
    for _ in range(150):
        program = eliminate_dead(random_program(source))
        region = region_of(program)
        inputs = [f"in{i}" for i in range(len(region.inputs))]
        fired = Counter()
        if not inputs:
            continue
        assert flow(decompose(region, replicate), inputs, fired) == values_of(region, inputs)
        assert set(fired) == {node.var for node in region.nodes}
        assert replicate or set(fired.values()) <= {1}


WIRES = """var3 = sub(var2, var0)
var4 = split<[1, 2], 0>(var3)
var5 = getitem<1>(var4)
var6 = getitem<0>(var4)
return (var5, var6, var5, var0)
"""


def test_order_of_inputs_and_outputs():
    golden("wires.str", source_of(parse(WIRES, "Wires")))


@pytest.mark.parametrize("seed", range(4))
def test_ends_for_files(seed):
    source = random.Random(seed)
    for _ in range(100):
        program = eliminate_dead(random_program(source))
        region = region_of(program)
        if not region.inputs:
            continue
        inputs = [f"in{i}" for i in range(len(region.inputs))]
        stream = with_ends(decompose(region))
        assert flow(stream, inputs, Counter()) == values_of(region, inputs)
        first, last = (stream.parts[0], stream.parts[-1]) if isinstance(stream, Pipe) else (stream, stream)
        assert len(inputs) == 1 or (not first.duplicate and len(first.branches) == len(inputs))
        assert len(region.outputs) == 1 or len(last.branches) == len(region.outputs)


def test_a_long_chain_is_quick():
    lines = [f"var{i + 1} = relu(var{i})" for i in range(3000)]
    stream = decompose(region_of(parse("\n".join([*lines, "return (var3000)"]))))
    assert isinstance(stream, Pipe) and len(stream.parts) == 3000
