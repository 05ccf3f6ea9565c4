"""The streams: filters, splitters and joiners, in boxes for the modules."""

from __future__ import annotations

from ..ir import Program
from ..ir.printer import show_param
from ..streams import Call, Leaf, Node, Pass, Pick, Pipe, Region, Regroup, Split, Stream, decompose, region_of
from .dot import arrow, box, digraph, quoted


class Drawer:
    """Collects lines; every method gives the first and the last box of what it draws."""

    def __init__(self, replicate: bool):
        self.replicate = replicate
        self.lines: list[str] = []
        self.count = 0

    def new(self, label: str, **attributes: str) -> tuple[str, str]:
        self.count += 1
        name = f"n{self.count}"
        self.lines.append(box(name, label, **attributes))
        return name, name

    def region(self, region: Region) -> tuple[str, str]:
        self.count += 1
        self.lines += [f"subgraph cluster{self.count} {{", f"label={quoted(region.frame.class_name.rpartition('.')[2])};"]
        ends = self.stream(decompose(region, self.replicate))
        self.lines.append("}")
        return ends

    def node(self, node: Node) -> tuple[str, str]:
        if isinstance(node, Call) and node.region:
            return self.region(node.region)
        assert node.instruction is not None
        params = ", ".join(show_param(param) for param in node.instruction.params)
        return self.new(f"{node.instruction.op}\n{params}" if params else node.instruction.op)

    def stream(self, stream: Stream) -> tuple[str, str]:
        if isinstance(stream, Leaf):
            return self.node(stream.node)
        if isinstance(stream, (Pass, Regroup)):
            return self.new("Identity")
        if isinstance(stream, Pick):
            return self.new(f"pick\n{', '.join(stream.names or map(str, stream.numbers))}")
        if isinstance(stream, Pipe):
            ends = [self.stream(part) for part in stream.parts]
            for (_, last), (first, _) in zip(ends, ends[1:]):
                self.lines.append(arrow(last, first))
            return ends[0][0], ends[-1][1]
        return self.split(stream)

    def loop(self, region: Region, states: int) -> None:
        """A feedback loop around a region."""
        join, _ = self.new("roundrobin", shape="trapezium", style="solid")
        first, last = self.region(region)
        split, _ = self.new("roundrobin", shape="invtrapezium", style="solid")
        self.lines += [arrow(join, first), arrow(last, split), arrow(split, join, str(states))]

    def split(self, stream: Split) -> tuple[str, str]:
        split, _ = self.new("duplicate" if stream.duplicate else "roundrobin", shape="invtrapezium", style="solid")
        ends = [self.stream(branch) for branch in stream.branches]
        join, _ = self.new("roundrobin", shape="trapezium", style="solid")
        for branch, (first, last) in zip(stream.branches, ends):
            if branch.pops:
                self.lines.append(arrow(split, first, str(branch.pops)))
            if branch.pushes:
                self.lines.append(arrow(last, join, str(branch.pushes)))
        return split, join


def stream_graph(program: Program, replicate: bool = False) -> str:
    """The streams of a program as DOT."""
    drawer = Drawer(replicate)
    if program.loop:
        drawer.loop(region_of(program), len(program.loop.states))
    else:
        drawer.region(region_of(program))
    return digraph(drawer.lines)
