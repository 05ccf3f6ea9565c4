"""ONNX models whose inputs have open dimensions."""

import numpy
from onnx import ModelProto, TensorProto, helper
from onnx_models import forest, info, model_of, stored

RANDOM = numpy.random.default_rng(11)
node = helper.make_node


def weights(**shapes):
    return [stored(name, RANDOM.normal(size=shape) * 0.5) for name, shape in shapes.items()]


def whole(**values):
    return [stored(name, value, "int64") for name, value in values.items()]


def attention():
    """Heads are split off by what is computed of the shape, as PyTorch's exporter and Keras's have it."""
    nodes = [
        node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"]), node("Gather", ["s", "one"], ["t"]), node("Unsqueeze", ["n", "axis"], ["n1"]),
        node("Unsqueeze", ["t", "axis"], ["t1"]), node("MatMul", ["x", "wq"], ["q0"]), node("MatMul", ["x", "wk"], ["k0"]), node("MatMul", ["x", "wv"], ["v0"]),
        node("Concat", ["n1", "t1", "heads", "each"], ["apart"], axis=0), node("Concat", ["n1", "t1", "width"], ["together"], axis=0),
        *(node("Reshape", [f"{name}0", "apart"], [f"{name}1"]) for name in "qkv"), node("Transpose", ["q1"], ["q"], perm=[0, 2, 1, 3]),
        node("Transpose", ["k1"], ["k"], perm=[0, 2, 3, 1]), node("Transpose", ["v1"], ["v"], perm=[0, 2, 1, 3]), node("MatMul", ["q", "k"], ["scores"]),
        node("Cast", ["t"], ["length"], to=TensorProto.FLOAT), node("Sqrt", ["length"], ["root"]), node("Div", ["scores", "root"], ["scaled"]),
        node("Softmax", ["scaled"], ["shares"], axis=-1), node("MatMul", ["shares", "v"], ["mixed"]), node("Transpose", ["mixed"], ["back"], perm=[0, 2, 1, 3]),
        node("Reshape", ["back", "together"], ["y"]),
    ]
    numbers = whole(zero=0, one=1, axis=[0], heads=[2], each=[4], width=[8])
    return model_of(nodes, [info("x", ["N", "T", 8])], [info("y", ["N", "T", 8])], [*weights(wq=(8, 8), wk=(8, 8), wv=(8, 8)), *numbers])


def positions():
    """Places, a mask, parts from either end, and a table that is as long as the input."""
    nodes = [
        node("Shape", ["x"], ["s"]), node("Gather", ["s", "one"], ["t"]), node("Range", ["zero", "t", "one"], ["places"]), node("Gather", ["table", "places"], ["rows"]),
        node("Add", ["x", "rows"], ["a"]), node("Slice", ["a", "second", "far", "axis"], ["tail"]), node("Slice", ["a", "none", "last", "axis"], ["head"]),
        node("Sub", ["tail", "head"], ["step"]), node("Gather", ["a", "end"], ["final"], axis=1), node("Unsqueeze", ["t", "none"], ["t1"]),
        node("Concat", ["t1", "t1"], ["square"], axis=0), node("ConstantOfShape", ["square"], ["ones"], value=helper.make_tensor("v", TensorProto.FLOAT, [1], [1.0])),
        node("Trilu", ["ones"], ["mask"], upper=0), node("MatMul", ["mask", "a"], ["sums"]), node("Neg", ["a"], ["turned0"]),
        node("Slice", ["turned0", "minus", "least", "axis", "minus"], ["turned"]),
    ]
    numbers = whole(zero=0, one=1, second=[1], far=[2**62], none=[0], last=[-1], axis=[1], end=-1, minus=[-1], least=[-(2**62)])
    outputs = [info("step", ["N", "U", 3]), info("final", ["N", 3]), info("sums", ["N", "T", 3]), info("turned", ["N", "T", 3])]
    return model_of(nodes, [info("x", ["N", "T", 3])], outputs, [*weights(table=(64, 3)), *numbers])


