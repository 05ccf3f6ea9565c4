#!/usr/bin/env python3
"""Trains the network of spotter.str and writes spotter.safetensors; needs PyTorch (`./strc setup torch`), two minutes and
one core.

    OMP_NUM_THREADS=1 python train.py [--clips N] [--epochs N]

Clips come from voices.py; those that are trained with and those that are counted at the end have different seeds.
"""

import argparse
from pathlib import Path

import numpy
import torch
from safetensors.torch import save_file
from torch import nn

import voices

FRAME, HOP, BANDS = 256, 128, 24
HERE = Path(__file__).resolve().parent


def mel_bands():
    """Triangles over the bins of a spectrum, evenly spaced by mel (bands x bins)."""
    edges = 700 * (10 ** (numpy.linspace(0, 2595 * numpy.log10(1 + 4000 / 700), BANDS + 2) / 2595) - 1)
    edges = edges[:, None] * FRAME / voices.RATE
    bins = numpy.arange(FRAME // 2 + 1)
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    return numpy.maximum(numpy.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)), 0)


def features(sounds):
    """Clips as clips x frames x bands: logarithms of the power in each band."""
    frames = numpy.lib.stride_tricks.sliding_window_view(sounds, FRAME, axis=1)[:, ::HOP]
    hann = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(FRAME) / FRAME)
    power = numpy.abs(numpy.fft.rfft(frames * hann)) ** 2
    return numpy.log(power @ mel_bands().T + 1e-3).astype(numpy.float32)


class Spotter(nn.Module):
    """The pipeline Network of spotter.str, with a batch in front."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(BANDS)
        self.conv1 = nn.Conv1d(BANDS, 32, 5, stride=2, padding=2)
        self.conv2 = nn.Conv1d(32, 32, 5, stride=2, padding=2)
        self.gru = nn.GRU(32, 48, batch_first=True)
        self.out = nn.Linear(48, len(voices.LABELS))
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        x = self.norm(x.transpose(1, 2))
        x = self.drop(torch.relu(self.conv1(x)))
        x = self.drop(torch.relu(self.conv2(x)))
        _, state = self.gru(x.transpose(1, 2))
        return self.out(self.drop(state[0]))


def made(seed, count):
    pieces = [voices.clips([seed, k], min(1000, count - k)) for k in range(0, count, 1000)]
    x = numpy.concatenate([features(sounds) for sounds, _ in pieces])
    return torch.from_numpy(x), torch.from_numpy(numpy.concatenate([labels for _, labels in pieces]))


def train(model, x, y, epochs):
    steps = epochs * (len(x) // 100)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, steps)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for batch in torch.randperm(len(x))[: len(x) // 100 * 100].split(100):
            loss = nn.functional.cross_entropy(model(x[batch]), y[batch], label_smoothing=0.05)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * len(batch)
        print(f"epoch {epoch + 1}: loss {total / len(x):.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clips", type=int, default=12000)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--out", default=HERE / "spotter.safetensors")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    model = Spotter()
    train(model, *made(1, arguments.clips), arguments.epochs)
    model.eval()
    x, y = made(2, 4000)
    with torch.no_grad():
        found = model(x).argmax(1)
    is_word = y != voices.OTHER
    print(f"words: {(found == y)[is_word].float().mean():.4f} of {int(is_word.sum())} right")
    print(f"other: {(found == y)[~is_word].float().mean():.4f} of {int((~is_word).sum())} right")
    values = {name: value for name, value in model.state_dict().items() if not name.endswith("tracked")}
    save_file(values, arguments.out)


if __name__ == "__main__":
    main()
