"""The sides of run_ten.py: each takes chunks of one size, one after the other, and keeps its states itself.

`feed(chunk)` gives the results of a chunk as arrays; `time(rounds)` the seconds of processor time that so many chunks take. A side that cannot do a network raises
when it is made.
"""

import contextlib
import ctypes
import io
import os
import sys
import time

import numpy as np
import torch
from torch import nn

from ten import Step, chunk_of, prepared


class Looped:
    """A side that is called from Python."""

    def time(self, rounds):
        start = time.process_time_ns()
        for _ in range(rounds):
            self.call()
        return (time.process_time_ns() - start) * 1e-9


class Torch(Looped):
    def __init__(self, net, chunk):
        self.results, self.chunk, self.states = len(net.times), chunk, ()
        self.step = Step(net, prepared(net, True))

    def call(self):
        with torch.inference_mode():
            found = self.step(self.chunk, *self.states)
        self.states = found[self.results :]
        return found[: self.results]

    def feed(self, chunk):
        self.chunk = chunk
        return [y.numpy().copy() for y in self.call()]


class Compiled(Torch):
    """By torch.compile, with the states of the start as tensors, so that there is one graph."""

    def __init__(self, net, chunk):
        super().__init__(net, chunk)
        self.states = tuple(torch.zeros_like(y) for y in self.step(chunk)[self.results :])
        self.step = torch.compile(self.step, dynamic=False)
        with torch.inference_mode():
            self.step(self.chunk, *self.states)


@contextlib.contextmanager
def quiet():
    """Without what the exporter prints from C++."""
    sys.stdout.flush()
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def export(model, inputs, path, fast=False, **words):
    """To ONNX."""
    with torch.no_grad(), quiet():
        torch.onnx.export(model, inputs, path, dynamo=fast, verbose=False, **words)


class Results(nn.Module):
    """A step over the whole sequence, which begins with zeros."""

    def __init__(self, step, count):
        super().__init__()
        self.step, self.count = step, count

    def forward(self, x):
        return self.step(x)[: self.count]


def export_whole(net, path):
    """The model over the whole sequence; if the exporter does not know its transforms or sums of windows, the step over it, which has products instead."""
    model = prepared(net, False)
    words = {"input_names": ["x"], "dynamic_axes": {"x": {net.time: "T"}}}
    example = (chunk_of(net, 256, torch.Generator()),)
    try:
        export(model, example, path, **words)
    except Exception:
        export(Results(Step(net, model), len(net.times)), example, path, **words)


def exported(net, chunk, path, fast):
    """A step in ONNX with its states as inputs and outputs: their shapes. The fast transform is in the graphs of the exporter by torch.export alone."""
    step = Step(net, prepared(net, fast))
    with torch.inference_mode():
        states = tuple(torch.zeros_like(y) for y in step(chunk)[len(net.times) :])
    names = {
        "input_names": ["x", *(f"in{k}" for k in range(len(states)))],
        "output_names": [*(f"y{k}" for k in range(len(net.times))), *(f"out{k}" for k in range(len(states)))],
    }
    export(step, (chunk, *states), path, fast, **names)
    return [tuple(state.shape) for state in states]


class Onnx(Looped):
    """ONNX Runtime, everything bound once: the states go to and fro between two sets of buffers."""

    def __init__(self, net, chunk, folder, fast=False):
        import onnxruntime

        path = str(folder / f"{net.name}{chunk.shape[net.time]}{fast}.onnx")
        shapes = exported(net, chunk, path, fast)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.value = onnxruntime.OrtValue.ortvalue_from_numpy(chunk.numpy().copy())
        outputs = [output for output in self.session.get_outputs() if output.name.startswith("y")]
        kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64}
        self.found = [onnxruntime.OrtValue.ortvalue_from_shape_and_type(o.shape, kinds[o.type]) for o in outputs]
        sets = [[onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(shape, np.float32)) for shape in shapes] for _ in range(2)]
        taken = {given.name for given in self.session.get_inputs()}
        self.bindings = []
        for old, new in (sets, sets[::-1]):
            binding = self.session.io_binding()
            binding.bind_ortvalue_input("x", self.value)
            for k, output in enumerate(outputs):
                binding.bind_ortvalue_output(output.name, self.found[k])
            for k in range(len(shapes)):
                if f"in{k}" in taken:
                    binding.bind_ortvalue_input(f"in{k}", old[k])
                binding.bind_ortvalue_output(f"out{k}", new[k])
            self.bindings.append(binding)

    def call(self):
        self.session.run_with_iobinding(self.bindings[0])
        self.bindings.reverse()

    def feed(self, chunk):
        self.value.update_inplace(np.ascontiguousarray(chunk.numpy()))
        self.call()
        return [value.numpy().copy() for value in self.found]


