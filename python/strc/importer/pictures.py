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


@dataclass(frozen=True)
class Preprocessing:
    """What a picture with numbers from 0 to 1 goes through; the middle of it has the size that the network takes."""

    resize: float  # the shorter side, in sides of what the network takes
    mean: tuple[float, ...]
    deviation: tuple[float, ...]


# As the presets of torchvision's reference training have it (torchvision.transforms._presets.ImageClassification).
PREPROCESSINGS = {"imagenet": Preprocessing(256 / 224, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))}
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


def numbers(values: tuple[float, ...]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


def before(name: str, shape: torch.Size) -> tuple[str, ...]:
    """The filters that make a picture of any size what a network takes."""
    how = PREPROCESSINGS[name]
    if len(shape) != 4 or shape[:2] != (1, len(how.mean)):
        raise ImportFailure(f"--preprocess {name} is for a network that takes one picture of {len(how.mean)} channels: --input 1x{len(how.mean)}x224x224")
    height, width = shape[2:]
    return (
        f"resize({round(min(height, width) * how.resize)})", f"center_crop({height}, {width})",
        f"normalize_channels({numbers(how.mean)}, {numbers(how.deviation)})", f"reshape({{{', '.join(map(str, shape))}}})",
    )  # fmt: skip


def read_labels(path: str) -> list[bytes]:
    """The lines of a file, whose last one may be empty."""
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
    first = before(preprocess, inputs[0].shape) if preprocess else ()
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
