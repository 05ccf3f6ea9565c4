#!/usr/bin/env python3
"""States of libraries as data: a handle in another process goes on where one stopped, clones and restored handles give the same bytes, and what
is no state of the program is refused without changing anything."""

import ctypes
import random
import re
import struct
import subprocess
import sys
import unittest

import bounded_programs
import bounded_test
import programs
from handles import CALL, DAMAGED, FAULT, HERE, NEWER, OK, OTHER_PROGRAM, TRUNCATED, Library, Player
from shared_test import CC, TARGET, Libraries, floats, ints
from command import SECONDS

HEAD = 40  # bytes: magic, version, order of bytes, program, size, sum


class States(Libraries):
    def setUp(self):
        if TARGET:
            self.skipTest("handles are those of this process")
        super().setUp()

    def built_library(self, text, *options, name="p"):
        said = self.build_library(text, *options, "-o", f"lib{name}.so")[1]
        self.said = said if isinstance(said, str) else said.decode()
        stream = self.top.split("=")[1]
        return Library(self.folder / f"lib{name}.so", stream, *self.sizes(f"lib{name}.h", stream))

    def sizes(self, header, stream):
        """Of the items, by the header."""
        text = (self.folder / header).read_text()
        ends = [f"sizeof({stream}_{end})" if f"}} {stream}_{end};" in text or re.search(rf" {stream}_{end};", text) else "1" for end in ("in", "out")]
        self.file("sizes.c", f'#include "{header}"\n#include <stdio.h>\nint main(void) {{ printf("%zu %zu", {ends[0]}, {ends[1]}); }}\n')
        subprocess.run([CC, "-o", "sizes", "sizes.c"], cwd=self.folder, check=True)
        return map(int, subprocess.run(["./sizes"], cwd=self.folder, check=True, capture_output=True, text=True).stdout.split())

    def whole(self, library, items, seed=1):
        """All that comes without any stop."""
        player = Player(library, items, seed)
        while not player.is_done:
            player.step()
        return player

    def in_processes(self, library, items, seed, steps):
        """The same, with a process of its own for so many calls each."""
        for name in ("state", "out.raw"):
            (self.folder / name).unlink(missing_ok=True)
        self.file("in.raw", items)
        words = [sys.executable, HERE / "handles.py", library.code._name, library.stream, library.in_size, library.out_size, "in.raw",
                 "state", "out.raw"]  # fmt: skip
        for turn in range(100):
            done = subprocess.run([*map(str, words), str(seed + turn), str(steps)], cwd=self.folder, check=True, capture_output=True,
                                  text=True, timeout=SECONDS)  # fmt: skip
            if done.stdout != "more\n":
                return self.bytes("out.raw"), done.stdout.strip()
        raise AssertionError("no end")

    def goes_on_elsewhere(self, text, items, *options, name="p"):
        library = self.built_library(text, *options, name=name)
        player = self.whole(library, items)
        for seed, steps in [(10, 3), (20, 17)]:
            made, end = self.in_processes(library, items, seed, steps)
            self.assertEqual(made, player.out)
            self.assertEqual(end, f"fault {player.handle.message}" if player.status == FAULT else "done")


