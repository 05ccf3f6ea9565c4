"""What is known of operators: the names of their parameters, in order, and how many results they have.

The operators are the filters of strc's library (docs/standard-library.md), plus those that the importer writes into the program
(`strc.source.expressions`).
"""

from __future__ import annotations

from .model import Instruction, Named


def _conv(*dims: str) -> tuple[str, ...]:
    kinds = ("kernel", "stride", "padding")
    return ("in_channels", "out_channels", *(f"{kind}_{dim}" for kind in kinds for dim in dims))


FORMALS: dict[str, tuple[str, ...]] = {
    "linear": ("in_features", "out_features"),
    "conv1d": ("in_channels", "out_channels", "kernel", "stride", "padding"),
    "conv2d": _conv("h", "w"),
    "conv3d": _conv("d", "h", "w"),
    "convtranspose1d": ("in_channels", "out_channels", "kernel", "stride", "padding"),
    "convtranspose2d": _conv("h", "w"),
    "batchnorm1d": ("num_features",),
    "batchnorm2d": ("num_features",),
    "batchnorm3d": ("num_features",),
    "layernorm": ("shape",),
    "rmsnorm": ("shape",),
    "groupnorm": ("groups", "channels"),
    "instancenorm2d": ("channels",),
    "maxpool1d": ("kernel", "stride", "padding"),
    "avgpool1d": ("kernel", "stride", "padding"),
    "maxpool2d": ("kernel", "stride", "padding"),
    "avgpool2d": ("kernel", "stride", "padding"),
    "adaptiveavgpool2d": ("out_h", "out_w"),
    "embedding": ("num_embeddings", "embedding_dim"),
    "rnn": ("input_size", "hidden_size", "num_layers"),
    "lstm": ("input_size", "hidden_size", "num_layers"),
    "gru": ("input_size", "hidden_size", "num_layers"),
    "leakyrelu": ("slope",),
    "elu": ("alpha",),
    "softmax": ("dim",),
    "logsoftmax": ("dim",),
    "flatten": ("start", "end"),
    "reshape": ("shape",),
    "permute": ("dims",),
    "transpose": ("first", "second"),
    "squeeze": ("dim",),
    "unsqueeze": ("dim",),
    "slice": ("dim", "start", "end", "step"),
    "cat": ("n", "dim"),
    "stack": ("n", "dim"),
    "chunk": ("n", "dim"),
    "split": ("sizes", "dim"),
    "pad": ("amounts", "mode", "value"),
    "hardtanh": ("low", "high"),
    "softplus": ("beta", "threshold"),
    "mean": ("dims", "keepdim"),
    "sum": ("dims", "keepdim"),
    "amax": ("dims", "keepdim"),
    "argmax": ("dim", "keepdim"),
    "interpolate": ("out_h", "out_w", "mode"),
    "const": ("name",),
    "getitem": ("index", "dim"),
}

RESULTS = {"rnn": 2, "gru": 2, "lstm": 3}


def results(instruction: Instruction) -> int:
    """How many values an instruction makes; 0 positional parameters where they decide count as one result."""
    given = instruction.positional
    if instruction.op == "chunk" and given and isinstance(given[0], int):
        return given[0]
    if instruction.op == "split" and given and isinstance(given[0], tuple):
        return len(given[0])
    return RESULTS.get(instruction.op, 1)


def weights_prefixes(instruction: Instruction) -> set[str]:
    """The names under which the instruction finds stored values."""
    if instruction.op == "const":
        given = [instruction.positional[0]]
    else:
        given = [param.value for param in instruction.params if isinstance(param, Named) and param.name.endswith("weights")]
    return {name for name in given if isinstance(name, str)}
