"""The amplifier's network, how it was trained, and how the program was made of it.

    python examples/lstm_stream/model.py      (a Python with PyTorch; writes amplifier.str and amplifier.safetensors here)
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

HERE = Path(__file__).resolve().parent


class Amplifier(nn.Module):
    """One recurrent layer over single samples; what it makes is added to the sound."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 12, batch_first=True)
        self.dense = nn.Linear(12, 1)

    def forward(self, x):
        return x + self.dense(self.lstm(x)[0])


def sagging(x):
    """What the network learns: a valve whose gain gives way where it is loud."""
    loudness = torch.zeros(x.shape[0], 1)
    made = []
    for sample in x.unbind(1):
        loudness = 0.98 * loudness + 0.02 * sample.abs()
        made.append(0.6 * torch.tanh(5 * sample / (1 + 4 * loudness)))
    return torch.stack(made, 1)


def trained(steps=60):
    torch.manual_seed(1)
    model = Amplifier()
    optimiser = torch.optim.Adam(model.parameters(), 0.02)
    for _ in range(steps):
        x = functional.avg_pool1d(torch.randn(16, 1, 258), 3, 1).transpose(1, 2) * torch.rand(16, 1, 1)
        loss = functional.mse_loss(model(x), sagging(x))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss {loss.item():.5f}", file=sys.stderr)
    return model.eval()


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    import strc.torch

    title = "Made by examples/lstm_stream/model.py"
    strc.torch.export(trained(), [torch.randn(1, 256, 1)], HERE / "amplifier.str", streaming=True, title=title)
