#!/usr/bin/env python3
"""Libraries with dynamic rates and messages (`--bound`): pieces of any size give what `strc run` gives, nothing allocates, locks
or enters the system after create, and what is more than the bound is told."""

import os
import random
import re
import struct
import subprocess
import unittest

import bounded_programs as programs
from shared_test import EMULATOR, TARGET, Libraries, floats, ints
from command import SECONDS


def packed(words):
    return struct.pack(f"<{len(words)}i", *words)


def packets(count, seed=1):
    """Some of them damaged, with noise between them, and in the disguise that the decoder takes off."""
    draw, words = random.Random(seed), []
    for _ in range(count):
        body = [draw.randint(0, 255) for _ in range(draw.randint(0, 15))]
        check = sum(body) & 255
        words += [126, len(body), *body, check if draw.random() < 0.8 else check ^ 1]
        words += [draw.randint(0, 120) for _ in range(draw.randint(0, 4))]
    return packed([word ^ 85 for word in words])


def symbols(count, seed=1):
    """Rectangles with rounded edges, 4.1 items each."""
    draw = random.Random(seed)
    bits = [draw.choice([-1, 1]) for _ in range(count)]
    level, items = 0, []
    for k in range(int(4.1 * count)):
        level += 0.6 * (bits[int(k / 4.1)] - level)
        items.append(level + draw.gauss(0, 0.05))
    return struct.pack(f"<{len(items)}f", *items)


class Bounded(Libraries):
    def compare(self, text, stream, items, bound, *options, flags=()):
        """Engines and pieces; what the host says is nothing."""
        self.build_library(text, f"--bound={bound}", *options)
        self.host(stream, *flags)
        want = self.expected(items)
        self.assertEqual(self.expected(items, "--interpret"), want)
        self.assertNotEqual(want, b"")
        self.assertEqual(self.same_in_pieces(stream, want, 4), "")
        return want

    def sealed(self, stream, want):
        if TARGET:
            return  # emulators enter the system
        self.compile("sealed.c", "libp", stream, "-L.", "-lp", f"-Wl,-rpath,{self.folder}", product="sealed")
        done = subprocess.run(["./sealed", "in.raw"], cwd=self.folder, capture_output=True, check=True, timeout=SECONDS)
        self.assertEqual(done.stdout, want)


class Pieces(Bounded):
    def test_packets(self):
        for level in ("-O2", "-O0"):
            want = self.compare(programs.PACKETS, "Packets", packets(300), 40, level)
            self.assertGreater(len(want), 4000)
        self.sealed("Packets", want)

    def test_timing_recovery(self):
        want = self.compare(programs.RECEIVER, "Receiver", symbols(3000), 64)
        self.assertGreater(len(want), 40)
        self.sealed("Receiver", want)

    def test_firings_within_firings(self):
        self.compare(programs.NESTED, "Nested", ints(3000), 16)

    def test_without_regions(self):
        self.compare(programs.NESTED, "Nested", ints(1000), 16, "--disable-pass=regions")

    def test_first_firings_loops_and_random_numbers(self):
        self.compare(programs.WAYS, "Ways", ints(3000, 0, 99), 12)

    def test_a_firing_without_an_end(self):
        """What leaves the program has all the room that the host gives it, whatever the bound."""
        self.compare(programs.FOREVER, "Forever", ints(2000), 1)

    def test_messages(self):
        want = self.compare(programs.MESSAGES, "Messages", ints(3000, 0, 99), 8)
        self.assertNotEqual(want, self.quiet(programs.MESSAGES))
        self.sealed("Messages", want)

    def test_messages_to_nobody(self):
        text = programs.MESSAGES.replace("add Gain to up;", "add Gain;").replace("add Gain to down;", "add Gain;")
        self.compare(text, "Messages", ints(300, 0, 99), 8)

    def test_messages_and_dynamic_rates(self):
        want = self.compare(programs.DYNAMIC_MESSAGES, "Mixed", ints(3000, 1, 99), 8)
        self.assertNotEqual(want, self.quiet(programs.DYNAMIC_MESSAGES))

    def quiet(self, text):
        """What comes if nobody sends anything."""
        self.file("p.str", re.sub(r"if \(\w % \d == 0\) \w+\.\w+\(.*?\)( \[.*?\])?;", "", text))
        return self.expected(self.bytes("in.raw"))

    def test_source(self):
        self.build_library(programs.SOURCE, "--bound=8")
        self.host("Source", "-DNO_INPUT")
        self.file("in.raw", b"")
        self.call("run", self.top, "--limit=500", "--out", "want.raw", "p.str")
        for most in (1, 13, 1000):
            self.execute("./host", "in.raw", "out.raw", str(most), "1", "500")
            self.assertEqual(self.bytes("out.raw"), self.bytes("want.raw"))

    def test_sink(self):
        self.build_library(programs.SINK, "--bound=8")
        self.host("Sink", "-DNO_OUTPUT")
        self.file("in.raw", ints(1003))
        self.execute("./host", "in.raw", "out.raw", "17", "1", "10")
        self.assertEqual(self.bytes("out.raw"), b"")

    def test_static_programs_take_no_notice(self):
        self.compare("int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n", "Twice", ints(300), 1)


