"""The examples with networks beside PyTorch, on sounds that nobody has heard before: their executables give what the
modules of train.py give, and the keyword spotter hears most words."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import torch
from safetensors.torch import load_file

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STRC = os.environ.get("STRC") or "strc"


@pytest.fixture
def example(request):
    """The modules beside a program of the examples: their names are the same in all of them."""
    folder = EXAMPLES / request.param
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    for name in [name for name, module in sys.modules.items() if str(folder) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]


def executable(folder, program, *top):
    """A function from numbers to numbers."""
    subprocess.run([STRC, "build", *top, program, "-o", folder / "program"], check=True)

    def run(items, *options):
        items.astype("<f4").tofile(folder / "in.raw")
        subprocess.run([folder / "program", "--in", "in.raw", "--out", "out.raw", *options], cwd=folder, check=True)
        return numpy.fromfile(folder / "out.raw", "<f4")

    return run


def assert_near(found, wanted):
    assert found.shape == wanted.shape
    assert (numpy.abs(found - wanted) <= 1e-4 * numpy.maximum(1, numpy.abs(wanted))).all()


@pytest.mark.parametrize("example", ["keyword_spotter"], indirect=True)
def test_keyword_spotter(example, tmp_path):
    import train
    import voices

    model = train.Spotter().eval()
    model.load_state_dict(load_file(example / "spotter.safetensors"), strict=False)
    sounds, labels = voices.clips(1000, 300)
    with torch.no_grad():
        wanted = model(torch.from_numpy(train.features(sounds))).numpy()
    top = "float->float pipeline { add Features; add frame({MOMENTS, BANDS}); add Network; add unframe({LABELS}); }"
    spot = executable(tmp_path, example / "spotter.str", "--top", top)
    found = numpy.array([spot(sound) for sound in sounds])
    assert_near(found, wanted)
    is_word = labels != voices.OTHER
    right = found.argmax(1) == labels
    print(f"{right[is_word].mean():.3f} of the words, {right[~is_word].mean():.3f} of everything else")
    assert right.mean() > 0.9


@pytest.mark.parametrize("example", ["lstm_amp"], indirect=True)
def test_lstm_amp(example, tmp_path):
    import sounds
    import train

    model = train.Amp()
    model.load_state_dict(load_file(example / "amp.safetensors"))
    dry = sounds.plucks(1000, 1, 20000)[0]
    drive = 0.37
    both = numpy.stack([dry, numpy.full_like(dry, drive)], axis=1).astype("f4")
    with torch.no_grad():
        wanted = model(torch.from_numpy(both[None]))[0].numpy().ravel()
    play = executable(tmp_path, example / "amp.str", "--top", "Amp", "--keep-param", "drive")
    found = play(dry, "-D", f"drive={drive}")
    assert_near(found, wanted)
    amplifier = sounds.amplify(dry[None], [drive])[0]
    assert ((found - amplifier) ** 2).sum() < 0.02 * (amplifier**2).sum()
