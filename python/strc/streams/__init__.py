"""From the model IR to streams: modules that are used as a unit, and how each becomes pipelines and splitjoins."""

from .decompose import decompose
from .region import Call, Node, Region, Value, region_of
from .tree import Leaf, Pass, Pipe, Separator, Split, Stream, with_ends

__all__ = [
    "Call", "Leaf", "Node", "Pass", "Pipe", "Region", "Separator", "Split", "Stream", "Value", "decompose", "region_of",
    "with_ends",
]
