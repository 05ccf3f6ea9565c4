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


class Levels(nn.Module):
    """Features of two sizes, as a pyramid has them."""

    out_channels = 4

    def __init__(self):
        super().__init__()
        self.fine, self.coarse = nn.Conv2d(3, 4, 4, stride=4), nn.Conv2d(4, 4, 2, stride=2)

    def forward(self, x):
        fine = self.fine(x)
        return {"0": fine, "1": self.coarse(fine)}


class TwoStages(nn.Module):
    def __init__(self):
        super().__init__()
        detection = pytest.importorskip("torchvision.models.detection")
        anchors = detection.rpn.AnchorGenerator(((8,), (32,)), ((0.5, 1.0, 2.0),) * 2)
        pool = ops.MultiScaleRoIAlign(["0", "1"], 3, 2, canonical_scale=20, canonical_level=3)
        self.network = detection.FasterRCNN(
            Levels(), num_classes=3, min_size=32, max_size=32, rpn_anchor_generator=anchors, box_roi_pool=pool, rpn_pre_nms_top_n_test=20,
            rpn_post_nms_top_n_test=16, box_score_thresh=0.3, box_detections_per_img=12,
        )  # fmt: skip
        nn.init.normal_(self.network.roi_heads.box_predictor.cls_score.weight, std=0.5)

    def forward(self, pictures):
        (found,) = self.network([pictures[0]])
        return found["boxes"], found["scores"], found["labels"]


def test_proposals_at_several_levels(tmp_path):
    """How many boxes come to each level of the pyramid, the run finds."""
    torch.manual_seed(9)
    model = TwoStages().eval()
    levels = []
    strc.torch.export(model, [torch.rand(1, 3, 32, 32)], tmp_path / "model.str")
    model.network.roi_heads.box_roi_pool.register_forward_hook(lambda pool, given, _: levels.append(pool.map_levels(given[1]).unique().tolist()))
    for _ in range(2):
        picture = torch.rand(1, 3, 32, 32)
        expected = model(picture)
        assert len(expected[0]) >= 2
        for one, other in zip(run_program(tmp_path, "TwoStages", [picture], 3), expected):
            assert one.shape == other.shape and one.dtype == other.dtype
            assert_close(one, other)
    assert levels == [[0, 1], [0, 1]]


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


def test_a_whole_detector(tmp_path):
    """With weights under which its scores are apart."""
    torch.manual_seed(0)
    detection = pytest.importorskip("torchvision.models.detection")

    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.network = detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=5).eval()
            for weight in self.network.parameters():
                if weight.dim() == 4:
                    nn.init.kaiming_normal_(weight)

        def forward(self, pictures):
            (found,) = self.network([pictures[0]])
            return found["boxes"], found["scores"], found["labels"]

    model, inputs = Detector().eval(), [torch.rand(1, 3, 320, 320)]
    with torch.no_grad():
        expected = model(*inputs)
    strc.torch.export(model, inputs, tmp_path / "model.str")
    boxes, scores, labels = run_program(tmp_path, "Detector", inputs, 3)
    assert len(labels) == 300 and torch.equal(labels, expected[2])
    assert_close(scores, expected[1])
    assert (boxes - expected[0]).abs().max() < 0.05
