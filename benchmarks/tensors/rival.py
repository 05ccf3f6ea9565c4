#!/usr/bin/env python3
"""One of the other sides, in a process of its own:

    rival.py SIDE NETWORK BATCH THREADS INPUTS [--once]

SIDE is eager, compile, onnxruntime or openvino; INPUTS a .npy whose items are batches. Computes the first one and says so;
then, for each line N on standard input, computes N items in turn and prints the seconds, of the processor if there is
one thread. The line `output` saves the
result of the first item to the file named behind it. With --once it ends after the first result.
"""

import sys
import time

import numpy


def eager(network, batch, threads):
    import torch

    from models import NETWORKS, made

    torch.set_num_threads(threads)
    model = made(next(each for each in NETWORKS if each.name == network))
    return lambda x: model(torch.from_numpy(x)).numpy()


def compiled(network, batch, threads):
    import torch
    import torch._inductor.config as config

    from models import NETWORKS, made

    torch.set_num_threads(threads)
    config.freezing = True
    model = torch.compile(made(next(each for each in NETWORKS if each.name == network)))
    return lambda x: model(torch.from_numpy(x)).numpy()


def onnxruntime(network, batch, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(f"{network}-{batch}.onnx", options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda x: session.run(None, {name: x})[0]


def openvino(network, batch, threads):
    import openvino

    core = openvino.Core()
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    request = core.compile_model(f"{network}-{batch}.onnx", "CPU", settings).create_infer_request()
    return lambda x: request.infer([x])[0]


SIDES = {"eager": eager, "compile": compiled, "onnxruntime": onnxruntime, "openvino": openvino}


def answer(run, inputs, clock):
    for line in sys.stdin:
        words = line.split()
        if words[0] == "output":
            numpy.save(words[1], run(inputs[0]))
            print("saved", flush=True)
            continue
        count = int(words[0])
        start = clock()
        for k in range(count):
            run(inputs[k % len(inputs)])
        print(clock() - start, flush=True)


def without_gradients(run):
    import torch

    def inside(x):
        with torch.inference_mode():
            return run(x)

    return inside


def main():
    side, network, batch, threads, inputs = sys.argv[1:6]
    inputs = numpy.load(inputs)
    run = SIDES[side](network, int(batch), int(threads))
    if side in ("eager", "compile"):
        run = without_gradients(run)
    run(inputs[0])
    print("ready", flush=True)
    if "--once" not in sys.argv:
        answer(run, inputs, time.process_time if int(threads) == 1 else time.perf_counter)


if __name__ == "__main__":
    main()
