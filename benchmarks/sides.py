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
COMPILERS = ("clang", "gcc")
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


@dataclass(frozen=True)
class Input:
    """Where the items come from, as twins are told and as strc is."""

    word: str
    options: tuple
    is_file: bool = True


def file_input(path):
    return Input(path, ("--in", path, "--in-format", "raw"))


def lcg_input(benchmark, items, outputs):
    """What the program makes itself, which gives so many items of output."""
    return Input(f"lcg:{items}:{benchmark.bits}", ("--limit", outputs), is_file=False)


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
            return [*self.words, source.word, target]
        return [*self.words, *source.options, "--out", target, "--out-format", "raw"]

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


def strc_program(benchmark, from_lcg):
    """The options and files that name a program."""
    program = HERE / "programs" / f"{benchmark.file}.str"
    if from_lcg:
        return ["--top", benchmark.lcg_top, HERE / "programs" / "lcg.str", program]
    values = (f"{name}={value}" for name, value in benchmark.parameters.items())
    return ["--top", benchmark.top, *(word for value in values for word in ("-D", value)), program]


def strc_side(engine, benchmark, from_lcg, arguments, folder):
    words, option = ENGINES[engine]
    command = [arguments.strc, *words, "--march", arguments.march]
    command += [option] if option else []
    command += strc_program(benchmark, from_lcg)
    exact = not engine.endswith(FAST)
    if words[0] == "build":
        target = Path(folder, f"{engine.replace(' ', '_')}{'_lcg' if from_lcg else ''}.exe")
        made = measure.run([*command, "-o", target])
        return Side(engine, [target, "--stats"], True, exact, compiled=made.wall, built=[made])
    return Side(engine, [*command, "--stats"], True, exact)


def compile_cpp(compiler, benchmark, source, target, *options):
    """Compiles one C++ file; seconds."""
    common = [compiler, "-std=c++20", f"-I{HERE / 'cpp'}", *map("-D{}".format, benchmark.macros)]
    return measure.run([*common, source, *options, "-o", target]).wall


def optimised(arguments):
    return ["-O3", f"-march={arguments.march}"]


STRICT = "-ffp-contract=off"
# GCC 12 makes vfmaddsub of complex products even so, as long as the processor has it.
STRICT_BY = {"clang": [STRICT], "gcc": [STRICT, "-mno-fma", "-mno-avx512f"]}


def compilers(arguments):
    """The commands of those that are there, by name; one of them has to be."""
    commands = dict(zip(COMPILERS, (arguments.clang, arguments.gcc)))
    found = {name: command for name, command in commands.items() if shutil.which(command)}
    if not found:
        raise FileNotFoundError(f"neither {arguments.clang} nor {arguments.gcc} is installed: twins are compiled by them")
    return found


def first_command(arguments):
    return next(iter(compilers(arguments).values()))


def compiled_by(twin, compiler):
    """The name of the side that is a twin made by one of the compilers."""
    return f"{twin}, {compiler}"


def twin_sides(benchmark, arguments, folder):
    source = HERE / "cpp" / f"{benchmark.twin_file}.cpp"
    made = []
    for name, command in compilers(arguments).items():
        seconds = compile_cpp(command, benchmark, source, Path(folder, f"{name}_O2"), "-O2")
        for twin, options in ((TWIN, STRICT_BY[name]), (CONTRACTED, [])):
            target = Path(folder, f"{name}_{'strict' if options else 'contracted'}")
            compile_cpp(command, benchmark, source, target, *optimised(arguments), *options)
            side = compiled_by(twin, name)
            made.append(Side(side, [target], exact=twin == TWIN, compiled=seconds))
    return made


def choose_best(result, figure):
    """Adds the twin itself to the times: made by the compiler whose code is faster, and by which."""
    result["by"] = {}
    for twin in (TWIN, CONTRACTED):
        made = {name: compiled_by(twin, name) for name in COMPILERS}
        made = {name: side for name, side in made.items() if side in result["work"]}
        best = min(made, key=lambda name: figure(result["work"][made[name]]))
        result["by"][twin] = best
        for kind in ("work", "whole"):
            result[kind][twin] = result[kind][made[best]]
    first = next(name for name in COMPILERS if compiled_by(TWIN, name) in result["compile"])
    result["compile"][TWIN] = result["compile"][compiled_by(TWIN, first)]


ITEM_BYTES = {"int": 4, "float": 4, "complex": 8}
LINKED = {"fftw": ["-lfftw3f"], "liquid": ["-lliquid", "-lm"]}
HEADERS = {"fftw": "/usr/include/fftw3.h", "liquid": "/usr/include/liquid/liquid.h"}


def library_sides(benchmark, arguments, folder):
    for library, skipped in benchmark.libraries:
        if not Path(HEADERS[library]).exists():
            continue
        source = HERE / "libraries" / f"{benchmark.file}_{library}.cpp"
        target = Path(folder, library)
        options = [*optimised(arguments), STRICT, *LINKED[library]]
        seconds = compile_cpp(first_command(arguments), benchmark, source, target, *options)
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
    options = [*optimised(arguments), STRICT, f"-I{folder}"]
    seconds += compile_cpp(first_command(arguments), benchmark, main, target, *options)
    skipped = benchmark.faust * ITEM_BYTES[benchmark.output]
    return Side("Faust", [target], skipped=skipped, compiled=seconds)


def strc_sides(benchmark, from_lcg, arguments, folder):
    engines = [name for name in arguments.engines if benchmark.fast or not name.endswith(FAST)]
    return [strc_side(engine, benchmark, from_lcg, arguments, folder) for engine in engines]


def other_sides(benchmark, arguments, folder):
    """What does the same with a file as input by other means."""
    made = list(library_sides(benchmark, arguments, folder))
    if benchmark.faust is not None and shutil.which("faust") and Path(FAUST_HEADERS).exists():
        made.append(faust_side(benchmark, arguments, folder))
    return made
