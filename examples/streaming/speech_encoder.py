"""Features of speech by attention to the last 12 steps, with rotary positions: blocks as in streaming Conformers and Zipformers, with a step for 40 ms.

    strc import examples/streaming/speech_encoder.py:SpeechEncoder --input 1x20480 --streaming -o speech_encoder.str
"""

import torch
from torch import nn
from torch.nn import functional


def turned(x):
    """With the angle of its place."""
    half, steps = x.shape[-1] // 2, x.shape[-2]
    angles = torch.outer(torch.arange(steps).float(), 1.0 / 10000 ** (torch.arange(half).float() / half))
    cosine, sine = torch.cat((angles, angles), -1).cos(), torch.cat((angles, angles), -1).sin()
    return x * cosine + torch.cat((-x[..., half:], x[..., :half]), -1) * sine


class Block(nn.Module):
    def __init__(self, size, heads, reach):
        super().__init__()
        self.heads, self.reach = heads, reach
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3))
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.conv = nn.Conv1d(size, size, 5, groups=size)
        self.feed = nn.Sequential(nn.Linear(size, 2 * size), nn.SiLU(), nn.Linear(2 * size, size))

    def attention(self, x):
        batch, steps, size = x.shape
        q, k, v = self.qkv(x).view(batch, steps, 3, self.heads, size // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        place = torch.arange(steps)
        back = place[:, None] - place[None]
        seen = functional.scaled_dot_product_attention(turned(q), turned(k), v, attn_mask=(back >= 0) & (back < self.reach))
        return self.out(seen.transpose(1, 2).reshape(batch, steps, size))

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        x = x + functional.silu(self.conv(functional.pad(self.norms[1](x).transpose(1, 2), (4, 0)))).transpose(1, 2)
        return x + self.feed(self.norms[2](x))


class SpeechEncoder(nn.Module):
    def __init__(self, n_fft=400, hop=160, bands=20, size=24, heads=2, blocks=2, reach=12):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.to_bands = nn.Linear(n_fft // 2 + 1, bands, bias=False)
        self.fewer = nn.Conv1d(bands, size, 4, 4)
        self.blocks = nn.Sequential(*(Block(size, heads, reach) for _ in range(blocks)))

    def forward(self, x):
        past = functional.pad(x, (self.n_fft - self.hop, 0))
        spectrum = torch.stft(past, self.n_fft, self.hop, window=self.window, center=False, return_complex=True)
        loud = torch.log10(self.to_bands(spectrum.abs().transpose(1, 2)).square() + 1e-2)
        return self.blocks(self.fewer(loud.transpose(1, 2)).transpose(1, 2))