class Processes(States):
    def test_windows_and_fields(self):
        self.goes_on_elsewhere(programs.FIR, floats(700))

    def test_first_firings_and_rates(self):
        self.goes_on_elsewhere(programs.RESAMPLE, ints(901))

    def test_feedback_and_random_numbers(self):
        self.goes_on_elsewhere(programs.ECHO, floats(500))

    def test_rings(self):
        self.goes_on_elsewhere(programs.ECHO, floats(500), "--tapes=ring")

    def test_the_end_of_the_input(self):
        self.goes_on_elsewhere(programs.BLOCKS, floats(203))

    def test_tensors(self):
        draw = random.Random(6)
        self.goes_on_elsewhere(programs.TENSORS, struct.pack("<640f", *[draw.randint(-8, 8) for _ in range(640)]))

    def test_faults(self):
        items = ints(400, 0, 9)
        self.goes_on_elsewhere(programs.FAULT, items[:800] + struct.pack("<i", 77) + items)

    def test_messages_on_their_way(self):
        self.goes_on_elsewhere(bounded_programs.MESSAGES, ints(700, 0, 99), "--bound=8")

    def test_dynamic_rates(self):
        for name, items, bound in [("PACKETS", bounded_test.packets(60), 40), ("NESTED", ints(900), 16), ("WAYS", ints(900, 0, 99), 12),
                                   ("DYNAMIC_MESSAGES", ints(600, 1, 99), 8), ("FOREVER", ints(150), 1)]:  # fmt: skip
            with self.subTest(name):
                self.goes_on_elsewhere(getattr(bounded_programs, name), items, f"--bound={bound}", name=name)

    def test_dynamic_rates_that_fail(self):
        items = [1, 5, 3, 2, 4, 0, 7]
        self.goes_on_elsewhere(bounded_programs.FAULT, struct.pack(f"<{len(items)}i", *items), "--bound=8")


class Handles(States):
    def test_clones_go_their_own_way(self):
        library = self.built_library(programs.ECHO)
        one, items = library.handle(), floats(300)
        one.process(items[:400], 100)
        other = one.clone()
        want = one.process(items[400:], 300)
        self.assertEqual(other.process(items[400:], 300), want)
        one.reset()
        self.assertNotEqual(one.process(items[400:], 300), want)

    def test_parameters_are_part_of_it(self):
        self.build_library(programs.GAIN, "--keep-param", "gain")
        library = Library(self.folder / "libp.so", "Gain", 4, 4)
        one, other = library.handle(), library.handle()
        library.code.Gain_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
        items = floats(40)
        for when in ("before the first call", "behind it"):
            with self.subTest(when):
                self.assertEqual(library.code.Gain_set(one.pointer, 0, struct.pack("<f", 7 if when == "behind it" else 5), 4), OK)
                self.assertEqual(other.restore(one.save()), OK)
                self.assertEqual(one.process(items, 40), other.process(items, 40))

    def test_the_same_state_is_the_same_bytes(self):
        library = self.built_library(programs.RESAMPLE)
        one, other, items = library.handle(), library.handle(), ints(300)
        one.process(items[:600], 300)
        one.process(items[600:], 300)
        other.process(items, 600)
        self.assertEqual(one.process(b"", 0)[0], OK)
        self.assertEqual(len(one.save()), len(other.save()))
        self.assertLessEqual(len(one.save()), library.state_size(one.pointer))

    def test_after_a_fault_there_is_none(self):
        library = self.built_library(programs.FAULT)
        handle = library.handle()
        self.assertEqual(handle.process(struct.pack("<i", 77), 1)[0], FAULT)
        self.assertEqual(handle.save(), FAULT)
        self.assertIn("77", handle.message)
        self.assertFalse(library.clone(handle.pointer, None))
        fresh = library.handle()
        self.assertEqual(handle.restore(fresh.save()), OK)  # which is as good as a reset
        self.assertEqual(handle.process(struct.pack("<i", 3), 1)[2], struct.pack("<i", 9))

    def test_in_the_middle_of_firings(self):
        """Of a program with dynamic rates: after each item, from states that were saved and from such that were restored before."""
        library = self.built_library(bounded_programs.PACKETS, "--bound=40")
        one, items = library.handle(), bounded_test.packets(60)[:6000]
        for at in range(0, len(items), 4):
            other, third = library.handle(), library.handle()
            self.assertEqual(other.restore(one.save()), OK)
            self.assertEqual(third.restore(other.save()), OK)
            self.assertEqual(third.save(), one.save())
            if at % 68 == 0:
                rest = items[at : at + 800]
                want = third.process(rest, 400)
                self.assertEqual(other.process(rest[:100], 400)[2] + other.process(rest[100:], 400)[2], want[2])
                self.assertEqual(other.drain(400), third.drain(400))
                self.assertEqual(one.clone().process(rest, 400), want)
            self.assertEqual(one.process(items[at : at + 4], 40)[0], OK)

    def test_a_firing_that_takes_too_much(self):
        library = self.built_library(bounded_programs.FOREVER, "--bound=1")
        handle, items = library.handle(), ints(40000)
        before = handle.save()
        status, _, want = handle.process(items, 200000)
        self.assertEqual((status, handle.save()), (OK, CALL))
        self.assertIn("in the middle of so long a firing", handle.message)
        self.assertFalse(library.clone(handle.pointer, None))
        self.assertEqual(handle.restore(before), OK)
        self.assertEqual(handle.process(items, 200000)[2], want)

    def test_parameters_of_dynamic_rates(self):
        library = self.built_library(bounded_programs.GAIN, "--bound=4", "--keep-param=gain")
        library.code.Gain_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
        one, draw, saved = library.handle(), random.Random(5), 0
        for turn in range(300):
            if turn % 7 == 3:
                self.assertEqual(library.code.Gain_set(one.pointer, 0, struct.pack("<i", turn), 4), OK)
            state = one.save()
            if state != CALL:  # a parameter has changed in the middle of a firing
                saved += 1
                other = library.handle()
                self.assertEqual(other.restore(state), OK)
                items = ints(50, 1, 9, seed=turn)
                self.assertEqual(other.process(items, 300), one.clone().process(items, 300))
            one.process(ints(draw.randint(0, 3), 1, 9, seed=turn), draw.randint(0, 9))
        self.assertGreater(saved, 100)

    def test_other_processors(self):
        """Where passes make the same of the program, the state is the same."""
        one, other = (self.built_library(programs.RESAMPLE, f"--march={march}", name=march).handle() for march in ("x86-64", "x86-64-v3"))
        one.process(ints(100), 200)
        if other.process(ints(1), 1)[0] == OK and one.save()[16:24] == other.save()[16:24]:
            self.assertEqual(other.restore(one.save()), OK)
            self.assertEqual(one.process(ints(99), 200), other.process(ints(99), 200))


