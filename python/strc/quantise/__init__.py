"""Models whose layers have weights of int8, and how far their results are from those of floats."""

from .accuracy import Accuracy, compared
from .generating import quantised_generator
from .importing import quantised
from .layers import quantise

__all__ = ["Accuracy", "compared", "quantise", "quantised", "quantised_generator"]
