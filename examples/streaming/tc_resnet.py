"""Keywords by convolutions along time over the bands of a frame, after TC-ResNet (Choi and others, 2019), made causal: the mean is that of the last frames.

    strc import examples/streaming/tc_resnet.py:TCResNet --input 1x40x128 --streaming --eval -o keywords.str
"""

import torch
from torch import nn
from torch.nn import functional


class CausalConv(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride=1):
        super().__init__()
        self.reach = kernel - 1
        self.conv = nn.Conv1d(inputs, outputs, kernel, stride, bias=False)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x):
        return self.norm(self.conv(functional.pad(x, (self.reach, 0))))


class Block(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.one, self.two = CausalConv(inputs, outputs, 9, 2), CausalConv(outputs, outputs, 9)
        self.shortcut = CausalConv(inputs, outputs, 1, 2)

    def forward(self, x):
        return torch.relu(self.two(torch.relu(self.one(x))) + torch.relu(self.shortcut(x)))


class TCResNet(nn.Module):
    def __init__(self, bands=40, channels=(8, 12, 16), words=5, frames=6):
        super().__init__()
        self.first = nn.Conv1d(bands, channels[0], 3, bias=False)
        self.blocks = nn.Sequential(*(Block(inputs, outputs) for inputs, outputs in zip(channels, channels[1:])))
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(channels[-1], words)
        self.frames = frames

    def forward(self, x):
        y = self.blocks(self.first(functional.pad(x, (2, 0))))
        y = functional.avg_pool1d(functional.pad(y, (self.frames - 1, 0)), self.frames, 1)
        scores = self.out(self.drop(y.transpose(1, 2)))
        return torch.softmax(scores, -1), scores.argmax(-1)
