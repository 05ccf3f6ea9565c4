"""What goes round from call to call: buffers that forward changes, and states of every type."""

import copy
import subprocess

import numpy
import pytest
import torch
from support import STRC
from torch import nn

import strc.torch
from strc.errors import ImportFailure
from strc.torch.capture import capture


class Kept(nn.Module):
    """What the models below have: buffers, an attribute that is a tensor, and one that is a list."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.tensor([5.0, -0.5]))
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))
        self.register_buffer("sums", torch.zeros(2))
        self.plain = torch.ones(2)
        self.seen = []


class Adds(Kept):
    def forward(self, x):
        self.h.add_(x)
        return self.h * 2


class Assigns(Kept):
    def forward(self, x):
        self.h = self.h * 0.5 + x
        return self.h


class Copies(Kept):
    def forward(self, x):
        y = self.h + x
        self.h.copy_(x)
        return y


class Parts(Kept):
    def forward(self, x):
        self.h[0] = x[1]
        self.h[1:].mul_(2)
        return self.h * x


class Counts(Kept):
    def forward(self, x):
        self.calls += 1
        return x * self.calls


class Several(Kept):
    def forward(self, x):
        self.calls += 1
        self.h.mul_(0.5).add_(x * self.calls)
        self.sums += self.h
        return self.h, self.sums + self.calls


class Unused(Kept):
    def forward(self, x):
        self.calls += 1
        self.sums += x
        return x * 2


class Attribute(Kept):
    def forward(self, x):
        self.plain.add_(x)  # in place
        return self.plain * 2


class Assigned(Kept):
    def forward(self, x):
        self.plain = self.plain + x
        return self.plain * 2


class Lists(Kept):
    def forward(self, x):
        self.seen.append(x)
        self.last = x
        return x * 2


def run(folder, name, count, *words):
    """The results of the stream `name`, compiled and interpreted, which are the same."""
    found = []
    for engine in ([], ["--interpret"]):
        outs = [word for i in range(count) for word in ("--out", f"out{i}.npy")]
        command = [STRC, "run", *engine, "--top", name, *words, *outs, "model.str"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        found.append([numpy.load(folder / f"out{i}.npy") for i in range(count)])
    for one, other in zip(*found):
        assert one.dtype == other.dtype and numpy.array_equal(one, other)
    return [torch.from_numpy(one) for one in found[0]]


def expected(model, steps):
    """What a copy of the model gives, call by call."""
    twin, results = copy.deepcopy(model), []
    with torch.no_grad():
        for x in steps:
            made = twin(x.clone())
            results.append([value.clone() for value in (made if isinstance(made, tuple) else (made,))])
    return [torch.stack(values) for values in zip(*results)]


@pytest.mark.parametrize("kind", [Adds, Assigns, Copies, Parts, Counts, Several])
def test_buffers_that_are_changed_go_round(kind, tmp_path):
    torch.manual_seed(2)
    model, steps = kind(), torch.randn(5, 2)
    strc.torch.export(model, (steps[0],), tmp_path / "model.str")
    numpy.save(tmp_path / "in.npy", steps.numpy())
    wanted = expected(model, steps)
    for found, value in zip(run(tmp_path, kind.__name__, len(wanted), "--in", "in.npy"), wanted):
        torch.testing.assert_close(found.reshape(value.shape), value)


def test_a_buffer_that_no_result_depends_on_is_no_state(tmp_path):
    imported = strc.torch.export(Unused(), (torch.randn(2),), tmp_path / "model.str")
    assert imported.program.loop is None


@pytest.mark.parametrize("kind", [Adds, Assigns, Copies, Parts, Counts, Several, Unused, Attribute, Assigned, Lists])
def test_capturing_leaves_the_model_as_it_is(kind):
    model, x = kind(), torch.randn(2)
    lists, attribute, values, before = model.seen, model.plain, copy.deepcopy(model.state_dict()), set(vars(model))
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    try:
        capture(model, (x,))
    except ImportFailure:
        pass
    assert torch.equal(torch.rand(3), wanted)
    assert set(vars(model)) == before and model.plain is attribute and torch.equal(attribute, torch.ones(2))
    assert model.seen is lists and lists == []
    assert all(torch.equal(value, values[name]) and type(value) is torch.Tensor for name, value in model.state_dict().items())


class Fails(Kept):
    def forward(self, x):
        self.h.add_(x)
        torch.rand(3)
        if x.sum() > 0:
            return x
        return -x


def test_also_where_it_fails():
    model = Fails()
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    with pytest.raises(ImportFailure, match="depends on the values"):
        capture(model, (torch.ones(2),))
    assert torch.equal(model.h, torch.tensor([5.0, -0.5])) and torch.equal(torch.rand(3), wanted)


@pytest.mark.parametrize("kind", [Attribute, Assigned])
def test_what_is_changed_has_to_be_a_buffer(kind, tmp_path):
    with pytest.raises(ImportFailure, match="changes 'plain', which is no buffer.*register_buffer") as fault:
        strc.torch.export(kind(), (torch.randn(2),), tmp_path / "model.str")
    assert kind is Assigned or "self.plain.add_(x)  # in place" in str(fault.value)


class Alone(nn.Module):
    def forward(self, n):
        return n * 2, n + 1


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.int32, torch.int64])
def test_states_alone(kind, tmp_path):
    strc.torch.export(Alone(), (), tmp_path / "model.str", states=(torch.zeros(2, dtype=kind),))
    checked = subprocess.run([STRC, "check", "--top", "Alone", "model.str"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    (found,) = run(tmp_path, "Alone", 1, "--iterations", "4")
    assert found.dtype == kind and found.tolist() == [[0, 0], [2, 2], [4, 4], [6, 6]]


class Mixed(nn.Module):
    def forward(self, x, turn, n):
        return x * n, ~turn, n + torch.where(turn, 10, 1)


def test_states_of_several_types(tmp_path):
    states = (torch.zeros(1, dtype=torch.bool), torch.zeros(1, dtype=torch.long))
    strc.torch.export(Mixed(), (torch.ones(2),), tmp_path / "model.str", states=states)
    numpy.save(tmp_path / "in.npy", numpy.ones((4, 2), dtype=numpy.float32))
    (found,) = run(tmp_path, "Mixed", 1, "--in", "in.npy")
    assert found.tolist() == [[0, 0], [1, 1], [11, 11], [12, 12]]


def test_states_have_one_shape(tmp_path):
    with pytest.raises(ImportFailure, match="--state goes not with --dynamic"):
        strc.torch.export(Alone(), (), tmp_path / "model.str", states=(torch.zeros(2),), dynamic=(0,))


class Same(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)


def test_results_that_are_the_same_each_time(tmp_path):
    with pytest.raises(ImportFailure, match="depend on none of its inputs"):
        strc.torch.export(Same(), (torch.ones(2),), tmp_path / "model.str")


class Decides(Kept):
    def forward(self, x):
        self.calls += 1
        if self.calls > 2:  # which way
            return x
        return -x


def test_a_way_that_depends_on_a_state(tmp_path):
    with pytest.raises(ImportFailure, match=r"(?s)depends on the values.*# which way"):
        strc.torch.export(Decides(), (torch.randn(2),), tmp_path / "model.str")


class Remembers(nn.Module):
    """Attention to what came before, whose keys go in and out, one longer; `place` says how many of them there are."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)

    def forward(self, x, place, keys, values):
        q, k, v = self.qkv(x).chunk(3, -1)
        keys, values = torch.cat([keys, k], 1), torch.cat([values, v], 1)
        far = torch.arange(keys.shape[1] - 1, -1, -1)
        return nn.functional.scaled_dot_product_attention(q, keys, values, (far <= place)[None, None]), place + 1, keys, values


