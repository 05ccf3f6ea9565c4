"""Every operator that is imported gives for NaN, infinities, zeros of both signs, subnormal numbers, ties and odd types what PyTorch gives.

NaN, infinities and signs of zeros have to be the same, other numbers within 1e-5 of their size. PyTorch's own result depends here and there
on how many elements it computes at once (the sign of max(0.0, -0.0), exp(-90), gelu(inf)); there the result for doubles counts as well, or a
case says that its zeros have any sign.
"""

import math

import pytest
import torch
import torch.nn.functional as F
from test_run import run_program
from torch import nn

import strc.torch
from strc.errors import ImportFailure

NAN, INF = math.nan, math.inf
SMALLEST = 1e-42  # subnormal numbers have few digits
NUMBERS = [
    NAN, INF, -INF, 0.0, -0.0, 1e-45, -1e-45, 1e-40, -1e-40, 1.2e-38, -1.2e-38, 1e-20, -1e-20, 1e-8, -1e-8, 0.1, -0.1, 0.5, -0.5, 1.0, -1.0,
    1.5, -1.5, 2.0, 2.5, -2.5, 3.0, -3.0, 3.5, 6.0, 7.0, -20.0, 20.0, 50.0, -50.0, 88.0, -88.0, 90.0, 1e4, -1e4, 1e10, -1e10, 3.4028235e38,
    16777216.0, 8388609.0, -8388609.0, 0.49999997, -0.49999997,
]  # fmt: skip
FEW = [NAN, INF, -INF, 0.0, -0.0, 1e-45, -1e-40, 1e-20, 0.1, -0.1, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.5, 3.0, -3.0, 7.0, -7.0, 1e10]
X = torch.tensor(NUMBERS)
A, B = torch.tensor(FEW).repeat_interleave(len(FEW)), torch.tensor(FEW).repeat(len(FEW))
ROWS = torch.tensor([
    [1.0, 2, 3, 2, 3], [NAN, 1, 2, 0, 1], [1, NAN, 5, NAN, 0], [INF, 1, 2, 0, INF], [-INF, 1, 2, 3, 4], [INF, -INF, 0, 1, 2], [-INF] * 5,
    [INF] * 5, [100, 90, -100, 88, 0], [-1.5, 2.5, 0.5, -0.5, 1.5], [1e-20, 3, 1e-30, 2, 1],
])  # fmt: skip
DOUBLES = torch.tensor([NAN, INF, -INF, 0.0, -0.0, 0.1, -0.1, 1e300, 1.5, -2.5, 7.0, 1.0], dtype=torch.float64)
LONGS = torch.tensor([-7, -3, -2, -1, 0, 1, 2, 3, 7, 2**40, -(2**40), 9])
DIVISORS = torch.tensor([2, -2, 3, -3, 1, 5, -5, 7, -7, 3, 3, 2])
BOOLEANS = torch.tensor([True, False, True] * 4)
OTHERS = torch.tensor([True, True, False, False] * 3)


def pictures():
    torch.manual_seed(4)
    x = torch.randn(2, 3, 6, 6)
    x[0, 0, 0, 0], x[0, 1, 2, 2], x[1, 0, 3, 3], x[1, 2], x[1, 1] = NAN, INF, -INF, -INF, 1.0
    return x


