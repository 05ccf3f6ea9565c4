"""Models of many shapes as streams: each is run by the importer itself, which compares it with the model at every time step."""

import pytest
import streaming_shapes as shapes
import torch
from streaming_shapes import Using
from support import STRC
from torch import nn
from torch.nn import functional

import strc.torch
from strc.errors import ImportFailure
from strc.torch.export import stream_model


@pytest.fixture(autouse=True)
def the_compiler(monkeypatch):
    monkeypatch.setenv("STRC", STRC)


def made(name):
    """The model, examples of its inputs, and how it is exported."""
    make, inputs, options = shapes.CASES[name]
    torch.manual_seed(1)
    return make().eval(), [torch.randn(*shape) for shape in inputs], options


@pytest.mark.parametrize("name", shapes.CASES)
def test_streams_equal_the_model(name, tmp_path):
    model, inputs, options = made(name)
    strc.torch.export(model, inputs, tmp_path / "model.str", streaming=True, **options)
    assert (tmp_path / "model.str").exists()


def told(name):
    model, inputs, options = made(name)
    return " ".join(stream_model(model, inputs, options.get("time"), options.get("latency", 0)).streamed.about())


def test_rates_are_told():
    assert "For 8 numbers and a frame of 3 numbers that come in 8 numbers and 2 frames of 2 numbers come out." in told("controls")
    assert "For 3 numbers and 2 numbers that come in 3 frames of 2 numbers and 2 frames of 2 numbers" in told("rates_without_whole_factor")
    assert "For a frame of 2 numbers that comes in 4 frames of 3 numbers come out." in told("transposed")
    assert "For 4 numbers that come in 4 numbers come out. // Latency: 4 samples." in told("windows_without_padding")


# ---- what cannot be streamed


def fault_of(path, function, *inputs, options=None, **modules):
    with pytest.raises(ImportFailure) as fault:
        strc.torch.export(
            Using(function, **modules).eval(), [torch.randn(*shape) for shape in inputs], path / "model.str", streaming=True, **(options or {})
        )
    assert list(path.iterdir()) == []
    return str(fault.value)


REFUSED = {
    "reflect": (lambda m, x: functional.pad(m.conv(x), (3, 0), mode="reflect"), "pad with a constant on the left"),
    "replicate": (lambda m, x: functional.pad(m.conv(x), (3, 0), mode="replicate"), "pad with a constant on the left"),
    "corners": (lambda m, x: functional.interpolate(m.conv(x), scale_factor=2, mode="linear", align_corners=True), "depends on the length of its input"),
    "broken_factor": (lambda m, x: functional.interpolate(m.conv(x), size=45), "interpolation goes by whole factors"),
    "turned": (lambda m, x: m.conv(x).flip(-1), "it turns round all 30 time steps"),
    "most": (lambda m, x: m.conv(x).argmax(-1), "it looks for the largest of all 30 time steps"),
    "group_norm": (lambda m, x: functional.group_norm(m.conv(x), 1), "it normalises over all 30 time steps"),
    "batch_and_time": (lambda m, x: m.conv(x).flatten(1), "a result: it puts time and other dimensions together"),
    "scattered": (lambda m, x: m.conv(x)[..., torch.arange(30) ** 2 % 30], "are not windows that begin equally far apart"),
    "stored_sequence": (lambda m, x: torch.where(torch.arange(30) > 3, m.conv(x), 0.0), "make what depends on time of the input's own size"),
    "other_way": (lambda m, x: torch.cat([m.conv(x), torch.arange(30.0).reshape(1, 1, 30) ** 1.3], 1), "a stored value is different at each time step"),
    "matrices": (lambda m, x: m.conv(x).permute(2, 0, 1) @ (torch.arange(60.0) ** 1.3).reshape(30, 2, 1), "a stored value is different at each time step"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    function, reason = REFUSED[name]
    words = fault_of(tmp_path, function, (1, 1, 30), conv=nn.Conv1d(1, 2, 1))
    assert reason in words and "streaming_shapes.py:" in words


def test_tails_look_ahead(tmp_path):
    """What a transposed convolution gives behind the end is not all of it while more may come."""
    words = fault_of(tmp_path, lambda m, x: m.up(x), (1, 2, 20), up=nn.ConvTranspose1d(2, 3, 8, 4))
    assert "its result waits for 1 sample that come later; --latency 1 permits that" in words and "up (ConvTranspose1d) looks 1 sample ahead" in words


def test_layers_that_are_refused(tmp_path):
    words = fault_of(tmp_path, lambda m, x: m.rnn(x)[0], (4, 6, 30), rnn=nn.GRU(30, 5, batch_first=True), options={"time": 2})
    assert "its steps are dimension 1, where time is dimension 2, its features" in words
    words = fault_of(tmp_path, lambda m, x: m.pool(x), (1, 2, 30, 8), pool=nn.AdaptiveAvgPool2d((5, 4)), options={"time": 2})
    assert "it divides all time steps into windows" in words
    words = fault_of(tmp_path, lambda m, x: functional.scaled_dot_product_attention(x, x, x), (1, 2, 30, 8), options={"time": 2})
    assert "also at later" in words


def test_times_of_several_inputs(tmp_path):
    words = fault_of(tmp_path, lambda m, x, y: x + y, (1, 2, 30), (1, 2, 30), options={"time": (2, 2, 2)})
    assert "--time is given 3 times, where the model has 2 inputs" in words
    words = fault_of(tmp_path, lambda m, x, y: x + y, (1, 2, 30), (1, 2, 30), options={"time": 3})
    assert "--time 3: an input has the dimensions 0 to 2" in words
    words = fault_of(tmp_path, lambda m, x, y: x + y.sum(), (1, 2, 30), (1, 2, 15), options={"time": 2})
    assert "it reduces all 15 time steps" in words


# ---- proofs that would say nothing


def quiet(scale):
    """A model whose window has weights for the newest frame alone, or for none."""
    conv = nn.Conv1d(1, 1, 3, bias=False)
    with torch.no_grad():
        conv.weight.copy_(torch.tensor([[[0.0, 0.0, scale]]]))
    return lambda m, x: m.conv(functional.pad(x, (2, 0))), {"conv": conv}


def test_results_that_do_not_depend_on_the_past(tmp_path):
    function, modules = quiet(1.0)
    assert "nothing can be proved: the later results of the model are the same" in fault_of(tmp_path, function, (1, 1, 30), **modules)
    function, modules = quiet(0.0)
    assert "nothing can be proved: the results of the model are the same" in fault_of(tmp_path, function, (1, 1, 30), **modules)


def test_a_guess_is_told():
    """Where no layer goes along any dimension, and nobody has said which counts time."""
    model, guess = nn.Linear(6, 4), "Time is dimension 1 of the input: no layer goes along any, so that is a guess; --time DIM says another."
    about = lambda shape, time: "\n".join(stream_model(model, [torch.randn(*shape)], time, 0).streamed.about())
    assert guess in about((1, 20, 6), None)
    assert "guess" not in about((1, 20, 6), 1)
    assert "guess" not in "\n".join(stream_model(nn.Conv1d(6, 4, 1), [torch.randn(1, 6, 20)], None, 0).streamed.about())
