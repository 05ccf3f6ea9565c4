"""What torchvision does with boxes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch import library as operators

from ..lowering import Like, Lowering, NotLowered, at_most, lowers, static
from .primitives import LIBRARY
from .registry import made_of


def bins(start: Tensor, end: Tensor, count: int, samples: int, size: int, aligned: bool) -> Tensor:
    """For each box and each of its `count` bins along one dimension what each of `size` elements adds to the mean of its samples."""
    length = end - start if aligned else (end - start).clamp(min=1)
    width = (length / count)[:, None, None]
    inside = torch.arange(samples, device=start.device) + 0.5
    at = start[:, None, None] + torch.arange(count, device=start.device)[None, :, None] * width + inside * width / samples
    is_outside = (at < -1) | (at > size)
    at = at.clamp(0, size - 1)
    low = at.floor().clamp(max=max(size - 2, 0))
    part = at - low
    element = torch.arange(size, device=start.device)
    weights = (element == low[..., None]) * (1 - part)[..., None] + (element == low[..., None] + 1) * part[..., None]
    return torch.where(is_outside[..., None], torch.zeros((), device=start.device), weights).sum(2) / samples


@made_of("torchvision.roi_align.default")
def roi_align(
    x: Tensor, boxes: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int, sampling_ratio: int, aligned: bool
) -> Tensor:
    """Interpolation along either dimension is a product with a matrix."""
    if sampling_ratio <= 0:
        raise NotLowered("takes as many samples as a box is large, and a stream has to know how many; sampling_ratio=2 says it")
    left, top, right, bottom = (boxes[:, 1:] * spatial_scale - (0.5 if aligned else 0.0)).unbind(1)
    down = bins(top, bottom, pooled_height, sampling_ratio, x.shape[2], aligned)
    across = bins(left, right, pooled_width, sampling_ratio, x.shape[3], aligned)
    pictures = x.index_select(0, boxes[:, 0].long())
    return down[:, None] @ pictures @ across[:, None].transpose(2, 3)


@lowers("torchvision.nms.default")
def nms(ctx: Lowering, boxes: Any, scores: Any, iou_threshold: float) -> Any:
    """Those boxes that overlap none with a higher score by more; how many, the run knows."""
    one = ctx.emit("full_long", (scores,), 0, like=Like(scores.shape, torch.int64))
    return nms_of_classes(ctx, boxes, scores, one, iou_threshold)


LIBRARY.define("nms_of_classes(Tensor boxes, Tensor scores, Tensor classes, float iou_threshold) -> Tensor")


def kept_of_classes(boxes: Tensor, scores: Tensor, classes: Tensor, iou_threshold: float) -> Tensor:
    """`torchvision.ops.batched_nms`, which stands for it while a model is captured: it does the same in two ways, and chooses by how many boxes there are."""
    return torch.ops.strc.nms_of_classes(boxes, scores, classes, iou_threshold)


def computed(boxes: Tensor, scores: Tensor, classes: Tensor, iou_threshold: float) -> Tensor:
    kept = torch.zeros_like(scores, dtype=torch.bool)
    for one in classes.unique():
        places = torch.where(classes == one)[0]
        kept[places[torch.ops.torchvision.nms(boxes[places], scores[places], iou_threshold)]] = True
    places = torch.where(kept)[0]
    return places[scores[places].sort(descending=True, stable=True)[1]]


LIBRARY.impl("nms_of_classes", computed, "CPU")


@operators.register_fake("strc::nms_of_classes", lib=LIBRARY)  # type: ignore[untyped-decorator]
def as_many_as_are_kept(boxes: Tensor, scores: Tensor, classes: Tensor, iou_threshold: float) -> Tensor:
    return boxes.new_empty(operators.get_ctx().new_dynamic_size(max=at_most(boxes.shape[0])), dtype=torch.int64)


@lowers("strc.nms_of_classes.default")
def nms_of_classes(ctx: Lowering, boxes: Any, scores: Any, classes: Any, iou_threshold: float) -> Any:
    return ctx.emit("nms_of_classes", (boxes, scores, classes), at_most(boxes.shape[0]), float(iou_threshold))


def pooled_at_levels(
    features: list[Tensor], boxes: list[Tensor], output_size: list[int], sampling_ratio: int, scales: list[float], mapper: Any
) -> Tensor:
    """`torchvision.ops.poolers._multiscale_roi_align`, which puts the boxes of each level of a pyramid together. Here each box is looked up at all levels,
    and that of its own is chosen, so that no shape depends on how many boxes a level has."""
    from torchvision.ops import poolers

    regions = poolers._convert_to_roi_format(boxes)
    levels = mapper(boxes)[:, None, None, None]
    found = [poolers.roi_align(one, regions, output_size, scale, sampling_ratio) for one, scale in zip(features, scales)]
    made = found[0]
    for level, one in enumerate(found[1:], 1):
        made = torch.where(levels == level, one, made)
    return made


def decoded(coder: Any, codes: Tensor, boxes: list[Tensor]) -> Tensor:
    """`BoxCoder.decode` of torchvision, which asks whether there are boxes."""
    made: Tensor = coder.decode_single(codes, torch.cat(boxes, 0))
    return made.unflatten(1, (-1, 4))


def extended(boxes: Tensor, scale: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The edges of boxes that are so many times as large around their middles, as whole numbers."""
    left, top, right, bottom = boxes.unbind(1)
    width, height = (right - left) * 0.5 * scale, (bottom - top) * 0.5 * scale
    across, down = (right + left) * 0.5, (bottom + top) * 0.5
    edges = across - width, down - height, across + width, down + height
    return edges[0].long(), edges[1].long(), edges[2].long(), edges[3].long()


