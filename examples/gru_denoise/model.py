"""The suppressor's network, how it was trained, and how the program was made of it.

    python examples/gru_denoise/model.py      (a Python with PyTorch; writes denoise.str and denoise.safetensors here)
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

HERE = Path(__file__).resolve().parent
RATE = 8000


class Denoise(nn.Module):
    """The sound in bands; a recurrent layer hears how loud they are and decides how much of each may pass."""

    def __init__(self):
        super().__init__()
        self.bands = nn.Conv1d(1, 8, 48)
        self.gru = nn.GRU(8, 12, batch_first=True)
        self.gains = nn.Linear(12, 8)
        self.mix = nn.Conv1d(8, 1, 1, bias=False)

    def forward(self, x):
        bands = self.bands(functional.pad(x, (47, 0)))
        loudness = functional.avg_pool1d(functional.pad(bands.abs(), (31, 0)), 32, 1)
        gains = torch.sigmoid(self.gains(self.gru(loudness.transpose(1, 2))[0]))
        return self.mix(bands * gains.transpose(1, 2))


def melodies(count, length):
    """Notes that begin and end, without and with noise."""
    t = torch.arange(length) / RATE
    pitch = 200 + 600 * torch.rand(count, 1)
    start, end = torch.rand(count, 1) * 0.5 * length, (0.5 + 0.5 * torch.rand(count, 1)) * length
    k = torch.arange(length)
    fade = ((k - start) / 80).clamp(0, 1) * ((end - k) / 80).clamp(0, 1)
    clean = (0.5 * fade * torch.sin(2 * torch.pi * pitch * t)).unsqueeze(1)
    return clean, clean + 0.08 * torch.randn(count, 1, length)


def trained(steps=120):
    torch.manual_seed(1)
    model = Denoise()
    optimiser = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(steps):
        clean, noisy = melodies(16, 640)
        loss = functional.mse_loss(model(noisy), clean)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss {loss.item():.5f}", file=sys.stderr)
    return model.eval()


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    import strc.torch

    title = "Made by examples/gru_denoise/model.py"
    strc.torch.export(trained(), [torch.randn(1, 1, 256)], HERE / "denoise.str", streaming=True, title=title)
