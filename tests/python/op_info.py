"""PyTorch's own suite of operators: samples of `op_db`, each imported, compiled, run and compared with what PyTorch gives.

    op_info.py [--operators REGEX] [--types float32,int64] [--samples N] [--json FILE] [--optimise N] [--seconds N] [--show WORD]
               [--known FILE]

An operator runs in a process of its own, so that one that crashes or hangs is a fault of its sample and no more. Needs the extension
(STRC_EXTENSION names the folder in which make_wheel has installed the package; without it that of build/release).
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
import types
import unittest
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy
from support import ROOT, STRC, WHEEL

import torch
from torch.utils import _pytree as pytree

import strc

# Where the extension is.
EXTENSION = os.environ.get("STRC_EXTENSION") or WHEEL or str(ROOT / "build/release/tests/python/package/installed")
strc.__path__.append(f"{EXTENSION}/strc")

import strc.torch  # noqa: E402
from strc.errors import ImportFailure  # noqa: E402
from strc.program import CompileError, RunError  # noqa: E402
from strc.torch.called import compile_model  # noqa: E402
from strc.torch.runner import as_kind, held  # noqa: E402

RIGHT, WRONG, REFUSED, CRASHED, CONSTANT, EXCLUDED = "right", "wrong", "refused", "crashed", "constant", "excluded"
# |difference| <= this times max(1, |value|).
TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 4e-3, torch.bfloat16: 3e-2}
# Which of equal elements an operator names is not defined: its places count as right if they name the same values.
# The sign of vectors is not defined.
ANY_SIGN = {"linalg.eigh", "linalg.svd", "svd"}
NAMES_ANY = {"topk", "kthvalue", "median", "nanmedian", "mode", "sort", "msort"}
# Sums over memory that the caller names by strides, random numbers by name, what has no result of its own.
NOT_COUNTED = {
    "as_strided", "as_strided_copy", "as_strided_scatter", "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided",
    "resize_", "resize_as_", "to_sparse", "sparse.mm", "sparse.sampled_addmm", "torch.ops.aten._safe_softmax.default",
}
RANDOM = {
    "bernoulli", "cauchy", "dropout", "exponential", "feature_alpha_dropout", "fractional_max_pool2d", "fractional_max_pool3d", "geometric",
    "alpha_dropout", "dropout2d", "dropout3d", "log_normal", "multinomial", "normal", "rand_like", "randint", "randint_like", "randn", "randn_like",
    "uniform", "rrelu", "svd_lowrank", "pca_lowrank",
}


@dataclass
class Outcome:
    operator: str
    type: str
    sample: int
    what: str
    why: str = ""
    seconds: float = 0.0


def op_db():
    """The database; of the package that it checks strings with it uses nothing here."""
    if "expecttest" not in sys.modules:
        try:
            import expecttest  # noqa: F401
        except ImportError:
            sys.modules["expecttest"] = types.SimpleNamespace(TestCase=unittest.TestCase, assert_expected_inline=None)
    from torch.testing._internal.common_methods_invocations import op_db as entries

    return entries


def name_of(op) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def is_excluded(op) -> bool:
    name = op.name.removeprefix("nn.functional.")
    return op.name in NOT_COUNTED or name in RANDOM or "sparse" in op.name


class Sample(torch.nn.Module):
    """An operator with the arguments of a sample, whose tensors are its inputs."""

    def __init__(self, op, sample):
        super().__init__()
        self.op = op
        self.leaves, self.spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        self.places = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, torch.Tensor)]
        self.eval()

    def tensors(self):
        return [self.leaves[i] for i in self.places]

    def forward(self, *tensors):
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        result = self.op(*args, **kwargs)
        return tuple(leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor))


def difference(found: torch.Tensor, expected: torch.Tensor) -> str:
    """What is different; empty if nothing is."""
    if found.shape != expected.shape:
        return f"shape {tuple(found.shape)} instead of {tuple(expected.shape)}"
    if found.dtype != expected.dtype:
        return f"{found.dtype} instead of {expected.dtype}"
    if expected.dtype.is_complex:
        return difference(torch.view_as_real(found.resolve_conj()), torch.view_as_real(expected.resolve_conj()))
    if expected.is_floating_point():
        bound = TOLERANCE[expected.dtype]
        one, other = found.double(), expected.double()
        same = (one == other) | (one.isnan() & other.isnan()) | ((one - other).abs() <= bound * other.abs().clamp(min=1))
    else:
        same = found == expected
    if bool(same.all()):
        return ""
    at = tuple((~same).nonzero()[0].tolist()) if same.dim() else ()
    return f"{int((~same).sum())} of {same.numel()} elements: {found[at].item()} instead of {expected[at].item()} at {at}"


def in_doubles(model, tensors):
    """What a model gives, computed in doubles; None if that is something else."""
    with torch.no_grad():
        try:
            return [one.double() for one in model(*(tensor.double() if tensor.is_floating_point() else tensor for tensor in tensors))]
        except Exception:  # whatever an operator raises
            return None


def is_nearer(found, expected, exact) -> bool:
    """Whether a result that differs from PyTorch's is no further from the exact one than that."""
    if exact is None or not all(one.is_floating_point() for one in expected) or not [one.shape for one in exact] == [one.shape for one in expected] == [one.shape for one in found]:
        return False
    for one, other, true in zip(found, expected, exact):
        error, bound = (one.double() - true).abs(), (other.double() - true).abs() + TOLERANCE[other.dtype] * true.abs().clamp(min=1)
        lost = ~other.isfinite() & true.isfinite()  # to too few bits
        bound = torch.where(lost, TOLERANCE[other.dtype] * true.abs().clamp(min=1), bound)
        if not bool(((error <= bound) | (one.double() == true) | (one.isnan() & true.isnan())).all()):
            return False
    return True


