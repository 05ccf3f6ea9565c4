"""Imported programs give what the models give: |difference| <= 1e-4 * max(1, |value|) on every element."""

import subprocess

import numpy
import pytest
import torch
from cases import CASES
from support import STRC

import strc.torch


def run_program(folder, name, inputs, count, *options):
    """The outputs of the stream `name` of model.str for some tensors."""
    words = [STRC, "run", *options, "--top", name, "model.str"]
    for i, tensor in enumerate(inputs):
        numpy.save(folder / f"in{i}.npy", tensor.numpy())
        words += ["--in", f"in{i}.npy"]
    for i in range(count):
        words += ["--out", f"out{i}.npy"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    return [torch.from_numpy(numpy.load(folder / f"out{i}.npy")) for i in range(count)]


def assert_close(found, expected):
    """Stacks of one item have the item's shape or a first dimension of one."""
    assert found.numel() == expected.numel()
    difference = (found.reshape(expected.shape) - expected).abs()
    assert bool((difference <= 1e-4 * expected.abs().clamp(min=1)).all()), float(difference.max())


@pytest.mark.parametrize("case", [case for case in CASES if not case.states], ids=lambda case: case.name)
def test_equals_the_model(case, tmp_path):
    model, inputs = case.make()
    strc.torch.export(model, inputs, tmp_path / "model.str", replicate=case.replicate, dynamic=case.dynamic)
    with torch.no_grad():
        expected = model(*inputs)
    expected = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    for found, value in zip(run_program(tmp_path, case.model, inputs, len(expected)), expected):
        assert_close(found, value)


class Difference(torch.nn.Module):
    def forward(self, x, y):
        return x.sin() - 2 * y


@pytest.mark.parametrize("dynamic", [(), (0,)], ids=["", "open"])
def test_one_tensor_as_two_examples(dynamic, tmp_path):
    """They are two inputs nevertheless."""
    x, y = torch.randn(2, 3), torch.randn(2, 3)
    strc.torch.export(Difference(), [x, x], tmp_path / "model.str", dynamic=dynamic)
    (found,) = run_program(tmp_path, "Difference", [x, y], 1)
    assert_close(found, x.sin() - 2 * y)


def test_a_state_goes_round(tmp_path):
    """Step by step the loop gives what the model gives with its state carried by hand."""
    case = next(case for case in CASES if case.states)
    model, (x,) = case.make()
    state = torch.zeros(*case.states[0])
    strc.torch.export(model, (x,), tmp_path / "model.str", states=(state,))
    steps, expected = torch.randn(6, *x.shape), []
    with torch.no_grad():
        for step in steps:
            y, state = model(step, state)
            expected.append(y)
    (found,) = run_program(tmp_path, case.model, [steps], 1)
    assert_close(found, torch.stack(expected))


def test_doubles(tmp_path):
    """A linear layer of doubles is computed in doubles."""
    torch.manual_seed(5)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2, bias=False)).double().eval()
    x = torch.randn(5, 3, dtype=torch.float64)
    strc.torch.export(model, (x,), tmp_path / "model.str")
    (found,) = run_program(tmp_path, "Sequential", [x], 1)
    with torch.no_grad():
        assert found.dtype == torch.float64 and torch.allclose(found.reshape(5, 2), model(x), rtol=1e-12)


def test_any_batch(tmp_path):
    """Dimension 0 is open, also where recurrent layers begin with zeros for it."""
    case = next(case for case in CASES if case.name == "lstm_any_batch")
    model, inputs = case.make()
    strc.torch.export(model, inputs, tmp_path / "model.str", dynamic=case.dynamic)
    for batch in (1, 5):
        x = torch.randn(batch, 28, 28)
        (found,) = run_program(tmp_path, case.model, [x], 1)
        with torch.no_grad():
            assert_close(found, model(x))


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.linear(x).relu()


class Sharing(torch.nn.Module):
    """Modules of one class with one weight, which is behind the prefix of the first alone."""

    def __init__(self):
        super().__init__()
        self.one, self.other = Part(), Part()
        self.other.linear.weight = self.one.linear.weight
        self.other.linear.bias = self.one.linear.bias

    def forward(self, x):
        return self.one(self.other(x))


def test_modules_that_share_weights(tmp_path):
    model, x = Sharing(), torch.randn(2, 3)
    strc.torch.export(model, [x], tmp_path / "model.str")
    assert_close(run_program(tmp_path, "Sharing", [x], 1)[0], model(x).detach())
