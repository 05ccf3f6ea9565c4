#!/usr/bin/env python3
"""chain.str as a flow graph of GNU Radio, whose scheduler gives each block a thread: chain_gnuradio.py IN OUT"""

import math
import sys

from gnuradio import blocks, filter as gr_filter, gr

TAPS, STAGES = 64, 4


def coefficient(i):
    m = i - (TAPS - 1) / 2
    return math.sin(math.pi * m / 2) / (math.pi * m) * (0.54 - 0.46 * math.cos(2 * math.pi * i / (TAPS - 1)))


graph = gr.top_block()
taps = [coefficient(i) for i in reversed(range(TAPS))]
parts = [blocks.file_source(gr.sizeof_float, sys.argv[1], False),
         *(gr_filter.fir_filter_fff(1, taps) for _ in range(STAGES)),
         blocks.skiphead(gr.sizeof_float, STAGES * (TAPS - 1)),  # it looks back where chain.str looks ahead
         blocks.file_sink(gr.sizeof_float, sys.argv[2])]
graph.connect(*parts)
graph.run()
