"""Sound as numbers and back, after EnCodec (Defossez, Copet, Synnaeve and Adi, 2022): causal convolutions down and up, a recurrent layer, tables of vectors of which
each has what the ones before leave. The padding is zeros, since a stream has nothing yet to reflect.

    strc import examples/streaming/encodec.py:EnCodec --input 1x1x160 --streaming -o codec.str
"""

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.parametrizations import weight_norm


class CausalConv(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride=1, dilation=1):
        super().__init__()
        self.reach = (kernel - 1) * dilation + 1 - stride
        self.conv = weight_norm(nn.Conv1d(inputs, outputs, kernel, stride, dilation=dilation))

    def forward(self, x):
        return self.conv(functional.pad(x, (self.reach, 0)))


class CausalUp(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride):
        super().__init__()
        self.rest = kernel - stride
        self.conv = weight_norm(nn.ConvTranspose1d(inputs, outputs, kernel, stride))

    def forward(self, x):
        y = self.conv(x)
        return y[..., : y.shape[-1] - self.rest]


class Residual(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        half = channels // 2
        self.block = nn.Sequential(nn.ELU(), CausalConv(channels, half, 3, dilation=dilation), nn.ELU(), CausalConv(half, channels, 1))
        self.shortcut = CausalConv(channels, channels, 1)

    def forward(self, x):
        return self.shortcut(x) + self.block(x)


class Memory(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.lstm = nn.LSTM(channels, channels, 2)

    def forward(self, x):
        x = x.permute(2, 0, 1)
        return (self.lstm(x)[0] + x).permute(1, 2, 0)


class Quantiser(nn.Module):
    """Residual tables."""

    def __init__(self, tables, entries, channels):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(entries, channels) for _ in range(tables))
        for table in self.tables:  # about as far apart as what comes from an encoder that has not learned yet
            nn.init.normal_(table.weight, std=0.05)

    def forward(self, x):
        rest, total, codes = x.transpose(1, 2), 0, []
        for table in self.tables:
            vectors = table.weight.t()
            distance = rest.pow(2).sum(-1, keepdim=True) - 2 * rest @ vectors + vectors.pow(2).sum(0, keepdim=True)
            code = distance.argmin(-1)
            found = table(code)
            rest, total = rest - found, total + found
            codes.append(code)
        return total.transpose(1, 2), torch.stack(codes, 1)


class EnCodec(nn.Module):
    """The sound that comes out, and the numbers of each frame."""

    def __init__(self, channels=4, ratios=(4, 2, 2), tables=2, entries=16):
        super().__init__()
        down, up, width = [CausalConv(1, channels, 7)], [], channels
        for ratio in reversed(ratios):
            down += [Residual(width, 1), nn.ELU(), CausalConv(width, 2 * width, 2 * ratio, ratio)]
            up = [nn.ELU(), CausalUp(2 * width, width, 2 * ratio, ratio), Residual(width, 1), *up]
            width *= 2
        self.encoder = nn.Sequential(*down, Memory(width), nn.ELU(), CausalConv(width, 8, 7))
        self.quantiser = Quantiser(tables, entries, 8)
        self.decoder = nn.Sequential(CausalConv(8, width, 7), Memory(width), *up, nn.ELU(), CausalConv(channels, 1, 7))

    def forward(self, x):
        vectors, codes = self.quantiser(self.encoder(x))
        return self.decoder(vectors), codes