def test_what_comes_back_longer_keeps_the_last_ones(tmp_path):
    """Ten steps of a cache of five: first fewer, then the last six, with the step's own."""
    torch.manual_seed(1)
    model, x = Remembers(), torch.randn(10, 1, 1, 4)
    states = [torch.zeros(1, dtype=torch.long), torch.zeros(1, 5, 4), torch.zeros(1, 5, 4)]
    strc.torch.export(model, [x[0]], tmp_path / "model.str", states=states, context=5)
    numpy.save(tmp_path / "x.npy", x.numpy())
    for engine in ([], ["--interpret"]):
        line = [STRC, "run", *engine, "--top", "Remembers", "--in", "x.npy", "--out", "y.npy", "model.str"]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        found = torch.from_numpy(numpy.load(tmp_path / "y.npy"))
        place, keys, values = torch.zeros(1, dtype=torch.long), torch.zeros(1, 0, 4), torch.zeros(1, 0, 4)
        for one, step in zip(found, x):
            expected, place, keys, values = model(step, place, keys[:, -5:], values[:, -5:])
            torch.testing.assert_close(one, expected)


@pytest.mark.parametrize(
    ("context", "message"), [(None, "comes back with shape 1x6x4; --context 5 keeps the last 5"), (4, "comes back with shape 1x6x4"), (1, "with shape 1x6x4")],
)
def test_longer_states_take_a_context(context, message, tmp_path):
    states = [torch.zeros(1, dtype=torch.long), torch.zeros(1, 5, 4), torch.zeros(1, 5, 4)]
    with pytest.raises(ImportFailure, match=message):
        strc.torch.export(Remembers(), [torch.zeros(1, 1, 4)], tmp_path / "model.str", states=states, context=context)


class Sums(nn.Module):
    def forward(self, x, sums):
        return x * 2, sums + x


def test_a_context_of_states_that_stay_as_long(tmp_path):
    with pytest.raises(ImportFailure, match="--context 2: no state comes back with more than 2 elements"):
        strc.torch.export(Sums(), [torch.zeros(1, 2)], tmp_path / "model.str", states=[torch.zeros(1, 2)], context=2)
