"""From scikit-learn: `export` writes estimators and pipelines as .str programs with their values."""

from .export import Exported, export, import_estimator

__all__ = ["Exported", "export", "import_estimator"]
