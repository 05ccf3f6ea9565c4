"""Sizes that depend on open dimensions, as a program computes them: from the dimensions of a value that arrives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from .lowering import Like, Lowering, NotLowered, Var, static
from .weights import Known

OPEN = "its shape depends on a dimension that is open"


def expression(size: Any) -> Any:
    import sympy  # which nothing needs that has no open dimension

    return sympy.Integer(size) if isinstance(size, int) else size.node.expr


def line_of(size: Any) -> tuple[Any, Any, Any]:
    """An expression as factor * rest + summand: its factor, its rest and its summand."""
    more, product = size.as_coeff_Add()
    factor, rest = product.as_coeff_Mul()
    return factor, rest, more


def of_dimension(size: Any, dim: Any) -> tuple[int, int, int] | None:
    """Three numbers with size = dim * times / over + more; None if it is not so. Both are expressions."""
    (factor, rest, more), (own_factor, own_rest, own_more) = line_of(size), line_of(dim)
    if rest != own_rest:
        return None
    ratio = factor / own_factor
    summand = more - ratio * own_more
    if not ratio.is_Rational or not summand.is_Integer:
        return None
    return int(ratio.p), int(ratio.q), int(summand)


def text_of(size: Any, shape: Sequence[Any]) -> str | None:
    """A size in terms of the dimensions of `x`, which has this shape; None if these do not tell it."""
    if (number := static(size)) is not None:
        return str(number)
    for place, dim in enumerate(shape):
        found = None if static(dim) is not None else of_dimension(expression(size), expression(dim))
        if found is None:
            continue
        times, over, more = found
        text = f"size(x, {place})" + (f" * {times}" if times != 1 else "") + (f" / {over}" if over != 1 else "")
        return text + (f" + {more}" if more > 0 else f" - {-more}" if more else "")
    return computed_text(expression(size), shape)


def computed_text(size: Any, shape: Sequence[Any]) -> str | None:
    """A size that is computed of several dimensions of `x`, or by more than products and sums."""
    import sympy

    names: dict[Any, str] = {}
    instead: dict[Any, Any] = {}
    for place, dim in enumerate(shape):
        if static(dim) is None:
            more, rest = expression(dim).as_coeff_Add()
            whole = sympy.Dummy(integer=True, positive=True)
            instead[rest], names[whole] = whole - more, f"size(x, {place})"
    return written(size.xreplace(instead), names)


SIGNS = {"Add": " + ", "Mul": " * ", "Mod": " % ", "PythonMod": " % "}


def written(size: Any, names: Mapping[Any, str]) -> str | None:
    """An expression, whose divisions round downwards, with names for parts of it; None if there are not enough names."""
    if size in names or size.is_Integer:
        return names.get(size, str(size))
    kind = size.func.__name__
    if kind in ("FloorDiv", "CleanDiv"):
        numerator, denominator = size.args
        return divided(numerator, denominator, names)
    if kind not in SIGNS or (SIGNS[kind] == " % " and not size.args[0].is_nonnegative):
        return None
    parts = [written(one, names) for one in size.args]
    return None if None in parts else f"({SIGNS[kind].join(map(str, parts))})"


def divided(size: Any, by: Any, names: Mapping[Any, str]) -> str | None:
    """A quotient in a program, which rounds towards zero."""
    if not by.is_positive or (not size.is_nonnegative and not (-size).is_nonnegative):
        return None
    above = size if size.is_nonnegative else -size + by - 1
    parts = [written(one, names) for one in (above, by)]
    made = None if None in parts else f"({parts[0]} / {parts[1]})"
    return made if made is None or size.is_nonnegative else f"(0 - {made})"


def texts(sizes: Sequence[Any], shape: Sequence[Any]) -> list[str] | None:
    found = [text_of(size, shape) for size in sizes]
    return None if None in found else [str(one) for one in found]


def sources(ctx: Lowering, first: Sequence[Any]) -> Iterator[Var]:
    """Values whose dimensions may tell a size, what the operator takes first."""
    for value in (*first, *ctx.values.values()):
        if isinstance(value, Var) and not value.dtype.is_complex:
            yield value


def sized(ctx: Lowering, sizes: Sequence[Any], first: Sequence[Any] = ()) -> tuple[Var, str]:
    """A value, and sizes in terms of its dimensions. Raises `NotLowered` if no value tells all of them, or if the program is one for some items."""
    if ctx.items is None:
        for value in sources(ctx, first):
            if (found := texts(sizes, value.shape)) is not None:
                return value, ", ".join(found)
    raise NotLowered(OPEN)


def reshaped(ctx: Lowering, x: Any, like: Any) -> Any:
    """In a shape with several open dimensions, one of which may be what is left."""
    if ctx.items is not None:
        raise NotLowered("a shape with more than one open dimension")
    found = [text_of(size, x.shape) for size in like.shape]
    if found.count(None) > 1:
        source, text = sized(ctx, like.shape)
        return ctx.emit("reshape_as_sized", (x, source), text, like=like)
    return ctx.emit("reshape_sized", (x,), ", ".join("-1" if one is None else one for one in found), like=like)


def expanded(ctx: Lowering, x: Any, like: Any) -> Any:
    """Repeated to a shape with open dimensions."""
    source, text = sized(ctx, like.shape, [x])
    return ctx.emit("expand_sized", (x, source), text, like=Like(tuple(like.shape), x.dtype))


def filled(ctx: Lowering, number: Any, like: Any) -> Any:
    """A number in a shape with open dimensions."""
    return expanded(ctx, Known(ctx.local_name("filled"), torch.tensor(number, dtype=like.dtype)), like)


def extent(ctx: Lowering, size: torch.SymInt) -> Any:
    """A size as a tensor without dimensions."""
    source, text = sized(ctx, [size])
    return ctx.emit("extent", (source,), text, like=Like((), torch.int64))


def part(ctx: Lowering, x: Any, dim: int, low: Any, high: Any, like: Any) -> Any:
    """The items from `low` to `high`, which are not negative and may depend on open dimensions."""
    source, text = sized(ctx, [dim, low, high], [x])
    return ctx.emit("slice_sized", (x, source), text, like=like)
