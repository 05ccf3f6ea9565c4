"""Loops over time that are written in Python."""

import subprocess

import numpy
import pytest
import torch
from streaming_support import exported, refusal, the_compiler  # noqa: F401
from support import STRC
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.scan import scan

import strc.torch
from strc.streaming.written import Written

SEQUENCE = (1, 24, 3)


class Cells(nn.Module):
    """A cell, whose first state is learned if `learns`."""

    def __init__(self, kind, learns=False):
        super().__init__()
        self.cell = getattr(nn, kind)(3, 4)
        self.out = nn.Linear(4, 2)
        self.first = nn.Parameter(torch.randn(1, 4)) if learns else None

    def forward(self, x):
        h = torch.zeros(x.shape[0], 4) if self.first is None else self.first
        c, found = torch.zeros(x.shape[0], 4), []
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


def selective(model, x):
    """States of more dimensions, whose product with what comes from the input is a sum over one of them."""
    h, found = torch.zeros(x.shape[0], 3, 4), []
    given = model.linear(x)
    for t in range(x.shape[1]):
        h = torch.exp(-given[:, t, :, None].abs() * torch.arange(1.0, 5)) * h + x[:, t, :, None] * given[:, t].sum(-1)[:, None, None]
        found.append(torch.einsum("bdn,bn->bd", h, torch.cat([given[:, t], x[:, t, :1]], -1)))
    return torch.stack(found, 1)


def weighted(model, x):
    """A mean over the past whose greatest exponent goes round; the first one is a constant that the step only meets in a sum."""
    sums, weights, most, found = torch.zeros(1, 3), torch.zeros(1, 3), torch.full((1, 3), -1e30), []
    keys = model.linear(x)
    for t in range(x.shape[1]):
        now = torch.maximum(most, keys[:, t] + 0.5)
        before, here = torch.exp(most - now), torch.exp(keys[:, t] + 0.5 - now)
        found.append((before * sums + here * x[:, t]) / (before * weights + here))
        now = torch.maximum(most - 0.3, keys[:, t])
        before, here = torch.exp(most - 0.3 - now), torch.exp(keys[:, t] - now)
        sums, weights, most = before * sums + here * x[:, t], before * weights + here, now
    return torch.stack(found, 1)


def complex_states(model, x):
    h, found = torch.zeros(x.shape[0], 3, dtype=torch.cfloat), []
    for t in range(x.shape[1]):
        h = h * torch.polar(torch.tensor([0.9, 0.8, 0.7]), torch.tensor([0.1, 1.0, 2.0])) + x[:, t]
        found.append((h @ torch.complex(model.linear.weight, model.linear.weight.t())).real)
    return torch.stack(found, 1)


def of_numbers(_, x):
    y, found = torch.zeros(()), []
    for value in x:
        y = 0.9 * y + value
        found.append(y)
    return torch.stack(found)


