#!/usr/bin/env python3
"""Makes the weights files and expected outputs of the programs in this folder with PyTorch.

reference.py            writes NAME.safetensors and NAME.out; needs torch and safetensors

The tests need none of it: what is written here is kept.
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

FOLDER = Path(__file__).resolve().parent


class Case:
    """Tensors of one weights file, and the numbers that its program prints, in order."""

    def __init__(self, seed):
        torch.manual_seed(seed)
        self.tensors = {}
        self.lines = []

    def input(self, name, *shape):
        self.tensors[name] = torch.randn(*shape)
        return self.tensors[name]

    def layer(self, prefix, module, x):
        """A module with random values, in evaluation."""
        module.eval()
        for name, value in module.state_dict().items():
            if value.dtype == torch.int64:
                continue
            positive = name == "running_var"
            value.copy_(torch.rand_like(value) + 0.5 if positive else torch.randn_like(value))
            self.tensors[f"{prefix}.{name}"] = value.clone()
        return self.show(module(x))

    def show(self, y):
        self.lines += [repr(float(value)) for value in y.detach().double().flatten()]
        return y

    def write(self, name):
        tensors = {key: value.contiguous() for key, value in self.tensors.items()}
        save_file(tensors, FOLDER / f"{name}.safetensors")
        (FOLDER / f"{name}.out").write_text("".join(line + "\n" for line in self.lines))
        program = FOLDER / f"{name}.str"
        wanted = f"// lines: {len(self.lines)}\n"
        if wanted not in program.read_text():
            raise SystemExit(f"{program.name} has to say '{wanted.strip()}'")


def linear():
    case = Case(1)
    x = case.input("x", 2, 5)
    hidden = case.layer("net.fc1", nn.Linear(5, 4), x)
    case.layer("net.fc2", nn.Linear(4, 3, bias=False), hidden)
    case.layer("row", nn.Linear(3, 2), case.input("row.x", 3))
    case.layer("batch", nn.Linear(3, 2), case.input("batch.x", 2, 2, 3))
    return case


def embedding():
    case = Case(2)
    case.tensors["indices"] = torch.tensor([[3, 0, 2], [2, 6, 1]])
    case.layer("table", nn.Embedding(7, 3), case.tensors["indices"])
    return case


def batchnorm():
    case = Case(3)
    case.layer("rows", nn.BatchNorm1d(3), case.input("rows.x", 2, 3))
    case.layer("lines", nn.BatchNorm1d(3, eps=0.01), case.input("lines.x", 2, 3, 2))
    case.layer("pictures", nn.BatchNorm2d(2), case.input("pictures.x", 2, 2, 2, 3))
    case.layer("plain", nn.BatchNorm2d(2, affine=False), case.input("plain.x", 1, 2, 2, 2))
    case.layer("spaces", nn.BatchNorm3d(2), case.input("spaces.x", 1, 2, 2, 1, 2))
    return case


def layernorm():
    case = Case(4)
    case.layer("last", nn.LayerNorm(4), case.input("last.x", 2, 4))
    case.layer("both", nn.LayerNorm((2, 3), eps=0.1), case.input("both.x", 2, 2, 3))
    case.layer("plain", nn.LayerNorm(4, elementwise_affine=False), case.input("plain.x", 2, 4))
    case.layer("unbiased", nn.LayerNorm(4, bias=False), case.input("unbiased.x", 4))
    case.layer("root", nn.RMSNorm(4, eps=1e-5), case.input("root.x", 2, 4))
    case.layer("roots", nn.RMSNorm((2, 2), eps=0.5, elementwise_affine=False), case.input("roots.x", 2, 2, 2))
    return case


def groupnorm():
    case = Case(5)
    case.layer("two", nn.GroupNorm(2, 4), case.input("two.x", 2, 4, 3))
    case.layer("rows", nn.GroupNorm(3, 6, eps=0.2), case.input("rows.x", 2, 6))
    case.layer("plain", nn.GroupNorm(1, 2, affine=False), case.input("plain.x", 1, 2, 2, 2))
    case.layer("instance", nn.InstanceNorm2d(2, affine=True), case.input("instance.x", 2, 2, 2, 3))
    case.layer("single", nn.InstanceNorm2d(2, eps=0.3), case.input("single.x", 2, 3, 2))
    return case


def main():
    for make in (linear, embedding, batchnorm, layernorm, groupnorm):
        make().write(make.__name__)


if __name__ == "__main__":
    main()
