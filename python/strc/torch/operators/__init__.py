"""The translation of ATen operators, by subject. Importing this fills the tables of `strc.torch.lowering`."""

from . import (
    arithmetic,
    attention,
    choices,
    complexes,
    convolution,
    experts,
    normalisation,
    open,
    places,
    recurrent,
    reductions,
    resampling,
    shapes,
    signs,
    spectra,
    windows,
)

complexes.enter_same()

__all__ = [
    "arithmetic", "attention", "choices", "complexes", "convolution", "experts", "normalisation", "open", "places", "recurrent", "reductions", "resampling",
    "shapes", "signs", "spectra", "windows",
]
