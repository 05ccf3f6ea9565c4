"""Is there a voice? After the public descriptions of Silero's detector: a spectrum, causal convolutions, and an LSTM; an answer for every 512 samples.

    strc import examples/streaming/voice_detector.py:VoiceDetector --input 1x8192 --streaming -o voice_detector.str
"""

import torch
from torch import nn
from torch.nn import functional


class Conv(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, 3, stride)

    def forward(self, x):
        return torch.relu(self.conv(functional.pad(x, (2, 0))))


class VoiceDetector(nn.Module):
    def __init__(self, n_fft=256, hop=128, size=32):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.encoder = nn.Sequential(Conv(n_fft // 2 + 1, size, 1), Conv(size, size, 2), Conv(size, size, 2), Conv(size, size, 1))
        self.memory = nn.LSTM(size, size, batch_first=True)
        self.out = nn.Linear(size, 1)

    def forward(self, x):
        past = functional.pad(x, (self.n_fft - self.hop, 0))
        spectrum = torch.stft(past, self.n_fft, self.hop, window=self.window, center=False, return_complex=True).abs()
        found, _ = self.memory(self.encoder(spectrum).transpose(1, 2))
        return torch.sigmoid(self.out(torch.relu(found)))
