"""Models as streams: each is run by the importer itself, which compares it with the model at every time step."""


import re
import subprocess

import numpy
import pytest
import streaming_models as models
import torch
from streaming_support import Of, refusal
from support import STRC, golden
from torch import nn

import strc.torch
from strc.errors import ImportFailure
from strc.source.floats import FILTERS
from strc.torch.export import stream_model, write

CASES = {
    "conv_stack": (lambda: models.ConvStack(), (1, 1, 200)),
    "tcn": (lambda: models.TCN(), (1, 2, 100)),
    "gated": (lambda: models.GatedWaveNet(), (1, 1, 100)),
    "wavenet": (lambda: models.WaveNet(), (1, 1, 150)),
    "strided": (lambda: models.Strided(), (1, 2, 240)),
    "pools": (lambda: models.Pools(), (1, 3, 50)),
    "lstm": (lambda: models.Recurrent("LSTM", 2, 5, 2), (1, 60, 2)),
    "gru": (lambda: models.Recurrent("GRU", 1, 8), (1, 60, 1)),
    "gru_unbiased": (lambda: models.Recurrent("GRU", 3, 4, bias=False), (1, 60, 3)),
    "rnn": (lambda: models.Recurrent("RNN", 2, 20), (1, 60, 2)),
    "rnn_relu": (lambda: models.Recurrent("RNN", 2, 6, 2, nonlinearity="relu"), (1, 60, 2)),
    "lstm_amp": (lambda: models.LstmAmp(), (1, 1, 80)),
    "unbatched": (lambda: models.Unbatched(), (60, 3)),
    "norms": (lambda: models.Norms(), (1, 40, 6)),
    "gates": (lambda: models.Gates(), (1, 2, 40)),
    "labels": (lambda: models.Labels(), (1, 1, 60)),
    "running_mean": (lambda: models.RunningMean(), (1, 2, 64)),
    "echo_canceller": (lambda: models.EchoCanceller(), (1, 1, 120), (1, 1, 120)),
}


@pytest.fixture(autouse=True)
def the_compiler(monkeypatch):
    monkeypatch.setenv("STRC", STRC)


def made(name):
    """The model and an example, always the same."""
    make, *shapes = CASES[name]
    torch.manual_seed(1)
    return make().eval(), tuple(torch.randn(*shape) for shape in shapes)


@pytest.mark.parametrize("name", CASES)
def test_streams_equal_the_model(name, tmp_path):
    model, inputs = made(name)
    strc.torch.export(model, inputs, tmp_path / "model.str", streaming=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.safetensors", "model.str"]


@pytest.mark.parametrize("name", ["conv_stack", "gated", "lstm_amp", "strided"])
def test_source(name):
    model, inputs = made(name)
    golden(f"streaming_{name}.str", stream_model(model, inputs).source())


def test_parameters_have_names():
    for made in FILTERS.values():
        assert all(formal.isidentifier() and f" {formal}" in made.text for formal in made.formals)


def test_frames_are_joined_between_windows():
    """What a layer does with one frame is one filter; what others need later goes through it."""
    model, inputs = made("conv_stack")
    text = stream_model(model, inputs).source()
    layer = text[text.index("float->float filter ResidualFrame") :]
    assert "tanh(" in layer and "matmul(" in layer and "filter Tanh" not in text
    assert "What Residual makes of a frame between its windows" in text
    model, inputs = made("strided")
    alone = stream_model(model, inputs).source()
    assert "Frame" not in alone  # one operator stays a filter, whose firings are done in lanes


def test_rates_are_told():
    model, inputs = made("strided")
    found = stream_model(model, inputs).streamed
    (taken,), (given,) = found.inputs, found.results
    assert (taken.size, taken.frames, given.size, given.frames, found.latency) == (2, 12, 6, 1, 0)
    assert "A frame of 2 numbers for each time step; for 12 of them a frame of 6 numbers comes out" in "\n".join(found.about())


def test_from_file_to_file(tmp_path):
    """Samples of a sound go in and come out, also from an executable."""
    model, inputs = made("lstm_amp")
    strc.torch.export(model, inputs, tmp_path / "model.str", streaming=True)
    samples = numpy.random.default_rng(1).standard_normal(3000).astype("<f4")
    samples.tofile(tmp_path / "in.raw")
    ends = ["--in", "in.raw", "--out", "out.raw"]
    subprocess.run([STRC, "build", "--top", "LstmAmp", "-o", "amp", "model.str"], cwd=tmp_path, check=True, timeout=1800)
    subprocess.run(["./amp", *ends], cwd=tmp_path, check=True, timeout=1800)
    with torch.no_grad():
        expected = model(torch.from_numpy(samples).reshape(1, 1, -1)).flatten().numpy()
    found = numpy.fromfile(tmp_path / "out.raw", "<f4")
    assert numpy.abs(found - expected).max() <= 1e-5


# ---- what cannot be streamed


def fault_of(model, *shape, path=None, **options):
    with pytest.raises(ImportFailure) as fault:
        strc.torch.export(model.eval(), [torch.randn(*shape)], path / "model.str", streaming=True, **options)
    assert list(path.iterdir()) == []
    return str(fault.value)


def line_of(words, file=models.__file__):
    lines = open(file, encoding="utf-8").read().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if line.endswith(words))


