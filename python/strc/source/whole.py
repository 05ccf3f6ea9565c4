"""Layers with weights of int8 between quantised values, whose sums are ints: filters that are written into programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..ir import Instruction


@dataclass(frozen=True)
class Whole:
    """A filter with stored values under the prefix `weights`: `weight` as int8, and for each output what is taken off its sums, `zeros`, their `scale`, and `bias`."""

    name: str
    formals: tuple[str, ...]
    types: tuple[str, ...]
    outputs: str
    shape: str  # of the weights
    body: str  # of the work function

    def source(self, name: str, example: Instruction) -> str:
        formals = ", ".join([*(f"{kind} {formal}" for kind, formal in zip(self.types, self.formals)), 'String weights = ""'])
        fields = [
            f'    tensor<int8>[{self.shape}] weight = stored(weights, "weight");', f'    tensor<int>[{self.outputs}] zeros = stored(weights, "zeros");',
            f'    tensor<float>[{self.outputs}] scale = stored(weights, "scale");', f'    tensor<float>[{self.outputs}] bias = stored(weights, "bias");',
        ]
        lines = [f"        {line}" for line in self.body.strip().splitlines()]
        return "\n".join([f"tensor->tensor filter {name}({formals}) {{", *fields, "    work pop 1 push 1 {", *lines, "    }", "}"])


# What arrives becomes int8: reals by a step and a zero point, whole numbers by what is taken off.
LINEAR = """
tensor x = pop();
tensor q;
if (step > 0) q = int8(min(max(rint(x / step) + zero, -128), 127)); else q = int8((int) x - taken);
push((matmul((int) q, (int) transpose(weight, 0, 1)) - zeros) * scale + bias);
"""
# Products of bytes are quick where the channels of a place are neighbours in memory. What lies around an image is the zero point.
CONV = """
boolean isLast = groups == 1 && in_channels % 4 == 0;
tensor x = pop();
if (isLast) x = permute(x, 0, 2, 3, 1);
tensor q;
if (step > 0) q = int8(min(max(rint(x / step) + zero, -128), 127)); else q = int8((int) x - taken);
if (top + bottom > 0) q = pad(q, isLast ? 1 : 2, top, bottom, zero);
if (left + right > 0) q = pad(q, isLast ? 2 : 3, left, right, zero);
if (isLast) {
    tensor y = permute(conv((int) permute(q, 0, 3, 1, 2), (int) weight, stride_h, stride_w, dilation_h, dilation_w, 1), 0, 2, 3, 1);
    push(permute((y - zeros) * scale + bias, 0, 3, 1, 2));
} else {
    tensor y = conv((int) q, (int) weight, stride_h, stride_w, dilation_h, dilation_w, groups);
    push((y - reshape(zeros, out_channels, 1, 1)) * reshape(scale, out_channels, 1, 1) + reshape(bias, out_channels, 1, 1));
}
"""
GRID = ("kernel_h", "kernel_w", "stride_h", "stride_w", "top", "left", "bottom", "right", "dilation_h", "dilation_w", "groups")
WHOLE: Mapping[str, Whole] = {
    "whole_linear": Whole(
        "WholeLinear", ("in_features", "out_features", "step", "zero", "taken"), ("int", "int", "float", "int", "int"), "out_features",
        "out_features, in_features", LINEAR,
    ),
    "whole_conv2d": Whole(
        "WholeConv2d", ("in_channels", "out_channels", *GRID, "step", "zero", "taken"), (*("int",) * 13, "float", "int", "int"), "out_channels",
        "out_channels, in_channels / groups, kernel_h, kernel_w", CONV,
    ),
}