def stretched(first: Tensor, last: Tensor, size: int, extent: int) -> Tensor:
    """For each box, which goes from its first pixel to its last one, and each of `extent` pixels of a picture: what each of `size` elements adds that are
    interpolated over the box."""
    at = torch.arange(extent, device=first.device) - first[:, None]
    length = last - first + 1
    place = ((at + 0.5) * (size / length.clamp(min=1))[:, None] - 0.5).clamp(min=0)
    low = place.floor().clamp(max=size - 1)
    part = (place - low).clamp(max=1)
    element = torch.arange(size, device=first.device)
    weights = (element == low[..., None]) * (1 - part)[..., None] + (element == (low + 1).clamp(max=size - 1)[..., None]) * part[..., None]
    is_inside = (at >= 0) & (at < length[:, None])
    return torch.where(is_inside[..., None], weights, torch.zeros((), device=first.device))


def pasted(masks: Tensor, boxes: Tensor, img_shape: tuple[int, int], padding: int = 1) -> Tensor:
    """`torchvision.models.detection.roi_heads.paste_masks_in_image`, which resizes each mask to its box. Interpolation along either dimension of the picture
    is a product with a matrix."""
    size = masks.shape[-1] + 2 * padding
    left, top, right, bottom = extended(boxes, size / masks.shape[-1])
    down, across = stretched(top, bottom, size, img_shape[0]), stretched(left, right, size, img_shape[1])
    made: Tensor = down[:, None] @ (torch.nn.functional.pad(masks, (padding,) * 4) @ across[:, None].transpose(2, 3))
    return made


LIBRARY.define("peaks_of_maps(Tensor maps, Tensor boxes) -> (Tensor, Tensor)")


def keypoints(maps: Tensor, rois: Tensor) -> tuple[Tensor, Tensor]:
    """`torchvision.models.detection.roi_heads.heatmaps_to_keypoints`, which stands for it while a model is captured: it resizes the maps of each box to the
    size of that, which only the run knows."""
    places, scores = torch.ops.strc.peaks_of_maps(maps, rois)
    return places, scores


@operators.register_fake("strc::peaks_of_maps", lib=LIBRARY)  # type: ignore[untyped-decorator]
def as_many_as_maps(maps: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor]:
    return maps.new_empty((maps.shape[0], maps.shape[1], 3)), maps.new_empty(maps.shape[:2])


@lowers("strc.peaks_of_maps.default")
def peaks_of_maps(ctx: Lowering, maps: Any, boxes: Any) -> Any:
    _, points, high, wide = (static(size) for size in maps.shape)
    if None in (points, high, wide):
        raise NotLowered("of maps whose size is open")
    return ctx.emit_tuple("peaks_of_maps", (maps, boxes), list(ctx.meta), at_most(maps.shape[0]), points, high, wide)


REPLACED = {
    ("torchvision.ops.boxes", "batched_nms"): kept_of_classes,
    ("torchvision.ops", "batched_nms"): kept_of_classes,
    ("torchvision.ops.poolers", "_multiscale_roi_align"): pooled_at_levels,
    ("torchvision.models.detection._utils", "BoxCoder.decode"): decoded,
    ("torchvision.models.detection.transform", "paste_masks_in_image"): pasted,
    ("torchvision.models.detection.roi_heads", "heatmaps_to_keypoints"): keypoints,
}
