"""From ATen operators to the model IR.

`TABLE` has a function for every operator; the modules `strc.torch.operators.*` fill it. What depends on stored values alone is computed
while the graph is read, so that constants are folded, and becomes a stored value itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

from ..ir import Instruction, Named, Origin, Param
from .capture import is_in_place, operator_name
from .weights import Known, Weights

Lower = Callable[..., Any]
TABLE: dict[str, Lower] = {}
COMPLEX: dict[str, Lower] = {}  # for complex values, whose parts are a last dimension in the program
# Of stored values and sizes they make the same for each item.
SAME_FOR_ALL = {"expand", "expand_as", "broadcast_to", "zeros", "ones", "full", "new_zeros", "new_ones", "new_full"}
# Types that the program holds as ints, by what brings a number back to them, and operators whose result may be none of them.
WRAPS = {torch.uint8: "wrap_uint8", torch.int16: "wrap_int16"}
LEAVES = {
    "add", "sub", "mul", "add_scalar", "sub_scalar", "rsub_scalar", "mul_scalar", "neg", "square", "abs", "matmul", "to_int", "cumsum", "sum", "div",
    "floor_divide_whole", "remainder_whole", "correlate1d", "correlate2d", "correlate3d", "shift_left",
}
RECURRENT = {name for kind in ("lstm", "gru", "rnn_tanh", "rnn_relu") for name in (kind, f"strc.{kind}.default")}


class NotLowered(Exception):
    """A use of an operator that has no translation; the text says why."""


class Forbidden(NotLowered):
    """A use that would be computed otherwise than the model does, whatever the operator is made of."""


class NoStream(NotLowered):
    """An operator that neither is in the table nor is made of others."""


@dataclass(frozen=True)
class NoResult:
    """Stands for a result of an operator that no stream gives; that is a fault only if something uses it."""

    what: str

    def fault(self) -> NotLowered:
        return NotLowered(f"uses {self.what}, which no stream gives")


F = TypeVar("F", bound=Lower)


def lowers(*names: str) -> Callable[[F], F]:
    """Enters a function for operators (`conv2d.default`, without `aten.`). It gets the `Lowering` and the operator's arguments."""

    def enter(function: F) -> F:
        for name in names:
            TABLE[name] = function
        return function

    return enter


def lowers_complex(*names: str) -> Callable[[F], F]:
    """As `lowers`, for operators that take complex values or make them."""

    def enter(function: F) -> F:
        for name in names:
            COMPLEX[name] = function
        return function

    return enter


@dataclass(frozen=True, eq=False)
class Var:
    """A value that the program computes, with what is known of it. Of a complex one the program's shape has a dimension of 2 more."""

    number: int
    shape: tuple[Any, ...]
    dtype: torch.dtype

    @property
    def rank(self) -> int:
        return len(self.shape)

    def dim(self, number: int) -> int:
        """A dimension counted from the front."""
        return number % self.rank if self.rank else 0


@dataclass(frozen=True, eq=False)
class Pair:
    """A complex value: its real and its imaginary part, of one shape."""

    re: Any
    im: Any

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(self.re.shape)

    @property
    def dtype(self) -> torch.dtype:
        return torch.complex128 if self.re.dtype == torch.float64 else torch.complex64


@dataclass(frozen=True)
class Like:
    """What is known of a result, where the graph has no tensor for it."""

    shape: tuple[Any, ...]
    dtype: torch.dtype


def empty_like(like: Any) -> torch.Tensor | None:
    """A tensor of the same shape if that has no elements."""
    first = like[0] if isinstance(like, (tuple, list)) and like else like
    if not hasattr(first, "shape") or not any(static(size) == 0 for size in first.shape):
        return None
    return torch.empty([static(size) or 0 for size in first.shape], dtype=first.dtype)