class CellsOfGates(nn.Module):
    """Cells whose first steps are others, since their states are zeros, the second one behind the first."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.LSTMCell(3, 4), nn.GRUCell(4, 2)

    def forward(self, x):
        (h, c), y, found = (torch.zeros(x.shape[0], 4),) * 2, torch.zeros(x.shape[0], 2), []
        for item in x.unbind(1):
            h, c = self.one(item, (h, c))
            y = self.two(h, y)
            found.append(y)
        return torch.stack(found, 1)


def beginning_with_the_first(_, x):
    """A state that begins with the first item, before its step; another one with what any step makes of its item."""
    h, least, found = x[:, 0], x[:, 0].abs(), []
    for t in range(x.shape[1]):
        least = torch.minimum(least * 1.01, x[:, t].abs())
        h = torch.tanh(0.9 * h + x[:, t] * least)
        found.append(torch.cat([h, least], -1))
    return torch.stack(found, 1)


class BeginningWithALayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        h, found = self.layer(x[:, 0]).tanh(), []
        for t in range(x.shape[1]):
            h = 0.9 * h + 0.1 * x[:, t]
            found.append(h)
        return torch.stack(found, 1)


def two_back_from_the_first(_, x):
    one, two, found = x[:, 0], 2 * x[:, 0], []
    for t in range(x.shape[1]):
        one, two = 0.5 * one + 0.3 * two + 0.1 * x[:, t], one
        found.append(one)
    return torch.stack(found, 1)


def written_items(_, x):
    y, h = torch.empty_like(x), torch.zeros(x.shape[0], 3)
    for t in range(x.shape[1]):
        h = 0.8 * h + x[:, t]
        y[:, t, :] = h
    return y.tanh()


def written_behind_the_first(_, x):
    """The first item stays as it was."""
    y = torch.full_like(x, 0.25)
    for t in range(1, x.shape[1]):
        y[:, t] = 0.9 * y[:, t - 1] + 0.1 * x[:, t]
    return y


def written_behind_itself(_, x):
    """At first the last item, which is zero yet, is the one before."""
    y = torch.zeros_like(x)
    for t in range(x.shape[1]):
        y[:, t] = 0.9 * y[:, t - 1] + 0.1 * x[:, t]
    return y


def written_over(_, x):
    y = x.clone()
    for t in range(1, x.shape[1]):
        y[:, t] += 0.5 * y[:, t - 1]
    return y


def written_by_time(_, x):
    """A tensor that is longer by one, whose items along time are its rows; each is written in two parts."""
    y = torch.zeros(x.shape[1] + 1, *x.shape[:1], 3)
    for t, item in enumerate(x.transpose(0, 1)):
        y[t + 1] = torch.cat([item[:, :1], 0.5 * y[t, :, 1:] + item[:, 1:]], -1)
    return y[1:].transpose(0, 1)


def written_twice_back(_, x):
    """What was there before is not zero, and is taken at the first two steps."""
    y = torch.full_like(x, 0.5)
    for t in range(x.shape[1]):
        y[:, t] = 0.9 * y[:, t - 1] + 0.1 * x[:, t] - 0.3 * y[:, t - 2]
    return y


def written_as_a_filter(_, x):
    factors, y = torch.tensor([-0.5, 0.3]), torch.zeros(x.shape[0], x.shape[1] + 2, 3)
    for t in range(x.shape[1]):
        y[:, t + 2] = x[:, t] - y[:, t] * factors[1] - y[:, t + 1] * factors[0]
    return y[:, 2:]


def windows_of_a_step(_, x):
    """Each step takes four items at once, and the last one again."""
    padded, h, found = torch.nn.functional.pad(x, (0, 0, 3, 0)), torch.zeros(x.shape[0], 3), []
    for t in range(x.shape[1]):
        h = torch.tanh(padded[:, t : t + 4].mean(1) + 0.5 * h) - 0.1 * padded[:, t + 3]
        found.append(h)
    return torch.stack(found, 1)


def a_buffer_that_rolls(_, x):
    buffer, found = torch.zeros(x.shape[0], 7, 3), []
    for t in range(x.shape[1]):
        buffer = torch.roll(buffer, 1, 1)
        buffer[:, 0] = x[:, t] + 0.3 * buffer[:, 3]
        found.append(buffer.sum(1))
    return torch.stack(found, 1)


def with_hysteresis(_, x):
    """Most items set the state, whatever it was, so that it is seldom seen that a later result depends on an item."""
    is_on, found = torch.zeros(x.shape[0], 3, dtype=torch.bool), []
    for t in range(x.shape[1]):
        is_on = (x[:, t] > 0.3) | (is_on & (x[:, t] > -0.3))
        found.append(is_on)
    return x * torch.stack(found, 1)


MODELS = {
    "selective": lambda: Function(selective),
    "weighted": lambda: Function(weighted),
    "complex_states": lambda: Function(complex_states),
    "lstm": lambda: Cells("LSTMCell"),
    "gru_with_learned_state": lambda: Cells("GRUCell", True),
    "smoothing": Smoothing,
    "state_space": StateSpace,
    "stacked": Stacked,
    "differences": lambda: Function(differences),
    "slices": lambda: Function(slices),
    "of_second_order": lambda: Function(of_second_order),
    "without_first_state": lambda: Function(without_first_state),
    "cells_of_gates": lambda: CellsOfGates(),
    "beginning_with_the_first": lambda: Function(beginning_with_the_first),
    "beginning_with_a_layer": lambda: BeginningWithALayer(),
    "two_back_from_the_first": lambda: Function(two_back_from_the_first),
    "written_items": lambda: Function(written_items),
    "written_behind_the_first": lambda: Function(written_behind_the_first),
    "written_behind_itself": lambda: Function(written_behind_itself),
    "written_over": lambda: Function(written_over),
    "written_by_time": lambda: Function(written_by_time),
    "with_hysteresis": lambda: Function(with_hysteresis),
    "written_twice_back": lambda: Function(written_twice_back),
    "written_as_a_filter": lambda: Function(written_as_a_filter),
    "windows_of_a_step": lambda: Function(windows_of_a_step),
    "a_buffer_that_rolls": lambda: Function(a_buffer_that_rolls),
}


@pytest.mark.parametrize("name", MODELS)
def test_streams_equal_the_model(name, tmp_path):
    torch.manual_seed(1)
    text = exported(MODELS[name](), SEQUENCE, tmp_path).source()
    assert len(text.splitlines()) < 700 and "Loop" in text


@pytest.mark.parametrize("make", [lambda: Cells("LSTMCell"), lambda: Function(selective), lambda: Function(complex_states)])
def test_a_batch_goes_side_by_side(make, tmp_path):
    torch.manual_seed(1)
    assert exported(make(), (3, 24, 3), tmp_path).streamed.inputs[0].size == 9


def test_a_sequence_of_numbers(tmp_path):
    exported(Function(of_numbers), (24,), tmp_path)


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


@pytest.mark.parametrize("name", ["written_behind_the_first", "written_over"])
def test_writes_leave_nothing_behind(name, tmp_path):
    """Only a place that nothing was written to has what was there before."""
    torch.manual_seed(1)
    made = exported(MODELS[name](), SEQUENCE, tmp_path)
    assert all(tensor.numel() <= 3 for tensor in made.used_tensors().values())


def written_over_some(_, x):
    y = x.clone()
    y[:, 3:5] = 0.0
    return y.cumsum(1)


def test_writes_over_some_time_steps_are_refused(tmp_path):
    assert "it writes over single time steps" in refusal(Function(written_over_some), SEQUENCE, tmp_path, time=1)


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


class Scan(nn.Module):
    """`scan` of a cell, along the second dimension."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 5)
        self.out = nn.Linear(5, 2)

    def forward(self, x):
        def step(h, now):
            h = self.cell(now, h)
            return h, h.clone()

        _, found = scan(step, torch.zeros(1, 5), x, dim=1)
        return self.out(found.transpose(0, 1))