def names_same(op, model, found, expected) -> bool:
    """Whether places that differ name elements of the same value."""
    source = model.tensors()[0]
    if op.name == "argsort":
        dim = next((n for n in model.leaves if type(n) is int), -1)
        return found[0].dim() > 0 and torch.equal(source.gather(dim, found[0]), source.gather(dim, expected[0]))
    if op.name not in NAMES_ANY or len(found) != 2 or difference(found[0], expected[0]):
        return False
    numbers = [leaf for leaf in model.leaves if type(leaf) is int]
    for dim in {source.dim() - 1, *(n for n in numbers if -source.dim() <= n < source.dim())}:
        if source.dim() and found[1].numel() and int(found[1].max()) >= source.shape[dim]:
            continue  # the places are not those of this dimension
        if source.dim() and found[1].dim() == source.dim():
            if torch.equal(source.gather(dim, found[1]).nan_to_num(7.125), expected[0].nan_to_num(7.125)):
                return True
        elif source.dim() and torch.equal(
            source.gather(dim, found[1].unsqueeze(dim)).squeeze(dim).nan_to_num(7.125), expected[0].nan_to_num(7.125)
        ):
            return True
    return False


def results_of(model, tensors, level: int):
    """What the program gives: in this process, or by the command if only the run knows the shapes."""
    try:
        return compile_model(model, tensors, options={"O": level}).all(tensors)
    except CompileError as error:
        if all(found.code != "symbolic-shape" for found in error.diagnostics):
            raise
    with tempfile.TemporaryDirectory() as folder:
        return by_command(model, tensors, Path(folder), level)


