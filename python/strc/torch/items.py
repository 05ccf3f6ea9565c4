"""Whether a program does the same with each item of a batch, and never two of them together.

One dimension of the inputs is open, and counts items. In every other value one dimension may be a whole multiple of it, in which each item has as many rows: in
the order of the items, or in so many runs (`outer`) in each of which all items come, one behind the other. A value without such a dimension is the same for all items. An instruction
keeps to the items if what it gives for the rows of an item comes of that item's rows alone. If all do, the program may run for one item after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from ..ir import Instruction, Program
from ..source.expressions import EXPRESSIONS, Expression


NUMBERS = (*range(2, 34), 64, 97, 100, 1000, 4096)  # of items, for which a graph is tried


class Mixed(Exception):
    """Items are not on their own, or it cannot be told; the text says where."""


@dataclass(frozen=True)
class Value:
    """A shape, and the place of the dimension of the items; None: there is none. `outer`: in so many runs; 0: its rows are all the same."""

    shape: tuple[Any, ...]
    dim: int | None
    outer: int = 1

    @property
    def rows(self) -> int:
        """Of each item."""
        assert self.dim is not None
        expression = self.shape[self.dim].node.expr
        return int(expression.xreplace(dict.fromkeys(expression.free_symbols, 1)))

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def from_end(self) -> int:
        """Counted from the end, from 1 on."""
        assert self.dim is not None
        return self.rank - self.dim

    def is_one(self, from_end: int) -> bool:
        """True if it is repeated along this dimension."""
        return from_end > self.rank or self.shape[-from_end] == 1


def value_of(shape: tuple[Any, ...]) -> Value:
    """Raises `Mixed` if it is no whole multiple of the number of items that a dimension depends on."""
    places = [place for place, size in enumerate(shape) if not isinstance(size, int)]
    if len(places) > 1:
        raise Mixed("several dimensions of one value depend on the number of items")
    for size in (shape[place] for place in places):
        (symbol, *others) = size.node.expr.free_symbols
        if others or not (size.node.expr / symbol).is_Integer:
            raise Mixed(f"a dimension of {size} elements is no whole multiple of the number of items")
    return Value(shape, places[0] if places else None)


Rule = Callable[[Instruction, list[Value], Value], bool]
Map = Callable[[Instruction, Value], list[int | None]]
RULES: dict[str, Rule] = {}


def numbers(param: Any) -> tuple[int, ...]:
    return param if isinstance(param, tuple) else (param,)


def side_by_side(i: Instruction, args: list[Value], result: Value) -> bool:
    """Element by element, with smaller operands repeated."""
    if result.dim is None:
        return False
    place = result.from_end
    return all(one.is_one(place) if one.dim is None else one.from_end == place for one in args)


def moved(places: Map) -> Rule:
    """Of one operand: `places` says where its dimensions are in the result, None for those along which something is computed."""

    def rule(i: Instruction, args: list[Value], result: Value) -> bool:
        (x,) = args
        return x.dim is not None and result.dim is not None and places(i, x)[x.dim] == result.dim

    return rule


def enters(rule: Rule, names: str) -> None:
    RULES.update(dict.fromkeys(names.split(), rule))


def but(x: Value, gone: Iterable[int], keeps: bool) -> list[int | None]:
    """All but some dimensions, which stay as one element or are no more."""
    used = {dim % x.rank for dim in gone}
    kept = [dim for dim in range(x.rank) if keeps or dim not in used]
    return [None if dim in used else kept.index(dim) for dim in range(x.rank)]


def before_last(count: Callable[[Instruction, Value], int]) -> Rule:
    """What works on the last dimensions, so many."""
    return moved(lambda i, x: but(x, range(max(0, x.rank - count(i, x)), x.rank), True))


def along(place: int) -> Rule:
    """What works along one dimension that a parameter says; the others stay where they are."""
    return moved(lambda i, x: but(x, (first(i, place),), True))


def first(i: Instruction, place: int, usual: Any = 0) -> Any:
    given = i.positional
    return given[place] if place < len(given) else usual


def reduced(i: Instruction, x: Value) -> list[int | None]:
    """Over dimensions, or over all if none are said."""
    dims = numbers(first(i, 0)) if i.positional else range(x.rank)
    return but(x, dims, bool(first(i, 1, False)))


def permuted(i: Instruction, x: Value) -> list[int | None]:
    order = [dim % x.rank for dim in numbers(first(i, 0))]
    return [order.index(dim) for dim in range(x.rank)]


def transposed(i: Instruction, x: Value) -> list[int | None]:
    one, other = (first(i, place) % x.rank for place in (0, 1))
    return [{one: other, other: one}.get(dim, dim) for dim in range(x.rank)]


def unsqueezed(i: Instruction, x: Value) -> list[int | None]:
    new = first(i, 0) % (x.rank + 1)
    return [dim + (dim >= new) for dim in range(x.rank)]


def layers(dims: int) -> Callable[[Instruction, Value], int]:
    return lambda i, x: dims


def reshaped(x: Value, result: Value) -> int | None:
    """In how many runs the rows of items come behind a change of the shape. None if they do not stay together."""
    if x.dim is None or result.dim is None:
        return None
    before, after = prod(x.shape[: x.dim]) * max(1, x.outer), prod(result.shape[: result.dim])
    runs = before // after
    return runs if runs * after == before and result.rows % runs == 0 else None


def product(i: Instruction, args: list[Value], result: Value) -> bool:
    """Of matrices: their batches, the rows of the first or the columns of the second are items'."""
    x, y = args
    if x.rank < 2 or y.rank < 2 or result.dim is None:
        return False
    place = result.from_end
    if place > 2:
        return side_by_side(i, args, result)
    one, other = (x, y) if place == 2 else (y, x)
    return one.dim is not None and one.from_end == place and other.dim is None