ONE = {
    **{name: getattr(F, name) for name in "sigmoid tanh silu hardswish hardsigmoid gelu elu selu celu softplus softsign logsigmoid mish".split()},
    **{name: getattr(F, name) for name in "relu leaky_relu hardshrink tanhshrink hardtanh".split()},
    **{name: getattr(torch, name) for name in "sin cos tan asin acos atan sinh cosh exp log log10 erf sqrt abs floor ceil round neg".split()},
    **{name: getattr(torch, name) for name in "rsqrt reciprocal square log1p expm1 log2 exp2 logical_not trunc fix isfinite".split()},
    **{name: getattr(torch, name) for name in "sign sgn frac isnan isinf isposinf isneginf nan_to_num asinh acosh atanh arcsinh".split()},
    "nan_to_nums": lambda x: x.nan_to_num(0.5, -1.0, INF), "roll_all": lambda x: x.roll(7), "roll_back": lambda x: x.reshape(2, -1).roll(-3),
    **{f"rest_{v}": lambda x, v=v: x % v for v in (2, 0.375, -3.0, INF, 0.0, -0.0, 2.0**-66)}, **{f"rest_of_{v}": lambda x, v=v: torch.remainder(v, x) for v in (2, -5.5)},
    **{f"fmod_{v}": lambda x, v=v: torch.fmod(x, v) for v in (2, -0.375, INF, -0.0)},
    "gelu_tanh": lambda x: F.gelu(x.clamp(-1e10, 1e10), approximate="tanh"), "softplus_2": lambda x: F.softplus(x, 2.0, 1.0),
    "softplus_90": lambda x: F.softplus(x, 1.0, 90.0), "elu_half": lambda x: F.elu(x, 0.5),
    "long": lambda x: torch.where(x.abs() < 1e6, x, 0.0).long(),
    "bool": lambda x: x.bool(), "double": lambda x: x.double(), "where": lambda x: torch.where(x > 0, x, NAN),
    "fill": lambda x: torch.where(x > 0, INF, x), "masked": lambda x: x.masked_fill(x > 1, NAN), "pad": lambda x: F.pad(x, (1, 1), value=-0.0),
    "nan": lambda x: x + NAN, "is_nan": lambda x: x == NAN, "less_than_nan": lambda x: x < NAN, "pow_nan": lambda x: x**NAN,
    **{f"plus_{v}": lambda x, v=v: x + v for v in (0, 0.0, -0.0, 0.1, INF)}, **{f"minus_{v}": lambda x, v=v: x - v for v in (0, 0.0, -0.0, -INF)},
    **{f"from_{v}": lambda x, v=v: v - x for v in (0, -0.0, 1.5)}, **{f"times_{v}": lambda x, v=v: x * v for v in (0, -0.0, 1, -1, 0.5, INF)},
    **{f"by_{v}": lambda x, v=v: x / v for v in (0.0, -0.0, 1, 3, INF)}, **{f"over_{v}": lambda x, v=v: v / x for v in (0.0, -0.0, 1, -2.5, INF)},
    **{f"floor_by_{v}": lambda x, v=v: x // v for v in (0.0, -0.0, 0.1, 1.0, -3, 2, INF, -INF)},
    **{f"floor_of_{v}": lambda x, v=v: v // x for v in (0.0, -0.0, 1.0, -3, INF)},
    **{f"power_{v}": lambda x, v=v: x**v for v in (0, -0.0, 0.5, 1, 2, 3, -1, -2, 2.5, INF, -INF)},
    **{f"base_{v}": lambda x, v=v: v**x for v in (0.0, 1.0, 2, 0.5, INF)},
    **{f"least_{v}": lambda x, v=v: x.clamp(min=v) for v in (0.0, -0.0, 1, INF, -INF)},
    **{f"most_{v}": lambda x, v=v: x.clamp(max=v) for v in (0.0, -0.0, 1, INF, -INF)}, "clamp": lambda x: x.clamp(1.0, -1.0),
    **{f"{op}_{v}": lambda x, op=op, v=v: getattr(torch, op)(x, v) for op in "eq ne lt le gt ge".split() for v in (-0.0, 0.1, INF)},
    **{f"threshold_{v}": lambda x, v=v: F.threshold(x, v, 7.0) for v in (0.0, INF, NAN)}, "threshold_to_nan": lambda x: F.threshold(x, 0.5, NAN),
}  # fmt: skip
TWO = {
    **{op: getattr(torch, op) for op in "add sub mul div pow atan2 eq ne lt le gt ge floor_divide logical_and logical_or".split()},
    **{op: getattr(torch, op) for op in "remainder fmod logical_xor fmin fmax isclose".split()},
    "percent": lambda a, b: a % b,
    "floor": lambda a, b: torch.div(a, b, rounding_mode="floor"), "trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "operator": lambda a, b: a // b, "where": lambda a, b: torch.where(a > b, a, b), "lerp_0.25": lambda a, b: torch.lerp(a, b, 0.25),
    "lerp_0.75": lambda a, b: torch.lerp(a, b, 0.75), "alpha": lambda a, b: torch.add(a, b, alpha=0.25), "addcmul": lambda a, b: torch.addcmul(a, b, b),
    "logaddexp": torch.logaddexp,
}  # fmt: skip
ANY_ZEROS = {
    "relu6": (F.relu6, X), "prelu": (lambda x: F.prelu(x, torch.tensor([-0.25])), X), "softshrink": (F.softshrink, X), "hardtanh_0": (lambda x: F.hardtanh(x, 0.0, 1.0), X),
    **{name: (lambda x, name=name: getattr(torch, name)(x, x.flip(0)), A) for name in ("maximum", "minimum")},
    "clamp_tensors": (lambda x: x.clamp(x.flip(0), x.flip(0) + 1), A), "maximum_0": (lambda x: torch.maximum(x, torch.tensor(0.0)), X),
}  # fmt: skip
OVER_ROWS = {
    "mean": lambda x: x.mean(1), "sum": lambda x: x.sum(1), "sum_double": lambda x: x.sum(1, dtype=torch.float64), "amax": lambda x: x.amax(1),
    "amin": lambda x: x.amin(1), "amax_all": lambda x: x.amax((0, 1)), "max": lambda x: x.max(), "min": lambda x: x.min(), "max_dim": lambda x: tuple(x.max(1)),
    "argmax": lambda x: x.argmax(1), "softmax": lambda x: x.softmax(1), "softmin": lambda x: F.softmin(x, 1),
    "argmin": lambda x: x.argmin(1), "argmin_all": lambda x: x.argmin(), "argmax_all": lambda x: x.argmax(keepdim=True), "min_dim": lambda x: tuple(x.min(1)),
    "any": lambda x: x.any(1), "all": lambda x: x.all(), "any_isnan": lambda x: x.isnan().any(1, keepdim=True), "all_dims": lambda x: (x > 0).all((0, 1)), "any_all": lambda x: (x > 0).any(),
    "amin_dims": lambda x: x.amin((0, 1)), "amin_keep": lambda x: x.reshape(11, 5, 1).amin((1, 2), keepdim=True), "aminmax": lambda x: tuple(torch.aminmax(x, dim=1)),
    "prod": lambda x: x.prod(1), "prod_all": lambda x: x[0].prod(), "prod_keep": lambda x: x.prod(1, keepdim=True), "cumprod": lambda x: x.cumprod(1), "nansum": lambda x: x.nansum(1),
    "std_mean": lambda x: torch.std_mean(x.nan_to_num(NAN, 5, 5), 1), "var_mean": lambda x: torch.var_mean(x.nan_to_num(NAN, 5, 5), 1, correction=0, keepdim=True), "std_all": lambda x: x[2:3, :1].std(dim=1, correction=0),
    "norm_1": lambda x: x.norm(1, dim=1), "norm_inf": lambda x: x.norm(INF, dim=1), "norm_all": lambda x: x.norm(), "cosine": lambda x: F.cosine_similarity(x, x.flip(1)),
    "greatest": lambda x: x.topk(1).values, "its_place": lambda x: x[8:].topk(1, 0).indices, "gather": lambda x: x.gather(1, torch.tensor([[0, 4], [3, 3]])),
    "gather_computed": lambda x: x.gather(1, x.argmax(1, keepdim=True)), "along": lambda x: torch.take_along_dim(x, x.argmin(1, keepdim=True), 1), "gather_first": lambda x: x.gather(0, (x > 2).long()),
    "places": lambda x: x[torch.tensor([0, -1, 3]), torch.tensor([[1], [-2]])], "places_computed": lambda x: x[x.argmax(0), -1 - x.argmin(0) % 2], "roll_rows": lambda x: x.roll(-7),
    "rest": lambda x: x % 3, "cumsum": lambda x: x.cumsum(1), "cumsum_double": lambda x: x.cumsum(1, dtype=torch.float64), "var": lambda x: x.var(1), "std": lambda x: (1e20 * x).std(1),
    **{f"var_{n}": lambda x, n=n: x.var(1, correction=n) for n in (0, 5, 6)}, "norm": lambda x: x.norm(dim=1), "logsumexp": lambda x: x.logsumexp(1),
    "layer_norm": lambda x: F.layer_norm(x, (5,)), "rms_norm": lambda x: F.rms_norm(x, (5,)), "group_norm": lambda x: F.group_norm(x, 1),
    "glu": lambda x: F.glu(x[:, :4]), "matmul": lambda x: x @ x.mT, "linear": lambda x: F.linear(x, torch.ones(2, 5)),
    "take": lambda x: x[torch.tensor([-1, 0, -11])], "take_columns": lambda x: x[:, torch.tensor([4, -2])], "take_computed": lambda x: x[x.argmax(1) - 5],
    "roll": lambda x: x.roll(2, 1), "flip": lambda x: x.flip(1), "tril": lambda x: x.tril(), "one_hot": lambda x: F.one_hot((x > 0).long(), 2),
    "count": lambda x: (x > 0).sum(1), "embedding": lambda x: F.embedding((x > 0).long(), torch.tensor([[1.0, NAN], [INF, -0.0]])),
    "dropout": lambda x: F.dropout(x, 0.5, False), "dropout_in_place": lambda x: F.dropout(x.clone(), 0.5, False, True), "dropout_nothing": lambda x: F.dropout(x, 0.0, True), "copy": lambda x: x.clone().copy_((x > 0).long()),
}  # fmt: skip
OVER_PICTURES = {
    "max_pool": lambda x: F.max_pool2d(x, 2), "max_pool_padded": lambda x: F.max_pool2d(x, 3, 2, 1), "max_pool_up": lambda x: F.max_pool2d(x, 4, 4, ceil_mode=True),
    "max_pool_1d": lambda x: F.max_pool1d(x[:, :, 0], 3, 2, 1), "avg_pool": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "avg_pool_inside": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), "avg_pool_up": lambda x: F.avg_pool2d(x, 4, 4, 1, ceil_mode=True),
    "max_pool_3d": lambda x: F.max_pool3d(x, (2, 3, 2), 1, (0, 1, 1)), "max_pool_3d_up": lambda x: F.max_pool3d(x[:, None], 2, (1, 4, 4), ceil_mode=True), "max_pool_3d_apart": lambda x: F.max_pool3d(x[:, None], 2, 1, 0, (1, 2, 3)),
    "avg_pool_3d": lambda x: F.avg_pool3d(x[:, None], 2), "avg_pool_3d_padded": lambda x: F.avg_pool3d(x, 3, 2, 1), "avg_pool_3d_inside": lambda x: F.avg_pool3d(x[:, None], 3, 2, 1, count_include_pad=False), "response": lambda x: F.local_response_norm(x.nan_to_num(0, 1, 1), 2),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, 4), "adaptive_1": lambda x: F.adaptive_avg_pool2d(x, (None, 1)), "adaptive_up": lambda x: F.adaptive_avg_pool2d(x, (8, 5)),
    "adaptive_max": lambda x: F.adaptive_max_pool2d(x, 2), "nearest": lambda x: F.interpolate(x, (5, 7)), "nearest_scale": lambda x: F.interpolate(x, scale_factor=1.3),
    "nearest_scales": lambda x: F.interpolate(x, scale_factor=(0.4, 2.1)), "double": lambda x: F.interpolate(x, scale_factor=2), "bilinear_twice": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "rescaled": lambda x: F.interpolate(x, scale_factor=1.3, recompute_scale_factor=True), "bilinear": lambda x: F.interpolate(x, (9, 11), mode="bilinear"),
    "linear": lambda x: F.interpolate(x[:, :, 0], scale_factor=2, mode="linear"), "linear_apart": lambda x: F.interpolate(x[:, :, 2], scale_factor=1.3, mode="linear"), "linear_corners": lambda x: F.interpolate(x[:, :, 1], 11, mode="linear", align_corners=True),
    "trilinear": lambda x: F.interpolate(x[None], scale_factor=2, mode="trilinear"), "trilinear_corners": lambda x: F.interpolate(x[None], (2, 9, 5), mode="trilinear", align_corners=True), "trilinear_infinite": lambda x: F.interpolate(x[None].nan_to_num(INF, INF, -INF), (4, 9, 8), mode="trilinear"),
    "reflect": lambda x: F.pad(x, (1, 2, 0, 1), mode="reflect"), "replicate": lambda x: F.pad(x, (1, 2, 0, 1), mode="replicate"), "cut": lambda x: F.pad(x, (1, -2, 0, 1), value=-INF),
    "log_softmax": lambda x: x.log_softmax(1), "shuffle": lambda x: F.channel_shuffle(x, 3), "conv": lambda x: F.conv2d(x, torch.ones(2, 3, 3, 3), padding=1), "transposed": lambda x: F.conv_transpose2d(x, torch.ones(3, 2, 2, 2), stride=2),
    "batch_norm": lambda x: F.batch_norm(x, torch.zeros(3), torch.ones(3)), "instance_norm": lambda x: F.instance_norm(x),
    "sees_nothing": lambda x: F.scaled_dot_product_attention(x[:1, 1:, :2].isfinite().float(), x[:1, 1:, :2].isfinite().float(), x[:1, 1:, 3:5], attn_mask=torch.tensor([[False, False], [True, False]])),
    "sees_little": lambda x: F.scaled_dot_product_attention(x[:1, 1:, 3:], x[:1, 1:, 3:], x[:1, 1:, 3:], attn_mask=torch.tensor([[-INF] * 3, [0.0, -INF, 0.0], [-INF, 1.0, 2.0]])),
    "sees_as_told": lambda x: F.scaled_dot_product_attention(x[:1, 2:, 3:], x[:1, 2:, 3:], x[:1, 2:, 3:], attn_mask=x[:1, 2:, 3:, 3:] > 0),
}  # fmt: skip
SCALARS = {
    **{f"plus_{v}": lambda x, v=v: x + v for v in (0.1, 2)}, **{f"from_{v}": lambda x, v=v: v - x for v in (0.1, 2)}, **{f"times_{v}": lambda x, v=v: x * v for v in (0.5, -3)},
    **{f"by_{v}": lambda x, v=v: x / v for v in (0.1, 2)}, **{f"least_{v}": lambda x, v=v: x.clamp(min=v) for v in (0.1, 2)}, **{f"most_{v}": lambda x, v=v: x.clamp(max=v) for v in (0.1, 2)},
    **{f"{op}_{v}": lambda x, op=op, v=v: getattr(torch, op)(x, v) for op in ("eq", "lt", "ge") for v in (0.1, 1)}, "square": torch.square, "power": lambda x: x**2,
    **{f"where_{v}": lambda x, v=v: torch.where(x > 0, v, x) for v in (0.1, 2)}, **{f"else_{v}": lambda x, v=v: torch.where(x > 0, x, v) for v in (0.1, 2)},
    **{f"masked_{v}": lambda x, v=v: x.masked_fill(x > 0, v) for v in (0.6, 2)}, "sum": lambda x: x.sum(0), "sum_rows": lambda x: x.reshape(3, 4).sum(1), "not": torch.logical_not,
    "float": lambda x: x.float(), "bool": lambda x: x.bool(), "cat": lambda x: torch.cat([x, x.float()]), "amax": lambda x: x.amax(0), "argmax": lambda x: x.argmax(0),
    "argmin": lambda x: x.argmin(0), "least": lambda x: x.reshape(3, 4).amin((0, 1)), "any": lambda x: x.reshape(3, 4).any(1), "all": lambda x: x.reshape(3, 4).all(1), "roll": lambda x: x.roll(5), "isnan": torch.isnan, "isinf": torch.isinf,
    "nan_to_num": torch.nan_to_num, "prod": lambda x: x.reshape(3, 4)[:, :2].prod(1), "cumprod": lambda x: x.reshape(6, 2).cumprod(1), "nansum": lambda x: x.nansum(0), "sign": torch.sign,
}  # fmt: skip
WHOLE = {
    **{f"rest_{v}": lambda x, v=v: x % v for v in (3, -2, 0.75)}, **{f"fmod_{v}": lambda x, v=v: torch.fmod(x, v) for v in (3, -2)}, "topk": lambda x: tuple(x[:4].topk(1)), "min_dim": lambda x: tuple(x.reshape(3, 4).min(1)),
    **{f"floor_by_{v}": lambda x, v=v: x // v for v in (0.1, 2, -3)}, "sum_int": lambda x: x.sum(0, dtype=torch.int32), "log1p": lambda x: torch.log1p(x.abs()), "expm1": torch.expm1,
    "rsqrt": lambda x: torch.rsqrt(x * x + 1), "reciprocal": torch.reciprocal, "cube": lambda x: x**3, "base": lambda x: 2.5**x, "threshold": lambda x: F.threshold(x, 1, 7),
    "trunc": lambda x: torch.div(x, 2, rounding_mode="trunc"),
}  # fmt: skip
KINDS = {
    "add": torch.add, "mul": torch.mul, "div": torch.div, "eq": torch.eq, "lt": torch.lt, "where": lambda x, y: torch.where(x > 0, x, y), "and": torch.logical_and, "or": torch.logical_or,
    "maximum": torch.maximum, "cat": lambda x, y: torch.cat([x, y]), "third": lambda x, y: x * y / 3, "in_place": lambda x, y: x.float().mul_(y),
}  # fmt: skip
FLOORS = {"floor": lambda a, b: torch.div(a, b, rounding_mode="floor"), "trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"), "rest": torch.remainder, "fmod": torch.fmod}

