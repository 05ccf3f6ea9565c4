"""Dimensions that are marked by torch.export.Dim stay open."""

import pytest
import torch
from test_run import assert_close, run_program
from torch import nn
from torch.export import Dim

import strc.torch
from strc.errors import ImportFailure


class Rows(nn.Module):
    """One row for all of `x`, whose number of rows is open."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x, bias):
        return self.inner(x).tanh() + bias


INPUTS = [torch.randn(3, 4), torch.randn(1, 4)]
ROWS = Dim("rows", min=2, max=64)
WAYS = {
    "by place": ({0: ROWS}, None),
    "by name": {"x": {0: ROWS}},
    "all dimensions of an input": ((ROWS, None), (None, None)),
    "from the end": ({-2: ROWS}, {}),
    "without a name": ({0: Dim.DYNAMIC, 1: Dim.STATIC}, None),
    "automatic": [{0: Dim.AUTO, 1: 4}, None],
}


@pytest.mark.parametrize("way", WAYS)
def test_marked_dimensions(way, tmp_path):
    model = Rows()
    made = strc.torch.export(model, INPUTS, tmp_path / "model.str", dynamic=WAYS[way])
    shapes = [[isinstance(size, int) for size in made.program.shapes[number]] for number in made.program.inputs]
    assert shapes == [[False, True], [True, True]]
    for rows in (2, 7):
        inputs = [torch.randn(rows, 4), INPUTS[1]]
        (found,) = run_program(tmp_path, "Rows", inputs, 1)
        with torch.no_grad():
            assert_close(found, model(*inputs))


def test_nothing_that_is_open():
    made = strc.torch.import_model(Rows(), INPUTS, ({0: Dim.STATIC}, None))
    assert all(isinstance(size, int) for shape in made.program.shapes.values() for size in shape)


WRONG = {
    "of 1 inputs, and there are 2": ({0: ROWS},),
    "dynamic dimensions 2 of an input that has 2": ({2: ROWS}, None),
    "no input 'y'": {"y": {0: ROWS}},
}


@pytest.mark.parametrize("message", WRONG)
def test_what_does_not_fit(message, tmp_path):
    with pytest.raises(ImportFailure, match=message):
        strc.torch.export(Rows(), INPUTS, tmp_path / "model.str", dynamic=WRONG[message])
    assert list(tmp_path.iterdir()) == []


class Fixes(Rows):
    def forward(self, x, bias):
        return super().forward(x, bias) + torch.ones(3, 4)


def test_a_dimension_that_the_model_fixes(tmp_path):
    with pytest.raises(ImportFailure, match="dimension 0 of input 0 is marked as dynamic, and the model takes nothing but 3 there"):
        strc.torch.export(Fixes(), INPUTS, tmp_path / "model.str", dynamic=({0: ROWS}, None))
