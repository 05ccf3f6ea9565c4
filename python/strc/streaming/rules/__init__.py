"""What each operator of the model IR is frame by frame: a file for each family of operators, which enter themselves in a table."""

from . import (  # noqa: F401
    elementwise,
    ends,
    features,
    loops,
    norms,
    shapes,
    spectra,
    states,
    windows,
)
from .table import PADDED, RULES

__all__ = ["PADDED", "RULES"]
