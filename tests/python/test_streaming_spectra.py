"""Spectra of sounds as streams: transforms of windows, what models do with complex values, and back to samples."""

import pytest
import torch
from streaming_support import Of, exported, refusal, the_compiler  # noqa: F401
from torch import nn
from torch.nn import functional

import strc.torch

SAMPLES = (1, 400)


class Analysis(nn.Module):
    """A spectrum that looks back alone, and a function of it."""

    def __init__(self, function, n_fft=40, hop=10, **options):
        super().__init__()
        self.function, self.n_fft, self.hop, self.options = function, n_fft, hop, options
        self.register_buffer("window", torch.hann_window(options.get("win_length", n_fft)).sqrt())
        self.weights = nn.Parameter(torch.randn(n_fft // 2 + 1, dtype=torch.cfloat))

    def forward(self, x):
        x = functional.pad(x, (self.n_fft - self.hop, 0))
        spectrum = torch.stft(x, self.n_fft, self.hop, window=self.window, center=False, return_complex=True, **self.options)
        made = self.function(spectrum, self)
        return torch.view_as_real(made) if made.is_complex() else made


class Masking(nn.Module):
    """A gain for each bin, and back to samples."""

    def __init__(self, n_fft=64, hop=16, window=torch.hann_window, length=True, **options):
        super().__init__()
        self.n_fft, self.hop, self.length, self.options = n_fft, hop, length, options
        self.register_buffer("window", window(n_fft))
        self.gains = nn.Linear(n_fft // 2 + 1, n_fft // 2 + 1)

    def forward(self, x):
        spectrum = torch.stft(x, self.n_fft, self.hop, window=self.window, return_complex=True, **self.options)  # there
        mask = torch.sigmoid(self.gains(spectrum.abs().transpose(1, 2))).transpose(1, 2)
        more = {"length": x.shape[-1]} if self.length else {}
        return torch.istft(spectrum * mask, self.n_fft, self.hop, window=self.window, **self.options, **more)  # and back


FUNCTIONS = {
    "parts": lambda z, _: torch.cat([z.real, z.imag], 1),
    "polar": lambda z, _: torch.polar(z.abs() ** 0.3, z.angle()),
    "complex": lambda z, _: torch.complex(z.real * 2, torch.tanh(z.imag)),
    "product": lambda z, _: z * z * z.conj() * 0.02,
    "quotient": lambda z, _: z / (z.conj() * 0.1 + 3),
    "mask": lambda z, _: 2 * z * torch.sigmoid(z.abs()) / (1 + z.abs()),
    "as_reals": lambda z, _: torch.view_as_complex((torch.view_as_real(z) * 0.5).contiguous()) - z,
    "phase": lambda z, _: z.abs() * torch.exp(1j * z.angle()),
    "shapes": lambda z, _: z.permute(0, 2, 1).unsqueeze(1)[..., 2:9].squeeze(1),
    "power": lambda z, _: (z.real.pow(2) + z.imag.pow(2)).clamp(min=1e-6).log10(),
    "loudness": lambda z, _: z * z.abs().square().mean(1, keepdim=True).add(1e-3).rsqrt(),
    "stored": lambda z, model: z * model.weights[None, :, None],
    "mean": lambda z, _: z.mean(1),
    "matrix": lambda z, model: (z.transpose(1, 2) @ model.weights.outer(model.weights[:3])).transpose(1, 2),
    "sqrt": lambda z, _: torch.sqrt(z) + (z * z).sqrt(),
    "reciprocal": lambda z, _: (z * z.conj() + 1).reciprocal(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_spectra(name, tmp_path):
    torch.manual_seed(1)
    assert exported(Analysis(FUNCTIONS[name]), SAMPLES, tmp_path).streamed.latency == 0


WINDOWS = {
    "power_of_two": {"n_fft": 64, "hop": 16},
    "not_a_divisor": {"n_fft": 30, "hop": 8},
    "short_window": {"n_fft": 32, "hop": 8, "win_length": 20},
    "gaps": {"n_fft": 12, "hop": 20},
    "normalized": {"n_fft": 20, "hop": 5, "normalized": True},
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name, tmp_path):
    torch.manual_seed(1)
    way = WINDOWS[name]
    model = Analysis(lambda z, _: z, **way)
    if way["hop"] > way["n_fft"]:
        model.forward = lambda x: torch.view_as_real(torch.stft(x, 12, 20, window=model.window, center=False, return_complex=True))
    exported(model, SAMPLES, tmp_path)


def frames_there_and_back(x):
    """Windows, a transform of each, and their sum where they overlap."""
    spectra = torch.fft.rfft(functional.pad(x, (24, 0)).unfold(-1, 32, 8) * torch.hann_window(32))
    frames = torch.fft.irfft(spectra * torch.sigmoid(spectra.abs()), n=32)
    return functional.fold(frames.transpose(1, 2), (1, frames.shape[1] * 8 + 24), (1, 32), stride=(1, 8)).reshape(1, -1)[:, : x.shape[-1]]


def parts_of_frames(x):
    """Transforms of more points than there are, along another dimension, with factors of their own."""
    frames = x.unfold(-1, 8, 8).cumsum(1).view(1, -1, 4, 2)
    spectra = torch.fft.rfft(frames, n=6, dim=2, norm="ortho")
    return torch.fft.irfft(spectra, n=2, dim=2, norm="forward").flatten(2), torch.fft.rfft(frames.flatten(2)[..., :6], norm="forward").abs()


@pytest.mark.parametrize("function", [frames_there_and_back, parts_of_frames])
def test_transforms_of_frames(function, tmp_path):
    assert "add RealFft(n);" in exported(Of(function), (1, 240), tmp_path).source()


def test_a_transform_over_time_is_refused(tmp_path):
    told = refusal(Of(lambda x: torch.fft.irfft(torch.fft.rfft(x) * 0.5)), (1, 64), tmp_path)
    assert "its transform goes over all time steps" in told and "makes windows" in told


def test_transforms_are_fast_ones(tmp_path):
    torch.manual_seed(1)
    text = exported(Analysis(lambda z, _: z), SAMPLES, tmp_path).source()
    assert "add RealFft(n);" in text and "matmul" not in text


BACK = {
    "centred": {},
    "half": {"hop": 32},
    "hamming": {"window": torch.hamming_window},
    "ten_milliseconds": {"n_fft": 60, "hop": 20},
    "zeros_around": {"pad_mode": "constant"},
    "normalized": {"normalized": True},
    "own_length": {"length": False},
}


# In numbers of the stream, whose samples come in blocks of a hop.
LATE = {"half": 32, "hamming": 64, "ten_milliseconds": 50}


@pytest.mark.parametrize("name", BACK)
def test_there_and_back(name, tmp_path):
    torch.manual_seed(1)
    options = dict(BACK[name])
    model = Masking(**options)
    if "pad_mode" in options:
        model.options = {}
        plain, transform = torch.stft, options["pad_mode"]
        model.forward = lambda x: torch.istft(
            plain(x, 64, 16, window=model.window, return_complex=True, pad_mode=transform) * 0.5, 64, 16, window=model.window, length=x.shape[-1],
        )
    made = exported(model, (1, 480), tmp_path, latency=1000).streamed
    assert made.latency == LATE.get(name, 48)


def test_two_channels(tmp_path):
    torch.manual_seed(1)
    exported(Masking(), (2, 480), tmp_path, latency=48)


def test_looking_ahead_is_told(tmp_path):
    told = refusal(Masking(), (1, 480), tmp_path)
    assert "its result waits for 48 samples that come later; --latency 48 permits that" in told
    assert "looks 32 samples ahead" in told and "looks 16 samples ahead" in told
    assert "# there" in told and "# and back" in told
    assert "--latency 48" in refusal(Masking(), (1, 480), tmp_path, latency=47)


REFUSED = {
    "both_sides": (lambda x: torch.stft(x, 40, 10, window=torch.ones(40), onesided=False, return_complex=True).abs(), "both sides of the spectrum"),
    "odd": (lambda x: torch.stft(x, 15, 5, window=torch.ones(15), center=False, return_complex=True).abs(), "only even numbers of points"),
    "complex_result": (lambda x: torch.stft(x, 16, 4, window=torch.ones(16), center=False, return_complex=True), "torch.view_as_real gives its parts"),
    "not_complex": (lambda x: torch.stft(x, 16, 4, window=torch.ones(16), center=False, return_complex=True).tanh().abs(), "there is no stream for"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    function, words = REFUSED[name]
    model = Analysis(None)
    model.forward = function
    assert words in refusal(model, SAMPLES, tmp_path)


def test_spectra_are_imported_whole_too(tmp_path):
    strc.torch.export(Analysis(lambda z, _: z).eval(), [torch.randn(*SAMPLES)], tmp_path / "model.str")
    assert (tmp_path / "model.str").exists()
