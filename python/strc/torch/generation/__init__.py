"""Models of the package transformers as programs that generate.

The model runs over one token without a cache of its own; what its layers attend to is kept by the filter of an operator that stands for their attention.
What a decoder makes of an encoder's result is computed once for each input.
"""

from .importing import Generator, export_generator, import_generator

__all__ = ["Generator", "export_generator", "import_generator"]
