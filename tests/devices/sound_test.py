#!/usr/bin/env python3
"""Sound devices without any: JACK's dummy driver, between two runs, and PortAudio over it. Skipped where JACK is missing."""

import array
import os
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from command import SECONDS, STRC, Case, clean  # noqa: E402

HAS_JACK = shutil.which("jackd") is not None
RATE, BLOCK = 48000, 256
COUNT = """void->float filter Count { int n; work push 1 { push(n++ / 16777216.0); } }
void->float[2] filter Pairs { int n; work push 1 { float[2] x = {n / 16777216.0, -n / 16777216.0}; n++; push(x); } }
float->float filter Copy { work pop 1 push 1 { push(pop()); } }
double->double filter Doubles { work pop 1 push 1 { push(pop()); } }
float[2]->float[2] filter Frames { work pop 1 push 1 { push(pop()); } }
float->float filter Slow { work pop 1 push 1 { float x = pop(); for (int k = 0; k < 300000; k++) x = sin(x); push(x); } }
float->float filter Rate(float rate = sampleRate(1)) { work pop 1 push 1 { pop(); push(rate); } }
"""


def steps(items):
    """The longest stretch in which each item is one more than the one before."""
    best = length = 1
    for before, after in zip(items, items[1:]):
        length = length + 1 if round((after - before) * 16777216) == 1 else 1
        best = max(best, length)
    return best


class Devices(Case):
    def setUp(self):
        super().setUp()
        self.file("p.str", COUNT)
        self.server = f"strc-{os.getpid()}-{self._testMethodName[-12:]}"
        self.environment = {"JACK_DEFAULT_SERVER": self.server, "JACK_NO_START_SERVER": "1", "HOME": str(self.folder)}


class Missing(Devices):
    def test_no_server_is_told(self):
        if not (HAS_JACK or os.path.exists("/usr/lib/x86_64-linux-gnu/libjack.so.0")):
            self.skipTest("needs JACK's library")
        for side, top in (("--in", "Copy"), ("--out", "Count")):
            _, err = self.call("run", f"--top={top}", side, "jack:", "p.str", status=1, env=self.environment)
            self.assertIn("cannot open 'jack:': no JACK server is running; 'jackd -d alsa' starts one", err)

    def test_items_that_are_no_sound(self):
        self.file("q.str", "struct S { int a; float b; } S->S filter Q { work pop 1 push 1 { push(pop()); } }")
        _, err = self.call("run", "--top=Q", "--in", "jack:", "q.str", status=2, env=self.environment)
        self.assertIn("sound device files cannot hold items of type 'S'", err)


