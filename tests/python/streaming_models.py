"""Models that run for ever, in the ways in which people write them."""

import torch
from torch import nn
from torch.nn import functional


class Residual(nn.Module):
    """A causal convolution by padding on the left."""

    def __init__(self, channels, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, dilation=dilation)
        self.out = nn.Conv1d(channels, channels, 1)
        self.reach = 2 * dilation

    def forward(self, x):
        return x + self.out(torch.tanh(self.conv(functional.pad(x, (self.reach, 0)))))


class ConvStack(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(1, 4, 1)
        self.layers = nn.Sequential(*[Residual(4, 2**i) for i in range(4)])
        self.last = nn.Conv1d(4, 1, 1)

    def forward(self, x):
        return self.last(self.layers(self.first(x)))


class Chomp(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return x[:, :, : -self.size].contiguous()


class TemporalBlock(nn.Module):
    """As in the usual TCN: padding on both sides, of which the right one is cut off."""

    def __init__(self, inputs, outputs, kernel, dilation):
        super().__init__()
        reach = (kernel - 1) * dilation
        self.net = nn.Sequential(
            nn.Conv1d(inputs, outputs, kernel, padding=reach, dilation=dilation), Chomp(reach), nn.BatchNorm1d(outputs), nn.ReLU(),
            nn.Dropout(0.2), nn.Conv1d(outputs, outputs, kernel, padding=reach, dilation=dilation), Chomp(reach), nn.ReLU(),
        )
        self.down = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else None

    def forward(self, x):
        residual = x if self.down is None else self.down(x)
        return functional.relu(self.net(x) + residual)


class TCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(TemporalBlock(2, 6, 3, 1), TemporalBlock(6, 6, 3, 2), TemporalBlock(6, 4, 2, 4))
        self.out = nn.Linear(4, 3)

    def forward(self, x):
        return self.out(self.blocks(x).transpose(1, 2))


class GatedLayer(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.pad = nn.ConstantPad1d((dilation, 0), 0.0)
        self.conv = nn.Conv1d(channels, 2 * channels, 2, dilation=dilation)
        self.residual = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        values, gates = self.conv(self.pad(x)).chunk(2, dim=1)
        y = torch.tanh(values) * torch.sigmoid(gates)
        return x + self.residual(y), self.skip(y)


class GatedWaveNet(nn.Module):
    """Gates, residual and skip connections."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(1, 4, 1)
        self.layers = nn.ModuleList(GatedLayer(4, 2**i) for i in range(3))
        self.last = nn.Sequential(nn.ReLU(), nn.Conv1d(4, 2, 1))

    def forward(self, x):
        x, total = self.first(x), 0
        for layer in self.layers:
            x, skip = layer(x)
            total = total + skip
        return self.last(total)


class AmpLayer(nn.Module):
    """Without padding: what comes beside is cut to what is left."""

    def __init__(self, channels, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, dilation=dilation)
        self.mix = nn.Conv1d(1, channels, 1, bias=False)
        self.out = nn.Conv1d(channels, channels, 1)

    def forward(self, x, condition, head):
        y = self.conv(x)
        length = y.shape[-1]
        y = torch.tanh(y + self.mix(condition)[:, :, -length:])
        return x[:, :, -length:] + self.out(y), head[:, :, -length:] + y


class AmpArray(nn.Module):
    def __init__(self, inputs, channels, head, dilations, bias):
        super().__init__()
        self.rechannel = nn.Conv1d(inputs, channels, 1, bias=False)
        self.layers = nn.ModuleList(AmpLayer(channels, dilation) for dilation in dilations)
        self.head = nn.Conv1d(channels, head, 1, bias=bias)

    def forward(self, x, condition, head):
        x = self.rechannel(x)
        if head is None:
            head = torch.zeros_like(x)
        for layer in self.layers:
            x, head = layer(x, condition, head)
        return x, self.head(head)


class WaveNet(nn.Module):
    """Two arrays of layers, as amplifiers are modelled."""

    def __init__(self, dilations=(1, 2, 4)):
        super().__init__()
        self.one = AmpArray(1, 6, 3, dilations, False)
        self.two = AmpArray(6, 3, 1, dilations, True)

    def forward(self, x):
        y, head = self.one(x, x, None)
        _, head = self.two(y, x, head)
        return 0.02 * head


class Strided(nn.Module):
    """Goes down to a frame for 12 samples."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.ConstantPad1d((8, 0), 0.0), nn.Conv1d(2, 6, 9, stride=3, groups=2), nn.ReLU(), nn.AvgPool1d(2), nn.MaxPool1d(3, 2, 1)
        )

    def forward(self, x):
        return self.net(x)[..., :-1]


class Pools(nn.Module):
    def forward(self, x):
        causal = functional.pad(x, (3, 0))
        return torch.cat([functional.avg_pool1d(causal, 4, 1), functional.max_pool1d(causal, 4, 1)], 1) - x.mean(1, True)


class Recurrent(nn.Module):
    def __init__(self, kind, inputs, hidden, layers=1, **options):
        super().__init__()
        self.rnn = getattr(nn, kind)(inputs, hidden, layers, batch_first=True, **options)
        self.dense = nn.Linear(hidden, 1)

    def forward(self, x):
        y, _ = self.rnn(x)
        return self.dense(y)


class LstmAmp(nn.Module):
    """Samples in the last dimension, and the input added."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 8, batch_first=True)
        self.dense = nn.Linear(8, 1)

    def forward(self, x):
        return x + self.dense(self.rnn(x.transpose(1, 2))[0]).transpose(1, 2)


class Unbatched(nn.Module):
    """Steps first, without a batch."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 5)

    def forward(self, x):
        return torch.nn.functional.leaky_relu(self.rnn(x)[0], 0.1)


class Norms(nn.Module):
    """Layers over the features of a frame."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(6)
        self.scale = nn.Parameter(torch.randn(6))
        self.gru = nn.GRU(6, 4, batch_first=True)

    def forward(self, x):
        x = self.norm(x) * self.scale + 1.5
        gain = torch.softmax(x, -1).amax(-1, keepdim=True)
        return self.gru(x * gain)[0]


class RunningMean(nn.Module):
    """Stored numbers before the first ones, and a sum over all that came."""

    def __init__(self):
        super().__init__()
        self.register_buffer("before", torch.full((1, 2, 5), 0.25))
        self.weight = nn.Parameter(torch.randn(3, 2))

    def forward(self, x):
        x = torch.cat([self.before, x], -1)[..., : x.shape[-1]]
        return torch.matmul(self.weight, torch.cumsum(x * 0.01, -1))


class Gates(nn.Module):
    """Activations that are made of others, or have ways."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 8, 3)

    def forward(self, x):
        x = functional.glu(self.conv(functional.pad(x, (2, 0))), 1)
        x = functional.gelu(x, approximate="tanh") + functional.gelu(2 * x)
        return functional.selu(x) + functional.celu(x, 0.5) + functional.softshrink(x)


class Labels(nn.Module):
    """The number of the channel that is largest at each time step."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 6, 3)

    def forward(self, x):
        return self.conv(functional.pad(x, (2, 0))).argmax(1)


class Symmetric(nn.Module):
    """Looks ahead by two samples, and then by three."""

    def __init__(self):
        super().__init__()
        self.near = nn.Conv1d(1, 2, 5, padding=2)
        self.far = nn.Conv1d(2, 1, 7, padding="same")

    def forward(self, x):
        y = self.near(x)  # the near one
        return self.far(torch.relu(y))  # the far one


class EchoCanceller(nn.Module):
    """Two inputs of one rate, the microphone and the loudspeaker, and two results: the voice, and whether there is one."""

    def __init__(self):
        super().__init__()
        self.near = nn.Conv1d(1, 4, 4)
        self.far = nn.Conv1d(1, 4, 8)
        self.gru = nn.GRU(4, 4, batch_first=True)
        self.out = nn.Conv1d(4, 1, 1)
        self.flag = nn.Linear(4, 1)

    def forward(self, near, far):
        x = torch.tanh(self.near(functional.pad(near, (3, 0))) - self.far(functional.pad(far, (7, 0))))
        y = self.gru(x.transpose(1, 2))[0]
        return near * torch.sigmoid(self.out(y.transpose(1, 2))), torch.sigmoid(self.flag(y))


class Controlled(nn.Module):
    """Samples, and controls of which there is one for 8 samples; a loudness for every 4 of them besides the sound."""

    def __init__(self):
        super().__init__()
        self.gains = nn.Conv1d(3, 2, 2)
        self.conv = nn.Conv1d(1, 2, 5)
        self.out = nn.Conv1d(2, 1, 1)

    def forward(self, x, controls):
        gains = self.gains(functional.pad(controls, (1, 0)))
        y = torch.tanh(self.conv(functional.pad(x, (4, 0)))) * gains.repeat_interleave(8, -1)
        return self.out(y), functional.avg_pool1d(y.abs(), 4)
