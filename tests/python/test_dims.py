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


@pytest.mark.parametrize("dynamic", [({0: ROWS}, None), (0,)], ids=["mark", "number"])
def test_a_dimension_that_the_model_fixes(dynamic, tmp_path):
    with pytest.raises(ImportFailure, match="dimension 0 of input 0 is marked as dynamic, and the model takes nothing but 3 there"):
        strc.torch.export(Fixes(), INPUTS, tmp_path / "model.str", dynamic=dynamic)


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


N = Dim("n", min=3, max=6)
BOUNDS = {
    "at most": ({0: N}, 7, "dimension 0 of input 0 is 6 at most, and there are 7"),
    "at least": ({0: N}, 2, "dimension 0 of input 0 is 3 or more, and there are 2"),
    "of a hint": ({0: Dim.AUTO(min=3, max=6)}, 7, "dimension 0 of input 0 is 6 at most, and there are 7"),
}


def failing(folder, line, inputs):
    """What a program says of inputs that it does not take."""
    for i, tensor in enumerate(inputs):
        numpy.save(folder / f"in{i}.npy", tensor.numpy())
    given = [word for i in range(len(inputs)) for word in ("--in", f"in{i}.npy")]
    done = subprocess.run([*line, *given, "--out", "out.npy"], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode != 0
    return done.stderr


@pytest.mark.parametrize("way", BOUNDS)
def test_a_size_out_of_bounds(way, tmp_path):
    dims, rows, message = BOUNDS[way]
    model = Rows()
    strc.torch.export(model, INPUTS, tmp_path / "model.str", dynamic=(dims, None))
    said = failing(tmp_path, [STRC, "run", "--top", "Rows", "model.str"], [torch.randn(rows, 4), INPUTS[1]])
    assert message in said and "model.str:" in said
    for fits in (3, 6):
        inputs = [torch.randn(fits, 4), INPUTS[1]]
        compare(model, inputs, run_program(tmp_path, "Rows", inputs, 1))


class Sums(nn.Module):
    """Whose inputs may have any sizes, as far as it goes."""

    def forward(self, x, y, z):
        return x.sum(0) + y.sum(0), z * 2


RELATED = {
    "the same": (({0: N}, {0: N}, None), (4, 5), "dimension 0 of input 1 is n, by dimension 0 of input 0 4, and there are 5"),
    "derived": (({0: N}, {0: 2 * N + 1}, None), (4, 8), "dimension 0 of input 1 is 2*n + 1, by dimension 0 of input 0 9, and there are 8"),
    "derived first": (({0: 2 * N}, {0: N}, None), (7, 4), "dimension 0 of input 0 is 2*n, by dimension 0 of input 1 8, and there are 7"),
    "derived alone": (({0: 2 * N}, {0: 2 * N + 1}, None), (8, 8), "dimension 0 of input 1 is 2*n + 1, by dimension 0 of input 0 9, and there are 8"),
    "no multiple": (({0: 2 * N}, None, None), (7, 4), "dimension 0 of input 0 is 2*n, and there are 7"),
    "bounds of what is derived": (({0: 2 * N}, None, None), (14, 4), "dimension 0 of input 0 is 12 at most, and there are 14"),
}


@pytest.mark.parametrize("way", RELATED)
def test_sizes_that_belong_together(way, tmp_path):
    dims, (one, other), message = RELATED[way]
    inputs = [torch.randn(4, 2), torch.randn(4, 2), torch.randn(3)]
    strc.torch.export(Sums(), inputs, tmp_path / "model.str", dynamic=dims)
    said = failing(tmp_path, [STRC, "run", "--top", "Sums", "model.str"], [torch.randn(one, 2), torch.randn(other, 2), inputs[2]])
    assert message in said


class Doubled(nn.Module):
    def forward(self, x, y):
        return torch.cat([x, x]) + y


def test_sizes_that_the_model_relates(tmp_path):
    n = Dim("n", min=2, max=6)
    strc.torch.export(Doubled(), [torch.randn(3, 2), torch.randn(6, 2)], tmp_path / "model.str", dynamic=({0: n}, {0: 2 * n}))
    for rows in (2, 5):
        inputs = [torch.randn(rows, 2), torch.randn(2 * rows, 2)]
        compare(Doubled(), inputs, run_program(tmp_path, "Doubled", inputs, 1))
    inputs = [torch.randn(3, 2), torch.randn(8, 2)]
    assert "dimension 0 of input 1 is 2*n, by dimension 0 of input 0 6, and there are 8" in failing(tmp_path, [STRC, "run", "--top", "Doubled", "model.str"], inputs)


def test_an_executable_for_all_sizes_checks_them(tmp_path):
    strc.torch.export(Doubled(), [torch.randn(3, 2), torch.randn(6, 2)], tmp_path / "model.str", dynamic=({0: N}, {0: 2 * N}))
    subprocess.run([STRC, "build", "--top", "Doubled", "--input", "_x2", "--input", "_x2", "-o", "net", "model.str"], cwd=tmp_path, check=True, timeout=600)
    assert "is 6 at most, and there are 7" in failing(tmp_path, ["./net"], [torch.randn(7, 2), torch.randn(14, 2)])
    assert "by dimension 0 of input 0 8, and there are 7" in failing(tmp_path, ["./net"], [torch.randn(4, 2), torch.randn(7, 2)])


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.places = nn.Parameter(torch.randn(10, 4))

    def forward(self, x):
        return x + self.places[: x.shape[0]]


def test_more_than_the_model_has(tmp_path):
    """A table bounds how long an input may be: no `Dim` may promise more, and without bounds the program says it."""
    with pytest.raises(ImportFailure, match="dimension 0 of input 0 may be 64 by its mark, and the model takes 10 at most there"):
        strc.torch.export(Table(), [torch.randn(3, 4)], tmp_path / "model.str", dynamic=({0: Dim("n", max=64)},))
    for way in (({0: Dim("n")},), (0,)):
        strc.torch.export(Table(), [torch.randn(3, 4)], tmp_path / "model.str", dynamic=way)
        said = failing(tmp_path, [STRC, "run", "--top", "Table", "model.str"], [torch.randn(11, 4)])
        assert "dimension 0 of input 0 is 10 at most, and there are 11" in said


@pytest.mark.parametrize("dynamic", [(0,), ({0: Dim("batch")},)], ids=["number", "mark"])
def test_an_example_of_one_item(dynamic, tmp_path):
    """PyTorch takes a size of 1 for a fixed one."""
    torch.manual_seed(5)
    model = Causal()
    strc.torch.export(model, [torch.randn(1, 7, 16)], tmp_path / "model.str", dynamic=dynamic)
    for batch in (1, 3):
        inputs = [torch.randn(batch, 7, 16)]
        compare(model, inputs, run_program(tmp_path, "Causal", inputs, 1))


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.layers = getattr(nn, kind)(4, 3, **options)

    def forward(self, x):
        made, last = self.layers(x)
        return (made.tanh(), *last) if isinstance(last, tuple) else (made, last)


LAYERS = [("LSTM", {"batch_first": True, "num_layers": 2}), ("LSTM", {"bidirectional": True}), ("GRU", {"batch_first": True}), ("RNN", {}), ("RNN", {"nonlinearity": "relu"})]


@pytest.mark.parametrize(("kind", "options"), LAYERS, ids=lambda one: one if isinstance(one, str) else "-".join(one) or "plain")
def test_recurrent_layers_over_any_length(kind, options, tmp_path):
    torch.manual_seed(6)
    model = Recurrent(kind, **options).eval()
    made = strc.torch.export(model, [torch.randn(2, 5, 4)], tmp_path / "model.str", dynamic=({0: Dim("one"), 1: Dim("other")},))
    for shape in ((2, 5, 4), (1, 9, 4), (3, 2, 4)):
        x = torch.randn(shape)
        compare(model, [x], run_program(tmp_path, "Recurrent", [x], len(made.program.results)))


class Larger(nn.Module):
    def __init__(self, **how):
        super().__init__()
        self.conv, self.how = nn.Conv2d(2, 2, 3, padding=1, stride=2), how

    def forward(self, x):
        made = self.conv(x)
        if self.how.get("scale_factor"):
            return self.conv(functional.interpolate(made, **self.how))
        return functional.interpolate(made, size=x.shape[2:], **self.how) + x


SIZES = {
    "bilinear": {"mode": "bilinear"}, "corners": {"mode": "bilinear", "align_corners": True}, "nearest": {}, "exact": {"mode": "nearest-exact"},
    "twice": {"scale_factor": 2}, "three times": {"scale_factor": (3, 2), "mode": "bilinear"}, "twice with corners": {"scale_factor": 2, "mode": "bilinear", "align_corners": True},
}


@pytest.mark.parametrize("way", SIZES)
def test_interpolation_to_any_size(way, tmp_path):
    torch.manual_seed(7)
    model = Larger(**SIZES[way])
    strc.torch.export(model, [torch.randn(1, 2, 6, 9)], tmp_path / "model.str", dynamic=({2: Dim("high"), 3: Dim("wide")},))
    for shape in ((1, 2, 6, 9), (1, 2, 7, 4), (1, 2, 12, 15)):
        x = torch.randn(shape)
        compare(model, [x], run_program(tmp_path, "Larger", [x], 1))
