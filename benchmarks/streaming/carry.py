"""What a streaming user writes by hand: the pieces of which a step with explicit states is made."""

import torch
from torch.nn import functional


class Carry:
    """The states of one step, in the order in which the step asks for them. Those of the last step come in as a list (None: zeros), the next ones go out in `made`."""

    def __init__(self, kept=None):
        self.kept, self.made = kept, []

    def state(self, shape):
        return torch.zeros(shape) if self.kept is None else self.kept[len(self.made)]

    def past(self, x, reach, axis=-1):
        """The last `reach` time steps, and the new ones behind them."""
        if reach == 0:
            return x
        shape = list(x.shape)
        shape[axis] = reach
        whole = torch.cat([self.state(shape), x], axis)
        self.made.append(whole.narrow(axis, whole.shape[axis] - reach, reach))
        return whole

    def late(self, x, steps, axis=-1):
        """As many time steps as come in, so many time steps later."""
        return self.past(x, steps, axis).narrow(axis, 0, x.shape[axis])

    def overlap(self, y, rest):
        """The sums of windows that are whole now; the last `rest` time steps wait for the next window."""
        shape = (*y.shape[:-1], rest)
        y = y + functional.pad(self.state(shape), (0, y.shape[-1] - rest))
        ready = y.shape[-1] - rest
        self.made.append(y[..., ready:])
        return y[..., :ready]

    def recurrent(self, layer, x):
        batch = x.shape[0 if layer.batch_first else 1]
        shape = (layer.num_layers, batch, layer.hidden_size)
        if isinstance(layer, torch.nn.GRU):
            y, state = layer(x, self.state(shape))
            self.made.append(state)
            return y
        hidden = self.state(shape)
        cell = torch.zeros(shape) if self.kept is None else self.kept[len(self.made) + 1]
        y, states = layer(x, (hidden, cell))
        self.made += states
        return y


class Spectra:
    """Windows of `size` samples, `hop` apart, and their spectra, as pairs of real tensors [1, bins, steps]: by the fast transform, or by products with a matrix."""

    def __init__(self, window, hop, fast):
        self.window, self.hop, self.fast = window, hop, fast
        self.size = len(window)
        if not fast:
            waves = torch.fft.rfft(torch.eye(self.size), dim=0)
            back = torch.fft.irfft(torch.eye(self.size // 2 + 1) + 0j, n=self.size)
            turned = torch.fft.irfft(1j * torch.eye(self.size // 2 + 1), n=self.size)
            self.waves = (torch.cat([waves.real, waves.imag]) * window)[:, None]
            self.back = (torch.cat([back, turned]) * window)[:, None]

    def forward(self, x, carry):
        whole = carry.past(x, self.size - self.hop)
        if not self.fast:
            return functional.conv1d(whole[:, None], self.waves, stride=self.hop).chunk(2, 1)
        frames = whole.unfold(-1, self.size, self.hop) * self.window
        spectrum = torch.view_as_real(torch.fft.rfft(frames)).transpose(1, 2)
        return spectrum.unbind(-1)

    def backward(self, real, imaginary, carry):
        """The windows have to be such that their squares add up to 1."""
        if not self.fast:
            y = functional.conv_transpose1d(torch.cat([real, imaginary], 1), self.back, stride=self.hop)[:, 0]
            return carry.overlap(y, self.size - self.hop)
        frames = torch.fft.irfft(torch.view_as_complex(torch.stack([real, imaginary], -1).transpose(1, 2).contiguous()), n=self.size)
        frames = (frames * self.window).transpose(1, 2)
        count = self.size + self.hop * (frames.shape[-1] - 1)
        return carry.overlap(functional.fold(frames, (1, count), (1, self.size), stride=(1, self.hop))[:, 0, 0], self.size - self.hop)
