"""From ONNX models to readable .str programs and their weights. Needs the packages onnx and PyTorch."""

from .export import Imported, export, import_model

__all__ = ["Imported", "export", "import_model"]
