"""Operators that are made of others: each group is one model with a result for each of its operators."""

import pytest
import torch
import torch.nn.functional as F
from test_operators import Function
from test_run import assert_close, run_program
from torch import nn

import strc.torch
from strc.errors import ImportFailure


def order(x):
    tied = (3 * x).round()
    return [
        x.sort(1).values, tied.sort(dim=1, stable=True).indices, x.sort(0, descending=True).values, x.argsort(1), x.topk(2, 1).values, x.topk(2, 1).indices,
        x.topk(1, largest=False).values, x.kthvalue(2, 1).values, x.median(1).values, x.median(), x.median(1, keepdim=True).indices, torch.msort(x),
        tied.mode(1).values, (x * 100).long().sort(1).values, (x * 1e12).long().sort(1, descending=True).indices, x.double().sort(1).values,
        torch.searchsorted(x.sort(1).values, x), torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])), torch.isin(tied, torch.tensor([1.0, -2.0])), x.quantile(0.3, 1),
    ]


def places(x):
    at, rows = torch.tensor([[0, 2, 1, 0, 0], [1, 1, 2, 0, 2]]), torch.tensor([2, 0, 2])
    computed = (x > 0).long()
    return [
        x.gather(0, at), x.gather(0, computed), x.scatter(0, at, 7.0), x.scatter(0, computed, 2 * x), x.scatter_add(0, computed, x), x.index_add(0, rows, x),
        x.index_copy(0, torch.tensor([2, 0]), x[:2]), x.index_fill(1, torch.tensor([0, 3]), 5.0), x.scatter_reduce(0, computed, x, "amax"),
        x.scatter_reduce(0, computed, x, "mean", include_self=False), x.index_put((rows, rows), torch.ones(3), accumulate=True), x.index_put((computed[:, 0],), x[0]),
        x[rows, torch.tensor([0, 1, 4])], x[:, None][rows, :, torch.tensor([0, 1, 4])], x.take(at), torch.take_along_dim(x, x.argsort(1), 1), x.masked_scatter(x > 0, x),
        x.index_put((x[:, 0] < 9,), 2 * x), x.index_put((x[:, 0] > 0,), x[0]), torch.nonzero_static(x > 0, size=9), x.diagonal(), torch.diag_embed(x[0]), x.unfold(1, 2, 2), x.as_strided((2, 2), (1, 2)), torch.rot90(x), x.trace(), (10 * x).long().scatter_add(0, computed, computed),
    ]


def scans(x):
    return [
        x.cumprod(1), *x.cummax(1), *x.cummin(0), x.logcumsumexp(1), x.prod(1), x.prod(), (3 * x).long().prod(1), (3 * x).long().cumprod(0), torch.cat([x] * 30, 1).prod(1),
    ]


def windows(x):
    x = torch.stack([x, x.flip(1), -x]).unsqueeze(0)
    values, at = F.max_pool2d(x, 2, 1, return_indices=True)
    return [
        values, at, F.max_unpool2d(*F.max_pool2d(x[..., :4], (1, 2), return_indices=True), (1, 2)), F.adaptive_max_pool2d(x, (2, 3), return_indices=True)[1],
        F.adaptive_avg_pool1d(x[0], 3), F.adaptive_max_pool1d(x[0], 2), F.adaptive_avg_pool3d(x, (2, 2, 3)), F.avg_pool2d(x, 2, 1, divisor_override=3), F.pad(x, (2, 1, 0, 1), mode="circular"),
        F.pad(x[0], (1, 2), mode="circular"), F.unfold(x, 2), F.fold(F.unfold(x, 2), (3, 5), 2), F.interpolate(x, scale_factor=1.3, mode="bilinear"),
        F.interpolate(x, (5, 7), mode="bicubic"), F.grid_sample(x, torch.tensor([[[[0.1, -0.3], [0.9, 0.2]]]]), align_corners=False), F.max_pool1d(x[0], 2, return_indices=True)[1],
    ]


