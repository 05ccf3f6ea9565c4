"""Two voices out of one, after Conv-TasNet (Luo and Mesgarani, 2019), in its causal form: windows that are learned, masks by dilated convolutions.

    strc import examples/streaming/conv_tasnet.py:ConvTasNet --input 1x1x160 --streaming --latency 8 -o separate.str
"""

import torch
from torch import nn
from torch.nn import functional


class ChannelNorm(nn.Module):
    """Over the channels of each time step."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm(channels)

    def forward(self, x):
        return self.norm(x.transpose(1, 2)).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, channels, hidden, kernel, dilation):
        super().__init__()
        self.reach = (kernel - 1) * dilation
        self.widen = nn.Conv1d(channels, hidden, 1)
        self.act1, self.norm1 = nn.PReLU(), ChannelNorm(hidden)
        self.depthwise = nn.Conv1d(hidden, hidden, kernel, dilation=dilation, groups=hidden)
        self.act2, self.norm2 = nn.PReLU(), ChannelNorm(hidden)
        self.residual, self.skip = nn.Conv1d(hidden, channels, 1), nn.Conv1d(hidden, channels, 1)

    def forward(self, x):
        y = self.norm1(self.act1(self.widen(x)))
        y = self.depthwise(functional.pad(y, (self.reach, 0)))
        y = self.norm2(self.act2(y))
        return x + self.residual(y), self.skip(y)


class ConvTasNet(nn.Module):
    def __init__(self, voices=2, bases=24, window=16, channels=12, hidden=20, kernel=3, depth=3, repeats=2):
        super().__init__()
        self.voices, self.bases = voices, bases
        self.encoder = nn.Conv1d(1, bases, window, window // 2, bias=False)
        self.norm = ChannelNorm(bases)
        self.narrow = nn.Conv1d(bases, channels, 1)
        self.blocks = nn.ModuleList(Block(channels, hidden, kernel, 2**i) for _ in range(repeats) for i in range(depth))
        self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(channels, voices * bases, 1), nn.Sigmoid())
        self.decoder = nn.ConvTranspose1d(bases, 1, window, window // 2, bias=False)

    def forward(self, x):
        windows = torch.relu(self.encoder(x))
        y, total = self.narrow(self.norm(windows)), 0
        for block in self.blocks:
            y, skip = block(y)
            total = total + skip
        masks = self.masks(total).chunk(self.voices, 1)
        return torch.cat([self.decoder(windows * mask) for mask in masks], 1)
