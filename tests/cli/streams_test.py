#!/usr/bin/env python3
"""Pipes, terminals, signals: nothing is lost, nothing waits for what is not needed."""

import os
import pty
import select
import signal
import struct
import subprocess
import time
import unittest

from command import COPY, COUNTER, ENGINE, SECONDS, TWICE, Case

SLOW_WAV = """void->void pipeline Main { add Source; add WavWriter<int>("out.wav", 8000); }
void->int stateful filter Source { int i; work push 1 { push(i++ % 1000); } }
"""


class Pipes(Case):
    def test_a_closed_pipe_is_no_fault(self):
        self.file("p.str", COUNTER)
        process = self.start("run", "p.str")
        self.assertEqual(process.stdout.readline(), b"0\n")
        process.stdout.close()
        self.assertEqual(process.wait(SECONDS), 0)
        self.assertEqual(process.stderr.read(), b"")

    def test_a_closed_pipe_of_items_is_no_fault(self):
        self.file("p.str", COUNTER)
        process = self.start("run", "--top=Source", "-Dn=1", "p.str")
        self.assertEqual(process.stdout.read(8), struct.pack("<2i", 0, 1))
        process.stdout.close()
        self.assertEqual(process.wait(SECONDS), 0)
        self.assertEqual(process.stderr.read(), b"")

    def test_closed_pipes_of_other_commands(self):
        self.file("p.str", COUNTER)
        for words in (("check", "--emit=ir", "p.str"), ("graph", "p.str"), ("explain",), ("fmt", "p.str"), ("version",),
                      ("--help",)):
            process = self.start(*words, stdout=subprocess.PIPE)
            process.stdout.close()
            self.assertEqual(process.wait(SECONDS), 0, words)
            self.assertEqual(process.stderr.read(), b"")

    def test_a_full_disk_is_a_fault(self):
        self.file("p.str", COUNTER)
        with open("/dev/full", "wb") as full:
            for words in (("run", "-i100", "p.str"), ("run", "p.str"), ("graph", "p.str"), ("version",),
                          ("--help",), ("run", "--help"), ()):
                _, err = self.call(*words, stdout=full, status=1)
                self.assertIn("cannot write 'standard output': No space left on device", err)

    def test_every_item_is_answered_at_once(self):
        self.file("twice.str", TWICE)
        process = self.start("run", "--top=Twice", "twice.str")
        for number in range(5):
            process.stdin.write(struct.pack("<i", number))
            process.stdin.flush()
            self.assertEqual(process.stdout.read(4), struct.pack("<i", 2 * number))
        process.stdin.close()
        self.assertEqual(process.wait(SECONDS), 0)

    def test_every_line_is_answered_at_once(self):
        self.file("twice.str", TWICE)
        process = self.start("run", "--top=Twice", "--in-format=text", "--out-format=text", "twice.str")
        for number in range(5):
            process.stdin.write(b"%d\n" % number)
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"%d\n" % (2 * number))
        process.stdin.close()
        self.assertEqual(process.wait(SECONDS), 0)

    def test_prints_come_before_the_next_wait(self):
        self.file("p.str", COUNTER)
        process = self.start("run", "--top=Sink", "p.str")
        for number in range(3):
            process.stdin.write(struct.pack("<i", number))
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"%d\n" % number)
        process.stdin.close()
        self.assertEqual(process.wait(SECONDS), 0)

    def test_named_pipes(self):
        self.file("p.str", COPY)
        os.mkfifo(self.folder / "in.raw")
        os.mkfifo(self.folder / "out.raw")
        process = self.start("run", "p.str")
        with open(self.folder / "in.raw", "wb") as source:
            source.write(struct.pack("<2i", 5, 6))
        with open(self.folder / "out.raw", "rb") as sink:
            self.assertEqual(sink.read(), struct.pack("<2i", 5, 6))
        self.assertEqual(process.wait(SECONDS), 0)


