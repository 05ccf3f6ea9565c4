"""A program around a streamed one that reads and writes a file for each of its ends."""

from __future__ import annotations

from collections.abc import Sequence

from ..streams.region import Value
from ..streams.weights import weights
from .streamed import Streamed


def items_of(streamed: Streamed, variables: Sequence[int]) -> tuple[int, ...]:
    """How many numbers of each of these follow each other where they share a stream."""
    program = streamed.program
    return weights([Value(var, 0, program.sizes[var][0], program.rates[var]) for var in variables])


def files_of(name: str) -> str:
    """What the program around another one is called."""
    return f"{name}OfFiles"


def parameters_of(streamed: Streamed) -> tuple[list[str], list[str]]:
    """Its parameters, which are the names of files."""
    ins, outs = len(streamed.inputs), len(streamed.results)
    return [f"in{i + 1}" for i in range(ins)], [f"out{i + 1}" for i in range(outs)]


def with_files(streamed: Streamed, name: str) -> str:
    """Its text; `name` is that of the streamed program."""
    inputs, outputs = parameters_of(streamed)
    taken, given = items_of(streamed, streamed.program.inputs), items_of(streamed, streamed.program.results)
    formals = ", ".join(f"String {formal}" for formal in (*inputs, *outputs))
    lines = [
        "// The same with a file for each input and result: strc run --top ... -D in1=FILE ... -D out1=FILE ...",
        f"void->void pipeline {files_of(name)}({formals}) {{",
        "    add splitjoin {",
        f"        split roundrobin({', '.join('0' for _ in inputs)});",
        *(f"        add FileReader<float>({formal});" for formal in inputs),
        f"        join roundrobin({', '.join(map(str, taken))});",
        "    }",
        f"    add {name}();",
        "    add splitjoin {",
        f"        split roundrobin({', '.join(map(str, given))});",
        *(f"        add FileWriter<float>({formal});" for formal in outputs),
        f"        join roundrobin({', '.join('0' for _ in outputs)});",
        "    }",
        "}",
        "",
    ]
    return "\n".join(lines)
