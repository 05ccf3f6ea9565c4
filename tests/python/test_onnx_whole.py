"""Products between quantised values are products of int8, with exact sums."""

import subprocess

import numpy
import pytest
import torch
from support import STRC

pytest.importorskip("onnx")

import onnx_models as models
from onnx import helper
from test_run import run_program

import strc.onnx
from strc.importer import command

RANDOM = numpy.random.default_rng(8)
STEP, OUT = 0.05, 0.1
ENGINES = [], ["--interpret"], ["-O0"]


def quantised(op, shape, weight, kind, zero, by_channel=True, bias=True, **named):
    """As quantize_static of ONNX Runtime writes it: what arrives and what is given are quantised, weights stored as int8."""
    axis = 1 if op == "MatMul" else 0
    outputs = weight[axis]
    scales = RANDOM.uniform(0.002, 0.01, outputs if by_channel else ()).astype("float32")
    tables = [
        models.stored("step", STEP), models.stored("zero", zero, kind), models.stored("w", RANDOM.integers(-127, 128, weight), "int8"), models.stored("scales", scales),
        models.stored("zeros", numpy.zeros(scales.shape), "int8"), models.stored("out", OUT), models.stored("out_zero", 3, "int8"),
    ]
    tables += [models.stored("bias", RANDOM.normal(size=outputs))] if bias else []
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "step", "zero"], ["q"]), helper.make_node("DequantizeLinear", ["q", "step", "zero"], ["a"]),
        helper.make_node("DequantizeLinear", ["w", "scales", "zeros"], ["b"], axis=axis),
        helper.make_node(op, ["a", "b", *(["bias"] if bias else [])], ["c"], **named), helper.make_node("QuantizeLinear", ["c", "out", "out_zero"], ["d"]),
        helper.make_node("DequantizeLinear", ["d", "out", "out_zero"], ["y"]),
    ]
    return models.model_of(nodes, [models.info("x", shape)], [models.info("c", [None] * len(shape)), models.info("y", [None] * len(shape))], tables, version=21)


LINEAR = {"op": "MatMul", "shape": ["N", 12], "weight": (12, 7), "bias": False}
CONV = {"op": "Conv", "shape": ["N", 8, "H", 9], "weight": (6, 8, 3, 3), "pads": [1, 2, 1, 0], "strides": [2, 1]}
CASES = {
    "matmul": ("whole_linear", LINEAR, (5, 12)), "matmul in three": ("whole_linear", {**LINEAR, "shape": ["N", "T", 12]}, (2, 5, 12)),
    "gemm": ("whole_linear", {**LINEAR, "op": "Gemm", "weight": (7, 12), "transB": 1, "bias": True}, (5, 12)),
    "one scale": ("whole_linear", {**LINEAR, "by_channel": False}, (5, 12)), "conv": ("whole_conv2d", CONV, (2, 8, 6, 9)),
    "conv of three channels": ("whole_conv2d", {**CONV, "shape": [1, 3, 6, 9], "weight": (6, 3, 3, 3), "bias": False}, (1, 3, 6, 9)),
    "conv in groups": ("whole_conv2d", {**CONV, "weight": (6, 4, 3, 3), "group": 2, "dilations": [1, 2]}, (2, 8, 7, 9)),
}


def bytes_of(model, name):
    return next(numpy.array(models.numpy_helper.to_array(one)) for one in model.graph.initializer if one.name == name)


def meant(model, x, kind, zero):
    """What the model means: exact sums."""
    limits = numpy.iinfo(kind)
    steps = numpy.clip(numpy.rint(x / numpy.float32(STEP)) + zero, limits.min, limits.max).astype("int64") - zero
    node = model.graph.node[3]
    given = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    w, scales = bytes_of(model, "w").astype("int64"), numpy.atleast_1d(bytes_of(model, "scales"))
    if node.op_type == "Conv":
        top, left, bottom, right = given["pads"]
        padded = numpy.pad(steps, ((0, 0), (0, 0), (top, bottom), (left, right)))
        made = torch.conv2d(torch.from_numpy(padded).double(), torch.from_numpy(w).double(), None, given["strides"], 0, given.get("dilations", [1, 1]), given.get("group", 1))
        sums, shape = made.numpy(), (-1, 1, 1)
    else:
        sums, shape = steps @ (w.T if given.get("transB") else w), (-1,)
    found = sums.astype("float32") * (scales * numpy.float32(STEP)).reshape(shape)
    return found + bytes_of(model, "bias").reshape(shape) if "bias" in node.input else found