def expanded():
    """A row for each item, by the chain that exporters make of `expand`."""
    nodes = [
        node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"]), node("Concat", ["n", "one", "minus"], ["wanted"], axis=0),
        node("Equal", ["wanted", "minus"], ["kept"]), node("Where", ["kept", "ones", "wanted"], ["shape"]), node("Expand", ["token", "shape"], ["tokens"]),
        node("Concat", ["tokens", "x"], ["y"], axis=1), node("Shape", ["y"], ["given"]),
    ]
    numbers = whole(zero=[0], one=[1], minus=[-1], ones=[1, 1, 1])
    outputs = [info("y", ["N", "U", 4]), info("given", [3], TensorProto.INT64)]
    return model_of(nodes, [info("x", ["N", "T", 4])], outputs, [*weights(token=(1, 1, 4)), *numbers])


def pictures():
    """Height and width open, channels last outside, as Keras has them."""
    nodes = [
        node("Transpose", ["x"], ["a"], perm=[0, 3, 1, 2]), node("Conv", ["a", "w", "b"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("BatchNormalization", ["c", "scale", "shift", "mean", "var"], ["d"]), node("Clip", ["d", "low", "high"], ["e"]),
        node("MaxPool", ["e"], ["f"], kernel_shape=[2, 2], strides=[2, 2]), node("Conv", ["f", "w2"], ["g"], auto_pad="SAME_UPPER"),
        node("GlobalAveragePool", ["g"], ["h"]), node("Flatten", ["h"], ["i"]), node("Gemm", ["i", "w3", "b3"], ["y"], transB=1),
    ]
    tables = weights(w=(4, 3, 3, 3), b=4, scale=4, shift=4, mean=4, w2=(6, 4, 3, 3), w3=(5, 6), b3=5)
    tables += [stored("var", RANDOM.uniform(0.5, 2, 4)), stored("low", 0.0), stored("high", 6.0)]
    return model_of(nodes, [info("x", ["N", "H", "W", 3])], [info("y", ["N", 5])], tables)


def u_shaped():
    """Down and up again, to the size that there was."""
    nodes = [
        node("Conv", ["x", "w", "b"], ["a"], pads=[1, 1, 1, 1], strides=[2, 2]), node("Relu", ["a"], ["c"]), node("Shape", ["x"], ["s"]),
        node("Slice", ["s", "two", "four"], ["size"]), node("Shape", ["c"], ["t"]), node("Slice", ["t", "none", "two"], ["lead"]),
        node("Concat", ["lead", "size"], ["wanted"], axis=0), node("Resize", ["c", "", "", "wanted"], ["d"], mode="linear"),
        node("Concat", ["d", "x"], ["y"], axis=1),
    ]
    return model_of(nodes, [info("x", ["N", 2, "H", "W"])], [info("y", ["N", 5, "H", "W"])], [*weights(w=(3, 2, 3, 3), b=3), *whole(two=[2], four=[4], none=[0])])


def resized(mode, way, scales=None, sizes=None, **named):
    """By factors, or to sizes that are known."""
    given = ["", "factors"] if scales is not None else ["", "", "sizes"]
    tables = [stored("factors", scales)] if scales is not None else whole(sizes=sizes)
    nodes = [node("Resize", ["x", *given], ["y"], mode=mode, coordinate_transformation_mode=way, **named)]
    return model_of(nodes, [info("x", ["N", 2, "H", "W"])], [info("y", ["N", 2, "P", "Q"])], tables)


def padded(mode):
    nodes = [node("Pad", ["x", "amounts"], ["y"], mode=mode)]
    return model_of(nodes, [info("x", ["N", 2, "H"])], [info("y", ["N", 2, "P"])], whole(amounts=[0, 0, 2, 0, 0, 3]))


def recurrent(op, direction="forward", **named):
    gates, ways = {"RNN": 1, "GRU": 3, "LSTM": 4}[op], 2 if direction == "bidirectional" else 1
    nodes = [node(op, ["x", "w", "r", "b"], ["g", "h"], hidden_size=5, direction=direction, **named), node("Squeeze", ["g", "axis"], ["y"])] \
        if ways == 1 else [node(op, ["x", "w", "r", "b"], ["y", "h"], hidden_size=5, direction=direction, **named)]
    tables = [*weights(w=(ways, 5 * gates, 3), r=(ways, 5 * gates, 5), b=(ways, 10 * gates)), *whole(axis=[1])]
    return model_of(nodes, [info("x", ["T", "N", 3])], [info("y", ["T", "N", 5] if ways == 1 else ["T", ways, "N", 5]), info("h", [ways, "N", 5])], tables)


def started():
    """First states of zeros whose shape is computed, as Keras's layers have them, over sequences that come first in the batch."""
    nodes = [
        node("Shape", ["x"], ["s"]), node("Slice", ["s", "none", "one"], ["n"]), node("Concat", ["ways", "n", "hidden"], ["shape"], axis=0),
        node("ConstantOfShape", ["shape"], ["start"]), node("Transpose", ["x"], ["t"], perm=[1, 0, 2]),
        node("LSTM", ["t", "w", "r", "b", "", "start", "start"], ["g", "h", "c"], hidden_size=5, direction="bidirectional"),
        node("Transpose", ["g"], ["back"], perm=[2, 0, 1, 3]), node("Reshape", ["back", "flat"], ["y"]),
    ]
    numbers = whole(none=[0], one=[1], ways=[2], hidden=[5], flat=[0, 0, 10])
    return model_of(nodes, [info("x", ["N", "T", 3])], [info("y", ["N", "T", 10])], [*weights(w=(2, 20, 3), r=(2, 20, 5), b=(2, 40)), *numbers])


def greatest(largest):
    nodes = [node("TopK", ["x", "k"], ["y", "p"], largest=largest, axis=1)]
    return model_of(nodes, [info("x", ["N", 9, "T"])], [info("y", ["N", 4, "T"]), info("p", ["N", 4, "T"], TensorProto.INT64)], whole(k=[4]))


def same(way, kernel, stride):
    """Windows that cover what is there, whatever its size."""
    about = {"auto_pad": way, "kernel_shape": [kernel, kernel], "strides": [stride, stride]}
    nodes = [node("Conv", ["x", "w"], ["a"], **about), node("MaxPool", ["a"], ["y"], **about)]
    return model_of(nodes, [info("x", ["N", 2, "H", "W"])], [info("y", ["N", 3, "P", "Q"])], weights(w=(3, 2, kernel, kernel)))


def same_said(given, way, kernel, stride, sizes):
    """The same for one size, whose padding is said: the package's evaluator has its own way with windows that go beyond the beginning."""
    model = ModelProto()
    model.CopyFrom(given)
    for one in model.graph.node:
        totals = [max(0, (-(-size // stride) - 1) * stride + kernel - size) for size in sizes]
        less = [total // 2 if way == "SAME_UPPER" else total - total // 2 for total in totals]
        one.attribute.remove(next(attribute for attribute in one.attribute if attribute.name == "auto_pad"))
        one.attribute.append(helper.make_attribute("pads", [*less, *(total - before for total, before in zip(totals, less))]))
        sizes = [-(-size // stride) for size in sizes]
    return model


def ceiled():
    """A last window that goes beyond the end, where the size asks for one."""
    nodes = [node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 1, 0], ceil_mode=1)]
    return model_of(nodes, [info("x", ["N", 2, "H", "W"])], [info("y", ["N", 2, "P", "Q"])])


def without_names():
    """Open dimensions need none."""
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("ReduceMean", ["a"], ["b"], axes=[1], keepdims=0), node("Add", ["b", "z"], ["y"])]
    return model_of(nodes, [info("x", [None, None, 4]), info("z", [None, 3])], [info("y", [None, 3])], weights(w=(4, 3)))


# What makes a model, shapes of its inputs, and what makes a model for one of these whose results are right, where that is not the same one.
SEQUENCES = {"x": (3, 7, 8)}, {"x": (1, 20, 8)}, {"x": (4, 1, 8)}
OPEN = {
    "attention": (attention, SEQUENCES),
    "positions": (positions, ({"x": (2, 5, 3)}, {"x": (1, 20, 3)}, {"x": (3, 64, 3)})),
    "expanded": (expanded, ({"x": (2, 5, 4)}, {"x": (1, 9, 4)})),
    "pictures": (pictures, ({"x": (2, 16, 20, 3)}, {"x": (1, 9, 33, 3)})),
    "u_shaped": (u_shaped, ({"x": (2, 2, 8, 6)}, {"x": (1, 2, 7, 11)})),
    "started": (started, ({"x": (2, 7, 3)}, {"x": (1, 3, 3)})),
    "greatest": (lambda: greatest(1), ({"x": (2, 9, 3)}, {"x": (1, 9, 5)})), "least": (lambda: greatest(0), ({"x": (2, 9, 3)}, {"x": (1, 9, 5)})),
    "ceiled": (ceiled, ({"x": (1, 2, 9, 10)}, {"x": (2, 2, 10, 7)}, {"x": (1, 2, 8, 8)})),
    **{
        f"same {' '.join(map(str, about))}": (
            lambda about=about: same(*about), ({"x": (1, 2, 15, 16)}, {"x": (2, 2, 17, 18)}), lambda model, shapes, about=about: same_said(model, *about, shapes["x"][2:]),
        )
        for about in (("SAME_UPPER", 3, 2), ("SAME_LOWER", 3, 2), ("SAME_UPPER", 4, 3), ("SAME_LOWER", 2, 2))
    },
    "forest": (forest, ({"x": (5, 3)}, {"x": (1, 3)})),
    "without names": (without_names, ({"x": (2, 5, 4), "z": (2, 3)}, {"x": (1, 9, 4), "z": (1, 3)})),
}
PICTURES = {"x": (2, 2, 5, 6)}, {"x": (1, 2, 8, 3)}
for _mode, _way, _more in (
    ("nearest", "asymmetric", {"nearest_mode": "floor"}), ("nearest", "half_pixel", {}), ("nearest", "half_pixel", {"nearest_mode": "ceil"}),
    ("nearest", "asymmetric", {"nearest_mode": "round_prefer_ceil"}), ("linear", "half_pixel", {}), ("linear", "align_corners", {}),
    ("linear", "pytorch_half_pixel", {}), ("cubic", "half_pixel", {"cubic_coeff_a": -0.5}),
):
    _name = f"{_mode} {_way} {' '.join(map(str, _more.values()))}".strip()
    OPEN[f"{_name} twice"] = (lambda a=_mode, b=_way, c=_more: resized(a, b, scales=[1, 1, 2, 2], **c), PICTURES)
    OPEN[f"{_name} to a size"] = (lambda a=_mode, b=_way, c=_more: resized(a, b, sizes=[2, 2, 7, 4], **c), ({"x": (2, 2, 5, 6)}, {"x": (2, 2, 8, 3)}))
    if _way != "align_corners":
        OPEN[f"{_name} by halves"] = (lambda a=_mode, b=_way, c=_more: resized(a, b, scales=[1, 1, 1.5, 0.5], **c), PICTURES)
OPEN |= {f"padded {mode}": (lambda mode=mode: padded(mode), ({"x": (2, 2, 6)}, {"x": (1, 2, 9)})) for mode in ("constant", "reflect", "edge", "wrap")}
for _op in ("RNN", "GRU", "LSTM"):
    for _direction in ("forward", "reverse", "bidirectional"):
        _options = {"linear_before_reset": 1} if _op == "GRU" else {}
        OPEN[f"{_op} {_direction}"] = (lambda a=_op, b=_direction, c=_options: recurrent(a, b, **c), ({"x": (4, 2, 3)}, {"x": (9, 1, 3)}, {"x": (1, 3, 3)}))