def layers(x):
    w = x[:2, :3].unsqueeze(0)
    return [
        F.conv1d(x.unsqueeze(0), x[:2, :2].expand(3, 2, 2).transpose(0, 1)), F.conv_transpose1d(x.unsqueeze(0), x[:, :2, None].expand(3, 2, 3), stride=2, padding=1),
        F.conv2d(x[None, None], w.unsqueeze(0), padding=1), F.linear(x, x), F.layer_norm(x, (5,), x[0], x[1]), F.rms_norm(x, (5,), x[0]), F.prelu(x, x[0, :1]),
        F.batch_norm(x, None, None, training=True), F.conv_transpose3d(x[None, None, None], torch.ones(1, 2, 1, 2, 2)), F.bilinear(x, x, torch.ones(2, 5, 5)), torch.cdist(x, x),
        F.embedding(torch.tensor([2, 0]), x), F.hinge_embedding_loss(x, x.sign()), F.cross_entropy(x, torch.tensor([0, 4, 2])), F.instance_norm(x.unsqueeze(0)), F.normalize(x, 3.0), x.norm(2.5, dim=1), x[:, None, :1].norm(3, dim=-1),
        F.scaled_dot_product_attention(x.expand(1, 4, 3, 5), x.expand(1, 2, 3, 5), x.flip(1).expand(1, 2, 3, 5), enable_gqa=True),
    ]


def special(x):
    y = x.abs() + 0.25
    return [
        torch.lgamma(3 * x), torch.digamma(y), torch.polygamma(1, y), torch.polygamma(2, y), torch.erfc(x), torch.erfinv(torch.tanh(x)), torch.special.i0e(9 * x), torch.i0(x),
        torch.special.i1(x), torch.special.erfcx(x), torch.special.ndtri(y / (1 + y)), torch.special.log_ndtr(3 * x), torch.special.zeta(y + 1, y), torch.mvlgamma(y + 2, 2),
        torch.special.bessel_j0(40 * x), torch.special.bessel_j1(9 * x), torch.special.bessel_y0(40 * y), torch.special.bessel_y1(9 * y), torch.special.modified_bessel_k0(y), torch.igamma(y, 2 * y),
        torch.special.scaled_modified_bessel_k1(9 * y), torch.special.legendre_polynomial_p(x, torch.tensor(5.0)), torch.special.hermite_polynomial_he(x, torch.arange(5.0)), torch.hypot(x, y), torch.copysign(y, x), torch.signbit(x), *torch.frexp(8 * x), torch.round(x, decimals=2), torch.nextafter(x, y), x.nanmean(), torch.isclose(x, x + 1e-6), x.histc(4, -2, 2),
    ]


def algebra(x):
    a = x[:, :3] @ x[:, :3].T + torch.eye(3)
    b = x[:, :3]
    return [
        torch.linalg.det(b), torch.linalg.inv(a), torch.linalg.solve(a, x), torch.linalg.cholesky(a), *torch.linalg.slogdet(b), *torch.linalg.lu_factor(b), *torch.linalg.lu(x), *torch.linalg.qr(x),
        torch.linalg.eigvalsh(a), torch.linalg.svdvals(x), torch.linalg.pinv(x), torch.linalg.matrix_rank(a), torch.linalg.matrix_exp(b), torch.linalg.matrix_power(b, 3), torch.linalg.matrix_norm(x, "nuc"),
        torch.cholesky_solve(x, torch.linalg.cholesky(a)), torch.linalg.solve_triangular(a, x, upper=False), torch.logdet(a), torch.linalg.cond(a), torch.trace(a),
    ]


def spectra(x):
    z = torch.fft.fft(x)
    return [
        torch.fft.rfft(x).abs(), z.real, z.imag, torch.fft.ifft(z * z).real, torch.fft.irfft(torch.fft.rfft(x), 5), torch.fft.fft2(x), torch.fft.fftshift(x), torch.fft.rfft(torch.cat([x] * 20, 1)),
        (z / (z + 3)).angle(), torch.polar(x.abs(), x).real, torch.stft(x, 4, window=torch.hann_window(4), return_complex=True), torch.view_as_real(torch.exp(z.conj() / 9)),
    ]


