#!/usr/bin/env python3
"""How runs end: what becomes of the last items, what --limit counts, and what a firing that never ends leaves to be read."""

import os
import select
import struct
import unittest

from command import SECONDS, Case

BLOCKS = """float->float filter Block(int n) { work pop n push n { for (int k = 0; k < n; k++) push(pop()); } }
float->float filter Sum(int n) {
    work pop 1 peek n push 1 { float sum = 0; for (int k = 0; k < n; k++) sum += peek(k); pop(); push(sum); }
}
float->float pipeline Main { add Block(4); add Sum(2); }
"""
# One branch is three items late.
LATE = """float->float filter Late { prework push 3 { push(0); push(0); push(0); } work pop 1 push 1 { push(pop()); } }
float->float pipeline Main {
    add splitjoin { split duplicate; add Late; add Identity<float>; join roundrobin; }
    add float->float filter { work pop 2 push 1 { push(100 * pop() + pop()); } }
}
"""
AHEAD = """float->float filter Ahead { prework push 4 { for (int k = 0; k < 4; k++) push(k); } work pop 1 push 1 { push(pop()); } }
float->float pipeline Main { add Ahead; add float->float filter { work pop 1 peek 2 push 1 { push(peek(1) + pop()); } } }
"""
# Each item of the input takes part in one round of the loop.
LOOP = """float->float feedbackloop Main {
    join roundrobin(1, 1);
    body float->float filter { work pop 2 push 2 { float x = pop() + pop(); push(x); push(x); } }
    loop Identity<float>;
    split roundrobin(1, 1);
    enqueue 0;
}
"""
READ = """void->void pipeline Main {
    add FileReader<int>("in.raw");
    add int->int filter { work pop 4 push 4 { for (int k = 0; k < 4; k++) push(pop()); } }
    add int->void filter { work pop 1 peek 2 { println(peek(1) - peek(0) + " " + pop()); } }
}
"""
MESSAGES = """float->float filter Gain { float g = 1; work pop 4 push 4 { for (int k = 0; k < 4; k++) push(g * pop()); } handler set(float v) { g = v; } }
float->float filter Watch(portal<Gain> p) {
    work pop 1 peek 2 push 1 { if (peek(0) == 4) p.set(10) [0:4]; push(peek(0) + peek(1)); pop(); }
}
float->float pipeline Main { portal<Gain> p; add Gain to p; add Watch(p); }
"""
# A branch that the input does not reach goes on for nothing but the other one.
MIXED = """float->float splitjoin Main {
    split roundrobin(1, 0);
    add Block;
    add void->float filter { int k; work push 1 { push(1000 * k++); } }
    join roundrobin(1, 1);
}
float->float filter Block { work pop 2 push 2 { push(pop()); push(pop()); } }
"""
# Two filters print, one sends, one draws: the order is that of the language.
SEEN = """float->void pipeline Main { portal<Out> p; add Block(4); add Watch(p); add Block(3); add Out to p; }
float->float filter Block(int n) {
    work pop n push n { println("block " + n); for (int k = 0; k < n; k++) push(pop() + random()); }
}
float->float filter Watch(portal<Out> p) {
    prework push 20 { for (int k = 0; k < 20; k++) push(k); }
    work pop 1 push 1 { float x = pop(); if ((int)x % 3 == 0) p.set(x) [1:2]; push(x); }
}
float->void filter Out {
    float last;
    work pop 2 { println(last + " " + pop() + " " + pop()); }
    handler set(float x) { last = x; println("set"); }
}
"""
FAULT = """int->int pipeline Main { add Block(4); add Over; }
int->int filter Block(int n) { work pop n push n { for (int k = 0; k < n; k++) push(pop()); } }
int->int filter Over { work pop 1 peek 2 push 1 { push(100 / pop()); } }
"""
SECOND = """float->float splitjoin Main {
    split duplicate;
    add float->float filter { prework push 47999 { for (int k = 0; k < 47999; k++) push(k); } work pop 1 push 1 { push(pop()); } };
    join roundrobin;
}
"""
# Pops one item, two, three, then one again.
DYNAMIC = """float->void pipeline Main {
    add float->float filter { int n; work pop * push 1 { float x = 0; for (int k = 0; k <= n; k++) x += pop(); n = (n + 1) % 3; push(x); } };
    add float->void filter { work pop 1 { println(pop()); } };
}
"""
COPY = 'void->void pipeline Main { add Ramp; add FileWriter<float>("out.raw"); }'
NOTHING = "void->void pipeline Main { add Ramp; add float->void filter { work pop 1 { pop(); } } }"
ENDLESS = """void->void pipeline Main { add Ramp; add Last; }
float->void filter Last {
    work pop 1 { float x = pop(); println(x); int n = 1; while (x == 3 && n > 0) n = (n + 2) % 1000 + 1; }
}
"""


