"""`torch.compile(model, backend="strc")`. Run with the wheel (STRC_WHEEL)."""

import copy
import importlib.metadata
import threading
import warnings

import pytest
import torch
from cases import CASES
from support import WHEEL
from torch import library as operators
from torch import nn

if not WHEEL:
    pytest.skip("the extension is only there in the wheel that make_wheel makes", allow_module_level=True)

from strc.torch import backend


@pytest.fixture(autouse=True)
def fresh():
    """No graphs and warnings of other tests."""
    torch._dynamo.reset()
    backend.TOLD.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error", backend.StrcFallback)
        yield


@pytest.fixture
def runners(monkeypatch):
    """Every program that is made."""
    made = []
    before = backend.Runner.__init__

    def note(self, *args):
        before(self, *args)
        made.append(self)

    monkeypatch.setattr(backend.Runner, "__init__", note)
    return made


def assert_equal(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("case", [case for case in CASES if not case.replicate and not case.states], ids=lambda case: case.name)
def test_models_give_what_they_give(case, runners):
    model, inputs = case.make()
    compiled = torch.compile(model, backend="strc")
    assert_equal(compiled(*inputs), model(*inputs))
    assert runners or case.model == "LSTMModel", "TorchDynamo leaves LSTMs to PyTorch"


def test_it_is_registered():
    assert "strc" in torch._dynamo.list_backends()
    entry = next(entry for entry in importlib.metadata.entry_points(group="torch_dynamo_backends") if entry.name == "strc")
    assert entry.load() is backend.strc


@torch.no_grad()
def test_lstms_if_dynamo_may_trace_them(runners):
    model, inputs = next(case for case in CASES if case.name == "lstm_model").make()
    with torch._dynamo.config.patch(allow_rnn=True):
        assert_equal(torch.compile(model, backend="strc")(*inputs), model(*inputs))
    assert runners


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        return self.out(self.norm(self.conv(x)).relu().mean((2, 3)))


@torch.no_grad()
@pytest.mark.parametrize("batches", [(1, 2, 3, 5, 8, 1, 2), (4, 2, 7, 1, 4)])
def test_one_program_serves_all_batches_after_the_second(batches, runners):
    model = Net().eval()
    compiled = torch.compile(model, backend="strc")
    for batch in batches:
        x = torch.randn(batch, 3, 8, 8)
        assert_equal(compiled(x), model(x))
    assert len(runners) == 2 + (batches[0] != 1)  # TorchDynamo has a graph of its own for a batch of 1


class Mixing(nn.Module):
    """Items of a batch are compared with each other."""

    def forward(self, x):
        return torch.relu(x - x.mean(0)), x.cumsum(0)


@torch.no_grad()
def test_items_that_come_together_take_a_program_for_each_batch(runners):
    model = Mixing()
    compiled = torch.compile(model, backend="strc")
    for batch in (1, 2, 3, 2, 3):
        x = torch.randn(batch, 4)
        assert_equal(compiled(x), model(x))
    assert len(runners) == 3


class Places(nn.Module):
    """Batches in several places, beside a table that is the same for all items, and results of several kinds."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2)
        self.token = nn.Parameter(torch.randn(1, 1, 4))

    def forward(self, x, table, y):
        rows = torch.cat([self.token.expand(-1, x.shape[1], -1), x @ table])
        return self.attention(rows, rows, rows, need_weights=False)[0], y.argmax(1), table * 2, x.shape[1], y


@torch.no_grad()
def test_batches_in_other_places(runners):
    model = Places().eval()
    compiled = torch.compile(model, backend="strc")
    for batch in (2, 3, 6, 4):
        inputs = torch.randn(5, batch, 4), torch.randn(4, 4), torch.randn(batch, 3)
        assert_equal(compiled(*inputs), model(*inputs))
    assert len(runners) == 2


@torch.no_grad()
def test_sequences_of_several_lengths_and_batches(runners):
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Conv1d(7, 2, 1))
    compiled = torch.compile(model, backend="strc", dynamic=True)
    for batch in (2, 3, 5):
        x = torch.randn(batch, 7, 4)
        assert_equal(compiled(x), model(x))
    assert len(runners) == 1


class Placed(nn.Module):
    """Attention over a text, with a number for each place in it."""

    def __init__(self):
        super().__init__()
        self.inner = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        return self.inner(x + torch.arange(x.shape[1])[:, None] / x.shape[1])


@torch.no_grad()
@pytest.mark.parametrize("way", ["mark_dynamic", "dynamic=True"])
def test_one_graph_for_texts_of_any_length(way, runners, monkeypatch):
    """Each length takes a program, of which no more are kept than there is room for."""
    monkeypatch.setattr(backend, "MOST_PROGRAMS", 3)
    graphs = []
    monkeypatch.setattr(backend, "strc", lambda *args, **named: graphs.append(backend.CompiledGraph(*args, {})) or graphs[-1])
    model = Placed().eval()
    compiled = torch.compile(model, backend=lambda *args: backend.strc(*args), dynamic=True if way == "dynamic=True" else None)
    for length in (3, 5, 4, 9, 6, 6, 3):
        x = torch.randn(2, length, 8)
        if way == "mark_dynamic":
            torch._dynamo.mark_dynamic(x, 1)
        assert_equal(compiled(x), model(x))
    (graph,) = graphs
    assert len(graph.programs) == 3 and len(runners) == 6


@torch.no_grad()
def test_batches_that_do_not_lie_in_a_row():
    model = Net().eval()
    compiled = torch.compile(model, backend="strc")
    for batch in (2, 3, 4):
        x = torch.randn(2 * batch, 8, 8, 3)[::2].permute(0, 3, 1, 2)
        assert_equal(compiled(x), model(x))


@torch.no_grad()
def test_numbers_of_a_module_that_it_changes():
    class Counts(nn.Module):
        def __init__(self):
            super().__init__()
            self.n, self.seen = 0, []

        def forward(self, x):
            self.n += 1
            self.seen.append(self.n)
            return x * self.n + len(self.seen)

    model, twin = Counts(), Counts()
    compiled = torch.compile(model, backend="strc")
    for _ in range(4):
        x = torch.randn(3)
        assert_equal(compiled(x), twin(x))
    assert (model.n, model.seen) == (twin.n, twin.seen)


class Squeezed(nn.Module):
    """Channels weighed by their means, and a norm with numbers of its own."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8, eps=0.001, momentum=0.01)
        self.squeeze = nn.Conv2d(8, 2, 1)
        self.excite = nn.Conv2d(2, 8, 1)

    def forward(self, x):
        x = self.norm(self.conv(x))
        return x * torch.sigmoid(self.excite(torch.relu(self.squeeze(nn.functional.adaptive_avg_pool2d(x, 1)))))


@torch.no_grad()
def test_numbers_that_dynamo_leaves_open(runners):
    model = Squeezed().eval()
    compiled = torch.compile(model, backend="strc", dynamic=True)
    for batch in (2, 3, 2):
        x = torch.randn(batch, 3, 8, 8)
        assert_equal(compiled(x), model(x))
    assert len(runners) == 1
    model.norm.eps = 0.5
    assert_equal(compiled(x), model(x))


@torch.no_grad()
def test_numbers_that_change_with_every_call(runners):
    def scaled(x, factor):
        return x.sin() * factor

    compiled = torch.compile(scaled, backend="strc", dynamic=True)
    x = torch.randn(3)
    with pytest.warns(backend.StrcFallback, match="had 8 values"):
        for k in range(12):
            assert_equal(compiled(x, k + 0.5), scaled(x, k + 0.5))
    assert len(runners) <= 8 + 1


@torch.no_grad()
def test_values_of_parameters_count_when_it_is_called(runners):
    model = Net().eval()
    compiled = torch.compile(model, backend="strc")
    x = torch.randn(1, 3, 8, 8)
    compiled(x)
    model.conv.weight.mul_(3)
    model.norm.running_var.add_(1)
    assert_equal(compiled(x), model(x))
    model.out.weight = nn.Parameter(torch.randn(2, 4))
    assert_equal(compiled(x), model(x))


@torch.no_grad()
def test_tensors_that_do_not_lie_in_a_row():
    model = Net().eval()
    x = torch.randn(2, 8, 8, 3).permute(0, 3, 1, 2)
    assert_equal(torch.compile(model, backend="strc")(x), model(x))


@torch.no_grad()
def test_results_that_are_no_tensors(runners):
    def sizes(x):
        return {"n": x.shape[0], "y": x + 1, "same": x, "nothing": None}

    compiled = torch.compile(sizes, backend="strc")
    for n in (2, 3, 4):
        found, expected = compiled(torch.ones(n, 2)), sizes(torch.ones(n, 2))
        assert found.keys() == expected.keys() and found["n"] == n and found["nothing"] is None
        assert_equal(found["y"], expected["y"])
        assert_equal(found["same"], expected["same"])
    assert runners


@torch.no_grad()
def test_unused_arguments_and_constants(runners):
    def odd(x, unused):
        return x * 2, torch.ones(2)

    assert_equal(torch.compile(odd, backend="strc")(torch.ones(3), torch.ones(5)), odd(torch.ones(3), None))
    assert runners


@torch.no_grad()
def test_other_elements():
    def whole(x, mask):
        return torch.where(mask, x, -x), x.argmax(1), (x > 0) & mask

    inputs = torch.tensor([[3, -4], [-5, 6]]), torch.tensor([[True, False], [False, True]])
    assert_equal(torch.compile(whole, backend="strc")(*inputs), whole(*inputs))


@torch.no_grad()
def test_graph_breaks(runners):
    def broken(x):
        y = (x * 2).sin()
        if y.sum() > 0:
            return y + 1
        return y.cos() - 1

    compiled = torch.compile(broken, backend="strc")
    for x in (torch.ones(3), -torch.ones(3)):
        assert_equal(compiled(x), broken(x))
    assert len(runners) >= 3


@torch.no_grad()
def test_an_operator_without_stream_is_named_once():
    def values(x):
        return torch.linalg.eigvals(x).real + 1

    compiled = torch.compile(values, backend="strc")
    x = torch.randn(3, 3)
    with pytest.warns(backend.StrcFallback, match=r"(?s)aten.linalg_eigvals: eigenvalues of matrices that are not symmetric have no filter.*test_backend.py.*eigvals\(x\).real \+ 1") as told:
        assert_equal(compiled(x), values(x))
        compiled(x)
    assert len(told) == 1


@operators.custom_op("strc_tests::foreign", mutates_args=())
def foreign(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


@foreign.register_fake
def _(x):
    return torch.empty_like(x)


@operators.custom_op("strc_tests::fill", mutates_args=("x",))
def fill(x: torch.Tensor) -> None:
    x.fill_(7)


class Interrupted(nn.Module):
    """An operator that only PyTorch has, between layers."""

    def __init__(self):
        super().__init__()
        self.before, self.norm, self.after = nn.Linear(4, 6), nn.LayerNorm(6), nn.Linear(6, 3)

    def forward(self, x):
        y = torch.relu(self.norm(self.before(x)))
        z, places = foreign(y).max(1, keepdim=True)
        return self.after(torch.relu_(y + z)), places, y


def in_parts(model, runners, calls, message):
    """A model gives what it gives; it is said once that parts of it are PyTorch's."""
    compiled = torch.compile(model, backend="strc")
    with pytest.warns(backend.StrcFallback, match=f"(?s)a part of a graph runs as PyTorch runs it: .*{message}") as told:
        for args in calls:
            twins = [arg.clone() if isinstance(arg, torch.Tensor) else arg for arg in args]
            assert_equal(compiled(*args), model(*twins))
            assert_equal(args, tuple(twins))
    assert len(told) == 1 and runners


@torch.no_grad()
def test_what_is_around_an_operator_without_stream_is_a_program(runners):
    calls = [(torch.randn(batch, 4),) for batch in (2, 3, 5, 2)]
    in_parts(Interrupted(), runners, calls, r"strc_tests.foreign.*test_backend.py.*foreign\(y\)")
    assert len(runners) == 4  # two parts, of the first batch and of any other one


def test_parts_of_transforms_are_as_pytorch_runs_them():
    compiled = torch.compile(lambda x: torch.vmap(lambda row: torch.linalg.eigvals(row.sin()).real)(x), backend="strc")
    x = torch.eye(3).expand(2, 3, 3).contiguous()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", backend.StrcFallback)
        assert_equal(compiled(x), torch.linalg.eigvals(x.sin()).real)


def test_numbers_that_change_take_few_programs_in_parts_too(runners):
    def values(x, rate):
        z = foreign((x * 2).sin() * rate)
        return (z * rate).cos().cumsum(0)

    compiled = torch.compile(values, backend="strc", dynamic=True)
    x = torch.randn(3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", backend.StrcFallback)
        for k in range(14):
            assert_equal(compiled(x, 0.1 * k + 0.05), values(x, 0.1 * k + 0.05))
    assert len(runners) <= 2 * backend.MOST_VALUES


@torch.no_grad()
def test_values_of_parameters_count_in_parts(runners):
    model = Interrupted()
    x = torch.randn(2, 4)
    in_parts(model, runners, [(x,)], "foreign")
    compiled = torch.compile(model, backend="strc")
    model.after.weight.mul_(2)
    assert_equal(compiled(x), model(x))


@torch.no_grad()
def test_arguments_are_changed_by_pytorch_and_the_rest_is_a_program(runners):
    def change(x, y):
        z = (y * 2).sin().cumsum(0)
        x.add_(z)
        return (x * z).cos(), x

    in_parts(change, runners, [(torch.randn(3), torch.randn(3)) for _ in range(2)], "it changes")
    assert len(runners) == 2


@torch.no_grad()
@pytest.mark.parametrize("change", [lambda x: x.add_(1), fill, lambda x: x[0].mul_(3)])
def test_what_is_written_through_a_view_behind_a_part(change):
    def model(x):
        y = (x * 2).sin()
        view = y.view(4)
        z = foreign(y)
        change(view)
        return (y + z).cos(), view

    compiled = torch.compile(model, backend="strc")
    x = torch.randn(2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", backend.StrcFallback)
        for _ in range(2):
            assert_equal(compiled(x), model(x))


@torch.no_grad()
def test_tuples_between_parts(runners):
    def model(x):
        one, two, three = (x * 2).split(1, 1)
        return (foreign(one) + two).sin(), torch.max(foreign(three), 1).values.cos()

    in_parts(model, runners, [(torch.randn(2, 3),), (torch.randn(2, 3),)], "foreign")


@torch.no_grad()
def test_a_graph_of_nothing_else_is_left_as_a_whole(runners):
    compiled = torch.compile(lambda x: foreign(x), backend="strc")
    x = torch.ones(3)
    with pytest.warns(backend.StrcFallback, match="a graph runs as PyTorch runs it"):
        assert_equal(compiled(x), foreign(x))
    assert not runners


def test_gradients_are_pytorchs():
    model = Net().eval()
    compiled = torch.compile(model, backend="strc")
    x = torch.randn(1, 3, 8, 8)
    with pytest.warns(backend.StrcFallback, match="gradients are wanted") as told:
        compiled(x).sum().backward()
        compiled(x).sum().backward()
    assert len(told) == 1 and model.conv.weight.grad is not None
    with torch.no_grad():
        assert_equal(compiled(x), model(x))


@torch.no_grad()
@pytest.mark.parametrize("model, why", [(nn.Dropout(0.5), "drops at random"), (nn.BatchNorm1d(3), "statistics of the batch")])
def test_training_is_left_to_pytorch(model, why):
    with pytest.warns(backend.StrcFallback, match=why):
        assert torch.compile(model.train(), backend="strc")(torch.ones(4, 3)).shape == (4, 3)


@torch.no_grad()
def test_arguments_that_are_changed():
    def change(x):
        x.add_(1)
        return x * 2

    x = torch.ones(2)
    with pytest.warns(backend.StrcFallback, match="in place"):
        assert_equal(torch.compile(change, backend="strc")(x), torch.full((2,), 4.0))
    assert_equal(x, torch.full((2,), 2.0))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sums", torch.zeros(2))
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x):
        self.sums.add_(x.sum(0))
        return self.norm(x) * self.sums


@torch.no_grad()
@pytest.mark.parametrize("trains", [False, True])
def test_buffers_that_are_changed_are_changed_once(trains):
    model = Counting().train(trains)
    twin = copy.deepcopy(model)
    compiled = torch.compile(model, backend="strc")
    for _ in range(3):
        x = torch.randn(4, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", backend.StrcFallback)
            found = compiled(x)
        assert_equal(found, twin(x))
        assert_equal(model.state_dict(), twin.state_dict())


@torch.no_grad()
def test_random_numbers_are_pytorchs():
    def noisy(x):
        return x + torch.rand(2)

    with pytest.warns(backend.StrcFallback, match="rand"):
        found = torch.compile(noisy, backend="strc")(torch.ones(2))
    assert bool((found > 1).any())


@torch.inference_mode()
def test_inference_mode():
    model = Net().eval()
    x = torch.randn(1, 3, 8, 8)
    assert_equal(torch.compile(model, backend="strc")(x), model(x))


@torch.no_grad()
def test_options():
    model = Net().eval()
    x = torch.randn(1, 3, 8, 8)
    assert_equal(torch.compile(model, backend="strc", options={"fast-math": True})(x), model(x))


def test_threads():
    model = Net().eval()
    x = torch.randn(1, 3, 8, 8)
    with torch.no_grad():
        compiled, expected = torch.compile(model, backend="strc"), model(x)
        compiled(x)
    wrong = []

    def call():
        with torch.no_grad():
            wrong.extend(k for k in range(50) if not torch.allclose(compiled(x), expected, atol=1e-4))

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
