#!/usr/bin/env python3
"""One of the other sides, in a process of its own:

    rival.py SIDE NETWORK BATCH THREADS INPUTS [--once] [--fast-math]

SIDE is eager, compile, onnxruntime or openvino, or cuda-eager, cuda-graph or cuda-max-autotune; INPUTS a .npy whose items are batches. Computes the first one and says so;
then, for each line N on standard input, computes N items in turn and prints the seconds, of the processor if there is
one thread and no device. The line `output` saves the
result of the first item to the file named behind it. With --once it ends after the first result. With --fast-math PyTorch on
a device may round factors to TF32.
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


def on_device(network, made_for):
    """What `made_for` makes of the network and its input on the device, with copies to and fro from pinned memory. Sums of
    products are done as ours are: in binary32, or with --fast-math on tensor cores."""
    import torch

    from models import NETWORKS, made

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = "--fast-math" in sys.argv
    model = made(next(each for each in NETWORKS if each.name == network)).cuda()
    known = []

    def prepare(x):
        pinned = torch.from_numpy(x).pin_memory()
        item = pinned.cuda()
        call = made_for(model, item)
        result = call().cpu().pin_memory()
        return pinned, item, call, result

    def run(x):
        if not known:
            known.append(prepare(x))
        pinned, item, call, result = known[0]
        pinned.copy_(torch.from_numpy(x))
        item.copy_(pinned, non_blocking=True)
        result.copy_(call(), non_blocking=True)
        torch.cuda.synchronize()
        return result.numpy()

    return run


def cuda_eager(network, batch, threads):
    return on_device(network, lambda model, item: lambda: model(item))


def cuda_graph(network, batch, threads):
    import torch

    def made_for(model, item):
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(3):
                model(item)
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = model(item)

        def call():
            graph.replay()
            return result

        return call

    return on_device(network, made_for)


def cuda_max_autotune(network, batch, threads):
    import torch

    def made_for(model, item):
        compiled_model = torch.compile(model, mode="max-autotune")
        for _ in range(3):
            compiled_model(item)
        return lambda: compiled_model(item)

    return on_device(network, made_for)


SIDES = {"eager": eager, "compile": compiled, "onnxruntime": onnxruntime, "openvino": openvino,
         "cuda-eager": cuda_eager, "cuda-graph": cuda_graph, "cuda-max-autotune": cuda_max_autotune}


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
    if side in ("eager", "compile") or side.startswith("cuda-"):
        run = without_gradients(run)
    run(inputs[0])
    print("ready", flush=True)
    if "--once" not in sys.argv:
        is_wall = int(threads) > 1 or side.startswith("cuda-")
        answer(run, inputs, time.perf_counter if is_wall else time.process_time)


if __name__ == "__main__":
    main()
