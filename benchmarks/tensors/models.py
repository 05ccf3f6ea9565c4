"""The networks that are compared, each with the shape of its input for a batch; weights are random."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Network:
    name: str
    make: Callable[[], nn.Module]
    shape: Callable[[int], tuple[int, ...]]  # for a batch
    inputs: int = 1


class Mlp(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))


class LeNet(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
        )


class Lstm(nn.Module):
    """The outputs of all steps."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(28, 128, num_layers=2, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


class Gru(nn.Module):
    """The outputs of all steps."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(28, 128, num_layers=2, batch_first=True)

    def forward(self, x):
        return self.gru(x)[0]


class Encoder(nn.Module):
    """A transformer encoder layer, written out: the fused path of nn.TransformerEncoderLayer cannot be exported."""

    def __init__(self, width=256, heads=4, inner=1024):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.inner = nn.Linear(width, inner)
        self.outer = nn.Linear(inner, width)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x):
        batch, items, width = x.shape
        q, k, v = (
            part.reshape(batch, items, self.heads, width // self.heads).transpose(1, 2)
            for part in self.project(x).chunk(3, dim=-1)
        )
        y = nn.functional.scaled_dot_product_attention(q, k, v)
        x = self.norm1(x + self.out(y.transpose(1, 2).reshape(batch, items, width)))
        return self.norm2(x + self.outer(torch.relu(self.inner(x))))


class Attention(nn.Module):
    """Of one input for queries, keys and values, so that all sides read the same."""

    def forward(self, x):
        q, k, v = x.chunk(3, dim=-1)
        return nn.functional.scaled_dot_product_attention(q, k, v)


def resnet18():
    from torchvision.models import resnet18 as make

    return make()


def mobilenet_v2():
    from torchvision.models import mobilenet_v2 as make

    return make()


NETWORKS = [
    Network("mlp", Mlp, lambda n: (n, 784)),
    Network("lenet", LeNet, lambda n: (n, 1, 28, 28)),
    Network("resnet18", resnet18, lambda n: (n, 3, 224, 224)),
    Network("mobilenetv2", mobilenet_v2, lambda n: (n, 3, 224, 224)),
    Network("lstm", Lstm, lambda n: (n, 100, 28)),
    Network("gru", Gru, lambda n: (n, 100, 28)),
    Network("encoder", Encoder, lambda n: (n, 128, 256)),
    Network("attention", Attention, lambda n: (n, 8, 512, 192)),
]


def made(network: Network) -> nn.Module:
    """With the same weights every time; statistics of norms are not trivial, and values keep their size."""
    torch.manual_seed(1)
    model = network.make().eval()
    for name, value in model.named_buffers():
        if value.is_floating_point():
            value.copy_(torch.rand_like(value) + 0.5 if "var" in name else torch.randn_like(value) * 0.1)
    return model
