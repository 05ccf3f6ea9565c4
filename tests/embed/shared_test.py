#!/usr/bin/env python3
"""Libraries that `strc build --shared` makes: pieces of any size give what `strc run` gives, nothing allocates or
locks after create, faults are told, two handles do not meet, and what no library can be is refused."""

import array
import os
import random
import re
import shutil
import stat
import struct
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "cli"))
import programs  # noqa: E402
from command import SECONDS, Case  # noqa: E402

# For another machine (STRC_TARGET): its C compiler, and an emulator. Made for Pieces and Faults.
TARGET = os.environ.get("STRC_TARGET")
FOR_TARGET = [f"--target={TARGET}"] if TARGET else []
EMULATOR = [f"qemu-{TARGET.split('-')[0]}", "-L", f"/usr/{TARGET}"] if TARGET else []
CC = f"{TARGET}-gcc" if TARGET else os.environ.get("CC") or "cc"
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE=", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]
RUNTIME = [*(ROOT / "runtime/src").glob("*.c"), *(ROOT / "runtime/library").glob("*.c")]
FUNCTIONS = ["create", "destroy", "process", "process_ends", "process_many", "drain", "drain_ends", "reset", "state_size", "save", "restore", "clone", "set", "message"]
# What a library may call: no locks, no files, no environment. `free` and `aligned_alloc` are for create.
HARMLESS = {"aligned_alloc", "malloc", "free", "memcmp", "memcpy", "memmove", "memset", "strlen", "longjmp", "setjmp",
            "__stack_chk_fail", "__cxa_finalize", "__gmon_start__", "exp"}  # fmt: skip


# Examples, their programs, and the streams of these.
NETWORKS = [
    ("wavenet_amp", "amplifier", "Amplifier"), ("lstm_stream", "amplifier", "Amplifier"), ("gru_denoise", "denoise", "Denoise"),
]

# What `strc import` makes of models, and a shape that they take.
GOLDEN = HERE.parent / "python/golden"
IMPORTED = [
    ("cnn", "1x3x32x32"), ("tiny_resnet", "1x8x8x8"), ("dense_block", "1x4x5x5"), ("lstm_model", "1x28x28"), ("attention", "5x6"),
]


def floats(count, seed=1):
    draw = random.Random(seed)
    return array.array("f", [draw.uniform(-1, 1) for _ in range(count)]).tobytes()


def ints(count, low=-1000, high=1000, seed=1):
    draw = random.Random(seed)
    return array.array("i", [draw.randint(low, high) for _ in range(count)]).tobytes()


