"""How far the results of a program of int8 are from those of the model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Accuracy:
    """Of all results over all samples."""

    largest: float  # difference
    mean: float  # difference
    decibels: float  # of the results above the differences
    agreeing: int | None  # samples whose greatest element stands in the same place; None: there is no such question
    samples: int

    def __str__(self) -> str:
        text = f"differs by {self.largest:.3g} at most, {self.mean:.3g} in the mean ({self.decibels:.1f} dB below the results)"
        if self.agreeing is not None:
            text += f"; the greatest element is the same in {self.agreeing} of {self.samples}"
        return text


def compared(expected: Sequence[Sequence[torch.Tensor]], found: Sequence[Sequence[torch.Tensor]]) -> Accuracy:
    """Both by result, then by sample."""
    pairs = [
        (one.to(torch.float64).reshape(-1), other.to(torch.float64).reshape(-1))
        for wanted, given in zip(expected, found) for one, other in zip(wanted, given)
    ]
    wanted, given = torch.cat([one for one, _ in pairs]), torch.cat([other for _, other in pairs])
    apart = (given - wanted).abs()
    noise, signal = float((apart**2).sum()), float((wanted**2).sum())
    decibels = math.inf if noise == 0 else -math.inf if signal == 0 else 10 * math.log10(signal / noise)
    first = list(zip(expected[0], found[0]))
    choices = len(expected) == 1 and first[0][0].dim() > 0 and first[0][0].shape[-1] > 1
    agreeing = None
    if choices:
        agreeing = sum(bool(torch.equal(one.argmax(-1), other.reshape(one.shape).argmax(-1))) for one, other in first)
    return Accuracy(float(apart.max()), float(apart.mean()), decibels, agreeing, len(first))
