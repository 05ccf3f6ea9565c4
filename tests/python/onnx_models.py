"""Small ONNX models of the tests."""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def info(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def stored(name, values, kind="float32"):
    return numpy_helper.from_array(numpy.asarray(values, kind), name)


def model_of(nodes, inputs, outputs, initializers=(), version=17, **named):
    graph = helper.make_graph(nodes, named.pop("name", "net"), inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid("", version), *(helper.make_opsetid(domain, number) for domain, number in named.pop("domains", {}).items())]
    made = helper.make_model(graph, opset_imports=opsets, **named)
    made.ir_version = 10
    return made


def perceptron(**named):
    """A model as Keras's exporter makes it: products and sums."""
    random = numpy.random.default_rng(0)
    weights = [
        stored("dense/kernel", random.normal(size=(4, 8))), stored("dense/bias", random.normal(size=8)), stored("out/kernel", random.normal(size=(8, 3))),
        stored("out/bias", random.normal(size=3)),
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "dense/kernel"], ["a"], name="model/dense/MatMul"),
        helper.make_node("Add", ["a", "dense/bias"], ["b"], name="model/dense/BiasAdd"),
        helper.make_node("Relu", ["b"], ["c"], name="model/dense/Relu"),
        helper.make_node("MatMul", ["c", "out/kernel"], ["d"], name="model/out/MatMul"),
        helper.make_node("Add", ["d", "out/bias"], ["e"], name="model/out/BiasAdd"),
        helper.make_node("Softmax", ["e"], ["y"], name="model/Softmax", axis=-1),
    ]
    return model_of(nodes, [info("x", ["N", 4])], [info("y", ["N", 3])], weights, **named)


def accumulator():
    """A state that its name says."""
    nodes = [helper.make_node("Add", ["x", "past_sum"], ["present_sum"]), helper.make_node("Tanh", ["present_sum"], ["y"])]
    return model_of(nodes, [info("x", [2]), info("past_sum", [2])], [info("y", [2]), info("present_sum", [2])])


def remembering():
    """Attention to keys that come back with one more; how many there are is open."""
    nodes = [
        helper.make_node("Concat", ["past_key", "x"], ["present_key"], axis=1), helper.make_node("Transpose", ["present_key"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["x", "turned"], ["scores"]), helper.make_node("Softmax", ["scores"], ["weights"]),
        helper.make_node("MatMul", ["weights", "present_key"], ["y"]),
    ]
    return model_of(nodes, [info("x", [1, 1, 4]), info("past_key", [1, "P", 4])], [info("y", [1, 1, 4]), info("present_key", [1, "Q", 4])])


def causal():
    """A convolution over what came before."""
    random = numpy.random.default_rng(1)
    nodes = [
        helper.make_node("Conv", ["x", "conv.weight", "conv.bias"], ["a"], name="/conv/Conv", pads=[2, 0], kernel_shape=[3]),
        helper.make_node("Tanh", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "out.weight"], ["y"], name="/out/Conv", kernel_shape=[1]),
    ]
    weights = [stored("conv.weight", random.normal(size=(4, 1, 3))), stored("conv.bias", random.normal(size=4)), stored("out.weight", random.normal(size=(1, 4, 1)))]
    return model_of(nodes, [info("x", [1, 1, "T"])], [info("y", [1, 1, "T"])], weights)


def smoothing():
    """A `Scan` along time with a state: y = 0.9 y + 0.1 x."""
    body = helper.make_graph(
        [
            helper.make_node("Mul", ["before", "keep"], ["old"]), helper.make_node("Mul", ["item", "take"], ["new"]),
            helper.make_node("Add", ["old", "new"], ["after"]), helper.make_node("Identity", ["after"], ["given"]),
        ],
        "step", [info("before", [1, 2]), info("item", [1, 2])], [info("after", [1, 2]), info("given", [1, 2])], [stored("keep", [0.9]), stored("take", [0.1])],
    )
    nodes = [helper.make_node("Scan", ["start", "x"], ["last", "y"], body=body, num_scan_inputs=1)]
    return model_of(nodes, [info("x", [6, 1, 2])], [info("y", [6, 1, 2]), info("last", [1, 2])], [stored("start", [[0.0, 0.0]])])


def quantised():
    """Linear, between quantised values."""
    random = numpy.random.default_rng(2)
    tables = [
        stored("scale", 0.02), stored("zero", 3, "int8"), stored("weight", random.integers(-127, 128, (4, 3)), "int8"), stored("weight_scale", [0.01, 0.02, 0.03]),
        stored("weight_zero", [0, 0, 0], "int8"), stored("out_scale", 0.05), stored("out_zero", 128, "uint8"),
    ]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["r"]),
        helper.make_node("DequantizeLinear", ["weight", "weight_scale", "weight_zero"], ["w"], axis=1),
        helper.make_node("MatMul", ["r", "w"], ["p"]),
        helper.make_node("QuantizeLinear", ["p", "out_scale", "out_zero"], ["s"]),
        helper.make_node("DequantizeLinear", ["s", "out_scale", "out_zero"], ["y"]),
    ]
    return model_of(nodes, [info("x", [2, 4])], [info("y", [2, 3])], tables, version=21)


