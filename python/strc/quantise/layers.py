"""Layers with weights of floats become layers with weights of int8: a pass over the model IR and the stored values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch

from ..ir import Instruction, Named, Program

QUANTISED = {"linear": "quantizedlinear", "conv1d": "quantizedconv1d", "conv2d": "quantizedconv2d"}
LARGEST = 127  # -128 is left out, so that the numbers are symmetric around 0


@dataclass(frozen=True)
class Quantised:
    """The program and its stored values, and which layers have become other ones, by the prefixes of their weights."""

    program: Program
    tensors: dict[str, torch.Tensor]
    layers: tuple[str, ...]


def prefix_of(instruction: Instruction) -> str:
    return str(instruction.named("weights"))


def is_quantisable(instruction: Instruction, tensors: Mapping[str, torch.Tensor]) -> bool:
    """Is it a layer of floats whose weights are finite?"""
    if instruction.op not in QUANTISED:
        return False
    weight = tensors.get(f"{prefix_of(instruction)}.weight")
    return weight is not None and weight.dtype == torch.float32 and bool(torch.isfinite(weight).all())


def by_output(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights as int8, and the scale of each output: the weight is the product, rounded to the nearest."""
    flat = weight.detach().reshape(weight.shape[0], -1)
    scale = flat.abs().amax(1) / LARGEST
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    whole = torch.clamp(torch.round(flat / scale[:, None]), -LARGEST, LARGEST).to(torch.int8)
    return whole.reshape(weight.shape), scale


def quantise(program: Program, tensors: Mapping[str, torch.Tensor], steps: Mapping[int, float] | None = None) -> Quantised:
    """Every layer that can be. `steps`: the unit of what arrives, by the variable of a layer; a layer without one finds its own each time.

    The stored values keep those that the program does not name any more.
    """
    made = dict(tensors)
    renamed: dict[str, str] = {}
    layers = []
    instructions = []
    for instruction in program.instructions:
        if not is_quantisable(instruction, tensors):
            instructions.append(instruction)
            continue
        prefix = prefix_of(instruction)
        if prefix not in renamed:
            renamed[prefix] = store(made, prefix)
        layers.append(prefix)
        step = (steps or {}).get(instruction.var, 0.0)
        params = [replace(p, value=renamed[prefix]) if isinstance(p, Named) and p.name == "weights" else p for p in instruction.params]
        if step > 0:
            params.append(Named("step", step))
        instructions.append(replace(instruction, op=QUANTISED[instruction.op], params=tuple(params)))
    return Quantised(replace(program, instructions=instructions), made, tuple(dict.fromkeys(layers)))


def store(tensors: dict[str, torch.Tensor], prefix: str) -> str:
    """Stores what the layer of int8 has, under a prefix that nothing else has; the prefix."""
    name, count = f"{prefix}_int8", 1
    while any(other.startswith(f"{name}.") for other in tensors):
        count += 1
        name = f"{prefix}_int8_{count}"
    tensors[f"{name}.weight"], tensors[f"{name}.scale"] = by_output(tensors[f"{prefix}.weight"])
    if f"{prefix}.bias" in tensors:
        tensors[f"{name}.bias"] = tensors[f"{prefix}.bias"]
    return name
