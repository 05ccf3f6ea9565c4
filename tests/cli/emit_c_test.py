#!/usr/bin/env python3
"""C source that `strc build --emit=c` prints: it compiles without a warning, and does what the shared library of the program does,
to the bit, in pieces of any size, after faults and at the end of the input, too."""

import array
import ctypes
import os
import random
import re
import shutil
import struct
import subprocess
import unittest

import emit_c_programs as programs
from command import SECONDS, Case

FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fno-math-errno", "-shared", "-fPIC"]
COMPILERS = [name for name in ("gcc", "clang-19") if shutil.which(name)]
OPTIONS = [(name, level) for name in COMPILERS for level in ("-O0", "-O2")]


def items(kind, count, seed=1):
    """Bytes of `count` items of a type, as a format of struct."""
    draw = random.Random(seed)
    values = {"q": lambda: draw.randint(-50, 50), "f": lambda: draw.uniform(-4, 4), "i": lambda: draw.randint(-50, 50), "d": lambda: draw.uniform(-4, 4), "B": lambda: draw.randint(0, 1)}
    return b"".join(struct.pack("=" + kind, *(values[part]() for part in kind)) for _ in range(count))


class Library:
    """One that is loaded, and its functions."""

    def __init__(self, path, name):
        self.functions = ctypes.CDLL(str(path), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        self.name = name
        for word in ("create", "message", "clone"):
            self.function(word).restype = ctypes.c_void_p
        self.function("state_size").restype = ctypes.c_size_t
        self.handle = ctypes.c_void_p(self.function("create")(None))

    def function(self, word):
        return getattr(self.functions, f"{self.name}_{word}")

    def message(self):
        return ctypes.string_at(self.function("message")(self.handle)).decode()

    def process(self, data, size, capacity, out_size, is_draining=False):
        """What a call gives: status, items taken, bytes, message."""
        out = ctypes.create_string_buffer(max(1, capacity * out_size))
        taken, given = ctypes.c_size_t(77), ctypes.c_size_t(77)
        room = ctypes.c_size_t(capacity)
        if is_draining:
            status = self.function("drain")(self.handle, out, room, ctypes.byref(given))
            taken.value = 0
        else:
            count = ctypes.c_size_t(len(data) // size if size else 0)
            status = self.function("process")(self.handle, data or None, count, out, room, ctypes.byref(taken), ctypes.byref(given))
        return status, taken.value, out.raw[: given.value * out_size], self.message()

    def set(self, parameter, value):
        status = self.function("set")(self.handle, parameter, value, ctypes.c_size_t(len(value)))
        return status, self.message()

    def save(self):
        room, size = ctypes.c_size_t(self.function("state_size")(self.handle)), ctypes.c_size_t(77)
        state = ctypes.create_string_buffer(room.value)
        status = self.function("save")(self.handle, state, room, ctypes.byref(size))
        return state.raw[: size.value] if status == 0 else status

    def restore(self, state):
        return self.function("restore")(self.handle, state, ctypes.c_size_t(len(state)))

    def hop(self, data, size):
        """Goes on from a saved state, after having done something else."""
        state = self.save()
        if not isinstance(state, bytes):
            return
        self.process(data, size, 3, 64)
        self.function("reset")(self.handle)
        assert self.restore(state) == 0, self.message()
        assert self.save() == state

    def run(self, data, size, out_size, pieces, sets=()):
        """Everything that happens when the data come in pieces of these sizes, over and over, with as much room; parameters
        are set once two have come, and each other piece finds a state that was saved."""
        events, at, k = [], 0, 0
        while k < 400 and (at < len(data) or not size):
            if k == 2:
                events += [self.set(*each) for each in sets]
            if k % 2 == 1:
                self.hop(data[:size], size)
            count, room = pieces[k % len(pieces)]
            event = self.process(data[at : at + count * size], size, room, out_size)
            events.append(event)
            at += event[1] * size
            k += 1
            if event[0] != 0:
                break
        for room in (1, 0, 3, 200):
            events.append(self.process(b"", size, room, out_size, True))
            self.hop(data[:size], size)
        events.append(self.process(data[:size], size, 1, out_size))
        self.function("reset")(self.handle)
        return events

    def close(self):
        self.function("destroy")(self.handle)


PIECES = [[(1000, 1000)], [(1, 1)], [(3, 2), (0, 5), (7, 0), (2, 9)], [(5, 0), (0, 100)], [(13, 64)]]


class Compared(Case):
    def make(self, text, name, *options):
        """The shared library, and those of the C source by each compiler."""
        self.file("p.str", text)
        self.call("build", "--shared", f"--top={name}", *options, "-o", "libshared.so", "p.str")
        self.call("build", "--emit=c", f"--top={name}", *options, "-o", "p.c", "p.str")
        paths = []
        for compiler, level in OPTIONS:
            path = self.folder / f"lib{compiler}{level}.so"
            done = subprocess.run([compiler, *FLAGS, level, "-o", path, "p.c", "-lm"], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
            self.assertEqual(done.returncode, 0, (self.folder / "p.c").read_text() + done.stderr)
            paths.append(path)
        return self.folder / "libshared.so", paths

    def compare(self, text, *options, data, out, set_before=(), set_later=(), pieces=PIECES):
        name = re.search(r"->\S+ (?:stateful )?(?:filter|pipeline|splitjoin|feedbackloop) (\w+)", text)[1]
        wanted, made = self.make(text, name, *options)
        size = struct.calcsize("=" + data) if data else 0
        out_size = struct.calcsize("=" + out) if out else 0
        given = items(data, 61) if data else b""
        runs = []
        for path in [wanted, *made]:
            library = Library(path, name)
            events = []
            for each in pieces:
                events += [library.set(*one) for one in set_before]
                events.append(library.run(given, size, out_size, each, set_later))
            library.close()
            runs.append(events)
        for path, run in zip(made, runs[1:]):
            for mine, theirs in zip(run, runs[0]):
                self.assertEqual(mine, theirs, f"{path.name}\n{(self.folder / 'p.c').read_text()}")
        return runs[0]


def test_of(program):
    def test(self):
        events = self.compare(program.text, *program.options, data=program.data, out=program.out, set_before=program.sets, set_later=program.later)
        flat = str(events)
        for word in program.says:
            self.assertIn(word, flat)

    return test


class Programs(Compared):
    """Has a test for each program."""


for program in programs.PROGRAMS:
    setattr(Programs, f"test_{program.name}", test_of(program))


class Files(Compared):
    SMOOTH = "float->float filter Smooth(float weight = 0.25) { float last; work pop 1 push 1 { last += weight * (pop() - last); push(last); } }"

    def test_the_header_declares_what_the_file_has(self):
        self.file("p.str", self.SMOOTH)
        self.call("build", "--emit=c", "--top=Smooth", "--keep-param=weight", "-o", "p.c", "p.str")
        header, source = self.bytes("p.h").decode(), self.bytes("p.c").decode()
        self.assertIn(header, source)
        self.file("both.c", '#include "p.h"\n#include "p.c"\n#include "p.h"\n')
        self.file("cplus.cc", '#include "p.h"\nint main() { static double memory[Smooth_BYTES / 8]; return !Smooth_make(memory); }\n')
        for command in (["cc", "-c", "both.c"], ["c++", "-c", "cplus.cc"]):
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_source_goes_to_standard_output_alone(self):
        self.file("p.str", self.SMOOTH)
        out, _ = self.call("build", "--emit=c", "--top=Smooth", "p.str")
        self.assertIn(b"int Smooth_process(", out)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["p.str"])

    def test_the_header_goes_where_it_is_wanted(self):
        self.file("p.str", self.SMOOTH)
        self.call("build", "--emit=c", "--top=Smooth", "--header=other.h", "-o", "p.c", "p.str")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["other.h", "p.c", "p.str"])

    def test_handles_are_counted(self):
        _, paths = self.make(self.SMOOTH, "Smooth")
        library = Library(paths[0], "Smooth")
        status = ctypes.c_int(-1)
        self.assertIsNone(library.function("create")(ctypes.byref(status)))
        self.assertEqual(status.value, 2)
        library.close()
        self.assertIsNotNone(library.function("create")(ctypes.byref(status)))
        self.assertEqual(status.value, 0)

    def test_memory_of_the_caller(self):
        _, paths = self.make(self.SMOOTH, "Smooth")
        header = self.bytes("p.h").decode()
        size = int(re.search(r"Smooth_BYTES (\d+)", header)[1])
        library = Library(paths[0], "Smooth")
        memory = (ctypes.c_double * (size // 8))()
        library.function("make").restype = ctypes.c_void_p
        handle = ctypes.c_void_p(library.function("make")(memory))
        self.assertEqual(handle.value, ctypes.addressof(memory))
        library.handle = handle
        self.assertEqual(library.process(struct.pack("f", 1), 4, 1, 4)[2], struct.pack("f", 0.25))

    def test_input_and_output_may_be_one_array(self):
        program = "int->int filter P { int n; work pop 2 push 2 peek 4 { push(peek(3) + n); push(peek(1) + pop()); n += pop(); } }"
        wanted, made = self.make(program, "P")
        results = []
        for path in [wanted, *made]:
            library = Library(path, "P")
            data = ctypes.create_string_buffer(items("i", 40), 160)
            given = ctypes.c_size_t()
            status = library.function("process")(library.handle, data, ctypes.c_size_t(40), data, ctypes.c_size_t(40), None, ctypes.byref(given))
            results.append((status, given.value, data.raw))
            library.close()
        self.assertEqual(results, results[:1] * len(results))

    NATIVE = """#include <stdint.h>
int32_t Sums_sum(int32_t *x, int32_t n) { int32_t s = 0; for (int32_t k = 0; k < n; ++k) s += x[k]; return s; }
void Sums_fill(int32_t *x, int32_t value) { x[0] = value; x[1] = -value; x[2] = 7; }
uint8_t Sums_odd(int32_t x, uint8_t even, float f, double d) { return ((x & 1) ^ even) + (f > d ? 2 : 0); }
typedef struct { int32_t a; float b; } Pair;
float Sums_pair(Pair *p) { return p->a + p->b; }
"""

    def test_native_functions_are_called(self):
        self.file("native.c", self.NATIVE)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "libnative.so", "native.c"], cwd=self.folder, check=True)
        program = """struct Pair { int a; float b; }
native Sums { int sum(int[3] x, int n); void fill(int[3] x, int value); boolean odd(int x, bit even, float f, double d); float pair(Pair p); }
int->int filter P { int[3] primes = {2, 3, 5}; work pop 1 push 4 {
    int x = pop(); int[3] a; Sums.fill(a, x); push(Sums.sum(a, 3)); push(Sums.sum(primes, 2)); push(Sums.odd(x, 1, 0.5, 1) ? 1 : 0);
    Pair p; p.a = x; p.b = 0.5; push((int) Sums.pair(p)); } }"""
        self.file("p.str", program)
        native = f"--native={self.folder}/libnative.so"
        self.call("build", "--shared", "--top=P", native, "-o", "libshared.so", "p.str")
        self.call("build", "--emit=c", "--top=P", native, "-o", "p.c", "p.str")
        results = [Library(self.folder / "libshared.so", "P").run(items("i", 20), 4, 4, PIECES[0])]
        for compiler, level in OPTIONS:
            path = self.folder / f"lib{compiler}{level}.so"
            done = subprocess.run([compiler, *FLAGS, level, "-o", path, "p.c", "native.c", "-lm"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            results.append(Library(path, "P").run(items("i", 20), 4, 4, PIECES[0]))
        self.assertEqual(results, results[:1] * len(results))

    def test_results_do_not_depend_on_fast_math(self):
        self.file("p.str", self.SMOOTH)
        self.call("build", "--emit=c", "--top=Smooth", "-o", "p.c", "p.str")
        done = subprocess.run(["cc", "-ffast-math", "-c", "p.c"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("compile without -ffast-math", done.stderr)

    def test_what_is_refused(self):
        several = "int->int pipeline Two { add A(); add A(); }\nint->int filter A { work pop 1 push 1 { int[2] a = init_array_1D_int(\"f\", 2); push(pop() + a[0]); } }"
        cases = [
            (several, [], "reads an array while it runs"),
            ("int->int filter P { work pop 1 push 1 { println(1); push(pop()); } }", [], "a library cannot print"),
            ("native R { float median(tensor x); } tensor->float filter P { work pop 1 push 1 { push(R.median(pop())); } }", ["--input=3"], "a native function takes tensors"),
            ("void->void filter P { work { } }", [], "[library-without-ends]"),
        ]
        for text, options, says in cases:
            with self.subTest(says):
                self.file("p.str", text)
                name = re.search(r"->\S+ (?:filter|pipeline) (\w+)", text)[1]
                _, err = self.call("build", "--emit=c", f"--top={name}", *options, "p.str", status=1)
                self.assertIn(says, err)

    def test_wrong_calls(self):
        self.file("p.str", self.SMOOTH)
        for options, says in (
            (["--emit=c", "--shared"], "--emit=c and --shared exclude each other"), (["--emit=ir", "--header=p.h"], "--header needs --shared or --emit=c"),
            (["--emit=c", "-o", "p.h", "--header=p.h"], "--header p.h"),
        ):  # fmt: skip
            _, err = self.call("build", *options, "p.str", status=2)
            self.assertIn(says, err)


if __name__ == "__main__":
    unittest.main()
