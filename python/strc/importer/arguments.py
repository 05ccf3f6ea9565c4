"""The arguments of `strc import`."""

from __future__ import annotations

import argparse
import re

import torch

from .preprocessing import FORMS

ELEMENTS = {
    "float": torch.float32, "double": torch.float64, "half": torch.float16, "bfloat16": torch.bfloat16, "int8": torch.int8,
    "int": torch.int32, "long": torch.int64, "boolean": torch.bool,
}
EXAMPLES = """examples:
  strc import model.onnx --dim N=1 -o model.str
  strc import model.py:CNN --input 1x3x32x32 --eval -o cnn.str
  strc import model.py:make_tagger --input 1x7:long --dynamic 0 -o tagger.str
  strc import amplifier.py:WaveNet --input 1x1x8192 --streaming -o amplifier.str
  strc import gpt2.py:make --generate --context 256 -o gpt2.str
  strc import whisper.py:make --generate --input 1x80x3000 --context 64 --stop 50257 -o whisper.str
  strc import model.py:CNN --input 1x3x32x32 --eval --quantize=int8 --calibrate pictures.npy -o cnn.str
  strc import model.py:CNN --input 1x3x32x32 --eval --emit=ir
  strc import model.py:CNN --input 1x3x32x32 --eval --emit=streams -o cnn.svg"""
EMITS = ("source", "fx", "ir", "graph", "streams")


def shape(text: str) -> tuple[tuple[int, ...], torch.dtype]:
    """`1x3x224x224` or `2x7:long`."""
    match = re.fullmatch(r"(\d+(?:x\d+)*)(?::(\w+))?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is no shape; shapes look like 1x3x224x224 or 2x7:long")
    kind = match[2] or "float"
    if kind not in ELEMENTS:
        raise argparse.ArgumentTypeError(f"'{kind}' is no type of elements; there are {', '.join(ELEMENTS)}")
    return tuple(int(size) for size in match[1].split("x")), ELEMENTS[kind]


def state(text: str) -> tuple[tuple[int, ...], torch.dtype] | str:
    """As `shape`; of ONNX models IN=OUT, or `auto`."""
    return text if "=" in text or text == "auto" else shape(text)


def size(text: str) -> tuple[str, int]:
    """`N=1`."""
    name, _, number = text.rpartition("=")
    if not name or not number.isdecimal() or int(number) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no size of a dimension; such look like N=1")
    return name, int(number)


def tokens(text: str) -> list[int]:
    """`50258,50259`."""
    if not re.fullmatch(r"\d+(,\d+)*", text):
        raise argparse.ArgumentTypeError(f"'{text}' are no tokens, which look like 50258,50259")
    return [int(number) for number in text.split(",")]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="strc import", description="Turns a PyTorch or ONNX model into readable .str source and a .safetensors file.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )
    made.add_argument(
        "model", metavar="FILE.py:NAME|FILE.onnx", help="a Module class, or a function without arguments that returns a Module; or an ONNX model",
    )
    made.add_argument(
        "--input", metavar="SHAPE[:TYPE]", action="append", type=shape, default=[],
        help="shape of an example input, one for each input: 1x3x224x224, 2x7:long",
    )
    made.add_argument(
        "--state", metavar="SHAPE[:TYPE]|IN=OUT|auto", action="append", type=state, default=[],
        help="a further input that goes round in a feedback loop: from the second time on it is the model's last result, first zeros; of an ONNX "
        "model the input and the result by name, or auto for all whose names say it",
    )
    made.add_argument(
        "--dim", metavar="NAME=N", action="append", type=size, default=[], help="the size of an open dimension of an ONNX model's inputs, which else stays open",
    )
    made.add_argument("-o", "--output", metavar="FILE", help="where to write; without it, to standard output (without weights)")
    made.add_argument(
        "--emit", choices=EMITS, default="source",
        help="the source, the captured graph as a table, the model IR, or a drawing of the model IR or of the streams (DOT, or SVG "
        "where FILE ends so; with -o FILE.svg the table and the model IR are drawn, too)",
    )
    made.add_argument(
        "--non-sp", choices=("carry", "replicate"), default="carry",
        help="what to do with graphs that are not series-parallel: carry values through, or compute them several times",
    )
    made.add_argument(
        "--streaming", action="store_true",
        help="the model frame by frame, for ever: floats in, floats out; it is run and compared with the model before it is written",
    )
    made.add_argument(
        "--time", metavar="DIM", type=int, action="append", default=[],
        help="with --streaming: the dimension of the inputs that counts time, or one for each (those along which layers go)",
    )
    made.add_argument(
        "--latency", metavar="N", type=int, default=0, help="with --streaming: the result may come N time steps late (0: only what is causal)",
    )
    made.add_argument(
        "--context", metavar="N", type=int,
        help="with --streaming: attention goes back N time steps at most, as if the model had such a mask; with --generate: N tokens; with "
        "--state: of states that come back longer the last N elements are kept",
    )
    made.add_argument(
        "--generate", action="store_true",
        help="a decoder of transformers as a program that takes tokens and gives tokens, with keys and values of --context N of them; with an encoder, "
        "which takes --input, it gives N tokens for each input",
    )
    made.add_argument("--stop", metavar="TOKEN", type=int, help="with --generate: behind this token, if it was chosen, nothing else is said")
    made.add_argument(
        "--prompt", metavar="TOKEN,...", type=tokens, help="with --generate: what a decoder behind an encoder begins with (what its configuration says)",
    )
    made.add_argument("--batch", metavar="N", type=int, help="with --generate: so many sequences side by side (1)")
    made.add_argument("--dynamic", metavar="DIM", type=int, action="append", default=[], help="this dimension of every input is open")
    made.add_argument(
        "--preprocess", metavar="HOW", help=f"the program takes pictures of any size, and makes of them what the network takes: {FORMS}",
    )
    made.add_argument("--labels", metavar="FILE", help="the program prints the best five classes, whose names are the lines of FILE (or the categories of weights of torchvision), with their probabilities")
    made.add_argument(
        "--eval", action="store_true", help="puts the model into the mode in which it runs: no dropout, stored statistics (as model.eval() does)",
    )
    made.add_argument(
        "--quantize", choices=("int8",), help="linear layers and convolutions get weights of int8, with a scale for each output; how far the results "
        "are from those of floats is told",
    )
    made.add_argument(
        "--no-fuse", action="store_true", help="products between quantised values of an ONNX model in floats, as the standard has them, not in int8 with exact sums",
    )
    made.add_argument(
        "--calibrate", metavar="FILE.npy", action="append", default=[],
        help="with --quantize: samples of an input, one file for each input; they set the units of what arrives at layers, and results are compared for them",
    )
    made.add_argument("--seed", metavar="N", type=int, default=0, help="for random weights and example inputs (0)")
    made.add_argument("--python", metavar="PATH", help="the Python to use; it needs PyTorch")
    return made
