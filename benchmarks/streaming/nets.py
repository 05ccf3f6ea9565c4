"""The networks that are compared, with random weights, and each as PyTorch would run it chunk by chunk, its states carried by hand."""

import torch
from torch import nn


class WaveNetLayer(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, dilation=dilation)
        self.mix = nn.Conv1d(1, channels, 1, bias=False)
        self.out = nn.Conv1d(channels, channels, 1)

    def forward(self, x, condition, head):
        y = self.conv(x)
        length = y.shape[-1]
        y = torch.tanh(y + self.mix(condition[:, :, -length:]))
        return x[:, :, -length:] + self.out(y), head[:, :, -length:] + y

    def step(self, x, condition, head, past):
        whole = torch.cat([past, x], -1)
        y = torch.tanh(self.conv(whole) + self.mix(condition))
        return x + self.out(y), head + y, whole[:, :, x.shape[-1] :]


class WaveNetArray(nn.Module):
    def __init__(self, inputs, channels, head, dilations, bias):
        super().__init__()
        self.rechannel = nn.Conv1d(inputs, channels, 1, bias=False)
        self.layers = nn.ModuleList(WaveNetLayer(channels, dilation) for dilation in dilations)
        self.head = nn.Conv1d(channels, head, 1, bias=bias)

    def forward(self, x, condition, head):
        x = self.rechannel(x)
        head = torch.zeros_like(x) if head is None else head
        for layer in self.layers:
            x, head = layer(x, condition, head)
        return x, self.head(head)


class WaveNet(nn.Module):
    """Two arrays of 16 and 8 channels, kernel 3, dilations 1 ... 512, tanh, no gates."""

    def __init__(self):
        super().__init__()
        dilations = [2**i for i in range(10)]
        self.one = WaveNetArray(1, 16, 8, dilations, False)
        self.two = WaveNetArray(16, 8, 1, dilations, True)

    def forward(self, x):
        y, head = self.one(x, x, None)
        return 0.02 * self.two(y, x, head)[1]

    def start(self):
        return [torch.zeros(1, layer.conv.in_channels, 2 * layer.conv.dilation[0]) for a in (self.one, self.two) for layer in a.layers]

    def step(self, x, states):
        made, y, head = [], x, None
        for array in (self.one, self.two):
            y = array.rechannel(y)
            head = torch.zeros_like(y) if head is None else head
            for layer in array.layers:
                y, head, past = layer.step(y, x, head, states[len(made)])
                made.append(past)
            head = array.head(head)
        return 0.02 * head, made


class Recurrent(nn.Module):
    """A recurrent layer and a dense one."""

    def __init__(self, kind, hidden):
        super().__init__()
        self.rnn = getattr(nn, kind)(1, hidden, batch_first=True)
        self.dense = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.dense(self.rnn(x)[0])

    def start(self):
        state = torch.zeros(1, 1, self.rnn.hidden_size)
        return (state, state) if isinstance(self.rnn, nn.LSTM) else state

    def step(self, x, states):
        y, states = self.rnn(x, states)
        return self.dense(y), states


class ConvStack(nn.Module):
    """Four dilated convolutions of 16 channels."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv1d(1 if i == 0 else 16, 16, 3, dilation=2**i) for i in range(4))
        self.dense = nn.Conv1d(16, 1, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(nn.functional.pad(x, (2 * layer.dilation[0], 0))))
        return self.dense(x)

    def start(self):
        return [torch.zeros(1, layer.in_channels, 2 * layer.dilation[0]) for layer in self.layers]

    def step(self, x, states):
        made = []
        for layer, past in zip(self.layers, states):
            whole = torch.cat([past, x], -1)
            made.append(whole[:, :, x.shape[-1] :])
            x = torch.tanh(layer(whole))
        return self.dense(x), made


# By name: the network, and in which dimension of its input time is.
NETS = {
    "wavenet": (WaveNet, 2),
    "conv": (ConvStack, 2),
    "lstm24": (lambda: Recurrent("LSTM", 24), 1),
    **{f"{kind.lower()}{size}": (lambda kind=kind, size=size: Recurrent(kind, size), 1) for kind in ("GRU", "LSTM") for size in (8, 16, 32)},
}


def make(name):
    """A network that is always the same, an example of its input, and the dimension of time."""
    torch.manual_seed(1)
    model, axis = NETS[name]
    shape = [1, 1, 1]
    shape[axis] = 6000 if name == "wavenet" else 300
    return model().eval(), torch.randn(*shape) * 0.3, axis
