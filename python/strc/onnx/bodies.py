"""What an operator is made of: functions of a model, and those that the standard defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx

from .registry import Node


@dataclass(frozen=True)
class Body:
    """Nodes with the names of what goes in and out. Attributes that refer to those of the call have their values."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[onnx.NodeProto, ...]
    opsets: Mapping[str, int]

    @staticmethod
    def of(function: onnx.FunctionProto, given: Mapping[str, Any]) -> Body:
        defaults = {attribute.name: attribute for attribute in function.attribute_proto}
        nodes = tuple(bound(node, given, defaults) for node in function.node)
        opsets = {{"ai.onnx": ""}.get(one.domain, one.domain): one.version for one in function.opset_import}
        return Body(tuple(function.input), tuple(function.output), nodes, opsets)


def bound(node: onnx.NodeProto, given: Mapping[str, Any], defaults: Mapping[str, onnx.AttributeProto]) -> onnx.NodeProto:
    """A node with the call's attributes in place of references to them."""
    if not any(attribute.ref_attr_name or attribute.HasField("g") for attribute in node.attribute):
        return node
    made = onnx.NodeProto()
    made.CopyFrom(node)
    del made.attribute[:]
    for attribute in node.attribute:
        wanted = attribute.ref_attr_name
        if not wanted:
            kept = made.attribute.add()
            kept.CopyFrom(attribute)
            if attribute.HasField("g"):
                inner = [bound(one, given, defaults) for one in attribute.g.node]
                del kept.g.node[:]
                kept.g.node.extend(inner)
        elif wanted in given:
            made.attribute.append(onnx.helper.make_attribute(attribute.name, given[wanted], attr_type=attribute.type or None))
        elif wanted in defaults:
            kept = made.attribute.add()
            kept.CopyFrom(defaults[wanted])
            kept.name = attribute.name
    return made


def sources(nodes: Sequence[onnx.NodeProto], name: str) -> list[str]:
    """The values from outside of the nodes that one of their values, or of the graphs within them, is computed from."""
    inner = [one for node in nodes for graph in within(node) for one in graph.node]
    makers = {result: node for node in (*inner, *nodes) for result in node.output}
    waiting, seen = [name], {name}
    found = []
    while waiting:
        one = waiting.pop()
        if one not in makers:
            found.append(one)
            continue
        used = [value for graph in within(makers[one]) for node in graph.node for value in node.input]
        new = [value for value in (*makers[one].input, *used) if value and value not in seen]
        seen.update(new)
        waiting.extend(new)
    return found


def within(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """The graphs within a node, and theirs."""
    graphs = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    return [*graphs, *(deeper for graph in graphs for one in graph.node for deeper in within(one))]


def body_of(node: Node, types: Sequence[onnx.TypeProto]) -> Body | None:
    """The body that the standard gives for an operator; None if it is made of nothing else."""
    try:
        schema = onnx.defs.get_schema(node.op, node.opset, node.domain)
    except onnx.defs.SchemaError:
        return None
    attributes = {name: a.default_value for name, a in schema.attributes.items() if a.default_value.name}
    given = {name: onnx.helper.get_attribute_value(value) for name, value in attributes.items()}
    given.update(node.attributes)
    if schema.has_function:
        versions = [version for version in schema.function_opset_versions if version <= node.opset]
        text = schema.get_function_with_opset_version(versions[-1]) if versions else None
    elif schema.has_context_dependent_function:
        versions = [version for version in schema.context_dependent_function_opset_versions if version <= node.opset]
        call = onnx.helper.make_node(node.op, node.inputs, node.outputs, domain=node.domain, **node.attributes)
        kinds = [one.SerializeToString() for one in types]
        text = schema.get_context_dependent_function_with_opset_version(versions[-1], call.SerializeToString(), kinds) if versions else None
    else:
        text = None
    if not text:
        return None
    function = onnx.FunctionProto()
    function.ParseFromString(text)
    if not function.opset_import:
        function.opset_import.append(onnx.helper.make_opsetid("", node.opset))
    return Body.of(function, given)
