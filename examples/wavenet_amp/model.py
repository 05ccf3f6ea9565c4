"""The amplifier's network, how it was trained, and how the program was made of it.

    python examples/wavenet_amp/model.py      (a Python with PyTorch; writes amplifier.str and amplifier.safetensors here)
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

HERE = Path(__file__).resolve().parent
CHANNELS, DILATIONS = 8, (1, 2, 4, 8, 16, 32)


class Layer(nn.Module):
    def __init__(self, dilation):
        super().__init__()
        self.conv = nn.Conv1d(CHANNELS, CHANNELS, 3, dilation=dilation)
        self.out = nn.Conv1d(CHANNELS, CHANNELS, 1)
        self.reach = 2 * dilation

    def forward(self, x, head):
        y = torch.tanh(self.conv(functional.pad(x, (self.reach, 0))))
        return x + self.out(y), head + y


class Amplifier(nn.Module):
    """Layers with residual and skip connections, each looking twice as far back as the one before."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(1, CHANNELS, 1)
        self.layers = nn.ModuleList(Layer(dilation) for dilation in DILATIONS)
        self.last = nn.Conv1d(CHANNELS, 1, 1)

    def forward(self, x):
        x = self.first(x)
        head = 0.1 * x
        for layer in self.layers:
            x, head = layer(x, head)
        return self.last(head)


def valve(x):
    """What the network learns: a low cut, a valve that is driven hard and not evenly, a dull loudspeaker."""
    x = functional.conv1d(functional.pad(x, (8, 0)), torch.tensor([[[-0.1] * 8 + [1.0]]]))
    x = torch.tanh(6 * x + 0.3) - 0.29
    return 0.5 * functional.conv1d(functional.pad(x, (5, 0)), torch.tensor([[[0.05, 0.1, 0.15, 0.2, 0.25, 0.25]]]))


def trained(steps=150):
    torch.manual_seed(1)
    model = Amplifier()
    optimiser = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(steps):
        x = functional.avg_pool1d(torch.randn(4, 1, 1026), 3, 1) * 0.5
        loss = functional.mse_loss(model(x), valve(x))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss {loss.item():.5f}", file=sys.stderr)
    return model.eval()


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    import strc.torch

    title = "Made by examples/wavenet_amp/model.py"
    strc.torch.export(trained(), [torch.randn(1, 1, 512)], HERE / "amplifier.str", streaming=True, title=title)
