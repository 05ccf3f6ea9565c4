"""A loop over time as a filter that is written into the program: a feedback loop around the pipeline of its step."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import Program
from ..ir.operators import weights_prefixes
from ..streams import region_of
from .definitions import Definer, Namer
from .expressions import EXPRESSIONS, Written
from .floats import FILTERS, StreamFilter
from .printer import Printer

NAME = "NAME"  # what stands for the loop's own name in the text


class InnerNamer(Namer):
    """Names that begin with the loop's own."""

    def name(self, wanted: str) -> str:
        return super().name(NAME + wanted)


def loop_filter(step: Program, written: Mapping[str, Written], sequences: int, collected: int, has_flag: bool) -> StreamFilter:
    """The loop of a step over floats, whose inputs are those of the sequences, the states, and perhaps a flag that is 1 at first and 0 ever after;
    its results are what is collected, and the states.
    """
    definer = Definer(False, {**EXPRESSIONS, **FILTERS, **written}, True)
    definer.namer = InnerNamer(set())
    body = definer.define(region_of(step), ends=False)
    blocks = [around(step, body.name, sequences, collected, has_flag), *(Printer(one).text() for one in definer.definitions)]
    for name, instruction in definer.filters.values():
        declaration = definer.declared(instruction)
        assert declaration is not None
        blocks.append(declaration.source(name, instruction))
    uses = tuple(sorted(name for one in step.instructions for name in weights_prefixes(one)))
    return StreamFilter("Loop", (), "\n\n".join(blocks), uses)


def around(step: Program, body: str, sequences: int, collected: int, has_flag: bool) -> str:
    def total(variables: tuple[int, ...]) -> int:
        return sum(step.sizes[var][0] for var in variables)

    taken, given = total(step.inputs[:sequences]), total(step.results[:collected])
    states = total(step.results[collected:])
    count = states + has_flag
    about = "// A step for each time step; what it keeps goes round."
    if not count:
        return f"{about}\nfloat->float pipeline {NAME} {{ add {body}(); }}"
    steps = f"    body {body}();"
    if has_flag:
        steps = f"    body pipeline {{\n        add {body}();\n        add {NAME}Later({given + states});\n    }}"
    lines = [about, f"float->float feedbackloop {NAME} {{", f"    join roundrobin({taken}, {count});", steps, "    loop Identity<float>;"]
    lines += [f"    split roundrobin({given}, {count});", f"    for (int k = 0; k < {states}; k++) enqueue 0.0;"]
    lines += ["    enqueue 1.0;" if has_flag else "", "}"]
    if has_flag:
        lines += [
            "", "// Behind each step: it was not the first one any more.", f"float->float filter {NAME}Later(int n) {{", "    work pop n push n + 1 {",
            "        for (int k = 0; k < n; k++) push(pop());", "        push(0);", "    }", "}",
        ]
    return "\n".join(line for line in lines if line or not lines)
