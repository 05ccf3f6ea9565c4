"""Operators of torchvision on boxes beside torchvision."""

import pytest
import torch
from models import Of
from test_run import assert_close, run_program
from torch import nn

import strc.torch
from strc.errors import ImportFailure

ops = pytest.importorskip("torchvision.ops")


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


class Chooses(nn.Module):
    """What a detector does with the numbers that its network gives: boxes with a score, the best of each class, and of these those that overlap little."""

    def __init__(self, detector, boxes):
        super().__init__()
        self.detector = detector
        self.register_buffer("boxes", boxes)

    def chosen(self, found):
        (chosen,) = found
        return chosen["boxes"], chosen["scores"], chosen["labels"]


class OfSsd(Chooses):
    def forward(self, places, classes):
        return self.chosen(self.detector.postprocess_detections({"bbox_regression": places, "cls_logits": classes}, [self.boxes], [(40, 40)]))


class OfRetinaNet(Chooses):
    def forward(self, places, classes):
        first = self.boxes.shape[0] // 2
        parts = {"bbox_regression": [places[:, :first], places[:, first:]], "cls_logits": [classes[:, :first], classes[:, first:]]}
        return self.chosen(self.detector.postprocess_detections(parts, [[self.boxes[:first], self.boxes[first:]]], [(40, 40)]))


class OfFcos(Chooses):
    """Its scores are also of how far in the middle of a box a place is: 2, which is near."""

    def forward(self, places, classes):
        first, middle = self.boxes.shape[0] // 2, torch.full((1, self.boxes.shape[0], 1), 2.0)
        cut = {"bbox_regression": places.abs(), "cls_logits": classes, "bbox_ctrness": middle}
        parts = {name: [one[:, :first], one[:, first:]] for name, one in cut.items()}
        return self.chosen(self.detector.postprocess_detections(parts, [[self.boxes[:first], self.boxes[first:]]], [(40, 40)]))


DETECTORS = {"ssdlite320_mobilenet_v3_large": (OfSsd, 0.6), "retinanet_resnet50_fpn": (OfRetinaNet, 0.75), "fcos_resnet50_fpn": (OfFcos, 0.8)}


@pytest.mark.parametrize("scores", ["many", "few", "none"])
@pytest.mark.parametrize("name", DETECTORS)
def test_what_detectors_choose(name, scores, tmp_path):
    """As many boxes as the run finds: more than the best that are wanted, fewer, none."""
    torch.manual_seed(7)
    detection = pytest.importorskip("torchvision.models.detection")
    kind, least = DETECTORS[name]
    detector = getattr(detection, name)(weights=None, weights_backbone=None, num_classes=3).eval()
    detector.topk_candidates, detector.detections_per_img, detector.score_thresh, detector.nms_thresh = 12, 15, least, 0.3
    model = kind(detector, boxes_of(40, 40))
    inputs = [0.3 * torch.randn(1, 40, 4), {"many": 3.0, "few": 0.6, "none": 0.1}[scores] * torch.randn(1, 40, 3) - 0.1]
    expected = model(*inputs)
    assert {"many": 8, "few": 1, "none": 0}[scores] <= len(expected[0]) <= {"many": 15, "few": 7, "none": 0}[scores]
    strc.torch.export(model, inputs, tmp_path / "model.str")
    for one, other in zip(run_program(tmp_path, kind.__name__, inputs, 3), expected):
        assert one.shape == other.shape and one.dtype == other.dtype
        assert_close(one, other)


def test_masks_of_boxes_that_are_cut_off(tmp_path):
    """Some go beyond the picture, and one is a pixel wide."""
    from torchvision.models.detection import transform

    torch.manual_seed(11)
    boxes = torch.tensor([[1.0, 2, 8, 9], [-3.5, -2.2, 6, 4], [5, 5, 14.7, 13], [3, 3, 3.2, 3.4], [0, 0, 9, 11]])
    masks = torch.rand(5, 1, 4, 4)

    made = equal(lambda m, b: transform.paste_masks_in_image(m, b, (11, 10)), [masks, boxes], tmp_path)
    assert (made != 0).any((1, 2, 3)).tolist() == [True] * 5


def test_batched_nms(tmp_path):
    torch.manual_seed(8)
    classes = torch.randint(0, 2, (30,))
    made = equal(lambda b, s: ops.batched_nms(b[s > 0.2], s[s > 0.2], classes[: len(s)][s > 0.2], 0.1), [boxes_of(30, 9), torch.rand(30)], tmp_path)
    assert 5 < len(made) < 20


def test_scores_without_an_order(tmp_path):
    boxes = torch.tensor([[0.0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3.1], [5, 5, 6, 6]])
    for name, scores in (("infinite", [-torch.inf, 0.5, 0.6, torch.inf]), ("nan", [-torch.inf, torch.nan, 0.6, 0.1])):
        (tmp_path / name).mkdir()
        for function in (lambda b, s: ops.batched_nms(b, s, torch.zeros(4, dtype=torch.long), 0.5), lambda b, s: ops.nms(b, s, 0.5)):
            equal(function, [boxes, torch.tensor(scores)], tmp_path / name)
