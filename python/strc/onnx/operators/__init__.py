"""The operators of ONNX, by subject. Importing this fills the table of `strc.onnx.registry`."""

from . import (
    activations,
    arithmetic,
    choices,
    control,
    convolution,
    normalisation,
    places,
    pools,
    products,
    quantised,
    recurrent,
    reductions,
    resizing,
    sequences,
    shapes,
    spectra,
    tables,
    trees,
)

__all__ = [
    "activations", "arithmetic", "choices", "control", "convolution", "normalisation", "places", "pools", "products", "quantised", "recurrent",
    "reductions", "resizing", "sequences", "shapes", "spectra", "tables", "trees",
]
