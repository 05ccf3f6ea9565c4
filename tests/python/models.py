"""Small models, each for one way in which values can flow."""

import torch
from torch import nn


class Of(nn.Module):
    """A model of a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class MyModule(nn.Module):
    """A value used twice."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 5)

    def forward(self, x):
        x = self.linear(x)
        return x + torch.sin(x)


class CNN(nn.Module):
    """A straight run."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 32, 3)
        self.pool = nn.MaxPool2d(2)
        self.out = nn.Linear(32 * 15 * 15, 10)

    def forward(self, x):
        x = self.pool(self.conv(x))
        return torch.relu(self.out(torch.flatten(x, 1)))


class ResNetBlock(nn.Module):
    """Two paths that meet."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(8, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 16, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(16)
        self.shortcut = nn.Conv2d(8, 16, 1)
        self.bn3 = nn.BatchNorm2d(16)

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return torch.relu(y + self.bn3(self.shortcut(x)))


class TwoInputs(nn.Module):
    """Inputs that are interleaved."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(3, 4, 3)

    def forward(self, x, y):
        return self.bn(self.conv1(x)) + self.conv2(y)


class TwoOutputs(nn.Module):
    """Outputs that are interleaved."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3)
        self.conv2 = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        return self.conv1(x), self.conv2(x)


class LSTMModel(nn.Module):
    """A tuple of which one element is used."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(28, 128, 2, batch_first=True)

    def forward(self, x):
        output, _ = self.lstm(x)
        return output


class Fused(nn.Module):
    """A graph that is not series-parallel."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(6, 6)
        self.g = nn.Linear(6, 6)

    def forward(self, x):
        y = self.g(x)
        return y + self.f(x), y + torch.relu(x)


class Cell(nn.Module):
    """A step of a simple recurrent network."""

    def __init__(self):
        super().__init__()
        self.from_input = nn.Linear(3, 5)
        self.from_state = nn.Linear(5, 5, bias=False)

    def forward(self, x, h):
        return torch.tanh(self.from_input(x) + self.from_state(h))


class UnrolledRNN(nn.Module):
    """A module that is called once for every step."""

    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.out = nn.Linear(5, 2)

    def forward(self, x):
        h = torch.zeros(1, 5)
        for step in range(4):
            h = self.cell(x[:, step], h)
        return self.out(h)


class StepRNN(nn.Module):
    """A step of the same network, whose state goes round."""

    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.out = nn.Linear(5, 2)

    def forward(self, x, h):
        h = self.cell(x, h)
        return self.out(h), h


class Block(nn.Module):
    def __init__(self, planes, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(planes // stride, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1:
            self.downsample = nn.Sequential(nn.Conv2d(planes // stride, planes, 1, stride), nn.BatchNorm2d(planes))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class TinyResNet(nn.Module):
    """Modules that are used as a unit, with other numbers each."""

    def __init__(self):
        super().__init__()
        self.layer1 = nn.Sequential(Block(8, 1), Block(8, 1))
        self.layer2 = nn.Sequential(Block(16, 2), Block(16, 1))
        self.out = nn.Linear(16, 4)

    def forward(self, x):
        x = self.layer2(self.layer1(x))
        return self.out(x.mean((2, 3)))


class DenseBlock(nn.Module):
    """Values that are carried through every stage."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(4 + 2 * i, 2, 3, padding=1) for i in range(3))

    def forward(self, x):
        found = [x]
        for layer in self.layers:
            found.append(torch.relu(layer(torch.cat(found, 1))))
        return torch.cat(found, 1)


class Mixed(nn.Module):
    """Stored values as operands, numbers, slices, parts of a tuple."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.linspace(0.5, 1.5, 6))
        self.register_buffer("shift", torch.arange(6.0).reshape(1, 6))

    def forward(self, x):
        a, b, c = (2 * x + self.shift).chunk(3, 1)
        y = torch.cat([c, 1 - a * b, x[:, 1:3]], 1) * self.scale
        y[:, 0] = 0.5
        return y.transpose(0, 1).softmax(0) ** 2


class Crossing(nn.Module):
    """Skips that cross each other."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(6, 6) for _ in range(5))

    def forward(self, x):
        a = self.layers[0](x)
        b = torch.relu(self.layers[1](a))
        c = self.layers[2](b) + x
        d = torch.tanh(self.layers[3](c)) + a
        e = self.layers[4](d) - b
        return e * c


class Attention(nn.Module):
    """Queries that are used twice."""

    def __init__(self):
        super().__init__()
        self.queries, self.keys = nn.Linear(6, 6), nn.Linear(6, 6)
        self.values, self.gate = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        queries = self.queries(x)
        weights = torch.softmax(queries @ self.keys(x).transpose(0, 1), 1)
        gate = torch.sigmoid(self.gate(x) + queries)
        return gate * (weights @ self.values(x)) + x


class Exchange(nn.Module):
    """Two resolutions that exchange what they know."""

    def __init__(self):
        super().__init__()
        self.fine = nn.ModuleList(nn.Conv2d(4, 4, 3, padding=1) for _ in range(3))
        self.coarse = nn.ModuleList(nn.Conv2d(4, 4, 3, padding=1) for _ in range(2))
        self.down = nn.ModuleList(nn.Conv2d(4, 4, 3, 2, padding=1) for _ in range(3))

    def forward(self, x):
        fine = self.fine[0](x)
        coarse = self.down[0](x)
        for k in range(2):
            up = nn.functional.interpolate(self.coarse[k](coarse), scale_factor=2)
            below = self.down[k + 1](fine)
            fine = torch.relu(self.fine[k + 1](fine) + up)
            coarse = torch.relu(coarse + below)
        return fine, coarse