class Signals(Case):
    def test_files_are_completed(self):
        self.file("p.str", SLOW_WAV)
        for kind, expected in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start("run", "p.str")
            path = self.folder / "out.wav"
            status = self.interrupt(process, lambda: path.exists() and path.stat().st_size > 10_000, kind)
            self.assertEqual(status, expected)
            self.assertEqual(process.stderr.read(), b"")
            data = self.bytes("out.wav")
            self.assertEqual(struct.unpack("<I", data[4:8])[0], len(data) - 8)
            self.assertEqual(struct.unpack("<I", data[40:44])[0], len(data) - 44)
            path.unlink()

    def test_what_was_printed_is_there(self):
        self.file("p.str", COUNTER)
        with open(self.folder / "out.txt", "wb") as out:
            process = self.start("run", "p.str", stdout=out)
        path = self.folder / "out.txt"
        self.assertEqual(self.interrupt(process, lambda: path.stat().st_size > 10_000), 130)
        lines = self.bytes("out.txt").split(b"\n")
        self.assertEqual(lines.pop(), b"")
        self.assertEqual(lines, [b"%d" % i for i in range(len(lines))])

    def test_waiting_for_input_can_be_interrupted(self):
        self.file("twice.str", TWICE)
        process = self.start("run", "--top=Twice", "--out=o.npy", "twice.str")
        process.stdin.write(struct.pack("<i", 1))
        process.stdin.flush()
        time.sleep(0.5)
        self.assertEqual(self.interrupt(process, lambda: True), 130)
        self.assertTrue(self.bytes("o.npy").endswith(struct.pack("<i", 2)))
        self.assertIn(b"'shape': (1,)", self.bytes("o.npy"))
        self.assertEqual(process.stderr.read(), b"")

    def test_a_firing_without_end_can_be_interrupted(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { work push 1 { println("on"); int n = 1; while (n > 0) n = 1; push(n); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        process = self.start("run", "p.str")
        time.sleep(0.5)
        self.assertEqual(self.interrupt(process, lambda: True), 130)
        self.assertEqual(process.stdout.read(), b"on\n")

    def test_building_the_graph_can_be_interrupted(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { int n = 1; init { println("on"); while (n > 0) n = 1; } work push 1 { push(n); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        process = self.start("run", "p.str")
        time.sleep(0.5)
        self.assertEqual(self.interrupt(process, lambda: True), 130)
        self.assertEqual(process.stdout.read(), b"on\n")
        self.assertEqual(process.stderr.read(), b"")

    def test_a_composite_without_end_can_be_interrupted(self):
        self.file("p.str", """void->void pipeline Main { println("on"); int n = 1; while (n > 0) n = 1; add Source; add Sink; }
void->int filter Source { work push 1 { push(1); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        process = self.start("run", "p.str")
        time.sleep(0.5)
        self.assertEqual(self.interrupt(process, lambda: True, signal.SIGTERM), 143)
        self.assertEqual(process.stdout.read(), b"on\n")

    def test_work_on_large_arrays_can_be_interrupted(self):
        arrays = "println(\"on\"); while (true) { int[60000000] a; a[1] = 1; }"
        recursion = "add R(%d); } int->int pipeline R(int n) { %s int[60000000] a; a[n] = 1; if (n > 0) add R(n - 1);"
        programs = {
            "composite": (arrays, "", ""),
            "levels": (recursion % (19000, 'if (n == 19000) println("on");'), "", ""),
            "init": ("", "init { %s }" % arrays, ""),
            "work": ("", "", arrays),
        }
        for name, (composite, init, work) in programs.items():
            self.file("p.str", """void->void pipeline Main { add Source; add F; add Sink; }
void->int filter Source { work push 1 { push(1); } }
int->int pipeline F { %s add G; }
int->int filter G { %s work pop 1 push 1 { %s push(pop()); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""" % (composite, init, work))
            with self.subTest(name):
                process = self.start("run", "--interpret", "p.str")
                time.sleep(0.5)
                start = time.monotonic()
                self.assertEqual(self.interrupt(process, lambda: True), 130)
                self.assertLess(time.monotonic() - start, SECONDS / 20)
                self.assertEqual(process.stdout.read(), b"on\n")
                self.assertNotIn(b"error", process.stderr.read())

    MANY = """void->int pipeline Main { add Source; for (int i = 0; i < 3000; i++) add Mix(i); }
void->int filter Source { int n; work push 1 { push(n++); } }
int->int filter Mix(int k) { int[8] a; work pop 1 push 1 { int x = pop();
    for (int i = 0; i < 8; i++) if (i % 3 == k % 3) a[i] = a[i] * k + x; else x = x ^ a[(i + k) & 7]; push(x); } }
"""

    @unittest.skipIf(ENGINE == "executable", "its code is there")
    def test_making_code_can_be_interrupted(self):
        self.file("p.str", self.MANY)
        process = self.start("run", "--top=Main", "--out=o.npy", "p.str")
        path = self.folder / "o.npy"
        start = time.monotonic()
        status = self.interrupt(process, path.exists)
        self.assertEqual(status, 130)
        self.assertLess(time.monotonic() - start, 1.5 * SECONDS / 60)
        self.assertEqual(process.stderr.read(), b"")
        self.assertRegex(self.bytes("o.npy"), rb"'shape': \(0,\)")

    @unittest.skipIf(ENGINE == "executable", "its code is there")
    def test_seconds_go_on_while_code_is_made(self):
        self.file("p.str", self.MANY)
        start = time.monotonic()
        self.assertEqual(self.call("run", "--seconds=0.01", "--top=Main", "--out=o.npy", "p.str")[1], "")
        self.assertLess(time.monotonic() - start, 1.5 * SECONDS / 60)
        self.assertRegex(self.bytes("o.npy"), rb"'shape': \(0,\)")

    def test_seconds_end_long_and_short_firings(self):
        # One firing without end, that asks others for items or not; firings just below what is looked at.
        bodies = {
            "pop [1,*] push 1": "int s = 0; while (true) s += pop(); push(s);",
            "pop 1 push 1": "int s = pop(); while (s >= 0) s = 1; push(s);",
            "pop 1 push 1 ": "int s = 0; for (int k = 0; k < 9000; k++) s += k * s; push(s + pop());",
        }
        for rates, body in bodies.items():
            self.file("p.str", """void->void pipeline Main { add Source; add F; add WavWriter<int>("out.wav", 8000); }
void->int filter Source { int i; work push 1 { int s = 0; for (int k = 0; k < 9000; k++) s += k * i; push(i++); } }
int->int filter F { work %s { %s } }
""" % (rates, body))
            start = time.monotonic()
            self.call("run", "--seconds=1", "p.str")
            self.assertLess(time.monotonic() - start, (10 if ENGINE else 1.5) * SECONDS / 60)  # building counts
            data = self.bytes("out.wav")
            self.assertEqual(struct.unpack("<I", data[40:44])[0], len(data) - 44)

    def test_ignored_signals_stay_ignored(self):
        self.file("p.str", COUNTER)
        process = self.start("run", "--seconds=1", "p.str", stdout=subprocess.DEVNULL,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 0)


class Terminals(Case):
    def on_terminal(self, *words, stdout=False, **options):
        """Runs with standard error, and maybe standard output, on a terminal; what it showed."""
        ours, theirs = pty.openpty()
        where = {"stderr": theirs, **options}
        if stdout:
            where["stdout"] = theirs
        process = self.start(*words, **where)
        os.close(theirs)
        shown = b""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    chunk = os.read(ours, 1 << 16)
                except OSError:  # the other end is closed
                    break
                if not chunk:
                    break
                shown += chunk
        os.close(ours)
        process.wait(SECONDS)
        return shown, process

    def test_progress(self):
        self.file("p.str", """void->void pipeline Main { add FileReader<int>("in.raw"); add Slow; add FileWriter<int>("out.raw"); }
int->int filter Slow { work pop 1 push 1 { float x = pop(); for (int i = 0; i < 300000; i++) x = sin(x + i); push((int)(100 * x)); } }
""")
        with open(self.folder / "in.raw", "wb") as data:
            data.truncate(400)
        shown, process = self.on_terminal("run", "p.str")
        self.assertEqual(process.returncode, 0)
        self.assertRegex(shown, rb"\r\x1b\[K +\d+ %  [\d.]+ (thousand )?items/s  .*left")
        self.assertTrue(shown.endswith(b"\r\x1b[K"))
        self.assertEqual(self.call("run", "p.str")[1], "")
        self.assertIn(b"left", self.on_terminal("run", "--seconds=600", "p.str")[0])

    def test_lines_come_at_once(self):
        self.file("p.str", COUNTER)
        process = self.start("run", "--top=Sink", "--in-format=text", "p.str")
        process.stdin.write(b"1\n2\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), b"1\n")
        process.stdin.close()
        shown, process = self.on_terminal("run", "-i2", "p.str", stdout=True)
        self.assertEqual(shown, b"0\r\n1\r\n")

    def test_colours(self):
        self.file("p.str", "x")
        self.assertIn(b"\x1b[", self.on_terminal("check", "p.str")[0])
        self.assertNotIn(b"\x1b[", self.on_terminal("check", "--color=never", "p.str")[0])
        self.assertNotIn(b"\x1b[", self.on_terminal("check", "p.str", env={"NO_COLOR": "1"})[0])
        self.assertIn(b"\x1b[", self.on_terminal("check", "p.str", env={"NO_COLOR": ""})[0])


if __name__ == "__main__":
    unittest.main()
