"""Files that are no models, or that want something else than to be models: each is refused with an explanation, and nothing is written."""

import os

import numpy
import pytest

onnx = pytest.importorskip("onnx")

import onnx_models as models
import onnx_open_models as open_models
from onnx import TensorProto, helper

import strc.onnx
from strc.errors import ImportFailure


def refused(path, why, **named):
    with pytest.raises(ImportFailure, match=why):
        strc.onnx.export(path, path.with_suffix(".str"), **named)
    assert not path.with_suffix(".str").exists()
    assert not path.with_suffix(".safetensors").exists()


def test_no_file(tmp_path):
    refused(tmp_path / "none.onnx", "there is no file")


@pytest.mark.parametrize("kept", [0, 1, 10, 100, 200, 300, -1])
def test_cut_off(kept, tmp_path):
    """Whatever is left, it is a located error, or (an empty file parses) a model without a graph."""
    place = models.saved(models.perceptron(), tmp_path / "model.onnx")
    place.write_bytes(place.read_bytes()[:kept])
    refused(place, "is no ONNX model, or is cut off|has no graph|is no valid ONNX model|cannot be read", sizes={"N": 1})


def test_noise(tmp_path):
    place = tmp_path / "model.onnx"
    for seed in range(20):
        place.write_bytes(numpy.random.default_rng(seed).bytes(200))
        refused(place, "is no ONNX model|has no graph|is no valid ONNX model")


def test_texts_that_are_none(tmp_path):
    place = models.saved(models.perceptron(), tmp_path / "model.onnx")
    place.write_bytes(place.read_bytes().replace(b"dense/bias", b"dense/b\xffas"))
    refused(place, "is not UTF-8", sizes={"N": 1})


def test_damage(tmp_path):
    """Whatever becomes of single bytes, the model is imported or refused."""
    place = tmp_path / "model.onnx"
    makers = (models.perceptron, models.smoothing, models.quantised, models.forest, open_models.attention, open_models.expanded)
    made = [make().SerializeToString() for make in makers]
    random = numpy.random.default_rng(4)
    for turn in range(600):
        data = bytearray(made[turn % len(made)])
        for at in map(int, random.integers(0, len(data), turn % 3 + 1)):
            damage(data, min(at, len(data) - 1), random)
        place.write_bytes(data)
        try:
            strc.onnx.export(place, tmp_path / "model.str", shapes=[[2, 4]] if turn % 2 else ())
        except ImportFailure:
            assert [one.name for one in tmp_path.iterdir()] == ["model.onnx"]
        for made_file in tmp_path.glob("model.s*"):
            made_file.unlink()


def damage(data, at, random):
    """Another byte, some that are gone, or some more."""
    what = random.integers(0, 4)
    if what < 2:
        data[at] = random.integers(0, 256)
    elif what == 2 and len(data) > 16:
        del data[at : at + int(random.integers(1, 9))]
    else:
        data[at:at] = random.bytes(int(random.integers(1, 9)))


MOST = 2**40
GREEDY = {
    "elements": (helper.make_node("ConvTranspose", ["x", "w"], ["y"], output_shape=[MOST, MOST]), [1, 3, 8, 8]),
    "Storage size|elements": (helper.make_node("Conv", ["x", "w"], ["y"], pads=[MOST] * 4), [1, 1, 8, 8]),
    "elements of a dimension": (helper.make_node("Resize", ["x", "", "scales"], ["y"]), [1, 1, 8, 8]),
    "parts, of which": (helper.make_node("Split", ["x"], ["y"], num_outputs=2**19), [2**20]),
    "by the factors": (helper.make_node("Resize", ["x", "", "endless"], ["y"]), [1, 1, "H", 8]),
    "places .* of 8": (helper.make_node("Gather", ["x", "places"], ["y"]), [8]),
}


@pytest.mark.parametrize("why", GREEDY)
def test_nodes_that_want_more_than_there_is(why, tmp_path):
    node, shape = GREEDY[why]
    tables = [
        models.stored("w", numpy.ones((3, 1, 3, 3))), models.stored("scales", [1, 1, 1e9, 1e9]), models.stored("endless", [1, 1, numpy.inf, 1]),
        models.stored("places", [9], "int64"),
    ]
    model = models.model_of([node], [models.info("x", shape)], [models.info("y", ["a"] * len(shape))], tables, version=18)
    refused(models.saved(model, tmp_path / "model.onnx"), f"{why}|is no valid ONNX model")


