"""The captured graph and the model IR."""

from __future__ import annotations

from typing import Any

from ..ir import Program
from ..ir.printer import show_param
from .dot import arrow, box, digraph


def fx_rows(graph: Any) -> list[tuple[str, str, str, str]]:
    """Opcode, name, target and arguments of every node of a torch.fx.Graph."""
    return [(node.op, node.name, str(node.target), str(node.args)) for node in graph.nodes]


def fx_table(graph: Any) -> str:
    """The nodes as a table."""
    rows = [("opcode", "name", "target", "args"), *fx_rows(graph)]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return "".join("  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[3]]) + "\n" for row in rows)


def fx_graph(graph: Any) -> str:
    """The nodes without those that stand for stored values."""
    lines = []
    shown = {node for node in graph.nodes if node.op != "placeholder" or not node.name.startswith(("p_", "b_", "c_"))}
    for node in graph.nodes:
        if node not in shown:
            continue
        lines.append(box(node.name, f"{node.name}\n{node.target}" if node.op == "call_function" else node.name))
        lines += [arrow(source.name, node.name) for source in node.all_input_nodes if source in shown]
    return digraph(lines)


def ir_graph(program: Program) -> str:
    lines = [box(f"var{number}", f"var{number}", style="filled", fillcolor="lightgrey") for number in program.inputs]
    for instruction in program.instructions:
        params = ", ".join(show_param(param) for param in instruction.params)
        lines.append(box(f"var{instruction.var}", f"{instruction.op}\n{params}" if params else instruction.op))
        lines += [arrow(f"var{number}", f"var{instruction.var}", f"var{number}") for number in instruction.args]
    lines.append(box("return", "return", style="filled", fillcolor="lightgrey"))
    lines += [arrow(f"var{number}", "return", f"var{number}") for number in program.results]
    return digraph(lines)
