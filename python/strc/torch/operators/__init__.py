"""The translation of ATen operators, by subject. Importing this fills `strc.torch.lowering.TABLE`."""

from . import arithmetic, attention, convolution, normalisation, recurrent, reductions, shapes, windows

__all__ = ["arithmetic", "attention", "convolution", "normalisation", "recurrent", "reductions", "shapes", "windows"]