GROUPS = {
    "one": (ONE, (X,), None), "two": (TWO, (A, B), None), "rows": (OVER_ROWS, (ROWS,), SMALLEST), "pictures": (OVER_PICTURES, (pictures(),), 1e-6),
    "doubles": (SCALARS, (DOUBLES,), None), "longs": ({**SCALARS, **WHOLE}, (LONGS,), None), "ints": ({**SCALARS, **WHOLE}, (LONGS.clamp(-50, 50).int(),), None),
    "booleans": ({name: f for name, f in SCALARS.items() if not name.startswith(("from", "argm"))}, (BOOLEANS,), None), "long_long": (KINDS | FLOORS, (LONGS, DIVISORS), None),
    "int_int": (KINDS | FLOORS, (LONGS.clamp(-50, 50).int(), DIVISORS.int()), None), "long_int": (KINDS | FLOORS, (DIVISORS.flip(0), DIVISORS.int()), None),
    "int_float": (KINDS | FLOORS, (DIVISORS.int(), DOUBLES.float()), None), "double_float": (KINDS, (DOUBLES, DOUBLES.flip(0).float()), None),
    "boolean_float": (KINDS, (BOOLEANS, DOUBLES.float()), None), "boolean_boolean": (KINDS, (BOOLEANS, OTHERS), None), "boolean_long": (KINDS, (BOOLEANS, LONGS), None),
    "double_long": (KINDS, (DOUBLES, LONGS), None),
    **{f"zeros_{x.numel()}": ({name: f for name, (f, y) in ANY_ZEROS.items() if y is x}, (x,), SMALLEST) for x in (X, A)},
}  # fmt: skip