class Tract(Looped):
    """tract, by its pulse mode from the model over the whole sequence, or, `pulse` being false, with the states as for ONNX Runtime."""

    def __init__(self, net, chunk, folder, pulse=True):
        import tract

        self.tract, self.pulse, self.chunk, self.count = tract, pulse, chunk, len(net.times)
        path = str(folder / f"{net.name}{chunk.shape[net.time]}tract.onnx")
        if pulse:
            export_whole(net, path)
            loaded = tract.onnx().load(path)
            shape = ",".join("T" if k == net.time else str(n) for k, n in enumerate(net.shape))
            loaded.set_input_fact(0, f"{shape},f32")
            for k in range(self.count):
                loaded.set_output_fact(k, None)
            loaded.analyse()
            model = loaded.into_model()
            model.transform(tract.Pulse(chunk.shape[net.time], symbol="T"))
            self.late = tuple(int(n) for n in model.property("pulse.delay").to_numpy())
            self.state = model.into_runnable().spawn_state()
            return
        self.kept = [np.zeros(shape, np.float32) for shape in exported(net, chunk, path, False)]
        self.kept = [tract.Tensor.from_numpy(state) for state in self.kept]
        self.state = tract.onnx().load(path).into_model().into_runnable()

    def call(self):
        if self.pulse:
            return self.state.run([self.given])
        found = self.state.run([self.given, *self.kept])
        self.kept = found[self.count :]
        return found[: self.count]

    def feed(self, chunk):
        self.given = self.tract.Tensor.from_numpy(np.ascontiguousarray(chunk.numpy()))
        return [y.to_numpy() for y in self.call()]


class Strc:
    """A library by strc, called by a loop in C."""

    def __init__(self, net, chunk, library, loops):
        self.loops, self.axis = loops, net.time
        self.library = ctypes.CDLL(library)
        create = getattr(self.library, f"{net.model}_create")
        create.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(create(None))
        self.process = getattr(self.library, f"{net.model}_process")
        self.out = np.zeros(4 * chunk.numel() + 4096, np.float32)
        self.given = self.items(chunk)

    def items(self, chunk):
        """Frame by frame."""
        return np.ascontiguousarray(chunk[0].movedim(self.axis - 1, 0).numpy(), dtype=np.float32).reshape(-1)

    def words(self):
        size, pointer = ctypes.c_size_t, ctypes.c_void_p
        return self.handle, pointer(self.given.ctypes.data), size(self.given.size), pointer(self.out.ctypes.data), size(self.out.size)

    def feed(self, chunk):
        self.given = self.items(chunk)
        made = ctypes.c_size_t()
        if self.process(*self.words(), None, ctypes.byref(made)):
            raise RuntimeError("process fails")
        return self.out[: made.value].copy()

    def time(self, rounds):
        self.loops.frames_time.restype = ctypes.c_double
        return self.loops.frames_time(self.process, *self.words(), ctypes.c_size_t(rounds))

    def worst(self, rounds):
        """Of so many chunks the longest, in seconds: of processor time, and by the clock on the wall."""
        self.loops.frames_worst.restype = ctypes.c_double
        wall = ctypes.c_double()
        return self.loops.frames_worst(self.process, *self.words(), ctypes.c_size_t(rounds), ctypes.byref(wall)), wall.value
