#!/usr/bin/env python3
"""C source that `strc build --emit=c` prints, on a microcontroller: a FIR filter, a cascade of biquads and a small network, compiled for a Cortex-M4F
and run by an emulator, give the bits of the shared library on this machine. cortex_m_test.py STRC"""

import array
import ctypes
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BOARD = Path(__file__).resolve().parent / "cortex_m"
SKIPPED = 77
SECONDS = 120
PREFIX = "arm-none-eabi-"
CPU = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
# GNU C contracts products and sums where the file does not forbid it, and this processor has instructions for that.
FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fno-math-errno", "-ffunction-sections", "-fdata-sections"]
# Nothing of the system is there, not even a heap (_sbrk): a program that allocates does not link.
LINK = ["-nostartfiles", "-Wl,--gc-sections", "-T", BOARD / "board.ld"]
EMULATOR = ["qemu-system-arm", "-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", "stdio",
            "-semihosting-config", "enable=on,target=native", "-kernel"]  # fmt: skip
PROGRAMS = {"fir": "Fir", "biquad": "Biquads", "network": "Network"}
STRC = "strc"


def call(*words, cwd=None):
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def bits(floats):
    return array.array("I", floats.tobytes())


def library_outputs(path, name, items):
    """Bits of what the shared library makes of these floats."""
    library = ctypes.CDLL(str(path))
    function = {word: getattr(library, f"{name}_{word}") for word in ("create", "process", "drain")}
    function["create"].restype = ctypes.c_void_p
    handle = ctypes.c_void_p(function["create"](None))
    given = (ctypes.c_float * len(items))(*items)
    room = 2 * len(items)
    out = (ctypes.c_float * room)()
    produced, drained = ctypes.c_size_t(), ctypes.c_size_t()
    status = function["process"](handle, given, ctypes.c_size_t(len(items)), out, ctypes.c_size_t(room), None, ctypes.byref(produced))
    assert status == 0, status
    rest = ctypes.byref(out, 4 * produced.value)
    status = function["drain"](handle, rest, ctypes.c_size_t(room - produced.value), ctypes.byref(drained))
    assert status == 0, status
    return list(bits(array.array("f", out[: produced.value + drained.value])))


def section_sizes(path):
    """text, data and bss of an object or an image."""
    return [int(word) for word in call(PREFIX + "size", path).splitlines()[1].split()[:3]]


class Microcontroller(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="strc-cortex-m-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def image(self, program, name, items):
        """The image of the program with these items; its sizes are printed."""
        call(STRC, "build", "--emit=c", f"--top={name}", "-o", "stream.c", BOARD / f"{program}.str", cwd=self.folder)
        values = ", ".join(value.hex() + "f" for value in items)
        (self.folder / "input.h").write_text(f"static const float input[] = {{{values}}};\n")
        objects = []
        for source in (self.folder / "stream.c", BOARD / "host.c", BOARD / "start.c"):
            objects.append(self.folder / f"{source.stem}.o")
            call(PREFIX + "gcc", *CPU, *FLAGS, f"-DNAME={name}", f"-I{self.folder}", f"-I{BOARD}", "-c", source, "-o", objects[-1])
        image = self.folder / "image.elf"
        call(PREFIX + "gcc", *CPU, *LINK, "-o", image, *objects, "-lm")
        text, data, bss = section_sizes(objects[0])
        print(f"{name}: {text + data} bytes of flash, {data + bss} of RAM")
        return image

    def check(self, program, name):
        draw = random.Random(program)
        items = array.array("f", (draw.uniform(-4, 4) for _ in range(400)))
        call(STRC, "build", "--shared", f"--top={name}", "-o", "libstream.so", BOARD / f"{program}.str", cwd=self.folder)
        wanted = library_outputs(self.folder / "libstream.so", name, items)
        output = call(*EMULATOR, self.image(program, name, items))
        self.assertGreater(len(wanted), 100)
        self.assertEqual([f"{word:08x}" for word in wanted], output.split())


def test_of(program, name):
    return lambda self: self.check(program, name)


for program, name in PROGRAMS.items():
    setattr(Microcontroller, f"test_{program}", test_of(program, name))


if __name__ == "__main__":
    missing = [tool for tool in (PREFIX + "gcc", EMULATOR[0]) if not shutil.which(tool)]
    if missing:
        print(f"there is no {', no '.join(missing)}: scripts/set-up --install-only cortex")
        sys.exit(SKIPPED)
    STRC = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
