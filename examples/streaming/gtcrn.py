"""Spectra without noise, after GTCRN (Rong and others, 2024): grouped convolutions over time and frequency, attention by a recurrent layer over time, and
recurrent layers in groups, within a frame and from frame to frame.

    strc import examples/streaming/gtcrn.py:GTCRN --input 1x2x40x33 --streaming --eval --time 2 -o denoise.str
"""

import torch
from torch import nn
from torch.nn import functional


class Neighbours(nn.Module):
    """Each band with the ones beside it, as channels."""

    def forward(self, x):
        batch, channels, steps, bands = x.shape
        return functional.unfold(x, (1, 3), padding=(0, 1)).reshape(batch, channels * 3, steps, bands)


class Attention(nn.Module):
    """A gain for each channel, by how loud it has been."""

    def __init__(self, channels):
        super().__init__()
        self.gru = nn.GRU(channels, channels * 2, batch_first=True)
        self.out = nn.Linear(channels * 2, channels)

    def forward(self, x):
        loudness = x.pow(2).mean(-1).transpose(1, 2)
        gains = torch.sigmoid(self.out(self.gru(loudness)[0])).transpose(1, 2)
        return x * gains[..., None]


class Block(nn.Module):
    """Half of the channels go by."""

    def __init__(self, channels, dilation, up=False):
        super().__init__()
        half, self.reach = channels // 2, 2 * dilation
        conv = nn.ConvTranspose2d if up else nn.Conv2d
        self.near = Neighbours()
        self.one = nn.Sequential(conv(half * 3, channels, 1), nn.BatchNorm2d(channels), nn.PReLU())
        self.depth = nn.Sequential(
            nn.Conv2d(channels, channels, (3, 3), padding=(0, 1), dilation=(dilation, 1), groups=channels), nn.BatchNorm2d(channels), nn.PReLU()
        )
        self.two = nn.Sequential(conv(channels, half, 1), nn.BatchNorm2d(half))
        self.attention = Attention(half)

    def forward(self, x):
        by, y = x.chunk(2, 1)
        y = self.one(self.near(y))
        y = self.depth(functional.pad(y, (0, 0, self.reach, 0)))
        y = self.attention(self.two(y))
        return torch.stack([by, y], 2).flatten(1, 2)


class Grouped(nn.Module):
    """Two small recurrent layers, each with half of the features."""

    def __init__(self, inputs, hidden, both=False):
        super().__init__()
        self.one = nn.GRU(inputs // 2, hidden // 2, batch_first=True, bidirectional=both)
        self.two = nn.GRU(inputs // 2, hidden // 2, batch_first=True, bidirectional=both)

    def forward(self, x):
        one, two = x.chunk(2, -1)
        return torch.cat([self.one(one)[0], self.two(two)[0]], -1)


class DualPath(nn.Module):
    def __init__(self, channels, bands):
        super().__init__()
        self.within, self.out1 = Grouped(channels, channels // 2, True), nn.Linear(channels, channels)
        self.between, self.out2 = Grouped(channels, channels), nn.Linear(channels, channels)
        self.norm1, self.norm2 = nn.LayerNorm((bands, channels)), nn.LayerNorm((bands, channels))

    def forward(self, x):
        x = x.permute(0, 2, 3, 1)
        batch, steps, bands, channels = x.shape
        y = self.out1(self.within(x.reshape(batch * steps, bands, channels)))
        x = x + self.norm1(y.reshape(batch, steps, bands, channels))
        y = self.out2(self.between(x.permute(0, 2, 1, 3).reshape(batch * bands, steps, channels)))
        x = x + self.norm2(y.reshape(batch, bands, steps, channels).permute(0, 2, 1, 3))
        return x.permute(0, 3, 1, 2)


class GTCRN(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.near = Neighbours()
        self.down1 = nn.Sequential(nn.Conv2d(9, channels, (1, 5), (1, 2), (0, 2)), nn.BatchNorm2d(channels), nn.PReLU())
        self.down2 = nn.Sequential(nn.Conv2d(channels, channels, (1, 5), (1, 2), (0, 2), groups=2), nn.BatchNorm2d(channels), nn.PReLU())
        self.encoder = nn.ModuleList(Block(channels, dilation) for dilation in (1, 2, 5))
        self.middle = nn.Sequential(DualPath(channels, 9), DualPath(channels, 9))
        self.decoder = nn.ModuleList(Block(channels, dilation, True) for dilation in (5, 2, 1))
        self.up1 = nn.Sequential(
            nn.ConvTranspose2d(channels, channels, (1, 5), (1, 2), (0, 2), groups=2), nn.BatchNorm2d(channels), nn.PReLU()
        )
        self.up2 = nn.Sequential(nn.ConvTranspose2d(channels, 2, (1, 5), (1, 2), (0, 2)), nn.BatchNorm2d(2), nn.Tanh())

    def forward(self, spectrum):
        real, imaginary = spectrum[:, :1], spectrum[:, 1:]
        features = torch.cat([torch.sqrt(real**2 + imaginary**2 + 1e-12), spectrum], 1)
        one = self.down1(self.near(features))
        x = two = self.down2(one)
        kept = []
        for block in self.encoder:
            x = block(x)
            kept.append(x)
        x = self.middle(x)
        for block in self.decoder:
            x = block(x + kept.pop())
        mask = self.up2(self.up1(x + two) + one)
        a, b = mask[:, :1], mask[:, 1:]
        return torch.cat([real * a - imaginary * b, real * b + imaginary * a], 1)
