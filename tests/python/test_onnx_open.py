"""Dimensions that ONNX models leave open stay open: one program for all sizes, which gives what the package's own evaluator gives."""

import subprocess

import numpy
import pytest
import torch
from support import STRC

pytest.importorskip("onnx")

import onnx_models as models
import onnx_open_models as open_models
from onnx import TensorProto, helper
from test_run import assert_close, run_program

import strc.onnx
from strc.errors import ImportFailure
from strc.importer import command
from strc.onnx.sizes import EXAMPLE

ENGINES = [], ["--interpret"], ["-O0"]


def given(shapes):
    return {name: numpy.random.default_rng(3).normal(size=shape).astype("float32") for name, shape in shapes.items()}


def compare(model, inputs, results):
    for wanted, found in zip(models.evaluated(model, *inputs), results, strict=True):
        wanted = torch.from_numpy(numpy.array(wanted))
        assert found.shape == wanted.shape
        assert_close(found.double(), wanted.double())


@pytest.mark.parametrize("name", open_models.OPEN)
def test_one_program_for_all_sizes(name, tmp_path):
    make, others, *said = open_models.OPEN[name]
    model = make()
    imported = strc.onnx.export(model, tmp_path / "model.str")
    assert imported.open and not imported.constant
    for shapes, engine in zip(others, ENGINES):
        inputs = given(shapes)
        found = run_program(tmp_path, imported.program.name, [torch.from_numpy(one) for one in inputs.values()], len(imported.results), *engine)
        compare(said[0](model, shapes) if said else model, inputs.values(), found)


@pytest.mark.parametrize("name", ["attention", "u_shaped"])
def test_an_executable_for_all_sizes(name, tmp_path):
    make, others = open_models.OPEN[name]
    model = make()
    imported = strc.onnx.export(model, tmp_path / "model.str")
    given_shape = "_x_x8" if name == "attention" else "_x2x_x_"
    words = [STRC, "build", "--top", imported.program.name, "--input", given_shape, "-o", "net", "model.str"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=600)
    for shapes in others:
        (x,) = given(shapes).values()
        numpy.save(tmp_path / "x.npy", x)
        subprocess.run(["./net", "--in", "x.npy", "--out", "y.npy"], cwd=tmp_path, env={}, check=True, timeout=600)
        compare(model, [x], [torch.from_numpy(numpy.load(tmp_path / "y.npy"))])


def test_some_sizes_may_be_said(tmp_path):
    imported = strc.onnx.import_model(open_models.attention(), sizes={"T": 5})
    assert list(imported.open) == ["N"]
    assert [isinstance(size, int) for size in imported.program.shapes[imported.program.inputs[0]]] == [False, True, True]
    assert strc.onnx.import_model(open_models.without_names(), sizes={"x[0]": 2, "x[1]": 3, "z[0]": 2}).open == []


def node(op, *inputs, **named):
    return helper.make_node(op, list(inputs), ["y"], **named)


