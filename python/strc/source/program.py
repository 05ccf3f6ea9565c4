"""A whole .str file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import ImportFailure
from ..ir import Program
from ..ir.declarations import STREAMS
from ..streams import region_of
from .definitions import Definer, Definition
from .expressions import EXPRESSIONS, Written
from .floats import FILTERS, WIRES
from .printer import Printer, wrapped


def comment(definition: Definition) -> list[str]:
    """Whose stream it is: the class, and the modules of the model."""
    if not definition.modules:
        return []
    listed = ", ".join(definition.modules)
    return [line.replace("    ", "// ", 1) if i else line for i, line in enumerate(wrapped(f"// {listed}", ""))]


def check(program: Program, written: Mapping[str, Written]) -> None:
    """Raises `ImportFailure` if an instruction has no filter."""
    unknown = {i.op for i in program.instructions if i.op not in STREAMS and i.op not in written and i.op not in WIRES}
    if unknown:
        hint = "; spectra and complex values are imported with --streaming" if not program.sizes and is_of_spectra(unknown) else ""
        raise ImportFailure(f"the model IR has operators without a stream: {', '.join(sorted(unknown))}{hint}")


def is_of_spectra(operators: set[str]) -> bool:
    return any(op.startswith("complex_") or op in ("stft", "istft") for op in operators)


def source_of(
    program: Program, replicate: bool = False, title: str = "", written: Mapping[str, Written] = EXPRESSIONS, takes: str = "tensor"
) -> str:
    """The .str source of a program. The stream that stands for all of it has the program's name and comes first.

    `title` is a comment before it, `written` are the filters that are not the library's, `takes` is the type of the program's inputs.
    """
    about = "\n".join(f"// {line}".rstrip() for line in title.splitlines())
    return "\n\n".join([*([about] if title else []), sources_of([program], replicate, written, takes)])


def sources_of(programs: Sequence[Program], replicate: bool = False, written: Mapping[str, Written] = EXPRESSIONS, takes: str = "tensor") -> str:
    """The source of several programs, all over tensors or all over floats, which have filters in common. Their names are different."""
    floats = bool(programs[0].sizes)
    written = {**written, **FILTERS} if floats else written
    definer = Definer(replicate, written, floats)
    blocks = []
    for program in programs:
        check(program, written)
        definer.define(region_of(program), program.loop).takes = takes
    for definition in definer.definitions:
        blocks.append("\n".join([*comment(definition), Printer(definition).text()]))
    for name, instruction in definer.filters.values():
        declaration = definer.declared(instruction)
        assert declaration is not None
        blocks.append(declaration.source(name, instruction))
    return "\n\n".join(blocks) + "\n"
