"""Models of the package transformers, whole: masks made inside, and all tensors of what they return, caches of keys and values too."""

import dataclasses
import inspect
import subprocess

import numpy
import pytest
import torch
from support import STRC
from test_run import assert_close, run_program
from torch import nn
from transformers_models import MODELS, llama, made, transformers, words

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


class Past(nn.Module):
    """A step with `past_key_values` as tensors in and out, of the last five tokens."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, place, *past):
        cache = transformers.DynamicCache(list(zip(past[::2], past[1::2])))
        known = torch.arange(past[0].shape[2], -1, -1) <= place
        made = self.model(input_ids=tokens, position_ids=place[None], attention_mask=known[None, None, None], past_key_values=cache, use_cache=True)
        return made.logits, place + 1, *(one for layer in made.past_key_values.layers for one in (layer.keys, layer.values))


def scores_of(folder, name, tokens):
    """What a program gives for tokens, one after the other."""
    numpy.save(folder / "tokens.npy", tokens.T[:, None].numpy())
    line = [STRC, "run", "--top", name, "--in", "tokens.npy", "--out", "scores.npy", "model.str"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return torch.from_numpy(numpy.load(folder / "scores.npy"))[:, 0, 0]


def test_past_keys_and_values_go_round(tmp_path):
    """The last five tokens and the step's own are attended to, as under a mask with such a band."""
    model, _ = made(llama)
    tokens = words(11)
    states = [torch.zeros(1, dtype=torch.int64), *[torch.zeros(1, 1, 5, 16)] * 4]
    strc.torch.export(Past(model).eval(), [tokens[:, :1]], tmp_path / "model.str", states=states, context=5)
    far = torch.arange(11)[:, None] - torch.arange(11)
    with torch.no_grad():
        expected = model(tokens, attention_mask=((far >= 0) & (far <= 5))[None, None]).logits[0]
    assert_close(scores_of(tmp_path, "Past", tokens), expected)


class Static(nn.Module):
    """What transformers makes of a model for an export, whose static cache is its buffers, and which takes the place of a token."""

    def __init__(self, model):
        super().__init__()
        self.step = transformers.integrations.executorch.TorchExportableModuleWithStaticCache(model, batch_size=1, max_cache_len=12)
        self.register_buffer("place", torch.zeros(1, dtype=torch.int64))

    def forward(self, tokens):
        scores = self.step(input_ids=tokens, cache_position=self.place)
        self.place += 1
        return scores


def test_a_static_cache_goes_round(tmp_path):
    model, _ = made(llama)
    model.generation_config.cache_implementation = "static"
    tokens = words(9)
    with torch.no_grad():
        expected = model(tokens).logits[0]
    strc.torch.export(Static(model).eval(), [tokens[:, :1]], tmp_path / "model.str")
    assert_close(scores_of(tmp_path, "Static", tokens), expected)


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
