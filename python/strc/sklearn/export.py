"""Estimators as programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import safetensors.numpy
import sklearn

from .. import passes
from ..errors import ImportFailure
from ..files import write_both
from ..ir import Program
from ..ir.operators import weights_prefixes
from ..source import source_of
from ..source.expressions import Written
from ..source.printer import wrapped
from .builder import ELEMENTS, Array, Builder, Refused, Value
from .convert import convert
from .strategies import STRATEGIES

MADE_FOR = "1.9"
DEFAULTS = ("class", "probabilities", "decision", "value", "transformed")


@dataclass(frozen=True)
class Exported:
    """An estimator that has been read.

    `outputs` says what the program gives, in order: "class" (the number of a class in `classes`), "probabilities", "decision", "value" or
    "transformed". `strategies` says how each forest is computed, by the prefix of its values.
    """

    program: Program
    written: Mapping[str, Written]
    tensors: Mapping[str, Array]
    outputs: tuple[str, ...]
    classes: Array | None
    strategies: Mapping[str, str]
    takes: str

    @property
    def name(self) -> str:
        """The stream that stands for all of it: for `--top`."""
        return self.program.name

    def source(self, title: str = "") -> str:
        """The .str source."""
        return source_of(self.program, title=title or self.title(), written=self.written, takes=self.takes)

    def title(self) -> str:
        """What the program gives, as a comment."""
        lines = [f"Made by strc.sklearn.export. Gives: {', '.join(self.outputs)}."]
        if self.classes is not None:
            labels = self.classes[:20].tolist()
            listed = ", ".join(str(label) if label == i else f"{i} {label!s}" for i, label in enumerate(labels))
            more = f", ... ({len(self.classes)} in all)" if len(self.classes) > 20 else ""
            lines += [line.removeprefix("    ") for line in wrapped(f"Classes: {listed}{more}", "")]
        return "\n".join(lines).encode("ascii", "replace").decode("ascii")


def check_version(version: str = sklearn.__version__) -> None:
    """Raises `ImportFailure` for a scikit-learn that may compute something else."""
    if version.split(".")[:2] != MADE_FOR.split("."):
        raise ImportFailure(
            f"this is scikit-learn {version}, but estimators are exported with scikit-learn {MADE_FOR}, whose arithmetic the programs "
            "repeat: pip install 'scikit-learn~=1.9.0'"
        )


def check_arguments(strategy: str, dtype: str, batch: int | None) -> None:
    if strategy not in ("auto", *STRATEGIES):
        raise ImportFailure(f"there is no strategy {strategy!r}: auto, {', '.join(STRATEGIES)}")
    if dtype not in ELEMENTS:
        raise ImportFailure(f"inputs cannot be of type {dtype!r}: float or double")
    if batch is not None and batch < 1:
        raise ImportFailure(f"a batch of {batch} items makes no sense")


def features_of(estimator: Any) -> int:
    """How many features an estimator takes. Raises `ImportFailure` if it is none, or has not seen any."""
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        raise ImportFailure(f"this is no estimator of scikit-learn: {type(estimator).__name__}")
    for candidate in (estimator, *(step for _, step in getattr(estimator, "steps", []))):
        count = getattr(candidate, "n_features_in_", None)
        if count is not None:
            return int(count)
    raise Refused([f"{type(estimator).__name__}: it is not fitted; call fit first"])


def chosen(found: Mapping[str, int], outputs: Sequence[str] | None, name: str) -> tuple[str, ...]:
    """The outputs that are asked for; by default, of a classifier class and probabilities, or decision where there are none."""
    if outputs is None:
        first = [kind for kind in ("class", "value", "transformed") if kind in found]
        return (*first, *[kind for kind in ("probabilities", "decision") if kind in found][:1])
    for kind in outputs:
        if kind not in found:
            raise ImportFailure(f"{name} gives no {kind!r}: {', '.join(found)}")
    if not outputs or len(set(outputs)) < len(outputs):
        raise ImportFailure("outputs have to be named, each once")
    return tuple(outputs)


def import_estimator(
    estimator: Any, strategy: str = "auto", *, dtype: str = "float", batch: int | None = None, outputs: Sequence[str] | None = None,
    name: str | None = None,
) -> Exported:
    """Reads a fitted estimator or pipeline. Raises `strc.errors.ImportFailure`; the arguments are those of `export`."""
    check_version()
    check_arguments(strategy, dtype, batch)
    width = features_of(estimator)
    builder = Builder(strategy, batch)
    found, last = convert(builder, estimator, Value(0, width, dtype))
    if builder.faults:
        raise Refused(builder.faults)
    given = chosen(found, outputs, type(last).__name__)
    results = tuple(rounded(builder, found[kind]) if dtype == "float" and kind != "class" else found[kind] for kind in given)
    classes = getattr(last, "classes_", None) if "class" in found else None
    takes = f"tensor<{dtype}>[{'_' if batch is None else batch}, {width}]"
    default = "Transform" if "transformed" in found else type(last).__name__
    program = passes.run(Program((0,), builder.instructions, results, name or default))
    used = {name for instruction in program.instructions for name in weights_prefixes(instruction)}
    tensors = {key: value for key, value in builder.tensors.items() if key.rpartition(".")[0] in used}
    return Exported(program, builder.written, tensors, given, None if classes is None else numpy.asarray(classes), builder.strategies, takes)


def rounded(builder: Builder, var: int) -> int:
    return builder.add("Rounded", (var,), "float")


def export(
    estimator: Any, path: str | os.PathLike[str], strategy: str = "auto", *, dtype: str = "float", batch: int | None = None,
    outputs: Sequence[str] | None = None, name: str | None = None, title: str = "",
) -> Exported:
    """Writes a fitted estimator or pipeline to `path` (a .str file) and its values beside it (.safetensors). Writes both or nothing.

    `strategy` is how forests are computed: "gemm", "perfect", "traversal", or "auto" to choose by the shape of the trees. `dtype` is the
    type of the inputs, "float" or "double". `batch` is the number of rows of an item; without it any number is taken. `outputs` are
    what the program gives, some of "class", "probabilities", "decision", "value", "transformed"; by default class and probabilities
    (or decision, where there are none), or value. `name` is the stream's. Raises `strc.errors.ImportFailure` with an explanation for the
    user, which names all that cannot be exported.
    """
    exported = import_estimator(estimator, strategy, dtype=dtype, batch=batch, outputs=outputs, name=name)
    program = Path(path)
    text = exported.source(title)
    values = safetensors.numpy.save(dict(exported.tensors))
    write_both(program, text.encode("ascii"), program.with_suffix(".safetensors"), values)
    return exported
