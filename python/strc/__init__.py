"""Brings PyTorch models to strc: `strc.torch.export` writes them as .str programs with their weights.

The parts, in the order in which a model passes through them: `torch` (capture), `ir` (the model IR), `passes`, `streams`
(from graphs to pipelines and splitjoins), `source` (text). `draw` shows each of them; `importer` is the command `strc import`.
"""

__version__ = "0.1.0"