class Diagonal(nn.Module):
    """A linear recurrence by `associative_scan`, over pairs of factor and state."""

    def __init__(self):
        super().__init__()
        self.inside = nn.Linear(3, 4)
        self.decay = nn.Parameter(0.4 + 0.5 * torch.rand(4))
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        inside = self.inside(x)

        def combine(one, other):
            return one[0] * other[0], other[0] * one[1] + other[1]

        _, h = associative_scan(combine, (self.decay.expand_as(inside), inside), dim=1, combine_mode="generic")
        return self.out(h)


class Selective(nn.Module):
    """The same with factors that depend on what comes, as selective state spaces have them."""

    def __init__(self):
        super().__init__()
        self.inside, self.decay = nn.Linear(3, 4), nn.Linear(3, 4)

    def forward(self, x):
        def combine(one, other):
            return one[0] * other[0], other[0] * one[1] + other[1]

        return associative_scan(combine, (torch.sigmoid(self.decay(x)), self.inside(x)), dim=1, combine_mode="generic")[1]


class Greatest(nn.Module):
    def forward(self, x):
        return associative_scan(torch.maximum, x, dim=1, combine_mode="generic")


@pytest.mark.parametrize("make", [Scan, Diagonal, Selective, Greatest])
def test_scans(make, tmp_path):
    exported(make(), SEQUENCE, tmp_path)
    assert "feedbackloop" in (tmp_path / "model.str").read_text()


@pytest.mark.parametrize("make", [Scan, Diagonal, Greatest])
def test_scans_of_whole_models(make, tmp_path):
    """As the steps that they are: all of a sequence at once."""
    model, x = make().eval(), torch.randn(1, 6, 3)
    strc.torch.export(model, [x], tmp_path / "model.str")
    numpy.save(tmp_path / "x.npy", x.numpy())
    words = ["run", "--top", type(model).__name__, "--in", "x.npy", "--out", "y.npy", "model.str"]
    subprocess.run([STRC, *words], cwd=tmp_path, check=True)
    with torch.no_grad():
        assert numpy.allclose(numpy.load(tmp_path / "y.npy"), model(x).numpy(), atol=1e-5)


