"""Operators of torchvision on boxes beside torchvision."""

import pytest
import torch
from test_run import assert_close, run_program
from torch import nn

import strc.torch
from strc.errors import ImportFailure

ops = pytest.importorskip("torchvision.ops")


class Of(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def boxes_of(count, size):
    """Boxes, some of them very much alike, some beyond the picture."""
    corners = torch.rand(count, 4) * size * 1.2 - size / 10
    made = torch.cat([torch.minimum(corners[:, :2], corners[:, 2:]), torch.maximum(corners[:, :2], corners[:, 2:])], 1)
    made[count // 2 :] = made[: count - count // 2] + torch.rand(count - count // 2, 1)
    return made


def equal(function, inputs, path):
    strc.torch.export(Of(function), inputs, path / "model.str")
    (found,) = run_program(path, "Of", inputs, 1)
    expected = function(*inputs)
    assert found.numel() == expected.numel() and found.dtype == expected.dtype
    assert_close(found, expected)
    return expected


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize(("size", "scale", "samples"), [((3, 4), 1.0, 1), ((2, 2), 0.25, 2), (5, 0.5, 3)])
def test_roi_align(size, scale, samples, aligned, tmp_path):
    torch.manual_seed(4)
    pictures = torch.randn(2, 3, 9, 7)
    boxes = torch.cat([torch.randint(0, 2, (6, 1)).float(), boxes_of(6, 9 / scale)], 1)
    made = equal(lambda x, b: ops.roi_align(x, b, size, scale, samples, aligned), [pictures, boxes], tmp_path)
    assert len(made.unique()) > 20


def test_boxes_far_out_are_zeros(tmp_path):
    boxes = torch.tensor([[0.0, 20, 20, 30, 30], [0, -40, 0, -20, 5], [0, 0, 0, 3, 3]])
    made = equal(lambda x, b: ops.roi_align(x, b, 2, 1.0, 2), [torch.randn(1, 2, 4, 1), boxes], tmp_path)
    assert not made[:2].any() and made[2].any()


def test_as_many_samples_as_a_box_is_large(tmp_path):
    with pytest.raises(ImportFailure, match="sampling_ratio=2"):
        strc.torch.export(Of(lambda x, b: ops.roi_align(x, b, 2)), [torch.randn(1, 2, 4, 4), torch.zeros(1, 5)], tmp_path / "model.str")


@pytest.mark.parametrize("most", [0.0, 0.45, 0.7, 1.0])
def test_nms(most, tmp_path):
    torch.manual_seed(5)
    made = equal(lambda b, s: ops.nms(b, s, most), [boxes_of(20, 9), torch.rand(20)], tmp_path)
    assert 1 < len(made) < 20 or most == 1.0


def test_what_is_kept(tmp_path):
    """Boxes behind their suppression, as detectors give them."""
    torch.manual_seed(6)
    equal(lambda b, s: b[ops.nms(b, s, 0.5)], [boxes_of(12, 9), torch.rand(12)], tmp_path)
