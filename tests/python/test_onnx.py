"""ONNX models as programs: they give what the package's own evaluator gives."""

import re
import subprocess
import sys

import numpy
import pytest
import torch
from support import ROOT, STRC

pytest.importorskip("onnx")

import onnx_models as models
from onnx import TensorProto, helper
from test_run import assert_close, run_program

import strc.onnx
from strc.errors import ImportFailure
from strc.importer import command


def compared(model, folder, inputs, sizes=None):
    """Exports, runs, and compares with the evaluator."""
    imported = strc.onnx.export(model, folder / "model.str", sizes=sizes)
    found = run_program(folder, imported.program.name, [torch.from_numpy(one) for one in inputs], len(imported.results))
    wanted = dict(zip([one.name for one in model.graph.output], models.evaluated(model, *inputs)))
    for name, one in zip(imported.results, found):
        assert_close(one.double(), torch.from_numpy(numpy.asarray(wanted[name])).double())
    return imported


def noise(*shape):
    return numpy.random.default_rng(3).normal(size=shape).astype("float32")


CASES = {
    "perceptron": (models.perceptron, (noise(5, 4),), {"N": 5}), "smoothing": (models.smoothing, (noise(6, 1, 2),), None),
    "quantised": (models.quantised, (noise(2, 4),), None), "forest": (models.forest, (noise(20, 3),), {"N": 20}),
}


@pytest.mark.parametrize("name", CASES)
def test_gives_what_the_evaluator_gives(name, tmp_path):
    make, inputs, sizes = CASES[name]
    compared(make(), tmp_path, inputs, sizes)


def test_missing_features_go_where_the_tree_says(tmp_path):
    inputs = noise(4, 3)
    inputs[1, 2] = inputs[2, 0] = numpy.nan
    compared(models.forest(), tmp_path, (inputs,), {"N": 4})


def test_source():
    """Layers are the library's, modules those that the nodes' names say."""
    text = strc.onnx.import_model(models.perceptron(), sizes={"N": 1}).source()
    assert "linear(4, 8, bias = false" in text
    assert "pipeline Dense" in text


def test_versions(tmp_path):
    """An old model is converted; one of each newer version is taken as it is."""
    for version in (9, 11, 13, 15, 18, 21, 23):
        compared(models.perceptron(version=version), tmp_path, (noise(2, 4),), {"N": 2})


def test_a_state_by_its_name(tmp_path):
    model = models.accumulator()
    for states in (["auto"], ["past_sum=present_sum"]):
        imported = strc.onnx.export(model, tmp_path / "model.str", states=states)
        assert "feedbackloop" in imported.source()
        inputs, state, wanted = noise(3, 2), numpy.zeros(2, "float32"), []
        for row in inputs:
            given, state = models.evaluated(model, row, state)
            wanted.append(given)
        found = run_program(tmp_path, imported.program.name, [torch.from_numpy(inputs)], 1)[0]
        assert_close(found, torch.from_numpy(numpy.stack(wanted)))


def test_the_past_keeps_its_last_ones(tmp_path):
    model = models.remembering()
    imported = strc.onnx.export(model, tmp_path / "model.str", sizes={"P": 3}, states=["auto"], context=3)
    inputs, keys, wanted = noise(8, 1, 1, 4), numpy.zeros((1, 3, 4), "float32"), []
    for row in inputs:
        given, keys = models.evaluated(model, row, keys[:, -3:])
        wanted.append(given)
    found = run_program(tmp_path, imported.program.name, [torch.from_numpy(inputs)], 1)[0]
    assert_close(found, torch.from_numpy(numpy.stack(wanted)))
    with pytest.raises(ImportFailure, match="--context 3 keeps the last 3"):
        strc.onnx.import_model(model, sizes={"P": 3}, states=["auto"])


def test_several_states(tmp_path):
    model = models.lstm_step()
    imported = strc.onnx.export(model, tmp_path / "model.str", states=["auto"])
    inputs, states, wanted = noise(5, 1, 1, 3), [numpy.zeros((1, 1, 5), "float32")] * 2, []
    for row in inputs:
        given, *states = models.evaluated(model, row, *states)
        wanted.append(given)
    found = run_program(tmp_path, imported.program.name, [torch.from_numpy(inputs)], 1)[0]
    assert_close(found, torch.from_numpy(numpy.stack(wanted)))


@pytest.mark.parametrize(
    ("states", "why"),
    [(["x=y"], None), (["z=y"], "no input 'z'"), (["x=z"], "no result 'z'"), (["past_sum=present_sum", "x=present_sum"], "several inputs")],
)
def test_states_that_make_no_sense(states, why):
    if why is None:
        assert strc.onnx.import_model(models.accumulator(), states=states).program.loop
        return
    with pytest.raises(ImportFailure, match=why):
        strc.onnx.import_model(models.accumulator(), states=states)