NUMBERS = {"none": [0], "far": [-200], "last": [2**62], "axis": [1], "two": [2], "wide": [1, 3, 5]}
REFUSED = {
    "which may have fewer": node("Slice", "x", "far", "last", "axis"),
    "every so many elements": node("Slice", "x", "none", "last", "axis", "two"),
    "without axes, of a shape that is open": node("Squeeze", "x"),
    "whether there is a last window": node("AveragePool", "x", kernel_shape=[2], strides=[2], ceil_mode=1),
    "how much is added depends on its size": node("AveragePool", "x", kernel_shape=[2], strides=[2], auto_pad="SAME_UPPER"),
    "the greatest of a dimension that is open": helper.make_node("TopK", ["x", "two"], ["y", "p"], axis=2),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_a_size_decides(why):
    """It is refused, and a size for the dimension makes it possible."""
    tables = [models.stored(name, values, "int64") for name, values in NUMBERS.items()]
    model = models.model_of([REFUSED[why]], [models.info("x", [1, 3, "T"])], [models.info("y", ["a"])], tables)
    if why.startswith(("which", "every")):
        model.graph.input[0].type.tensor_type.shape.dim[1].ClearField("dim_value")
    with pytest.raises(ImportFailure, match=rf"(?s){why}.*open here; --dim .*=1 says a size"):
        strc.onnx.import_model(model)
    assert not strc.onnx.import_model(model, [(1, 3, 8)]).open


def test_layers_with_first_states_take_steps_that_are_known():
    model = models.lstm_step()
    for value in (model.graph.input[0], model.graph.output[0]):
        value.type.tensor_type.shape.dim[0].dim_param = "T"
    with pytest.raises(ImportFailure, match="as many steps as a dimension that is open has"):
        strc.onnx.import_model(model)


def test_a_scan_over_an_open_dimension():
    model = models.smoothing()
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "T"
    with pytest.raises(ImportFailure, match="how many steps it makes depends on a dimension that is open"):
        strc.onnx.import_model(model)


def test_a_dimension_that_the_model_fixes():
    model = models.model_of([node("Add", "x", "table")], [models.info("x", ["N", 3])], [models.info("y", ["N", 3])], [models.stored("table", numpy.ones((7, 3)))])
    with pytest.raises(ImportFailure, match="--dim N=1 says a size"):
        strc.onnx.import_model(model)
    assert strc.onnx.import_model(model, sizes={"N": 7}).program.instructions
    model.graph.initializer[0].CopyFrom(models.stored("table", numpy.ones((EXAMPLE, 3))))
    with pytest.raises(ImportFailure, match="computes with the open dimension 'N' in a way that holds for one size"):
        strc.onnx.import_model(model)


def test_sizes_that_are_too_small_are_an_error_of_the_run(tmp_path):
    tables = [models.stored(name, values, "int64") for name, values in {"start": [-5], "last": [2**62], "axis": [1]}.items()]
    model = models.model_of([node("Slice", "x", "start", "last", "axis")], [models.info("x", ["N", "T"])], [models.info("y", ["N", 5])], tables)
    strc.onnx.export(model, tmp_path / "model.str")
    numpy.save(tmp_path / "x.npy", numpy.zeros((2, 3), "float32"))
    done = subprocess.run([STRC, "run", "--top", "Net", "model.str", "--in", "x.npy", "--out", "y.npy"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "does not lie in the 3 items of dimension 1" in done.stderr


@pytest.mark.parametrize("option", [["--quantize=int8"], ["--labels", "names.txt"], ["--preprocess", "imagenet"]])
def test_options_that_take_one_size(option, tmp_path, capsys):
    place = models.saved(models.perceptron(), tmp_path / "model.onnx")
    assert command.run([str(place), *option]) == 1
    assert f"{option[0].split('=')[0]} takes a model for one size, and 'N' is an open dimension: --dim N=1" in capsys.readouterr().err


def test_nothing_is_said_but_the_explanation(tmp_path, capfd):
    """PyTorch tells its own developers what it cannot do with open sizes."""
    model = models.model_of([helper.make_node("GatherElements", ["x", "i"], ["y"], axis=1)], [models.info("x", ["N", 3])], [models.info("y", ["a"])], [models.stored("i", [0], "int64")])
    with pytest.raises(ImportFailure, match="GatherElements"):
        strc.onnx.import_model(model)
    assert capfd.readouterr() == ("", "")


def test_states_and_streams_have_one_size():
    with pytest.raises(ImportFailure, match="the input 'past_key' has the open dimension 'P': --dim P=1 says its size"):
        strc.onnx.import_model(models.remembering(), states=["auto"])
    with pytest.raises(ImportFailure, match="the input 'x' has the open dimension 'T': --dim T=1 says its size"):
        strc.onnx.import_model(models.causal(), streaming=True)


made = helper.make_node


def of_sizes(*nodes, **tables):
    """What `nodes` make of x and of its size n, which has one dimension."""
    values = [models.stored(name, value, *(() if isinstance(value, float) or isinstance(value[0], float) else ("int64",))) for name, value in tables.items()]
    start = [helper.make_node("Shape", ["x"], ["n"]), helper.make_node("Cast", ["n"], ["f"], to=TensorProto.FLOAT), helper.make_node("Squeeze", ["f"], ["f0"])]
    return models.model_of([*start, *nodes], [models.info("x", ["N"])], [models.info("y", [None])], values)


OF_SIZES = {
    "not_whole": lambda: of_sizes(made("Concat", ["f", "half"], ["y"], axis=0), half=[0.5]),
    "negative": lambda: of_sizes(made("Neg", ["n"], ["m"]), made("Div", ["m", "two"], ["d"]), made("Cast", ["d"], ["y"], to=TensorProto.FLOAT), two=[2]),
    "of_a_difference": lambda: of_sizes(made("Sub", ["n", "seven"], ["m"]), made("Div", ["m", "two"], ["d"]), made("Cast", ["d"], ["y"], to=TensorProto.FLOAT), seven=[7], two=[2]),
    "zero": lambda: of_sizes(made("Sub", ["n", "three"], ["m"]), made("Equal", ["m", "zero"], ["e"]), made("Cast", ["e"], ["y"], to=TensorProto.FLOAT), three=[3], zero=[0]),
    "range": lambda: of_sizes(made("Range", ["zero", "f0", "one"], ["r"]), made("Add", ["x", "r"], ["y"]), zero=0.0, one=1.0),
    "mean_of_range": lambda: of_sizes(made("Range", ["zero", "f0", "one"], ["r"]), made("ReduceMean", ["r"], ["m"]), made("Add", ["x", "m"], ["y"]), zero=0.0, one=1.0),
}


@pytest.mark.parametrize("name", OF_SIZES)
def test_numbers_that_sizes_make(name, tmp_path):
    """Those that are negative, not whole, or as many as there are."""
    model = OF_SIZES[name]()
    imported = strc.onnx.export(model, tmp_path / "model.str")
    for size in (1, 3, 200):
        x = numpy.arange(size, dtype="float32")
        compare(model, [x], run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 1))


def test_a_quotient_that_is_one_for_the_example_alone():
    """As often as 100 goes into the size, which is 1 for 100 to 199 elements."""
    nodes = made("Div", ["n", "hundred"], ["d"]), made("Expand", ["one", "d"], ["z"]), made("Concat", ["x", "z"], ["y"], axis=0)
    with pytest.raises(ImportFailure, match="computes with the open dimensions 'N' in a way that does not hold for 320: --dim NAME=N"):
        strc.onnx.import_model(of_sizes(*nodes, hundred=[100], one=[1.0]))


def test_a_result_of_sizes_alone(tmp_path):
    nodes = [made("Shape", ["x"], ["n"]), made("Sub", ["n", "seven"], ["m"]), made("Div", ["m", "two"], ["y"])]
    tables = [models.stored(name, [value], "int64") for name, value in {"seven": 7, "two": 2}.items()]
    model = models.model_of(nodes, [models.info("x", ["N"])], [models.info("y", [1], TensorProto.INT64)], tables)
    imported = strc.onnx.export(model, tmp_path / "model.str")
    for size in (2, 12):
        x = numpy.zeros(size, "float32")
        compare(model, [x], run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 1))


CUT = {
    "table": lambda: of_sizes(made("Slice", ["rows", "start", "n"], ["r"]), made("ReduceMean", ["x"], ["m"]), made("Add", ["r", "m"], ["y"]), rows=[1.5] * 50, start=[0]),
    "items": lambda: of_sizes(
        made("Slice", ["x", "start", "most"], ["p"]), made("Shape", ["p"], ["c"]), made("Cast", ["c"], ["d"], to=TensorProto.FLOAT), made("ReduceSum", ["p"], ["q"]),
        made("Div", ["q", "d"], ["y"]), start=[0], most=[100]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CUT)
def test_parts_that_are_shorter_for_few_items(name, tmp_path):
    """What is computed holds where there are enough; else it is an error of the run."""
    model = CUT[name]()
    imported = strc.onnx.export(model, tmp_path / "model.str")
    x = numpy.arange(200, dtype="float32")
    compare(model, [x], run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 1))
    numpy.save(tmp_path / "x.npy", x[:3])
    done = subprocess.run([STRC, "run", "--top", "Net", "model.str", "--in", "x.npy", "--out", "y.npy"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "dimension 0 of input 0 is " in done.stderr and "or more, and there are 3" in done.stderr


def test_the_shape_as_a_result(tmp_path):
    """What depends on nothing but sizes is computed by the program, too."""
    nodes = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Cast", ["s"], ["t"], to=TensorProto.FLOAT), helper.make_node("Div", ["t", "half"], ["y"])]
    model = models.model_of(nodes, [models.info("x", ["N", 2, "T"])], [models.info("y", [3])], [models.stored("half", 0.3)])
    imported = strc.onnx.export(model, tmp_path / "model.str")
    x = numpy.zeros((4, 2, 9), "float32")
    compare(model, [x], run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 1))
