"""The backend node tests of the package onnx, each imported, compiled, run and compared with its data.

    onnx_suite.py [--tests REGEX] [--json FILE] [--optimise N] [--seconds N] [--part K/N] [--known FILE] [--every N]

Values that decide about shapes are inputs in these tests, where models have them stored: where the importer asks for one it is stored and the test is
tried again. Needs the extension (STRC_EXTENSION names the folder in which make_wheel has installed the package; without it that of build/release).
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import sys
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy
from support import ROOT, WHEEL
from workers import one_by_one

import onnx
import torch
from onnx import numpy_helper

import strc

EXTENSION = os.environ.get("STRC_EXTENSION") or WHEEL or str(ROOT / "build/release/tests/python/package/installed")
strc.__path__.append(f"{EXTENSION}/strc")

from strc.errors import ImportFailure  # noqa: E402
from strc.onnx import import_model  # noqa: E402
from strc.onnx.bodies import sources  # noqa: E402
from strc.onnx.stored import ELEMENTS, tensor_of, type_name  # noqa: E402
from strc.onnx.walker import Refused  # noqa: E402
from strc.program import CompileError, RunError  # noqa: E402
from strc.torch.runner import as_kind, held  # noqa: E402

# |difference| <= this times max(1, |value|).
TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 4e-3, torch.bfloat16: 3e-2}
RIGHT, WRONG, REFUSED, CRASHED, CONSTANT, TYPES, RANDOM = "right", "wrong", "refused", "crashed", "constant", "types", "random"
# Their results are drawn at random, so that there is nothing to compare.
DRAWN = re.compile(r"^test_(bernoulli|training_dropout_(default|ratio|zero_ratio_mask)?)")


@dataclass
class Outcome:
    test: str
    operator: str
    what: str
    why: str = ""
    stored: int = 0  # inputs that had to be
    seconds: float = 0.0


def cases():
    """All tests, in the order of the package."""
    warnings.simplefilter("ignore")
    from onnx.backend.test.case.node import collect_testcases

    return collect_testcases(None)


def as_tensor(value) -> torch.Tensor:
    if isinstance(value, onnx.TensorProto):
        return tensor_of(value)
    array = numpy.asarray(value)
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.astype(numpy.float32)).to(torch.bfloat16)
    return torch.from_numpy(numpy.array(array, order="C", copy=True).reshape(array.shape))


def with_stored(model, values):
    """The model with some inputs stored."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    kept = [one for one in model.graph.input if one.name not in values]
    del made.graph.input[:]
    made.graph.input.extend(kept)
    made.graph.initializer.extend(proto_of(name, value) for name, value in values.items())
    return made


def proto_of(name, value):
    if isinstance(value, onnx.TensorProto):
        made = onnx.TensorProto()
        made.CopyFrom(value)
        made.name = name
        return made
    return numpy_helper.from_array(numpy.asarray(value), name)


def difference(found: torch.Tensor, expected: torch.Tensor) -> str:
    """What is different; empty if nothing is."""
    if found.shape != expected.shape:
        return f"shape {tuple(found.shape)} instead of {tuple(expected.shape)}"
    if found.dtype != expected.dtype:
        return f"{found.dtype} instead of {expected.dtype}"
    if expected.is_floating_point():
        one, other = found.double(), expected.double()
        same = (one == other) | (one.isnan() & other.isnan()) | ((one - other).abs() <= TOLERANCE[expected.dtype] * other.abs().clamp(min=1))
    else:
        same = found == expected
    if bool(same.all()):
        return ""
    at = tuple((~same).nonzero()[0].tolist()) if same.dim() else ()
    return f"{int((~same).sum())} of {same.numel()} elements: {found[at].item()} instead of {expected[at].item()} at {at}"


def run(model, given, level: int):
    """What a program gives, and what is the same each time, by name."""
    shapes = [tuple(tensor.shape) for tensor in given.values()]
    imported = import_model(model, shapes)
    weights = {name: tensor.contiguous() for name, tensor in imported.used_tensors().items()}
    inputs = [held(given[one.name]) for one in imported.inputs]
    program = strc.compile(imported.source(), imported.program.name, inputs=inputs, weights=weights, at_once=1, options={"w": True, "O": level})
    found = program(*inputs)
    made = found if isinstance(found, tuple) else (found,)
    results = {name: as_kind(one, kind) for name, one, kind in zip(imported.results, made, imported.types)}
    return {**results, **imported.constant}


def foreign_types(model) -> list[str]:
    """Types of a test's values that programs do not have."""
    found = set()
    for value in [*model.graph.input, *model.graph.output]:
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            found.add(kind.removesuffix("_type"))
        elif value.type.tensor_type.elem_type not in ELEMENTS:
            found.add(type_name(value.type.tensor_type.elem_type).lower())
    return sorted(found)


