"""Imported models as executables of their own: they run without Python, without strc, with nothing in their environment."""

import shutil
import subprocess

import numpy
import pytest
import torch
from cases import CASES
from support import STRC
from test_run import assert_close

import strc.torch

BUILT = {"my_module", "cnn", "resnet_block", "two_inputs", "two_outputs", "lstm_model", "fused"}


def shape_of(tensor):
    return "x".join(map(str, tensor.shape))


ALL = [(case, external) for case in CASES if case.name in BUILT for external in ([False, True] if case.name == "cnn" else [False])]


@pytest.mark.parametrize("case, external", ALL, ids=lambda value: getattr(value, "name", "external" if value else "embedded"))
def test_an_executable_gives_what_the_model_gives(case, external, tmp_path):
    model, inputs = case.make()
    strc.torch.export(model, inputs, tmp_path / "model.str")
    words = [STRC, "build", "--top", case.model, "model.str", "-o", "model"]
    words += [word for tensor in inputs for word in ("--input", shape_of(tensor))] + ["--external-weights"] * external
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    with torch.no_grad():
        expected = model(*inputs)
    expected = [expected] if isinstance(expected, torch.Tensor) else list(expected)
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.move(tmp_path / "model", alone / "model")
    (tmp_path / "model.str").unlink()
    if not external:
        (tmp_path / "model.safetensors").unlink()
    run = ["./model"]
    for i, tensor in enumerate(inputs):
        numpy.save(alone / f"in{i}.npy", tensor.numpy())
        run += ["--in", f"in{i}.npy"]
    for i in range(len(expected)):
        run += ["--out", f"out{i}.npy"]
    done = subprocess.run(run, cwd=alone, env={}, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    for i, value in enumerate(expected):
        assert_close(torch.from_numpy(numpy.load(alone / f"out{i}.npy")), value)


def test_an_executable_needs_no_library_of_pytorchs(tmp_path):
    case = next(case for case in CASES if case.name == "my_module")
    model, inputs = case.make()
    strc.torch.export(model, inputs, tmp_path / "model.str")
    words = [STRC, "build", "--top", case.model, "model.str", "-o", "model", "--input", shape_of(inputs[0])]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=1800)
    needed = subprocess.run(["readelf", "-d", "model"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    libraries = [line.rpartition("[")[2].rstrip("]") for line in needed.splitlines() if "(NEEDED)" in line]
    assert libraries and all(name.startswith(("libc.", "libm.", "libmvec.", "libpthread.", "ld-")) for name in libraries), libraries
