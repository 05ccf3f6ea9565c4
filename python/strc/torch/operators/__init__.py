"""The translation of ATen operators, by subject. Importing this fills `strc.torch.lowering.TABLE`."""

from . import arithmetic, attention, choices, convolution, normalisation, places, recurrent, reductions, resampling, shapes, signs, windows

__all__ = [
    "arithmetic", "attention", "choices", "convolution", "normalisation", "places", "recurrent", "reductions",
    "resampling", "shapes", "signs", "windows",
]
