"""The sides of the comparison: each gives results for rows, and says how long the processor was busy with them."""

import ctypes
import subprocess
import time
from pathlib import Path

import numpy

import strc.sklearn


ITEM = 16  # rows of an item of the stream, fewer if one takes too much memory; a call takes as many items as its batch has


class ScikitLearn:
    """In this process, one call for each batch: probabilities of a classifier, from which its class follows, or values."""

    name = "scikit-learn"

    def __init__(self, model):
        self.model = model
        self.call = getattr(model, "predict_proba", model.predict)

    def results(self, x):
        return self.call(x), self.model.predict(x) if hasattr(self.model, "classes_") else None

    def seconds(self, x, batch):
        start = time.process_time()
        for i in range(0, len(x), batch):
            self.call(x[i : i + batch])
        return time.process_time() - start


class Onnx:
    """In this process, one call for each batch; classes and probabilities, or values."""

    name = "ONNX Runtime"

    def __init__(self, model, features):
        import onnxruntime
        from skl2onnx import convert_sklearn
        from skl2onnx.common.data_types import FloatTensorType

        options = {id(model): {"zipmap": False}} if hasattr(model, "classes_") else None
        made = convert_sklearn(model, initial_types=[("x", FloatTensorType([None, features]))], options=options)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(made.SerializeToString(), settings, providers=["CPUExecutionProvider"])
        self.classifies = hasattr(model, "classes_")

    def results(self, x):
        given = self.session.run(None, {"x": x})
        return (given[1], given[0]) if self.classifies else (given[0], None)

    def seconds(self, x, batch):
        start = time.process_time()
        for i in range(0, len(x), batch):
            self.session.run(None, {"x": x[i : i + batch]})
        return time.process_time() - start


class Strc:
    """A library (`strc build --shared`) in this process, one call for each batch; probabilities or values."""

    name = "strc"

    def __init__(self, command, model, folder, batch, strategy="auto"):
        self.batch, self.rows = batch, min(batch, ITEM)
        while not self.built(command, model, Path(folder) / str(self.rows), strategy):
            self.rows //= 2

    def built(self, command, model, folder, strategy):
        """Makes the library; False if a firing over so many rows takes more memory than it may."""
        folder.mkdir(parents=True)
        output = "probabilities" if hasattr(model, "predict_proba") else "value"
        self.exported = strc.sklearn.export(model, folder / "model.str", strategy, batch=self.rows, outputs=(output,), name="Model")
        words = [command, "build", "--shared", "--top", "Model", "model.str", "-o", "libmodel.so"]
        subprocess.run(words, cwd=folder, check=True, timeout=600)
        self.loaded = ctypes.CDLL(str(folder / "libmodel.so"))
        self.loaded.Model_create.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.loaded.Model_create(None))
        self.message = self.loaded.Model_message
        self.message.restype = ctypes.c_char_p
        self.width = len(model.classes_) if output == "probabilities" else 1
        row = numpy.zeros((self.rows, model.n_features_in_), numpy.float32)
        try:
            self.call_each(row, numpy.empty((self.rows, self.width), numpy.float32), self.rows)
        except MemoryError:
            if self.rows > 1:
                return False
            raise
        return True

    def call_each(self, x, y, batch):
        """Writes to y what comes of x. Addresses are numbers, as in a program that calls the library."""
        process, count = self.loaded.Model_process, ctypes.c_size_t(batch // self.rows)
        at, to = x.ctypes.data, y.ctypes.data
        take, give = batch * x.strides[0], batch * y.strides[0]
        for i in range(len(x) // batch):
            given, room = ctypes.c_void_p(at + i * take), ctypes.c_void_p(to + i * give)
            if process(self.handle, given, count, room, count, None, None):
                raise MemoryError(self.message(self.handle).decode())

    def results(self, x):
        found = numpy.empty((len(x), self.width), numpy.float32)
        self.call_each(x, found, self.batch)
        return found, None

    def seconds(self, x, batch):
        start = time.process_time()
        self.call_each(x, numpy.empty((len(x), self.width), numpy.float32), batch)
        return time.process_time() - start
