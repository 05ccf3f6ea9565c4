"""What stands around a network that looks at pictures: how they become its input, and how its result is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

from ..errors import ImportFailure
from ..files import naming
from ..torch.attributes import unchanged
from ..torch.export import Model
from ..torch.results import as_tuple
from .preprocessing import preprocessing_of, weights_named


MOST_TOLD = 5
SHAPES = ("reshape", "flatten", "unflatten", "squeeze", "unsqueeze")  # behind a softmax the result is still one


@dataclass(frozen=True)
class Surroundings:
    """Filters before and behind a network, in the language, and what they store."""

    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    stored: Mapping[str, torch.Tensor] = field(default_factory=dict)

    def source(self, text: str, name: str) -> str:
        """The program with a pipeline in front that has them around the stream of that name."""
        first = re.search(rf"^(\S+->)\S+ \w+ {name}(?:\(\))? \{{$", text, re.M)
        if first is None:
            raise ImportFailure("--preprocess and --labels stand around one stream of tensors, and this program has another form")
        output = "void" if self.stored else "tensor"
        lines = [f"    add {each};" for each in (*self.before, f"{name}()", *self.behind)]
        pipeline = "\n".join([f"{first[1]}{output} pipeline {name}OfPictures {{", *lines, "}", "", ""])
        return text[: first.start()] + pipeline + text[first.start() :]


def read_labels(path: str) -> list[bytes]:
    """The lines of a file, whose last one may be empty; or the categories of weights of torchvision."""
    if re.fullmatch(r"\w+_Weights\.\w+", path):
        return [name.encode() for name in weights_named(path).meta.get("categories", ())]
    with naming(path):
        lines = Path(path).read_bytes().splitlines()
    if not lines or not all(line.strip() for line in lines):
        raise ImportFailure(f"{path}: a file of labels has the name of a class on each line")
    if any(b"\0" in line for line in lines):
        raise ImportFailure(f"{path}: a label has the character 0 in it; is this a text file?")
    return lines


def behind(path: str, result: torch.Tensor, is_softmax: bool, prefix: str) -> tuple[tuple[str, ...], dict[str, torch.Tensor]]:
    """The filters that print the best classes, and their names as codes of characters, stored as `labels` behind a prefix."""
    labels = read_labels(path)
    classes = result.numel()
    if result.dim() == 0 or classes != result.shape[-1] or not result.is_floating_point():
        raise ImportFailure(f"--labels names the classes of one result, and this network gives a tensor of shape {'x'.join(map(str, result.shape)) or '()'}")
    if len(labels) != classes:
        raise ImportFailure(f"{path}: there are {len(labels)} labels, and the network tells {classes} classes apart")
    longest = max(map(len, labels))
    codes = torch.tensor([list(label.ljust(longest, b"\0")) for label in labels], dtype=torch.int32)
    where = f', weights = "{prefix}"' if prefix else ""
    filters = (() if is_softmax else ("softmax(-1)",)) + (f"print_labels({min(MOST_TOLD, classes)}, {classes}, {longest}{where})",)
    return filters, {f"{prefix}.labels" if prefix else "labels": codes}


def surroundings(preprocess: str | None, labels: str | None, model: torch.nn.Module, inputs: list[torch.Tensor], imported: Model) -> Surroundings:
    """Of a network with these examples of its inputs. Raises `ImportFailure`."""
    if len(inputs) != 1:
        raise ImportFailure(f"--preprocess and --labels are for networks with one input, and this one has {len(inputs)}")
    first = preprocessing_of(preprocess, inputs[0].shape) if preprocess else ()
    if not labels:
        return Surroundings(first)
    with unchanged(model), torch.no_grad():
        found = as_tuple(model(*inputs))
    results = [found] if isinstance(found, torch.Tensor) else [one for one in found if isinstance(one, torch.Tensor)]
    if len(results) != 1:
        raise ImportFailure(f"--labels names the classes of one result, and this network gives {len(results)}")
    result = results[0]
    computing = [i.op for i in imported.program.instructions if i.op not in SHAPES]
    is_softmax = computing[-1:] == ["softmax"]
    filters, stored = behind(labels, result, is_softmax, "pictures" if "labels" in imported.used_tensors() else "")
    return Surroundings(first, filters, stored)
