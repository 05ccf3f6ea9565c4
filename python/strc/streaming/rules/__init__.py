"""What each operator of the model IR is frame by frame: a file for each family of operators, which enter themselves in a table."""

from . import (  # noqa: F401
    choices,
    elementwise,
    ends,
    features,
    loops,
    shapes,
    spectra,
    states,
    tables,
    transposed,
    windows,
)
from .table import by_rule

__all__ = ["by_rule"]
