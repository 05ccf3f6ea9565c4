"""Networks with what stands around them: from a picture to the names of classes."""

import json
import subprocess

import numpy
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file
from support import STRC
from torchvision.transforms import v2

from strc.importer.command import run

MODULE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.out = nn.Linear(8, 6)

    def forward(self, x):
        return self.out(torch.relu(self.conv(x)).mean((2, 3)))

class Likely(Net):
    def forward(self, x):
        return super().forward(x).softmax(-1)

class Shaped(Net):
    def forward(self, x):
        return {"likely": super().forward(x).softmax(-1).reshape(6)}

class Thousand(nn.Module):
    def forward(self, x):
        return x.mean((2, 3)) @ torch.ones(3, 1000)

class Labelled(Net):
    def __init__(self):
        super().__init__()
        self.labels = nn.Parameter(torch.ones(6))

    def forward(self, x):
        return super().forward(x) * self.labels

class Sum(nn.Module):
    def forward(self, x, y):
        return x + y

def make():
    return Net()
"""
LABELS = ["tench", "goldfish", "great white shark", "tiger", "hammerhead", "stingr\u00e4y"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(MODULE)
    (tmp_path / "labels.txt").write_text("\n".join(LABELS) + "\n", encoding="utf-8")
    return tmp_path


def picture(rows, columns):
    """As a file, and as a tensor from 0 to 1."""
    pixels = numpy.random.default_rng(rows).integers(0, 256, (rows, columns, 3), numpy.uint8)
    Image.fromarray(pixels).save("picture.png")
    return torch.from_numpy(pixels).permute(2, 0, 1) / 255


def expected(name, pixels):
    """Lines that the program has to print, as probabilities and names."""
    torch.manual_seed(0)
    scope = {}
    exec(MODULE, scope)
    model = scope[name]()
    ready = v2.Compose([v2.Resize(73, antialias=True), v2.CenterCrop(64), v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])(pixels)
    with torch.no_grad():
        result = model(ready[None])
    likely = {"Likely": lambda: result, "Shaped": lambda: result["likely"][None]}.get(name, lambda: result.softmax(-1))()
    best = likely[0].topk(5)
    return [(float(p), LABELS[int(k)]) for p, k in zip(best.values, best.indices)]


def told(text):
    return [(float(p), name) for p, _, name in (line.partition(" ") for line in text.splitlines())]


def assert_told(text, wanted):
    assert [name for _, name in told(text)] == [name for _, name in wanted]
    assert numpy.allclose([p for p, _ in told(text)], [p for p, _ in wanted], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["Net", "Likely", "Shaped", "Labelled"])
def test_from_a_picture_to_names(name):
    assert run([f"net.py:{name}", "--input", "1x3x64x64", "--preprocess", "imagenet", "--labels", "labels.txt", "-o", "net.str"]) == 0
    pixels = picture(90, 131)
    words = [STRC, "run", "--top", f"{name}OfPictures", "--in", "picture.png", "net.str"]
    assert_told(subprocess.run(words, check=True, capture_output=True, text=True).stdout, expected(name, pixels))


def test_an_executable_takes_pictures_of_any_size():
    assert run(["net.py:Net", "--input", "1x3x64x64", "--preprocess", "imagenet", "--labels", "labels.txt", "-o", "net.str"]) == 0
    subprocess.run([STRC, "build", "-w", "--top", "NetOfPictures", "--input", "3x_x_", "net.str", "-o", "net"], check=True)
    for size in ((90, 131), (64, 70), (301, 80)):
        pixels = picture(*size)
        done = subprocess.run(["./net", "--in", "picture.png"], check=True, capture_output=True, text=True, env={})
        assert_told(done.stdout, expected("Net", pixels))


CONVNEXT = {"do_resize": True, "size": {"shortest_edge": 64}, "crop_pct": 0.875, "resample": 3, "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.25] * 3}
VIT = {"do_resize": True, "size": {"height": 64, "width": 64}, "resample": 2, "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
CLIP = {**VIT, "size": {"shortest_edge": 70}, "resample": 3, "do_center_crop": True, "crop_size": {"height": 64, "width": 64}, "do_convert_rgb": True}
CUBIC = v2.InterpolationMode.BICUBIC
AROUND = {
    "convnext.json": (CONVNEXT, [v2.Resize(73, CUBIC), v2.CenterCrop(64), v2.Normalize([0.5] * 3, [0.25] * 3)]),
    "vit.json": (VIT, [v2.Resize((64, 64)), v2.Normalize([0.5] * 3, [0.5] * 3)]),
    "clip.json": (CLIP, [v2.Resize(70, CUBIC), v2.CenterCrop(64), v2.Normalize([0.5] * 3, [0.5] * 3)]),
    "resize=80,mean=0.4/0.5/0.6,std=0.2/0.3/0.4": (None, [v2.Resize(80), v2.CenterCrop(64), v2.Normalize([0.4, 0.5, 0.6], [0.2, 0.3, 0.4])]),
    "resize=64x64,cubic=1": (None, [v2.Resize((64, 64), CUBIC)]),
}


@pytest.mark.parametrize("how", AROUND)
def test_other_preprocessing(how, folder):
    config, steps = AROUND[how]
    if config:
        (folder / how).write_text(json.dumps(config))
    assert run(["net.py:Net", "--input", "1x3x64x64", "--preprocess", how, "-o", "net.str"]) == 0
    pixels = picture(90, 131)
    subprocess.run([STRC, "run", "--top", "NetOfPictures", "--in", "picture.png", "--out", "found.npy", "net.str"], check=True)
    scope = {}
    exec(MODULE, scope)
    model = scope["Net"]()
    model.load_state_dict(load_file("net.safetensors"))
    with torch.no_grad():
        wanted = model(v2.Compose(steps)(pixels)[None])
    assert numpy.allclose(numpy.load("found.npy").reshape(wanted.shape), wanted, rtol=0, atol=1e-5)


def test_weights_of_torchvision(capsys):
    """What they are trained behind, and what they name."""
    names = ["--preprocess", "EfficientNet_B1_Weights.IMAGENET1K_V1", "--labels", "EfficientNet_B1_Weights.IMAGENET1K_V1"]
    assert run(["net.py:Thousand", "--input", "1x3x240x240", *names, "-o", "net.str"]) == 0
    text = open("net.str").read()
    assert "resize(256, true)" in text and "center_crop(240, 240)" in text and "print_labels(5, 1000," in text
    assert run(["net.py:Net", "--input", "1x3x64x64", *names[:2]]) == 1
    assert "makes pictures of 240 x 240, and the network takes 64 x 64" in capsys.readouterr().err


def test_each_stands_alone(capsys):
    assert run(["net.py:Net", "--input", "1x3x64x64", "--preprocess", "imagenet"]) == 0
    printed = capsys.readouterr().out
    assert "tensor->tensor pipeline NetOfPictures" in printed and "print_labels" not in printed
    assert run(["net.py:Net", "--input", "1x3x64x64", "--labels", "labels.txt"]) == 0
    printed = capsys.readouterr().out
    assert "tensor->void pipeline NetOfPictures" in printed and "resize" not in printed


@pytest.mark.parametrize(
    "words, said",
    [
        (["net.py:Net", "--input", "1x3x64x64", "--labels", "five.txt"], "five.txt: there are 5 labels, and the network tells 6 classes apart"),
        (["net.py:Net", "--input", "1x3x64x64", "--labels", "none.txt"], "No such file"),
        (["net.py:Net", "--input", "1x3x64x64", "--labels", "gaps.txt"], "gaps.txt: a file of labels has the name of a class on each line"),
        (["net.py:Net", "--input", "1x3x64x64", "--labels", "zero.bin"], "zero.bin: a label has the character 0 in it"),
        (["net.py:Net", "--input", "2x3x64x64", "--preprocess", "imagenet"], "takes one picture"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "cifar"], "--preprocess cifar: there are imagenet, weights of torchvision"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "No_Weights.DEFAULT"], "torchvision has no weights No_Weights.DEFAULT"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "none.json"], "No such file"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "torn.json"], "torn.json: it is no JSON"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "padded.json"], "padded.json: there is no filter for do_pad"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "lanczos.json"], "by linear (2) or cubic (3) interpolation, and not by 1"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "scaled.json"], "only a rescale_factor of 1/255 is known"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "number.json"], "whether a size of 64 is that of the shorter side is not told"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "resize=64,blur=3"], "'blur=3' says nothing that is known"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "mean=0.5"], "as many means (mean) as deviations (std)"),
        (["net.py:Net", "--input", "2x3x64x64", "--labels", "labels.txt"], "gives a tensor of shape 2x6"),
        (["net.py:Sum", "--input", "3x4", "--input", "3x4", "--labels", "labels.txt"], "networks with one input, and this one has 2"),
        (["net.py:Net", "--input", "1x3x64x64", "--preprocess", "imagenet", "--emit=ir"], "they go not with --emit"),
    ],
)
def test_refused(words, said, capsys, folder):
    wrong = {"padded": {**VIT, "do_pad": True}, "lanczos": {**VIT, "resample": 1}, "scaled": {**VIT, "rescale_factor": 1 / 127.5}, "number": {**VIT, "size": 64}}
    for name, config in wrong.items():
        (folder / f"{name}.json").write_text(json.dumps(config))
    (folder / "torn.json").write_text('{"size": ')
    (folder / "five.txt").write_text("\n".join(LABELS[:5]), encoding="utf-8")
    (folder / "gaps.txt").write_text("a\n\nb\n")
    (folder / "zero.bin").write_bytes(b"a\n\0b\n")
    assert run([*words, "-o", "net.str"]) == 1
    assert said in capsys.readouterr().err
    assert not (folder / "net.str").exists() and not (folder / "net.safetensors").exists()
