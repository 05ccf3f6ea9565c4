"""Models in training mode: refused where they compute otherwise then, with the place, and imported where they do not."""

import pytest
import torch
from torch import nn

import strc.torch
from strc.errors import ImportFailure
from strc.importer import command
from strc.torch import import_model


class Noisy(nn.Module):
    def forward(self, x):
        if self.training:
            x = x + torch.randn_like(x)
        return x.tanh()


class Doubles(nn.Module):
    """What it computes in training needs neither random numbers nor statistics."""

    def forward(self, x):
        return x * 2 if self.training else x


class Stored(nn.Module):
    """A norm with stored statistics."""

    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm1d(3, track_running_stats=True)

    def forward(self, x):
        return self.norm(x)


class Attends(nn.Module):
    def forward(self, x):
        return nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5 if self.training else 0.0)


DIFFERENT = {
    "dropout": (lambda: nn.Sequential(nn.Linear(3, 3), nn.Dropout()), (2, 3), "dropout"),
    "dropout of channels": (lambda: nn.Dropout2d(), (1, 3, 4, 4), "feature_dropout"),
    "batch norm": (lambda: nn.Sequential(nn.Conv1d(3, 3, 1), nn.BatchNorm1d(3)), (2, 3, 5), "batch_norm"),
    "instance norm": (Stored, (2, 3, 5), "instance_norm"),
    "between recurrent layers": (lambda: nn.LSTM(3, 4, 2, dropout=0.5), (5, 2, 3), "lstm"),
    "random slopes": (lambda: nn.RReLU(), (2, 3), "rrelu"),
    "attention": (Attends, (1, 2, 4, 4), "scaled_dot_product_attention"),
}
SAME = {
    "nothing dropped": (lambda: nn.Dropout(0.0), (2, 3)),
    "statistics of the batch in either mode": (lambda: nn.BatchNorm1d(3, track_running_stats=False), (4, 3)),
    "one recurrent layer": (lambda: nn.LSTM(3, 4), (5, 2, 3)),
    "layer norm": (lambda: nn.LayerNorm(3), (2, 3)),
    "another way": (Doubles, (2, 3)),
}


@pytest.mark.parametrize("name", DIFFERENT)
@pytest.mark.parametrize("dynamic", [(), (0,)], ids=["", "dynamic"])
def test_what_training_does_otherwise(name, dynamic, tmp_path):
    make, shape, operator = DIFFERENT[name]
    model = make()
    if dynamic and name in ("between recurrent layers", "attention"):
        pytest.skip("its first dimension is not the batch's")
    with pytest.raises(ImportFailure, match=rf"(?s)training mode, where it computes otherwise; --eval .*model\.eval\(\).*\n  {operator}\n    .*:\d+: in ") as fault:
        strc.torch.export(model, [torch.randn(shape)], tmp_path / "model.str", dynamic=dynamic)
    assert list(tmp_path.iterdir()) == [] and model.training
    assert str(fault.value).count(f"  {operator}\n") == 1
    import_model(model.eval(), [torch.randn(shape)], dynamic)


@pytest.mark.parametrize("name", SAME)
def test_what_it_does_all_the_same(name):
    make, shape = SAME[name]
    model = make()
    import_model(model, [torch.randn(shape)])
    assert model.training


def test_the_mode_in_which_it_is():
    """It is not computed as in the other mode."""
    operators = [[i.op for i in import_model(model, [torch.randn(2, 3)]).program.instructions] for model in (Doubles(), nn.Sequential(Doubles().eval(), nn.Tanh()))]
    assert operators == [["mul_scalar"], ["tanh"]]


def test_random_numbers_in_training_alone():
    with pytest.raises(ImportFailure, match=r"draws random numbers.*make them an input.*if it does that in training alone.*--eval"):
        import_model(Noisy(), [torch.randn(3)])
    assert [i.op for i in import_model(Noisy().eval(), [torch.randn(3)]).program.instructions] == ["tanh"]


def test_many_places_are_counted():
    with pytest.raises(ImportFailure, match="and 2 more$"):
        import_model(nn.Sequential(*(nn.Dropout() for _ in range(5))), [torch.randn(3)])


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text("from torch import nn\n\n\ndef make():\n    return nn.Sequential(nn.Linear(3, 2), nn.Dropout())\n")
    assert command.run(["net.py:make", "--input", "1x3", "-o", "net.str"]) == 1
    assert "--eval" in capsys.readouterr().err and not (tmp_path / "net.str").exists()
    assert command.run(["net.py:make", "--input", "1x3", "--eval", "-o", "net.str"]) == 0
    assert "linear(3, 2" in (tmp_path / "net.str").read_text()
    assert command.run(["net.onnx", "--eval"]) == 1
    assert "an ONNX model has no mode of training" in capsys.readouterr().err