@unittest.skipUnless(HAS_JACK, "needs Debian's package jackd2")
class Jack(Devices):
    def setUp(self):
        super().setUp()
        self.jack = subprocess.Popen(
            ["jackd", "-r", "-n", self.server, "-d", "dummy", "-r", str(RATE), "-p", str(BLOCK)],
            env=clean(self.environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        self.addCleanup(self.stop_server)
        time.sleep(1)
        if self.jack.poll() is not None:
            self.skipTest("JACK's dummy driver does not start here")

    def stop_server(self):
        """By its own way, since it has memory that others share."""
        self.jack.terminate()
        self.jack.wait(SECONDS)

    def play(self, *words):
        process = self.start("run", *words, "p.str", env=self.environment)
        told = process.stderr.readline().decode()
        self.assertIn("out: 48000 samples a second", told)
        return process

    def record(self, *words):
        _, err = self.call("run", "--limit=24000", "--out", "out.raw", *words, "p.str", env=self.environment)
        return array.array("f", self.bytes("out.raw")), err

    def test_what_is_played_is_recorded(self):
        self.play("--top=Count", "--out", "jack:-")
        items, err = self.record("--top=Copy", "--in", "jack:strc:out_1")
        self.assertEqual(len(items), 24000)
        self.assertGreater(steps(items), 2000)
        self.assertIn("jack:strc:out_1 in: 48000 samples a second, 1 channel, blocks of 256; latency 5.3 ms", err)

    def test_channels_are_ports(self):
        self.play("--top=Pairs", "--out", "jack:-")
        items, err = self.record("--top=Frames", "--in", "jack:strc:out_.")
        self.assertIn("2 channels", err)
        self.assertGreater(steps(items[0::2]), 1000)
        behind = items[12000:]  # both ports have been connected by then
        self.assertTrue(all(left == -right for left, right in zip(behind[0::2], behind[1::2])))

    def test_doubles_and_the_end_of_a_file(self):
        self.file("in.raw", array.array("d", [k / 16777216 for k in range(48000)]).tobytes())
        player = self.play("--top=Doubles", "--in", "in.raw", "--out", "jack:-")
        items, _ = self.record("--top=Copy", "--in", "jack:strc:out_1")
        self.assertGreater(steps(items), 2000)
        self.assertEqual(player.wait(SECONDS), 0)

    def test_a_run_that_is_too_slow_is_told(self):
        _, err = self.call("run", "--limit=600", "--top=Slow", "--in", "jack:-", "--out", "out.raw", "p.str", env=self.environment)
        self.assertIn("frames of 'jack:-' were lost", err)
        self.assertIn("[dropouts]", err)

    def test_behind_a_stall_nothing_old_is_heard(self):
        self.file("stall.str", "float->float filter Stall { int n; float x; work pop 1 push 1 {\n"
                  "    if (n++ == 4000) for (int k = 0; k < 100000000; k++) x = sin(x + k);\n"
                  "    push(pop() + 0 * x); } }\n")  # fmt: skip
        self.play("--top=Count", "--out", "jack:-")
        _, err = self.call("run", "--limit=24000", "--top=Stall", "--in", "jack:strc:out_1", "--out", "out.raw", "stall.str", env=self.environment)
        self.assertIn("were lost", err)
        behind = array.array("f", self.bytes("out.raw"))[4001:]
        follow = next(k for k in range(len(behind) - 1) if round((behind[k + 1] - behind[k]) * 16777216) != 1)
        self.assertLess(follow, 4096)  # the ring holds 8192

    def test_all_channels_go_to_a_card_with_one_port(self):
        self.stop_server()
        self.jack = subprocess.Popen(
            ["jackd", "-r", "-n", self.server, "-d", "dummy", "-r", str(RATE), "-p", str(BLOCK), "-C", "1", "-P", "1"],
            env=clean(self.environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        time.sleep(1)
        self.play("--top=Pairs", "--out", "jack:")
        time.sleep(1)
        listed = subprocess.run(["jack_lsp", "-s", self.server, "-c", "system:playback_1"], env=clean(self.environment), capture_output=True, timeout=SECONDS)
        self.assertEqual(sorted(listed.stdout.decode().split()), ["strc:out_1", "strc:out_2", "system:playback_1"], listed.stderr)

    def test_a_server_that_goes_ends_the_input(self):
        process = self.start("run", "--top=Copy", "--in", "jack:-", "--out", "out.raw", "p.str", env=self.environment)
        process.stderr.readline()
        time.sleep(1)  # some items have come by then: an input without any is an error
        self.jack.terminate()
        self.assertEqual(process.wait(SECONDS), 0)

    def test_the_rate_is_the_servers(self):
        self.call("build", "--top=Rate", "--keep-param=rate", "-o", "rate", "p.str")
        done = subprocess.run(["./rate", "--in", "jack:-", "--out", "rate.raw", "--limit", "3"], cwd=self.folder, env=clean(self.environment), capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(array.array("f", self.bytes("rate.raw"))), {RATE})
        self.file("q.str", "float->float pipeline Asks(float rate = sampleRate()) { add Put(rate); }\n"
                  "float->float filter Put(float rate) { work pop 1 push 1 { pop(); push(rate); } }\n"
                  "float->float pipeline Channels(float count = channels()) { add Put(count); }\n")  # fmt: skip
        for top, file in (("Rate", "p.str"), ("Asks", "q.str")):
            self.call("run", f"--top={top}", "--in", "jack:-", "--out", "rate.raw", "--limit", "3", file, env=self.environment)
            self.assertEqual(set(array.array("f", self.bytes("rate.raw"))), {RATE})
        _, err = self.call("run", "--top=Channels", "--in", "jack:-", "--out", "rate.raw", "q.str", status=1, env=self.environment)
        self.assertIn("'jack:-' has as many channels as its items have samples", err)
        _, err = self.call("run", "--top=Asks", "--in", "jack:-", "q.str", status=1, env=self.environment | {"JACK_DEFAULT_SERVER": "strc-none"})
        self.assertIn("no JACK server is running", err)
        self.assertIn("[sound-unknown]", err)
        self.file("cd.wav", b"")
        self.call("run", "--top=Count", "--limit=10", "--out", "cd.wav", "--out-rate=44100", "p.str")
        _, err = self.call("run", "--top=Copy", "--in", "cd.wav", "--out", "jack:-", "p.str", status=1, env=self.environment)
        self.assertIn("it has 48000 samples a second, but the sound has 44100", err)

    def test_ports_that_are_not_there(self):
        _, err = self.call("run", "--top=Copy", "--in", "jack:nobody", "p.str", status=1, env=self.environment)
        self.assertIn("JACK has no outputs called so", err)

    def test_portaudio(self):
        process = self.start("run", "--top=Copy", "--limit=1000", "--in", "portaudio:", "--out", "out.raw", "p.str", env=self.environment)
        _, err = process.communicate(timeout=SECONDS)
        err = err.decode()
        if "needs the library of the package" in err or "there is no such sound device" in err:
            self.skipTest("needs Debian's package libportaudio2, with JACK")
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("portaudio: in: 48000 samples a second", err)
        self.assertEqual(len(self.bytes("out.raw")), 4000)
        _, err = self.call("run", "--top=Copy", "--in", "portaudio:no such thing", "p.str", status=1, env=self.environment)
        self.assertIn("there is no such sound device for input", err)


if __name__ == "__main__":
    unittest.main()
