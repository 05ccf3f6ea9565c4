"""Graphs from one run of a model: those of torch.export, or none."""

import operator
import subprocess
import sys

import pytest
import torch
from cases import CASES
from support import ROOT
from torch import nn

from strc.torch import capture, import_model, record

MODEL = """from torch import nn

def make():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
"""
LOADED = """import runpy, sys
sys.argv = ["strc", "model.py:make", "--input", "1x3x8x8", "--eval"]
try:
    runpy.run_module("strc.importer", run_name="__main__")
except SystemExit as end:
    assert not end.code
print(sorted({"torch._dynamo", "sympy", "torch._inductor"} & set(sys.modules)), file=sys.stderr)
"""


def described(graph):
    """Operators with their arguments, modules and lines; what nothing uses is left out."""
    users = {node for node in graph.nodes if node.users or node.op == "output"}
    number = {node: place for place, node in enumerate(node for node in graph.nodes if node in users)}
    rows = []
    for node in number:
        name = node.name if node.op == "placeholder" else str(node.target)
        arguments = torch.fx.node.map_arg((node.args, node.kwargs), number.get)
        if name == "aten.batch_norm.default":
            arguments = arguments[0][:-1]  # the last one is about GPUs
        calls = [(path, str(kind)) for path, kind in (node.meta.get("nn_module_stack") or {}).values()]
        place = capture.place_of(node) if node.op == "call_function" and node.target is not operator.getitem else None
        rows.append((name, str(arguments), calls, place))
    return rows


@pytest.mark.parametrize("case", [case for case in CASES if not case.dynamic], ids=lambda case: case.name)
def test_it_is_the_graph_of_torch_export(case):
    model, inputs = case.make()
    inputs += [torch.zeros(shape) for shape in case.states]
    with capture.unchanged(model):
        found = record.record(model, inputs)
        expected = capture.of_program(capture.exported(model, inputs, ()), "")
    assert described(found.graph) == described(expected.graph)
    assert found.stored.keys() == expected.stored.keys()
    for name, (path, tensor) in found.stored.items():
        assert path == expected.stored[name][0] and torch.equal(tensor, expected.stored[name][1])


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("kept", torch.ones(3))
        self.plain = torch.ones(3)

    def forward(self, x):
        return self.function(self, x)


def caught(self, x):
    try:
        return x * x.sum().item()
    except Exception:
        return x


def assigned(self, x):
    self.kept = self.kept + x
    return self.kept


def written(self, x):
    kept = torch.zeros(3)
    kept[1:].copy_(x[1:])
    return x if kept.sum() > 0 else -x


def decided(self, x):
    """By values that are the same for all inputs, read in several ways."""
    mask = torch.ones(3, 3).triu()
    if bool((mask == mask.t()).all()) or self.kept.sum() < 2:
        return -x
    return x[mask[0].nonzero().flatten()] * self.kept[0].item()


REFUSED = {
    "what was written": written,
    "item": lambda self, x: x * x[0].item(),
    "caught": caught,
    "branch": lambda self, x: x if x.sum() > 0 else -x,
    "tolist": lambda self, x: x + torch.tensor(x.tolist()),
    "numpy": lambda self, x: x + torch.from_numpy(x.numpy() * 2),
    "tensors in a list": lambda self, x: x + torch.tensor([x[0], x[1], x[2]]),
    "an array of tensors": lambda self, x: x + torch.asarray([x[0], x[1], x[2]]),
    "a new tensor of tensors": lambda self, x: x + x.new_tensor([x[0], x[1], x[2]]),
    "the constructor": lambda self, x: x + torch.Tensor([x[0], x[1], x[2]]),
    "full": lambda self, x: x + torch.full((3,), x[0]),
    "a slice": lambda self, x: x[: x[0].long()],
    "a place": lambda self, x: x[x[0].long()],
    "a range": lambda self, x: x[int(x[0])],
    "a scale": lambda self, x: torch.add(x, x, alpha=x[0]),
    "mask": lambda self, x: x[x > 0],
    "places of a mask": lambda self, x: torch.where(x > 0)[0],
    "allclose": lambda self, x: x if torch.allclose(x, x) else -x,
    "data": lambda self, x: x + x.data,
    "an attribute": lambda self, x: x + self.plain,
    "a buffer that is changed": lambda self, x: x + self.kept.add_(1),
    "a buffer that is assigned": assigned,
    "an input that is changed": lambda self, x: x.add_(1),
    "no tensor": lambda self, x: (x, slice(1)),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_one_run_cannot_tell(why):
    model = Function(REFUSED[why])
    with pytest.raises(record.NotRecorded):
        record.record(model, [torch.tensor([1.0, 2.0, 3.0])])


def test_what_is_the_same_for_all_inputs_decides():
    found = record.record(Function(decided), [torch.tensor([1.0, 2.0, 3.0])])
    assert "neg" not in str(found.graph) and "aten.mul" in str(found.graph)


def test_tied_weights():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
    model[2].weight = model[0].weight
    with pytest.raises(record.NotRecorded):
        record.record(model, [torch.ones(3)])


def test_constants_and_places():
    model = Function(lambda self, x: (x * torch.tensor([1.0, 2.0, 3.0]))[torch.tensor([2, 0])])
    found = record.record(model, [torch.ones(3)])
    assert [name for name, _ in found.stored.values()] == ["kept", "lifted_tensor_0", "lifted_tensor_1"]


def test_modes_and_flags_are_as_before():
    model = Function(lambda self, x: x.no_such_method())
    with pytest.raises(AttributeError, match="no_such_method"):
        record.record(model, [torch.ones(3)])
    assert not torch.compiler.is_exporting() and not torch.compiler.is_compiling()
    assert torch.is_grad_enabled() and (torch.ones(2) + 1).tolist() == [2, 2]


def test_nothing_is_loaded_for_it(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=tmp_path, env={"PYTHONPATH": str(ROOT / "python")}, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr.strip() == "[]", done.stderr
    assert "pipeline Sequential" in done.stdout


def test_operators_that_decompose():
    """What has no stream is looked for in the graph of torch.export, whose operators can be replaced."""
    imported = import_model(Function(lambda self, x: torch.addcdiv(x, x, x + 2)), [torch.ones(3)])
    assert [instruction.op for instruction in imported.program.instructions] == ["add_scalar", "div", "add"]