def test_streaming(tmp_path, monkeypatch):
    """The proof compares the stream with the model."""
    monkeypatch.setenv("STRC", STRC)
    imported = strc.onnx.export(models.causal(), tmp_path / "model.str", sizes={"T": 64}, streaming=True)
    assert "float->float pipeline" in imported.source()
    x = noise(1, 1, 40)
    x.tofile(tmp_path / "in.raw")
    words = [STRC, "run", "--top", imported.program.name, "--in", "in.raw", "--out", "out.raw", "model.str"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    found = torch.from_numpy(numpy.fromfile(tmp_path / "out.raw", "float32"))
    wanted = torch.from_numpy(models.evaluated(models.causal(), x)[0]).reshape(-1)
    assert_close(found, wanted[: len(found)])
    assert len(found) == 40


def test_streaming_with_time_in_the_middle(tmp_path, monkeypatch):
    """The convolution is a window, the recurrent layer a feedback loop, the transpositions are nothing."""
    monkeypatch.setenv("STRC", STRC)
    imported = strc.onnx.export(models.time_last(), tmp_path / "model.str", sizes={"T": 32}, streaming=True)
    head = imported.source().partition("\n}")[0]
    assert all(word in head for word in ("add Conv1d(2, 4, 3", "add Gru(4, 5", "add Linear(5, 3")) and "ermute" not in head


def test_streaming_scan(tmp_path, monkeypatch):
    """A loop along time is a feedback loop."""
    monkeypatch.setenv("STRC", STRC)
    model = models.smoothing()
    del model.graph.output[1:]
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "T"
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_param = "T"
    imported = strc.onnx.export(model, tmp_path / "model.str", sizes={"T": 8}, streaming=True, time=0)
    assert "feedbackloop" in imported.source()


def test_special_values(tmp_path):
    """NaN and infinities go through as the evaluator has them."""
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Max", ["a", "x"], ["b"]), helper.make_node("Sign", ["x"], ["c"]),
        helper.make_node("Add", ["b", "c"], ["y"]),
    ]
    model = models.model_of(nodes, [models.info("x", [5])], [models.info("y", [5])])
    imported = strc.onnx.export(model, tmp_path / "model.str")
    x = numpy.array([numpy.nan, numpy.inf, -numpy.inf, -1.0, 2.0], "float32")
    found = run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 1)[0].numpy()
    numpy.testing.assert_array_equal(found.reshape(-1), models.evaluated(model, x)[0])


def test_all_nodes_that_are_refused():
    nodes = [helper.make_node("NonMaxSuppression", ["x", "x"], ["a"], name="first"), helper.make_node("Nothing", ["x"], ["y"], name="second", domain="own")]
    model = models.model_of(nodes, [models.info("x", [1, 2, 4])], [models.info("y", [1])], domains={"own": 1})
    with pytest.raises(ImportFailure, match=r"(?s)2 nodes.*'first' \(NonMaxSuppression of version 17\).*'second' \(own.Nothing of version 1\)"):
        strc.onnx.import_model(model)


@pytest.mark.parametrize("name", ["If", "Loop"])
def test_a_condition_that_is_computed_chooses(name, tmp_path):
    model = models.choosing() if name == "If" else models.doubling()
    for row in (noise(3), -noise(3), noise(3) * 100):
        compared(model, tmp_path, (row,))


def test_branches_of_different_shapes():
    model = models.choosing(helper.make_node("Concat", ["x", "x"], ["chosen"], axis=0))
    with pytest.raises(ImportFailure, match=r"chooses between the shapes \[6\] and \[3\]"):
        strc.onnx.import_model(model)


def test_the_command(tmp_path, capsys):
    place = models.saved(models.perceptron(), tmp_path / "model.onnx")
    assert command.run([str(place), "--dim", "N=2", "-o", str(tmp_path / "made.str")]) == 0
    assert (tmp_path / "made.safetensors").exists()
    assert command.run([str(place)]) == 0
    assert command.run([str(place), "--input", "3x4"]) == 0
    for words, why in (
        (["--dim", "M=1"], "no input of the model has an open dimension 'M'"), (["--input", "3x5"], "which 3x5 does not fit"),
        (["--input", "3x4", "--input", "1"], "there are 2 shapes"), (["--dynamic", "0"], "says itself which dimensions are open"),
        (["--dim", "N=2", "--state", "1x3"], "--state IN=OUT"), (["--dim", "N=2", "--emit", "fx"], "no graph of PyTorch"),
    ):
        assert command.run([str(place), *words]) == 1
        assert why in capsys.readouterr().err


def test_without_the_package(tmp_path):
    """It is said what sets it up."""
    place = models.saved(models.perceptron(), tmp_path / "model.onnx")
    hides = "import sys; sys.modules['onnx'] = None; sys.path.insert(0, sys.argv[1]); from strc.importer.command import run; sys.exit(run(sys.argv[2:]))"
    done = subprocess.run([sys.executable, "-c", hides, str(ROOT / "python"), str(place)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "has no package onnx" in done.stderr and "strc setup torch" in done.stderr


def test_page(tmp_path, monkeypatch, capsys):
    """The example of docs/onnx.md."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(?:python|sh|text)\n(.*?)^```$", (ROOT / "docs/onnx.md").read_text(encoding="utf-8"), re.M | re.S)
    script, words, printed = blocks[:3]
    exec(script, {})
    assert command.run(words.split()[2:]) == 0
    assert capsys.readouterr().out == printed


def test_an_executable(tmp_path):
    """It runs without Python, with nothing in its environment."""
    strc.onnx.export(models.perceptron(), tmp_path / "model.str", sizes={"N": 2})
    words = [STRC, "build", "--top", "Net", "model.str", "-o", "model", "--input", "2x4"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    x = noise(2, 4)
    numpy.save(tmp_path / "x.npy", x)
    subprocess.run(["./model", "--in", "x.npy", "--out", "y.npy"], cwd=tmp_path, env={}, check=True)
    assert_close(torch.from_numpy(numpy.load(tmp_path / "y.npy")), torch.from_numpy(models.evaluated(models.perceptron(), x)[0]))
