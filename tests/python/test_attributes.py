"""Attributes that `forward` changes and that are no buffers: numbers that go round, what may stay as it is, and what is refused with its line."""

import copy
import math
from collections import deque
from types import SimpleNamespace

import numpy
import pytest
import torch
from test_states import expected, run
from torch import nn

import strc.torch
from strc.errors import ImportFailure
from strc.torch.capture import capture


class Slots:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 1


class Held(nn.Module):
    """What the models below have."""

    def __init__(self):
        super().__init__()
        self.n, self.gain, self.on, self.mode = 3, 0.5, True, "a"
        self.sizes, self.counts, self.past, self.names = [1, 2], {"n": 1}, deque([0.0], 1), {"a"}
        self.config, self.slots, self.table = SimpleNamespace(n=1, inner=[{"n": 1}]), Slots(), numpy.ones(2)
        self.plain, self.cache, self.pair = torch.ones(2), None, (1, [2])
        self.register_buffer("h", torch.zeros(2))
        self.inner = nn.Identity()
        self.inner.n = 2


class Number(Held):
    def forward(self, x):
        self.n += 1
        return x * self.n


class Real(Held):
    def forward(self, x):
        y = x + self.gain
        self.gain = self.gain * 0.5 + 0.1
        return y / self.gain


class Both(Held):
    """Numbers beside a buffer, and a tensor that is only put down."""

    def forward(self, x):
        self.gain = self.gain * 2 - self.n
        self.n += 1
        self.h.add_(x)
        self.last = self.h + self.gain
        return self.last - self.n


class Unused(Held):
    def forward(self, x):
        self.n += 1
        return x * 2


@pytest.mark.parametrize("kind", [Number, Real, Both, Unused])
@pytest.mark.parametrize("dynamic", [(), (0,)])
def test_numbers_go_round(kind, dynamic, tmp_path):
    if dynamic and kind is Both:
        pytest.skip("the buffer h says the size")
    torch.manual_seed(2)
    model, steps = kind(), torch.randn(5, 2)
    imported = strc.torch.export(model, (steps[0],), tmp_path / "model.str", dynamic=dynamic)
    assert (imported.program.loop is None) == (kind is Unused)
    assert (model.n, model.gain, model.inner.n) == (3, 0.5, 2) and "n" in vars(model)
    numpy.save(tmp_path / "in.npy", steps.numpy())
    (wanted,) = expected(model, steps)
    words = ["--input", "2"] if dynamic else []
    (found,) = run(tmp_path, kind.__name__, 1, "--in", "in.npy", *words)
    assert found.dtype == wanted.dtype
    torch.testing.assert_close(found.reshape(wanted.shape), wanted)


def put_down(self, x):
    self.last, self.seen = x, [x, x]
    return self.last * 2


def filled_once(self, x):
    if self.cache is None:
        self.cache = torch.arange(2.0)
    return x + self.cache


def sizes_of_the_call(self, x):
    self.sizes[0], self.config.width = x.shape[0], x.shape[-1]
    return x * self.sizes[0] + self.config.width


class Function(Held):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(self, x)


@pytest.mark.parametrize("function", [put_down, filled_once, sizes_of_the_call])
@pytest.mark.parametrize("dynamic", [(), (0,)])
def test_what_has_no_effect_on_later_calls(function, dynamic, tmp_path):
    if dynamic and function is not put_down:
        pytest.skip("a number of the shape")
    model = Function(function)
    imported = strc.torch.import_model(model, [torch.randn(2)], dynamic)
    assert imported.program.loop is None
    assert model.cache is None and not hasattr(model, "last") and model.sizes == [1, 2] and not hasattr(model.config, "width")


def calibrates(self, x):
    if self.cache is None:
        self.cache = x.mean()  # changed
    return x - self.cache


def previous(self, x):
    y = x if self.cache is None else x - self.cache
    self.cache = x  # changed
    return y


def grows(self, x):
    self.sizes.append(3)  # changed
    return x * len(self.sizes)


def element(self, x):
    self.sizes[1] += 1  # changed
    return x * self.sizes[1]


def key(self, x):
    self.counts["n"] += 1  # changed
    return x * self.counts["n"]


