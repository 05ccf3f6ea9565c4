"""What `strc import` does."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import torch

from .. import draw
from ..errors import ImportFailure
from ..files import naming
from ..ir import show
from ..torch.export import Imported, import_model, proven, stream_model, write
from .arguments import parser
from .loading import example, load_model


def svg(dot: str) -> str:
    """A drawing by Graphviz."""
    try:
        done = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ImportFailure("drawing SVG takes `dot`, of the package graphviz; DOT files can be written without it") from None
    if done.returncode != 0:
        raise ImportFailure(f"dot cannot draw the graph: {done.stderr.strip()}")
    return done.stdout


def drawing(options: argparse.Namespace, imported: Imported) -> str:
    if options.emit == "fx":
        return draw.fx_graph(imported.captured.graph)
    if options.emit == "streams":
        return draw.stream_graph(imported.program, options.non_sp == "replicate")
    return draw.ir_graph(imported.program)


def text_of(options: argparse.Namespace, imported: Imported) -> str:
    """What --emit asks for, other than the source."""
    suffix = Path(options.output).suffix if options.output else ""
    if suffix == ".svg":
        return svg(drawing(options, imported))
    if suffix == ".dot" or options.emit in ("graph", "streams"):
        return drawing(options, imported)
    return draw.fx_table(imported.captured.graph) if options.emit == "fx" else show(imported.program)


def read(
    options: argparse.Namespace, model: torch.nn.Module, inputs: list[torch.Tensor], states: list[torch.Tensor]
) -> Imported:
    if not options.streaming:
        if options.latency or options.time or options.context is not None:
            raise ImportFailure("--latency, --time and --context say something about --streaming, which is not given")
        return import_model(model, inputs, options.dynamic, states)
    if options.dynamic or states:
        raise ImportFailure("--streaming goes neither with --dynamic nor with --state: its states go round by themselves")
    if options.latency < 0:
        raise ImportFailure("--latency is 0 or more")
    if options.context is not None and options.context < 1:
        raise ImportFailure("--context is 1 or more")
    return stream_model(model, inputs, options.time or None, options.latency, options.context)


def do_import(options: argparse.Namespace) -> None:
    torch.manual_seed(options.seed)
    model = load_model(options.model)
    inputs = [example(*given) for given in options.input]
    states = [example(*given) for given in options.state]
    imported = read(options, model, inputs, states)
    if options.emit != "source":
        text = text_of(options, imported)
    else:
        text = imported.source(options.non_sp == "replicate", f"Made by `strc import {options.model}`")
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
