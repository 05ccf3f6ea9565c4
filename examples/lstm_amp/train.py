#!/usr/bin/env python3
"""Teaches an LSTM to sound like the amplifier of sounds.py, and writes amp.safetensors; needs PyTorch
(`./strc setup torch`), three minutes and one core.

    OMP_NUM_THREADS=1 python train.py [--rounds N]
"""

import argparse
from pathlib import Path

import numpy
import torch
from safetensors.torch import save_file
from torch import nn

import sounds

HIDDEN = 16
PIECE = 400  # samples that a gradient goes back
HERE = Path(__file__).resolve().parent


class Amp(nn.Module):
    """The pipeline Amp of amp.str, over whole sounds (batch x time x (sample, drive))."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, HIDDEN, batch_first=True)
        self.out = nn.Linear(HIDDEN, 1)

    def forward(self, x, state=None):
        y, state = self.lstm(x, state)
        return self.out(y) + x[:, :, :1], state


def made(seed, count, length):
    """Inputs (count x length x 2) and what the amplifier makes of them (count x length x 1)."""
    x = sounds.plucks(seed, count, length)
    drive = numpy.random.default_rng([seed, 1]).uniform(0, 1, count)
    y = sounds.amplify(x, drive)
    both = numpy.stack([x, numpy.broadcast_to(drive[:, None], x.shape)], axis=2)
    return torch.from_numpy(both.astype("f4")), torch.from_numpy(y.astype("f4"))[:, :, None]


def fault(found, wanted):
    """The part of the energy that is wrong; what is bright counts more, as to the ear."""
    wrong, all_of_it = found - wanted, wanted
    bright = (wrong[:, 1:] - 0.9 * wrong[:, :-1]).pow(2).mean() / (wanted[:, 1:] - 0.9 * wanted[:, :-1]).pow(2).mean()
    return 0.5 * bright + 0.5 * wrong.pow(2).mean() / all_of_it.pow(2).mean()


def train(model, rounds):
    optimiser = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, rounds)
    all_inputs, all_outputs = made(2, 240, 10 * PIECE)
    for each in range(rounds):
        chosen = torch.randperm(len(all_inputs))[:60]
        x, y = all_inputs[chosen], all_outputs[chosen]
        state, total = None, 0.0
        for at in range(0, x.shape[1], PIECE):  # the state goes on from piece to piece, the gradient does not
            found, state = model(x[:, at : at + PIECE], state)
            loss = fault(found, y[:, at : at + PIECE])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            state = tuple(s.detach() for s in state)
            total += loss.item()
        schedule.step()
        if each % 20 == 19:
            print(f"round {each + 1}: {total / 10:.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=900)
    parser.add_argument("--out", default=HERE / "amp.safetensors")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    model = Amp()
    train(model, arguments.rounds)
    x, y = made(1, 32, 2 * sounds.RATE)
    with torch.no_grad():
        wrong = model(x)[0] - y
    print(f"on other sounds {100 * float(wrong.pow(2).sum() / y.pow(2).sum()):.2f} % of the energy is wrong")
    save_file(dict(model.state_dict()), arguments.out)


if __name__ == "__main__":
    main()