def elements(x):
    i, b = (9 * x).int(), (90 * x).to(torch.uint8)
    return [
        i & 6, i | 9, i ^ 5, ~i, i << 2, i >> 1, i.long() & 255, i.gcd(torch.tensor(6)), torch.lcm(i, torch.tensor(4)), b + b, b * 3, (-b).int(), b.float() / 3, b > 100, i.to(torch.int8) * 40,
        i.short() * 3000, x.half() * 3, x.half().float(), (x.bfloat16() + 1).float(), x.half().softmax(1), x.half() @ x.half().T, (x.half() + i), b + i.to(torch.int8), x.bfloat16().double(), b.sum(), b.amax(1),
        torch.baddbmm((i @ i.T)[None], i[None], i[None].mT, beta=2.5, alpha=-3), torch.linspace(4.3, i.sum(), 50, dtype=torch.int64), torch.linspace(x.sum(), -3, 9, dtype=torch.int32),
        i.cumsum(1, dtype=torch.int32), (x > 0).clamp(max=x > 1), F.avg_pool3d(i.long()[None, None], (1, 2, 2)), F.bilinear(i, i, torch.ones(2, 5, 5, dtype=torch.int32)),
    ]


GROUPS = [order, places, scans, windows, layers, special, algebra, spectra, elements]


def as_written(tensor):
    """As a program gives it: complex tensors with their parts in a last dimension, bytes and shorts as ints."""
    if tensor.dtype.is_complex:
        return torch.view_as_real(tensor.resolve_conj())
    return tensor.int() if tensor.dtype in (torch.uint8, torch.int16) else tensor


@pytest.mark.parametrize("made", GROUPS, ids=lambda made: made.__name__)
def test_group(made, tmp_path):
    torch.manual_seed(3)
    x = torch.randn(3, 5)
    with torch.no_grad():
        expected = [as_written(tensor) for tensor in made(x)]
    strc.torch.export(Function(made), (x,), tmp_path / "model.str")
    for number, (found, value) in enumerate(zip(run_program(tmp_path, "Function", [x], len(expected)), expected)):
        assert tuple(found.shape) == tuple(value.shape), number
        difference = (found.double() - value.double()).abs()
        assert bool((difference <= 1e-4 * value.double().abs().clamp(min=1)).all()), (number, found, value)


def test_over_no_dimensions(tmp_path):
    """Sums go over all then, and conditions over none."""

    def over(x):
        y = x[0, 0]
        return [torch.any(x > 0, dim=()), torch.all(x > 0, dim=()), torch.nansum(x, dim=()), torch.all(y > 0, dim=()), torch.any(y > 0, dim=()), torch.nansum(2 * y, dim=())]

    x = torch.randn(2, 3)
    strc.torch.export(Function(over), [x], tmp_path / "model.str")
    for found, value in zip(run_program(tmp_path, "Function", [x], 6), over(x)):
        assert found.numel() == value.numel() and torch.allclose(found.reshape(value.shape).float(), value.float())


def test_matrices_of_low_rank(tmp_path):
    """Of 50 rows, all but one or two of whose singular values are nothing."""
    torch.manual_seed(5)

    def inverses(x):
        return [torch.linalg.pinv(x[:, :1] @ x[:3, :1].T), torch.linalg.pinv(x @ x[:3].T), torch.linalg.svdvals(x @ x.T), torch.linalg.eigvalsh(1e-30 * (x @ x.T))]

    x = torch.randn(50, 2)
    strc.torch.export(Function(inverses), [x], tmp_path / "model.str")
    for found, value in zip(run_program(tmp_path, "Function", [x], 4), inverses(x)):
        assert torch.isfinite(found).all() and torch.allclose(found.reshape(value.shape), value, atol=1e-4 * float(value.abs().max()))


class Eigenvalues(nn.Module):
    def forward(self, x):
        return torch.linalg.eigvals(x).real * 2


