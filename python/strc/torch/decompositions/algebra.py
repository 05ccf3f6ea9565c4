"""Dense linear algebra on a few kinds of factors. All of it is computed in doubles."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch import Tensor

from ..lowering import NoResult, NotLowered
from .primitives import cholesky, eigh, lu, reflected, reflections, triangular
from .registry import made_of


def batched(x: Tensor) -> Tensor:
    return x.reshape(prod(x.shape[:-2]), *x.shape[-2:]).double()


def unlike(made: Tensor, x: Tensor, *shape: int) -> Tensor:
    """A result as the operand's kind, in its batch."""
    return made.reshape(*x.shape[:-2], *shape).to(x.dtype)


def eye(n: int) -> Tensor:
    return torch.eye(n, dtype=torch.float64)


def permutation(exchanged: Tensor, rows: int) -> Tensor:
    """The matrix that exchanges rows, one pair after the other."""
    made = eye(rows).expand(exchanged.shape[0], rows, rows)
    for k in range(exchanged.shape[1]):
        other = exchanged[:, k : k + 1]
        turned = torch.arange(rows).expand(exchanged.shape[0], rows)
        turned = torch.where(turned == k, other, torch.where(turned == other, k, turned))
        made = torch.gather(made, 1, turned.unsqueeze(-1).expand(made.shape))
    return made


def lower_half(factors: Tensor) -> Tensor:
    least = min(factors.shape[-2:])
    return factors[..., :least].tril(-1) + torch.eye(factors.shape[-2], least, dtype=factors.dtype)


def upper_half(factors: Tensor) -> Tensor:
    return factors[..., : min(factors.shape[-2:]), :].triu()


@made_of("linalg_lu_factor_ex.default")
def lu_factor_ex(x: Tensor, *, pivot: bool = True, check_errors: bool = False) -> tuple[Tensor, ...]:
    if not pivot:
        raise NotImplementedError("without pivots")
    factors, exchanged, _ = lu(batched(x))
    least = min(x.shape[-2:])
    diagonal = factors.diagonal(0, 1, 2) == 0
    first = torch.where(diagonal.any(1), diagonal.to(torch.int32).argmax(1) + 1, 0)
    return (
        unlike(factors, x, *x.shape[-2:]), (exchanged + 1).to(torch.int32).reshape(*x.shape[:-2], least), first.to(torch.int32).reshape(x.shape[:-2]),
    )


@made_of("linalg_lu_factor.default")
def lu_factor(x: Tensor, *, pivot: bool = True) -> tuple[Tensor, ...]:
    return lu_factor_ex(x, pivot=pivot)[:2]


@made_of("_lu_with_info.default")
def lu_with_info(x: Tensor, pivot: bool = True, check_errors: bool = True) -> tuple[Tensor, ...]:
    return lu_factor_ex(x, pivot=pivot)


@made_of("linalg_lu.default")
def lu_parts(x: Tensor, *, pivot: bool = True) -> tuple[Tensor, ...]:
    factors, pivots, _ = lu_factor_ex(x, pivot=pivot)
    return lu_unpack(factors, pivots)


