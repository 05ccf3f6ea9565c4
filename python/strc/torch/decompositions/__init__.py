"""What operators are made of where PyTorch has no decomposition, or one that computes otherwise than its kernels.

Functions of tensors, which are run on tensors without values (`strc.torch.composed`). What loops is an operator of its own
(`strc.torch.decompositions.primitives`) with a filter.
"""

from . import algebra, bits, boxes, convolutions, experts, interpolation, numbers, order, places, quantised, scans, special, statistics, windows  # noqa: F401  fill the table
from .registry import OWN

__all__ = ["OWN"]