def test_sequences_of_very_many_parts(tmp_path):
    nodes = [helper.make_node("SplitToSequence", ["x"], ["parts"]), helper.make_node("SequenceAt", ["parts", "n"], ["y"])]
    model = models.model_of(nodes, [models.info("x", [2**27])], [models.info("y", [1])], [models.stored("n", 0, "int64")])
    refused(models.saved(model, tmp_path / "model.onnx"), "4096 parts are allowed")


def test_copies_of_which_there_are_many(tmp_path):
    """They are made by one operator, not by an argument each."""
    model = models.model_of([helper.make_node("Tile", ["x", "n"], ["y"])], [models.info("x", [2])], [models.info("y", ["a"])], [models.stored("n", [2**19], "int64")])
    assert len(strc.onnx.import_model(models.saved(model, tmp_path / "model.onnx")).program.instructions) < 5


def test_a_forest_with_very_many_targets(tmp_path):
    model = models.forest()
    next(one for one in model.graph.node[0].attribute if one.name == "class_ids").ints[0] = 2**40
    refused(models.saved(model, tmp_path / "model.onnx"), "targets of 8 nodes")


def test_results_that_nothing_makes(tmp_path):
    model = models.model_of([helper.make_node("Neg", ["x"], ["y"])], [models.info("x", [2])], [models.info("z", [2])])
    refused(models.saved(model, tmp_path / "model.onnx"), "made by none of its nodes|is no valid ONNX model")


def outside(folder, location, offset=None, length=None):
    """A model whose bias lies in another file."""
    model = models.perceptron()
    tensor = model.graph.initializer[1]
    size = len(tensor.raw_data)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        if value is not None:
            tensor.external_data.add(key=key, value=str(value))
    return models.saved(model, folder / "model.onnx"), size


def test_data_beside_the_model(tmp_path):
    place, size = outside(tmp_path, "data.bin", 4, 32)
    (tmp_path / "data.bin").write_bytes(bytes(4) + bytes(size))
    assert strc.onnx.import_model(place, sizes={"N": 1}).program.instructions


@pytest.mark.parametrize("location", ["../data.bin", "/etc/hostname", "../../etc/passwd", "sub/../../data.bin", ""])
def test_data_that_leaves_the_folder(location, tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "data.bin").write_bytes(bytes(32))
    refused(outside(folder, location)[0], "leaves the model's folder", sizes={"N": 1})


def test_data_behind_a_link(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "data.bin").write_bytes(bytes(32))
    os.symlink(tmp_path / "data.bin", folder / "link.bin")
    refused(outside(folder, "link.bin")[0], "leaves the model's folder", sizes={"N": 1})
    (folder / "inner.bin").write_bytes(bytes(32))
    os.symlink(folder / "inner.bin", folder / "near.bin")
    refused(outside(folder, "near.bin")[0], "no plain file", sizes={"N": 1})


@pytest.mark.parametrize(("offset", "length"), [(1, 32), (-1, 32), (0, 10**12), ("x", 32), (0, 16)])
def test_data_that_is_not_there(offset, length, tmp_path):
    place, _ = outside(tmp_path, "data.bin", offset, length)
    (tmp_path / "data.bin").write_bytes(bytes(32))
    refused(place, "reaches beyond the end|is no number|cannot be read|is no valid ONNX model", sizes={"N": 1})
    (tmp_path / "data.bin").unlink()
    refused(place, "cannot be read", sizes={"N": 1})


def test_stored_values_that_do_not_fit(tmp_path):
    for change in (lambda t: t.dims.__setitem__(0, 9), lambda t: t.dims.__setitem__(0, -8), lambda t: t.dims.__setitem__(0, 2**40)):
        model = models.perceptron()
        change(model.graph.initializer[1])
        refused(models.saved(model, tmp_path / "model.onnx"), "dense/bias", sizes={"N": 1})
    model = models.perceptron()
    model.graph.initializer[1].data_type = TensorProto.DOUBLE
    refused(models.saved(model, tmp_path / "model.onnx"), "dense/bias|Type Error|type", sizes={"N": 1})
    model.graph.initializer[1].CopyFrom(models.stored("dense/bias", numpy.zeros(7)))
    refused(models.saved(model, tmp_path / "model.onnx"), "BiasAdd|Incompatible dimensions", sizes={"N": 1})


