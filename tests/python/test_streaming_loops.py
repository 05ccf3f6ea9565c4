"""Loops over time that are written in Python."""

import pytest
import torch
from streaming_support import exported, refusal, the_compiler  # noqa: F401
from torch import nn

SEQUENCE = (1, 24, 3)


class Cells(nn.Module):
    """A cell, whose first state is learned if `learns`."""

    def __init__(self, kind, learns=False):
        super().__init__()
        self.cell = getattr(nn, kind)(3, 4)
        self.out = nn.Linear(4, 2)
        self.first = nn.Parameter(torch.randn(1, 4)) if learns else None

    def forward(self, x):
        h = torch.zeros(1, 4) if self.first is None else self.first
        c, found = torch.zeros(1, 4), []
        for t in range(x.shape[1]):
            if isinstance(self.cell, nn.LSTMCell):
                h, c = self.cell(x[:, t], (h, c))
            else:
                h = self.cell(x[:, t], h)
            found.append(self.out(h))
        return torch.stack(found, 1)


class Smoothing(nn.Module):
    """Begins with what comes first."""

    def __init__(self):
        super().__init__()
        self.share = nn.Parameter(torch.tensor(0.8))

    def forward(self, x):
        found = [x[:, 0]]
        for t in range(1, x.shape[1]):
            found.append(self.share * found[-1] + (1 - self.share) * x[:, t])
        return torch.stack(found, 1)


class StateSpace(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(0.4 + 0.5 * torch.rand(1, 3, 5))
        self.b, self.c = nn.Parameter(torch.randn(1, 3, 5)), nn.Parameter(torch.randn(1, 3, 5))

    def forward(self, x):
        h, found = torch.zeros(1, 3, 5), []
        for t in range(x.shape[1]):
            h = self.a * h + self.b * x[:, t].unsqueeze(-1)
            found.append((h * self.c).sum(-1))
        return torch.tanh(torch.stack(found, 1))


class Stacked(nn.Module):
    """Two cells in one loop, and the states of both are collected."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.RNNCell(3, 4), nn.RNNCell(4, 4)

    def forward(self, x):
        h, g, found, others = torch.zeros(1, 4), torch.zeros(1, 4), [], []
        for step in x.unbind(1):
            h = self.one(step, h)
            g = self.two(h, g)
            found.append(g)
            others.append(h)
        return torch.cat([torch.stack(found, 1), torch.stack(others, 1)], -1)


class OneAfterTheOther(nn.Module):
    """A loop over what another loop gave, channels first."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.RNNCell(3, 4), nn.RNNCell(4, 4)])

    def forward(self, x):
        for cell in self.cells:
            h, found = torch.zeros(1, 4), []
            for t in range(x.shape[2]):
                h = cell(x[:, :, t], h)
                found.append(h)
            x = torch.stack(found, 2)
        return x


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.linear = nn.Linear(3, 3)
        self.both = nn.Linear(6, 3)

    def forward(self, x):
        return self.function(self, x)


def differences(_, x):
    return torch.stack([x[:, t] - x[:, t - 1] for t in range(1, x.shape[1])], 1)


def slices(model, x):
    h, found = torch.zeros(1, 1, 3), []
    for t in range(x.shape[1]):
        h = torch.tanh(model.both(torch.cat([x[:, t : t + 1], h], -1)))
        found.append(h)
    return torch.cat(found, 1)


def of_second_order(_, x):
    a, b, found = torch.zeros(1, 3), torch.zeros(1, 3), []
    for t in range(x.shape[1]):
        y = x[:, t] + 0.5 * a - 0.3 * b
        a, b = y, a
        found.append(y)
    return torch.stack(found, 1)


def without_first_state(model, x):
    h, found = None, []
    for t in range(x.shape[1]):
        z = model.linear(x[:, t])
        h = z if h is None else torch.tanh(z + h)
        found.append(h)
    return torch.stack(found, 1)


MODELS = {
    "lstm": lambda: Cells("LSTMCell"),
    "gru_with_learned_state": lambda: Cells("GRUCell", True),
    "smoothing": Smoothing,
    "state_space": StateSpace,
    "stacked": Stacked,
    "differences": lambda: Function(differences),
    "slices": lambda: Function(slices),
    "of_second_order": lambda: Function(of_second_order),
    "without_first_state": lambda: Function(without_first_state),
}


@pytest.mark.parametrize("name", MODELS)
def test_streams_equal_the_model(name, tmp_path):
    torch.manual_seed(1)
    text = exported(MODELS[name](), SEQUENCE, tmp_path).source()
    assert len(text.splitlines()) < 700 and "Loop" in text


def test_one_loop_after_the_other(tmp_path):
    torch.manual_seed(1)
    text = exported(OneAfterTheOther(), (1, 3, 24), tmp_path).source()
    assert text.count("float->float feedbackloop") == 2


def test_the_step_is_there_once(tmp_path):
    """However long the example is."""
    torch.manual_seed(1)
    model = Smoothing()
    short, long = (exported(model, (1, steps, 3), tmp_path).source() for steps in (24, 48))
    assert short == long


def backwards(_, x):
    h, found = torch.zeros(1, 3), []
    for t in reversed(range(x.shape[1])):
        h = 0.5 * h + x[:, t]
        found.insert(0, h)
    return torch.stack(found, 1)


def different(_, x):
    return torch.stack([x[:, t] * (t * t * t % 7 + 0.5) for t in range(x.shape[1])], 1)


def last(_, x):
    h = torch.zeros(1, 3)
    for t in range(x.shape[1]):
        h = torch.tanh(h + x[:, t])
    return h


@pytest.mark.parametrize("function", [backwards, different, last])
def test_refused(function, tmp_path):
    told = refusal(Function(function), SEQUENCE, tmp_path, time=1)
    assert "it takes one of the 24 time steps" in told and "test_streaming_loops.py:" in told