def new_key(self, x):
    self.counts[len(self.counts)] = 0  # changed
    return x * len(self.counts)


def new_dictionary(self, x):
    self.counts = {"n": self.counts["n"] + 1}  # changed
    return x * self.counts["n"]


def delay(self, x):
    y = x + self.past[0]
    self.past.append(x)  # changed
    return y


def names(self, x):
    self.names.add(len(self.names))  # changed
    return x * len(self.names)


def of_object(self, x):
    self.config.n += 1  # changed
    return x * self.config.n


def deep(self, x):
    self.config.inner[0]["n"] += 1  # changed
    return x * self.config.inner[0]["n"]


def of_slots(self, x):
    self.slots.n += 1  # changed
    return x * self.slots.n


def of_array(self, x):
    self.table[1] += 1  # changed
    return x * float(self.table[1])


def in_a_tuple(self, x):
    self.pair[1][0] += 1  # changed
    return x * self.pair[1][0]


def text(self, x):
    self.mode = "b" if self.mode == "a" else "a"  # changed
    return x if self.mode == "a" else -x


def turns(self, x):
    self.on = not self.on  # changed
    return x if self.on else -x


def warms_up(self, x):
    self.n += 1  # changed
    return x if self.n > 10 else x * 2


def computed_in_python(self, x):
    self.gain = math.sin(self.gain)  # changed
    return x * self.gain


def as_a_place(self, x):
    self.n = (self.n + 1) % 2  # changed
    return x[self.n] * x


def in_a_call(self, x):
    y = advance(self)
    return x * y


def advance(holder):
    holder.n += 1  # changed
    return [1, 2, 3, 4, 5, 6, 7][holder.n]


def nested_tensor(self, x):
    self.config.inner[0]["h"] = self.config.inner[0].get("h", 0) + x  # changed
    return self.config.inner[0]["h"]


def of_another_module(self, x):
    self.inner.n = self.inner.n * 2 + 1  # changed
    return x * self.inner.n


REFUSED = {
    of_another_module: "inner.n", calibrates: "cache", previous: "cache", grows: "sizes", element: "sizes", key: "counts['n']", new_key: "counts[1]", new_dictionary: "counts",
    delay: "past", names: "names", of_object: "config.n", deep: "config.inner[0]['n']", of_slots: "slots.n", of_array: "table",
    in_a_tuple: "pair[1]", text: "mode", turns: "on", warms_up: "n", computed_in_python: "gain", as_a_place: "n", in_a_call: "n",
    nested_tensor: "config.inner[0]['h']",
}  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dynamic", [(), (0,)])
def test_the_rest_is_refused_with_its_line(function, dynamic, tmp_path):
    model = Function(function)
    before = copy.deepcopy(model)
    with pytest.raises(ImportFailure) as fault:
        strc.torch.export(model, (torch.tensor([1.0, 2.5]),), tmp_path / "model.str", dynamic=dynamic)
    assert f"the model changes '{REFUSED[function]}', which is no buffer" in str(fault.value)
    assert "test_attributes.py" in str(fault.value) and str(fault.value).endswith("# changed")
    assert list(tmp_path.iterdir()) == []
    same = "n gain on mode sizes counts names past cache pair".split()
    assert all(getattr(model, name) == getattr(before, name) for name in same) and model.config == before.config
    assert model.slots.n == 1 and model.table.tolist() == [1, 1] and set(vars(model)) == set(vars(before))


class Child(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls = self.calls + 1  # of the child
        return x if self.calls < 5 else -x


def test_the_line_of_an_inner_module(tmp_path):
    model = nn.Sequential(nn.ReLU(), nn.Sequential(Child()))
    with pytest.raises(ImportFailure, match=r"(?s)changes '1.0.calls'.*# of the child"):
        strc.torch.export(model, (torch.ones(2),), tmp_path / "model.str")
    assert model[1][0].calls == 0


def test_models_that_fail_are_explained_as_ever():
    class Fails(Held):
        def forward(self, x):
            self.n += 1
            return x.no_such_method()

    model = Fails()
    with pytest.raises(ImportFailure, match="no_such_method"):
        capture(model, (torch.ones(2),))
    assert model.n == 3