def test_what_is_refused_is_told_once(tmp_path):
    """Not also what its complex result is used for."""
    with pytest.raises(ImportFailure, match="(?s)the model has 1 use of an operator that cannot be imported:.*linalg_eigvals: eigenvalues of matrices that are not symmetric"):
        strc.torch.export(Eigenvalues(), [torch.randn(3, 3)], tmp_path / "model.str")


def test_least_squares(tmp_path):
    """Of more equations than unknowns, of fewer, and of a matrix whose rank is less than either."""
    torch.manual_seed(6)

    def solutions(x):
        low = x[:, :1] @ x[:4, 1:2].T
        tall = torch.linalg.lstsq(x, x.flip(1)[:, :2], driver="gels")
        return [
            tall.solution, tall.residuals, torch.linalg.lstsq(x, x.sum(1, keepdim=True)).solution, *torch.linalg.lstsq(x[:2], x[:2, :1])[::2],
            torch.linalg.lstsq(low, x[:, :2]).solution, torch.linalg.lstsq(low, x).rank, torch.linalg.lstsq(x, x, rcond=0.4, driver="gelsd").solution,
            torch.linalg.lstsq(x, x, driver="gelsd").singular_values,
        ]

    x = torch.randn(6, 3)
    strc.torch.export(Function(solutions), [x], tmp_path / "model.str")
    for found, value in zip(run_program(tmp_path, "Function", [x], 9), solutions(x), strict=True):
        assert found.numel() == value.numel() and torch.allclose(found.reshape(value.shape), value, atol=1e-4)


def test_residuals_that_are_there_or_not(tmp_path):
    with pytest.raises(ImportFailure, match="the residuals of a least-squares solution"):
        strc.torch.export(Function(lambda x: [torch.linalg.lstsq(x, x).residuals]), [torch.randn(4, 3)], tmp_path / "model.str")


class Precise(nn.Module):
    """Layers of doubles, and statistics of the batch, which are nowhere stored."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 2, 3)
        self.norm = nn.LayerNorm(6)
        self.batch = nn.BatchNorm1d(2, track_running_stats=False)

    def forward(self, x):
        return self.batch(self.norm(self.conv(x)))


def test_layers_of_doubles(tmp_path):
    model, x = Precise().double().eval(), torch.randn(3, 1, 8).double()
    strc.torch.export(model, (x,), tmp_path / "model.str")
    (found,) = run_program(tmp_path, "Precise", [x], 1)
    assert found.dtype == torch.float64
    assert_close(found, model(x).detach())


class Masked(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[y < 0] = 0  # a mask that chooses nothing of another shape
        return y


def test_masks_that_are_assigned(tmp_path):
    x = torch.randn(3, 4)
    strc.torch.export(Masked(), (x,), tmp_path / "model.str")
    (found,) = run_program(tmp_path, "Masked", [x], 1)
    assert_close(found, x.clamp(min=0))


CHOSEN = {
    "masks": lambda x: x[x > 0], "rows": lambda x: x[x.sum(1) > 0], "nonzero": lambda x: torch.nonzero(x > 0), "masked_select": lambda x: 2 * x.masked_select(x[0] > 0),
    "sum": lambda x: x[x > 0].sum(), "argwhere": lambda x: torch.argwhere(x.round()), "none": lambda x: x[x > 100],
    "unique": lambda x: x.round().unique(), "counts": lambda x: x.round().unique(return_counts=True)[1], "inverse": lambda x: x.round().unique(return_inverse=True)[1],
    "runs": lambda x: torch.unique_consecutive((x > 0).long(), return_counts=True)[1],
}  # fmt: skip


@pytest.mark.parametrize("name", CHOSEN)
def test_as_many_elements_as_the_run_finds(name, tmp_path):
    torch.manual_seed(4)
    x = torch.randn(3, 5)
    strc.torch.export(Function(lambda x: [CHOSEN[name](x)]), (x,), tmp_path / "model.str")
    expected = CHOSEN[name](x)
    (found,) = run_program(tmp_path, "Function", [x], 1)
    assert tuple(found.shape) == tuple(expected.shape)
    assert_close(found, expected)
