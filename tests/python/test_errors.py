"""What is said of models that cannot be imported, and that nothing is written then."""

import importlib
import os

import pytest
import torch
from torch import library as operators
from torch import nn

import strc.torch
from strc.errors import ImportFailure
from strc.importer import command
from strc.torch.capture import check_version


class Sign(nn.Module):
    def forward(self, x):
        if x.sum() > 0:  # the line
            return x
        return -x


class Strange(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.ReLU(), Odd())

    def forward(self, x):
        return self.inner(x) + torch.special.airy_ai(x)  # a function of Airy's


class Odd(nn.Module):
    def forward(self, x):
        return torch.linalg.eigvals(x).real  # eigenvalues


def fault_of(model, *inputs, path):
    with pytest.raises(ImportFailure) as fault:
        strc.torch.export(model, inputs, path / "model.str")
    assert list(path.iterdir()) == []
    return str(fault.value)


def line_of(words):
    lines = open(__file__, encoding="utf-8").read().splitlines()
    return f"{os.path.relpath(__file__)}:{1 + next(i for i, line in enumerate(lines) if line.endswith(words))}"


def test_control_flow(tmp_path):
    told = fault_of(Sign(), torch.randn(3), path=tmp_path)
    assert "depends on the values of its input" in told
    assert line_of("# the line") in told


class Written(nn.Module):
    """It goes by a value that it has put into a tensor of its own before."""

    def forward(self, x):
        kept = torch.zeros(2)
        kept[1] = x[0]
        if kept.sum() > 0:  # of its own
            return x
        return -x


def test_control_flow_by_what_was_written(tmp_path):
    told = fault_of(Written(), torch.randn(3), path=tmp_path)
    assert "depends on the values of its input" in told
    assert line_of("# of its own") in told


class Again(nn.Module):
    def forward(self, x):
        for _ in range(20):
            x = torch.special.airy_ai(x)
        return x


def test_what_a_loop_uses_is_told_once(tmp_path):
    told = fault_of(Again(), torch.randn(3), path=tmp_path)
    assert told.count("aten.special_airy_ai") == 1 and "1 use of an operator" in told


def test_all_unsupported_operators_at_once(tmp_path):
    told = fault_of(Strange(), torch.randn(3, 3), path=tmp_path)
    assert line_of("# a function of Airy's") in told and line_of("# eigenvalues") in told
    assert "in inner.1 (Odd)" in told and "aten.linalg_eigvals" in told
    assert "uses of operators that cannot be imported" in told


class Chain(nn.Module):
    def forward(self, x):
        x = torch.special.airy_ai(x)  # of Airy's
        values, vectors = torch.linalg.eig(x)  # vectors
        return torch.special.airy_ai(values.real) + vectors.imag  # of the values


def test_what_depends_on_unsupported_operators(tmp_path):
    told = fault_of(Chain(), torch.randn(3, 3), path=tmp_path)
    assert all(line_of(words) in told for words in ("# of Airy's", "# vectors", "# of the values"))


def test_wrong_inputs(tmp_path):
    told = fault_of(nn.Sequential(nn.Linear(3, 4)), torch.randn(2, 5), path=tmp_path)
    assert "does not run with the example inputs (2x5:float32)" in told
    told = fault_of(nn.Linear(3, 4), torch.randn(2, 3), torch.randn(2, 3), path=tmp_path)
    assert "does not run with the example inputs" in told


def test_another_torch():
    with pytest.raises(ImportFailure, match="this is PyTorch 2.3.1.*strc setup torch"):
        check_version("2.3.1")
    check_version("2.11.4+cu130")


def test_the_model_stays_as_it_was(tmp_path):
    model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(), nn.BatchNorm1d(4))
    model.eval()
    model[0].train()
    before = [value.clone() for value in model.state_dict().values()]
    strc.torch.export(model, (torch.randn(2, 3),), tmp_path / "model.str")
    assert [module.training for module in model.modules()] == [False, True, False, False]
    assert all(torch.equal(one, other) for one, other in zip(before, model.state_dict().values()))


def test_what_was_there_stays(tmp_path):
    path = tmp_path / "model.str"
    path.write_text("mine")
    with pytest.raises(ImportFailure):
        strc.torch.export(Sign(), (torch.randn(3),), path)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


class Step(nn.Module):
    def forward(self, x, h):
        return x, torch.cat([h, h], 1)


class Last(nn.Module):
    def forward(self, x, h):
        return x + h


@pytest.mark.parametrize(
    ("model", "state", "message"),
    [
        (Step(), torch.zeros(1, 2), "a state of shape 1x2 comes back with shape 1x4"),
        (Step(), torch.zeros(1, 2, dtype=torch.int8), "a state of int8: only states of float, double, int, long, boolean can go round"),
        (Last(), torch.zeros(1, 2), "has to give 2 tensors or more"),
    ],
)
def test_states_that_cannot_go_round(model, state, message, tmp_path):
    with pytest.raises(ImportFailure, match=message):
        strc.torch.export(model, (torch.randn(1, 2),), tmp_path / "model.str", states=(state,))
    assert list(tmp_path.iterdir()) == []


class Beside(nn.Module):
    def forward(self, x):
        return x.std() + torch.special.airy_ai(x) + x.logsumexp(1).sum() + x.tile(2, 1).sum()  # one of four


def test_only_what_is_refused_is_named(tmp_path):
    told = fault_of(Beside(), torch.randn(3, 3), path=tmp_path)
    assert "1 use of an operator" in told and "aten.special_airy_ai" in told and line_of("# one of four") in told


def test_a_library_of_models_has_lines_too(tmp_path, monkeypatch):
    library, folder = tmp_path / "lib/python3.11/site-packages", tmp_path / "made"
    library.mkdir(parents=True)
    folder.mkdir()
    (library / "zoo_of_signs.py").write_text("from torch import nn\n\n\nclass Sign(nn.Module):\n    def forward(self, x):\n        return x if x.sum() > 0 else -x\n")
    monkeypatch.syspath_prepend(library)
    told = fault_of(importlib.import_module("zoo_of_signs").Sign(), torch.randn(3), path=folder)
    assert "depends on the values of its input" in told and "site-packages/zoo_of_signs.py:6" in told


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_names_the_file(tmp_path, capsys):
    (tmp_path / "model.py").write_text("from torch import nn\n\ndef make():\n    return nn.Linear(2, 2)\n")
    words = [f"{tmp_path}/model.py:make", "--input", "1x2", "--emit=ir", "-o", "/dev/full"]
    assert command.run(words) == 1
    assert "/dev/full" in capsys.readouterr().err


def test_a_disk_that_fills_while_files_are_written(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError, match="model.safetensors"):
        strc.torch.export(nn.Linear(2, 2), (torch.randn(1, 2),), tmp_path / "model.str")
    assert list(tmp_path.iterdir()) == []


@operators.custom_op("strc_tests::overwrite", mutates_args=("x",))
def overwrite(x: torch.Tensor) -> None:
    x.fill_(7)


class Overwrites(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.change = change

    def forward(self, x):
        y = x * 2
        self.change(y)  # to y
        return y + 1


@pytest.mark.parametrize(
    ("change", "why"), [(overwrite, "changes its arguments and gives nothing"), (lambda y: torch._foreach_add_([y], 1.0), "aten._foreach_add.Scalar: there is no stream")]
)
def test_operators_that_write_and_give_nothing(change, why, tmp_path):
    told = fault_of(Overwrites(change), torch.randn(3), path=tmp_path)
    assert why in told
    assert os.path.basename(__file__) in told
