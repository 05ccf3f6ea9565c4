"""From PyTorch: `export` writes a model as a .str program with its weights."""

from .export import Imported, export, import_model, stream_model
from .generation import export_generator, import_generator

__all__ = ["Imported", "export", "export_generator", "import_generator", "import_model", "stream_model"]
