"""Operators that are made of nothing else: each has a filter (`strc.source.algorithms`), and a function of tensors that gives the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..lowering import Lowering, lowers

LIBRARY = torch.library.Library("strc", "DEF")
REDUCTIONS = {"sum": "sum", "prod": "prod", "amax": "amax", "amin": "amin"}
KINDS = {torch.float32: "float", torch.float64: "double", torch.int32: "int"}


def primitive(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Defines the operator; the function computes it, also of tensors without values."""

    def define(function: Callable[..., Any]) -> Any:
        name = signature.partition("(")[0]
        LIBRARY.define(signature)
        for key in ("CPU", "Meta"):
            LIBRARY.impl(name, function, key)
        return getattr(torch.ops.strc, name)

    return define


def is_real(tensor: torch.Tensor) -> bool:
    return str(tensor.device.type) != "meta"


@primitive("order(Tensor x, bool descending) -> Tensor")
def order(x: torch.Tensor, descending: bool) -> torch.Tensor:
    """Of each row the places of its elements in order, of equal ones the first first. NaN counts as the greatest."""
    return torch.sort(x, dim=1, descending=descending, stable=True).indices


@lowers("strc.order.default")
def lower_order(ctx: Lowering, x: Any, descending: bool) -> Any:
    return ctx.emit("order", (x,), *x.shape, descending)


@primitive("last_place(Tensor at, int n) -> Tensor")
def last_place(at: torch.Tensor, n: int) -> torch.Tensor:
    """Of each of n numbers the place where it stands in a row last; -1 if it does not."""
    made = at.new_full((n,), -1, dtype=torch.int64)
    if is_real(at):
        for place, number in enumerate(at.tolist()):
            made[number] = place
    return made


@lowers("strc.last_place.default")
def lower_last_place(ctx: Lowering, at: Any, n: int) -> Any:
    return ctx.emit("last_place", (at,), at.shape[0], n)


@primitive("reduce_at(Tensor x, Tensor at, Tensor values, str kind) -> Tensor")
def reduce_at(x: torch.Tensor, at: torch.Tensor, values: torch.Tensor, kind: str) -> torch.Tensor:
    """A row, with values added, multiplied, or compared with what stands at their places."""
    return torch.scatter_reduce(x, 0, at, values, REDUCTIONS[kind]) if is_real(x) else torch.empty_like(x)


@lowers("strc.reduce_at.default")
def lower_reduce_at(ctx: Lowering, x: Any, at: Any, values: Any, kind: str) -> Any:
    return ctx.emit(f"reduce_at_{kind}_{KINDS[x.dtype]}", (x, at, values), x.shape[0], at.shape[0])


# ---- dense linear algebra, of batches of matrices of doubles


@primitive("lu(Tensor x) -> (Tensor, Tensor, Tensor)")
def lu(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The factors in one matrix, the rows as they were exchanged, one after the other, and 1 or -1 for each exchange."""
    batch, rows, columns = x.shape
    if not is_real(x):
        return torch.empty_like(x), x.new_empty((batch, min(rows, columns)), dtype=torch.int64), x.new_empty((batch,))
    factors, pivots = torch.linalg.lu_factor_ex(x)[:2]
    places = pivots.long() - 1
    return factors, places, 1 - 2.0 * ((places != torch.arange(places.shape[1])).sum(1) % 2).to(x.dtype)


@primitive("cholesky(Tensor x) -> (Tensor, Tensor)")
def cholesky(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The lower factor, of the lower half, and the order of the first minor that is not positive; 0 without one."""
    if not is_real(x):
        return torch.empty_like(x), x.new_empty((x.shape[0],), dtype=torch.int64)
    factor, info = torch.linalg.cholesky_ex(x)
    return factor, info.long()


@primitive("triangular(Tensor a, Tensor b, bool upper, bool unit) -> Tensor")
def triangular(a: torch.Tensor, b: torch.Tensor, upper: bool, unit: bool) -> torch.Tensor:
    """x of a x = b, where only the upper or the lower half of a counts, and, with `unit`, not even its diagonal."""
    return torch.linalg.solve_triangular(a, b, upper=upper, unitriangular=unit) if is_real(a) else torch.empty_like(b)


@primitive("reflections(Tensor x) -> (Tensor, Tensor)")
def reflections(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Householder's, as LAPACK's geqrf has them."""
    if is_real(x):
        made, tau = torch.geqrf(x)
        return made, tau
    return torch.empty_like(x), x.new_empty((x.shape[0], min(x.shape[1:])))


@primitive("reflected(Tensor a, Tensor tau, Tensor b) -> Tensor")
def reflected(a: torch.Tensor, tau: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of all reflections with a matrix."""
    if not is_real(a):
        return torch.empty_like(b)
    wide = torch.nn.functional.pad(a, (0, max(0, a.shape[1] - a.shape[2])))[..., : a.shape[1]]
    return torch.linalg.householder_product(wide, torch.nn.functional.pad(tau, (0, a.shape[1] - tau.shape[1]))) @ b


@primitive("eigh(Tensor x) -> (Tensor, Tensor)")
def eigh(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Eigenvalues of symmetric matrices, the least first, and the vectors as columns, of either sign."""
    return torch.linalg.eigh(x) if is_real(x) else (x.new_empty(x.shape[:-1]), torch.empty_like(x))


@lowers("strc.lu.default")
def lower_lu(ctx: Lowering, x: Any) -> Any:
    return ctx.emit_tuple("lu", (x,), list(ctx.meta), *x.shape, min(x.shape[1:]))


@lowers("strc.cholesky.default")
def lower_cholesky(ctx: Lowering, x: Any) -> Any:
    return ctx.emit_tuple("cholesky", (x,), list(ctx.meta), *x.shape[:2])


@lowers("strc.triangular.default")
def lower_triangular(ctx: Lowering, a: Any, b: Any, upper: bool, unit: bool) -> Any:
    return ctx.emit("triangular", (a, b), *b.shape, upper, unit)


@lowers("strc.reflections.default")
def lower_reflections(ctx: Lowering, x: Any) -> Any:
    return ctx.emit_tuple("reflections", (x,), list(ctx.meta), *x.shape, min(x.shape[1:]))


@lowers("strc.reflected.default")
def lower_reflected(ctx: Lowering, a: Any, tau: Any, b: Any) -> Any:
    return ctx.emit("reflected", (a, tau, b), *b.shape, tau.shape[1])


@lowers("strc.eigh.default")
def lower_eigh(ctx: Lowering, x: Any) -> Any:
    return ctx.emit_tuple("eigh", (x,), list(ctx.meta), *x.shape[:2])