def by_command(model, tensors, folder: Path, level: int):
    if any(tensor.dtype == torch.bfloat16 for tensor in tensors):
        raise ImportFailure("no file of NumPy has bfloat16, so this is not tried")
    imported = strc.torch.export(model, tensors, folder / "model.str")
    words = [STRC, "run", "-w", f"-O{level}", "--top", imported.program.name, "model.str"]
    for i, tensor in enumerate(tensor for tensor in tensors if tensor.numel()):
        numpy.save(folder / f"in{i}.npy", held(tensor).contiguous().numpy())
        words += ["--in", f"in{i}.npy"]
    kinds = [one.meta["val"].dtype for one in imported.captured.returned if isinstance(one, torch.fx.Node)]
    given = [place for place in range(len(kinds)) if place not in imported.empty]
    for place in given:
        words += ["--out", f"out{place}.npy"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [
        as_kind(torch.from_numpy(numpy.load(folder / f"out{place}.npy")), kind) if place in given else imported.empty[place]
        for place, kind in enumerate(kinds)
    ]


def tried(op, sample, level: int) -> tuple[str, str]:
    model = Sample(op.op, sample)
    tensors = model.tensors()
    if any(tensor.layout is not torch.strided for tensor in tensors):
        return EXCLUDED, "sparse"
    try:
        with torch.no_grad():
            expected = model(*(tensor.clone() for tensor in tensors))
    except Exception as error:  # whatever PyTorch refuses itself
        return EXCLUDED, f"PyTorch raises: {error}"
    if not expected or any(tensor.layout is not torch.strided for tensor in expected):
        return EXCLUDED, "no tensor as a result"
    if not tensors:
        return CONSTANT, "it takes no tensor"
    try:
        found = results_of(model, tensors, level)
    except (ImportFailure, CompileError, RunError) as error:
        text = str(error)
        if "depend on none of its inputs" in text:
            return CONSTANT, "the same each time"
        return (REFUSED if isinstance(error, ImportFailure) else CRASHED), text
    except Exception as error:  # a fault of the importer
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        return CRASHED, f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
    if op.name in ANY_SIGN:
        found, expected = [one.abs() for one in found], [one.abs() for one in expected]
    for place, (one, other) in enumerate(zip(found, expected)):
        if wrong := difference(one, other.resolve_conj().resolve_neg()):
            if names_same(op, model, found, expected):
                return RIGHT, "other places of equal elements"
            if is_nearer(found, expected, in_doubles(model, tensors)):
                return RIGHT, "nearer to the exact result"
            return WRONG, f"result {place}: {wrong}"
    return RIGHT, ""


def described(sample) -> str:
    def shown(value):
        if isinstance(value, torch.Tensor):
            return f"{str(value.dtype)[6:]}{list(value.shape)}"
        return repr(value)

    args = [pytree.tree_map(shown, value) for value in (sample.input, *sample.args)]
    return f"({', '.join(map(str, args))}, {pytree.tree_map(shown, sample.kwargs)})"


def chosen(count: int, most: int) -> list[int]:
    """So many samples, from all over."""
    return list(range(count)) if count <= most else sorted({round(k * (count - 1) / max(most - 1, 1)) for k in range(most)})


def samples_of(op, dtype: torch.dtype):
    """Those of an operator, and why there are none."""
    torch.manual_seed(0)
    try:
        return list(op.sample_inputs("cpu", dtype)), ""
    except Exception as error:  # PyTorch cannot make them here
        return [], f"no samples: {error}"


def work(pipe, level: int, most: int) -> None:
    """Operators that are asked for, sample by sample, in a process of its own."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    while True:
        index, dtype, first = pipe.recv()
        op = op_db()[index]
        samples, why_none = samples_of(op, dtype)
        if why_none:
            pipe.send((0, EXCLUDED, why_none, 0.0))
        for number in chosen(len(samples), most):
            if number < first:
                continue
            pipe.send(number)
            start = time.time()
            what, why = tried(op, samples[number], level)
            told = why if what in (RIGHT, CONSTANT) else f"{why}\n    {described(samples[number])}"
            pipe.send((number, what, told, time.time() - start))
        pipe.send(None)


class Worker:
    """A process that tries operators. A new one takes its place when it crashes, hangs, or has done many."""

    def __init__(self, level: int, most: int, patience: float):
        self.level, self.most, self.patience = level, most, patience
        self.process = None
        self.done = 0

    def start(self) -> None:
        running = multiprocessing.get_context("fork")
        self.pipe, theirs = running.Pipe()
        self.process = running.Process(target=work, args=(theirs, self.level, self.most), daemon=True)
        self.process.start()
        theirs.close()
        self.done = 0

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self.process = None

    def outcomes(self, index: int, dtype: torch.dtype):
        """Of each sample of an operator."""
        name, kind, first = name_of(op_db()[index]), str(dtype)[6:], 0
        self.done += 1
        if self.done > 60:
            self.stop()
        while True:
            if self.process is None:
                self.start()
            self.pipe.send((index, dtype, first))
            at, fault = None, f"no answer in {self.patience:.0f} s"
            try:
                while self.pipe.poll(self.patience):
                    got = self.pipe.recv()
                    if got is None:
                        return
                    if isinstance(got, int):
                        at = got
                    else:
                        yield Outcome(name, kind, *got)
            except (EOFError, ConnectionResetError):
                fault = "the process ends"
            self.stop()
            if at is None:
                return
            yield Outcome(name, kind, at, CRASHED, fault)
            first = at + 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operators", default="", help="only those whose name matches")
    parser.add_argument("--known", help="a file with the names of operators: those alone, and a fault if one is not right")
    parser.add_argument("--types", default="float32", help="types of elements, with commas")
    parser.add_argument("--samples", type=int, default=8, help="samples of each operator at most; 0: all")
    parser.add_argument("--json", help="where all outcomes go, a line each")
    parser.add_argument("--optimise", type=int, default=0, help="the level of -O")
    parser.add_argument("--seconds", type=float, default=30, help="patience for a sample")
    parser.add_argument("--show", default="wrong,crashed", help="outcomes that are printed in full, with commas")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for name in ("torch._decomp", "strc.torch.composed", "strc.torch.operators"):
        importlib.import_module(name)  # once for all processes
    entries, found = op_db(), []
    worker = Worker(options.optimise, options.samples or 10**9, options.seconds)
    shown = options.show.split(",")
    known = set(Path(options.known).read_text(encoding="utf-8").split()) if options.known else None
    log = open(options.json, "w", encoding="utf-8") if options.json else None
    for kind in options.types.split(","):
        dtype = getattr(torch, kind)
        for index, op in enumerate(entries):
            if known is not None and name_of(op) not in known:
                continue
            if not re.search(options.operators, name_of(op)) or dtype not in op.supported_dtypes("cpu") or is_excluded(op):
                continue
            for one in worker.outcomes(index, dtype):
                found.append(one)
                if log:
                    log.write(json.dumps(asdict(one)) + "\n")
                if one.what in shown:
                    print(f"{one.operator} {one.type} {one.sample}: {one.what}: {one.why}", flush=True)
            if log:
                log.flush()
    worker.stop()
    for kind in options.types.split(","):
        counts = collections.Counter(one.what for one in found if one.type == kind)
        all_right = {name for name in {one.operator for one in found if one.type == kind}}
        all_right -= {one.operator for one in found if one.type == kind and one.what not in (RIGHT, CONSTANT, EXCLUDED)}
        judged = sum(counts[what] for what in (RIGHT, WRONG, REFUSED, CRASHED))
        print(f"{kind}: {counts[RIGHT]} of {judged} samples right, {dict(counts)}; operators without a fault: {len(all_right)}")
    bad = (WRONG,) if known is None else (WRONG, REFUSED, CRASHED)
    return int(any(one.what in bad for one in found))


if __name__ == "__main__":
    sys.exit(main())
