#!/usr/bin/env python3
"""What the filters of the tensor library refuse: arguments and shapes that nobody should give.

refusals.py --strc STRC    every row of RIGHT runs, every row of WRONG is refused at its `add`, in these words
refusals.py --torch        PyTorch takes and refuses the same, as far as rows say what it would be there
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

Shape = tuple[int, ...]


@dataclass
class Row:
    filter: str
    shapes: list[Shape]  # of the tensors that arrive in turn; none: numbers arrive
    said: str = ""  # WRONG: part of the message
    torch: str = ""  # the same of tensors x, y, z; empty: there is nothing like it
    gives: int = 1


RIGHT = [
    Row("quantizedlinear(3, 2)", [(4, 3)]),
    Row("quantizedlinear(4, 2, 0.1)", [(4,)]),
    Row("quantizedconv1d(4, 6, 3, 2, 1, 2, 2)", [(1, 4, 9)]),
    Row("quantizedconv2d(2, 3, 3, 2, padding_h = 0, step = 0.1)", [(2, 5, 5)]),
    Row("linear(3, 2)", [(4, 3)], torch="nn.Linear(3, 2)(x)"),
    Row("conv1d(4, 6, 3, 2, 1, 2, 2)", [(1, 4, 9)], torch="nn.Conv1d(4, 6, 3, 2, 1, 2, 2)(x)"),
    Row("conv2d(2, 3, 3, 2, padding_h = 0)", [(2, 5, 5)], torch="nn.Conv2d(2, 3, (3, 2))(x)"),
    Row("conv3d(1, 2, 2, 2, 2)", [(1, 1, 3, 3, 3)], torch="nn.Conv3d(1, 2, 2)(x)"),
    Row("convtranspose1d(4, 4, 3, 2, 1, 1)", [(1, 4, 5)], torch="nn.ConvTranspose1d(4, 4, 3, 2, 1, 1)(x)"),
    Row("convtranspose1d(4, 4, 2, 1, 4)", [(1, 4, 8)], torch="nn.ConvTranspose1d(4, 4, 2, 1, 4)(x)"),
    Row("convtranspose2d(2, 2, 3, 3, 2, 2, 1, 1, 1)", [(1, 2, 4, 4)], torch="nn.ConvTranspose2d(2, 2, 3, 2, 1, 1)(x)"),
    Row("batchnorm1d(4)", [(2, 4)], torch="nn.BatchNorm1d(4).eval()(x)"),
    Row("batchnorm1d(4)", [(2, 4, 5)], torch="nn.BatchNorm1d(4).eval()(x)"),
    Row("batchnorm2d(4)", [(2, 4, 5, 5)], torch="nn.BatchNorm2d(4).eval()(x)"),
    Row("batchnorm3d(4)", [(2, 4, 2, 2, 2)], torch="nn.BatchNorm3d(4).eval()(x)"),
    Row("layernorm({3, 4})", [(2, 3, 4)], torch="nn.LayerNorm([3, 4])(x)"),
    Row("rmsnorm(4)", [(4,)], torch="nn.RMSNorm(4)(x)"),
    Row("groupnorm(2, 8)", [(2, 8)], torch="nn.GroupNorm(2, 8)(x)"),
    Row("instancenorm2d(3)", [(3, 4, 4)], torch="nn.InstanceNorm2d(3)(x)"),
    Row("maxpool1d(4, 1, 2)", [(1, 2, 8)], torch="F.max_pool1d(x, 4, 1, 2)"),
    Row("maxpool2d({3, 2}, 1, {1, 0})", [(2, 6, 6)], torch="F.max_pool2d(x, (3, 2), 1, (1, 0))"),
    Row("avgpool1d(4, 1, 2)", [(1, 2, 8)], torch="F.avg_pool1d(x, 4, 1, 2)"),
    Row("avgpool2d(2, {1, 2})", [(1, 1, 4, 4)], torch="F.avg_pool2d(x, 2, (1, 2))"),
    Row("adaptiveavgpool2d(3, 2)", [(1, 5, 5)], torch="F.adaptive_avg_pool2d(x, (3, 2))"),
    Row("hardtanh(0, 2)", [(3,)], torch="F.hardtanh(x, 0, 2)"),
    Row("dropout(1)", [(3,)], torch="F.dropout(x, 1.0)"),
    Row("softmax(-2)", [(2, 3)], torch="F.softmax(x, -2)"),
    Row("unflatten(1, {2, -1})", [(3, 4)], torch="x.unflatten(1, (2, -1))"),
    Row("unflatten(-1, {4, 1})", [(3, 4)], torch="x.unflatten(-1, (4, 1))"),
    Row("squeeze(0)", [(3, 4)], torch="x.squeeze(0)"),
    Row("getitem(-3)", [(3, 2)], torch="x[-3]"),
    Row("chunk(4)", [(7, 2)], torch="a, b, c, d = x.chunk(4)", gives=4),
    Row("split({1, 2}, 1)", [(2, 3)], torch="x.split([1, 2], 1)", gives=2),
    Row("split(2)", [(4, 3)], torch="x.split(2)", gives=2),
    Row("separator({0, 2})", [(2,), (3,)]),
    Row("cat(2, 1)", [(2, 3), (2, 4)], torch="torch.cat([x, y], 1)"),
    Row("stack(2)", [(2, 3), (2, 3)], torch="torch.stack([x, y])"),
    Row("sum({0, -1})", [(2, 3, 4)], torch="x.sum((0, -1))"),
    Row("argmax(1)", [(2, 3)], torch="x.argmax(1)"),
    Row("embedding(7, 3)", [(2, 2)], torch="nn.Embedding(7, 3)(x.long())"),
    Row("rnn(3, 4)", [(5, 3)], torch="nn.RNN(3, 4)(x)", gives=2),
    Row("gru(3, 4, 2)", [(5, 2, 3)], torch="nn.GRU(3, 4, 2)(x)", gives=2),
    Row("lstm(3, 4, batch_first = true)", [(2, 5, 3)], torch="nn.LSTM(3, 4, batch_first=True)(x)", gives=3),
    Row("attention()", [(2, 3, 4), (2, 5, 4), (2, 5, 6)], torch="F.scaled_dot_product_attention(x, y, z)"),
    Row("attention()", [(3, 2, 4), (1, 5, 4), (5, 2)], torch="F.scaled_dot_product_attention(x, y, z)"),
    Row("multiheadattention(4, 2)", [(3, 2, 4), (5, 2, 4), (5, 2, 4)], torch="nn.MultiheadAttention(4, 2)(x, y, z)"),
    Row("pad({2, 2}, mode = \"reflect\")", [(1, 3)], torch="F.pad(x, (2, 2), 'reflect')"),
    Row("pad({3, 3}, mode = \"circular\")", [(1, 3)], torch="F.pad(x, (3, 3), 'circular')"),
    Row("pad({9, 0}, mode = \"replicate\")", [(1, 3)], torch="F.pad(x, (9, 0), 'replicate')"),
    Row("pad({-1, 2})", [(3, 3)], torch="F.pad(x, (-1, 2))"),
    Row("upsample(2)", [(1, 1, 3, 3)], torch="F.interpolate(x, scale_factor=2)"),
    Row("interpolate(5, 2, \"bilinear\", true)", [(1, 1, 3, 3)],
        torch="F.interpolate(x, (5, 2), mode='bilinear', align_corners=True)"),
    Row("frame({2, 3})", []),
    Row("unframe({3, 2})", [(3, 2)]),
    Row("unframe({100, 100})", [(100, 100)]),
]

KERNEL = "kernel, stride and dilation are at least 1"
GROUPS = "in_channels and out_channels are multiples of groups"
HALF = "padding is at least 0 and at most half of the window"
OUTPUT = "output_padding is at least 0 and less than stride or dilation"
LINES = "it takes (batch x) channels x length"
IMAGES = "it takes (batch x) channels x height x width"
BOTH = "there is one number for both dimensions, or one for each"

WRONG = [
    Row("quantizedlinear(3, 2)", [(4, 4)], "'quantizedlinear': it is made for 3 features, the last dimension has 4"),
    Row("quantizedlinear(3, 2, -0.5)", [(4, 3)], "step is at least 0"),
    Row("quantizedconv1d(4, 6, 3)", [(1, 3, 9)], "1x3x9 has 3 channels, the weights take 4"),
    Row("quantizedconv1d(4, 6, 3, padding = -1)", [(4, 9)], "padding and step are at least 0"),
    Row("quantizedconv1d(4, 6, 3, groups = 3)", [(4, 9)], GROUPS),
    Row("quantizedconv2d(2, 3, 3, 3)", [(5, 5)], "5x5 has neither 3 nor 4 dimensions"),
    Row("quantizedconv2d(2, 3, 3, 3, stride_w = -1)", [(2, 5, 5)], KERNEL),
    Row("quantizedconv2d(2, 3, 3, 3, step = -1)", [(2, 5, 5)], "padding and step are at least 0"),
    Row("linear(3, 2)", [(4, 4)], "'linear': it is made for 3 features, the last dimension has 4", "nn.Linear(3, 2)(x)"),
    Row("linear(3, 2)", [(4, 1)], "'linear': it is made for 3 features, the last dimension has 1", "nn.Linear(3, 2)(x)"),
    Row("linear(3, -2)", [(4, 3)], "'weight': -2 is no extent", "nn.Linear(3, -2)(x)"),
    Row("conv1d(4, 6, 3)", [(1, 3, 9)], "1x3x9 has 3 channels, the weights take 4", "nn.Conv1d(4, 6, 3)(x)"),
    Row("conv1d(4, 6, 3)", [(9,)], "9 has neither 2 nor 3 dimensions", "nn.Conv1d(4, 6, 3)(x)"),
    Row("conv1d(4, 6, 3)", [(4, 2)], "a window of 3 does not fit into 2", "nn.Conv1d(4, 6, 3)(x)"),
    Row("conv1d(4, 6, 0)", [(4, 9)], KERNEL, "nn.Conv1d(4, 6, 0)(x)"),
    Row("conv1d(4, 6, -1)", [(4, 9)], KERNEL, "nn.Conv1d(4, 6, -1)(x)"),
    Row("conv1d(4, 6, 3, 0)", [(4, 9)], KERNEL, "nn.Conv1d(4, 6, 3, 0)(x)"),
    Row("conv1d(4, 6, 3, dilation = 0)", [(4, 9)], KERNEL, "nn.Conv1d(4, 6, 3, dilation=0)(x)"),
    Row("conv1d(4, 6, 3, padding = -1)", [(4, 9)], "padding is at least 0", "nn.Conv1d(4, 6, 3, padding=-1)(x)"),
    Row("conv1d(4, 6, 3, groups = 3)", [(4, 9)], GROUPS, "nn.Conv1d(4, 6, 3, groups=3)(x)"),
    Row("conv1d(4, 6, 3, groups = 0)", [(4, 9)], GROUPS, "nn.Conv1d(4, 6, 3, groups=0)(x)"),
    Row("conv2d(2, 3, 3, 3)", [(5, 5)], "5x5 has neither 3 nor 4 dimensions", "nn.Conv2d(2, 3, 3)(x)"),
    Row("conv2d(2, 3, 3, 3, padding_w = -1)", [(2, 5, 5)], "padding is at least 0", "nn.Conv2d(2, 3, 3, padding=(0, -1))(x)"),
    Row("conv2d(2, 3, 3, 3, stride_w = -1)", [(2, 5, 5)], KERNEL, "nn.Conv2d(2, 3, 3, stride=(1, -1))(x)"),
    Row("conv2d(2, 3, 3, 3, groups = 2)", [(2, 5, 5)], GROUPS, "nn.Conv2d(2, 3, 3, groups=2)(x)"),
    Row("conv3d(1, 2, 2, 2, 2, padding_d = -1)", [(1, 3, 3, 3)], "padding is at least 0", "nn.Conv3d(1, 2, 2, padding=-1)(x)"),
    Row("convtranspose1d(4, 4, 3, 2, 0, 5)", [(1, 4, 5)], OUTPUT, "nn.ConvTranspose1d(4, 4, 3, 2, 0, 5)(x)"),
    Row("convtranspose1d(4, 4, 3, 2, 0, -1)", [(1, 4, 5)], OUTPUT, "nn.ConvTranspose1d(4, 4, 3, 2, 0, -1)(x)"),
    Row("convtranspose1d(4, 4, 3, 1, 4)", [(1, 4, 5)], "padding leaves nothing of the result", "nn.ConvTranspose1d(4, 4, 3, 1, 4)(x)"),
    Row("convtranspose1d(4, 4, 3, 1, -1)", [(1, 4, 5)], "padding is at least 0", "nn.ConvTranspose1d(4, 4, 3, 1, -1)(x)"),
    Row("convtranspose1d(4, 4, 3, groups = 3)", [(1, 4, 5)], GROUPS, "nn.ConvTranspose1d(4, 4, 3, groups=3)(x)"),
    Row("convtranspose1d(4, 4, 3)", [(1, 2, 5)], "has 2 channels, the weights take 4", "nn.ConvTranspose1d(4, 4, 3)(x)"),
    Row("convtranspose2d(2, 2, 3, 3, 2, 2, 1, 1, 2)", [(1, 2, 4, 4)], OUTPUT, "nn.ConvTranspose2d(2, 2, 3, 2, 1, 2)(x)"),
    Row("convtranspose2d(2, 2, 3, 3)", [(4, 4)], "neither 3 nor 4 dimensions", "nn.ConvTranspose2d(2, 2, 3)(x)"),
    Row("batchnorm1d(4)", [(2, 1)], "'batchnorm1d': it is made for 4 channels, dimension 1 has 1", "nn.BatchNorm1d(4).eval()(x)"),
    Row("batchnorm1d(4)", [(4,)], "it takes batch x channels or batch x channels x length", "nn.BatchNorm1d(4).eval()(x)"),
    Row("batchnorm2d(8)", [(2, 1, 3, 3)], "'batchnorm2d': it is made for 8 channels, dimension 1 has 1", "nn.BatchNorm2d(8).eval()(x)"),
    Row("batchnorm2d(3)", [(4, 5)], "it takes batch x channels x height x width", "nn.BatchNorm2d(3).eval()(x)"),
    Row("batchnorm3d(3)", [(1, 3, 2, 2)], "it takes batch x channels x depth x height x width", "nn.BatchNorm3d(3).eval()(x)"),
    Row("layernorm(8)", [(2, 1)], "'layernorm': it is made for 8 items of dimension 1, there are 1", "nn.LayerNorm(8)(x)"),
    Row("layernorm(8, affine = false)", [(2, 4)], "it is made for 8 items of dimension 1, there are 4", "nn.LayerNorm(8, elementwise_affine=False)(x)"),
    Row("layernorm({3, 4})", [(4,)], "it goes over the last 2 dimensions, there are 1", "nn.LayerNorm([3, 4])(x)"),
    Row("rmsnorm(8, affine = false)", [(2, 4)], "it is made for 8 items of dimension 1, there are 4", "nn.RMSNorm(8, elementwise_affine=False)(x)"),
    Row("groupnorm(2, 8)", [(2, 1, 4)], "it is made for 8 channels, dimension 1 has 1", "nn.GroupNorm(2, 8)(x)"),
    Row("groupnorm(3, 8)", [(2, 8, 4)], "channels is a multiple of groups", "nn.GroupNorm(3, 8)(x)"),
    Row("groupnorm(2, 8)", [(8,)], "it takes batch x channels", "nn.GroupNorm(2, 8)(x)"),
    Row("instancenorm2d(8)", [(3, 4, 4)], "it is made for 8 channels, dimension 0 has 3"),
    Row("instancenorm2d(8, affine = true)", [(1, 3, 4, 4)], "it is made for 8 channels, dimension 1 has 3", "nn.InstanceNorm2d(8, affine=True)(x)"),
    Row("instancenorm2d(8)", [(8, 8)], "it takes (batch x) channels x height x width", "nn.InstanceNorm2d(8)(x)"),
    Row("maxpool1d(9)", [(1, 2, 8)], "a window of 9 does not fit into 8", "F.max_pool1d(x, 9)"),
    Row("maxpool1d(0)", [(1, 2, 8)], KERNEL, "F.max_pool1d(x, 0)"),
    Row("maxpool1d(2, 0)", [(1, 2, 8)], KERNEL, "F.max_pool1d(x, 2, 0)"),
    Row("maxpool1d(3, 1, 2)", [(1, 2, 8)], HALF, "F.max_pool1d(x, 3, 1, 2)"),
    Row("maxpool1d(3, 1, -1)", [(1, 2, 8)], HALF, "F.max_pool1d(x, 3, 1, -1)"),
    Row("maxpool2d({3, 2, 1})", [(1, 6, 6)], BOTH, "F.max_pool2d(x, (3, 2, 1))"),
    Row("maxpool2d(2, 0)", [(1, 6, 6)], KERNEL, "F.max_pool2d(x, 2, 0)"),
    Row("maxpool2d(2, 1, 2)", [(1, 6, 6)], HALF, "F.max_pool2d(x, 2, 1, 2)"),
    Row("maxpool2d(3, 1, 2, 2)", [(1, 8, 8)], HALF, "F.max_pool2d(x, 3, 1, 2, 2)"),
    Row("maxpool2d(9)", [(1, 8, 8)], "'maxpool2d': 'windows': a window of 9 does not fit into 8", "F.max_pool2d(x, 9)"),
    Row("maxpool1d(2)", [(8,)], f"'maxpool1d': {LINES}", "F.max_pool1d(x, 2)"),
    Row("maxpool1d(2)", [(1, 1, 2, 8)], LINES, "F.max_pool1d(x, 2)"),
    Row("maxpool2d(2)", [(6, 6)], f"'maxpool2d': {IMAGES}", "F.max_pool2d(x, 2)"),
    Row("maxpool2d(2)", [(1, 1, 1, 6, 6)], IMAGES, "F.max_pool2d(x, 2)"),
    Row("avgpool1d(2)", [(8,)], LINES, "F.avg_pool1d(x, 2)"),
    Row("avgpool2d(2)", [(6, 6)], IMAGES, "F.avg_pool2d(x, 2)"),
    Row("adaptiveavgpool2d(2)", [(6, 6)], IMAGES, "F.adaptive_avg_pool2d(x, 2)"),
    Row("avgpool1d(2, 1, 2)", [(1, 2, 8)], HALF, "F.avg_pool1d(x, 2, 1, 2)"),
    Row("avgpool1d(-1)", [(1, 2, 8)], "kernel and stride are at least 1", "F.avg_pool1d(x, -1)"),
    Row("avgpool2d(2, {1, 2, 3})", [(1, 6, 6)], BOTH, "F.avg_pool2d(x, 2, (1, 2, 3))"),
    Row("avgpool2d(2, 1, -1)", [(1, 6, 6)], HALF, "F.avg_pool2d(x, 2, 1, -1)"),
    Row("avgpool2d(9)", [(1, 8, 8)], "a window of 9 does not fit into 8", "F.avg_pool2d(x, 9)"),
    Row("adaptiveavgpool2d(-1)", [(1, 6, 6)], "out_h and out_w are at least 1", "F.adaptive_avg_pool2d(x, -1)"),
    Row("adaptiveavgpool2d(0)", [(1, 6, 6)], "out_h and out_w are at least 1"),
    Row("hardtanh(2, 0)", [(3,)], "low is not greater than high", "F.hardtanh(x, 2, 0)"),
    Row("dropout(1.5)", [(3,)], "p lies between 0 and 1", "F.dropout(x, 1.5)"),
    Row("softmax(2)", [(2, 3)], "there is no dimension 2 in 2 dimensions", "F.softmax(x, 2)"),
    Row("logsoftmax(2)", [(2, 3)], "there is no dimension 2 in 2 dimensions", "F.log_softmax(x, 2)"),
    Row("unflatten(1, {7, 2})", [(3, 4)], "'unflatten': the sizes do not make the 4 items of dimension 1", "x.unflatten(1, (7, 2))"),
    Row("unflatten(1, {2, 3})", [(3, 7)], "the sizes do not make the 7 items of dimension 1", "x.unflatten(1, (2, 3))"),
    Row("unflatten(1, {-1, 2})", [(3, 7)], "the sizes do not make the 7 items of dimension 1", "x.unflatten(1, (-1, 2))"),
    Row("unflatten(1, {-1, -1})", [(3, 4)], "-1 stands for one at most", "x.unflatten(1, (-1, -1))"),
    Row("unflatten(1, {-2, -2})", [(3, 4)], "-2 is no size", "x.unflatten(1, (-2, -2))"),
    Row("unflatten(2, {2, 2})", [(3, 4)], "there is no dimension 2", "x.unflatten(2, (2, 2))"),
    Row("reshape({5, 2})", [(3, 4)], "12 elements of 3x4 cannot stand as 5x2", "x.reshape(5, 2)"),
    Row("permute({0, 0})", [(3, 4)], "dimension 0 is named twice", "x.permute(0, 0)"),
    Row("permute({0})", [(3, 4)], "3x4 has 2 dimensions, 1 are named", "x.permute(0)"),
    Row("transpose(0, 2)", [(3, 4)], "there is no dimension 2", "x.transpose(0, 2)"),
    Row("flatten(1)", [(3,)], "there is no dimension 1", "x.flatten(1)"),
    Row("squeeze(2)", [(3, 4)], "there is no dimension 2 in 2 dimensions", "x.squeeze(2)"),
    Row("unsqueeze(3)", [(3, 4)], "there is no dimension 3", "x.unsqueeze(3)"),
    Row("slice(0, step = 0)", [(3, 4)], "a step of 0 leads nowhere", "x[::0]"),
    Row("getitem(3)", [(3, 2)], "there is no item 3 among the 3 of the dimension", "x[3]"),
    Row("getitem(-4)", [(3, 2)], "there is no item -4 among the 3 of the dimension", "x[-4]"),
    Row("cat(0)", [(3, 2)], "n is at least 1", "torch.cat([])"),
    Row("cat(2)", [(2, 3), (2, 4)], "2x3 and 2x4 differ in another dimension than 0", "torch.cat([x, y])"),
    Row("stack(2)", [(2, 3), (2, 4)], "1x2x3 and 1x2x4 differ in another dimension than 0", "torch.stack([x, y])"),
    Row("chunk(0)", [(3, 2)], "n is at least 1", "x.chunk(0)"),
    Row("chunk(4)", [(5, 2)], "4 parts of 2 items are more than the 5 of the dimension", "a, b, c, d = x.chunk(4)"),
    Row("split({1, 1}, 1)", [(2, 3)], "'split': the sizes are 2 items, the dimension has 3", "x.split([1, 1], 1)"),
    Row("split({3, -1}, 1)", [(2, 2)], "-1 is no size", "x.split([3, -1], 1)"),
    Row("split(2, 1)", [(2, 3)], "the 3 items of the dimension do not make 2 equal parts"),
    Row("split({})", [(2, 3)], "there is one size at least"),
    Row("split(0)", [(2, 3)], "there is one part at least", "x.split(0)"),
    Row("split(-2)", [(2, 3)], "there is one part at least", "x.split(-2)"),
    Row("separator({})", [(2,)], "one weight at least is greater than 0"),
    Row("separator({0})", [(2,)], "one weight at least is greater than 0"),
    Row("separator({-1, 2})", [(2,), (3,)], "weights are at least 0"),
    Row("pick(2, {1, 2})", [(2,), (3,)], "2 is no number of 2 tensors"),
    Row("pick(2, {-1})", [(2,), (3,)], "-1 is no number of 2 tensors"),
    Row("sum(5)", [(2, 3)], "there is no dimension 5", "x.sum(5)"),
    Row("prod(5)", [(2, 3)], "there is no dimension 5", "x.prod(5)"),
    Row("mean({0, -2})", [(2, 3)], "dimension -2 is named twice", "x.mean((0, -2))"),
    Row("amax({1, 1})", [(2, 3)], "dimension 1 is named twice", "x.amax((1, 1))"),
    Row("argmax(-3)", [(2, 3)], "there is no dimension -3", "x.argmax(-3)"),
    Row("add()", [(2, 3), (2, 4)], "the shapes 2x3 and 2x4 do not fit each other", "x + y"),
    Row("matmul()", [(2, 3), (2, 3)], "the last dimension of 2x3 has 3 items", "x @ y"),
    Row("embedding(-7, 3)", [(2, 2)], "num_embeddings and embedding_dim are at least 1", "nn.Embedding(-7, 3)"),
    Row("embedding(0, 3)", [(2, 2)], "num_embeddings and embedding_dim are at least 1", "nn.Embedding(0, 3)(x.long())"),
    Row("rnn(3, 4)", [(3,)], "'rnn': it takes steps x (batch x) features", "nn.RNN(3, 4)(x)"),
    Row("rnn(3, 4)", [(5, 2)], "it is made for 3 features, the last dimension has 2", "nn.RNN(3, 4)(x)"),
    Row("gru(3, 4, 0)", [(5, 3)], "input_size, hidden_size and num_layers are at least 1", "nn.GRU(3, 4, 0)(x)"),
    Row("lstm(3, 4)", [(2, 2, 2, 3)], "'lstm': it takes steps x (batch x) features", "nn.LSTM(3, 4)(x)"),
    Row("lstm(3, 0)", [(2, 2, 3)], "input_size, hidden_size and num_layers are at least 1", "nn.LSTM(3, 0)(x)"),
    Row("lstm(3, 4, batch_first = true)", [(2, 1, 1)], "it is made for 3 features, the last dimension has 1", "nn.LSTM(3, 4)(x)"),
    Row("attention()", [(2, 3, 4), (2, 5, 4), (2, 6, 4)], "the shapes 2x3x4, 2x5x4 and 2x6x4 do not fit", "F.scaled_dot_product_attention(x, y, z)"),
    Row("attention()", [(3, 3, 4), (2, 5, 4), (1, 5, 4)], "the shapes 3x3x4, 2x5x4 and 1x5x4 do not fit", "F.scaled_dot_product_attention(x, y, z)"),
    Row("attention()", [(4,), (5, 4), (5, 4)], "'attention': queries, keys and values have two or more", "F.scaled_dot_product_attention(x, y, z)"),
    Row("cachedattention(1, 3, 2, 4, 5)", [(1, 3, 1, 4), (1, 2, 1, 4), (1, 2, 1, 4)], "heads is a multiple of groups"),
    Row("cachedattention(1, 2, 1, 4, 0)", [(1, 2, 1, 4), (1, 1, 1, 4), (1, 1, 1, 4)], "the context is one step at least"),
    Row("cachedattention(1, 2, 1, 4, 5, softcap = -1)", [(1, 2, 1, 4), (1, 1, 1, 4), (1, 1, 1, 4)], "the softcap is 0 or more"),
    Row("cachedattention(1, 2, 1, 4, 5, restart = -1)", [(1, 2, 1, 4), (1, 1, 1, 4), (1, 1, 1, 4)], "restart is 0 or more"),
    Row("cachedattention(1, 2, 1, 4, 5, biased = true)", [(1, 2, 1, 4), (1, 1, 1, 4), (1, 1, 1, 4), (1, 2, 1, 4)], "what is added to the scores is 1 x 2 x 1 x 5"),
    Row("cachedattention(1, 2, 1, 4, 5, sinks = true)", [(1, 2, 1, 4), (1, 1, 1, 4), (1, 1, 1, 4), (3,)], "there is a sink for each of 2 heads"),
    Row("cachedattention(1, 2, 1, 4, 5)", [(1, 2, 2, 4), (1, 1, 1, 4), (1, 1, 1, 4)], "the query is 1 x 2 x 1 x 4"),
    Row("cachedattention(1, 2, 1, 4, 5)", [(1, 2, 1, 4), (1, 2, 1, 4), (1, 1, 1, 4)], "the keys are 1 x 1 x 1 x 4"),
    Row("cachedattention(1, 2, 1, 4, 5)", [(1, 2, 1, 4), (1, 1, 1, 4), (1, 1, 1, 3)], "the values are 1 x 1 x 1 x 4"),
    Row("sampletokens(1, 4, temperature = -1)", [(1, 4)], "the temperature is 0 or more"),
    Row("sampletokens(1, 4, top_k = -1)", [(1, 4)], "top_k is 0 or more"),
    Row("sampletokens(1, 4, top_p = 0)", [(1, 4)], "top_p is greater than 0 and 1 at most"),
    Row("multiheadattention(4, 2)", [(3, 4), (3, 6), (3, 4)], "it is made for 4 features, the last dimensions have 4, 6 and 4", "nn.MultiheadAttention(4, 2)(x, y, z)"),
    Row("multiheadattention(4, 3)", [(3, 4)] * 3, "embed_dim is a multiple of num_heads", "nn.MultiheadAttention(4, 3)(x, y, z)"),
    Row("multiheadattention(4, 2)", [(3, 2, 4), (5, 2, 4), (2, 5, 4)], "there are 5 keys and 2 values", "nn.MultiheadAttention(4, 2)(x, y, z)"),
    Row("multiheadattention(4, 2)", [(3, 2, 4), (5, 1, 4), (5, 1, 4)], "queries, keys and values are of one batch", "nn.MultiheadAttention(4, 2)(x, y, z)"),
    Row("multiheadattention(4, 2)", [(3, 1, 4), (5, 4), (5, 4)], "all have 2 dimensions, or all 3", "nn.MultiheadAttention(4, 2)(x, y, z)"),
    Row("pad({3, 0}, mode = \"reflect\")", [(1, 3)], "'pad': less than the 3 items of dimension 1 can be reflected", "F.pad(x, (3, 0), 'reflect')"),
    Row("pad({0, 4}, mode = \"circular\")", [(1, 3)], "no more than the 3 items of dimension 1 go round", "F.pad(x, (0, 4), 'circular')"),
    Row("pad({-2, -1}, mode = \"replicate\")", [(1, 3)], "nothing is left of dimension 1", "F.pad(x, (-2, -1), 'replicate')"),
    Row("pad({1, 1}, mode = \"mirror\")", [(1, 3)], "mode is \"constant\", \"reflect\"", "F.pad(x, (1, 1), 'mirror')"),
    Row("pad({1, 1, 1})", [(2, 3)], "there are two amounts for each dimension", "F.pad(x, (1, 1, 1))"),
    Row("pad({1, 1, 1, 1})", [(3,)], "there is no dimension -2", "F.pad(x, (1, 1, 1, 1))"),
    Row("pad({-2, -2})", [(3,)], "does not lie in the 3 items", "F.pad(x, (-2, -2))"),
    Row("upsample(-1)", [(1, 1, 3, 3)], "factors are greater than 0", "F.interpolate(x, scale_factor=-1)"),
    Row("upsample(0.1)", [(1, 1, 3, 3)], "nothing is left of dimension 2", "F.interpolate(x, scale_factor=0.1)"),
    Row("upsample(2, align_corners = true)", [(1, 1, 3, 3)], "align_corners is for mode \"bilinear\"", "F.interpolate(x, scale_factor=2, align_corners=True)"),
    Row("interpolate(4, antialias = true)", [(1, 1, 3, 3)], "antialias is for mode \"bilinear\""),
    Row("resize(0)", [(3, 5, 5)], "size is at least 1"),
    Row("resize_to(3, 0)", [(3, 5, 5)], "height and width are at least 1"),
    Row("center_crop(6, 3)", [(3, 5, 5)], "a picture of 5 rows and 5 columns has no middle of 6 and 3"),
    Row("normalize_channels({1, 2}, {1, 2})", [(3, 5, 5)], "there are 2 means, and 3 channels"),
    Row("normalize_channels({1}, {1, 2})", [(1, 5, 5)], "there are as many means as deviations"),
    Row("interpolate(0)", [(1, 1, 3, 3)], "out_h and out_w are at least 1", "F.interpolate(x, 0)"),
    Row("interpolate(4, mode = \"trilinear\")", [(1, 1, 3, 3)], "mode is \"nearest\" or \"bilinear\"", "F.interpolate(x, 4, mode='trilinear')"),
    Row("frame({2, -3})", [], "'frame': -3 is no extent"),
    Row("frame({65536, 65536})", [], "'frame': it has more than 2147483647 elements"),
    Row("unframe({65536, 65536})", [(2, 3)], "'unframe': it has more than 2147483647 elements"),
    Row("unframe({3, 2})", [(2, 3)], "'unframe': it takes 3 items of dimension 0, there are 2"),
    Row("unframe({6})", [(2, 3)], "it takes 1 dimensions, there are 2"),
]

KINDS = {"frame": "float->tensor", "unframe": "tensor->float"}


def program(row: Row) -> tuple[str, int]:
    """Its text, and the number of the line that adds the filter."""
    kind = KINDS.get(row.filter.split("(")[0], "tensor->tensor")
    takes, gives = kind.split("->")
    items = "".join(f" push({zeros(row, shape)});" for shape in row.shapes) or " push(0.0);"
    lines = [f"void->{takes} filter Given {{ work push {len(row.shapes) or 1} {{{items} }} }}",
             f"{gives}->void filter Taken {{ work pop {row.gives} {{ {'pop(); ' * row.gives}}} }}",
             "void->void pipeline Main {", "    add Given();", f"    add {row.filter};", "    add Taken();", "}", ""]
    return "\n".join(lines), 5


def zeros(row: Row, shape: Shape) -> str:
    extents = ", ".join(str(extent) for extent in shape)
    return f"zeros({extents})" if not row.filter.startswith("embedding") else f"long(zeros({extents}))"


def check(strc: str, folder: Path, number: int, row: Row) -> str | None:
    """What is wrong."""
    text, line = program(row)
    path = folder / f"{number}.str"
    path.write_text(text)
    ran = subprocess.run([strc, "run", "--interpret", "--weights", "random:1", "-i", "2", str(path)],
                         capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if not row.said:
        return None if ran.returncode == 0 else f"{row.filter} of {row.shapes} is refused:\n{ran.stderr}"
    first = ran.stderr.split("\n")[0]
    isFine = ran.returncode == 1 and first.startswith(f"{path}:{line}:5: error: ") and row.said in first
    return None if isFine else f"{row.filter} of {row.shapes}: status {ran.returncode}, not '{row.said}':\n{ran.stderr}"


def check_torch(row: Row) -> str | None:
    import torch
    from torch import nn
    import torch.nn.functional as F

    names = {"torch": torch, "nn": nn, "F": F}
    names |= dict(zip("xyz", (torch.zeros(shape) for shape in row.shapes)))
    try:
        exec(row.torch, names)
    except Exception as why:  # noqa: BLE001
        return None if row.said else f"PyTorch refuses {row.torch} of {row.shapes}: {why}"
    return f"PyTorch takes {row.torch} of {row.shapes}" if row.said else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strc")
    parser.add_argument("--torch", action="store_true")
    args = parser.parse_args()
    rows = RIGHT + WRONG
    if args.torch:
        found = [check_torch(row) for row in rows if row.torch]
    else:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda each: check(args.strc, Path(folder), *each), enumerate(rows)))
    faults = [fault for fault in found if fault]
    print("\n".join(faults) + f"\n{len(found)} rows, {len(faults)} fail")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
