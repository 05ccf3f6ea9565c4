"""From PyTorch: `export` writes a model as a .str program with its weights."""

from .export import Imported, export, import_model, stream_model

__all__ = ["Imported", "export", "import_model", "stream_model"]
