"""What is known of open dimensions as what a program requires of what arrives: bounds, and dimensions that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ImportFailure
from ..ir import Instruction, Program
from .lowering import static

MOST = 2**31 - 1  # of what counts as a bound
Known = Callable[[Any], "tuple[int, int | None]"]  # the least and the most of a dimension


@dataclass(frozen=True)
class Marked:
    """A dimension of an input, by the places of both, and what marks it: a `Dim`, or a hint such as `Dim.AUTO`."""

    input: int
    dim: int
    mark: Any

    @property
    def size(self) -> str:
        return f"size(x{self.input}, {self.dim})"

    def __str__(self) -> str:
        return f"dimension {self.dim} of input {self.input}"

    @property
    def line(self) -> tuple[str, int, int] | None:
        """Of a `Dim`: the name of the one that it is derived from, or its own, and factor and summand of that."""
        if not hasattr(self.mark, "__name__"):
            return None
        function = getattr(self.mark, "fn", None)
        if function is None:
            return self.mark.__name__, 1, 0
        return self.mark.root.__name__, int(function(1)) - int(function(0)), int(function(0))

    @property
    def bounds(self) -> tuple[int, int | None]:
        """By the user: the least and the most."""
        least, most = (getattr(self.mark, name, None) for name in ("min", "max"))
        return int(least or 0), None if most is None or not most <= MOST else int(most)


def of_model(size: Any) -> tuple[int, int | None]:
    """What the graph of a model says of an open dimension: the least and the most. That it is 2 or more is nothing but PyTorch's usual assumption."""
    found = size.node.shape_env.bound_sympy(size.node.expr)
    least = int(found.lower) if found.lower.is_number and found.lower.is_finite else 0
    most = int(found.upper) if found.upper.is_number and found.upper.is_finite and found.upper <= MOST else None
    return (least if least > 2 else 0), most


def of_guards(size: Any) -> tuple[int, int | None]:
    """The same of an open dimension itself, without what PyTorch assumes of sizes that are computed from it: that they are 2 or more, too."""
    from sympy import Ge, Gt, Le, Lt  # which takes long to load

    least, (_, most) = 0, of_model(size)
    for guard in size.node.shape_env.guards:
        if isinstance(guard.expr, (Ge, Gt, Le, Lt)) and guard.expr.gts == size.node.expr and guard.expr.lts.is_Integer:
            least = max(least, int(guard.expr.lts) + isinstance(guard.expr, (Gt, Lt)))
    return (least if least > 2 else 0), most


def bounded(one: Marked, size: Any, known: Known = of_model) -> Iterator[str]:
    """Raises `ImportFailure` if the user says that a dimension may be greater than the model permits."""
    (least, most), (lower, upper) = one.bounds, known(size)
    if most is not None and upper is not None and most > upper:
        raise ImportFailure(f"{one} may be {most} by its mark, and the model takes {upper} at most there")
    least = max(least, lower)
    most = upper if most is None else most
    if least > 1:
        yield f'require({one.size} >= {least}, "{one} is {least} or more, and there are " + {one.size});'
    if most is not None:
        yield f'require({one.size} <= {most}, "{one} is {most} at most, and there are " + {one.size});'


def related(marks: Sequence[Marked]) -> Iterator[str]:
    """What dimensions have to be that are marked by one `Dim`, or by what is derived from one."""
    roots: dict[str, tuple[str, Marked]] = {}
    for one in sorted((one for one in marks if one.line), key=lambda one: one.line[1:] != (1, 0) if one.line else False):
        assert one.line is not None
        name, factor, more = one.line
        if name in roots:
            root, first = roots[name]
            wanted = (f"{root} * {factor}" if factor != 1 else root) + (f" + {more}" if more > 0 else f" - {-more}" if more else "")
            yield f'require({one.size} == {wanted}, "{one} is {one.mark.__name__}, by {first} " + ({wanted}) + ", and there are " + {one.size});'
            continue
        offset = f"({one.size} - {more})" if more > 0 else f"({one.size} + {-more})" if more else one.size
        roots[name] = (f"{offset} / {factor}" if factor != 1 else offset), one
        if factor != 1:
            yield f'require({offset} % {factor} == 0, "{one} is {one.mark.__name__}, and there are " + {one.size});'


def checked(program: Program, marks: Sequence[Marked], known: Known = of_model) -> Program:
    """With a filter in front that requires what is known of the sizes; the program itself if nothing is. `known`: of_model or of_guards. Raises `ImportFailure`."""
    open_ = [one for one in marks if static(program.shapes[program.inputs[one.input]][one.dim]) is None]
    lines = [line for one in open_ for line in bounded(one, program.shapes[program.inputs[one.input]][one.dim], known)]
    lines += related(open_)
    if not lines:
        return program
    used = {number for instruction in program.instructions for number in instruction.args} | set(program.results)
    taken = [place for place, number in enumerate(program.inputs) if number in used or any(one.input == place for one in open_)]
    free = program.fresh()
    inputs = tuple(program.inputs[place] for place in taken)
    first = [Instruction(free, "checked", ("\n".join(lines), tuple(taken)), inputs)]
    handed = [free]
    if len(taken) > 1:
        handed = [free + 1 + k for k in range(len(taken))]
        first += [Instruction(number, "getitem", (k,), (free,)) for k, number in enumerate(handed)]
    instead = dict(zip(inputs, handed))

    def renamed(numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(instead.get(number, number) for number in numbers)

    rest = [replace(instruction, args=renamed(instruction.args)) for instruction in program.instructions]
    shapes = {**program.shapes, **{number: program.shapes[one] for one, number in instead.items()}}
    return replace(program, instructions=[*first, *rest], results=renamed(program.results), shapes=shapes)