@made_of("lu_unpack.default")
def lu_unpack(factors: Tensor, pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> tuple[Tensor, ...]:
    rows, none = factors.shape[-2], torch.empty(0, dtype=factors.dtype)
    turned = permutation(pivots.reshape(-1, pivots.shape[-1]).long() - 1, rows).mT if unpack_pivots else none
    return (
        turned.reshape(*pivots.shape[:-1], rows, rows).to(factors.dtype) if unpack_pivots else none,
        lower_half(factors) if unpack_data else none, upper_half(factors) if unpack_data else none,
    )


def solved(a: Tensor, b: Tensor) -> Tensor:
    """x of a x = b, of batches of doubles."""
    factors, exchanged, _ = lu(a)
    below = triangular(factors, torch.matmul(permutation(exchanged, a.shape[-1]), b), False, True)
    return triangular(factors, below, True, False)


@made_of("linalg_inv_ex.default")
def inv_ex(x: Tensor, *, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    n, rows = x.shape[-1], batched(x)
    made = solved(rows, eye(n).expand(rows.shape))
    return unlike(made, x, n, n), torch.zeros(x.shape[:-2], dtype=torch.int32)


@made_of("linalg_inv.default", "inverse.default")
def inv(x: Tensor) -> Tensor:
    return inv_ex(x)[0]


@made_of("_linalg_det.default")
def det_parts(x: Tensor) -> tuple[Tensor, ...]:
    factors, exchanged, sign = lu(batched(x))
    value = factors.diagonal(0, 1, 2).prod(1) * sign
    return value.reshape(x.shape[:-2]).to(x.dtype), unlike(factors, x, *x.shape[-2:]), (exchanged + 1).to(torch.int32).reshape(x.shape[:-1])


@made_of("linalg_det.default", "det.default")
def det(x: Tensor) -> Tensor:
    return det_parts(x)[0]


@made_of("_linalg_slogdet.default")
def slogdet_parts(x: Tensor) -> tuple[Tensor, ...]:
    factors, exchanged, sign = lu(batched(x))
    diagonal = factors.diagonal(0, 1, 2)
    sign, size = sign * diagonal.sign().prod(1), diagonal.abs().log().sum(1)
    shape = x.shape[:-2]
    return (
        sign.reshape(shape).to(x.dtype), size.reshape(shape).to(x.dtype), unlike(factors, x, *x.shape[-2:]),
        (exchanged + 1).to(torch.int32).reshape(x.shape[:-1]),
    )


@made_of("linalg_slogdet.default", "slogdet.default")
def slogdet(x: Tensor) -> tuple[Tensor, ...]:
    return slogdet_parts(x)[:2]


@made_of("logdet.default")
def logdet(x: Tensor) -> Tensor:
    return det(x.double()).log().to(x.dtype)


def is_vector(a: Tensor, b: Tensor) -> bool:
    return bool(b.dim() == 1 or (a.dim() - 1 == b.dim() and b.shape == a.shape[:-1]))


def solve_in_batches(a: Tensor, b: Tensor, left: bool) -> Tensor:
    vector = is_vector(a, b)
    given = b.unsqueeze(-1) if vector else b
    if not left and not vector:
        return solve_in_batches(a.mT, b.mT, True).mT
    shape = torch.broadcast_shapes(a.shape[:-2], given.shape[:-2])
    one, other = a.expand(*shape, *a.shape[-2:]), given.expand(*shape, *given.shape[-2:])
    made = solved(batched(one), batched(other)).reshape(other.shape).to(b.dtype)
    return made.squeeze(-1) if vector else made


@made_of("linalg_solve.default")
def solve(a: Tensor, b: Tensor, *, left: bool = True) -> Tensor:
    return solve_in_batches(a, b, left)


@made_of("linalg_solve_ex.default")
def solve_ex(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    return solve_in_batches(a, b, left), torch.zeros(a.shape[:-2], dtype=torch.int32)


@made_of("_linalg_solve_ex.default")
def solve_parts(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False) -> tuple[Tensor, ...]:
    return (solve_in_batches(a, b, left), *lu_factor_ex(a))


@made_of("linalg_lu_solve.default")
def lu_solve(factors: Tensor, pivots: Tensor, b: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    turned, lower, upper = lu_unpack(factors, pivots)
    whole = turned.double() @ lower.double() @ upper.double()
    return solve_in_batches(whole.mT if adjoint else whole, b.double(), left).to(b.dtype)


@made_of("lu_solve.default")
def old_lu_solve(b: Tensor, factors: Tensor, pivots: Tensor) -> Tensor:
    return lu_solve(factors, pivots, b)


@made_of("linalg_solve_triangular.default")
def solve_triangular(a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    if not left:
        return solve_triangular(a.mT, b.mT, upper=not upper, unitriangular=unitriangular).mT
    shape = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    one, other = a.expand(*shape, *a.shape[-2:]), b.expand(*shape, *b.shape[-2:])
    return triangular(batched(one), batched(other), upper, unitriangular).reshape(other.shape).to(b.dtype)


@made_of("triangular_solve.default")
def triangular_solve(
    b: Tensor, a: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    made = solve_triangular(a.mT if transpose else a, b, upper=upper != transpose, unitriangular=unitriangular)
    return made, a.expand(*made.shape[:-2], *a.shape[-2:]).clone()


# ---- Cholesky


@made_of("linalg_cholesky_ex.default")
def cholesky_ex(x: Tensor, *, upper: bool = False, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    factor, info = cholesky(batched(x.mT if upper else x))
    made = unlike(factor, x, *x.shape[-2:])
    return made.mT if upper else made, info.to(torch.int32).reshape(x.shape[:-2])


@made_of("linalg_cholesky.default")
def linalg_cholesky(x: Tensor, *, upper: bool = False) -> Tensor:
    return cholesky_ex(x, upper=upper)[0]


@made_of("cholesky.default")
def old_cholesky(x: Tensor, upper: bool = False) -> Tensor:
    return cholesky_ex(x, upper=upper)[0]


@made_of("cholesky_solve.default")
def cholesky_solve(b: Tensor, factor: Tensor, upper: bool = False) -> Tensor:
    first = solve_triangular(factor.mT if upper else factor, b.double(), upper=False)
    return solve_triangular(factor if upper else factor.mT, first, upper=True).to(b.dtype)


@made_of("cholesky_inverse.default")
def cholesky_inverse(factor: Tensor, upper: bool = False) -> Tensor:
    n = factor.shape[-1]
    return cholesky_solve(eye(n).expand(*factor.shape[:-2], n, n), factor, upper).to(factor.dtype)


# ---- reflections


@made_of("geqrf.default")
def geqrf(x: Tensor) -> tuple[Tensor, Tensor]:
    made, tau = reflections(batched(x))
    return unlike(made, x, *x.shape[-2:]), tau.reshape(*x.shape[:-2], -1).to(x.dtype)


@made_of("linalg_qr.default")
def qr(x: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    rows, columns = x.shape[-2:]
    made, tau = reflections(batched(x))
    kept = rows if mode == "complete" else min(rows, columns)
    upper = unlike(made[:, :kept].triu(), x, kept, columns)
    if mode == "r":
        return torch.empty(0, dtype=x.dtype), upper
    start = torch.eye(rows, kept, dtype=torch.float64).expand(made.shape[0], rows, kept)
    return unlike(reflected(made, tau, start), x, rows, kept), upper


@made_of("qr.default")
def old_qr(x: Tensor, some: bool = True) -> tuple[Tensor, Tensor]:
    return qr(x, "reduced" if some else "complete")


@made_of("linalg_householder_product.default", "orgqr.default")
def householder_product(x: Tensor, tau: Tensor) -> Tensor:
    rows, columns = x.shape[-2:]
    start = torch.eye(rows, columns, dtype=torch.float64).expand(batched(x).shape)
    return unlike(reflected(batched(x), tau.reshape(-1, tau.shape[-1]).double(), start), x, rows, columns)


@made_of("ormqr.default")
def ormqr(x: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    rows = other.shape[-2] if left else other.shape[-1]
    flat = batched(x)
    whole = reflected(flat, tau.reshape(-1, tau.shape[-1]).double(), eye(rows).expand(flat.shape[0], rows, rows)).reshape(*x.shape[:-2], rows, rows)
    turned = whole.mT if transpose else whole
    return (turned @ other.double() if left else other.double() @ turned).to(other.dtype)


# ---- eigenvalues


def symmetric(x: Tensor, half: str) -> Tensor:
    lower = x.tril() if half.upper() == "L" else x.triu()
    return lower + lower.mT - torch.diag_embed(x.diagonal(0, -2, -1))


@made_of("_linalg_eigh.default")
def eigh_parts(x: Tensor, half: str = "L", compute_v: bool = True) -> tuple[Tensor, Tensor]:
    values, vectors = eigh(symmetric(batched(x), half))
    return values.reshape(x.shape[:-1]).to(x.dtype), unlike(vectors, x, *x.shape[-2:])


@made_of("linalg_eigh.default")
def linalg_eigh(x: Tensor, UPLO: str = "L") -> tuple[Tensor, Tensor]:
    return eigh_parts(x, UPLO)


@made_of("linalg_eigvalsh.default")
def eigvalsh(x: Tensor, UPLO: str = "L") -> Tensor:
    return eigh_parts(x, UPLO)[0]


def singular(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """u, s and v of batches of doubles with no more columns than rows: of the symmetric matrix with x and its transpose beside the diagonal, whose
    greatest eigenvalues they are."""
    rows, columns = x.shape[-2:]
    zeros = torch.zeros((x.shape[0], rows, rows), dtype=x.dtype), torch.zeros((x.shape[0], columns, columns), dtype=x.dtype)
    whole = torch.cat([torch.cat([zeros[0], x], 2), torch.cat([x.mT, zeros[1]], 2)], 1)
    values, vectors = eigh(whole)
    order = torch.arange(rows + columns - 1, rows - 1, -1)
    best = vectors.index_select(2, order) * 2**0.5
    return best[:, :rows], values.index_select(1, order).clamp(min=0), best[:, rows:]


@made_of("linalg_svdvals.default")
def svdvals(x: Tensor) -> Tensor:
    rows = batched(x if x.shape[-2] >= x.shape[-1] else x.mT)
    return singular(rows)[1].reshape(*x.shape[:-2], -1).to(x.dtype)


@made_of("_linalg_svd.default")
def svd_parts(x: Tensor, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None) -> tuple[Tensor, ...]:
    rows, columns = x.shape[-2:]
    if not compute_uv:
        none = torch.empty(0, dtype=x.dtype)
        return none, svdvals(x), none
    if full_matrices and rows != columns:
        raise NotImplementedError("vectors beyond those of singular values (full_matrices)")
    tall = rows >= columns
    u, s, v = singular(batched(x if tall else x.mT))
    if not tall:
        u, v = v, u
    least = min(rows, columns)
    return unlike(u, x, rows, least), s.reshape(*x.shape[:-2], least).to(x.dtype), unlike(v.mT, x, least, columns)


@made_of("linalg_pinv.atol_rtol_tensor")
def pinv(x: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False) -> Tensor:
    if hermitian:
        x = symmetric(x, "L")
    rows, columns = x.shape[-2:]
    tall = rows >= columns
    u, s, v = singular(batched(x if tall else x.mT))
    least = (torch.zeros(()) if atol is None else atol).double()
    share = (torch.tensor(max(rows, columns) * torch.finfo(x.dtype).eps if atol is None else 0.0) if rtol is None else rtol).double()
    bound = torch.maximum(least.reshape(-1, 1), share.reshape(-1, 1) * s[:, :1])
    inverse = torch.where(s > bound, 1 / s, 0.0)
    made = (v * inverse.unsqueeze(1)) @ u.mT
    return unlike(made if tall else made.mT, x, columns, rows)


@made_of("linalg_matrix_rank.atol_rtol_tensor")
def matrix_rank(x: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False) -> Tensor:
    s = svdvals((symmetric(x, "L") if hermitian else x).double())
    least = (torch.zeros(()) if atol is None else atol).double()
    share = (torch.tensor(max(x.shape[-2:]) * torch.finfo(x.dtype).eps if atol is None else 0.0) if rtol is None else rtol).double()
    bound = torch.maximum(least.unsqueeze(-1), share.unsqueeze(-1) * s[..., :1])
    return (s > bound).sum(-1)


RESIDUALS = NoResult("the residuals of a least-squares solution, of which there are none where a matrix has not full rank (driver='gels' takes no such)")


@made_of("linalg_lstsq.default")
def lstsq(a: Tensor, b: Tensor, rcond: Any = None, *, driver: str | None = None) -> tuple[Any, ...]:
    """The shortest solution with the least error, as LAPACK's gelsy, gelsd and gelss have it; gels takes matrices of full rank alone, for which it is the same."""
    vector = is_vector(a, b)
    given = b.unsqueeze(-1) if vector else b
    share = None if rcond is None or driver == "gels" else torch.as_tensor(rcond, dtype=torch.float64)
    if share is None:
        share = torch.tensor(max(a.shape[-2:]) * torch.finfo(a.dtype).eps)
    wide = torch.matmul(pinv(a.double(), rtol=share), given.double())
    none = torch.empty(0, dtype=torch.int64)
    residuals: Any = RESIDUALS
    if a.shape[-2] <= a.shape[-1]:
        residuals = none.to(a.dtype)
    elif driver == "gels":
        residuals = (torch.matmul(a.double(), wide) - given.double()).square().sum(-2).to(b.dtype)
    rank = none if driver == "gels" else matrix_rank(a, rtol=share)
    made = wide.to(b.dtype)
    return made.squeeze(-1) if vector else made, residuals, rank, svdvals(a) if driver in ("gelsd", "gelss") else none.to(a.dtype)


@made_of("linalg_eig.default", "_linalg_eigvals.default", "linalg_eigvals.default")
def eig(x: Tensor) -> Any:
    raise NotLowered("eigenvalues of matrices that are not symmetric have no filter; torch.linalg.eigh takes symmetric ones")


@made_of("linalg_matrix_exp.default", "matrix_exp.default")
def matrix_exp(x: Tensor) -> Tensor:
    """Taylor's series of the matrix over 2^16, squared so often."""
    rows = batched(x)
    small, n = rows / 2.0**16, x.shape[-1]
    made = eye(n).expand(rows.shape)
    for k in range(10, 0, -1):
        made = eye(n) + torch.bmm(small, made) / k
    for _ in range(16):
        made = torch.bmm(made, made)
    return unlike(made, x, n, n)


@made_of("linalg_matrix_power.default", "matrix_power.default")
def matrix_power(x: Tensor, n: int) -> Tensor:
    size = x.shape[-1]
    if n == 0:
        return torch.eye(size, dtype=x.dtype).expand(x.shape).clone()
    base = inv(x) if n < 0 else x
    made = base
    for _ in range(abs(n) - 1):
        made = torch.matmul(made, base)
    return made.clone() if abs(n) == 1 else made


# ---- products


def factors(x: Tensor, *numbers: Any) -> list[Any]:
    """Whole numbers are multiplied by whole ones."""
    return [number if x.dtype.is_floating_point else int(number) for number in numbers]


@made_of("addbmm.default")
def addbmm(x: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    beta, alpha = factors(x, beta, alpha)
    made = torch.bmm(a, b).sum(0).to(x.dtype) * alpha
    return made if beta == 0 else x * beta + made


@made_of("addmm.default", "addmv.default", "baddbmm.default")
def addmm(x: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    beta, alpha = factors(x, beta, alpha)
    made = torch.matmul(a, b)
    made = made if alpha == 1 else made * alpha
    return made if beta == 0 else (x if beta == 1 else x * beta) + made


@made_of("bilinear.default", "_trilinear.default")
def bilinear(x: Tensor, y: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    made = (torch.tensordot(x, weight, ([-1], [1])) * y.unsqueeze(-2)).sum(-1).to(x.dtype)
    return made if bias is None else made + bias


@made_of("trace.default")
def trace(x: Tensor) -> Tensor:
    return x.diagonal().sum()


@made_of("cdist.default", "_cdist_forward.default")
def cdist(x: Tensor, y: Tensor, p: float = 2, compute_mode: int | None = None) -> Tensor:
    return norm_of(x.unsqueeze(-2) - y.unsqueeze(-3), p)


def norm_of(difference: Tensor, p: float) -> Tensor:
    return torch.linalg.vector_norm(difference, p, -1)


@made_of("pdist.default", "_pdist_forward.default")
def pdist(x: Tensor, p: float = 2) -> Tensor:
    rows = torch.triu_indices(x.shape[0], x.shape[0], 1)
    return norm_of(x.index_select(0, rows[0]) - x.index_select(0, rows[1]), p)


# ---- layers whose weights are computed


@made_of("linear.default")
def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    made = torch.matmul(x, weight.mT if weight.dim() > 1 else weight)
    return made if bias is None else made + bias


@made_of("embedding.default")
def embedding(weight: Tensor, index: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    return weight.index_select(0, index.reshape(-1)).reshape(*index.shape, *weight.shape[1:])


@made_of("prelu.default", "_prelu_kernel.default")
def prelu(x: Tensor, weight: Tensor) -> Tensor:
    shape = [-1 if i == 1 else 1 for i in range(x.dim())] if x.dim() > 1 and weight.numel() > 1 and weight.dim() <= 1 else None
    slope = weight.reshape(shape) if shape else weight if weight.dim() == x.dim() else weight.reshape(-1 if x.dim() else ())
    return torch.where(x > 0, x, slope * x)