SESSIONS = {
    "Voice": """float->float pipeline Voice(float gain = 3) {
    add BiquadHighPass(16000, 80); add BiquadPeak(16000, 2500, 4); add BiquadLowPass(16000, 7000); add Amplify(gain);
}
float->float filter Amplify(float gain) { work pop 1 push 1 { push(gain * pop()); } }
""",
    "Net": """float->float stateful filter Net {
    float[3][5] w;
    float[5] state;
    init { for (int g = 0; g < 3; g++) for (int i = 0; i < 5; i++) w[g][i] = sin(1.0 + 7 * g + 3 * i); }
    work pop 1 push 1 {
        float x = pop();
        float y = 0;
        for (int i = 0; i < 5; i++) {
            float z = 1 / (1 + exp(-(w[0][i] * x + w[1][i] * state[i])));
            state[i] = z * state[i] + (1 - z) * tanh(w[2][i] * x + state[(i + 1) % 5]);
            y += state[i];
        }
        push(y);
    }
}
""",
    "Rates": """int->int pipeline Rates { add Late; add Sums; add splitjoin { split roundrobin(2, 1); add Count; add Identity<int>; join roundrobin(2, 1); } }
int->int filter Late { prework push 5 pop 2 { int a = pop(); int b = pop(); for (int k = 0; k < 5; k++) push(a * k + b); } work pop 1 push 1 { push(pop()); } }
int->int filter Sums { work pop 2 peek 5 push 3 { push(peek(0) + peek(4)); push(peek(2) ^ peek(3)); push(pop() * pop()); } }
int->int stateful filter Count { int n; int last; work pop 1 push 1 { int x = pop(); if (x % 3 == 0) last = x; push(x + last + n++); } }
""",
    "Echo": """float->float feedbackloop Echo {
    join roundrobin(1, 1);
    body float->float filter { work pop 2 push 1 { float x = pop(); push(x + 0.5 * pop()); } };
    split duplicate;
    loop Identity<float>;
    for (int i = 0; i < 37; i++) enqueue 0.25;
}
""",
    "Mixed": """float->complex pipeline Mixed { add Doubles; add Turn; }
float->double stateful filter Doubles { double sum; boolean odd; work pop 1 push 1 { double x = pop(); odd = !odd; sum += odd ? x : -x; push(sum); } }
double->complex stateful filter Turn { complex z; work pop 1 push 1 { complex s; s.real = 0.5; s.imag = (float)pop(); z = z * s + s; push(z); } }
""",
    "Fir": programs.FIR,
    # Delays by which values go past others, and a table that says which item comes when.
    "Delays": """float->float pipeline Delays {
    add splitjoin {
        split duplicate;
        add Delay(3);
        add pipeline { add Sums(); add Delay(5); add Turned(); add Identity<float>; };
        add pipeline { add Delay(1); add Delay(7); add Sums(); };
        join roundrobin(1, 1, 1);
    }
    add float->float filter { work pop 3 push 2 { float a = pop(); float b = pop(); push(a - b); push(b * pop()); } };
    add Delay(40);
}
float->float filter Delay(int n) { prework push n { for (int k = 0; k < n; k++) push(0.5); } work pop 1 push 1 { push(pop()); } }
float->float filter Sums { work pop 1 peek 4 push 1 { push(peek(0) * 0.5 + peek(3)); pop(); } }
float->float filter Turned {
    int[8] from;
    init { for (int i = 0; i < 8; i++) from[i] = (5 * i + 3) % 8; }
    work pop 8 push 8 { for (int i = 0; i < 8; i++) push(peek(from[i])); for (int i = 0; i < 8; i++) pop(); }
}
""",
    # Products of every kind that one instance has: columns that are no whole vectors, long sums alone, few sums in parts, both factors of the
    # instance, and addends with bounds.
    "Products": """float->float pipeline Products { add Wide(13, 37); add Wide(37, 3); add Wide(3, 70); add Pairs(7); add Wide(10, 1); add Past(5); }
float->float filter Wide(int in, int out) {
    tensor<float>[in, out] w;
    tensor<float>[out] offset;
    init { w = sin(reshape(arange(in * out), in, out) * 0.7) * 0.3; offset = cos(reshape(arange(out), out)); }
    work pop in push out {
        float[in] frame;
        for (int k = 0; k < in; k++) frame[k] = pop();
        tensor x = frame;
        tensor y = relu(matmul(x, w) + offset);
        for (int k = 0; k < out; k++) push(y[k]);
    }
}
float->float filter Pairs(int n) {
    work pop 70 push 10 {
        float[10][n] frame;
        for (int k = 0; k < 10 * n; k++) frame[k / n][k % n] = pop();
        tensor x = frame;
        tensor y = softmax(matmul(x, transpose(x, 0, 1)), -1);
        for (int k = 0; k < 10; k++) push(y[k, (k * 3) % 10]);
    }
}
float->float stateful filter Past(int n) {
    tensor<float>[n] past;
    tensor<float>[n, n] u;
    init { past = zeros(n); u = sin(reshape(arange(n * n), n, n)) * 0.4; }
    work pop 1 push 1 { past = tanh(matmul(past, u) + pop()); push(past[0] * past[1]); }
}
""",
    "Norms": """float->float stateful filter Norms {
    float[24] level;
    work pop 24 push 25 {
        float[24] frame;
        for (int k = 0; k < 24; k++) frame[k] = pop();
        tensor x = frame;
        tensor y = (x - mean(x)) / sqrt(mean(x * x) + 0.001);
        for (int k = 0; k < 24; k++) { level[k] += y[k]; push(level[k] * exp(-y[k])); }
        push(item(sum(sigmoid(x))));
    }
}
""",
}  # fmt: skip

