"""Graphs of TorchDynamo in parts: what programs do, and what is left to PyTorch, one after the other as in the graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .graphs import Args

MOVES = {"getitem", "size", "getattr", "view", "reshape", "permute", "transpose", "t", "contiguous", "flatten", "unsqueeze", "squeeze", "detach"}
Compile = Callable[[torch.fx.GraphModule, Args], Callable[..., Any]]


def calls_of(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    return [node for node in graph.nodes if node.op.startswith("call_")]


def memories(value: Any) -> set[int]:
    """The memory of all tensors in a value, by numbers that are equal where tensors share it."""
    return {leaf.untyped_storage()._cdata for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)}


def copies(args: Args) -> list[Any]:
    """Arguments with memory of their own, in which those that share it still do."""
    kept: dict[int, torch.UntypedStorage] = {}

    def copied(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        whole = value.untyped_storage()
        storage = kept.setdefault(whole._cdata, whole.clone())
        made = torch.empty(0, dtype=value.dtype).set_(storage, value.storage_offset(), value.size(), value.stride())
        return torch._neg_view(made) if value.is_neg() else made.conj() if value.is_conj() else made

    return [copied(arg) for arg in args]


class Watched(torch.fx.Interpreter):  # type: ignore[misc]
    """A run of a graph that says which memory a node writes; all values are kept, so that no memory is used twice."""

    def __init__(self, graph: torch.fx.GraphModule):
        super().__init__(graph, garbage_collect_values=False)
        self.made: dict[str, Any] = {}
        self.written: dict[str, set[int]] = {}

    def run_node(self, node: torch.fx.Node) -> Any:
        given = pytree.tree_leaves(self.fetch_args_kwargs_from_env(node)) if node.op.startswith("call_") else []
        tensors = [one for one in given if isinstance(one, torch.Tensor)]
        before = [tensor._version for tensor in tensors]
        made = self.made[node.name] = super().run_node(node)
        self.written[node.name] = set().union(*(memories(tensor) for tensor, old in zip(tensors, before) if tensor._version != old))
        return made


def watched(graph: torch.fx.GraphModule, args: Args) -> Watched:
    """What a graph does with arguments like these, which stay as they are."""
    with torch.inference_mode(False), torch.no_grad(), torch.random.fork_rng(devices=[]):
        run = Watched(graph)
        run.run(*copies(args))
    return run


@dataclass
class Part:
    """Nodes that follow each other, and what they take and give."""

    left: bool  # to PyTorch
    nodes: list[torch.fx.Node] = field(default_factory=list)

    @property
    def taken(self) -> list[torch.fx.Node]:
        inside = set(self.nodes)
        return list(dict.fromkeys(one for node in self.nodes for one in node.all_input_nodes if one not in inside))

    @property
    def given(self) -> list[torch.fx.Node]:
        inside = set(self.nodes)
        return [node for node in self.nodes if any(user not in inside for user in node.users)]


def parts_of(graph: torch.fx.Graph, left: Iterable[str], made: dict[str, Any]) -> list[Part]:
    """The nodes of a graph in order, those that are left to PyTorch apart; elements of a tuple with what makes it."""
    names, parts = set(left), list[Part]()
    at: dict[torch.fx.Node, Part] = {}
    for node in calls_of(graph):
        is_element = node.target is operator.getitem and isinstance(made.get(node.args[0].name), (tuple, list))
        part = at.get(node.args[0]) if is_element else None
        if part is None:
            if not parts or parts[-1].left != (node.name in names):
                parts.append(Part(node.name in names))
            part = parts[-1]
        part.nodes.append(node)
        at[node] = part
    return parts


def name_of(node: torch.fx.Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def is_worth(part: Part, run: Watched, later: set[int]) -> bool:
    """Whether a part is to be a program. `later` is the memory that parts behind it write.

    A program takes and gives tensors and numbers, and its results are tensors of their own: where PyTorch would write through one into another one,
    or into an argument, they have to be PyTorch's.
    """
    taken, given = ([run.made[node.name] for node in nodes] for nodes in (part.taken, part.given))
    if not all(isinstance(value, (torch.Tensor, int, float, bool, type(None))) for value in (*taken, *given)):
        return False
    if not any(isinstance(value, torch.Tensor) for value in given) or all(name_of(node) in MOVES for node in part.nodes):
        return False
    seen = set().union(*map(memories, taken))
    for value in given:
        memory = memories(value)
        if memory & seen & later:
            return False
        seen |= memory
    return True


def in_parts(
    graph: torch.fx.GraphModule, args: Args, examples: Args, left: Iterable[str], writes: bool, compile_part: Compile
) -> torch.nn.Module | None:
    """A graph whose parts without the nodes that are `left` to PyTorch are programs; None if there are none.

    `writes`: nodes that write into arguments are left, too. `examples` are what TorchDynamo gave; `compile_part` makes a program of a part.
    """
    from torch.fx.passes.split_module import split_module

    calls = calls_of(graph.graph)
    switches = (torch.amp._enter_autocast, torch.amp._exit_autocast, torch._C._set_grad_enabled)
    # What a transform of functorch (`vmap`) makes has no memory to look at.
    if any(node.target in switches or "functorch" in (getattr(node.target, "__module__", None) or "") for node in calls):
        return None
    run, names = watched(graph, args), set(left)
    if writes:
        placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
        outside = set().union(*(memories(run.made[node.name]) for node in placeholders))
        names |= {name for name, memory in run.written.items() if memory & outside}
    if not names or not names.issubset(node.name for node in calls):
        return None  # not known where
    parts, later, made = parts_of(graph.graph, names, run.made), set[int](), []
    for part in reversed(parts):
        part.left = part.left or not is_worth(part, run, later)
        later.update(*(run.written[node.name] for node in part.nodes))
        made += [] if part.left else [part]
    if not made:
        return None
    numbers = {node: number for number, part in enumerate(parts) for node in part.nodes}
    whole: torch.nn.Module = split_module(graph, graph, numbers.__getitem__, keep_original_order=True)
    given = dict(zip((node.name for node in graph.graph.nodes if node.op == "placeholder"), examples))
    for number, part in enumerate(parts):
        if not part.left:
            name = f"submod_{number}"
            setattr(whole, name, Compiled(getattr(whole, name), given, compile_part))
    return whole


class Compiled(torch.nn.Module):  # type: ignore[misc]
    """A part as a program, which is made when it is called first."""

    def __init__(self, graph: torch.fx.GraphModule, examples: dict[str, Any], compile_part: Compile):
        super().__init__()
        output = next(node for node in graph.graph.nodes if node.op == "output")
        self.is_single = isinstance(output.args[0], torch.fx.Node)
        if self.is_single:
            output.args = ((output.args[0],),)
            graph.recompile()
        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self.run = [compile_part(graph, [examples.get(node.name, node.meta.get("example_value")) for node in nodes])]  # no module of this one

    def forward(self, *args: Any) -> Any:
        made = self.run[0](*args)
        return made[0] if self.is_single else made
