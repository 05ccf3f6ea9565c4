"""Dimensions that are marked by torch.export.Dim stay open."""

import subprocess

import numpy
import pytest
import torch
from support import STRC
from test_run import assert_close, run_program
from torch import nn
from torch.nn import functional
from torch.export import Dim

import strc.torch
from strc.errors import ImportFailure


class Rows(nn.Module):
    """One row for all of `x`, whose number of rows is open."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x, bias):
        return self.inner(x).tanh() + bias


INPUTS = [torch.randn(3, 4), torch.randn(1, 4)]
ROWS = Dim("rows", min=2, max=64)
WAYS = {
    "by place": ({0: ROWS}, None),
    "by name": {"x": {0: ROWS}},
    "all dimensions of an input": ((ROWS, None), (None, None)),
    "from the end": ({-2: ROWS}, {}),
    "without a name": ({0: Dim.DYNAMIC, 1: Dim.STATIC}, None),
    "automatic": [{0: Dim.AUTO, 1: 4}, None],
}


@pytest.mark.parametrize("way", WAYS)
def test_marked_dimensions(way, tmp_path):
    model = Rows()
    made = strc.torch.export(model, INPUTS, tmp_path / "model.str", dynamic=WAYS[way])
    shapes = [[isinstance(size, int) for size in made.program.shapes[number]] for number in made.program.inputs]
    assert shapes == [[False, True], [True, True]]
    for rows in (2, 7):
        inputs = [torch.randn(rows, 4), INPUTS[1]]
        (found,) = run_program(tmp_path, "Rows", inputs, 1)
        with torch.no_grad():
            assert_close(found, model(*inputs))


def test_nothing_that_is_open():
    made = strc.torch.import_model(Rows(), INPUTS, ({0: Dim.STATIC}, None))
    assert all(isinstance(size, int) for shape in made.program.shapes.values() for size in shape)


WRONG = {
    "of 1 inputs, and there are 2": ({0: ROWS},),
    "dynamic dimensions 2 of an input that has 2": ({2: ROWS}, None),
    "no input 'y'": {"y": {0: ROWS}},
}


@pytest.mark.parametrize("message", WRONG)
def test_what_does_not_fit(message, tmp_path):
    with pytest.raises(ImportFailure, match=message):
        strc.torch.export(Rows(), INPUTS, tmp_path / "model.str", dynamic=WRONG[message])
    assert list(tmp_path.iterdir()) == []


class Fixes(Rows):
    def forward(self, x, bias):
        return super().forward(x, bias) + torch.ones(3, 4)


def test_a_dimension_that_the_model_fixes(tmp_path):
    with pytest.raises(ImportFailure, match="dimension 0 of input 0 is marked as dynamic, and the model takes nothing but 3 there"):
        strc.torch.export(Fixes(), INPUTS, tmp_path / "model.str", dynamic=({0: ROWS}, None))


class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.out = nn.Linear(4, 5)

    def forward(self, x):
        return self.out(functional.adaptive_avg_pool2d(functional.max_pool2d(self.conv(x).relu(), 2), 1).flatten(1))


class Encoder(nn.Module):
    """Heads are split from the last dimension, and put beside the batch."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.inner = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 1).eval()

    def forward(self, x):
        return self.inner(self.words(x))


class Causal(nn.Module):
    """Two open dimensions are split, places counted, and their number is a number."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 48)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.inner(x).view(batch, length, 3, 2, 8).permute(2, 0, 3, 1, 4)
        made = functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, 16)
        return made + torch.arange(1, 2 * length, 2)[:, None] / length + torch.arange(length, dtype=torch.float32)[:, None]


class Tokens(nn.Module):
    """A token for each item, a part of a table of positions and of a mask, and parts counted from either end."""

    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.randn(1, 1, 8))
        self.places = nn.Parameter(torch.randn(1, 70, 8))
        self.register_buffer("mask", torch.tril(torch.ones(80, 80)).bool())

    def forward(self, x):
        y = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1)
        n = y.shape[1]
        y = y + self.places[:, :n] + self.places[:, -n:]
        made = (y @ y.transpose(1, 2)).masked_fill(~self.mask[:n, :n], float("-inf")).softmax(-1) @ y
        one = self.token.repeat(x.shape[0], 1, 1), torch.zeros_like(y), torch.full((x.shape[0], n), 2.5), torch.ones(n, dtype=torch.long) * y.long()[..., 0]
        return made[:, -1], made[:, 0], made[:, 1:], y[:, : x.shape[1]], y[:, :-1].sum(1) / n, made.reshape(-1, n, 2, 4).flatten(2), *one


class Gathered(nn.Module):
    """Made of other operators, which compute with sizes."""

    def forward(self, x):
        back = torch.arange(x.shape[1]).flip(0).expand(x.shape[0], -1)
        return x.gather(1, back), torch.diff(x, dim=1, prepend=x[:, :1])


BATCH, LENGTH, HIGH, WIDE = Dim("batch", max=64), Dim("length", min=2, max=64), Dim("high", min=8, max=64), Dim("wide", min=8, max=64)
SEQUENCES = {0: BATCH, 1: LENGTH}
OPEN = {
    "pictures": (Pictures, (2, 3, 16, 16), {0: BATCH, 2: HIGH, 3: WIDE}, [(1, 3, 9, 20), (5, 3, 32, 8)]),
    "encoder": (Encoder, (2, 7), SEQUENCES, [(1, 5), (3, 20)]),
    "causal": (Causal, (2, 7, 16), SEQUENCES, [(1, 5, 16), (3, 20, 16)]),
    "tokens": (Tokens, (2, 7, 8), SEQUENCES, [(1, 5, 8), (3, 20, 8)]),
    "gathered": (Gathered, (2, 7), SEQUENCES, [(1, 5), (3, 20)]),
}


def input_of(name, shape):
    return torch.randint(0, 50, shape) if name == "encoder" else torch.randn(shape)


def compare(model, inputs, found):
    with torch.no_grad():
        expected = model(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for one, wanted in zip(found, expected, strict=True):
        assert one.shape == wanted.shape and one.dtype == wanted.dtype
        assert_close(one, wanted)


@pytest.mark.parametrize("name", OPEN)
def test_several_open_dimensions(name, tmp_path):
    kind, shape, dims, others = OPEN[name]
    torch.manual_seed(3)
    model = kind()
    made = strc.torch.export(model, [input_of(name, shape)], tmp_path / "model.str", dynamic=(dims,))
    assert all(not isinstance(made.program.shapes[made.program.inputs[0]][dim], int) for dim in dims)
    for other in (shape, *others):
        inputs = [input_of(name, other)]
        compare(model, inputs, run_program(tmp_path, kind.__name__, inputs, len(made.program.results)))


def test_one_executable_for_all_sizes(tmp_path):
    torch.manual_seed(4)
    model = Causal()
    strc.torch.export(model, [torch.randn(2, 7, 16)], tmp_path / "model.str", dynamic=(SEQUENCES,))
    subprocess.run([STRC, "build", "--top", "Causal", "--input", "_x_x16", "-o", "net", "model.str"], cwd=tmp_path, check=True, timeout=600)
    for shape in ((1, 5, 16), (3, 20, 16)):
        x = torch.randn(shape)
        numpy.save(tmp_path / "x.npy", x.numpy())
        subprocess.run(["./net", "--in", "x.npy", "--out", "y.npy"], cwd=tmp_path, check=True, timeout=600)
        compare(model, [x], [torch.from_numpy(numpy.load(tmp_path / "y.npy"))])
