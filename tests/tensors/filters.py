#!/usr/bin/env python3
"""Compares the filters of the tensor library with PyTorch.

filters.py --strc STRC [--engine interpret|symbolic|symbolic-jit|jit-O0|jit|executable|cuda] [--kernels WORD] [--only TEXT] [--every N]
           [--march NAME] [--random SEED [--chains] --count N] [--keep FOLDER]

One program holds a stream for each case, which takes its inputs from a weights file and pushes the
elements of all results as numbers. Exit status 1 if one of them differs by more than the tolerance.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import torch
from safetensors.torch import save_file

from cases import Case, all_cases
from random_cases import random_cases

TOLERANCE = 1e-5
# Of elements that are rounded after each operation here, and there after some of them.
ROUNDED = {torch.float16: 4e-3, torch.bfloat16: 3e-2}
OPTIONS = {"interpret": ["--interpret"], "jit-O0": ["-O0", "--no-interpret"], "jit": ["--no-interpret"], "symbolic": ["--interpret"],
           "symbolic-jit": ["--no-interpret"], "cuda": ["--no-interpret", "--device=cuda"]}

# Of what comes out of `Given` only the run knows the shape.
OF_RUN = """tensor->tensor filter OfRun { int n; work pop 1 push 1 { tensor x = pop(); n++; push(n > 0 ? x : zeros(1)); } }
"""
PRELUDE = """
void->tensor filter Given(String name) {
    tensor value = stored("", name);
    work push 1 { push(value); }
}
tensor->float filter Numbers(int items, int all) {
    work pop items push all {
        for (int k = 0; k < items; k++) {
            tensor<float> x = (float) flatten(pop(), 0, -1);
            for (int i = 0; i < size(x, 0); i++) push(x[i]);
        }
    }
}
"""


def results(case: Case) -> list[torch.Tensor]:
    with torch.no_grad():
        found = case.expected(*case.inputs)
    return list(found) if isinstance(found, (tuple, list)) else [found]


def stream(number: int, case: Case, is_symbolic: bool) -> str:
    found = results(case)
    inputs = ""
    for k in range(len(case.inputs)):
        parts = [f'add Given("{number}.{k}");', "add OfRun;" if is_symbolic else ""]
        if case.views and case.views[k]:
            order = ", ".join(str(case.views[k].index(d)) for d in range(len(case.views[k])))
            parts.append(f"add permute({{{order}}});")
        inputs += f"        add pipeline {{ {' '.join(parts)} }};\n"
    count = sum(result.numel() for result in found)
    made = case.filter.replace('"m', f'"{number}.m')
    return (f"void->float pipeline Case{number} {{\n    add splitjoin {{\n        split roundrobin(0);\n{inputs}"
            f"        join roundrobin;\n    }}\n    add {made};\n    add Numbers({len(found)}, {count});\n}}\n")


def weights(number: int, case: Case) -> dict[str, torch.Tensor]:
    views = case.views or [[]] * len(case.inputs)
    named = {f"{number}.{k}": (value.permute(view) if view else value).contiguous().clone()
             for k, (value, view) in enumerate(zip(case.inputs, views))}
    named |= {f"{number}.{name}": value for name, value in case.weights.items()}
    return named


def assembles(strc: str, march: str, folder: Path, number: int) -> None:
    """Is there code for a processor that this machine is not?"""
    made = subprocess.run([strc, "build", "--emit=asm", f"--march={march}", "--top", f"Case{number}", str(folder / "cases.str")], check=True, capture_output=True)
    assert made.stdout, "no assembly"


def runs_here(strc: str, march: str, folder: Path) -> bool:
    program = folder / "nothing.str"
    program.write_text("void->void filter Main { work { println(1); } }\n")
    done = subprocess.run([strc, "run", f"--march={march}", "-i", "1", program], capture_output=True, text=True)
    if done.returncode != 0 and "processor-not-here" not in done.stderr:
        raise SystemExit(done.stderr)
    return done.returncode == 0


def run(strc: str, engine: str, kernels: str, folder: Path, number: int, march: str) -> numpy.ndarray:
    out = folder / f"{number}.raw"
    top = [f"--kernels={kernels}", "--top", f"Case{number}", str(folder / "cases.str")]
    if engine == "executable":
        program = folder / f"case{number}"
        subprocess.run([strc, "build", *top, "-o", program], check=True, capture_output=True)
        command = [program, "-i", "1", "--out", out]
    else:
        command = [strc, "run", *OPTIONS[engine], f"--march={march}", "-i", "1", "--out", out, *top]
    subprocess.run(command, check=True, capture_output=True)
    return numpy.fromfile(out, dtype="<f4")


def missing(strc: str, kernels: str, folder: Path) -> str | None:
    """Why there is no library for these kernels."""
    program = folder / "product.str"
    program.write_text(
        "void->tensor filter A { work push 1 { push(full(1.0, 2, 3)); } }\n"
        "void->void pipeline Main { add A; add linear(3, 2, false, weights = \"a\"); add S; }\n"
        "tensor->void filter S { work pop 1 { println(pop()); } }\n")
    words = [strc, "run", "-i", "1", "--weights", "random:1", "--no-interpret", f"--kernels={kernels}", program]
    done = subprocess.run(words, capture_output=True, text=True)
    return done.stderr.strip() if done.returncode != 0 and "cannot open" in done.stderr else None


def difference(case: Case, got: numpy.ndarray) -> str | None:
    wanted = numpy.concatenate([r.to(torch.float32).numpy().ravel() for r in results(case)])
    if got.shape != wanted.shape:
        return f"{got.size} elements instead of {wanted.size}"
    with numpy.errstate(invalid="ignore"):
        # Sums of large numbers may be small: of networks the largest result counts.
        scale = numpy.abs(wanted).max(initial=1) if case.is_network else numpy.maximum(1, numpy.abs(wanted))
        off = numpy.abs(got - wanted) / scale
    tolerance = 10 * TOLERANCE if case.is_network else max(ROUNDED.get(each.dtype, TOLERANCE) for each in case.inputs)
    if not numpy.all(off <= tolerance):
        at = int(numpy.nanargmax(off))
        return f"element {at} is {got[at]} instead of {wanted[at]}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--strc", required=True)
    parser.add_argument("--engine", default="jit", choices=[*OPTIONS, "executable"])
    parser.add_argument("--kernels", default="generated", choices=["generated", "onednn", "torch", "auto"])
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="one of so many cases")
    parser.add_argument("--random", type=int, metavar="SEED", help="random cases")
    parser.add_argument("--chains", action="store_true", help="random networks of several filters")
    parser.add_argument("--count", type=int, default=60, help="how many of them")
    parser.add_argument("--march", default="native", help="the processor that code is made for")
    parser.add_argument("--keep", type=Path, help="a folder for the program and its weights")
    options = parser.parse_args()
    cases = list(enumerate(all_cases() if options.random is None else
                           random_cases(options.random, options.count, options.chains)))
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        if why := missing(options.strc, options.kernels, folder):
            print(f"skipped: {why}")
            return 77
        is_symbolic = options.engine.startswith("symbolic")
        program = PRELUDE + "".join(stream(number, case, is_symbolic) for number, case in cases)
        program += OF_RUN if is_symbolic else ""
        (folder / "cases.str").write_text(program)
        stored: dict[str, torch.Tensor] = {}
        for number, case in cases:
            stored |= weights(number, case)
        save_file(stored, folder / "cases.safetensors")

        is_executed = runs_here(options.strc, options.march, folder)

        def check(numbered: tuple[int, Case]) -> str | None:
            number, case = numbered
            try:
                if not is_executed:
                    return assembles(options.strc, options.march, folder, number)
                return difference(case, run(options.strc, options.engine, options.kernels, folder, number, options.march))
            except subprocess.CalledProcessError as error:
                return error.stderr.decode().strip()

        chosen = [each for each in cases if options.only in each[1].filter][::options.every]
        with ThreadPoolExecutor(2) as pool:
            faults = list(pool.map(check, chosen))
    for (number, case), fault in zip(chosen, faults):
        if fault:
            print(f"Case{number} {case.filter} of {[tuple(x.shape) for x in case.inputs]}: {fault}")
    wrong = sum(fault is not None for fault in faults)
    what = "equal PyTorch's results" if is_executed else "become assembly"
    print(f"{len(chosen) - wrong} of {len(chosen)} cases {what} ({options.engine}, {options.kernels}, {options.march})")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
