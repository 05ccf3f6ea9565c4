"""The streams that models give."""

import pytest
import torch
from cases import CASES
from support import golden

from strc.ir import parse, show
from strc.torch import import_model


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_streams(case):
    model, inputs = case.make()
    imported = import_model(model, inputs, case.dynamic, [torch.zeros(shape) for shape in case.states])
    text = show(imported.program)
    assert show(parse(text)) == text
    golden(f"{case.name}.str", imported.source(case.replicate))
    golden(f"{case.name}.ir", text)