def numbers(count):
    return " ".join(str(k) for k in range(1, count + 1)).encode()


class Ending(Case):
    def engines(self, path, *build):
        """Calls of strc and of an executable that do the same."""
        self.call("build", "-o", "made", *build, path)
        calls = [(["run", "--interpret", *build, path], None), (["run", *build, path], None), ([], "./made")]
        if self.has_lower_form(path, *build):
            self.call("build", "--tapes=arrays", "-o", "lowered", *build, path)
            lowered = ["run", "--tapes=arrays", *build, path]
            calls += [([*lowered, "--interpret"], None), (lowered, None), ([], "./lowered")]
        return calls

    def has_lower_form(self, path, *build):
        _, err = self.start("build", "--tapes=arrays", "--emit=plan", *build, path).communicate()
        return b"[cannot-compile]" not in err

    def items(self, text, count, *words):
        path = self.file("p.str", text)
        results = []
        for call, program in self.engines(path, "--top", "Main"):
            out, err = self.call(*call, "--in-format=text", "--out-format=text", *words, input=numbers(count), executable=program)
            warned = [line.split(" [")[0].split("warning: ")[1] for line in err.splitlines() if "warning: " in line]
            results.append(([float(word) for word in out.split()], warned))
        for other in results[1:]:
            self.assertEqual(other, results[0])
        return results[0]

    def drained(self, text, count):
        """The default of an open input."""
        results = self.items(text, count)
        self.assertEqual(self.items(text, count, "--tail=drain"), results)
        return results

    def dropped(self, text, count):
        return self.items(text, count, "--tail=drop")

    def test_dropped(self):
        told = "3 items left on tapes at the end of the input, most of them before 'Main.Sum'"
        self.assertEqual(self.dropped(BLOCKS, 8), ([3, 5, 7, 9], [told]))
        left = "2 items left over at the end of 'standard input'"
        self.assertEqual(self.dropped(BLOCKS, 10), ([3, 5, 7, 9], [told, left]))
        self.assertEqual(self.dropped(BLOCKS, 3), ([], ["3 items left over at the end of 'standard input'"]))
        out, told = self.dropped(LATE, 5)
        self.assertEqual(out, [1, 2, 3, 104, 205])
        self.assertEqual(told, ["3 items left on tapes at the end of the input, most of them before 'Main.splitjoin.join'"])

    def test_told_where_the_program_adds_it(self):
        """Also what waits inside of streams of the library."""
        path = self.file("p.str", """float->float pipeline Main {
    add ZeroLatencyConvolver({1, 2, 3, 4, 5, 6, 7, 8}, block = 2, largest = 4);
    add Adder(3);
}
""")  # fmt: skip
        for call, program in self.engines(path, "--top", "Main"):
            for tail in ("--tail=drop", "--tail=drain"):
                _, err = self.call(*call, "--in-format=text", "--out-format=text", tail, input=numbers(50), executable=program)
                self.assertIn("p.str:2:5: warning: 6 items left on tapes", err)

    def test_nothing_to_tell(self):
        """Windows and loops keep what they need for the next firing."""
        text = BLOCKS.replace("add Block(4);", "")
        self.assertEqual(self.dropped(text, 5), ([3, 5, 7, 9], []))
        self.assertEqual(self.dropped(LOOP, 3), ([1, 3, 6], []))
        for behind in ("", "add float->float filter { work pop [1, 2] push 1 { push(pop()); } };"):
            text = "float->float pipeline Main { add Echo(3); add DampedEcho(2, 0.25); add MovingAverage(4); add MovingMaximum(3);" + behind + "}"
            for count in (9, 10):
                self.assertEqual(self.dropped(text, count)[1], [])
                self.assertEqual(self.drained(text, count)[1], [])

    def test_drained(self):
        self.assertEqual(self.drained(BLOCKS, 8), ([3, 5, 7, 9, 11, 13, 15], []))
        self.assertEqual(self.drained(BLOCKS, 4), ([3, 5, 7], []))
        self.assertEqual(self.drained(BLOCKS, 3), ([], ["3 items left over at the end of 'standard input'"]))
        self.assertEqual(self.drained(AHEAD, 1), ([1, 3, 5, 4], []))
        self.assertEqual(self.drained(LOOP, 4), ([1, 3, 6, 10], []))

    def test_drained_by_compiled_programs(self):
        """What filters are put together for, and how many firings go at once, does not matter."""
        text = BLOCKS.replace("Sum(2)", "Sum(5); add Sum(3); add Block(6); add Sum(2)")
        path = self.file("p.str", text)
        ends = ["--top", "Main", "--in-format=text", "--out-format=text", "--tail=drain", path]
        for count in (3, 8, 9, 11, 12, 16, 20, 1000):
            expected = self.call("run", "--interpret", *ends, input=numbers(count))
            for engine in ([], ["-O0"], ["--tapes=ring"], ["--tapes=arrays"], ["--tapes=arrays", "-O0"], ["--tapes=arrays", "-j3", "--no-tune"]):
                self.assertEqual(self.call("run", "--no-interpret", *engine, *ends, input=numbers(count)), expected)
            firings = count // 4 * 4 - 6
            self.assertEqual(len(expected[0].split()), max(firings // 6 * 6 - 1, 0))

    def test_drained_as_far_as_the_slowest_branch(self):
        out, told = self.drained(LATE, 5)
        self.assertEqual(out, [1, 2, 3, 104, 205])
        self.assertEqual(told, ["3 items left on tapes at the end of the input, most of them before 'Main.splitjoin.join'"])
        self.assertEqual(self.drained(MIXED, 5)[0], [1, 0, 2, 1000, 3, 2000, 4, 3000])

    def test_drained_with_messages(self):
        dropped, drained = self.dropped(MESSAGES, 12)[0], self.drained(MESSAGES, 12)[0]
        self.assertEqual(drained[:len(dropped)], dropped)
        self.assertEqual(len(drained), 11)

    def test_drained_what_is_printed(self):
        """Programs that read files drop, unless they are asked."""
        self.file("in.raw", struct.pack("<9i", *range(9)))
        path = self.file("p.str", READ)
        for call, program in self.engines(path):
            self.assertEqual(self.call(*call, executable=program)[0], b"".join(b"1 %d\n" % k for k in range(4)))
            out, err = self.call(*call, "--tail=drain", executable=program)
            self.assertEqual(out, b"".join(b"1 %d\n" % k for k in range(7)))
            self.assertIn("1 item left over at the end of 'in.raw'", err)

    def test_drained_in_the_order_of_a_run(self):
        """Messages, random numbers and prints of several filters, over several steady states."""
        path = self.file("p.str", SEEN)
        for count in range(1, 40, 6):
            results = []
            for words in (["--interpret"], ["--no-interpret"], ["--no-interpret", "--tapes=ring"]):
                call = ["run", *words, "--top", "Main", "--in-format=text", path]
                results.append(self.call(*call, input=numbers(count)))
            self.assertEqual(results[1], results[0])
            self.assertEqual(results[2], results[0])

    def test_drained_up_to_a_fault(self):
        """What comes before it is there, and no fault comes of zeros."""
        path = self.file("p.str", FAULT)
        for call, program in self.engines(path, "--top", "Main"):
            words = [*call, "--in-format=text", "--out-format=text"]
            out = self.call(*words, input=b"1 2 4 5 10 20 25 50", executable=program)[0]
            self.assertEqual(out.split(), b"100 50 25 20 10 5 4".split())
            out, err = self.call(*words, input=b"1 2 4 5 10 20 0 50", executable=program, status=1)
            self.assertEqual(out.split()[:4], b"100 50 25 20".split())  # before the steady state with the fault
            self.assertIn("division", err)

    def test_drained_after_a_long_prework(self):
        """A second of sound that one branch begins with."""
        path = self.file("p.str", SECOND)
        for call, program in self.engines(path, "--top", "Main"):
            words = [*call, "--in-format=text", "--out-format=text"]
            out, err = self.call(*words, input=numbers(50000), executable=program)
            self.assertEqual(len(out.split()), 50000 + 47999)
            self.assertNotIn("warning", err)

    def test_nothing_is_left_for_programs_that_need_none(self):
        """No code for the end."""
        path = self.file("p.str", BLOCKS.replace("add Block(4);", ""))
        self.assertNotIn("drain", self.call("run", "--top", "Main", "--emit=llvm", path)[0].decode())
        path = self.file("p.str", BLOCKS)
        self.assertIn("drain", self.call("run", "--top", "Main", "--emit=llvm", path)[0].decode())

    def test_drained_with_dynamic_rates(self):
        path = self.file("p.str", DYNAMIC)
        for call, program in self.engines(path, "--top", "Main"):
            for count, lines in ((2, 1), (3, 2), (7, 4), (10, 5), (12, 6)):
                out = self.call(*call, "--in-format=text", input=numbers(count), executable=program)[0]
                self.assertEqual(len(out.splitlines()), lines, (call, count, out))

    def test_zeros_for_dynamic_rates(self):
        path = self.file("p.str", DYNAMIC)
        for call, program in self.engines(path, "--top", "Main"):
            err = self.call(*call, "--tail=pad", input=b"", status=2, executable=program)[1]
            self.assertIn("'--tail=pad' is given, but main stream 'Main' has no steady state that zeros could fill", err)

    def test_filled_up_until_all_is_out(self):
        self.assertEqual(self.items(BLOCKS, 8, "--tail=pad"), ([3, 5, 7, 9, 11, 13, 15, 8], []))
        self.assertEqual(self.items(BLOCKS, 9, "--tail=pad")[0], [3, 5, 7, 9, 11, 13, 15, 17, 9, 0, 0, 0])
        self.assertEqual(self.items(BLOCKS, 3, "--tail=pad")[0], [3, 5, 3, 0])
        self.assertEqual(self.items(LATE, 5, "--tail=pad"), ([1, 2, 3, 104, 205, 300, 400, 500], []))
        self.assertEqual(self.items(LOOP, 3, "--tail=pad"), ([1, 3, 6], []))

    def test_limit_of_files(self):
        path = self.file("p.str", COPY)
        for call, program in self.engines(path):
            self.call(*call, "--limit", "5", executable=program)
            self.assertEqual(self.bytes("out.raw"), struct.pack("<5f", *range(5)))

    def test_limit_of_nothing(self):
        path = self.file("p.str", NOTHING)
        for call, program in self.engines(path):
            err = self.call(*call, "--limit", "5", status=2, executable=program)[1]
            self.assertIn("'--limit' is given, but main stream 'Main' has no printed lines and no output", err)

    def test_limit_without_lines(self):
        """They would never be counted."""
        path = self.file("p.str", 'void->void pipeline Main { add Ramp; add float->void filter { work pop 1 { print(pop() + " "); } } }')
        for call, program in self.engines(path):
            err = self.call(*call, "--limit", "5", status=2, executable=program)[1]
            self.assertIn("'--limit' is given, but main stream 'Main' has no printed lines and no output", err)
        path = self.file("p.str", 'void->void pipeline Main { add Ramp; add float->void filter { work pop 1 { print(pop() + "\\n"); } } }')
        for call, program in self.engines(path):
            self.assertEqual(self.call(*call, "--limit", "2", executable=program)[0], b"0.0\n1.0\n")

    def test_lines_before_a_firing_that_never_ends(self):
        """Nobody interrupts it: a pipe gets them all the same."""
        path = self.file("p.str", ENDLESS)
        for call, program in self.engines(path):
            process = self.start(*call, executable=program)
            text = b""
            while text.count(b"\n") < 4:
                ready, _, _ = select.select([process.stdout], [], [], SECONDS)
                self.assertTrue(ready, f"only {text} came")
                got = os.read(process.stdout.fileno(), 100)
                self.assertNotEqual(got, b"", process.poll())
                text += got
            self.assertEqual(text, b"0.0\n1.0\n2.0\n3.0\n")
            process.kill()
            process.wait()


if __name__ == "__main__":
    unittest.main()