class Parameters(Bounded):
    def test_firings_see_them_from_their_start(self):
        """One that waits in its middle sees the old value until its end."""
        self.build_library(programs.GAIN, "--bound=4", "--keep-param=gain", "--keep-param=most")
        self.file("main.c", """#include "libp.h"
#include <stdio.h>
int main(void) {
    int in[6] = {0, 2, 9, 9, 1, 9}, out[6];
    size_t taken, given;
    Gain_handle *h = Gain_create(NULL);
    Gain_set_gain(h, 3);
    Gain_process(h, in, 3, out, 6, &taken, &given);
    printf("%zu %zu %d\\n", taken, given, out[0]);
    Gain_set_most(h, 5);
    Gain_set_gain(h, 10);
    Gain_process(h, in + 3, 1, out, 6, &taken, &given);
    printf("%zu %zu %d\\n", taken, given, out[0]);
    Gain_process(h, in + 4, 2, out, 6, &taken, &given);
    printf("%zu %zu %d\\n", taken, given, out[0]);
    Gain_reset(h);
    Gain_process(h, in, 1, out, 6, &taken, &given);
    printf("%zu %zu %d\\n", taken, given, out[0]);
    Gain_destroy(h);
}
""")  # fmt: skip
        self.compile_main()
        done = subprocess.run([*EMULATOR, "./main"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "3 1 57\n1 1 190\n2 1 280\n1 1 280\n")

    def compile_main(self):
        self.execute(os.environ.get("CC") or "cc", "main.c", "-o", "main", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")

    def test_they_are_set_as_by_d(self):
        self.build_library(programs.GAIN, "--bound=4", "--keep-param=most")
        self.host("Gain", "-DSETTING(h)=Gain_set_most(h, 7)")
        want = self.expected(ints(500), "-D", "most=7")
        self.assertEqual(self.same_in_pieces("Gain", want, 4), "")


class Faults(Bounded):
    def same_fault(self, text, stream, bound, items, want):
        self.build_library(text, f"--bound={bound}")
        self.host(stream)
        self.file("in.raw", packed(items))
        return self.same_in_pieces(stream, packed(want), 4, status=1)

    def test_full_queue(self):
        want = [3 * (n + i) for n in (2, 8, 1) for i in range(n)]
        said = self.same_fault(programs.BURST, "Burst", 8, [2, 8, 1, 9, 1], want)
        self.assertEqual(said, "p.str:2:89: error: what waits between 'Burst.Spread' and 'Burst.Scale' exceeds the limit of "
                         "8 items ('--bound') [limit-exceeded] in Burst.Spread")  # fmt: skip
        self.compare(programs.BURST, "Burst", packed([2, 8, 1, 9, 1]), 9)

    def test_full_mailbox(self):
        said = self.same_fault(programs.CROWD, "Crowd", 4, [1, 2, 3, 1], [1, 2])
        self.assertIn("p.str:3:", said)
        self.assertIn("error: what waits for 'Crowd.Gain' exceeds the limit of 4 messages ('--bound') [limit-exceeded] in Crowd.Send", said)
        self.compare(programs.CROWD, "Crowd", packed([1, 2, 3, 1] + 30 * [0]), 7)

    def test_checks(self):
        said = self.same_fault(programs.FAULT, "Fault", 8, [1, 5, 3, 2, 4, 0, 7], [1000, 200, 333, 500, 250])
        self.assertIn("p.str:3:", said)
        self.assertIn("[division-by-zero] in Fault.Divide", said)

    def test_deep_recursion_ends_in_a_message(self):
        said = self.same_fault(programs.ENDLESS, "Endless", 4, [1, 2, 3, 2000000000, 4], [1, 3, 6])
        self.assertIn("function 'sum'", said)


class Products(Bounded):
    def test_header(self):
        self.build_library(programs.PACKETS, "--bound=40")
        header = (self.folder / "libp.h").read_text()
        self.assertIn("#define Packets_BOUND 40\n#define Packets_STACK_BYTES ", header)
        self.assertNotIn("LATENCY", header)
        self.assertIn("stay with the caller", header)
        self.build_library(programs.MESSAGES, "--bound=9")
        header = (self.folder / "libp.h").read_text()
        self.assertIn("#define Messages_BOUND 9\n", header)
        self.assertRegex(header, "#define Messages_LATENCY [0-9]+\n")

    def test_what_it_needs(self):
        for text in (programs.PACKETS, programs.MESSAGES):
            self.check_symbols(text, "--bound=8")


class Refusing(Bounded):
    def refuse(self, text, bound, *parts):
        _, err = self.build_library(text, f"--bound={bound}", status=1)
        for part in parts:
            self.assertIn(part, err)
        self.assertEqual(os.listdir(self.folder), ["p.str"])

    def test_numbers(self):
        for bound in ("0", "-1", "x", "2147483648", "99999999999999999999", ""):
            _, err = self.build_library(programs.PACKETS, f"--bound={bound}", status=2)
            self.assertIn("--bound", err)
        self.file("p.str", programs.PACKETS)
        _, err = self.call("build", "--bound=9", "p.str", status=2)
        self.assertIn("--bound needs --shared", err)

    def test_what_would_always_be_too_much(self):
        self.refuse("int->int pipeline P { add Q; add R; }\nint->int filter Q { work pop * push 1 { push(pop()); } }\n"
                    "int->int filter R { work pop 1 peek 10 push 1 { push(peek(9)); pop(); } }\n", 9,
                    "p.str:1:30: error: what it takes or looks at, 10 items, exceeds the limit of 9 items ('--bound') [limit-exceeded]\n", "in instance P.R")
        self.refuse("int->int pipeline P { add R; add Q; }\nint->int filter Q { work pop * push 1 { push(pop()); } }\n"
                    "int->int filter R { work pop 1 push 10 { for (int i = 0; i < 10; i++) push(i); pop(); } }\n", 9,
                    "p.str:1:23: error: what it gives, 10 items, exceeds the limit of 9")  # fmt: skip

    def test_memory(self):
        self.refuse(programs.PACKETS, 2147483647, "the memory for queues and messages under '--bound 2147483647' exceeds the limit of")
        self.refuse(programs.MESSAGES, 2147483647, "the memory for queues and messages under '--bound 2147483647' exceeds the limit of")

    def test_loops(self):
        self.refuse(programs.LOOP, 9, "p.str:3:5: error: a library cannot have dynamic rates within a feedback loop [library-effect]",
                    "note: the loop may come to wait for its own output")  # fmt: skip

    def test_without_a_bound(self):
        for text in (programs.PACKETS, programs.MESSAGES):
            _, err = self.build_library(text, status=1)
            self.assertIn("[library-effect]", err)
            self.assertIn("'--bound N' gives one", err)


if __name__ == "__main__":
    unittest.main()
