"""What pictures go through before a network: presets, weights of torchvision, configurations of transformers, and what the command line says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Union

import torch

from ..errors import ImportFailure
from ..files import naming

Size = tuple[int, int]
FORMS = "imagenet, weights of torchvision (ResNet50_Weights.DEFAULT), a preprocessor_config.json, or resize=256,mean=0.5/0.5/0.5,std=0.5/0.5/0.5"
RESAMPLING = {2: False, 3: True}  # the numbers of PIL for linear and cubic
UNIT = 1 / 255
WORDS: dict[str, Callable[[str], Any]] = {
    "resize": lambda value: tuple(map(int, value.split("x"))), "mean": lambda value: tuple(map(float, value.split("/"))),
    "std": lambda value: tuple(map(float, value.split("/"))), "cubic": lambda value: {"0": False, "1": True}[value],
}  # fmt: skip
HARMLESS = {"do_resize", "do_center_crop", "do_normalize", "do_rescale", "do_convert_rgb"}


@dataclass(frozen=True)
class Preprocessing:
    """What a picture with numbers from 0 to 1 goes through."""

    resize: Union[int, Size, None] = None  # the shorter side, or rows and columns
    crop: Size | None = None
    mean: tuple[float, ...] = ()  # none: as they are
    deviation: tuple[float, ...] = ()
    cubic: bool = False

    def filters(self) -> list[str]:
        """In the language."""
        made, cubic = [], ", true" if self.cubic else ""
        if isinstance(self.resize, int):
            made.append(f"resize({self.resize}{cubic})")
        elif self.resize:
            made.append(f"resize_to({self.resize[0]}, {self.resize[1]}{cubic})")
        if self.crop:
            made.append(f"center_crop({self.crop[0]}, {self.crop[1]})")
        if self.mean:
            made.append(f"normalize_channels({numbers(self.mean)}, {numbers(self.deviation)})")
        return made

    def size(self) -> Size | None:
        """Rows and columns of what comes out; None if that depends on the picture."""
        return self.crop or (self.resize if isinstance(self.resize, tuple) else None)


def numbers(values: tuple[float, ...]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


def imagenet(size: Size) -> Preprocessing:
    """As the presets of torchvision's reference training have it (torchvision.transforms._presets.ImageClassification)."""
    return Preprocessing(round(min(size) * 256 / 224), size, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def of_weights(name: str) -> Preprocessing:
    """Of an enumeration of torchvision, of which nothing is loaded."""
    from torchvision.transforms import InterpolationMode
    from torchvision.transforms._presets import ImageClassification

    how = weights_named(name).transforms()
    modes = {InterpolationMode.BILINEAR: False, InterpolationMode.BICUBIC: True}
    if not isinstance(how, ImageClassification) or how.interpolation not in modes or not how.antialias:
        raise ImportFailure(f"--preprocess {name}: only what networks for classes take, resized by linear or cubic interpolation, can be put before a network")
    crop = side(name, how.crop_size)
    return Preprocessing(side(name, how.resize_size)[0], crop, tuple(how.mean), tuple(how.std), modes[how.interpolation])


def weights_named(name: str) -> Any:
    try:
        from torchvision.models import get_weight

        return get_weight(name)
    except (ImportError, ValueError, KeyError, AttributeError) as error:
        raise ImportFailure(f"torchvision has no weights {name}") from error


def side(what: str, value: Any) -> Size:
    """A size as configurations write it: a number, a list of one or two, or height and width."""
    if isinstance(value, dict) and {"height", "width"} <= value.keys():
        value = [value["height"], value["width"]]
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(values) not in (1, 2) or not all(type(one) is int and one >= 1 for one in values):
        raise ImportFailure(f"{what}: {json.dumps(value)} is no size")
    return values[0], values[-1]


def of_config(path: str) -> Preprocessing:
    """Of the file that image processors of transformers are stored in."""
    with naming(path):
        text = Path(path).read_bytes()
    try:
        config = json.loads(text)
    except ValueError as error:
        raise ImportFailure(f"{path}: it is no JSON ({error})") from None
    if not isinstance(config, dict):
        raise ImportFailure(f"{path}: an image processor of transformers is stored as a dictionary")
    unknown = sorted(key for key, value in config.items() if key.startswith("do_") and value and key not in HARMLESS)
    if unknown:
        raise ImportFailure(f"{path}: there is no filter for {unknown[0]}")
    if config.get("do_rescale", True) and abs(config.get("rescale_factor", UNIT) - UNIT) > 1e-9 or config.get("do_rescale") is False:
        raise ImportFailure(f"{path}: the numbers of a picture are from 0 to 1 here, so only a rescale_factor of 1/255 is known")
    made = Preprocessing()
    if config.get("do_resize", "size" in config):
        made = resized(path, config)
    if config.get("do_center_crop", False):
        made = replace(made, crop=side(f"{path}: crop_size", config.get("crop_size")))
    if config.get("do_normalize", "image_mean" in config):
        mean, deviation = (values(path, key, config.get(key)) for key in ("image_mean", "image_std"))
        made = replace(made, mean=mean, deviation=deviation)
    return made


def resized(path: str, config: dict[str, Any]) -> Preprocessing:
    size, resample = config.get("size"), config.get("resample", 2)
    if resample not in RESAMPLING:
        raise ImportFailure(f"{path}: pictures are resized by linear (2) or cubic (3) interpolation, and not by {json.dumps(resample)}")
    cubic = RESAMPLING[resample]
    if not isinstance(size, dict):
        raise ImportFailure(f'{path}: whether a size of {json.dumps(size)} is that of the shorter side is not told: {{"height": ..., "width": ...}} or {{"shortest_edge": ...}} is')
    if "shortest_edge" not in size:
        return Preprocessing(side(f"{path}: size", size), cubic=cubic)
    shorter = side(f"{path}: size", size["shortest_edge"])[0]
    share = config.get("crop_pct")
    if share is None:
        return Preprocessing(shorter, cubic=cubic)
    # As ConvNext has it: small ones are cut out of a larger picture, great ones are squeezed.
    return Preprocessing(int(shorter / share), (shorter, shorter), cubic=cubic) if shorter < 384 else Preprocessing((shorter, shorter), cubic=cubic)


def values(path: str, key: str, given: Any) -> tuple[float, ...]:
    one = given if isinstance(given, list) else [given]
    if not all(isinstance(value, (int, float)) for value in one):
        raise ImportFailure(f"{path}: {key} is a list of numbers, and not {json.dumps(given)}")
    return tuple(map(float, one))


def of_words(text: str, size: Size) -> Preprocessing:
    """`resize=256,mean=0.5/0.5/0.5,std=0.5/0.5/0.5,cubic=1`: what has another size then is cut to that which the network takes."""
    found: dict[str, Any] = {}
    for word in text.split(","):
        name, _, value = word.partition("=")
        try:
            found[name] = WORDS[name](value)
        except (KeyError, ValueError):
            raise ImportFailure(f"--preprocess: '{word}' says nothing that is known; there are {FORMS}") from None
    if len(found.get("mean", ())) != len(found.get("std", ())):
        raise ImportFailure("--preprocess: there are as many means (mean) as deviations (std)")
    sides = found.get("resize", ())
    if len(sides) > 2 or not all(side >= 1 for side in sides):
        raise ImportFailure("--preprocess: resize says the shorter side (256), or rows and columns (224x224)")
    resize = None if not sides else sides[0] if len(sides) == 1 else sides
    return Preprocessing(resize, None if resize == size else size, found.get("mean", ()), found.get("std", ()), found.get("cubic", False))


def preprocessing_of(text: str, shape: torch.Size) -> tuple[str, ...]:
    """The filters that make a picture of any size what a network with an input of that shape takes. Raises `ImportFailure`."""
    if len(shape) != 4 or shape[0] != 1:
        raise ImportFailure(f"--preprocess {text} is for a network that takes one picture: --input 1x3x224x224")
    size = (int(shape[2]), int(shape[3]))
    if text == "imagenet":
        how = imagenet(size)
    elif text.endswith(".json"):
        how = of_config(text)
    elif "=" in text:
        how = of_words(text, size)
    elif re.fullmatch(r"\w+_Weights\.\w+", text):
        how = of_weights(text)
    else:
        raise ImportFailure(f"--preprocess {text}: there are {FORMS}")
    if how.mean and len(how.mean) not in (1, shape[1]):
        raise ImportFailure(f"--preprocess {text} is for a network that takes one picture of {len(how.mean)} channels: --input 1x{len(how.mean)}x224x224")
    if len(how.mean) != len(how.deviation):
        raise ImportFailure(f"--preprocess {text}: there are {len(how.mean)} means and {len(how.deviation)} deviations")
    if how.size() not in (None, size):
        rows, columns = how.size() or size
        raise ImportFailure(f"--preprocess {text} makes pictures of {rows} x {columns}, and the network takes {size[0]} x {size[1]}")
    if len(how.mean) == 1:
        how = replace(how, mean=how.mean * shape[1], deviation=how.deviation * shape[1])
    return *how.filters(), f"reshape({{{', '.join(map(str, shape))}}})"
