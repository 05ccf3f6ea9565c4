#!/usr/bin/env python3
"""Programs that are edited while they run: `strc live` between pipes and files, item by item."""

import os
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from command import Case, SECONDS, STRC, clean

SUM = "int->int stateful filter Sum { int total; work pop 1 push 1 { total += pop(); push(total); } }\n"
ADD = "int->int filter Add(int n) { work pop 1 push 1 { push(pop() + n); } }\n"


def program(add, more=""):
    return f"int->int pipeline Main {{ add Sum; add Add({add}); {more} }}\n" + SUM + ADD


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Session:
    """A running `strc live` whose input and output are pipes of ints."""

    def __init__(self, folder, *words, stdin=None):
        self.process = subprocess.Popen(
            [STRC, "live", *words], cwd=folder, env=clean(), bufsize=0,
            stdin=subprocess.PIPE if stdin is None else stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.said = ""
        self.changed = threading.Condition()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self):
        for line in iter(self.process.stderr.readline, b""):
            with self.changed:
                self.said += line.decode()
                self.changed.notify_all()

    def hears(self, text, since=0):
        """Waits until the text stands on standard error."""
        end = time.monotonic() + SECONDS
        with self.changed:
            while text not in self.said[since:] and time.monotonic() < end:
                self.changed.wait(0.05)
            return text in self.said[since:]

    def exchange(self, values):
        """Gives ints, and takes as many."""
        return self.exchange_some(values, len(values))

    def exchange_some(self, values, wanted):
        """Gives ints, and takes as many as wanted."""
        self.process.stdin.write(struct.pack(f"{len(values)}i", *values))
        data = b""
        while len(data) < 4 * wanted and (piece := self.process.stdout.read(4 * wanted - len(data))):
            data += piece
        return list(struct.unpack(f"{len(data) // 4}i", data))

    def end(self):
        """Closes the input; what is left of the output, and the exit status."""
        self.process.stdin.close()
        rest = self.process.stdout.read()
        status = self.process.wait(SECONDS)
        self.listener.join(SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        return rest, status


class Live(Case):
    def session(self, *words, **how):
        session = Session(self.folder, *words, **how)
        self.addCleanup(lambda: session.process.poll() is None and session.process.kill())
        return session

    def save(self, text):
        """As editors do it: another file gets the name."""
        self.file("new.str", text)
        os.replace(self.folder / "new.str", self.folder / "p.str")

    def exchange_until(self, session, said):
        """Gives ones until that was said; all that came. The program takes over when items come."""
        came = []
        since = len(session.said)
        end = time.monotonic() + SECONDS
        while said not in session.said[since:] and time.monotonic() < end:
            came += session.exchange([1] * 3)
            time.sleep(0.005)
        self.assertIn(said, session.said[since:])
        return came

    def test_the_sum_goes_on(self):
        self.file("p.str", program(0))
        session = self.session("--top", "Main", "p.str")
        came = session.exchange([1] * 5)
        self.save(program(1000000, "add Identity<int>;"))
        came += self.exchange_until(session, "the new program runs")
        self.assertTrue(session.hears("kept: Main.Sum (total)"), session.said)
        came += session.exchange([1] * 4)
        self.assertEqual(session.end(), (b"", 0))
        # Item by item: the sum goes on, and there is one place from which on the other filter adds to it.
        self.assertEqual([item % 1000000 for item in came], list(range(1, len(came) + 1)))
        steps = [item // 1000000 for item in came]
        self.assertEqual(steps, sorted(steps))
        self.assertEqual((steps[0], steps[-1]), (0, 1))

    def test_what_is_wrong_is_shown_and_the_old_program_goes_on(self):
        self.file("p.str", program(0))
        session = self.session("--top", "Main", "p.str")
        came = session.exchange([1] * 5)
        for wrong, said in ((program("nothing"), "[unknown-variable]"), (program(0).replace("int->int", "float->float"), "error"),
                            ("int->float filter Main { work pop 1 push 1 { push(pop()); } }", "[cannot-replace]")):  # fmt: skip
            since = len(session.said)
            self.save(wrong)
            self.assertTrue(session.hears("goes on as it was", since), session.said)
            self.assertIn(said, session.said[since:])
            came += session.exchange([1] * 2)
        self.save(program(100))
        came += self.exchange_until(session, "the new program runs")
        came += session.exchange([1])
        self.assertEqual(session.end(), (b"", 0))
        self.assertEqual(came[-1], 100 + len(came))
        self.assertEqual(came[:11], list(range(1, 12)))

    def test_several_files_are_one_program(self):
        self.file("p.str", "int->int pipeline Main { add Sum; add Add(0); }\n" + SUM)
        self.file("add.str", ADD)
        session = self.session("--top", "Main", "p.str", "add.str")
        came = session.exchange([1] * 5)
        self.file("add.str", ADD.replace("pop() + n", "pop() + n + 500"))
        came += self.exchange_until(session, "the new program runs")
        came += session.exchange([1])
        self.assertEqual(session.end(), (b"", 0))
        self.assertEqual(came[-1], 500 + len(came))

    def test_a_fault_waits_for_another_program(self):
        self.file("p.str", "int->int filter Main { work pop 1 push 1 { push(10 / pop()); } }")
        session = self.session("--top", "Main", "p.str")
        self.assertEqual(session.exchange([2, 5]), [5, 2])
        session.process.stdin.write(struct.pack("2i", 0, 7))
        self.assertTrue(session.hears("division by zero"), session.said)
        self.save("int->int filter Main { work pop 1 push 1 { push(pop()); } }")
        self.assertTrue(session.hears("the new program runs"), session.said)
        rest, status = session.end()
        self.assertEqual(status, 0, session.said)
        self.assertEqual(rest[-4:], struct.pack("i", 7))

    def test_a_fault_of_a_version_for_which_items_waited(self):
        three = "int->int filter Main {{ work pop 3 push 3 {{ for (int k = 0; k < 3; k++) push({} pop()); }} }}"
        self.file("p.str", three.format(""))
        session = self.session("--top", "Main", "p.str")
        session.process.stdin.write(struct.pack("4i", 1, 2, 3, 0))
        self.assertEqual(struct.unpack("3i", session.process.stdout.read(12)), (1, 2, 3))
        self.save(three.format("6 /"))
        end = time.monotonic() + SECONDS
        while "division by zero" not in session.said and time.monotonic() < end:
            session.process.stdin.write(struct.pack("3i", 0, 0, 0))  # So one always waits when the version takes over.
            time.sleep(0.05)
        self.assertIn("division by zero", session.said)
        since = len(session.said)
        self.save(three.format("7 *"))
        self.assertTrue(session.hears("the new program runs", since), session.said)
        session.process.stdin.write(struct.pack("6i", *[1] * 6))
        rest, status = session.end()
        self.assertEqual(status, 0, session.said)
        self.assertEqual(rest[-4:], struct.pack("i", 7))

    def test_turned_knobs_of_whole_numbers(self):
        """What controllers give is a real, or 1 and 0."""
        self.file("p.str", "int->int pipeline Main(int n = 1, boolean on = true) { add F(n, on); }\n"
                  "int->int filter F(int n, boolean on) { work pop 1 push 1 { int x = pop(); push(on ? n * x : -1); } }\n")  # fmt: skip
        os.mkfifo(self.folder / "in.raw")
        session = self.session("--top", "Main", "--keep-param", "n", "--keep-param", "on", "--in", "in.raw", "--out", "-", "p.str")
        with open(self.folder / "in.raw", "wb", buffering=0) as items:
            for line, wanted in ((b"n=2.75\n", 3), (b"on=0\n", -1), (b"on=1\n", 3)):
                session.process.stdin.write(line)
                end = time.monotonic() + SECONDS
                found = None
                while found != wanted and time.monotonic() < end:
                    items.write(struct.pack("i", 1))
                    found = struct.unpack("i", session.process.stdout.read(4))[0]
                    time.sleep(0.01)
                self.assertEqual(found, wanted, session.said)
        self.assertEqual(session.end(), (b"", 0))

    def test_values_get_there_in_time(self):
        """As the comment says, which also leaves the parameter open; a new version takes over on the way."""
        text = ("/// @range gain 0 1000\n/// @smooth gain 600 ms\nint->int pipeline Main(float gain = 1) { add Times(gain); }\n"
                "int->int filter Times(float gain) { work pop 1 push 1 { push((int)(gain * pop())); } }\n")  # fmt: skip
        self.file("p.str", text)
        os.mkfifo(self.folder / "in.raw")
        session = self.session("--top", "Main", "--in", "in.raw", "--out", "-", "p.str")
        with open(self.folder / "in.raw", "wb", buffering=0) as items:

            def next_one():
                items.write(struct.pack("i", 1))
                return struct.unpack("i", session.process.stdout.read(4))[0]

            def until(value):
                values = [next_one()]
                end = time.monotonic() + SECONDS
                while values[-1] != value and time.monotonic() < end:
                    time.sleep(0.01)
                    values.append(next_one())
                return values

            self.assertEqual(next_one(), 1)
            session.process.stdin.write(b"gain=1000\n")
            values = until(1000)
            self.assertEqual(values, sorted(values))
            self.assertGreater(len(set(values)), 3, values)
            session.process.stdin.write(b"gain=0\n")
            self.save(text.replace("add Times(gain);", "add Times(gain); add Identity<int>;"))
            values = until(0)
            self.assertEqual(values, sorted(values, reverse=True))
        self.assertEqual(session.end(), (b"", 0))

    def test_lines_set_parameters(self):
        self.file("p.str", "int->int pipeline Main(int gain = 1) { add Times(gain); }\n"
                  "int->int filter Times(int gain) { work pop 1 push 1 { push(gain * pop()); } }\n")  # fmt: skip
        os.mkfifo(self.folder / "in.raw")
        session = self.session("--top", "Main", "--keep-param", "gain", "--in", "in.raw", "--out", "-", "p.str")
        with open(self.folder / "in.raw", "wb", buffering=0) as items:

            def last_of(value):
                items.write(struct.pack("4i", *[value] * 4))
                return struct.unpack("4i", session.process.stdout.read(16))[-1]

            self.assertEqual(last_of(5), 5)
            session.process.stdin.write(b"gain=7\n")
            end = time.monotonic() + SECONDS
            while last_of(5) != 35 and time.monotonic() < end:
                time.sleep(0.01)
            self.assertEqual(last_of(2), 14)
            for line, said in ((b"gian=3\n", "gain"), (b"gain=x\n", "not a value"), (b"nonsense\n", "NAME=VALUE")):
                since = len(session.said)
                session.process.stdin.write(line)
                end = time.monotonic() + SECONDS
                while said not in session.said[since:] and time.monotonic() < end:
                    self.assertEqual(last_of(2), 14)
                    time.sleep(0.01)
                self.assertIn(said, session.said[since:])
        self.assertEqual(session.end(), (b"", 0))

    def test_controllers_set_parameters(self):
        self.file("p.str", "int->int pipeline Main(int gain = 1, float more = 0) { add Times(gain, more); }\n"
                  "int->int filter Times(int gain, float more) { work pop 1 push 1 { push(gain * pop() + (int)more); } }\n")  # fmt: skip
        os.mkfifo(self.folder / "midi")
        port = free_port()
        session = self.session("--top", "Main", "--keep-param", "gain", "--keep-param", "more", "--midi", "midi",
                               "--cc", "7=gain:0..127", "--osc", str(port), "p.str")  # fmt: skip
        with open(self.folder / "midi", "wb", buffering=0) as device:
            self.assertEqual(session.exchange([3]), [3])
            device.write(b"\xb0\x07\x05")
            self.exchange_until_it_gives(session, 3, 15)
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sender.sendto(b"/synth/more\0,f\0\0" + struct.pack(">f", 100), ("127.0.0.1", port))
            self.exchange_until_it_gives(session, 3, 115)
            sender.sendto(b"/nothing\0\0\0\0,f\0\0" + struct.pack(">f", 1), ("127.0.0.1", port))
            sender.close()
            end = time.monotonic() + SECONDS
            while "[unknown-define]" not in session.said and time.monotonic() < end:
                self.assertEqual(session.exchange([3]), [115])
                time.sleep(0.01)
            self.assertIn("[unknown-define]", session.said)
        self.assertEqual(session.exchange([3]), [115])
        self.assertEqual(session.end(), (b"", 0))

    def exchange_until_it_gives(self, session, value, wanted):
        end = time.monotonic() + SECONDS
        while (came := session.exchange([value])) != [wanted] and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(came, [wanted])

    def test_large_items_are_taken_one_by_one(self):
        # 1024 of these would be 2 GiB at each end.
        self.file("p.str", "float[524288]->float[524288] filter Main { work pop 1 push 1 { push(pop()); } }\n")
        self.file("in.raw", struct.pack("f", 0.5) * (3 * 524288))
        process = subprocess.Popen([STRC, "live", "--top", "Main", "--in", "in.raw", "--out", "out.raw", "p.str"], cwd=self.folder, env=clean(), stdin=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.bytes("out.raw"), self.bytes("in.raw"))
        self.assertLess(used.ru_maxrss, 1 << 20, "KiB")

    def test_the_program_does_not_wait_for_a_file_that_is_read(self):
        self.file("p.str", program(0))
        session = self.session("--top", "Main", "p.str")
        self.assertEqual(session.exchange([1]), [1])
        os.mkfifo(self.folder / "slow")
        os.replace(self.folder / "slow", self.folder / "p.str")
        with open(self.folder / "p.str", "wb", buffering=0) as source:  # from here on it is being read
            self.assertEqual(session.exchange([1] * 100), list(range(2, 102)))
            self.save(program(1000))
            source.write(program(1000).encode())
        self.exchange_until(session, "the new program runs")
        self.assertEqual(session.exchange([1])[0] // 1000, 1)
        self.assertEqual(session.end(), (b"", 0))

    def test_controllers_that_are_not_there(self):
        self.file("p.str", program(0))
        for words, status, said in ((["--midi", "x"], 2, "--midi needs --cc"), (["--cc", "7=gain"], 2, "--cc needs --midi"),
                                    (["--midi", "nothing", "--cc", "7=gain"], 1, "cannot open 'nothing'")):  # fmt: skip
            _, err = self.call("live", "--top", "Main", *words, "p.str", status=status)
            self.assertIn(said, err)

    def test_messages_and_dynamic_rates(self):
        runs = ("int->int pipeline Main { portal<Gain> p; add Runs; add Watch(p); add Gain() to p; }\n"
                "int->int stateful filter Runs { int sum; work pop * push 1 { int n = pop(); for (int k = 0; k < n; k++) sum += pop(); push(sum); } }\n"
                "int->int filter Watch(portal<Gain> p) { work pop 1 push 1 { int x = pop(); if (x == 4) p.set(10) [1:1]; push(x); } }\n"
                "int->int stateful filter Gain { int g = 1; work pop 1 push 1 { push(g * pop() + 0); } handler set(int v) { g = v; } }\n")  # fmt: skip
        self.file("p.str", runs)
        session = self.session("--top", "Main", "p.str")
        self.assertEqual(session.exchange_some([1, 1, 2, 1, 2], 2), [1, 4])
        self.save(runs.replace("+ 0", "+ 1000"))
        came = []
        end = time.monotonic() + SECONDS
        while "the new program runs" not in session.said and time.monotonic() < end:
            came += session.exchange_some([1, 1], 1)
            time.sleep(0.005)
        came += session.exchange_some([1, 1], 1)
        self.assertEqual(session.end(), (b"", 0))
        # The sum goes on, and so does the gain that a message has set.
        self.assertIn("kept: Main.Runs (sum)", session.said)
        self.assertIn("kept: Main.Gain (g)", session.said)
        self.assertEqual([item % 1000 for item in came], [10 * (5 + k) % 1000 for k in range(len(came))])
        self.assertGreaterEqual(came[-1], 1000)

    def test_interrupts_complete_files(self):
        self.file("p.str", "void->float filter Main { work push 1 { push(0.5); } }")
        session = self.session("--top", "Main", "--out", "out.wav", "p.str")
        end = time.monotonic() + SECONDS
        while not (self.folder / "out.wav").exists() and time.monotonic() < end:
            time.sleep(0.01)
        session.process.send_signal(signal.SIGINT)
        _, status = session.end()
        self.assertEqual(status, 130, session.said)
        data = (self.folder / "out.wav").read_bytes()
        self.assertEqual(struct.unpack("<I", data[40:44])[0], len(data) - 44)

    def test_files_give_what_a_run_gives(self):
        self.file("p.str", "float->float filter Main { work pop 2 push 1 peek 5 { push(peek(0) + peek(4)); pop(); pop(); } }")
        self.file("in.raw", struct.pack("101f", *range(101)))
        for command in ("run", "live"):
            done = subprocess.run([STRC, command, "--top", "Main", "--in", "in.raw", "--out", f"{command}.raw", "p.str"],
                                  cwd=self.folder, env=clean(), capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  timeout=SECONDS)  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.bytes("run.raw"), self.bytes("live.raw"))

    def test_what_cannot_be_done(self):
        for text, said in (("void->void filter Main { work { println(1); } }", "[library-without-ends]"),
                           ("int->int filter Main { work pop 1 push 1 { push(x); } }", "[unknown-variable]"),
                           ("int->int pipeline Main { add D; add int->int filter { work pop 70000 push 1 { push(pop()); for (int k = 1; k < 70000; k++) pop(); } }; }\n"
                            "int->int filter D { work pop * push 1 { push(pop()); } }", "--bound")):  # fmt: skip
            self.file("p.str", text)
            done = subprocess.run([STRC, "live", "--top", "Main", "p.str"], cwd=self.folder, env=clean(),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
