"""Gains for bands, and a complex filter over the last frames for low bins, after DeepFilterNet (Schröter and others, 2022), smaller.

    strc import examples/streaming/deep_filter.py:DeepFilter --input 1x4800 --streaming --latency 320 -o deep_filter.str
"""

import torch
from torch import nn
from torch.nn import functional


class DeepFilter(nn.Module):
    def __init__(self, n_fft=320, hop=160, bands=16, low=24, order=3, size=32):
        super().__init__()
        self.n_fft, self.hop, self.low, self.order = n_fft, hop, low, order
        self.register_buffer("window", torch.hann_window(n_fft).sqrt())
        self.to_bands = nn.Linear(n_fft // 2 + 1, bands, bias=False)
        self.from_bands = nn.Linear(bands, n_fft // 2 + 1, bias=False)
        self.smooth = nn.Conv1d(bands, size, 3)
        self.memory = nn.GRU(size, size, batch_first=True)
        self.gains = nn.Linear(size, bands)
        self.taps = nn.Linear(size, 2 * order * low)

    def forward(self, x):
        past = functional.pad(x, (self.n_fft - self.hop, 0))
        spectrum = torch.stft(past, self.n_fft, self.hop, window=self.window, center=False, return_complex=True)
        loud = torch.log10(self.to_bands(spectrum.abs().transpose(1, 2)).square() + 1e-2)
        state, _ = self.memory(torch.relu(self.smooth(functional.pad(loud.transpose(1, 2), (2, 0)))).transpose(1, 2))
        gains = torch.sigmoid(self.from_bands(torch.relu(self.gains(state)))).transpose(1, 2)
        enhanced = spectrum * gains
        steps = spectrum.shape[-1]
        taps = torch.tanh(self.taps(state)).transpose(1, 2).reshape(1, self.order, self.low, 2, steps).permute(0, 1, 2, 4, 3)
        taps = torch.view_as_complex(taps.contiguous())
        frames = torch.view_as_real(spectrum[:, : self.low])
        earlier = torch.view_as_complex(functional.pad(frames, (0, 0, self.order - 1, 0)).contiguous())
        low = sum(taps[:, k] * earlier[..., k : k + steps] for k in range(self.order))
        whole = torch.cat([low, enhanced[:, self.low :]], 1)
        return torch.istft(whole, self.n_fft, self.hop, window=self.window, length=x.shape[-1])
