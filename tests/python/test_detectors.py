"""Detectors and segmenters of torchvision as a whole, with small networks."""

import pytest
import torch
from test_run import assert_close, run_program
from torch import nn

import strc.torch

ops = pytest.importorskip("torchvision.ops")
detection = pytest.importorskip("torchvision.models.detection")
segmentation = pytest.importorskip("torchvision.models.segmentation")


def compare(model, picture, folder):
    """What its program gives for a picture: as many boxes as the model gives, of the same types."""
    with torch.no_grad():
        expected = model(picture)
    for one, other in zip(run_program(folder, type(model).__name__, [picture], len(expected)), expected):
        assert one.shape == other.shape and one.dtype == other.dtype
        assert_close(one, other)
    return expected


class Levels(nn.Module):
    """Features of two sizes, as a pyramid has them."""

    def __init__(self, channels=4, names=("0", "1")):
        super().__init__()
        self.out_channels, self.names = channels, names
        self.fine, self.coarse = nn.Conv2d(3, channels, 4, stride=4), nn.Conv2d(channels, channels, 2, stride=2)

    def forward(self, x):
        fine = self.fine(x)
        return dict(zip(self.names, (fine, self.coarse(fine))))


class TwoStages(nn.Module):
    """A detector of boxes, with what else it finds in them."""

    def __init__(self, kind="FasterRCNN", *more, **parts):
        super().__init__()
        anchors = detection.rpn.AnchorGenerator(((8,), (32,)), ((0.5, 1.0, 2.0),) * 2)
        self.more = more
        self.network = getattr(detection, kind)(
            Levels(), box_predictor=detection.faster_rcnn.FastRCNNPredictor(1024, 3), min_size=32, max_size=32, rpn_anchor_generator=anchors,
            box_roi_pool=pool_of(3), rpn_pre_nms_top_n_test=20, rpn_post_nms_top_n_test=16, box_score_thresh=0.3, box_detections_per_img=12, **parts,
        )  # fmt: skip
        nn.init.normal_(self.network.roi_heads.box_predictor.cls_score.weight, std=0.5)

    def forward(self, pictures):
        (found,) = self.network([pictures[0]])
        return tuple(found[name] for name in ("boxes", "scores", "labels", *self.more))


def pool_of(size):
    return ops.MultiScaleRoIAlign(["0", "1"], size, 2, canonical_scale=20, canonical_level=3)


def test_proposals_at_several_levels(tmp_path):
    """How many boxes come to each level of the pyramid, the run finds."""
    torch.manual_seed(9)
    model = TwoStages().eval()
    levels = []
    strc.torch.export(model, [torch.rand(1, 3, 32, 32)], tmp_path / "model.str")
    model.network.roi_heads.box_roi_pool.register_forward_hook(lambda pool, given, _: levels.append(pool.map_levels(given[1]).unique().tolist()))
    for _ in range(2):
        assert len(compare(model, torch.rand(1, 3, 32, 32), tmp_path)[0]) >= 2
    assert levels == [[0, 1], [0, 1]]


def with_masks():
    parts = detection.mask_rcnn
    head, last = parts.MaskRCNNHeads(4, (8,), 1), parts.MaskRCNNPredictor(8, 8, 3)
    nn.init.normal_(last.mask_fcn_logits.weight, std=2.0)
    return TwoStages("MaskRCNN", "masks", mask_roi_pool=pool_of(4), mask_head=head, mask_predictor=last)


def with_keypoints():
    parts = detection.keypoint_rcnn
    return TwoStages(
        "KeypointRCNN", "keypoints", "keypoints_scores", keypoint_roi_pool=pool_of(4), keypoint_head=parts.KeypointRCNNHeads(4, (8, 8)),
        keypoint_predictor=parts.KeypointRCNNPredictor(8, 5),
    )  # fmt: skip


