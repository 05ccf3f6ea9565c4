#!/usr/bin/env python3
"""Libraries whose calls several threads share: whatever the threads, the pieces and the delays, they give what `strc run` gives, nothing
allocates while they work, a fault is that of one thread, and what gains nothing is told."""

import os
import re
import subprocess
import unittest

from shared_test import CC, FUNCTIONS, RUNTIME, ROOT, SECONDS, Libraries, floats, ints  # noqa: F401

# Work without a result of note: each firing takes about a microsecond.
HEAVY = """float->float stateful filter Heavy(int seed) {
    float a, b;
    init { a = seed; b = 1; }
    work pop 1 push 1 {
        float x = pop();
        for (int i = 0; i < 400; i++) { a = 0.999 * a + x * b; b = 0.5 + 0.25 * b * x; }
        push(a);
    }
}
"""
LIGHT = """float->float filter Light(int n) {
    work pop 1 peek 9 push 1 {
        float sum = 0;
        for (int k = 0; k < n; k++) for (int i = 0; i < 9; i++) sum = 0.5 * sum + 0.125 * peek(i) * ((k - i) % 3);
        pop();
        push(sum);
    }
}
"""
BRANCHES = (
    """float->float pipeline Branches {
    add splitjoin { split duplicate; add Heavy(1); add Heavy(2); join roundrobin; };
    add Two;
}
float->float filter Two { work pop 2 push 1 { push(pop() - pop()); } }
"""
    + HEAVY
)
CHAIN = (
    """float->float pipeline Chain { for (int i = 0; i < 5; i++) add Heavy(i); }
"""
    + HEAVY
)
WINDOWS = (
    """float->float pipeline Windows { add Light(60); add Counted; add Heavy(3); add Light(40); add Up; add Noise; add Down; }
float->float filter Counted {
    work pop 1 push 1 { push(pop() * (iter() % 7)); }
}
float->float filter Up { work pop 1 push 3 { float x = pop(); push(x); push(-x); push(x * x); } }
float->float filter Down { work pop 2 push 1 { push(pop() + pop()); } }
float->float filter Noise { work pop 1 push 1 { float x = pop(); for (int i = 0; i < 20; i++) x += random(); push(x); } }
"""
    + HEAVY
    + LIGHT
)
LOOP = (
    """float->float pipeline Loop { add Heavy(1); add Echo; add Heavy(2); }
float->float feedbackloop Echo {
    join roundrobin(1, 1);
    body float->float filter { work pop 2 push 2 { float x = pop(); float y = pop(); push(x); push(x + 0.5 * y); } };
    split roundrobin(1, 1);
    loop Identity<float>;
    for (int i = 0; i < 37; i++) enqueue 0.25;
}
"""
    + HEAVY
)
# One branch fails at a number, the other one earlier in time but later in the order of one thread.
FAULTS = """int->int pipeline Faults {
    add splitjoin { split duplicate; add Slow(10, 0); add Slow(1000, 7); join roundrobin; };
}
int->int stateful filter Slow(int n, int off) {
    int[100] table;
    int last;
    work pop 1 push 1 {
        int x = pop();
        for (int i = 0; i < n + 500; i++) last = last * 17 + x;
        table[x + off] = last;
        push(table[(x + off) / 2]);
    }
}
"""
SOURCE = """void->int pipeline Source { add Count; add Slow(3); add Slow(4); }
void->int stateful filter Count { int n; work push 1 { push(n++); } }
int->int stateful filter Slow(int n) {
    int last;
    work pop 1 push 1 { int x = pop(); for (int i = 0; i < 1500; i++) last = last * n + x; push(last); }
}
"""
# Messages to a filter further on, past heavy ones, with other rates and many latencies; from there to one behind it; and upstream.
MESSAGES = """int->int pipeline Messages {
    portal<Told> p; portal<Last> q;
    add Heavy(3); add Tells(p, 5, 0); add Heavy(4); add Pairs; add Told(q) to p; add Heavy(5); add Twice; add Last to q; add Heavy(6);
}
int->int filter Heavy(int n) {
    int last;
    work pop 1 push 1 { int x = pop(); for (int i = 0; i < 700; i++) last = last * n + (x ^ last >> 7); push(last); }
}
int->int filter Tells(portal<Told> p, int seldom, int latency) {
    work pop 1 push 1 { int x = pop(); if (x % seldom == 0) { p.set(x) [latency:latency]; p.set(x + 1) [17:17]; } push(x); }
}
int->int filter Pairs { work pop 2 push 1 { int x = pop(); push(x * 3 + pop()); } }
int->int filter Twice { work pop 1 push 2 { int x = pop(); push(x); push(x * 7 + 1); } }
int->int filter Told(portal<Last> q) {
    int gain = 1; int n;
    handler set(int g) { gain = gain * 5 + g + n; if (g % 3 == 0) q.set(gain) [2:2]; }
    work pop 1 push 1 { n++; push(pop() * gain + n); }
}
int->int filter Last {
    int gain = 1;
    handler set(int g) { gain = gain * 3 + g; }
    work pop 1 push 1 { push(pop() ^ gain); }
}
"""
UPSTREAM = MESSAGES.replace("add Twice; add Last to q;", "add Twice; add Last to q; add Tells(p, 9, 60);")
LONE = """float->float pipeline Lone { add Gain; add Gain; }
float->float filter Gain { work pop 1 push 1 { push(2 * pop()); } }
"""

