"""Speech without noise, after the denoiser of Demucs (Defossez, Synnaeve and Adi, 2020): an encoder and decoder of samples with a recurrent layer between them.

    strc import examples/streaming/demucs.py:Demucs --input 1x1x256 --streaming --latency 84 -o denoise.str
"""

import math

import torch
from torch import nn
from torch.nn import functional


class Demucs(nn.Module):
    def __init__(self, hidden=6, depth=3, kernel=8, stride=4):
        super().__init__()
        self.kernel, self.stride, self.depth = kernel, stride, depth
        self.encoder, self.decoder = nn.ModuleList(), nn.ModuleList()
        inputs, channels = 1, hidden
        for level in range(depth):
            self.encoder.append(
                nn.Sequential(nn.Conv1d(inputs, channels, kernel, stride), nn.ReLU(), nn.Conv1d(channels, 2 * channels, 1), nn.GLU(1))
            )
            up = [nn.Conv1d(channels, 2 * channels, 1), nn.GLU(1), nn.ConvTranspose1d(channels, inputs, kernel, stride)]
            self.decoder.insert(0, nn.Sequential(*up, *([nn.ReLU()] if level else [])))
            inputs, channels = channels, 2 * channels
        self.lstm = nn.LSTM(inputs, inputs, 2)

    def valid_length(self, length):
        """That which all windows fill."""
        for _ in range(self.depth):
            length = max(math.ceil((length - self.kernel) / self.stride) + 1, 1)
        for _ in range(self.depth):
            length = (length - 1) * self.stride + self.kernel
        return length

    def forward(self, x):
        length = x.shape[-1]
        x = functional.pad(x, (0, self.valid_length(length) - length))
        skips = []
        for layer in self.encoder:
            x = layer(x)
            skips.append(x)
        x = self.lstm(x.permute(2, 0, 1))[0].permute(1, 2, 0)
        for layer in self.decoder:
            skip = skips.pop()
            x = layer(x + skip[..., : x.shape[-1]])
        return x[..., :length]
