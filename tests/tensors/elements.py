#!/usr/bin/env python3
"""Compares what is computed with elements of each type with PyTorch, bit by bit.

elements.py --strc STRC [--engine interpret|jit-O0|jit|executable]

One stream takes two tensors from a safetensors file, pushes the results of operations on them, and they come back in
another file. Exit status 1 if one of them differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from filters import OPTIONS

Tensor = torch.Tensor
Operation = tuple[str, Callable[[Tensor, Tensor], Tensor]]

ARITHMETIC: list[Operation] = [("x + y", lambda x, y: x + y), ("x - y", lambda x, y: x - y), ("x * y", lambda x, y: x * y),
                               ("-x", lambda x, y: -x), ("x < y", lambda x, y: x < y), ("x == y", lambda x, y: x == y),
                               ("where(x < y, x, y)", torch.minimum), ("amax(x, 1)", lambda x, y: x.amax(1))]
INTEGERS: list[Operation] = [("x / y", lambda x, y: torch.div(x, y, rounding_mode="trunc")), ("sum(x, 1)", lambda x, y: x.sum(1)),
                             ("argmax(x, 1)", lambda x, y: x.argmax(1)), ("prod(x, 1)", lambda x, y: x.prod(1)), ("cumsum(x, 0)", lambda x, y: x.cumsum(0)),
                             ("matmul(x, transpose(y, 0, 1))", lambda x, y: x @ y.T)]
FUNCTIONS: list[Operation] = [("abs(x)", lambda x, y: x.abs()), ("max(x, y)", torch.maximum), ("min(x, x - 1)", lambda x, y: torch.minimum(x, x - 1)),
                              ("max(x, 3)", lambda x, y: x.clamp(min=3)), ("floor(x)", lambda x, y: x)]
CASTS: list[Operation] = [("(float) x", lambda x, y: x.float()), ("(double) x", lambda x, y: x.double()),
                          ("(boolean) x", lambda x, y: x.bool())]
TO_INTEGERS: list[Operation] = [("(int) x", lambda x, y: x.int()), ("long(x)", lambda x, y: x.long()),
                                ("int8(x)", lambda x, y: x.to(torch.int8))]
REALS: list[Operation] = [("x / y", lambda x, y: x / y), ("relu(x)", lambda x, y: x.relu())]
ROUNDED: list[Operation] = [("half(x)", lambda x, y: x.half()), ("bfloat16(x)", lambda x, y: x.bfloat16())]

Case = tuple[str, Tensor, Tensor, list[Operation]]


def cases() -> list[Case]:
    torch.manual_seed(1)
    whole = torch.randint(-2**62, 2**62, (4, 6))
    whole[0, 0] = -2**63
    divisor = torch.tensor([3, -7, 2**33, -1, 2**40 + 1, 5]).expand(4, 6).contiguous()
    small = torch.randint(-128, 128, (4, 6), dtype=torch.int8)
    other = torch.where(small == 0, 1, torch.randint(1, 128, (4, 6))).to(torch.int8)
    integers = ARITHMETIC + INTEGERS + CASTS + TO_INTEGERS
    real = torch.randn(4, 6) * 10.0 ** torch.randint(-3, 4, (4, 6))
    reals = ARITHMETIC + REALS + CASTS + ROUNDED
    return [
        ("long", whole, divisor, integers + FUNCTIONS + [("arange(6) + x", lambda x, y: torch.arange(6) + x), ("x + 2147483647", lambda x, y: x + 2147483647)]),
        ("int8", small, other, ARITHMETIC + INTEGERS[:3] + FUNCTIONS + CASTS + TO_INTEGERS),
        ("int", (whole >> 40).int(), (divisor % 1000 + 1).int(), ARITHMETIC + INTEGERS[:3] + FUNCTIONS + CASTS + TO_INTEGERS),
        ("half", real.half(), (real.flip(1) + 3).half(), reals),
        ("bfloat16", real.bfloat16(), (real.flip(1) + 3).bfloat16(), reals),
        ("float", real * 1e5, real.flip(1) + 3, reals),
        ("double", real.double() * 1e5, real.flip(1).double() + 3, reals[:-2]),
    ]


def program(operations: list[Operation]) -> str:
    pushes = "".join(f"        push({text});\n" for text, _ in operations)
    return ("tensor->tensor filter All {\n" f"    work pop 2 push {len(operations)} {{\n"
            "        tensor x = pop();\n        tensor y = pop();\n" f"{pushes}    }}\n}}\n")


def run(strc: str, engine: str, folder: Path, about: Case) -> list[Tensor]:
    element, x, y, operations = about
    save_file({"x": x, "y": y}, folder / "in.safetensors")
    (folder / "p.str").write_text(program(operations))
    ends = ["--in", folder / "in.safetensors", "--out", folder / "out.safetensors"]
    outs = [word for k in range(len(operations)) for word in ("--out", f"{folder}/out.safetensors:{k}")]
    command = [strc, "run", *OPTIONS.get(engine, []), "--top", "All", folder / "p.str", *ends[:2], *outs]
    if engine == "executable":
        inputs = ["--input", f"4x6:{element}"] * 2
        subprocess.run([strc, "build", "--top", "All", *inputs, folder / "p.str", "-o", folder / "p"], check=True, capture_output=True)
        command = [folder / "p", *ends[:2], *outs]
    subprocess.run(command, check=True, capture_output=True)
    found = load_file(folder / "out.safetensors")
    return [found[str(k)] for k in range(len(operations))]


def differs(text: str, got: Tensor, wanted: Tensor) -> str | None:
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"{text}: {got.dtype} {tuple(got.shape)} instead of {wanted.dtype} {tuple(wanted.shape)}"
    if torch.equal(got, wanted):
        return None
    at = (got != wanted).flatten().nonzero()[0].item()
    return f"{text}: element {at} is {got.flatten()[at].item()!r} instead of {wanted.flatten()[at].item()!r}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--strc", required=True)
    parser.add_argument("--engine", default="jit", choices=[*OPTIONS, "executable"])
    options = parser.parse_args()
    wrong = 0
    for about in cases():
        element, x, y, operations = about
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = run(options.strc, options.engine, Path(folder), about)
            except subprocess.CalledProcessError as error:
                print(f"{element}: {error.stderr.decode().strip()}")
                wrong += 1
                continue
        faults = [differs(text, got, function(x, y)) for (text, function), got in zip(operations, found)]
        for fault in filter(None, faults):
            print(f"{element}: {fault}")
            wrong += 1
    print(f"{wrong} results differ from PyTorch's ({options.engine})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
