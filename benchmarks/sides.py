"""What runs beside what in run_native.py: strc with its engines, the twin in C++, libraries, Faust."""

import re
import shutil
import statistics
from dataclasses import dataclass, field
from pathlib import Path

import measure

HERE = Path(__file__).resolve().parent
TWIN = "C++"
CONTRACTED = "C++ contracted"
SECONDS = re.compile(r"\b(\d+\.\d+) s\b")
# Engines of strc: the command, and an option that not every strc has.
ENGINES = {
    "jit": (["run"], None),
    "build": (["build"], None),
    "jit ring": (["run"], "--tapes=ring"),
    "build ring": (["build"], "--tapes=ring"),
    "jit unchecked": (["run"], "--check=none"),
    "build unchecked": (["build"], "--check=none"),
    "jit fast": (["run"], "--fast-math"),
    "build fast": (["build"], "--fast-math"),
    "interpret": (["run", "--interpret"], None),
}
# Other ways to make code, which are compared with the usual one.
RING, UNCHECKED, FAST = " ring", " unchecked", " fast"
FAUST_HEADERS = "/usr/include/faust/dsp/dsp.h"


def known_engines(arguments):
    """The engines that were asked for, as far as this strc has them; otherwise those that compile
    beforehand, or as the program starts if it has none."""
    commands = measure.run([arguments.strc, "--help"]).out
    options = {
        command: measure.run([arguments.strc, command, "--help"]).out
        for command in ("run", "build")
        if re.search(rf"^  {command} ", commands, re.MULTILINE)
    }

    def is_known(name):
        words, option = ENGINES[name]
        return words[0] in options and (not option or option.split("=")[0] in options[words[0]])

    default = "build" if is_known("build") else "jit"
    wanted = arguments.engines or [default, *(default + other for other in (FAST, UNCHECKED, RING))]
    known = [name for name in wanted if is_known(name)]
    if not known:
        raise SystemExit(f"{arguments.strc} has none of the engines {', '.join(wanted)}")
    return known


@dataclass
class Side:
    """One way to do the work: `words` are the command but for the files."""

    name: str
    words: list
    options: bool = False  # files as --in and --out
    exact: bool = False  # the same bits as the twin
    skipped: int = 0  # bytes of output before those of the program
    compiled: float | None = None  # seconds; None: it compiles as it starts
    built: list = field(default_factory=list)  # the runs that made it

    def command(self, source, target):
        if not self.options:
            return [*self.words, source, target]
        raw = ["--in-format", "raw", "--out-format", "raw"]
        return [*self.words, "--in", source, "--out", target, *raw]

    def work_seconds(self, done):
        match = SECONDS.search(done.err.splitlines()[-1] if not self.options else done.err)
        if not match:
            raise RuntimeError(f"{self.name} does not say how long it took:\n{done.err[:500]}")
        return max(float(match.group(1)), 1e-6)

    def compile_seconds(self, work, whole):
        """Seconds of compiling; with the start of the process where that compiles."""
        if self.compiled is not None:
            return self.compiled
        return statistics.median(b - a for a, b in zip(work, whole))


def strc_side(engine, benchmark, arguments, folder):
    words, option = ENGINES[engine]
    command = [arguments.strc, *words, "--top", benchmark.top]
    for name, value in benchmark.parameters.items():
        command += ["-D", f"{name}={value}"]
    command += [option] if option else []
    exact = not engine.endswith(FAST)
    program = HERE / "programs" / f"{benchmark.file}.str"
    if words[0] == "build":
        target = Path(folder, f"{engine.replace(' ', '_')}.exe")
        made = measure.run([*command, "-o", target, program])
        return Side(engine, [target, "--stats"], True, exact, compiled=made.wall, built=[made])
    return Side(engine, [*command, "--stats", program], True, exact)


def compile_cpp(benchmark, arguments, source, target, *options):
    """Compiles one C++ file; seconds."""
    defines = [f"-D{name.upper()}={value}" for name, value in benchmark.parameters.items()]
    common = [arguments.clang, "-std=c++20", f"-I{HERE / 'cpp'}", *defines]
    return measure.run([*common, source, *options, "-o", target]).wall


NATIVE = ("-O3", "-march=native")
STRICT = (*NATIVE, "-ffp-contract=off")


def twin_sides(benchmark, arguments, folder):
    source = HERE / "cpp" / f"{benchmark.file}.cpp"
    seconds = compile_cpp(benchmark, arguments, source, Path(folder, "twin_O2"), "-O2")
    strict, contracted = Path(folder, "twin"), Path(folder, "contracted")
    compile_cpp(benchmark, arguments, source, strict, *STRICT)
    compile_cpp(benchmark, arguments, source, contracted, *NATIVE)
    return [
        Side(TWIN, [strict], exact=True, compiled=seconds),
        Side(CONTRACTED, [contracted], compiled=seconds),
    ]


ITEM_BYTES = {"int": 4, "float": 4, "complex": 8}
LINKED = {"fftw": ["-lfftw3f"], "liquid": ["-lliquid", "-lm"]}
HEADERS = {"fftw": "/usr/include/fftw3.h", "liquid": "/usr/include/liquid/liquid.h"}


def library_sides(benchmark, arguments, folder):
    for library, skipped in benchmark.libraries:
        if not Path(HEADERS[library]).exists():
            continue
        source = HERE / "libraries" / f"{benchmark.file}_{library}.cpp"
        target = Path(folder, library)
        seconds = compile_cpp(benchmark, arguments, source, target, *STRICT, *LINKED[library])
        size = skipped * ITEM_BYTES[benchmark.output]
        yield Side(library, [target], skipped=size, compiled=seconds)


def faust_side(benchmark, arguments, folder):
    """The Faust program, made C++ by Faust and compiled as the twin."""
    wrapper, code = Path(folder, "faust.dsp"), Path(folder, "faust.inc")
    values = "".join(f"{name} = {value};" for name, value in benchmark.parameters.items())
    changed = f"[{values}]" if values else ""
    wrapper.write_text(f'process = component("{benchmark.file}.dsp"){changed};\n', "utf-8")
    command = ["faust", "-I", HERE / "faust", "-I", folder, "-cn", "Program", "-o", code, wrapper]
    seconds = measure.run(command).wall
    target = Path(folder, "faust")
    main = HERE / "faust" / "main.cpp"
    seconds += compile_cpp(benchmark, arguments, main, target, *STRICT, f"-I{folder}")
    skipped = benchmark.faust * ITEM_BYTES[benchmark.output]
    return Side("Faust", [target], skipped=skipped, compiled=seconds)


def prepare(benchmark, arguments, folder):
    """Compiles all that there is for a program: the sides, in the order in which they are shown."""
    engines = [name for name in arguments.engines if benchmark.fast or not name.endswith(FAST)]
    made = [strc_side(engine, benchmark, arguments, folder) for engine in engines]
    made += twin_sides(benchmark, arguments, folder)
    made += library_sides(benchmark, arguments, folder)
    if benchmark.faust is not None and shutil.which("faust") and Path(FAUST_HEADERS).exists():
        made.append(faust_side(benchmark, arguments, folder))
    return made
