"""From a text to a program that can be called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from .core import PLANNED, core
from .diagnostics import CompileError, Ear
from .memory import Memory, memory_of

if TYPE_CHECKING:
    import torch

    from .. import _core
    from ..torch.called import ModelProgram
    from .mesh import Mesh
    from .program import Program

Options = Mapping[str, str | int | bool] | None
Weights = str | os.PathLike[str] | Mapping[str, Any] | None
AT_ONCE = 64  # items: what callbacks of audio bring at the least


@dataclass
class Recipe:
    """All that a program is made of; it can be made again for other shapes."""

    source: str | Path
    settings: list[tuple[str, str | None]] = field(default_factory=list)
    weights: dict[str, Memory] = field(default_factory=dict)
    mesh: Mesh | None = None

    def compiler(self, inputs: Sequence[str]) -> _core.Compiler:
        """With sources and options, and nothing done. Raises CompileError and ValueError."""
        made: _core.Compiler = core().Compiler()
        if isinstance(self.source, Path):
            made.add_file(str(self.source))
        else:
            made.add_source("<python>", self.source)
        for option, value in [*self.settings, *(("input", shape) for shape in inputs)]:
            if not made.set(option, value):
                shown = option if value is None else f"{option}={value}"
                raise ValueError(f"there is no option '{shown}'; docs/command-line.md has those that there are, without their dashes")
        for name, memory in self.weights.items():
            made.add_weights(name, memory.element, list(memory.shape), memory.address, memory.size)
        return made

    def is_batch(self) -> bool:
        """Processes share the items of a stack, each of which one of them does alone."""
        return self.mesh is not None and all(option != "split" for option, _ in self.settings)

    def compile(self, inputs: Sequence[str] = ()) -> tuple[_core.Compiler, Ear]:
        """Raises CompileError."""
        made = self.compiler(inputs)
        ear = Ear(made)
        fine = made.compile(PLANNED)
        errors = ear.listen(5)
        if not fine or errors:
            raise CompileError(errors)
        return made, ear


def literal(value: Any) -> str:
    """A value as the language writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, complex):
        return f"{value.real!r}{value.imag:+}i"
    if hasattr(value, "tolist"):
        return literal(value.tolist())
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(map(literal, value)) + "}"
    return repr(value)


def started(top: str | None, params: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """The options that say what the main stream is, and its parameters. Texts and arrays can only be given as a creation."""
    plain = all(isinstance(value, (bool, int, float, complex)) or getattr(value, "ndim", None) == 0 for value in params.values())
    if plain:
        start: list[tuple[str, str | None]] = [] if top is None else [("top", top)]
        return start + [("D", f"{name}={literal(value)}") for name, value in params.items()]
    if top is None:
        raise ValueError("texts and arrays as parameters need top=, the stream whose they are")
    return [("top", f"{top}({', '.join(f'{name} = {literal(value)}' for name, value in params.items())})")]


def is_module(source: Any) -> bool:
    """Of PyTorch, which is not imported for a text."""
    return any(one.__module__ == "torch.nn.modules.module" and one.__name__ == "Module" for one in type(source).__mro__)


def module_of(module: torch.nn.Module, inputs: Sequence[torch.Tensor] | None, **how: Any) -> ModelProgram:
    from ..torch.called import compile_model

    if inputs is None:
        raise TypeError("a module needs inputs=, tensors like those with which it will be called")
    return compile_model(module, inputs, **how)


def source_of(source: str | os.PathLike[str]) -> str | Path:
    """A text, or the file that is named."""
    if isinstance(source, str) and any(mark in source for mark in "{;\n"):
        return source
    return Path(source)


def shape_word(given: Any) -> str:
    """`1x3:long` of such a word, of a shape, of a shape with the type of its elements, or of an array like it."""
    if isinstance(given, str):
        return given
    if isinstance(given, (tuple, list)) and all(isinstance(extent, int) for extent in given):
        return "x".join(map(str, given))
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[1], str):
        return f"{shape_word(given[0])}:{given[1]}"
    memory = memory_of(given)
    return "x".join(map(str, memory.shape)) + f":{memory.element}"