class Cases(nn.Module):
    """A result, or several, for each of some functions."""

    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, *inputs):
        made = [function(*inputs) for function in self.functions]
        return tuple(value for one in made for value in (one if isinstance(one, tuple) else (one,)))


def equal(found, wanted, error):
    """Where two results are the same, but for an error of sums that cancel; those may be zeros of any sign."""
    if not wanted.dtype.is_floating_point:
        return found == wanted
    signs = (torch.signbit(found) == torch.signbit(wanted)) | ((found == 0) & (error is not None))
    close = (found - wanted).abs() <= 1e-5 * wanted.abs() + (error or SMALLEST)
    return (found.isnan() & wanted.isnan()) | (((found == wanted) | (close & found.isfinite() & wanted.isfinite())) & signs)


def in_doubles(function, inputs):
    """The results for doubles, rounded to the types of the results for floats."""
    if not all(x.dtype == torch.float32 for x in inputs):
        return None
    try:
        made = function(*(x.double() for x in inputs))
    except RuntimeError:  # stored floats beside doubles
        return None
    return made if isinstance(made, tuple) else (made,)


@pytest.mark.parametrize("name", GROUPS)
def test_special_values(name, tmp_path):
    functions, inputs, error = GROUPS[name]
    with torch.no_grad():
        wanted = {key: value if isinstance(value := function(*inputs), tuple) else (value,) for key, function in functions.items()}
    strc.torch.export(Cases(list(functions.values())), inputs, tmp_path / "model.str")
    found = iter(run_program(tmp_path, "Cases", inputs, sum(map(len, wanted.values()))))
    wrong = []
    for key, values in wanted.items():
        exact = in_doubles(functions[key], inputs)
        for place, value in enumerate(values):
            one = next(found)
            assert one.dtype == value.dtype, key
            one = one.reshape(value.shape)
            same = equal(one, value, error)
            if exact is not None:
                same |= equal(one, exact[place].to(value.dtype), error)
            if not bool(same.all()):
                wrong.append(f"{key}: {one[~same].flatten()[:4].tolist()} instead of {value[~same].flatten()[:4].tolist()}")
    assert not wrong, "\n".join(wrong)


