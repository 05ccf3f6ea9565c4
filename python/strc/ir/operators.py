"""What is known of operators: how many results they have, and where their stored values are.

The operators are the streams of strc's library (`strc.ir.declarations`), plus those that the importer writes into the program
(`strc.source.expressions`).
"""

from __future__ import annotations

from .model import Instruction, Named

RESULTS = {"rnn": 2, "gru": 2, "lstm": 3, "lu": 3, "cholesky": 2, "reflections": 2, "eigh": 2, "peaks_of_maps": 2}


def results(instruction: Instruction) -> int:
    """How many values an instruction makes; 0 positional parameters where they decide count as one result."""
    given = instruction.positional
    if instruction.op == "chunk" and given and isinstance(given[0], int):
        return given[0]
    if instruction.op == "split" and given and isinstance(given[0], tuple):
        return len(given[0])
    if instruction.op == "checked" and given and isinstance(given[-1], tuple):
        return len(given[-1])
    return RESULTS.get(instruction.op, 1)


def weights_prefixes(instruction: Instruction) -> set[str]:
    """The names under which the instruction finds stored values."""
    if instruction.op == "const":
        given = [instruction.positional[0]]
    else:
        given = [param.value for param in instruction.params if isinstance(param, Named) and param.name.endswith("weights")]
    return {name for name in given if isinstance(name, str)}