@pytest.mark.parametrize(("kind", "zero"), [("int8", 0), ("int8", -11), ("uint8", 0), ("uint8", 140)])
@pytest.mark.parametrize("name", CASES)
def test_sums_are_exact(name, kind, zero, tmp_path):
    op, about, shape = CASES[name]
    model = quantised(kind=kind, zero=zero, **about)
    imported = strc.onnx.export(model, tmp_path / "model.str")
    assert op in [one.op for one in imported.program.instructions]
    assert {str(tensor.dtype) for tensor in imported.used_tensors().values() if tensor.dim() == len(about["weight"])} == {"torch.int8"}
    x = RANDOM.normal(size=shape).astype("float32") * 3
    engine = ENGINES[zero % 3]
    products, results = run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 2, *engine)
    numpy.testing.assert_array_equal(products.numpy().reshape(-1), meant(model, x, kind, zero).astype("float32").reshape(-1))
    # Against sums of floats, which are rounded: few elements are another step.
    wanted = models.evaluated(model, x)
    numpy.testing.assert_allclose(products.numpy().reshape(-1), wanted[0].reshape(-1), rtol=1e-4, atol=1e-4)
    steps = numpy.rint((results.numpy().reshape(-1) - wanted[1].reshape(-1)) / OUT)
    assert abs(steps).max() <= 1 and (steps != 0).mean() < 0.05


def test_in_floats_if_that_is_wanted(tmp_path):
    _, about, _ = CASES["gemm"]
    model = quantised(kind="int8", zero=3, **about)
    ops = [one.op for one in strc.onnx.import_model(model, fuse=False).program.instructions]
    assert "linear" in ops and "whole_linear" not in ops
    place = models.saved(model, tmp_path / "model.onnx")
    assert command.run([str(place), "--no-fuse", "-o", str(tmp_path / "model.str")]) == 0
    assert "WholeLinear" not in (tmp_path / "model.str").read_text(encoding="ascii")


def test_it_is_an_option_of_onnx_models(capsys):
    assert command.run(["model.py:Net", "--no-fuse"]) == 1
    assert "--no-fuse says something about ONNX models" in capsys.readouterr().err


OTHERS = {"scales of inputs": {"axis": 0}, "weights that have a zero point": {"zeros": 1}, "an activation with several scales": {"scales": 12}}


@pytest.mark.parametrize("what", OTHERS)
def test_what_is_no_product_of_bytes(what, tmp_path):
    """It stays a product of floats, which is right."""
    model = quantised(kind="int8", zero=3, **LINEAR)
    changed = {one.name: one for one in model.graph.initializer}
    if what == "scales of inputs":
        model.graph.node[2].attribute[0].i = 0
        changed["scales"].CopyFrom(models.stored("scales", RANDOM.uniform(0.002, 0.01, 12)))
        changed["zeros"].CopyFrom(models.stored("zeros", numpy.zeros(12), "int8"))
    elif what == "weights that have a zero point":
        changed["zeros"].CopyFrom(models.stored("zeros", numpy.ones(7), "int8"))
    else:
        for node in model.graph.node[:2]:
            node.attribute.append(helper.make_attribute("axis", 1))
        changed["step"].CopyFrom(models.stored("step", RANDOM.uniform(0.02, 0.1, 12)))
        changed["zero"].CopyFrom(models.stored("zero", numpy.zeros(12), "int8"))
    imported = strc.onnx.export(model, tmp_path / "model.str")
    assert not any(one.op.startswith("whole") for one in imported.program.instructions)
    x = RANDOM.normal(size=(5, 12)).astype("float32")
    products, _ = run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 2)
    numpy.testing.assert_allclose(products.numpy().reshape(-1), models.evaluated(model, x)[0].reshape(-1), rtol=1e-4, atol=1e-4)


def test_a_bias_of_one_number_for_each_row(tmp_path):
    """There are as many rows as outputs."""
    model = quantised(kind="int8", zero=3, op="Gemm", shape=[7, 12], weight=(7, 12), transB=1)
    next(one for one in model.graph.initializer if one.name == "bias").CopyFrom(models.stored("bias", RANDOM.normal(size=(7, 1))))
    imported = strc.onnx.export(model, tmp_path / "model.str")
    x = RANDOM.normal(size=(7, 12)).astype("float32")
    products, _ = run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 2)
    numpy.testing.assert_allclose(products.numpy().reshape(7, 7), models.evaluated(model, x)[0], rtol=1e-4, atol=1e-4)


def test_padding_that_depends_on_an_open_size(tmp_path):
    about = {**CONV, "strides": [2, 2], "auto_pad": "SAME_UPPER"}
    del about["pads"]
    model = quantised(kind="int8", zero=3, **about)
    imported = strc.onnx.export(model, tmp_path / "model.str")
    for height in (6, 7):
        x = RANDOM.normal(size=(2, 8, height, 9)).astype("float32")
        products, _ = run_program(tmp_path, imported.program.name, [torch.from_numpy(x)], 2)
        numpy.testing.assert_allclose(products.numpy().reshape(-1), models.evaluated(model, x)[0].reshape(-1), rtol=1e-4, atol=1e-4)


def test_an_executable(tmp_path):
    model = quantised(kind="uint8", zero=120, **CONV)
    imported = strc.onnx.export(model, tmp_path / "model.str")
    words = [STRC, "build", "--top", imported.program.name, "--input", "2x8x6x9", "-o", "net", "model.str"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=600)
    x = RANDOM.normal(size=(2, 8, 6, 9)).astype("float32")
    numpy.save(tmp_path / "x.npy", x)
    subprocess.run(["./net", "--in", "x.npy", "--out", "c.npy", "--out", "y.npy"], cwd=tmp_path, env={}, check=True, timeout=600)
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "c.npy").reshape(-1), meant(model, x, "uint8", 120).astype("float32").reshape(-1))