def static(value: Any) -> int | None:
    """A dimension as an int; None if it is open."""
    if isinstance(value, int):
        return value
    expression = getattr(getattr(value, "node", None), "expr", None)
    return int(expression) if expression is not None and expression.is_number else None


def at_most(value: Any) -> int:
    """A dimension as an int, or the most that one may be which only the run knows. Raises `NotLowered` if nothing bounds it."""
    size = static(value)
    if size is not None:
        return size
    bounds = value.node.shape_env.bound_sympy(value.node.expr)
    if not bounds.upper.is_number or not bounds.upper.is_finite or bounds.upper >= 2**31:
        raise NotLowered("of a dimension that is open")
    return int(bounds.upper)


@dataclass(frozen=True)
class Call:
    """A call of an operator that is no node of the model's graph, but part of what a node is made of."""

    target: Any
    meta: dict[str, Any]
    users: tuple[Any, ...] = ()


class Lowering:
    """What the functions of the table see: it collects instructions and stored values.

    `items`: of an open dimension, which is one of items that are on their own (`torch.items`), the program takes so many at once.
    """

    def __init__(self, items: int | None = None, streams: bool = False):
        self.items = items
        self.streams = streams  # for a streamed model: parts of complex values are a last dimension of one value; else they are two values
        self.weights = Weights()
        self.instructions: list[Instruction] = []
        self.values: dict[Any, Any] = {}  # of the nodes, where a graph is read
        self.node: torch.fx.Node | Call | None = None
        self.origin = Origin()
        self.next = 0
        self.nested = 0  # decompositions that are under way
        self.empty: dict[int, torch.Tensor] = {}  # results without elements, by their places, which the program does not give
        self.shapes: dict[int, Any] = {}  # open dimensions are symbols

    # ---- for the functions of the table

    @property
    def meta(self) -> Any:
        """What the graph says of the current node's result: a tensor without values, or a tuple of such."""
        assert self.node is not None
        return self.node.meta["val"]

    def emit(self, op: str, args: tuple[Any, ...] = (), *params: Param, like: Any = None, **named: Param) -> Any:
        """Adds an instruction; `like` has shape and type of the result (else the current node's). What has no elements is known."""
        if (nothing := empty_like(self.meta if like is None else like)) is not None:
            return Known(self.local_name("empty"), nothing)
        numbers = tuple(self.var(arg).number for arg in args)
        if symbols([*params, *named.values()]):
            raise NotLowered("a number that depends on a dimension that is open")
        if any(type(value) is int and not -(2**31) < value < 2**31 for value in (*params, *named.values())):
            raise NotLowered("an argument that does not fit into an int of 32 bits")
        result = self.new_var(self.meta if like is None else like)
        given = (*params, *(Named(name, value) for name, value in named.items()))
        self.instructions.append(Instruction(result.number, op, given, numbers, self.origin))
        if result.dtype in WRAPS and op in LEAVES:
            return self.emit(WRAPS[result.dtype], (result,), like=Like(result.shape, result.dtype))
        return result

    def emit_tuple(self, op: str, args: tuple[Any, ...], likes: list[Any], *params: Param, **named: Param) -> tuple[Var, ...]:
        """Adds an instruction with several results."""
        whole = self.emit(op, args, *params, like=likes[0], **named)
        return tuple(self.emit("getitem", (whole,), i, like=like) for i, like in enumerate(likes))

    def made(self, function: Callable[..., Any], *args: Any) -> Any:
        """What a function of tensors gives for values."""
        from .composed import followed

        return followed(self, function, args, {})

    def new_var(self, like: Any) -> Var:
        if isinstance(like, (tuple, list)):
            like = like[0]
        shape = tuple(size if static(size) is None else static(size) for size in like.shape)
        self.next += 1
        self.shapes[self.next - 1] = (*shape, 2) if like.dtype.is_complex else shape
        return Var(self.next - 1, shape, like.dtype)

    def var(self, value: Any) -> Any:
        """A value as a variable; stored ones become a `const`."""
        from . import sizes

        if isinstance(value, Var):
            return value
        if isinstance(value, torch.SymInt):
            return self.var(static(value)) if static(value) is not None else sizes.extent(self, value)
        if isinstance(value, (bool, int, float)):
            exact = isinstance(value, float) and isinstance(self.meta, torch.Tensor) and self.meta.dtype == torch.float64
            value = Known(self.local_name("constant"), torch.tensor(value, dtype=torch.float64 if exact else None))
        if not isinstance(value, Known):
            raise NotLowered(f"{type(value).__name__} where a tensor is expected")
        if not value.tensor.numel():
            raise NotLowered("a tensor without elements")
        held = value.tensor.to(torch.int32) if value.dtype in WRAPS else value.tensor
        parts = torch.view_as_real(held.resolve_conj()) if held.dtype.is_complex else held
        return self.emit("const", (), self.weights.store(value.name, parts), like=value.tensor)

    def extents(self, shape: Any) -> tuple[int | None, ...]:
        """A shape in the program; None for an open dimension, unless the program is one for so many items."""
        return tuple(size if isinstance(size, int) else static(size) if self.items is None else of_items(size, self.items) for size in shape)

    def alike(self, name: str, tensor: torch.Tensor) -> Any:
        """A stored value whose shape in the graph is the current node's: a variable if that is open, since it is one for some items."""
        if all(static(size) is not None for size in self.meta.shape):
            return Known(self.local_name(name), tensor)
        return self.emit("const", (), self.weights.store(self.local_name(name), tensor))

    def known(self, value: Any, what: str) -> Known:
        if not isinstance(value, Known):
            raise NotLowered(f"its {what} is computed from the input, not stored")
        return value

    def prefix(self, **parts: Known | None) -> str:
        """The prefix under which a module's values are stored. The filters of the library take floats."""
        for role, known in parts.items():
            if known is not None and known.tensor.dtype != torch.float32:
                kind = str(known.tensor.dtype).removeprefix("torch.")
                raise NotLowered(f"its {role} is {kind}, and layers compute with float32: model.float() makes it that")
        return self.weights.prefix({role: known for role, known in parts.items() if known is not None})

    def local_name(self, name: str) -> str:
        """A name for something stored, under the current module's."""
        path = self.origin.frames[-1].module if self.origin.frames else ""
        return f"{path}.{name}" if path else name

    def halves(self, like: Any) -> tuple[int, Pair]:
        """A complex input, which arrives with its parts in a last dimension: its variable, and its parts."""
        kind = torch.float64 if like.dtype == torch.complex128 else torch.float32
        var = self.new_var(Like((*like.shape, 2), kind))
        dim = len(like.shape)
        parts = [self.emit("getitem", (var,), part, *([dim] if dim else []), like=Like(tuple(like.shape), kind)) for part in (0, 1)]
        return var.number, Pair(*parts)

    def side_by_side(self, value: Pair) -> Any:
        """The parts of a complex value in a last dimension."""
        both = (self.var(value.re), self.var(value.im))
        return self.emit("stack", both, 2, len(value.shape), like=Like((*value.shape, 2), value.re.dtype))

    # ---- operators

    def apply(self, node: torch.fx.Node | Call, args: Any, kwargs: Any) -> Any:
        """What an operator gives for values. Raises `NotLowered`."""
        if not isinstance(node.meta.get("val"), (torch.Tensor, tuple, list)):
            if getattr(getattr(node.target, "_schema", None), "is_mutable", False):
                raise NotLowered("changes its arguments and gives nothing, and a stream gives results alone")
            return node.meta.get("val")  # a size, or nothing
        for value in torch.utils._pytree.tree_leaves((args, kwargs)):
            if isinstance(value, NoResult):
                raise value.fault()
        if is_random(node):
            raise Forbidden(
                "draws random numbers, and a stream gives the same for the same input; make them an input of the model, or, if it does that in "
                "training alone, put it into eval mode (--eval)"
            )
        if is_known(args) and is_known(kwargs):
            return self.fold(node, args, kwargs)
        if is_complex(node, args, kwargs):
            return self.of_complex(node, args, kwargs)
        return self.translated(node, args, kwargs)

    def of_complex(self, node: torch.fx.Node | Call, args: Any, kwargs: Any) -> Any:
        """What complex values go into or come out of: on pairs of values, or, in streams, on values with a last dimension for both parts."""
        from .composed import of_parts

        function = function_for(node, COMPLEX)
        if not self.streams or has_pairs((args, kwargs)):
            return of_parts(self, node, args, kwargs)
        if function is not None:
            return function(self, *args, **kwargs)
        pairs = torch.utils._pytree.tree_map(self.parted, (args, kwargs))
        try:
            made = of_parts(self, node, *pairs)
        except Forbidden:
            raise
        except NotLowered as fault:
            raise NoStream("there is no stream for this operator on complex values") from fault
        return torch.utils._pytree.tree_map(self.together, made, is_leaf=lambda value: isinstance(value, Pair))

    def parted(self, value: Any) -> Any:
        """A complex value of a stream as two values."""
        if not isinstance(value, Var) or not value.dtype.is_complex:
            return value
        like = Like(value.shape, torch.float32)
        return Pair(*(self.emit(f"complex_{part}", (value,), like=like) for part in ("real", "imag")))

    def together(self, value: Any) -> Any:
        """Two values as the complex value of a stream that they are."""
        if not isinstance(value, Pair):
            return value
        return self.emit("complex_of", (value.re, value.im), like=Like(value.shape, value.dtype))

    def translated(self, node: torch.fx.Node | Call, args: Any, kwargs: Any) -> Any:
        """By the table, or, where that has nothing for this use, by what the operator is made of."""
        from .composed import composed

        count, number, reason = len(self.instructions), self.next, None
        for way in (by_table, composed):
            try:
                self.node = node
                return way(self, node, args, kwargs)
            except Forbidden:
                raise
            except NotLowered as fault:
                reason = fault if reason is None or isinstance(reason, NoStream) else reason
                del self.instructions[count:]
                self.next = number
        assert reason is not None
        raise reason

    def kept(self, result: Any, name: str) -> Any:
        """One of several results that have been computed."""
        if isinstance(result, (tuple, list)):
            return tuple(self.kept(one, f"{name}_{i}") for i, one in enumerate(result))
        return Known(self.local_name(name), result) if isinstance(result, torch.Tensor) else result

    def of_items(self, value: Any) -> Any:
        return self.extents((value,))[0] if isinstance(value, torch.SymInt) else value

    def fold(self, node: torch.fx.Node | Call, args: Any, kwargs: Any) -> Any:
        """Computes what depends on stored values alone."""
        plain = torch.utils._pytree.tree_map(lambda value: value.tensor if isinstance(value, Known) else value, (args, kwargs))
        if any(not isinstance(value, int) and static(value) is None for value in symbols(plain)):
            if starts_layers(node):
                return Known(self.local_name("start"), torch.zeros(()))
            if self.items is None and "val" in node.meta:
                return self.translated(node, args, kwargs)
            if self.items is None or operator_name(node) not in SAME_FOR_ALL:
                raise NotLowered("its shape depends on a dimension that is open")
            plain = torch.utils._pytree.tree_map(self.of_items, plain)
            return self.alike(operator_name(node), node.target(*plain[0], **plain[1]))
        given = list(concrete(plain[0]))
        if is_in_place(node):
            given[0] = given[0].clone()  # the model's own tensors stay as they are
        with torch.no_grad():
            result = node.target(*given, **concrete(plain[1]))
        if isinstance(result, (tuple, list)):
            return tuple(self.kept(one, f"{operator_name(node)}_{i}") for i, one in enumerate(result))
        if not isinstance(result, torch.Tensor):
            return result
        same = next((v for v in args if isinstance(v, Known) and v.tensor is result), None)
        return same or Known(self.local_name(operator_name(node)), result)