def test_types_that_programs_do_not_have(tmp_path):
    model = models.model_of([helper.make_node("Identity", ["x"], ["y"])], [models.info("x", [2], TensorProto.STRING)], [models.info("y", [2], TensorProto.STRING)])
    refused(models.saved(model, tmp_path / "model.onnx"), "the input 'x' is of string")


def test_cycles(tmp_path):
    nodes = [helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Neg", ["a"], ["b"])]
    model = models.model_of(nodes, [models.info("x", [2])], [models.info("b", [2])])
    refused(models.saved(model, tmp_path / "model.onnx"), "is no valid ONNX model.*sorted")


def test_sizes_that_no_memory_holds(tmp_path):
    nodes = [helper.make_node("ConstantOfShape", ["s"], ["c"]), helper.make_node("Add", ["x", "c"], ["y"])]
    model = models.model_of(nodes, [models.info("x", [1])], [models.info("y", ["a", "b"])], [models.stored("s", [2**20, 2**20], "int64")])
    refused(models.saved(model, tmp_path / "model.onnx"), r"a result of \d+ elements")
    model = models.model_of([helper.make_node("Neg", ["x"], ["y"])], [models.info("x", [2**20, 2**20])], [models.info("y", ["a", "b"])])
    refused(models.saved(model, tmp_path / "model.onnx"), "the input 'x' has 1099511627776 elements")


@pytest.mark.parametrize(
    ("op", "values", "kind", "why"),
    [
        ("Expand", [2**40], "int64", "a result of"), ("Tile", [2**40], "int64", "repeats"), ("Pad", [2**40, 0], "int64", "elements at an end"),
        ("CenterCropPad", [2**40], "int64", "a result of"),
    ],
)
def test_results_that_no_memory_holds(op, values, kind, why, tmp_path):
    model = models.model_of([helper.make_node(op, ["x", "n"], ["y"])], [models.info("x", [1])], [models.info("y", ["n"])], [models.stored("n", values, kind)], version=18)
    refused(models.saved(model, tmp_path / "model.onnx"), why)


def test_a_loop_without_an_end(tmp_path):
    body = helper.make_graph(
        [helper.make_node("Identity", ["going"], ["goes"]), helper.make_node("Neg", ["value"], ["next"])], "body",
        [models.info("turn", [], TensorProto.INT64), models.info("going", [], TensorProto.BOOL), models.info("value", [1])],
        [models.info("goes", [], TensorProto.BOOL), models.info("next", [1])],
    )
    model = models.model_of(
        [helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], [models.info("x", [1])], [models.info("y", [1])], [models.stored("n", 2**62, "int64")]
    )
    refused(models.saved(model, tmp_path / "model.onnx"), "too many turns")


def test_functions_that_call_themselves(tmp_path):
    function = helper.make_function("own", "F", ["a"], ["b"], [helper.make_node("F", ["a"], ["b"], domain="own")], [helper.make_opsetid("own", 1)])
    model = models.model_of(
        [helper.make_node("F", ["x"], ["y"], domain="own")], [models.info("x", [1])], [models.info("y", [1])], domains={"own": 1}, functions=[function]
    )
    refused(models.saved(model, tmp_path / "model.onnx"), "too deeply|is no valid ONNX model")


def test_versions_from_the_future(tmp_path):
    refused(models.saved(models.perceptron(version=onnx.defs.onnx_opset_version() + 1), tmp_path / "model.onnx"), "knows those up to", sizes={"N": 1})


def test_results_that_are_the_same_each_time(tmp_path):
    model = models.model_of([helper.make_node("Shape", ["x"], ["y"])], [models.info("x", [2])], [models.info("y", [1], TensorProto.INT64)])
    refused(models.saved(model, tmp_path / "model.onnx"), "depend on none of its inputs")
