"""Noise suppression with gains for bands of the spectrum and a flag for voices, after RNNoise (Valin, 2018): windows of 20 ms, every 10 ms.

    strc import examples/streaming/rnnoise.py:RNNoise --input 1x9600 --streaming --latency 960 -o rnnoise.str
"""

import torch
from torch import nn
from torch.nn import functional

WINDOW, HOP, BANDS = 960, 480, 22


def triangles(bins, bands):
    """Bands that overlap by half, closer together at low frequencies."""
    edges = (torch.linspace(0, 1, bands) ** 2 * (bins - 1 - bands) + torch.arange(bands)).unsqueeze(1)
    distance = torch.arange(bins) - edges
    widths = torch.cat([edges[1:] - edges[:-1], torch.ones(1, 1)])
    before = torch.cat([torch.ones(1, 1), widths[:-1]])
    return torch.where(distance < 0, 1 + distance / before, 1 - distance / widths).clamp(min=0)


class RNNoise(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.sin(torch.pi / 2 * torch.sin(torch.pi * (torch.arange(WINDOW) + 0.5) / WINDOW) ** 2))
        self.register_buffer("bands", triangles(WINDOW // 2 + 1, BANDS))
        self.first = nn.Linear(BANDS, 24)
        self.voice = nn.GRU(24, 24, batch_first=True)
        self.noise = nn.GRU(24 + 24 + BANDS, 48, batch_first=True)
        self.gain = nn.GRU(24 + 48 + BANDS, 96, batch_first=True)
        self.to_flag, self.to_gains = nn.Linear(24, 1), nn.Linear(96, BANDS)

    def forward(self, x):
        past = functional.pad(x, (WINDOW - HOP, 0))
        spectrum = torch.stft(past, WINDOW, HOP, window=self.window, center=False, return_complex=True)
        energy = torch.log10(spectrum.abs().square().transpose(1, 2) @ self.bands.t() + 1e-2)
        features = torch.tanh(self.first(energy))
        voice, _ = self.voice(features)
        noise, _ = self.noise(torch.cat([features, voice, energy], -1))
        gain, _ = self.gain(torch.cat([voice, noise, energy], -1))
        gains = torch.sigmoid(self.to_gains(gain)) @ self.bands
        sound = torch.istft(spectrum * gains.transpose(1, 2), WINDOW, HOP, window=self.window, length=x.shape[-1])
        return sound, torch.sigmoid(self.to_flag(voice))