def attended(i: Instruction, args: list[Value], result: Value) -> bool:
    return all(one.dim is not None and one.rank == result.rank and one.dim == result.dim and one.from_end > 2 for one in args)


def joined(i: Instruction, args: list[Value], result: Value) -> bool:
    along = first(i, 1) % result.rank
    return result.dim != along and all(one.dim == result.dim for one in args)


def stacked(i: Instruction, args: list[Value], result: Value) -> bool:
    along = first(i, 1) % result.rank
    return all(one.dim is not None and one.dim + (one.dim >= along) == result.dim for one in args)


def taken(i: Instruction, args: list[Value], result: Value) -> bool:
    """Elements by places: of each item's own, at places that are the same for all; or of what is the same for all."""
    x, places = args
    along = first(i, 0) % x.rank
    if places.dim is not None:
        return x.dim is None and result.dim == along + places.dim
    return x.dim is not None and x.dim != along and result.dim == x.dim + (places.rank - 1 if x.dim > along else 0)


def updated(i: Instruction, args: list[Value], result: Value) -> bool:
    return all(one.dim == result.dim for one in args) and result.dim != first(i, 0) % result.rank


def recurrent(i: Instruction, args: list[Value], result: Value) -> bool:
    (x,) = args
    return x.rank == 3 and x.dim == result.dim == (0 if i.named("batch_first", False) else 1)


def looked_up(i: Instruction, x: Value) -> list[int | None]:
    return list(range(x.rank))


enters(side_by_side, "add sub mul div pow maximum minimum expand")
enters(
    moved(looked_up), "relu relu6 hardtanh leakyrelu sigmoid tanh gelu silu mish hardswish hardsigmoid elu softplus dropout embedding"
)
for name, expression in EXPRESSIONS.items():
    if isinstance(expression, Expression) and expression.each:
        RULES[name] = side_by_side
enters(before_last(layers(1)), "linear")
enters(before_last(lambda i, x: len(numbers(first(i, 0)))), "layernorm rmsnorm")
enters(before_last(lambda i, x: x.rank - 1), "batchnorm1d batchnorm2d batchnorm3d groupnorm instancenorm2d")
for dims in (1, 2, 3):
    enters(before_last(layers(dims + 1)), f"conv{dims}d convtranspose{dims}d")
    enters(before_last(layers(dims)), f"maxpool{dims}d avgpool{dims}d")
enters(before_last(layers(2)), "adaptiveavgpool2d interpolate upsample")
enters(before_last(lambda i, x: len(numbers(first(i, 0))) // 2), "pad")
enters(along(0), "softmax logsoftmax cumsum flip roll slice")
enters(along(1), "chunk split")
enters(moved(reduced), "sum prod mean amax argmax amin")
enters(moved(permuted), "permute")
enters(moved(transposed), "transpose")
enters(moved(lambda i, x: but(x, (first(i, 0),), False)), "squeeze")
enters(moved(unsqueezed), "unsqueeze")
RULES.update(matmul=product, attention=attended, cat=joined, stack=stacked, take=taken, update=updated)
enters(recurrent, "lstm gru rnn")


def element_of(i: Instruction, source: Instruction | None, x: Value, result: Value) -> bool:
    """One of several results, or an element of a tensor along a dimension."""
    if source is None or source.op not in ("chunk", "split", "lstm", "gru", "rnn"):
        return x.dim is not None and but(x, (first(i, 1),), False)[x.dim] == result.dim
    if source.op in ("chunk", "split") or first(i, 0) == 0:
        return result.dim == x.dim
    return result.dim is not None and result.from_end == 2  # the last states of a recurrent layer


def check_numbers(program: Program) -> None:
    """Raises `Mixed` if the graph is that of certain numbers of items, such as the even ones; from 2 on all are wanted."""
    sizes: list[Any] = [size for shape in program.shapes.values() for size in shape if not isinstance(size, int)]
    if not sizes:
        raise Mixed("no dimension is open")
    for guard in sizes[0].node.shape_env.guards:
        for count in NUMBERS:
            if guard.expr.xreplace(dict.fromkeys(guard.expr.free_symbols, count)) == False:  # noqa: E712  a value of SymPy
                raise Mixed(f"{count} items are another graph: {guard.expr}")


def check(program: Program) -> list[int | None]:
    """The dimension of the items in each result. Raises `Mixed`."""
    check_numbers(program)
    makers = {i.var: i for i in program.instructions}
    values = {var: value_of(program.shapes[var]) for var in program.inputs}
    for i in program.instructions:
        args, result = [values[number] for number in i.args], value_of(program.shapes[i.var])
        runs = runs_of(i, args, result, makers.get(i.args[0]) if i.args else None)
        if runs is None:
            raise Mixed(f"{i.op} may put the items of a batch together\n    {i.origin.place}")
        values[i.var] = replace(result, outer=runs)
    if any(values[number].outer > 1 for number in program.results):
        raise Mixed("a result has the rows of each item in several runs")
    return [values[number].dim for number in program.results]


def runs_of(i: Instruction, args: list[Value], result: Value, source: Instruction | None) -> int | None:
    """The result's `outer`; None if items are not on their own. `source` makes the first argument."""
    items = [one for one in args if one.dim is not None]
    if i.op == "const" or not items and (result.dim is None or i.op == "expand"):
        return 0  # the same for all
    if i.op in ("reshape", "flatten"):
        return reshaped(args[0], result)
    runs = {one.outer for one in items} - {0}
    if len(runs) > 1:
        return None
    fine = element_of(i, source, args[0], result) if i.op == "getitem" else i.op in RULES and RULES[i.op](i, args, result)
    return max(runs, default=0) if fine else None