class Libraries(Case):
    def build_library(self, text, *options, status=0):
        """Of the first stream of the program, as `self.top` says from then on."""
        self.file("p.str", text)
        name = re.search(r"->\S+ (?:stateful )?(?:filter|pipeline|splitjoin|feedbackloop) (\w+)", text)[1]
        self.top = f"--top={name}"
        return self.call("build", "--shared", self.top, *FOR_TARGET, *options, "p.str", status=status)

    def compile(self, source, name, stream, *flags, product="host"):
        command = [CC, *FLAGS, f"-DSTREAM={stream}", "-include", f"{name}.h", "-I", HERE, "-I", ".", HERE / source]
        command += [*flags, "-o", product]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def host(self, stream, *flags):
        rpath = f"-Wl,-rpath,{self.folder}"
        self.compile("host.c", "libp", stream, "-fno-builtin", *flags, "-L.", "-lp", rpath)

    def run_host(self, *words, status=0):
        emulator = EMULATOR if words[0].startswith("./") else []
        done = subprocess.run([*emulator, *words], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def execute(self, *words, status=0):
        return self.run_host(*words, status=status).stderr

    def expected(self, items, *options, status=0):
        self.file("in.raw", items)
        self.file("want.raw", b"")
        self.call("run", self.top, *options, "--in", "in.raw", "--out", "want.raw", "p.str", status=status)
        return self.bytes("want.raw")

    def same_in_pieces(self, stream, want, size, status=0):
        """Whatever the pieces; what the host says."""
        capacity = len(want) // size if status == 0 else 1 << 20
        said = set()
        for most, seed in [(1, 0), (3, 1), (7, 2), (100, 3), (997, 4), (50000, 5)]:
            said.add(self.execute("./host", "in.raw", "out.raw", str(most), str(seed), str(capacity + 10), status=status))
            self.assertEqual(self.bytes("out.raw"), want, f"pieces of up to {most}")
        self.assertEqual(len(said), 1, said)
        return said.pop()

    def near(self, want):
        """What this machine's vectors make of it: sums of products have an order of their own on each."""
        self.execute("./host", "in.raw", "out.raw", "100", "3", str(len(want) // 4 + 10))
        found = self.bytes("out.raw")
        self.assertEqual(len(found), len(want))
        for one, other in zip(array.array("f", found), array.array("f", want), strict=True):
            self.assertLessEqual(abs(one - other), 1e-5 * max(1, abs(other)))
        return found

    def check_symbols(self, text, *options):
        self.build_library(text, "--weights=random:1", *options)
        done = subprocess.run(["nm", "-D", "libp.so"], cwd=self.folder, capture_output=True, text=True, check=True)
        words = [line.split() for line in done.stdout.splitlines()]
        defined = {line[-1] for line in words if line[-2] not in "Uwv"}
        stream = self.top.split("=")[1]
        self.assertEqual(defined, {f"{stream}_{name}" for name in FUNCTIONS})
        needed = {line[-1].split("@")[0] for line in words if line[-2] == "U"}
        scalars = {re.sub(r"^ZGV[a-z]N\d+v+_", "", name.lstrip("_")) for name in needed}  # of libmvec's
        self.assertLessEqual(scalars, {name.lstrip("_") for name in HARMLESS})

    def compare(self, text, stream, items, size, *options):
        self.build_library(text, *options)
        self.host(stream)
        want = self.expected(items)
        self.assertNotEqual(want, b"")
        self.assertEqual(self.same_in_pieces(stream, want, size), "")


class Pieces(Libraries):
    def test_ends(self):
        """What can still be computed at the end of the input is what the executable gives."""
        for count in (3, 8, 61, 997):
            with self.subTest(count):
                self.build_library(programs.BLOCKS)
                self.host("Blocks")
                self.same_in_pieces("Blocks", self.expected(floats(count)), 4)

    def test_window(self):
        self.compare(programs.FIR, "Fir", floats(5000), 4)

    def test_frames(self):
        """Of 48 numbers: a group of them is done at once where so many come, and one by one what is less."""
        self.compare(programs.FRAMES, "Frames", floats(48 * 53), 4)
        plan = self.call("build", "--shared", self.top, "--emit", "plan", "p.str")[0]
        self.assertIn(b"\n16 steady states, reads 768 from the input:", plan)

    def test_streamed_networks(self):
        """What `strc import --streaming` has made."""
        for example, program, stream in NETWORKS:
            with self.subTest(example):
                folder = ROOT / "examples" / example
                shutil.copy(folder / f"{program}.safetensors", self.folder / "p.safetensors")
                self.compare((folder / f"{program}.str").read_text(), stream, floats(6000), 4)

    def test_window_without_optimisation(self):
        self.compare(programs.FIR, "Fir", floats(500), 4, "-O0")

    def test_rates_and_prework(self):
        self.compare(programs.RESAMPLE, "Resample", ints(4001), 4)

    def test_feedback_and_random(self):
        self.compare(programs.ECHO, "Echo", floats(3000), 4)

    def test_bits(self):
        self.build_library(programs.BITS)
        self.host("Bits")
        bits = bytes(random.Random(3).choices([0, 1], k=4003))
        want = b"".join(struct.pack("<i", int("".join(map(str, bits[k : k + 8])), 2)) for k in range(0, 4000, 8))
        self.file("in.raw", bits)
        self.assertEqual(self.same_in_pieces("Bits", want, 4), "")

    def test_structs(self):
        draw = random.Random(5)
        layout = "<B3xi2f2d"
        self.build_library(programs.STRUCTS)
        self.assertIn("int32_t class_;", (self.folder / "libp.h").read_text())
        self.host("Structs")
        items = [struct.pack(layout, draw.randint(0, 1), draw.randint(-9, 9), *(draw.uniform(-1, 1) for _ in range(4)))
                 for _ in range(200)]
        self.file("in.raw", b"".join(items))
        want = []
        for k in range(0, 198, 3):
            a, b = (struct.unpack(layout, items[k + j]) for j in (0, 1))
            want.append(items[k + 1])
            real = array.array("f", [a[2] * b[2], a[3] * b[3], a[2] * b[3], a[3] * b[2]])
            z = real[0] - real[1], real[2] + real[3]
            want.append(struct.pack(layout, (k // 3 + 1) % 2, a[1] + b[1], *z, *a[4:]))
        self.assertEqual(self.same_in_pieces("Structs", b"".join(want), struct.calcsize(layout)), "")

    def test_arrays(self):
        self.compare(programs.ARRAYS, "Arrays", floats(6 * 500), 8)

    def test_tensors(self):
        draw = random.Random(6)
        items = array.array("f", [draw.randint(-8, 8) for _ in range(64 * 90 + 5)]).tobytes()
        self.compare(programs.TENSORS, "Net", items, 4)

    def test_tensors_at_the_ends(self):
        self.build_library(programs.NETWORK, "--weights", "random:1")
        header = (self.folder / "libp.h").read_text()
        self.assertIn("/* An item, row by row: tensor<float>[3, 4]. */\ntypedef struct Network_in {\n    float at[3][4];\n}", header)
        self.assertIn("/* An item, row by row: tensor<float>[3, 5]. */\ntypedef struct Network_out {\n    float at[3][5];\n}", header)
        self.host("Network")
        want = self.expected(floats(12 * 100), "--weights", "random:1")
        self.assertEqual(len(want), 4 * 15 * 100)
        self.same_in_pieces("Network", want, 60)

    def test_small_elements_have_their_own_size(self):
        self.build_library("""tensor<half>[2]->tensor filter Small { work pop 1 push 2 {
    tensor x = pop(); push(int8(x)); push(bfloat16(x) / 3); } }
""")
        self.file("main.c", """#include "libp.h"
#include <stdio.h>
int main(void) {
    Small_in in = {{0x4780, 0xdcb0}}; /* 7.5, -300 */
    Small_out out[2];
    size_t taken, given;
    Small_handle *small = Small_create(NULL);
    if (Small_process(small, &in, 1, out, 2, &taken, &given) || given != 2) return 1;
    printf("%d %d %04x %04x\\n", out[0].int8s[0], out[0].int8s[1], out[1].bfloats[0], out[1].bfloats[1]);
    Small_destroy(small);
}
""")  # fmt: skip
        self.assertIn("/* An item, row by row: tensor<half>[2]. */\ntypedef struct Small_in {\n    uint16_t at[2];\n}",
                      (self.folder / "libp.h").read_text())  # fmt: skip
        self.assertIn("tensor<int8>[2] of int8s, tensor<bfloat16>[2] of bfloats", (self.folder / "libp.h").read_text())
        self.execute(CC, "main.c", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        done = subprocess.run([*EMULATOR, "./main"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "7 -44 4020 c2c8\n")

    def test_tensors_that_take_turns(self):
        self.build_library(programs.TURNS)
        self.file("main.c", """#include "libp.h"
#include <stdio.h>
int main(void) {
    Turns_in in = {{{1, 5, 3}, {2, 0, 4}}};
    Turns_out out[3];
    size_t taken, given;
    Turns_handle *turns = Turns_create(NULL);
    if (Turns_process(turns, &in, 1, out, 3, &taken, &given) || given != 3) return 1;
    for (int k = 0; k < 6; ++k) printf("%g ", out[0].floats[k]);
    for (int k = 0; k < 2; ++k) printf("%d ", (int)out[1].longs[k]);
    for (int k = 0; k < 6; ++k) printf("%d", out[2].booleans[k]);
    Turns_destroy(turns);
}
""")  # fmt: skip
        self.assertIn("tensor<float>[3, 2] of floats, tensor<long>[2] of longs, tensor<boolean>[2, 3] of booleans",
                      " ".join((self.folder / "libp.h").read_text().split()))  # fmt: skip
        self.execute(CC, "main.c", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        done = subprocess.run([*EMULATOR, "./main"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "2 4 10 0 6 8 1 2 011001")

    def test_large_products_stay_in_one_thread(self):
        self.build_library(programs.PRODUCT, "--weights", "random:1")
        self.host("Product")
        self.file("in.raw", floats(3 * 8 * 1024))
        self.execute("./host", "in.raw", "out.raw", "1", "0", "3")
        self.assertEqual(len(self.bytes("out.raw")), 3 * 4 * 8 * 1024)

    def test_large_arrays_of_several_bodies(self):
        """What the header says of the stack is that of the largest body, not of all that a phase is made of."""
        self.build_library(programs.IMAGES, "--weights", "random:1")
        self.host("Images")
        want = self.expected(floats(3 * 96 * 96), "--weights", "random:1")
        self.file("in.raw", floats(3 * 96 * 96))
        self.execute("./host", "in.raw", "out.raw", "1", "0", "3")
        self.assertEqual(self.bytes("out.raw"), want)

    def test_learned_effect(self):
        """An LSTM whose memory goes round, on sound."""
        folder = ROOT / "examples/lstm_amp"
        weights = ["--weights", folder / "amp.safetensors"]
        self.build_library((folder / "amp.str").read_text(), *weights, "--keep-param=drive")
        self.host("Amp")
        want = self.expected(floats(2000), *weights)
        if TARGET:
            want = self.near(want)
        self.same_in_pieces("Amp", want, 4)
        if not TARGET:  # emulators enter the system
            self.compile("sealed.c", "libp", "Amp", "-L.", "-lp", f"-Wl,-rpath,{self.folder}", product="sealed")
            done = subprocess.run(["./sealed", "in.raw"], cwd=self.folder, capture_output=True, check=True, timeout=SECONDS)
            self.assertEqual(done.stdout, want)

    def test_source(self):
        self.build_library(programs.SOURCE)
        self.host("Source", "-DNO_INPUT")
        self.file("in.raw", b"")
        self.call("run", self.top, "--limit=500", "--out", "want.raw", "p.str")
        for most in (1, 13, 1000):
            self.execute("./host", "in.raw", "out.raw", str(most), "1", "500")
            self.assertEqual(self.bytes("out.raw"), self.bytes("want.raw"))

    def test_sink(self):
        self.build_library(programs.SINK)
        self.host("Sink", "-DNO_OUTPUT")
        self.file("in.raw", ints(1003))
        self.execute("./host", "in.raw", "out.raw", "17", "1", "10")
        self.assertEqual(self.bytes("out.raw"), b"")


# Firings, which print how many results are zeros, and whether the processor's own are what they were.
SMALL_NUMBERS = """#include "libp.h"
#include <stdio.h>
int main(void) {
    volatile float least = 1.2e-38f;
    float in[4] = {least, least, least, -1}, out[4];
    Halve_handle *halve = Halve_create(NULL);
    for (int call = 0; call < 2; ++call) {
        size_t taken, given, zeros = 0;
        int status = Halve_process(halve, in + 3 * call, 3 - 2 * call, out, 4, &taken, &given);
        for (size_t k = 0; k < given; ++k) zeros += out[k] == 0;
        printf("%d: %zu of %zu, %d\\n", status, zeros, given, least / 2 != 0);
    }
    Halve_destroy(halve);
}
"""


class Subnormals(Libraries):
    """With `--fast-math` they are zeros, until the call ends, be it by a fault."""

    FILTER = "{} {{ int[2] all; work pop {} push 1 {{ float x = pop(); push(x / 2 + all[(int) x]); }} }}\n"

    def check(self, text, exact, fast):
        for options, want in ([], exact), (["--fast-math"], fast):
            self.build_library(text, "--bound=64", *options)
            self.file("main.c", SMALL_NUMBERS)
            self.execute(CC, "main.c", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
            done = subprocess.run([*EMULATOR, "./main"], cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, want)

    def test_of_phases(self):
        self.check(self.FILTER.format("float->float filter Halve", 1), "0: 0 of 3, 1\n1: 0 of 0, 1\n", "0: 3 of 3, 1\n1: 0 of 0, 1\n")

    def test_of_dynamic_rates(self):
        text = "float->float pipeline Halve { add H; add Identity<float>; }\n" + self.FILTER.format("float->float filter H", "*")
        self.check(text, "0: 0 of 3, 1\n1: 0 of 0, 1\n", "0: 3 of 3, 1\n1: 0 of 0, 1\n")


class Stack(Libraries):
    """The stack is that of the caller: what the header says suffices."""

    def stack_bytes(self):
        return int(re.search(r"_STACK_BYTES (\d+)", (self.folder / "libp.h").read_text())[1])

    def runs_on_a_small_one(self, stream, items, *options):
        self.assertLessEqual(self.stack_bytes(), 65536)
        self.compile("small_stack.c", "libp", stream, "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        want = self.expected(items, *options)
        said = self.run_host("./host", "in.raw", "out.raw").stdout
        self.handle_bytes = int(said.split(", ")[1])
        return want, self.bytes("out.raw")

    def test_arrays_of_functions(self):
        self.build_library(programs.LARGE)
        want, found = self.runs_on_a_small_one("Large", ints(50))
        self.assertEqual(found, want)
        self.assertEqual(len(want), 200)
        self.host("Large")
        self.same_in_pieces("Large", want, 4)

    def test_filters_share_the_memory_for_arrays(self):
        one = programs.LARGE[programs.LARGE.index("int->int filter Table"):programs.LARGE.index("int->int filter Callers")]
        for options in ([], ["-O0"]):
            self.build_library("int->int pipeline Eight { for (int i = 0; i < 8; i++) add Table; }\n" + one, *options)
            want, found = self.runs_on_a_small_one("Eight", ints(20))
            self.assertEqual(found, want)
            self.assertGreater(self.handle_bytes, 240000)
            self.assertLess(self.handle_bytes, 300000)

    def test_arrays_without_optimisation(self):
        self.build_library(programs.LARGE, "-O0")
        want, found = self.runs_on_a_small_one("Large", ints(5))
        self.assertEqual(found, want)

    def test_recursion_has_a_stack_of_its_own_size(self):
        self.build_library(programs.DEEP)
        self.assertGreater(self.stack_bytes(), 1 << 20)
        self.assertLess(self.stack_bytes(), 2 << 20)
        self.host("Deep")
        self.same_in_pieces("Deep", self.expected(ints(50)), 4)

    def test_large_network(self):
        shape = ["--input=1x3x224x224", "--weights=random:1"]
        self.build_library(programs.RESIDUAL, *shape)
        want, found = self.runs_on_a_small_one("Residual", floats(3 * 224 * 224), *shape)
        self.assertEqual((len(found), len(want)), (4000, 4000))
        for one, other in zip(array.array("f", found), array.array("f", want), strict=True):
            self.assertLessEqual(abs(one - other), 1e-5)

    def test_networks_of_the_examples(self):
        for example, program, stream in NETWORKS:
            with self.subTest(example):
                folder = ROOT / "examples" / example
                shutil.copy(folder / f"{program}.safetensors", self.folder / "p.safetensors")
                self.build_library((folder / f"{program}.str").read_text())
                want, found = self.runs_on_a_small_one(stream, floats(6000))
                self.assertEqual(found, want)

    def test_imported_networks(self):
        for name, shape in IMPORTED:
            with self.subTest(name):
                self.build_library((GOLDEN / f"{name}.str").read_text(), f"--input={shape}", "--weights=random:1")
                self.assertLessEqual(self.stack_bytes(), 65536)


class Faults(Libraries):
    def test_index(self):
        items = ints(500, 0, 9) + struct.pack("<i", 10) + ints(10, 0, 9)
        self.build_library(programs.FAULT)
        self.host("Fault")
        want = self.expected(items, status=1)
        self.assertEqual(len(want), 2000)
        message = self.same_in_pieces("Fault", want, 4, status=1)
        self.assertIn("p.str:5:", message)
        self.assertIn("[index-out-of-range] in ", message)
        self.assertNotIn("\n", message)

    def test_division(self):
        items = ints(777, 1, 50) + struct.pack("<i", 0) + ints(10, 1, 9)
        self.build_library(programs.DIVIDE)
        self.host("Divide")
        want = self.expected(items, status=1)
        self.assertEqual(len(want), 4 * 777)
        self.assertIn("[division-by-zero] in ", self.same_in_pieces("Divide", want, 4, status=1))

    def test_deep_recursion_ends_in_a_message(self):
        self.build_library(programs.ENDLESS)
        self.host("Endless")
        self.file("in.raw", struct.pack("<5i", 1, 2, 3, 2000000000, 4))
        message = self.execute("./host", "in.raw", "out.raw", "1", "0", "10", status=1)
        self.assertRegex(message, "function '(Endless_)?sum'")  # in one filter of many they are told apart by the filters' names
        self.assertEqual(self.bytes("out.raw"), struct.pack("<3i", 1, 3, 6))


class Parameters(Libraries):
    KEPT = ["--keep-param=gain", "--keep-param=loud"]

    def test_they_are_set_as_by_d(self):
        self.build_library(programs.GAIN, *self.KEPT)
        header = (self.folder / "libp.h").read_text()
        self.assertIn("Gain_set_gain(Gain_handle *self, float value)", header)
        self.assertNotIn("Gain_set_taps", header)
        self.file("in.raw", floats(300))
        for name, setting, options in [("gain", "Gain_set_gain(h, 3.5f)", ["-D", "gain=3.5"]),
                                       ("loud", "(Gain_set_loud(h, 7) | Gain_set_gain(h, 5))",
                                        ["-D", "gain=5", "-D", "loud=true"]),
                                       ("none", "Gain_set(h, 2, h, 4) == Gain_CALL ? Gain_OK : 1", [])]:  # fmt: skip
            with self.subTest(name):
                self.host("Gain", f"-DSETTING(h)={setting}")
                want = self.expected(floats(300), *options)
                self.same_in_pieces("Gain", want, 4)

    def test_they_belong_to_the_handle(self):
        self.build_library(programs.GAIN, *self.KEPT)
        self.file("main.c", """#include "libp.h"
#include <stdio.h>
int main(void) {
    float in[3] = {1, 2, 3}, out[3];
    size_t taken, given;
    Gain_handle *a = Gain_create(NULL), *b = Gain_create(NULL);
    Gain_set_gain(a, 10);
    Gain_process(a, in, 3, out, 3, &taken, &given);
    printf("%zu %zu %g %g %g\\n", taken, given, out[0], out[1], out[2]);
    Gain_process(b, in, 3, out, 3, &taken, &given);
    printf("%zu %zu %g %g %g\\n", taken, given, out[0], out[1], out[2]);
    Gain_set_gain(a, 4); /* in the middle of the stream */
    Gain_set_loud(b, 1);
    Gain_process(a, in, 1, out, 3, &taken, &given);
    Gain_process(b, in, 1, out + 1, 2, &taken, &given);
    printf("%g %g\\n", out[0], out[1]);
    Gain_destroy(a);
    Gain_destroy(b);
}
""")  # fmt: skip
        self.execute(CC, "main.c", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        done = subprocess.run([*EMULATOR, "./main"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "3 3 10 20 30\n3 3 2 4 6\n4 4\n")


class Knobs(Libraries):
    """What is computed from parameters is computed again when they are set; state is kept."""

    EQUALISER = """float->float pipeline Equaliser(float rate = 48000, float f = 1000) {
    add BiquadLowPass(rate, 2 * f);
    for (int i = 1; i <= 3; i++) add BiquadPeak(rate, f * i, 6);
    add LowPass(rate, 3 * f, 16);
    add Slow;
    add Tilt(f);
}
float->float filter Tilt(float f) {
    float[3] table;
    float k = f / 10000;
    int count;
    init { for (int i = 0; i < 3; i++) table[i] = 1 + k * i; count = 5; }
    work pop 1 push 1 { push(table[count % 3] * pop()); count++; }
}
float->float filter Slow { float sum; work pop 1 push 1 { sum = 0.9 * sum + 0.1 * pop(); push(sum); } }
"""
    KEPT = ["--keep-param=rate", "--keep-param=f"]

    def test_set_before_the_first_item(self):
        self.build_library(self.EQUALISER, *self.KEPT)
        for name, setting, options in [
            ("f", "Equaliser_set_f(h, 2500)", ["-D", "f=2500"]),
            ("rate", "(Equaliser_set_rate(h, 44100) | Equaliser_set_f(h, 300))", ["-D", "rate=44100", "-D", "f=300"]),
        ]:  # fmt: skip
            with self.subTest(name):
                self.host("Equaliser", f"-DSETTING(h)={setting}")
                want = self.expected(floats(700), *options)
                self.assertEqual(self.same_in_pieces("Equaliser", want, 4), "")

    def test_designs_of_classical_filters(self):
        self.build_library("""float->float pipeline Bands(double f = 1000, double ripple = 1) {
    add Chebyshev1BandPass(48000, f, 4 * f, 3, ripple);
    add Chebyshev2HighPass(48000, f, 4, 60 * ripple);
    add EllipticLowPass(48000, 3 * f, 5, ripple);
}
""", "--keep-param=f", "--keep-param=ripple")  # fmt: skip
        done = self.turned("Bands", 300, 0, "if (Bands_set_f(h, 700) || Bands_set_ripple(h, 0.5)) return 5")
        self.assertEqual(done.stdout, self.expected(floats(300), "-D", "f=700", "-D", "ripple=0.5"))

    def turned(self, stream, count, at, setting):
        """Items of a library of one item in, one out, of which `at` come before the setting."""
        self.file("main.c", f"""#include "libp.h"
#include <stdio.h>
#include <string.h>
int main(void) {{
    static float in[{count}], out[{count}];
    if (fread(in, 4, {count}, stdin) != {count}) return 1;
    size_t taken, given, more;
    {stream}_handle *h = {stream}_create(NULL);
    if ({stream}_process(h, in, {at}, out, {count}, &taken, &given) != 0) return 1;
    {setting};
    if ({stream}_process(h, in + taken, {count} - taken, out + given, {count} - given, &taken, &more) != 0) {{
        fputs({stream}_message(h), stderr);
        return 2;
    }}
    fwrite(out, 4, given + more, stdout);
    {stream}_destroy(h);
}}
""")  # fmt: skip
        self.execute(CC, "main.c", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        return subprocess.run([*EMULATOR, "./main"], cwd=self.folder, input=floats(count), capture_output=True)

    def test_the_last_one_of_message_and_setter_holds(self):
        """What a message changed of another parameter holds on."""
        def program(text):
            return f"""float->float pipeline Tone(float cutoff = 1000, float q = 2) {{
    portal<StateVariableFilter> tone;
    add Sender(tone);
    add StateVariableFilter(48000, cutoff, q) to tone;
}}
float->float stateful filter Sender(portal<StateVariableFilter> tone) {{
    int n;
    work pop 1 push 1 {{ n++; {text} push(pop()); }}
}}
"""  # fmt: skip

        first = "if (n == 100) tone.tune(4000, 2);"
        self.build_library(program(first), "--keep-param=cutoff", "--keep-param=q", "--bound=4")
        for setting, then in [("Tone_set_q(h, 0.5f)", "4000, 0.5"), ("Tone_set_cutoff(h, 700)", "700, 2")]:
            with self.subTest(setting):
                done = self.turned("Tone", 500, 200, setting)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.file("p.str", program(f"{first} if (n == 201) tone.tune({then});"))
                self.assertEqual(done.stdout, self.expected(floats(500)))

    def test_a_gain_that_is_smoothed(self):
        self.build_library("float->float pipeline Gain(float gain = 1) { add SmoothGain(48000, gain, 0.001); }", "--keep-param=gain")
        done = self.turned("Gain", 300, 200, "Gain_set_gain(h, 3)")
        self.assertEqual(done.returncode, 0, done.stderr)
        items = array.array("f", floats(300))
        gains = [1] * 200 + [1 + 2 * (k + 1) / 48 for k in range(48)] + [3] * 52
        for item, gain, got in zip(items, gains, array.array("f", done.stdout), strict=True):
            self.assertAlmostEqual(got, item * gain, delta=1e-5 * abs(item * gain))

    def test_state_is_kept(self):
        """As a filter does that has both designs and takes the other one from some item on."""
        design = """float->float pipeline Wah(float f = 900) { add Two(sin(f / 10000), cos(f / 10000), 0, 0, 1000000); }
float->float stateful filter Two(float b, float a, float b2, float a2, int at) {
    float z;
    int n;
    work pop 1 push 1 {
        if (n++ < at) z = b * pop() + a * z; else z = b2 * pop() + a2 * z;
        push(z);
    }
}
"""
        self.build_library(design, "--keep-param=f")
        done = self.turned("Wah", 500, 200, "Wah_set_f(h, 4000)")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.file("p.str", design.replace("0, 0, 1000000", "sin(g / 10000), cos(g / 10000), 200").replace("f = 900", "f = 900, float g = 4000"))
        self.assertEqual(done.stdout, self.expected(floats(500)))
        self.assertNotEqual(done.stdout, self.expected(floats(500), "-D", "g=900"))

    def test_only_what_depends_is_computed_again(self):
        """A window has no state but its items; a counter and a table of init stay."""
        text = """float->float filter Mix(float g = 2) {
    float[4] h;
    int start = 3;
    int n;
    init { for (int i = 0; i < 4; i++) h[i] = g / (i + 1); start = 7; }
    work pop 1 peek 4 push 1 {
        float s = 0;
        for (int i = 0; i < 4; i++) s += h[i] * peek(i);
        push(s + start + n++);
        pop();
        start = start + 1;
    }
}
"""
        self.build_library(text, "--keep-param=g")
        done = self.turned("Mix", 103, 53, "Mix_set_g(h, 5)")
        before = self.expected(floats(103))
        after = self.expected(floats(103), "-D", "g=5")
        self.assertNotEqual(before, after)
        self.assertEqual(done.stdout, before[:200] + after[200:])

    def test_setters_refuse_what_the_program_refuses(self):
        """The old value stays, before the first item and later, and the handle goes on."""
        text = "float->float pipeline Tone(float rate = 48000, float f = 1000) { add BiquadLowPass(rate, f); add LowPass(rate, f, 15); add OnePole(rate, f); }\n"
        self.build_library(text, *self.KEPT)
        refuse = """if (Tone_set_f(h, %s) != Tone_FAULT || !strstr(Tone_message(h), "%s lies between 0 and half the rate [tensor-shape]")) return 3"""
        for at in (0, 100):
            setting = "; ".join([refuse % ("24000", "'BiquadLowPass': frequency"), refuse % ("-1", "frequency"),
                                 "if (Tone_set_rate(h, 1500) != Tone_FAULT || Tone_set_rate(h, 48000) != Tone_OK) return 4"])  # fmt: skip
            done = self.turned("Tone", 400, at, setting)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(done.stdout, self.expected(floats(400)))
        done = self.turned("Tone", 400, 0, "if (Tone_set_f(h, 7000) != Tone_OK) return 5")
        self.assertEqual(done.stdout, self.expected(floats(400), "-D", "f=7000"))

    def test_messages_are_about_the_last_call(self):
        self.build_library("""int->int filter Part(int by = 2) {
    init { require(by < 100, "by is less than 100"); }
    work pop 1 push 1 { push(pop() / by); }
}
""", "--keep-param=by")  # fmt: skip
        self.file("main.c", """#include "libp.h"
#include <stdio.h>
#include <string.h>
static Part_handle *h;
static int is(int status, int wanted, const char *part) {
    const char *message = Part_message(h);
    if (status == wanted && (*part ? strstr(message, part) != NULL : *message == 0)) return 1;
    printf("%d '%s' instead of %d '%s'\\n", status, message, wanted, part);
    return 0;
}
int main(void) {
    int32_t item = 7;
    double wide = 1;
    h = Part_create(NULL);
    return !(is(Part_set_by(h, 100), Part_FAULT, "by is less than 100") && is(Part_set_by(h, 3), Part_OK, "") &&
             is(Part_set(h, Part_parameter_by, &wide, sizeof wide), Part_CALL, "not as large as the parameter") &&
             is(Part_process(h, &item, 1, &item, 1, NULL, NULL), Part_OK, "") &&
             is(Part_set(h, 1, &item, sizeof item), Part_CALL, "no such parameter") &&
             is(Part_process(h, NULL, 1, &item, 1, NULL, NULL), Part_CALL, "NULL") && is(Part_drain(h, &item, 1, NULL), Part_OK, "") &&
             is(Part_process(h, &item, 1, &item, 1, NULL, NULL), Part_CALL, "the input is over") && (Part_reset(h), 1) &&
             is(Part_set_by(h, 0), Part_OK, "") && is(Part_process(h, &item, 1, &item, 1, NULL, NULL), Part_FAULT, "[division-by-zero]") &&
             is(Part_set_by(h, 200), Part_FAULT, "by is less than 100") &&
             is(Part_process(h, &item, 1, &item, 1, NULL, NULL), Part_FAULT, "[division-by-zero]"));
}
""")  # fmt: skip
        self.execute(CC, "main.c", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        self.execute("./main")

    def test_a_turn_from_floats_to_doubles_keeps_the_state(self):
        """And back: what a filter does that computes in doubles all the time."""
        single = "float->float pipeline Tone(float f = 9000) { add BiquadLowPass(48000, f); }\n"
        double = """float->float pipeline Tone(float f = 9000) {
    add float->double filter { work pop 1 push 1 { push(pop()); } };
    add DoubleBiquadLowPass(48000, f);
    add double->float filter { work pop 1 push 1 { push((float)pop()); } };
}
"""
        for first, second in (("9000", "40"), ("40", "9000")):
            outs = []
            for text in (single, double):
                self.build_library(text, "--keep-param=f", f"-Df={first}")
                done = self.turned("Tone", 2000, 1000, f"Tone_set_f(h, {second})")
                self.assertEqual(done.returncode, 0, done.stderr)
                outs.append(array.array("f", done.stdout))
            loudest = max(map(abs, outs[1]))
            self.assertEqual(len(outs[0]), 2000)
            for got, want in zip(*outs):
                self.assertAlmostEqual(got, want, delta=1e-4 * loudest)

    def test_what_cannot_be_computed_again(self):
        for field, work, line, why in (
            ("float y = f;", "y = 0.5 * y + pop(); push(y);", 3, "'y', which is computed from it again whenever it is set, cannot be changed"),
            ("float[2] y; init { y[1] = f; }", "y[0] = pop(); push(y[1]);", 3, "cannot be changed here"),
            ("float y = f * random();", "push(y * pop());", 2, "cannot depend on random numbers, files and native functions, too"),
        ):
            with self.subTest(field):
                text = "float->float stateful filter Bad(float f = 1) {\n    " + field + "\n    work pop 1 push 1 { " + work + " }\n}\n"
                _, err = self.build_library(text, "--keep-param=f", status=1)
                self.assertIn(f"p.str:{line}:", err)
                self.assertIn(why, err)
                self.assertIn("[open-parameter]", err)


class Products(Libraries):
    def test_names(self):
        self.build_library(programs.FIR)
        self.assertEqual(sorted(os.listdir(self.folder)), ["libp.h", "libp.so", "p.str"])
        self.build_library(programs.FIR, "-o", "q.so", "--header", "other.h")
        self.build_library(programs.FIR, "-o", "r")
        self.assertLessEqual({"q.so", "other.h", "r", "r.h"}, set(os.listdir(self.folder)))
        self.assertEqual(stat.S_IMODE((self.folder / "libp.h").stat().st_mode) & 0o111, 0)
        _, err = self.build_library(programs.FIR, "--header", "libp.so", status=2)
        self.assertIn("exclude each other", err)
        _, err = self.build_library(programs.FIR, "--static", status=2)
        self.assertIn("--shared and --static exclude each other", err)
        _, err = self.call("build", "--header=x.h", "p.str", status=2)
        self.assertIn("--header needs --shared", err)

    def test_what_it_exports_and_needs(self):
        for text in (programs.ECHO, programs.NETWORK):
            with self.subTest(text=text):
                self.check_symbols(text)

    def test_headers_say_what_there_is(self):
        def numbers(text):
            self.build_library(text)
            found = re.findall(r"^#define \w+?_([A-Z]+_?[A-Z]*) (\d+)$", (self.folder / "libp.h").read_text(), re.M)
            return {name: int(value) for name, value in found if name != "STACK_BYTES"}

        self.assertEqual(numbers(programs.FIR), {"BLOCK_IN": 1, "BLOCK_OUT": 1, "FIRST_IN": 6, "FIRST_OUT": 0, "LATENCY": 6})
        self.assertEqual(numbers(programs.ECHO), {"BLOCK_IN": 1, "BLOCK_OUT": 1, "FIRST_IN": 0, "FIRST_OUT": 0, "LATENCY": 0})
        found = numbers(programs.RESAMPLE)
        self.assertEqual((found["BLOCK_IN"], found["BLOCK_OUT"]), (10, 6))
        self.assertEqual(numbers(programs.SINK)["BLOCK_OUT"], 0)

    def test_latency_suffices(self):
        """After that many items, each block that goes in brings a block."""
        for text, stream in [(programs.FIR, "Fir"), (programs.ECHO, "Echo"), (programs.RESAMPLE, "Resample"), (programs.BITS, "Bits")]:
            self.build_library(text)
            self.compile("latency.c", "libp", stream, "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
            self.execute("./host")

    def test_calls_of_any_size_behind_the_latency(self):
        """Each call takes and gives all, though the stream computes in blocks."""
        blocks = "float->float filter Blocks { work pop 6 peek 10 push 6 { for (int i = 0; i < 6; i++) push(peek(i + 4)); for (int i = 0; i < 6; i++) pop(); } }\n"
        self.build_library(blocks)
        self.file("main.c", """#include "libp.h"
#include <stdio.h>
int main(void) {
    static float in[2000], out[2000], none[Blocks_LATENCY];
    for (int k = 0; k < 2000; ++k) in[k] = k + 1;
    for (size_t size = 1; size < 40; ++size) {
        Blocks_handle *h = Blocks_create(NULL);
        size_t taken, given, at = 0;
        Blocks_process(h, none, Blocks_LATENCY, NULL, 0, &taken, &given);
        if (taken != Blocks_LATENCY || given != 0) return 1;
        for (; at + size <= 2000; at += size) {
            Blocks_process(h, in + at, size, out + at, size, &taken, &given);
            if (taken != size || given != size) return printf("%zu: %zu of %zu, %zu\\n", at, taken, size, given);
        }
        for (size_t k = Blocks_LATENCY - 4; k < at; ++k)
            if (out[k] != in[k - (Blocks_LATENCY - 4)]) return printf("%zu: %g\\n", k, out[k]);
        Blocks_destroy(h);
    }
}
""")  # fmt: skip
        self.execute(CC, "main.c", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        self.execute("./main")

    def test_c_plus_plus(self):
        self.build_library(programs.STRUCTS)
        self.file("main.cpp", '#include "libp.h"\nint main() { auto *h = Structs_create(nullptr); Structs_destroy(h); }\n')
        self.execute("c++", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        self.execute("./main")

    def test_linkers(self):
        for linker in ("gold", "lld"):
            if not shutil.which(f"ld.{linker}"):
                continue
            self.file("linker", f'#!/bin/sh\nexec {CC} -fuse-ld={linker} "$@"\n').chmod(0o755)
            self.build_library(programs.FIR, "--linker", "./linker")
            self.host("Fir")
            want = self.expected(floats(200))
            self.same_in_pieces("Fir", want, 4)

    def test_the_runtime_from_its_sources(self):
        self.build_library(programs.RESAMPLE, "--target=x86_64-linux-gnu", "--linker=cc")
        self.host("Resample")
        want = self.expected(ints(1000))
        self.same_in_pieces("Resample", want, 4)

    def test_nothing_half_written(self):
        _, err = self.build_library(programs.FIR, "--linker=/nowhere/cc", status=1)
        self.assertIn("a library needs '/nowhere/cc'", err)
        self.assertEqual(os.listdir(self.folder), ["p.str"])
        _, err = self.build_library(programs.FIR, "--header=/nowhere/p.h", status=1)
        self.assertIn("[cannot-write-file]", err)
        self.assertEqual(os.listdir(self.folder), ["p.str"])

    def test_what_is_printed_while_the_graph_is_built(self):
        out, _ = self.build_library("int->int pipeline P { println(\"hello\"); add Identity<int>; }\n")
        self.assertEqual(out, b"hello\n")


class Threads(Libraries):
    def test_two_handles(self):
        """The runtime is compiled with the sanitizer, too."""
        amp = ROOT / "examples/lstm_amp/amp.str"
        for text, stream, items, *options in [
            (programs.ECHO, "Echo", floats(2000)),
            (programs.RESAMPLE, "Resample", ints(2000)),
            (amp.read_text(), "Amp", floats(300), "--weights", amp.with_suffix(".safetensors")),
        ]:
            self.build_library(text, *options)
            self.call("build", "--shared", self.top, *options, "--emit=obj", "-o", "p.o", "p.str")
            self.file("in.raw", items)
            names = [f"-Wl,--defsym={stream}_{name}=strc_library_{name}" for name in FUNCTIONS]
            flags = ["-fsanitize=thread", "-I", ROOT / "runtime/include", *RUNTIME, "p.o", *names, "-lm"]
            self.compile("threads.c", "libp", stream, *flags, product="threads")
            self.execute("./threads", "in.raw")


class Refusing(Libraries):
    def refuse(self, text, *parts):
        _, err = self.build_library(text, status=1)
        for part in parts:
            self.assertIn(part, err)
        self.assertEqual(os.listdir(self.folder), ["p.str"])

    def test_what_it_cannot_do(self):
        self.refuse('int->int filter P { work pop 1 push 1 { int x = pop(); println(x); push(x); } }\n',
                    "p.str:1:", "error: a library cannot print [library-effect]")
        self.refuse('int->int filter P { work pop 1 push 1 { push(f("x" + pop())); }\n'
                    'int f(String s) { return 1; } }\n',
                    "p.str:1:", "error: a library cannot make strings [library-effect]")
        self.refuse("int->int pipeline P { add Q; add R; }\nint->int filter Q { work pop 1 push 1 { push(f(pop())); }\n"
                    "int f(int x) { print(x); return x; } }\nint->int filter R { work pop 1 push 1 { push(pop()); } }\n",
                    "p.str:3:22: error: a library cannot print")  # fmt: skip
        self.refuse('int->int pipeline P { portal<R> there; add Q(there); add R to there; }\n'
                    "int->int filter Q(portal<R> there) { work pop 1 push 1 { there.f(); push(pop()); } }\n"
                    "int->int filter R { int n; work pop 1 push 1 { push(pop() + n); } handler f() { n++; } }\n",
                    "p.str:2:", "error: a library cannot send messages [library-effect]", "note: messages on their way have no bound")
        self.refuse("int->int pipeline P { add Q; }\nint->int filter Q { work pop * push 1 { push(pop()); } }\n",
                    "p.str:", "error: a library cannot have dynamic rates [library-effect]", "note: what would wait on its tapes has no bound")
        self.refuse('int->int splitjoin P { split duplicate; add Identity<int>; add FileWriter<int>("x"); join roundrobin(1, 0); }\n',
                    "p.str:1:", "a library cannot write file 'x' [library-effect]")  # fmt: skip
        self.refuse('void->void pipeline Main { add P; add Q; }\nvoid->int filter P { work push 1 { push(1); } }\n'
                    "int->void filter Q { work pop 1 { pop(); } }\n",
                    "p.str:1:", "'Main' has neither input nor output", "[library-without-ends]")  # fmt: skip


if __name__ == "__main__":
    unittest.main()