def forest():
    """Two trees over three features, for two classes, as converters of scikit-learn's models make them."""
    node = helper.make_node(
        "TreeEnsembleClassifier", ["x"], ["label", "shares"], domain="ai.onnx.ml", classlabels_int64s=[3, 7], post_transform="NONE",
        nodes_treeids=[0, 0, 0, 1, 1, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2, 3, 4], nodes_featureids=[0, 0, 0, 2, 0, 1, 0, 0],
        nodes_values=[0.25, 0.0, 0.0, -0.5, 0.0, 1.5, 0.0, 0.0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"],
        nodes_truenodeids=[1, 0, 0, 1, 0, 3, 0, 0], nodes_falsenodeids=[2, 0, 0, 2, 0, 4, 0, 0], nodes_missing_value_tracks_true=[0, 0, 0, 1, 0, 0, 0, 0],
        nodes_hitrates=[1.0] * 8, class_treeids=[0, 0, 0, 0, 1, 1, 1, 1, 1, 1], class_nodeids=[1, 1, 2, 2, 1, 1, 3, 3, 4, 4], class_ids=[0, 1] * 5,
        class_weights=[0.5, 0.0, 0.125, 0.375, 0.25, 0.25, 0.0, 0.5, 0.4, 0.1],
    )
    return model_of([node], [info("x", ["N", 3])], [info("label", ["N"], TensorProto.INT64), info("shares", ["N", 2])], domains={"ai.onnx.ml": 3})


def evaluated(model, *inputs):
    """What the package's own evaluator gives."""
    from onnx.reference import ReferenceEvaluator

    names = [one.name for one in model.graph.input]
    return ReferenceEvaluator(model).run(None, dict(zip(names, inputs)))


def saved(model, path):
    onnx.save(model, path)
    return path


def time_last():
    """As Keras has sequences, channels last: a causal convolution, a GRU, a dense layer."""
    random = numpy.random.default_rng(5)
    nodes = [
        helper.make_node("Transpose", ["x"], ["a"], perm=[0, 2, 1]), helper.make_node("Pad", ["a", "pads"], ["b"]),
        helper.make_node("Conv", ["b", "conv.weight", "conv.bias"], ["c"]), helper.make_node("Relu", ["c"], ["d"]),
        helper.make_node("Transpose", ["d"], ["e"], perm=[2, 0, 1]),
        helper.make_node("GRU", ["e", "w", "r", "b_gru"], ["g", ""], hidden_size=5, linear_before_reset=1), helper.make_node("Squeeze", ["g", "one"], ["h"]),
        helper.make_node("Transpose", ["h"], ["i"], perm=[1, 0, 2]), helper.make_node("MatMul", ["i", "kernel"], ["j"]),
        helper.make_node("Add", ["j", "bias"], ["k"]), helper.make_node("Sigmoid", ["k"], ["y"]),
    ]
    shapes = {"conv.weight": (4, 2, 3), "conv.bias": 4, "w": (1, 15, 4), "r": (1, 15, 5), "b_gru": (1, 30), "kernel": (5, 3), "bias": 3}
    weights = [stored(name, random.normal(size=shape)) for name, shape in shapes.items()]
    weights += [stored("pads", [0, 0, 2, 0, 0, 0], "int64"), stored("one", [1], "int64")]
    return model_of(nodes, [info("x", [1, "T", 2])], [info("y", [1, "T", 3])], weights)


def lstm_step():
    """One step, with the states as inputs and results."""
    random = numpy.random.default_rng(6)
    nodes = [
        helper.make_node("LSTM", ["x", "w", "r", "b", "", "h0", "c0"], ["g", "hn", "cn"], hidden_size=5), helper.make_node("Squeeze", ["g", "axes"], ["y"]),
    ]
    weights = [stored(name, random.normal(size=shape)) for name, shape in {"w": (1, 20, 3), "r": (1, 20, 5), "b": (1, 40)}.items()]
    states = [info(name, [1, 1, 5]) for name in ("h0", "c0", "hn", "cn")]
    return model_of(nodes, [info("x", [1, 1, 3]), *states[:2]], [info("y", [1, 5]), *states[2:]], [*weights, stored("axes", [0, 1], "int64")])


def choosing(node=None):
    """exp(x) where the sum is positive, else -x."""
    branches = []
    for one in (node or helper.make_node("Exp", ["x"], ["chosen"]), helper.make_node("Neg", ["x"], ["other"])):
        branches.append(helper.make_graph([one], one.op_type, [], [info(one.output[0], ["n"])]))
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0), helper.make_node("Greater", ["s", "zero"], ["c"]),
        helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1]),
    ]
    return model_of(nodes, [info("x", [3])], [info("y", ["n"])], [stored("zero", 0.0)])


def doubling():
    """Doubles until the greatest element is 10 or more, six times at most."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["value", "value"], ["next"]), helper.make_node("ReduceMax", ["next"], ["greatest"], keepdims=0),
            helper.make_node("Less", ["greatest", "bound"], ["goes"]),
        ],
        "body", [info("turn", [], TensorProto.INT64), info("going", [], TensorProto.BOOL), info("value", [3])],
        [info("goes", [], TensorProto.BOOL), info("next", [3])], [stored("bound", 10.0)],
    )
    nodes = [
        helper.make_node("ReduceMax", ["x"], ["m"], keepdims=0), helper.make_node("Less", ["m", "first"], ["c"]),
        helper.make_node("Loop", ["six", "c", "x"], ["y"], body=body),
    ]
    return model_of(nodes, [info("x", [3])], [info("y", [3])], [stored("six", 6, "int64"), stored("first", 10.0)])
