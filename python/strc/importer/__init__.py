"""The command `strc import`: `python -m strc.importer FILE.py:NAME --input SHAPE ...`."""
