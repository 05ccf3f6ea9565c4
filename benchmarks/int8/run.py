#!/usr/bin/env python3
"""Linear layers with weights of int8, beside the same of floats and beside ONNX Runtime.

run.py --strc STRC [--rounds N] [--shape ROWSxINxOUT ...]

Microseconds of processor time a firing on one thread, the least of the rounds, which go through all contestants in turn. Needs numpy, onnx and onnxruntime.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

SHAPES = ("1x768x768", "1x768x3072", "64x512x512", "128x256x256")
FIRINGS = 2000
PROGRAM = """
void->void pipeline Float {{ add Start(); add linear({ins}, {outs}, false, "float"); add End(); }}
void->void pipeline Static {{ add Start(); add quantizedlinear({ins}, {outs}, 0.03, false, "bytes"); add End(); }}
void->void pipeline Dynamic {{ add Start(); add quantizedlinear({ins}, {outs}, bias = false, weights = "bytes"); add End(); }}
void->tensor filter Start {{ float n; work push 1 {{ n = 2 - n; push(n * ones({rows}, {ins})); }} }}
tensor->void filter End {{ tensor<float>[{rows}, {outs}] kept; work pop 1 {{ kept = pop(); }} }}
"""


def spent(strc: str, folder: Path, top: str, firings: int) -> float:
    """Seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    words = [strc, "run", "-j1", "--top", top, "--weights", "random:1", "-i", str(firings), "p.str"]
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def of_strc(strc: str, folder: Path, top: str) -> float:
    return (spent(strc, folder, top, FIRINGS + 10) - spent(strc, folder, top, 10)) / FIRINGS * 1e6


def save_onnx(folder: Path, rows: int, ins: int, outs: int) -> None:
    weight = numpy.random.default_rng(1).standard_normal((ins, outs), numpy.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "linear", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, ins])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, outs])], [numpy_helper.from_array(weight, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "float.onnx")
    quantize_dynamic(folder / "float.onnx", folder / "bytes.onnx", per_channel=True, weight_type=QuantType.QInt8)


def of_onnx(path: Path, rows: int, ins: int) -> float:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    x = {"x": numpy.ones((rows, ins), numpy.float32)}
    for _ in range(10):
        session.run(None, x)
    begin = time.process_time()
    for _ in range(FIRINGS):
        session.run(None, x)
    return (time.process_time() - begin) / FIRINGS * 1e6


def measured(strc: str, shape: str, rounds: int) -> list[float]:
    rows, ins, outs = map(int, shape.split("x"))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "p.str").write_text(PROGRAM.format(rows=rows, ins=ins, outs=outs))
        save_onnx(folder, rows, ins, outs)
        contestants = [
            lambda: of_strc(strc, folder, "Float"), lambda: of_strc(strc, folder, "Static"), lambda: of_strc(strc, folder, "Dynamic"),
            lambda: of_onnx(folder / "float.onnx", rows, ins), lambda: of_onnx(folder / "bytes.onnx", rows, ins),
        ]
        times = [[one() for one in contestants] for _ in range(rounds)]
    return [min(each) for each in zip(*times)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strc", required=True, type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shape", action="append", default=[])
    options = parser.parse_args()
    print("| rows x in x out | strc, floats | strc, int8 calibrated | strc, int8 | ONNX Runtime, floats | ONNX Runtime, int8 |\n|---|---|---|---|---|---|")
    for shape in options.shape or SHAPES:
        print(f"| {shape} | " + " | ".join(f"{value:.1f}" for value in measured(options.strc, shape, options.rounds)) + " |", flush=True)


if __name__ == "__main__":
    main()
