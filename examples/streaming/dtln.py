"""Speech without noise in two stages, after DTLN (Westhausen and Meyer, 2020): a mask for the bands of a spectrum, and one for windows that are learned. The spectrum is
that of a convolution with sines and cosines.

    strc import examples/streaming/dtln.py:DTLN --input 1x1x256 --streaming --eval -o denoise.str
"""

import math

import torch
from torch import nn
from torch.nn import functional


class Mask(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.one, self.two = nn.LSTM(inputs, hidden, batch_first=True), nn.LSTM(hidden, hidden, batch_first=True)
        self.drop, self.out = nn.Dropout(0.25), nn.Linear(hidden, inputs)

    def forward(self, x):
        return torch.sigmoid(self.out(self.two(self.drop(self.one(x)[0]))[0]))


class DTLN(nn.Module):
    def __init__(self, window=32, hop=8, bases=24, hidden=12):
        super().__init__()
        self.window, self.hop, bins = window, hop, window // 2 + 1
        angles = 2 * math.pi * torch.arange(bins)[:, None] * torch.arange(window) / window
        self.register_buffer("waves", torch.cat([angles.cos(), -angles.sin()])[:, None])
        scale = torch.full((bins, 1), 2.0 / window)
        scale[0] = scale[-1] = 1.0 / window
        self.register_buffer("back", torch.cat([scale * angles.cos(), -scale * angles.sin()])[:, None])
        self.mask1 = Mask(bins, hidden)
        self.encoder = nn.Conv1d(window, bases, 1, bias=False)
        self.norm = nn.LayerNorm(bases)
        self.mask2 = Mask(bases, hidden)
        self.decoder = nn.Conv1d(bases, window, 1, bias=False)

    def forward(self, x):
        """Each window is given when it is whole, so the result is later than the input by what windows overlap."""
        length = x.shape[-1]
        spectrum = functional.conv1d(functional.pad(x, (self.window - self.hop, 0)), self.waves, stride=self.hop)
        real, imaginary = spectrum.chunk(2, 1)
        loudness = torch.sqrt(real**2 + imaginary**2 + 1e-9)
        mask = self.mask1(torch.log(loudness + 1e-3).transpose(1, 2)).transpose(1, 2)
        windows = functional.conv1d(torch.cat([real * mask, imaginary * mask], 1), self.back.permute(2, 0, 1))
        y = self.encoder(windows)
        y = y * self.mask2(self.norm(y.transpose(1, 2))).transpose(1, 2)
        count = self.window + self.hop * (y.shape[-1] - 1)
        whole = functional.fold(self.decoder(y), (1, count), (1, self.window), stride=(1, self.hop))
        return whole[:, :, 0, :length]