def test_what_looks_ahead_is_refused(tmp_path):
    told = fault_of(models.Symmetric(), 1, 1, 60, path=tmp_path)
    assert "its result waits for 5 samples that come later; --latency 5 permits that" in told
    assert "near (Conv1d) looks 2 samples ahead" in told and "far (Conv1d) looks 3 samples ahead" in told
    assert f"streaming_models.py:{line_of('# the near one')}" in told and f"streaming_models.py:{line_of('# the far one')}" in told
    assert "y = self.near(x)" in told
    assert "--latency 5" in fault_of(models.Symmetric(), 1, 1, 60, path=tmp_path, latency=4)


def test_latency_permits_it_and_is_exact(tmp_path):
    torch.manual_seed(1)
    imported = strc.torch.export(models.Symmetric(), [torch.randn(1, 1, 60)], tmp_path / "model.str", streaming=True, latency=9)
    assert imported.streamed.latency == 5
    assert "// Latency: 5 samples." in (tmp_path / "model.str").read_text(encoding="ascii")


class After(nn.Module):
    """Something behind a causal layer."""

    def __init__(self, function, channels=2):
        super().__init__()
        self.conv = nn.Conv1d(1, channels, 1)
        self.function = function

    def forward(self, x):
        return self.function(self.conv(x))


