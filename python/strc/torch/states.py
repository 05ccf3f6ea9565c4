"""Buffers that a model changes: states that go round in a feedback loop, from one firing to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind


@dataclass(frozen=True)
class Buffer:
    """A buffer that later results depend on: its placeholder, its name, its value before the first firing, and the node of its next value."""

    node: torch.fx.Node
    name: str
    first: torch.Tensor
    after: torch.fx.Node


def output_of(program: ExportedProgram) -> torch.fx.Node:
    return next(node for node in program.graph.nodes if node.op == "output")


def returned_by(program: ExportedProgram) -> list[Any]:
    """What the model returns, without the next values of what it changes."""
    kinds = [spec.kind for spec in program.graph_signature.output_specs]
    return [one for one, kind in zip(output_of(program).args[0], kinds, strict=True) if kind == OutputKind.USER_OUTPUT]


def behind(nodes: list[Any]) -> set[torch.fx.Node]:
    """All that nodes are computed from, and they themselves."""
    found: set[torch.fx.Node] = set()
    waiting = [node for node in nodes if isinstance(node, torch.fx.Node)]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(node.all_input_nodes)
    return found


def changed_buffers(program: ExportedProgram) -> list[Buffer]:
    """The buffers that are changed and that results depend on, at once or in a later firing. A mere count of the calls is none."""
    signature = program.graph_signature
    placeholders = {signature.inputs_to_buffers[node.name]: node for node in program.graph.nodes if node.name in signature.inputs_to_buffers}
    after = {
        spec.target: one
        for one, spec in zip(output_of(program).args[0], signature.output_specs, strict=True)
        if spec.kind == OutputKind.BUFFER_MUTATION and spec.target in placeholders
    }
    used: set[str] = set()
    reached = behind(returned_by(program))
    while more := [name for name in after if name not in used and placeholders[name] in reached]:
        used.update(more)
        reached |= behind([after[name] for name in more])
    values = {**program.constants, **program.state_dict}
    return [Buffer(placeholders[name], name, values[name].detach(), after[name]) for name in after if name in used]