REFUSED = {
    "dropout": (lambda x: F.dropout(x, 0.5, True), "drops at random"), "dropout2d": (lambda x: F.dropout2d(x, 0.5, True), "drops at random"),
    "alpha_dropout": (lambda x: F.alpha_dropout(x, 0.5, True), "drops at random"), "attention": (lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.5), "drops at random"),
    "rand": (lambda x: x + torch.rand(6), "random numbers"), "gumbel": (lambda x: F.gumbel_softmax(x), "random numbers"), "normal": (lambda x: x + torch.empty(6).normal_(), "random numbers"),
    "batch_norm": (lambda x: F.batch_norm(x, torch.zeros(3), torch.ones(3), training=True), "statistics of the batch"),
    "bytes": (lambda x: F.interpolate((9 * x).to(torch.uint8), (9, 9), mode="bilinear"), "between whole numbers"), "rest_by_zero": (lambda x: x.long() % 0, "by zero"), "eigenvalues": (lambda x: torch.linalg.eigvals(x[0]).real, "linalg_eig"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_stream_is_refused(name, tmp_path):
    function, why = REFUSED[name]
    with pytest.raises(ImportFailure, match=why) as fault:
        strc.torch.export(Cases([function]), (torch.randn(1, 3, 6, 6),), tmp_path / "model.str")
    assert "test_special_values.py" in str(fault.value)
    assert list(tmp_path.iterdir()) == []


def test_results_that_nobody_uses(tmp_path):
    x = torch.randn(1, 3, 6, 6)
    strc.torch.export(Cases([lambda x: F.max_pool2d(x, 2, return_indices=True)[0]]), (x,), tmp_path / "model.str")
    (found,) = run_program(tmp_path, "Cases", [x], 1)
    assert torch.equal(found.reshape(1, 3, 3, 3), F.max_pool2d(x, 2))


def test_infinities_between_which_nothing_lies(tmp_path):
    x = torch.tensor([[[1.0, 2.0, INF], [-INF, 0.0, 3.0]]])
    linear = lambda x: F.interpolate(x, scale_factor=2, mode="linear")  # noqa: E731
    trilinear = lambda x: F.interpolate(x[None, None], scale_factor=(1, 1, 2), mode="trilinear")  # noqa: E731
    bilinear = lambda x: F.interpolate(x[None], scale_factor=(1, 2), mode="bilinear")  # noqa: E731
    functions = linear, bilinear, trilinear
    strc.torch.export(Cases(list(functions)), (x,), tmp_path / "model.str")
    for made, function in zip(run_program(tmp_path, "Cases", [x], 3), functions):
        wanted = function(x)
        assert torch.equal(made.reshape(wanted.shape).nan_to_num(9e9), wanted.nan_to_num(9e9))
    assert linear(x).isinf().sum() == 6
