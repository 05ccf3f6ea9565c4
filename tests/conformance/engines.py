"""The ways to run a program: inside of strc, or as an executable that `strc build` makes."""

import os

import execute

ENGINES = {
    "interpret": ["--interpret"],
    "jit-O0": ["-O0", "--no-interpret"],
    "jit": ["--no-interpret"],
    "jit-O3": ["-O3", "--no-interpret"],
    # Chunks as small as they can be; where it pays does not matter.
    "jit-threads": ["-j3", "--no-tune", "--chunk=2", "--no-interpret"],
    "jit-ring": ["--tapes=ring", "--no-interpret"],
    "interpret-arrays": ["--tapes=arrays", "--interpret"],  # the lower form
    "jit-arrays": ["--tapes=arrays", "--no-interpret"],
    "jit-arrays-threads": ["--tapes=arrays", "-j3", "--no-tune", "--chunk=2", "--no-interpret"],
    "executable": [],
    "executable-ranks": ["--ranks"],  # three processes, where the program can be cut
    "executable-aarch64": ["--target=aarch64-linux-gnu", "--static"],  # needs the C compiler for it, and qemu
}
# Options of `strc run` that have a value, and those that are for the compiler.
WITH_VALUE = {
    "-i", "--iterations", "--limit", "--seconds", "--tail", "--print-format", "--in", "--out",
    "--in-format", "--out-format", "--out-rate", "--out-channels", "--out-sample", "--out-width",
    "--out-height", "--top", "--weights", "-D", "--stdlib", "-O", "--check", "--schedule", "-W",
}  # fmt: skip
OF_PROGRAM = {"executable-ranks": ["--ranks", "3"]}
EMULATORS = {"executable-aarch64": ["qemu-aarch64"]}
OF_COMPILER = {"--top", "--weights", "-D", "--stdlib", "-O", "--check", "--schedule", "-W", "-w"}
NOT_YET = ("[cannot-compile]", "[format-left-out]")


def split(words):
    """Words after `strc run` as those for `strc build` and those for the executable."""
    compiler, program = [], []
    words = list(words)
    while words:
        word = words.pop(0)
        name = word.split("=")[0] if word.startswith("--") else word[:2]
        if word.startswith("-") and word != "-":
            to = compiler if name in OF_COMPILER else program
            to.append(word)
            if word in WITH_VALUE and words:
                to.append(words.pop(0))
        else:
            compiler.append(word)
    return compiler, program


def run(strc, engine, words, folder, interrupt_after=None):
    """Runs a program; `words` are what stands after `strc run`. None: there is no executable, or lower form, of it yet."""
    if not engine.startswith("executable"):
        outcome = execute.run([strc, "run", *ENGINES[engine], *words], folder, interrupt_after)
        is_left_out = "-arrays" in engine and NOT_YET[0] in outcome.err
        return None if is_left_out else outcome
    compiler, program = split(words)
    path = os.path.join(folder, "program.exe")
    built = execute.run([strc, "build", *ENGINES[engine], "-o", path, *compiler], folder)
    if built.fault or built.status != 0:
        return None if any(name in built.err for name in NOT_YET) else built
    try:
        outcome = execute.run([*EMULATORS.get(engine, []), path, *OF_PROGRAM.get(engine, []), *program], folder, interrupt_after)
    finally:
        os.remove(path)
    outcome.err = built.err + outcome.err
    return outcome
