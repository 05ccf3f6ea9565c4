"""From the model IR to streams: modules that are used as a unit, and how each becomes pipelines and splitjoins."""

from .decompose import decompose
from .region import Call, Node, Region, Value, region_of
from .tree import Leaf, Pass, Pick, Pipe, Regroup, Split, Stream, with_ends
from .turns import in_turns

__all__ = [
    "Call", "Leaf", "Node", "Pass", "Pick", "Pipe", "Region", "Regroup", "Split", "Stream", "Value", "decompose", "in_turns",
    "region_of", "with_ends",
]