# What is in lanes, but has filters that do one instance after the other.
IN_TURN = {
    "Structs": (programs.STRUCTS, "its items are no numbers"),
    "Checks": ("""int->int pipeline Checks { add Sum; add Two; add Ratio; }
int->int stateful filter Sum { int sum; work pop 1 push 1 { sum += pop(); push(sum); } }
int->int filter Two { int[7] table; init { for (int i = 0; i < 7; i++) table[i] = 3 * i + 1; } work pop 1 push 2 { int x = pop(); push(100 + x); push(table[(x % 7 + 7) % 7]); } }
int->int stateful filter Ratio { int last; work pop 2 push 1 { int x = pop(); last = x / pop() + last % 5; push(last); } }
""", "a check might fail"),
    "Panels": ("""float->float pipeline Panels { add Wide(1.0); add Narrow(); add Wide(0.5); }
float->float filter Wide(float scale) {
    tensor<float>[96, 64] w;
    init { w = sin(reshape(arange(96 * 64), 96, 64)) * scale; }
    work pop 4 push 4 {
        float[24][96] all;
        for (int k = 0; k < 24 * 96; k++) all[k / 96][k % 96] = peek(k % 4) / (k + 1);
        tensor x = all;
        tensor y = matmul(x, w);
        for (int k = 0; k < 4; k++) { push(y[5 * k, k]); pop(); }
    }
}
float->float stateful filter Narrow {
    tensor<float>[48, 48] w;
    tensor<float>[1, 48] past;
    init { w = cos(reshape(arange(48 * 48), 48, 48)) * 0.2; past = zeros(1, 48); }
    work pop 1 push 1 { past = tanh(matmul(past, w) + pop()); push(past[0, 7]); }
}
""", "its arrays are large"),
    "Ways": ("""float->float stateful filter Ways {
    float[6] past;
    int at;
    work pop 1 push 1 { float x = pop(); int k = 0; while (k < 5 && past[k] < x) k++; past[k] = x; at = (at + k) % 6; push(past[at % 6]); }
}
""", "a loop's condition varies"),
}  # fmt: skip