REFUSED = {
    "mean": (lambda x: x - x.mean(-1, keepdim=True), "it reduces all 30 time steps"),
    "softmax": (lambda x: x.softmax(-1), "it normalises over all 30 time steps"),
    "last_step": (lambda x: x[..., -1], "it takes one of the 30 time steps"),
    "attention": (lambda x: x.transpose(1, 2) @ x, "a table of all time steps with all"),
    "pieces": (lambda x: torch.stack(x.chunk(2, -1)), "it cuts the sequence in pieces"),
    "flattened": (lambda x: x.flatten(1), "it puts time and other dimensions together"),
    "rates": (lambda x: x[..., :15] + x[..., ::2], "its operands have different rates: a frame for"),
    "positions": (lambda x: x + torch.arange(30.0) ** 3, "a stored value is different at each time step"),
    "reflected": (lambda x: torch.nn.functional.pad(x, (3, 0), mode="reflect"), "it fills the ends with what is inside"),
    "behind": (lambda x: torch.cat([x, x], -1), "it puts sequences one behind the other"),
    "sorted": (lambda x: x.sort(1).values, "'order' has no form that works frame by frame"),
    "one_for_all": (lambda x: x * x[..., :1], "it repeats one time step for all"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    function, reason = REFUSED[name]
    told = fault_of(After(function), 1, 1, 30, path=tmp_path)
    assert reason in told and "test_streaming.py:" in told


def test_layers_that_are_refused(tmp_path):
    both = models.Recurrent("LSTM", 2, 5, bidirectional=True)
    both.dense = nn.Linear(10, 1)
    assert "rnn (LSTM): it goes backwards too" in fault_of(both, 1, 60, 2, path=tmp_path)
    assert "it combines all 30 time steps" in fault_of(After(nn.Linear(30, 30)), 1, 1, 30, path=tmp_path)
    assert "where time is dimension 1" in fault_of(models.ConvStack(), 1, 1, 30, path=tmp_path, time=1)
    norm = nn.Sequential(nn.Conv1d(1, 2, 1), nn.GroupNorm(1, 2))
    assert "1 (GroupNorm): it normalises over all 30 time steps" in fault_of(norm, 1, 1, 30, path=tmp_path)


class States(nn.Module):
    def __init__(self, what):
        super().__init__()
        self.rnn = nn.GRU(1, 3, batch_first=True)
        self.what = what

    def forward(self, x):
        return self.what(self.rnn(x))


def test_results_that_a_stream_has_not(tmp_path):
    told = fault_of(States(lambda made: made[1]), 1, 30, 1, path=tmp_path)
    assert "the state behind the last step is no result of a stream" in told
    assert "the state behind the last step is no result of a stream" in fault_of(States(lambda made: made), 1, 30, 1, path=tmp_path)


def test_models_that_depend_on_the_length_of_the_input(tmp_path):
    told = fault_of(After(lambda x: x[..., -3:]), 1, 1, 30, path=tmp_path)
    assert "what it does depends on the length of its input" in told


def test_a_failing_proof_writes_nothing(tmp_path, monkeypatch):
    """The example of what the proof is for: a program that is not right."""
    imported = strc.torch.stream_model(made("conv_stack")[0], made("conv_stack")[1])
    wrong = imported.source().replace("[k] + ", "[k] * 1.001 + ")
    with pytest.raises(ImportFailure, match="does not give what the model gives .*; nothing has been written"):
        write(imported, wrong, tmp_path / "model.str", made("conv_stack")[0], made("conv_stack")[1])
    broken = imported.source().replace("tanh(", "tanh(unknown + ")
    with pytest.raises(ImportFailure, match="does not run, which is an error of the importer"):
        write(imported, broken, tmp_path / "model.str", made("conv_stack")[0], made("conv_stack")[1])
    monkeypatch.setenv("STRC", "/nowhere/strc")
    with pytest.raises(ImportFailure, match="takes `strc` on the path"):
        strc.torch.export(made("conv_stack")[0], made("conv_stack")[1], tmp_path / "model.str", streaming=True)
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_are_compared_exactly(tmp_path, monkeypatch):
    monkeypatch.setattr(strc.streaming.proof.Program, "run", off_by_little(strc.streaming.proof.Program.run))
    model, inputs = made("labels")
    with pytest.raises(ImportFailure, match="does not give what the model gives"):
        strc.torch.export(model, inputs, tmp_path / "model.str", streaming=True)


def off_by_little(run):
    return lambda *args: [frames + 1e-6 for frames in run(*args)]


def test_options_that_do_not_go_together(tmp_path):
    assert "no open dimensions" in fault_of(models.ConvStack(), 1, 1, 30, path=tmp_path, dynamic=(0,))
    with pytest.raises(ImportFailure, match="takes floats"):
        strc.torch.export(models.Pools(), [torch.ones(1, 3, 30, dtype=torch.float64)], tmp_path / "model.str", streaming=True)


@pytest.mark.parametrize("function, how", [
    (lambda x: x / x.shape[-1], r"computes with 32\.0 where a longer input has 69\.0"),
    (lambda x: x.cumsum(-1) * x.shape[-1] ** -0.5, r"computes with 0\.17\d* where a longer input has 0\.12"),
    (lambda x: x * torch.linspace(0, 1, x.shape[-1]), "computes with a table whose values depend on it"),
])  # fmt: skip
def test_the_length_of_the_input(function, how, tmp_path):
    """The layer and the line that compute with it."""
    told = refusal(Of(function, 2), (1, 1, 32), tmp_path)
    assert "depends on the length of its input" in told and re.search(how, told)
    assert "test_streaming.py:" in told and "make it a number that is the same for every length" in told


class Canceller(nn.Module):
    """Two inputs and two results, of other rates."""

    def __init__(self):
        super().__init__()
        self.near, self.far = nn.Conv1d(1, 2, 4, stride=4), nn.Linear(3, 2)

    def forward(self, near, far):
        controls = self.far(far.transpose(1, 2)).transpose(1, 2)
        return near - 0.5 * controls.sum(1, keepdim=True).repeat_interleave(4, 2), self.near(near) + controls


def test_a_file_for_each_end(tmp_path):
    """The main stream takes an input each and gives a result each; in one file they take turns."""
    model, inputs = Canceller().eval(), [torch.randn(1, 1, 160), torch.randn(1, 3, 40)]
    strc.torch.export(model, inputs, tmp_path / "model.str", streaming=True)
    frames = [x[0].t().contiguous().numpy() for x in inputs]
    for name, x in zip(("near", "far"), frames):
        x.tofile(tmp_path / f"{name}.raw")
    words = ["run", "--top", "Canceller", "--in", "near.raw", "--in", "far.raw", "--out", "out.raw", "--out", "low.raw", "model.str"]
    subprocess.run([STRC, *words], cwd=tmp_path, check=True)
    with torch.no_grad():
        wanted = [y[0].t().contiguous().numpy() for y in model(*inputs)]
    found = [numpy.fromfile(tmp_path / name, numpy.float32) for name in ("out.raw", "low.raw")]
    for one, other in zip(found, wanted):
        numpy.testing.assert_allclose(one, other.reshape(-1), atol=1e-5)
    numpy.concatenate([frames[0].reshape(40, 4), frames[1]], 1).tofile(tmp_path / "both.raw")
    subprocess.run([STRC, "run", "--top", "Canceller", "--in", "both.raw", "--out", "all.raw", "model.str"], cwd=tmp_path, check=True)
    parted = numpy.fromfile(tmp_path / "all.raw", numpy.float32).reshape(40, 6)
    assert (parted[:, :4].reshape(-1) == found[0]).all() and (parted[:, 4:].reshape(-1) == found[1]).all()


class Rows(nn.Module):
    """Of the first two rows, which are the same, nobody can tell anything."""

    def __init__(self):
        super().__init__()
        self.rows = nn.Embedding(50, 3)
        self.rows.weight.data[1] = self.rows.weight.data[0]
        self.conv = nn.Conv1d(3, 2, 4)

    def forward(self, x):
        return self.conv(nn.functional.pad(self.rows(x).transpose(1, 2), (3, 0)))


def test_whole_numbers_are_those_of_the_example(tmp_path):
    torch.manual_seed(1)
    strc.torch.export(Rows(), [torch.randint(0, 50, (1, 40))], tmp_path / "model.str", streaming=True)
    with pytest.raises(ImportFailure, match="nothing can be proved"):
        strc.torch.export(Rows(), [torch.zeros(1, 40, dtype=torch.long)], tmp_path / "other.str", streaming=True)