@pytest.mark.parametrize("make", [with_masks, with_keypoints], ids=lambda make: make.__name__)
def test_what_is_in_boxes(make, tmp_path):
    """Masks are pasted into the picture, and the greatest element of a map is looked for at the size of its box: pictures are resized before."""
    torch.manual_seed(10)
    model = make().eval()
    strc.torch.export(model, [torch.rand(1, 3, 48, 40)], tmp_path / "model.str")
    for _ in range(2):
        expected = compare(model, torch.rand(1, 3, 48, 40), tmp_path)
        assert len(expected[0]) >= 2 and len(expected[3].unique()) > 10


def set_apart(network):
    """Gives it weights under which no two scores are nearly the same."""
    for weight in network.parameters():
        if weight.dim() == 4:
            nn.init.kaiming_normal_(weight, 1.0)


class OneStage(nn.Module):
    """A detector whose layers for scores are given, too."""

    def __init__(self, network, *scores):
        super().__init__()
        self.network = network
        set_apart(network)
        for layer in scores:
            nn.init.zeros_(layer.bias)

    def forward(self, pictures):
        (found,) = self.network([pictures[0]])
        return found["boxes"], found["scores"], found["labels"]


SIZE = {"min_size": 32, "max_size": 32, "detections_per_img": 12, "topk_candidates": 20}


def retinanet():
    anchors = detection.anchor_utils.AnchorGenerator(((8,), (16,)), ((0.5, 1.0, 2.0),) * 2)
    network = detection.RetinaNet(Levels(), 3, anchor_generator=anchors, **SIZE)
    return OneStage(network, network.head.classification_head.cls_logits)


def fcos():
    anchors = detection.anchor_utils.AnchorGenerator(((8,), (16,)), ((1.0,),) * 2)
    network = detection.FCOS(Levels(32), 3, anchor_generator=anchors, score_thresh=0.05, **SIZE)
    return OneStage(network, network.head.classification_head.cls_logits)


def ssd():
    boxes = detection.anchor_utils.DefaultBoxGenerator([[2], [2]])
    levels = Levels()
    levels.out_channels = [4, 4]
    network = detection.ssd.SSD(levels, boxes, (32, 32), 3, detections_per_img=12, topk_candidates=20)
    return OneStage(network, *network.head.classification_head.module_list)


@pytest.mark.parametrize("make", [retinanet, fcos, ssd], ids=lambda make: make.__name__)
def test_one_stage(make, tmp_path):
    torch.manual_seed(12)
    model = make().eval()
    strc.torch.export(model, [torch.rand(1, 3, 32, 32)], tmp_path / "model.str")
    assert len(compare(model, torch.rand(1, 3, 32, 32), tmp_path)[0]) >= 2


class Segments(nn.Module):
    """Scores of each pixel, and the class with the greatest one."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        set_apart(network)

    def forward(self, pictures):
        scores = self.network(pictures)["out"]
        return scores, scores.argmax(1)


def deeplab():
    return segmentation.deeplabv3.DeepLabV3(Levels(names=("low", "out")), segmentation.deeplabv3.DeepLabHead(4, 3, (1, 2, 3)))


def fcn():
    return segmentation.fcn.FCN(Levels(8, ("low", "out")), segmentation.fcn.FCNHead(8, 3))


def lraspp():
    return segmentation.lraspp.LRASPP(Levels(names=("low", "high")), 4, 4, 3, 8)


@pytest.mark.parametrize("make", [deeplab, fcn, lraspp], ids=lambda make: make.__name__)
def test_segmenters(make, tmp_path):
    torch.manual_seed(13)
    model, picture = Segments(make()).eval(), torch.rand(1, 3, 24, 32)
    strc.torch.export(model, [picture], tmp_path / "model.str")
    assert len(compare(model, picture, tmp_path)[1].unique()) > 1


def test_a_whole_detector(tmp_path):
    """With weights under which its scores are apart."""
    torch.manual_seed(0)

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