THREADED = ["threads", "thread_report"]


class Sharing(Libraries):
    def host(self, stream, *flags):
        super().host(stream, "-DTHREADED", *flags)

    def under(self, threads, delays=None):
        os.environ["HOST_THREADS"] = str(threads)
        os.environ.pop("STRC_TEST_DELAYS", None)
        if delays:
            os.environ["STRC_TEST_DELAYS"] = str(delays)

    def setUp(self):
        super().setUp()
        self.addCleanup(os.environ.pop, "STRC_TEST_DELAYS", None)
        self.addCleanup(os.environ.pop, "HOST_THREADS", None)

    def shared_blocks(self, capacity):
        """Of a whole run in large pieces; what each thread has joined."""
        said = self.run_host("./host", "in.raw", "out.raw", "997", "4", str(capacity)).stdout.split()
        return [tuple(map(int, word.split("/"))) for word in said]

    def check(self, text, stream, items, size, *options):
        self.build_library(text, "--threads=16", *options)
        self.host(stream)
        want = self.expected(items)
        self.assertNotEqual(want, b"")
        for threads, delays in [(1, None), (2, None), (3, 5), (16, 7)]:
            with self.subTest(threads=threads):
                self.under(threads, delays)
                self.same_in_pieces(stream, want, size)
                told = self.shared_blocks(len(want) // size + 10)
                self.assertEqual(len(told), threads)
                self.assertEqual(told[0][1] > 0, threads > 1, "blocks are shared by several threads")

    def test_branches(self):
        self.check(BRANCHES, "Branches", floats(2000), 4)

    def test_chain(self):
        self.check(CHAIN, "Chain", floats(1500), 4)

    def test_windows_counters_and_random_numbers(self):
        self.check(WINDOWS, "Windows", floats(1500), 4)

    def test_messages(self):
        self.check(MESSAGES, "Messages", ints(3000, 0, 1000), 4, "--bound=1000")
        self.assertIn("messages to ", self.plan("Messages", "--bound=1000"))

    def test_messages_upstream(self):
        self.check(UPSTREAM, "Messages", ints(3000, 0, 1000), 4, "--bound=1000")

    def test_messages_for_which_many_steady_states_have_no_room(self):
        """One after the other they have: what was done at once is taken back."""
        self.check(MESSAGES, "Messages", ints(1500, 0, 1000), 4, "--bound=64")

    def plan(self, stream, *options):
        return self.call("build", "--shared", f"--top={stream}", "--threads=16", *options, "--emit=plan", "p.str")[0].decode()

    def test_feedback(self):
        self.check(LOOP, "Loop", floats(1500), 4)

    def test_without_optimisation(self):
        self.check(CHAIN, "Chain", floats(400), 4, "-O0")

    def test_source(self):
        self.build_library(SOURCE, "--threads=3")
        self.host("Source", "-DNO_INPUT")
        self.file("in.raw", b"")
        self.call("run", self.top, "--limit=500", "--out", "want.raw", "p.str")
        self.under(3)
        for most in (1, 13, 1000):
            self.execute("./host", "in.raw", "out.raw", str(most), "1", "500")
            self.assertEqual(self.bytes("out.raw"), self.bytes("want.raw"))

    def test_first_fault(self):
        self.build_library(FAULTS, "--threads=3")
        self.host("Faults")
        items = ints(900, 0, 92) + ints(1, 96, 96) + ints(1, 200, 200) + ints(300, 0, 90)
        self.file("in.raw", items)
        self.under(1)
        said = self.same_in_pieces("Faults", self.faulty(), 4, status=1)
        self.assertIn("index 103", said)
        for delays in (None, 3, 4):
            self.under(3, delays)
            self.assertEqual(self.same_in_pieces("Faults", self.faulty(), 4, status=1), said)

    def faulty(self):
        """What one thread gives, in the smallest pieces, before the fault."""
        if not hasattr(self, "before"):
            self.execute("./host", "in.raw", "out.raw", "1", "0", str(1 << 20), status=1)
            self.before = self.bytes("out.raw")
        return self.before

    def test_helpers(self):
        """They sleep, are not there in a child, or cannot be had as they are asked for."""
        for delays in (None, 9):
            self.build_library(BRANCHES, "--threads=16")
            self.under(1, delays)
            self.compile("team.c", "libp", "Branches", "-L.", "-lp", f"-Wl,-rpath,{self.folder}", product="team")
            want = self.expected(floats(10000))
            self.execute("./team", "in.raw", "out.raw")
            self.assertEqual(self.bytes("out.raw"), want)
            self.assertEqual(self.bytes("child.raw"), want)

    def build_stopped(self, blocks):
        self.build_library(CHAIN, "--threads=2")
        self.compile("stopped.c", "libp", "Chain", "-L.", "-lp", f"-Wl,-rpath,{self.folder}", "-lpthread", product="stopped")
        self.file("in.raw", floats(64 * blocks))

    def test_helper_of_more_priority(self):
        """On the caller's processor it lets the caller end what it has begun."""
        self.build_stopped(20)
        done = subprocess.run(["./stopped", "in.raw", "1"], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode == 77:
            self.skipTest("no real-time priority")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_stopped_helper(self):
        """One that the system has stopped is waited for, and not called for a while."""
        self.build_stopped(500)
        calls, shared, late, worst = map(int, self.run_host("./stopped", "in.raw").stdout.split())
        self.assertGreater(late, 0)
        self.assertGreater(worst, 2000000)  # ns
        self.assertGreater(shared, 0)
        self.assertLess(shared, calls)

    def test_sanitizer(self):
        """The runtime is compiled with it; code of the program is not, but what it shares is handed over by the runtime."""
        for text, stream, items, options in [
            (BRANCHES, "Branches", floats(1000), []),
            (CHAIN, "Chain", floats(1000), []),
            (MESSAGES, "Messages", ints(1000, 0, 1000), ["--bound=1000"]),
        ]:
            self.build_library(text, "--threads=4", *options)
            self.call("build", "--shared", "--threads=4", *options, self.top, "--emit=obj", "-o", "p.o", "p.str")
            self.file("in.raw", items)
            names = [f"-Wl,--defsym={stream}_{name}=strc_library_{name}" for name in FUNCTIONS + THREADED]
            flags = ["-fsanitize=thread", "-I", ROOT / "runtime/include", *RUNTIME, "p.o", *names, "-lm"]
            self.compile("threads.c", "libp", stream, *flags, product="threads")
            for delays in (None, 3):
                self.under(4, delays)
                self.execute("./threads", "in.raw")

    def test_names(self):
        self.build_library(BRANCHES, "--threads=2")
        done = subprocess.run(["nm", "-D", "libp.so"], cwd=self.folder, capture_output=True, text=True, check=True)
        defined = {line.split()[-1] for line in done.stdout.splitlines() if " T " in line or " A " in line}
        self.assertEqual(defined, {f"Branches_{name}" for name in FUNCTIONS + THREADED})
        self.assertIn("#define Branches_THREADS 2\n", (self.folder / "libp.h").read_text())

    def test_state_of_another_number_of_threads(self):
        """A state is that of the program: handles with threads go on from those without."""
        self.build_library(CHAIN)
        alone = self.state_size("Chain")
        self.build_library(CHAIN, "--threads=2")
        self.assertEqual(self.state_size("Chain"), alone)

    def state_size(self, stream):
        self.file("size.c", f"""#include "libp.h"
#include <stdio.h>
int main(void) {{ {stream}_handle *h = {stream}_create(NULL); printf("%zu", {stream}_state_size(h)); {stream}_destroy(h); }}
""")  # fmt: skip
        self.run_host(CC, "size.c", "-o", "size", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        return self.run_host("./size").stdout


class Telling(Libraries):
    def test_nothing_to_gain(self):
        _, err = self.build_library(LONE, "--threads=2")
        self.assertRegex(err, r"p\.str:1:\d+: note: '--threads' has no effect, one thread does all: its filters wait for each other, or")
        self.assertIn("no part was found that another thread could do", self.asked_for_threads("Lone"))
        self.compile("team.c", "libp", "Lone", "-L.", "-lp", f"-Wl,-rpath,{self.folder}", product="team")

    def test_plan(self):
        self.file("p.str", BRANCHES)
        out = self.call("build", "--shared", "--top=Branches", "--threads=2", "--emit=plan", "p.str")[0].decode()
        shared = out[out.index("steady states in partitions"):]
        self.assertRegex(shared, r"partition 0, \d+% of the work, home 0, \d+ slices? in order\n")
        self.assertRegex(shared, r"home 1")
        self.assertRegex(shared, r"needs (the slice|all) of partition \d: ")
        out = self.call("build", "--shared", "--top=Branches", "--emit=plan", "p.str")[0].decode()
        self.assertNotIn("partitions", out)

    def test_disabled(self):
        _, err = self.build_library(BRANCHES, "--threads=2", "--disable-pass=partitions")
        self.assertIn("the pass 'partitions' is disabled", err)

    def test_options(self):
        self.file("p.str", BRANCHES)
        for words, said in [
            (["build", "--threads=2", "p.str"], "--threads needs --shared"),
            (["build", "--emit=c", "--threads=2", "p.str"], "--threads needs --shared"),
            (["build", "--shared", "--threads=0", "p.str"], "--threads"),
            (["build", "--shared", "--threads=65", "p.str"], "--threads"),
        ]:
            _, err = self.call(*words, status=2)
            self.assertIn(said, err)

    def test_with_lanes(self):
        self.build_library(BRANCHES, "--threads=2", "--lanes")

    def test_with_a_bound(self):
        text = BRANCHES.replace("work pop 2 push 1 { push(pop() - pop()); }", "work pop [1, *] push * { push(pop() - pop()); }")
        _, err = self.build_library(text, "--threads=2", "--bound=64")
        self.assertIn("'--threads' has no effect, one thread does all: what follows what is decided by the items", err)
        self.assertIn("what follows what is decided by the items", self.asked_for_threads("Branches"))

    def asked_for_threads(self, stream):
        """What the handle says."""
        self.file("ask.c", f"""#include "libp.h"
#include <stdio.h>
int main(void) {{
    {stream}_handle *h = {stream}_create(NULL);
    {stream}_thread_options how = {{.size = sizeof how, .threads = 2}};
    if ({stream}_threads(h, &how) == {stream}_OK) puts({stream}_message(h));
    {stream}_destroy(h);
}}
""")  # fmt: skip
        self.run_host(CC, "ask.c", "-o", "ask", "-L.", "-lp", f"-Wl,-rpath,{self.folder}")
        return self.run_host("./ask").stdout


if __name__ == "__main__":
    unittest.main()