# Filters over tensors that stand between numbers, which they take from the channels then.
TENSORS = """float->float pipeline Tensors { add frame({6}); add Mix(); add unframe({6}); add Half(); add frame({6}); add Past(); add unframe({6}); add Half(); add frame({6}); add Pairs(); add unframe({6}); }
float->float filter Half { work pop 1 push 1 { push(pop() * 0.5 + 0.1); } }
tensor->tensor filter Mix {
    tensor<float>[6, 6] m;
    init { m = sin(reshape(arange(36), 6, 6)) * 0.4; }
    work pop 1 push 1 { push(tanh(matmul(pop(), m))); }
}
tensor->tensor stateful filter Past { tensor<float>[6] last; init { last = zeros(6); } work pop 1 push 1 { last = last * 0.5 + pop(); push(last); } }
tensor->tensor filter Pairs { work pop 1 peek 3 push 1 { tensor x = pop(); push(x * peek(1)); } }
"""
SUMMED_FAULT = programs.FAULT.replace("add Index;", "add Sum; add Index;") + """
int->int stateful filter Sum { int sum; work pop 1 push 1 { int x = pop(); sum = (sum + x + 10) % 10; push(x == 77 ? x : sum); } }
"""


class Many(States):
    def rounds(self, library, count, kind, out_of_step=True):
        """Handles together, and their twins one by one."""
        draw = random.Random(count)
        make = floats if kind == "f" else ints
        handles, twins = ([library.handle() for _ in range(count)] for _ in range(2))
        for k, (one, other) in enumerate(zip(handles, twins, strict=True)):
            some = make(draw.randint(0, 9) if out_of_step and k % 5 == 2 else 40, seed=k)
            self.assertEqual(one.process(some, 200), other.process(some, 200))
            if out_of_step and k % 11 == 10:
                self.assertEqual(one.drain(100), other.drain(100))
        for turn in range(12):
            items = draw.choice([0, 1, 7, 64, 200, 333])
            room = draw.choice([0, 5, 2 * items, 800])
            inputs = [make(items, seed=1000 * turn + k) for k in range(count)]
            status, taken, made = library.together(handles, inputs, room)
            want = [twin.process(given, room) for twin, given in zip(twins, inputs, strict=True)]
            self.assertEqual(status, next((one[0] for one in want if one[0] != OK), OK))
            self.assertEqual(taken, [one[1] for one in want])
            self.assertEqual(made, [one[2] for one in want])
            self.assertEqual([one.save() for one in handles], [one.save() for one in twins])

    def test_together_is_one_by_one(self):
        for name, text in SESSIONS.items():
            for options in ([], ["-O0"], ["-O3"], ["--march=x86-64-v3"]):
                with self.subTest(name, options=options):
                    library = self.built_library(text, "--lanes", *options, name=f"{name}{'-'.join(options)}".replace("=", ""))
                    self.assertEqual(self.said, "")
                    for count in (1, 2, 5, 16, 39):
                        self.rounds(library, count, "i" if text.startswith("int") else "f")
                    self.rounds(library, 32, "i" if text.startswith("int") else "f", False)

    def test_tensors_between_numbers(self):
        for options, said in [([], ""), (["-O3"], ""), (["-O0"], "Past: its items are no numbers")]:
            with self.subTest(options=options):
                library = self.built_library(TENSORS, "--lanes", *options, name=f"tensors{''.join(options)}")
                self.assertIn(said, self.said)
                self.assertEqual(bool(said), bool(self.said))
                for count in (3, 16, 39):
                    self.rounds(library, count, "f")

    def test_some_filters_one_after_the_other(self):
        for name, (text, why) in IN_TURN.items():
            with self.subTest(name):
                library = self.built_library(text, "--lanes", name=f"turn{name}")
                self.assertIn("of '--lanes' this filter does one instance after the other: ", self.said)
                self.assertIn(why, self.said)
                for count in (3, 16, 39):
                    self.rounds(library, count, "i" if text.startswith("int") else "f")

    def test_parameters_tell_instances_apart(self):
        library = self.built_library(SESSIONS["Voice"], "--lanes", "--keep-param=gain")
        self.assertEqual(self.said, "")
        library.code.Voice_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
        handles, twins = ([library.handle() for _ in range(40)] for _ in range(2))
        for turn in range(4):
            for k in range(turn, 40, 3):
                for one in (handles[k], twins[k]):
                    library.code.Voice_set(one.pointer, 0, struct.pack("<f", k % 2), 4)
            inputs = [floats(100, seed=turn * 40 + k) for k in range(40)]
            _, taken, made = library.together(handles, inputs, 100)
            self.assertEqual([(OK, *one) for one in zip(taken, made, strict=True)], [twin.process(one, 100) for twin, one in zip(twins, inputs, strict=True)])

    def test_faults_are_those_of_single_handles(self):
        """Of filters without state, which do more alone, and with one; the others go on as if they had been alone."""
        for name, text in [("Plain", programs.FAULT), ("Sums", SUMMED_FAULT)]:
            with self.subTest(name):
                library = self.built_library(text, "--lanes", name=name)
                self.assertIn("of '--lanes' this filter does one instance after the other: Index: a check might fail", self.said)
                handles, twins = ([library.handle() for _ in range(20)] for _ in range(2))
                for one in (*handles, *twins):
                    one.process(struct.pack("<i", 0), 9)
                for turn in range(3):
                    # 77 is in no table.
                    inputs = [struct.pack("<70i", *(0 if j % 7 else 77 if (turn, k, j) == (1, 7, 63) else 1 - j % 2 for j in range(70))) for k in range(20)]
                    status, taken, made = library.together(handles, inputs, 100)
                    want = [twin.process(given, 100) for twin, given in zip(twins, inputs, strict=True)]
                    self.assertEqual(status, FAULT if turn > 0 else OK)
                    self.assertEqual(taken, [one[1] for one in want])
                    self.assertEqual(made, [one[2] for one in want])
                    self.assertEqual([one.message for one in handles], [one.message for one in twins])
                    self.assertEqual([one.save() for k, one in enumerate(handles) if k != 7], [one.save() for k, one in enumerate(twins) if k != 7])
                self.assertIn("77", handles[7].message)
                self.assertEqual(handles[8].message, "")

    def test_messages_and_dynamic_rates(self):
        """One after the other, by the same function."""
        for name, bound in (("MESSAGES", 8), ("NESTED", 16), ("DYNAMIC_MESSAGES", 8)):
            with self.subTest(name):
                library = self.built_library(getattr(bounded_programs, name), "--lanes", f"--bound={bound}", name=f"many{name}")
                for count in (1, 5, 16):
                    self.rounds(library, count, "i")

    def test_what_has_no_lanes(self):
        for text, why in [
            ("int->int pipeline Far { add Look; } int->int filter Look { work pop 1 peek 3 push 1 { push(peek(peek(0) % 3)); pop(); } }", "it might look outside of its window"),
            (programs.ECHO, "effects"),
            (programs.FIR, "rounded otherwise"),
        ]:
            self.built_library(text, "--lanes", *(["--fast-math"] if text == programs.FIR else []), name=why.split()[-1])
            self.assertIn("'--lanes' has no effect", self.said)
            self.assertIn(why, self.said)
        self.file("p.str", programs.FIR)
        error = self.call("build", "--lanes", "--top=Fir", "p.str", status=2)[1]
        self.assertIn("--lanes needs --shared", error if isinstance(error, str) else error.decode())


