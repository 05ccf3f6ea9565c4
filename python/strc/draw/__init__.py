"""Pictures of a model on its way, as DOT: the captured graph, the model IR, the streams."""

from .graphs import fx_graph, fx_table, ir_graph
from .streams import stream_graph

__all__ = ["fx_graph", "fx_table", "ir_graph", "stream_graph"]
