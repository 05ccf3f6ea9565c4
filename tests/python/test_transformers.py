"""Models of the package transformers, whole: masks made inside, and all tensors of what they return, caches of keys and values too."""

import dataclasses
import inspect

import pytest
import torch
from test_run import assert_close, run_program
from torch import nn
from transformers_models import MODELS, made, transformers

import strc.torch
from strc.torch.results import flat, plain_results


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_whole_models(make, tmp_path):
    model, inputs = made(make)
    with torch.no_grad():
        expected = list(flat(model(*inputs)))
    assert all(isinstance(value, torch.Tensor) for value in expected)
    imported = strc.torch.export(model, inputs, tmp_path / "model.str")
    assert "forward" not in vars(model)
    found = run_program(tmp_path, imported.program.name, inputs, len(expected))
    for one, value in zip(found, expected):
        assert_close(one, value)


def test_a_cache_is_all_its_keys_and_values():
    model, inputs = made(MODELS[2])
    cache = model(*inputs).past_key_values
    assert isinstance(cache, transformers.DynamicCache) and len(list(flat(cache))) == 4


@dataclasses.dataclass
class Found:
    count: int
    parts: dict


class Returns(nn.Module):
    def __init__(self):
        super().__init__()
        self.own = nn.Linear(3, 3)

    def forward(self, x):
        return Found(2, {"sum": x.sum(1), "both": [self.own(x), (x + 1, None)]})


def test_dataclasses_and_dictionaries(tmp_path):
    model, x = Returns(), torch.randn(2, 3)
    strc.torch.export(model, [x], tmp_path / "model.str")
    for found, value in zip(run_program(tmp_path, "Returns", [x], 3), [x.sum(1), model.own(x).detach(), x + 1]):
        assert_close(found, value)


def test_one_inside_of_the_other():
    """The names of arguments stay, and a result that is flat is left alone."""
    model, x = Returns(), torch.randn(2, 3)
    with plain_results(model), plain_results(model):
        assert list(inspect.signature(model.forward).parameters) == ["x"]
        assert len(model(x)) == 5 and model(x)[0] == 2
    assert isinstance(model(x), Found)


def test_a_model_with_a_forward_of_its_own(tmp_path):
    model, x = nn.Linear(3, 3), torch.randn(2, 3)
    own = lambda x: {"negative": -x}  # noqa: E731
    model.forward = own
    imported = strc.torch.export(model, [x], tmp_path / "model.str")
    assert [i.op for i in imported.program.instructions] == ["neg"] and vars(model)["forward"] is own