def evaluated(model):
    """What the importer computes of a model all of whose inputs are stored."""
    from strc.onnx import reading
    from strc.onnx.walker import Evaluator

    return Evaluator(reading.checked(model), "", [])()


def tried(case, level: int) -> tuple[str, str, int]:
    model = case.model
    if foreign := foreign_types(model):
        return TYPES, ", ".join(foreign), 0
    if DRAWN.search(case.name):
        return RANDOM, "", 0
    names = [one.name for one in model.graph.input]
    known: dict[str, object] = {}
    try:
        for inputs, outputs in case.data_sets:
            values = dict(zip(names, inputs))
            found, known = results_of(model, values, level)
            wanted = [as_tensor(one) for one in outputs]
            for place, (result, expected) in enumerate(zip(model.graph.output, wanted)):
                if result.name not in found:
                    return WRONG, f"no result {result.name}", len(known)
                if wrong := difference(found[result.name], expected):
                    return WRONG, f"result {place}: {wrong}", len(known)
    except (ImportFailure, CompileError, RunError) as error:
        return (REFUSED if isinstance(error, ImportFailure) else CRASHED), str(error), len(known)
    except Exception as error:  # a fault of the importer
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        return CRASHED, f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})", len(known)
    return (RIGHT if len(known) < len(names) else CONSTANT), "", len(known)


def results_of(model, values, level: int):
    """Results by name, and the inputs that had to be stored for them."""
    known: dict[str, object] = {}
    while True:
        made = with_stored(model, known)
        rest = {name: as_tensor(value) for name, value in values.items() if name not in known}
        try:
            if not rest or not any(tensor.numel() for tensor in rest.values()):
                known = values
                found = evaluated(with_stored(model, values))
                return dict(zip((one.name for one in model.graph.output), found)), known
            return run(made, rest, level), known
        except Refused as refused:
            more = [source for name in refused.wanted for source in sources(model.graph.node, name) if source in rest][:1]
            if not more:
                raise
            known = {**known, **{name: values[name] for name in more}}
        except ImportFailure as error:
            if "depend on none of its inputs" not in str(error):
                raise
            known = values


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", default="", help="only those whose name matches")
    parser.add_argument("--known", help="a file with names of tests: those alone, and a fault if one is not right")
    parser.add_argument("--every", type=int, default=1, help="with --known: every so many of them")
    parser.add_argument("--part", default="0/1", help="K/N: those whose number is K modulo N")
    parser.add_argument("--json", help="where all outcomes go, a line each")
    parser.add_argument("--optimise", type=int, default=0, help="the level of -O")
    parser.add_argument("--seconds", type=float, default=60, help="patience for a test")
    parser.add_argument("--show", default="wrong,crashed", help="outcomes that are printed in full, with commas")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    torch.set_num_threads(1)
    tests = cases()
    known = Path(options.known).read_text(encoding="utf-8").split()[:: options.every] if options.known else None
    k, n = map(int, options.part.split("/"))
    numbers = [i for i, case in enumerate(tests) if re.search(options.tests, case.name) and (known is None or case.name in known)][k::n]

    def function(number: int):
        start = time.time()
        return (*tried(tests[number], options.optimise), time.time() - start)

    counts: collections.Counter[str] = collections.Counter()
    log = open(options.json, "w", encoding="utf-8") if options.json else None
    for number, given, fault in one_by_one(function, numbers, options.seconds):
        case = tests[number]
        what, why, stored, seconds = given or (CRASHED, fault, 0, 0.0)
        one = Outcome(case.name, operator_of(case.name, tests), what, why, stored, seconds)
        counts[what] += 1
        if log:
            log.write(json.dumps(asdict(one)) + "\n")
            log.flush()
        if what in options.show.split(","):
            print(f"{one.test}: {what}: {why}", flush=True)
    judged = sum(counts[what] for what in (RIGHT, CONSTANT, WRONG, REFUSED, CRASHED))
    print(f"{counts[RIGHT] + counts[CONSTANT]} of {judged} tests right, {dict(counts)}")
    bad = (WRONG,) if known is None else (WRONG, REFUSED, CRASHED)
    return int(any(counts[what] for what in bad))


def operator_of(name: str, tests) -> str:
    """The operator that a test is about; tests of what one is made of are named after it."""
    plain = {case.name: case for case in tests}.get(re.sub(r"(_ver\d+)?_expanded.*", "", name))
    if plain is not None and len(plain.model.graph.node) == 1:
        return str(plain.model.graph.node[0].op_type)
    return name.removeprefix("test_").removesuffix("_expanded").split("_")[0]


if __name__ == "__main__":
    sys.exit(main())
