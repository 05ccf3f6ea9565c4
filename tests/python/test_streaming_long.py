"""A stream that runs for long: its memory does not grow, and its results do not drift.

STRC_LONG_FRAMES says how many frames there are; the full tier has a million.
"""

import os
import resource

import numpy
import torch
from streaming_support import Of, the_compiler  # noqa: F401
from test_streaming_attention import Attention, rotary
from test_streaming_past import CumulativeNorm
from torch import nn

import strc.torch
from strc.streaming.running import Program
from strc.torch.export import proven

FRAMES = int(os.environ.get("STRC_LONG_FRAMES", "20000"))
SPARE = 4 << 20  # bytes that a longer run may take more than its files


class Encoder(nn.Module):
    """What moves a window over the past: convolutions, attention with rotary positions, and a recurrent layer that forgets."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 6, 3)
        self.attention = Attention(rotary)

    def forward(self, x):
        y = self.conv(nn.functional.pad(x, (2, 0)))
        return self.attention(y.transpose(1, 2))


def program_of(model, shape, folder):
    example = torch.randn(*shape)
    made = strc.torch.stream_model(model.eval(), [example])
    text, weights = proven(made, made.source(), model, [example])
    return Program(str(folder), made.streamed, text, weights)


def run_long(program, channels=1):
    """Input and output of a long run, which takes no more memory than one of a tenth."""
    generator = numpy.random.default_rng(1)
    frames = generator.standard_normal((FRAMES, channels)).astype(numpy.float32)
    program.run([frames[: FRAMES // 10]])
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    (found,) = program.run([frames])
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert (after - before) * 1024 <= frames.nbytes + found.nbytes + SPARE
    return frames, found


def test_windows_do_not_drift(tmp_path):
    """The end of a long stream is what the model makes of the last frames alone."""
    torch.manual_seed(1)
    model = Encoder()
    frames, found = run_long(program_of(model, (1, 1, 60), tmp_path))
    found = found.reshape(-1, 3)
    assert len(found) == FRAMES
    for end in (FRAMES, FRAMES // 2, 1000):
        window = torch.from_numpy(frames[end - 100 : end]).reshape(1, 1, -1)
        with torch.no_grad():
            wanted = model(window)[0, -50:].numpy()
        assert numpy.abs(found[end - 50 : end] - wanted).max() <= 1e-5


def test_sums_do_not_drift(tmp_path):
    """Norms over all that came are those that the model computes in double."""
    torch.manual_seed(1)
    model = CumulativeNorm(6)
    frames, found = run_long(program_of(model, (1, 1, 60), tmp_path))
    with torch.no_grad():
        wanted = model.double()(torch.from_numpy(frames).double().reshape(1, 1, -1))[0].T.numpy()
    assert numpy.abs(found.reshape(-1, 6) - wanted).max() <= 1e-5


def test_positions_do_not_drift(tmp_path):
    """A wave of the time step is right to the rounding of a float, however far it goes."""
    torch.manual_seed(1)
    model = Of(lambda x: x * 0.01 + torch.cos(torch.arange(x.shape[-1]).double() / 10000**0.25).float(), 1)
    frames, found = run_long(program_of(model, (1, 1, 60), tmp_path))
    with torch.no_grad():
        wanted = model(torch.from_numpy(frames).reshape(1, 1, -1)).flatten().numpy()
    assert numpy.abs(found - wanted).max() <= 1e-5 * max(1, FRAMES / 20000)
