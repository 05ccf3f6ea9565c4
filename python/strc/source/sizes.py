"""Filters whose result has sizes of what arrives: written into programs with open dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..ir import Instruction


@dataclass(frozen=True)
class Sized:
    """A filter whose sizes stand in its body: an instruction's parameter is their text, in which `x` is what arrives last."""

    name: str
    takes: int
    text: str  # with SIZES
    formals: tuple[str, ...] = ()

    def source(self, name: str, example: Instruction) -> str:
        variables = ("of", "x")[-self.takes :]
        lines = [f"tensor {variable} = pop();" for variable in variables]
        lines.append(f"push({self.text.replace('SIZES', str(example.positional[0]))});")
        return "\n".join([
            f"tensor->tensor filter {name} {{", f"    work pop {self.takes} push 1 {{", *(f"        {line}" for line in lines), "    }", "}",
        ])  # fmt: skip


class Checked(Sized):
    """Hands on what arrives, of whose sizes an instruction's first parameter requires something; the numbers of its variables are the second one."""

    def source(self, name: str, example: Instruction) -> str:
        lines, places = example.positional
        assert isinstance(lines, str) and isinstance(places, tuple)
        count = len(places)
        body = [f"tensor x{place} = pop();" for place in places]
        body += [*lines.splitlines(), *(f"push(x{place});" for place in places)]
        return "\n".join([
            "// Hands on what arrives, if it has the sizes that the model is made for.",
            f"tensor->tensor filter {name} {{", f"    work pop {count} push {count} {{", *(f"        {line}" for line in body), "    }", "}",
        ])  # fmt: skip


SIZED: Mapping[str, Sized] = {
    "reshape_sized": Sized("Reshape", 1, "reshape(x, SIZES)"),
    "reshape_as_sized": Sized("ReshapeAs", 2, "reshape(of, SIZES)"),
    "expand_sized": Sized("Expand", 2, "broadcast(of, SIZES)"),
    "slice_sized": Sized("Slice", 2, "slice(of, SIZES)"),
    "arange_sized": Sized("Arange", 1, "arange(SIZES)"),
    "checked": Checked("Checked", 0, ""),
    "extent": Sized("Extent", 1, "long(SIZES)"),
}
