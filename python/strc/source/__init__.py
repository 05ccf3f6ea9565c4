"""Readable .str source for a program of the model IR."""

from .program import source_of, sources_of

__all__ = ["source_of", "sources_of"]
