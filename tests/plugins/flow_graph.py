"""Runs a block of `strc build --gnuradio` in a flow graph: flow_graph.py FOLDER MODULE TYPE_IN TYPE_OUT LENGTH < items > items.

Types are numpy's; "-" stands for no such end. Words behind LENGTH, NAME=VALUE, are parameters of the block; NAME:VALUE is set once it exists.
"""
import importlib
import sys

import numpy
from gnuradio import blocks, gr

SOURCES = {"float32": blocks.vector_source_f, "complex64": blocks.vector_source_c, "int32": blocks.vector_source_i, "uint8": blocks.vector_source_b}
SINKS = {"float32": blocks.vector_sink_f, "complex64": blocks.vector_sink_c, "int32": blocks.vector_sink_i, "uint8": blocks.vector_sink_b}

folder, module, taken, given, length, *words = sys.argv[1:]
length = int(length)
sys.path.insert(0, folder)
made = getattr(importlib.import_module(module), module)
block = made(**{word.split("=")[0]: eval(word.split("=")[1]) for word in words if "=" in word})
for word in words:
    if ":" in word:
        name, value = word.split(":")
        getattr(block, "set_" + name)(eval(value))
graph = gr.top_block()
parts = [block]
if taken != "-":
    data = numpy.frombuffer(sys.stdin.buffer.read(), taken)
    parts.insert(0, SOURCES[taken](data.tolist(), False, length))
if given != "-":
    sink = SINKS[given](length)
    parts += [blocks.head(numpy.dtype(given).itemsize * length, 1000), sink] if taken == "-" else [sink]
graph.connect(*parts)
graph.run()
if given != "-":
    sys.stdout.buffer.write(numpy.array(sink.data(), given).tobytes())
