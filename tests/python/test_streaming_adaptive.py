"""Filters that adapt: loops over time whose weights go round, and that take a window of the input at each step."""

import pytest
import torch
from models import Of
from streaming_support import the_compiler  # noqa: F401
from torch.nn import functional

import strc.torch

TAPS = 4


def predictor(x):
    """The window ends before the item that is predicted."""
    weights, found = torch.zeros(x.shape[0], TAPS), []
    x = functional.pad(x, (TAPS, 0))
    for t in range(TAPS, x.shape[1]):
        window = x[:, t - TAPS : t]
        error = x[:, t : t + 1] - (weights * window).sum(-1, keepdim=True)
        weights = weights + 0.1 * error * window / (window.square().sum(-1, keepdim=True) + 0.001)
        found.append(error)
    return torch.cat(found, 1)


def several_ahead(x):
    weights, found = torch.zeros(x.shape[0], TAPS), []
    for t in range(TAPS, x.shape[1] - 3):
        window = x[:, t - TAPS : t]
        error = x[:, t + 3] - (weights * window).sum(-1)
        weights = weights + 0.05 * error[:, None] * window
        found.append(error)
    return torch.stack(found, 1)


def canceller(far, near):
    """Normalised: what of the loudspeaker is in the microphone is taken out."""
    weights, found = torch.zeros(far.shape[0], TAPS), []
    padded = functional.pad(far, (TAPS - 1, 0))
    for t in range(far.shape[1]):
        window = padded[:, t : t + TAPS].flip(-1)
        error = near[:, t] - (weights * window).sum(-1)
        weights = weights + 0.5 * error.unsqueeze(-1) * window / (window.pow(2).sum(-1, keepdim=True) + 0.01)
        found.append(error)
    return torch.stack(found, 1)


def canceller_behind_the_start(far, near):
    """The first items are left as they are."""
    weights, found = torch.zeros(far.shape[0], TAPS), torch.zeros_like(near)
    for t in range(TAPS - 1, far.shape[1]):
        window = far[:, t - TAPS + 1 : t + 1]
        error = near[:, t] - (weights * window).sum(-1)
        weights = weights + 0.5 * error[:, None] * window / (window.pow(2).sum(-1, keepdim=True) + 0.01)
        found[:, t] = error
    return found


def of_vectors(far, near):
    """Without a batch: products of vectors."""
    weights, found = torch.zeros(TAPS), torch.zeros(near.shape[0])
    padded = torch.cat([torch.zeros(TAPS - 1), far])
    for t in range(near.shape[0]):
        window = padded[t : t + TAPS]
        found[t] = near[t] - torch.dot(weights, window)
        weights = weights + 0.05 * found[t] * window
    return found


def of_channels(far, near):
    weights, found = torch.zeros(*far.shape[:2], TAPS), []
    padded = functional.pad(far, (TAPS - 1, 0))
    for t in range(far.shape[2]):
        window = padded[:, :, t : t + TAPS]
        error = near[:, t] - torch.einsum("bcl,bcl->b", weights, window)
        weights = weights + 0.05 * torch.einsum("b,bcl->bcl", error, window)
        found.append(error)
    return torch.stack(found, -1)


def least_squares(far, near):
    """Recursive: the inverse of the correlations goes round, too."""
    weights, inverse, found = torch.zeros(far.shape[0], TAPS, 1), torch.eye(TAPS).expand(far.shape[0], TAPS, TAPS) * 10, []
    window = torch.zeros(far.shape[0], TAPS)
    for t in range(far.shape[1]):
        window = torch.cat([far[:, t : t + 1], window[:, :-1]], 1)
        column = window.unsqueeze(-1)
        turned = inverse @ column
        gain = turned / (0.99 + column.transpose(1, 2) @ turned)
        error = near[:, t, None, None] - weights.transpose(1, 2) @ column
        weights = weights + gain * error
        inverse = (inverse - gain @ turned.transpose(1, 2)) / 0.99
        found.append(error.flatten(1))
    return torch.cat(found, 1)


MODELS = {
    predictor: [(1, 40)],
    several_ahead: [(1, 40)],
    canceller: [(2, 40), (2, 40)],
    canceller_behind_the_start: [(1, 40), (1, 40)],
    of_vectors: [(40,), (40,)],
    of_channels: [(1, 3, 40), (1, 40)],
    least_squares: [(1, 40), (1, 40)],
}


@pytest.mark.parametrize("function", MODELS)
def test_streams_equal_the_model(function, tmp_path):
    torch.manual_seed(1)
    strc.torch.export(Of(function).eval(), [torch.randn(*shape) for shape in MODELS[function]], tmp_path / "model.str", streaming=True)