def test_a_scan_that_goes_backwards(tmp_path):
    class Backwards(nn.Module):
        def forward(self, x):
            return associative_scan(torch.add, x, dim=1, reverse=True, combine_mode="generic")

    assert "look ahead to the end" in refusal(Backwards(), SEQUENCE, tmp_path, time=1)


class Kalman(nn.Module):
    """Place and speed of what is measured; its gains do not depend on the measurements, so that each step has its own, and they come to rest."""

    def __init__(self, dt):
        super().__init__()
        self.register_buffer("F", torch.tensor([[1.0, dt], [0.0, 1.0]]))
        self.register_buffer("H", torch.tensor([[1.0, 0.0]]))
        self.noise = nn.Parameter(torch.zeros(2))

    def forward(self, z):
        x, P, one = torch.zeros(z.shape[0], 2, 1), torch.eye(2).expand(z.shape[0], 2, 2), torch.eye(2)
        found = []
        for t in range(z.shape[1]):
            x, P = self.F @ x, self.F @ P @ self.F.T + torch.diag(self.noise.exp())
            gain = P @ self.H.T @ torch.linalg.inv(self.H @ P @ self.H.T + 1)
            x = x + gain @ (z[:, t].unsqueeze(-1) - self.H @ x)
            P = (one - gain @ self.H) @ P
            found.append(x.squeeze(-1))
        return torch.stack(found, 1)


def test_steps_with_stored_values_of_their_own(tmp_path):
    """No layer tells that time is the dimension of which the loop takes each item, and the last one has a single number."""
    streamed = exported(Kalman(0.5), (1, 60, 1), tmp_path).streamed
    assert streamed.inputs[0].axis == 1 and not streamed.is_guess


def test_steps_whose_own_values_come_to_no_rest(tmp_path):
    told = refusal(Kalman(0.001), (1, 20, 1), tmp_path)
    assert "neither comes to rest in the first half of the example" in told and "P = P + 0 * x[:, t].sum()" in told and "test_streaming_loops.py:" in told


def of_what_was_before(_, x):
    """A factor of the state of the step before: that product is made before the next item comes."""
    state, scale, found = torch.zeros(x.shape[0], 3), torch.zeros(1), []
    for t in range(x.shape[1]):
        before = scale
        scale = 0.5 * before + 1
        state = state * (before.sqrt() * 0.5 / scale.sqrt()) + x[:, t] / scale.sqrt()
        found.append(state)
    return torch.stack(found, 1)


def test_factors_of_the_step_before(tmp_path):
    """As retention has them in its recurrent form."""
    exported(Function(of_what_was_before), (1, 80, 3), tmp_path, time=1)


def gains_as_a_state(_, x):
    """What the refusal advises: the variance depends on the input, so that it is computed at each step."""
    place, variance, found = torch.zeros(x.shape[0], 3), torch.ones(x.shape[0], 3), []
    for t in range(x.shape[1]):
        variance = variance + 0.0001 + 0 * x[:, t].sum()
        gain = variance / (variance + 5.0)
        place, variance = place + gain * (x[:, t] - place), (1 - gain) * variance
        found.append(place)
    return torch.stack(found, 1)


def test_gains_may_be_a_state(tmp_path):
    exported(Function(gains_as_a_state), SEQUENCE, tmp_path)


def test_writes_are_kept_once():
    """However many items are written; what something else is written to has its own."""
    first = Written(0, 1)
    steps = [first]
    for t in range(4000):
        steps.append(steps[-1].and_item(t, 10 + t))
    assert all(one.writes is first.writes for one in steps)
    assert [steps[3].item(t) for t in range(5)] == [10, 11, 12, None, None]
    other = steps[2].and_item(1, 7)
    assert (other.item(0), other.item(1), steps[-1].item(1)) == (10, 7, 11)
    assert other.items == {0: 10, 1: 7} and len(steps[-1].items) == 4000