def by_table(lowering: Lowering, node: torch.fx.Node | Call, args: Any, kwargs: Any) -> Any:
    """What the table's function for an operator gives. Raises `NotLowered`."""
    function = function_for(node, TABLE)
    if function is None:
        raise NoStream("there is no stream for this operator")
    if over_none(node, args):
        raise NotLowered("over a dimension of a tensor that has none")
    return function(lowering, *args, **kwargs)


def over_none(node: torch.fx.Node | Call, args: Any) -> bool:
    """True of an operator that goes over a dimension, of a tensor without any."""
    schema = getattr(node.target, "_schema", None)
    takes_dim = schema is not None and any(one.name == "dim" for one in schema.arguments)
    return takes_dim and bool(args) and isinstance(args[0], Var) and args[0].rank == 0 and is_scalar(node.meta["val"])


def is_scalar(like: Any) -> bool:
    """True if no result has a dimension."""
    return not any(isinstance(one, torch.Tensor) and one.dim() for one in torch.utils._pytree.tree_leaves(like))


def of_items(size: torch.SymInt, count: int) -> int:
    """What a size is for so many items."""
    expression = size.node.expr
    return int(expression.xreplace(dict.fromkeys(expression.free_symbols, count)))


def starts_layers(node: torch.fx.Node | Call) -> bool:
    """True of zeros that are a first state of recurrent layers alone: these have it of themselves, whatever the batch."""
    return operator_name(node) == "zeros" and bool(node.users) and all(operator_name(user) in RECURRENT for user in node.users)


