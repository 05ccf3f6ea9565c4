#!/usr/bin/python3
"""The receiver of receiver.str in a flow graph of GNU Radio: flow_graph.py FOLDER IQ WAV [STATION].

FOLDER is what `strc build --gnuradio` made, IQ a recording of unsigned bytes at 64 kHz.
"""
import sys

import numpy
from gnuradio import blocks, gr


def main(folder, recording, sound, station="-14000"):
    sys.path.insert(0, folder)
    from receiver import receiver

    levels = (numpy.fromfile(recording, numpy.uint8) - 127.5) / 127.5
    samples = (levels[0::2] + 1j * levels[1::2]).astype(numpy.complex64)
    graph = gr.top_block()
    tuned = receiver(station=float(station))
    sink = blocks.wavfile_sink(sound, 1, 8000, blocks.FORMAT_WAV, blocks.FORMAT_FLOAT)
    graph.connect(blocks.vector_source_c(samples), tuned, sink)
    graph.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
