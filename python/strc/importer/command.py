"""What `strc import` does."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import torch

from .. import draw
from ..errors import ImportFailure
from ..files import naming
from ..ir import show
from ..quantise import quantised, quantised_generator
from ..torch.export import Imported, Model, import_model, proven, stream_model, write
from ..torch.generation import Generator, import_generator
from .arguments import parser
from .loading import example, load_model
from .pictures import surroundings


def svg(dot: str) -> str:
    """A drawing by Graphviz."""
    try:
        done = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ImportFailure("drawing SVG takes `dot`, of the package graphviz; DOT files can be written without it") from None
    if done.returncode != 0:
        raise ImportFailure(f"dot cannot draw the graph: {done.stderr.strip()}")
    return done.stdout


def drawing(options: argparse.Namespace, imported: Model) -> str:
    if options.emit == "fx":
        assert isinstance(imported, Imported)
        return draw.fx_graph(imported.captured.graph)
    if options.emit == "streams":
        return draw.stream_graph(imported.program, options.non_sp == "replicate")
    return draw.ir_graph(imported.program)


def text_of(options: argparse.Namespace, imported: Model) -> str:
    """What --emit asks for, other than the source."""
    suffix = Path(options.output).suffix if options.output else ""
    if suffix == ".svg":
        return svg(drawing(options, imported))
    if suffix == ".dot" or options.emit in ("graph", "streams"):
        return drawing(options, imported)
    if options.emit == "fx":
        assert isinstance(imported, Imported)
        return draw.fx_table(imported.captured.graph)
    return show(imported.program)


def check_options(options: argparse.Namespace) -> None:
    """Raises `ImportFailure` for options that do not go together."""
    is_onnx = is_onnx_file(options.model)
    if options.dim and not is_onnx:
        raise ImportFailure("--dim says something about ONNX models; the shapes of --input are all that there is to say of a module")
    if options.no_fuse and not is_onnx:
        raise ImportFailure("--no-fuse says something about ONNX models, whose quantised values have operators of their own")
    if is_onnx and options.eval:
        raise ImportFailure("--eval says something about a module; an ONNX model has no mode of training that could be changed")
    if is_onnx and (options.dynamic or options.emit == "fx"):
        raise ImportFailure("an ONNX model has no graph of PyTorch (--emit=fx), and says itself which dimensions are open (without --dynamic)")
    for given in options.state:
        if isinstance(given, str) != is_onnx:
            raise ImportFailure("a state of an ONNX model is --state IN=OUT or --state auto, one of a module --state SHAPE")
    check_generate(options)
    check_surroundings(options)
    check_quantize(options)
    if not options.streaming:
        if options.latency or options.time:
            raise ImportFailure("--latency and --time say something about --streaming, which is not given")
        if options.context is not None and not (options.generate or options.state):
            raise ImportFailure("--context says something about --streaming, --generate and --state, of which none is given")
        return
    if options.dynamic or options.state:
        raise ImportFailure("--streaming goes neither with --dynamic nor with --state: its states go round by themselves")
    if options.latency < 0:
        raise ImportFailure("--latency is 0 or more")
    if options.context is not None and options.context < 1:
        raise ImportFailure("--context is 1 or more")


def check_surroundings(options: argparse.Namespace) -> None:
    """Raises `ImportFailure` for options that do not go with --preprocess and --labels."""
    others = {
        "--streaming": options.streaming, "--generate": options.generate, "--dynamic": options.dynamic, "--state": options.state,
        "--emit": options.emit != "source",
    }
    given = [name for name, value in others.items() if value]
    if (options.preprocess or options.labels) and given:
        raise ImportFailure(f"--preprocess and --labels stand around a network that gives a result for each picture: they go not with {given[0]}")


def check_generate(options: argparse.Namespace) -> None:
    """Raises `ImportFailure` for options that do not go with --generate, or with its absence."""
    if not options.generate:
        given = [name for name in ("batch", "stop", "prompt") if getattr(options, name) is not None]
        if given:
            raise ImportFailure(f"--{given[0]} says something about --generate, which is not given")
        return
    others = {"--streaming": options.streaming, "--state": options.state, "--dynamic": options.dynamic}
    given = [name for name, value in others.items() if value]
    if given or is_onnx_file(options.model):
        raise ImportFailure(f"--generate goes not with {given[0] if given else 'an ONNX model'}: a decoder takes tokens, and its states go round by themselves")
    if len(options.input) > 1 or options.input and options.batch is not None:
        raise ImportFailure("--generate takes one --input, which is what an encoder takes, with as many items as there are sequences (without --batch)")
    if options.context is None:
        raise ImportFailure("--generate takes --context N: so many tokens are attended to, and the keys and values of so many are kept")


def check_quantize(options: argparse.Namespace) -> None:
    """Raises `ImportFailure` for options that do not go with --quantize, or with its absence."""
    if not options.quantize:
        if options.calibrate:
            raise ImportFailure("--calibrate says something about --quantize, which is not given")
        return
    others = {"--streaming": options.streaming, "--dynamic": options.dynamic}
    given = [name for name, value in others.items() if value]
    if given:
        raise ImportFailure(f"--quantize runs the model on samples of its inputs and compares results: it goes not with {given[0]}")


def is_onnx_file(name: str) -> bool:
    return name.endswith(".onnx")


def read_module(options: argparse.Namespace) -> tuple[Model, torch.nn.Module, list[torch.Tensor]]:
    """A module as a program, itself, and examples of its inputs."""
    model = load_model(options.model)
    if options.eval:
        model.eval()
    if options.generate:
        given = example(*options.input[0]) if options.input else None
        batch = 1 if options.batch is None else options.batch
        return import_generator(model, options.context, batch, example=given, stop=options.stop, prompt=options.prompt or ()), model, []
    inputs = [example(*given) for given in options.input]
    if options.streaming:
        return stream_model(model, inputs, options.time or None, options.latency, options.context), model, inputs
    return import_model(model, inputs, options.dynamic, [example(*given) for given in options.state], context=options.context), model, inputs


def read_onnx(options: argparse.Namespace) -> tuple[Model, torch.nn.Module, list[torch.Tensor]]:
    """An ONNX model as a program, as a function of tensors, and examples of its inputs."""
    try:
        from .. import onnx
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("onnx", "google"):
            raise
        raise ImportFailure(
            f"{sys.executable} has no package onnx, which reads ONNX models: `strc setup torch` sets up a Python that has it, or pip install onnx does"
        ) from None
    imported = onnx.import_model(
        options.model, [given[0] for given in options.input], dict(options.dim), options.state, streaming=options.streaming, time=options.time or None,
        latency=options.latency, context=options.context, fuse=not options.no_fuse,
    )
    for_one_size = [name for name in ("--quantize", "--preprocess", "--labels") if getattr(options, name[2:])]
    if imported.open and for_one_size:
        name = imported.open[0]
        raise ImportFailure(f"{for_one_size[0]} takes a model for one size, and '{name}' is an open dimension: --dim {name}=1 says its size")
    return imported, imported.evaluator(), imported.examples()


def do_import(options: argparse.Namespace) -> None:
    torch.manual_seed(options.seed)
    check_options(options)
    imported, model, inputs = read_onnx(options) if is_onnx_file(options.model) else read_module(options)
    if options.quantize:
        if isinstance(imported, Generator):
            imported, told = quantised_generator(imported, options.calibrate)
        else:
            imported, told = quantised(imported, inputs, options.calibrate)
        print(f"strc: int8: {told}", file=sys.stderr)
    if options.emit != "source":
        text = text_of(options, imported)
    else:
        text = imported.source(options.non_sp == "replicate", re.sub("[^ -~]", "?", f"Made by `strc import {options.model}`"))
        if options.preprocess or options.labels:
            around = surroundings(options.preprocess, options.labels, model, inputs, imported)
            text, imported = around.source(text, imported.program.name), replace(imported, beside=around.stored)
    if not options.output:
        if options.emit == "source":
            proven(imported, text, model, inputs)
        with naming("standard output"):
            sys.stdout.write(text)
            sys.stdout.flush()
    elif options.emit == "source":
        write(imported, text, options.output, model, inputs)
    else:
        with naming(options.output):
            Path(options.output).write_text(text, encoding="utf-8")


def run(words: list[str]) -> int:
    """Does what the command line says; the exit status."""
    options = parser().parse_args(words)
    try:
        do_import(options)
    except (ImportFailure, OSError) as fault:
        print(f"strc: error: {fault}", file=sys.stderr)
        return 1
    return 0