class Refusing(States):
    def refused(self, handle, state, status, text):
        before = handle.save()
        self.assertEqual(handle.restore(state), status, handle.message)
        self.assertIn(text, handle.message)
        self.assertEqual(handle.save(), before)
        self.assertEqual(handle.message, "")

    def setUp(self):
        super().setUp()
        self.handle = self.built_library(programs.ECHO).handle()
        self.handle.process(floats(100), 100)
        self.state = self.handle.save()
        self.handle.process(floats(50, seed=3), 50)

    def test_truncated(self):
        for size in (0, 1, 7, 8, HEAD - 1, HEAD, HEAD + 1, len(self.state) - 1):
            self.refused(self.handle, self.state[:size], TRUNCATED, "is not complete")

    def test_damaged(self):
        for at in (0, 5, *range(HEAD, len(self.state), 13), len(self.state) - 1):
            state = bytearray(self.state)
            state[at] ^= 4
            self.refused(self.handle, bytes(state), DAMAGED, "damaged")
        self.refused(self.handle, self.state + b"\0", DAMAGED, "damaged")
        self.refused(self.handle, b"RIFF" + self.state, DAMAGED, "no saved state")

    def test_newer(self):
        self.refused(self.handle, self.state[:8] + struct.pack("<I", 2) + self.state[12:], NEWER, "newer version")

    def test_other_program(self):
        for name, text in [("q", programs.FIR), ("r", programs.ECHO.replace("0.5 *", "0.25 *")), ("s", programs.ECHO.replace("37", "38"))]:
            other = self.built_library(text, name=name).handle()
            self.refused(other, self.state, OTHER_PROGRAM, "another program")

    def test_names_of_files_do_not_matter(self):
        self.file("other.str", "// Moved.\n\n" + programs.ECHO)
        self.call("build", "--shared", self.top, "-o", "libt.so", "other.str")
        moved = Library(self.folder / "libt.so", "Echo", 4, 4).handle()
        self.assertEqual(moved.restore(self.state), OK)

    def test_made_up(self):
        """What has the right sum and says that there is more than there can be."""
        def sum_of(body):
            total = len(body)
            for at in range(0, len(body), 8):
                total = (total ^ int.from_bytes(body[at : at + 8], "little")) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
                total ^= total >> 29
            return struct.pack("<Q", total)

        def with_sum(state):
            return state[:32] + sum_of(state[HEAD:]) + state[HEAD:]

        self.assertEqual(with_sum(self.state), self.state)
        for at in range(HEAD + 40, HEAD + 64, 8):  # waiting, pending, trips
            for value in (1 << 62, (1 << 64) - 1):
                state = self.state[:at] + struct.pack("<Q", value) + self.state[at + 8 :]
                if at < HEAD + 56 or value >> 63:
                    self.refused(self.handle, with_sum(state), DAMAGED, "damaged")


if __name__ == "__main__":
    unittest.main()