def function_for(node: torch.fx.Node | Call, table: dict[str, Lower]) -> Lower | None:
    """The table's, also of an operator that works in place."""
    name = str(node.target).removeprefix("aten.")
    return table.get(name) or (table.get(name.replace("_.", ".", 1)) if is_in_place(node) else None)


def is_random(node: torch.fx.Node | Call) -> bool:
    """True of operators that draw random numbers whenever they run; layers that do it in training alone are asked themselves."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) and function_for(node, TABLE) is None


def uses_others(node: torch.fx.Node | Call | None) -> bool:
    """Whether something uses another result of an operator than the first. Of a part of another operator that is not known before."""
    if node is None or not isinstance(node.meta["val"], (tuple, list)):
        return False
    return not isinstance(node, torch.fx.Node) or any(user.target is not operator.getitem or user.args[1] != 0 for user in node.users)


def is_complex(node: torch.fx.Node | Call, args: Any, kwargs: Any) -> bool:
    """True if complex values go in or come out."""
    leaves = torch.utils._pytree.tree_leaves((node.meta["val"], args, kwargs))
    return any(isinstance(leaf, Pair) or (hasattr(leaf, "dtype") and leaf.dtype.is_complex) for leaf in leaves)


def is_known(args: Any) -> bool:
    """True if no value of the program is among arguments."""
    return not any(isinstance(value, (Var, Pair)) for value in torch.utils._pytree.tree_leaves(args))


def has_pairs(args: Any) -> bool:
    return any(isinstance(value, Pair) for value in torch.utils._pytree.tree_leaves(args))


def symbols(args: Any) -> list[Any]:
    return [value for value in torch.utils._pytree.tree_leaves(args) if isinstance(value, torch.SymInt)]


def concrete(args: Any) -> Any:
    """Arguments with plain ints in place of symbols that have a value."""
    return torch.utils._pytree.tree_map(lambda value: static(value) if isinstance(value, torch.SymInt) else value, args)


def shown_target(node: torch.fx.Node | Call) -> str:
    return str(node.target).removesuffix(".default")
