"""Graphs of TorchDynamo as modules: with parameters inside, and numbers as they were when they were called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch

from .batch import Batch

Args = Sequence[Any]
SOURCE = "strc_source"  # in the meta data that PyTorch hands on from a node to what it is made of


def is_stored(node: torch.fx.Node, example: Any) -> bool:
    """Parameters and buffers of modules arrive as arguments that stay the same tensors."""
    return isinstance(example, torch.nn.Parameter) or "_dynamo_static_input_type" in node.meta.get("tensor_dict", {})


def path_of(node: torch.fx.Node) -> str:
    """`layer.0.weight`, where the module has such a path."""
    name: Any = getattr(getattr(node.meta.get("grapharg"), "source", None), "name", "")
    name = name if isinstance(name, str) else name()  # a method in older versions
    return ".".join(re.findall(r"_(?:modules|parameters|buffers)\['(\w+)'\]", name)) or node.name


def is_number(node: torch.fx.Node, example: Any) -> bool:
    """Numbers that may change, as momenta with dynamic=True, arrive as tensors of which only the value is taken."""
    takes_value = all(user.op == "call_method" and user.target == "item" for user in node.users)
    return isinstance(example, torch.Tensor) and example.dim() == 0 and bool(node.users) and takes_value


def with_numbers(graph: torch.fx.GraphModule, places: Sequence[int]) -> torch.fx.GraphModule:
    """The graph with arguments at these places that are numbers."""
    if not places:
        return graph
    plain = torch.fx.Graph()
    plain.output(plain.graph_copy(graph.graph, {}))
    nodes = [node for node in plain.nodes if node.op == "placeholder"]
    for node in (nodes[place] for place in places):
        for user in list(node.users):
            user.replace_all_uses_with(node)
            plain.erase_node(user)
    return torch.fx.GraphModule(graph, plain)


def name_sources(graph: torch.fx.Graph) -> None:
    """Lets every node of a graph that is captured say of which node of this one it is."""
    for node in graph.nodes:
        node.meta["custom"] = {**node.meta.get("custom", {}), SOURCE: node.name}


def source_of(node: torch.fx.Node) -> str | None:
    """The name of the node of the graph that was captured; None if it is none of a graph."""
    name: str | None = node.meta.get("custom", {}).get(SOURCE)
    return name


class Model(torch.nn.Module):  # type: ignore[misc]
    """A graph with its parameters inside, and with the sizes that it was called with, but for the numbers of `batch`."""

    def __init__(self, graph: torch.fx.GraphModule, args: Args, stored: dict[int, str], batch: Batch | None = None):
        super().__init__()
        name_sources(graph.graph)
        self.graph = [graph]  # in a list, so that it is no module of this one
        self.batch = batch
        self.fixed = [None if isinstance(arg, torch.Tensor) else arg for arg in args]
        self.paths: list[str | None] = [None] * len(args)
        for place, path in stored.items():
            self.paths[place] = self.store(path, args[place])
        self.eval()  # the mode in which the graph was traced stands in the arguments of its operators

    def store(self, path: str, tensor: torch.Tensor) -> str:
        """Under its path, in modules that hold nothing else; or beside it, if there is something else already."""
        holder: torch.nn.Module = self
        *parts, name = path.split(".")
        for part in parts:
            if not isinstance(getattr(holder, part, None), torch.nn.Module):
                holder.add_module(part, torch.nn.Module())
            holder = getattr(holder, part)
        while hasattr(holder, name):
            name, path = name + "_", path + "_"
        holder.register_buffer(name, tensor.detach())
        return path

    def forward(self, *tensors: torch.Tensor) -> Any:
        given = iter(tensors)
        args: list[Any] = []
        for fixed, path in zip(self.fixed, self.paths):
            args.append(self.get_buffer(path) if path is not None else next(given) if fixed is None else fixed)
        if self.batch:
            count = self.batch.count(args)
            for place in self.batch.numbers:
                args[place] = count
        with torch.fx.traceback.preserve_node_meta():  # the model's own lines
            return torch.fx.Interpreter(self.graph[0]).run(*args)