def share(recipe: Recipe, mesh: Any, split: str | None, threads: int) -> None:
    """Has the processes of a mesh share the program."""
    from .mesh import mesh_of

    recipe.mesh = mesh_of(mesh)
    if threads != 1:
        raise ValueError("a program that processes share has one thread in each of them: threads= does not go with mesh=")
    for option in ("mesh", "lanes", "replaceable", "device", "kernels"):
        if any(name == option for name, _ in recipe.settings):
            raise ValueError(f"the option '{option}' does not go with mesh=")
    if split is None and recipe.is_batch():
        recipe.settings.append(("split", f"auto:{recipe.mesh.size}"))
    if not recipe.is_batch():
        recipe.settings.append(("mesh", f"{recipe.mesh.rank}/{recipe.mesh.size}"))


@overload
def compile(
    source: str | os.PathLike[str], top: str | None = None, *, inputs: Sequence[Any] | None = None, weights: Weights = None,
    seed: int | None = None, at_once: int = AT_ONCE, threads: int = 1, keep: Sequence[str] = (), options: Options = None,
    params: Mapping[str, Any] | None = None, mesh: Any = None, split: str | None = None, **more: Any,
) -> Program: ...


@overload
def compile(
    source: torch.nn.Module, *, inputs: Sequence[torch.Tensor], seed: int | None = None, threads: int = 1, options: Options = None, mesh: Any = None,
    split: str | None = None,
) -> ModelProgram: ...


def compile(
    source: Any, top: str | None = None, *, inputs: Sequence[Any] | None = None, weights: Weights = None,
    seed: int | None = None, at_once: int = AT_ONCE, threads: int = 1, keep: Sequence[str] = (), options: Options = None,
    params: Mapping[str, Any] | None = None, mesh: Any = None, split: str | None = None, **more: Any,
) -> Program | ModelProgram:
    """Compiles a program, and gives a `Program`: of a text, or of the file that is named. Raises `CompileError`.

    Of a module of PyTorch it gives a `strc.torch.called.ModelProgram`, which is called as the module is, for tensors like those of `inputs`; then there are
    no top, weights, at_once, keep and parameters. Raises `strc.errors.ImportFailure`, too.

    top: the stream that is the program (`"Net"`, or `"Fir(3, {1, 2, 1})"`); without it, the one that the text begins from.
    inputs: shapes of tensors that arrive, where the program leaves them open (`"1x3x224x224"`, `(1, 3)`, or an array like it); without
        them a program is compiled for the shapes with which it is called, for each once.
    weights: a safetensors file, `"random:SEED"`, or arrays by name, which are used where they lie.
    seed: what the language's `random()` begins with.
    at_once: the most items that are done together. threads: that share each call of a stream; the results are those of one. keep: parameters of streams that `Stream.set` can set.
    options: further options of the command line, without dashes: `{"O": 3, "fast-math": True}`.
    params, and everything else: parameters of the main stream.
    mesh: processes of torch.distributed that share the program (docs/more-than-one-machine.md): a DeviceMesh of one dimension, a process group, how
        many processes the default group has, or a `Mesh`, which also has a time-out. split: what each of them does: "1:256" parts of 256 places of
        dimension 1 of large products, "sums:1024" of their sums, "batch" items of a stack (of a module: of its batch, and "batch:8" 8 of them
        in a firing); without it, as it pays.
    """
    from .program import Program

    if is_module(source):
        given = {"top": top, "weights": weights, "keep": keep or None, "params": params or None}
        wrong = next((name for name, value in given.items() if value is not None), next(iter(more), None))
        if wrong or at_once != AT_ONCE:
            raise TypeError(f"a module has no {wrong or 'at_once'}=: it is a whole program, with its own weights")
        return module_of(source, inputs, seed=seed, threads=threads, options=options, mesh=mesh, split=split)
    recipe = Recipe(source_of(source), [("at-once", str(at_once))])
    add = recipe.settings.append
    recipe.settings += started(top, {**(params or {}), **more})
    recipe.settings += [("keep-param", name) for name in keep]
    if threads != 1:
        add(("threads", str(threads)))
    if seed is not None:
        add(("seed", str(seed)))
    if isinstance(weights, Mapping):
        recipe.weights = {name: memory_of(value) for name, value in weights.items()}
    elif weights is not None:
        add(("weights", os.fspath(weights)))
    if split is not None and split != "batch":
        add(("split", split))
    for name, option in (options or {}).items():
        if option is not False:
            add((name, None if option is True else str(option)))
    if mesh is not None:
        share(recipe, mesh, split, threads)
    elif split == "batch":
        raise ValueError('split="batch" says what the processes of mesh= do')
    return Program(recipe, None if inputs is None else [shape_word(given) for given in inputs])
