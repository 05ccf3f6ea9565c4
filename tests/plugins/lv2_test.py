#!/usr/bin/env python3
"""Plug-ins of `strc build --plugin=lv2`: what a host hears is what `strc run` gives, whatever the blocks; Turtle that validators
and Debian's hosts take; annotations that are none are told. Hosts and validators of Debian are optional."""

import array
import math
import os
import random
import re
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "cli"))
from command import SECONDS, Case  # noqa: E402

CC = os.environ.get("CC") or "cc"
EXAMPLES = ROOT / "examples"
LV2 = Path("/usr/include/lv2/core/lv2.h")

GAIN = """/// @range gain -1 2
float->float filter Gain(float gain = 0.5) { work pop 1 push 1 { push(gain * pop()); } }
"""
# Looks ahead, works in blocks, begins with items of its own.
SLOW = """float->float pipeline Slow { add Mean(5); add Turn(8); add Early(3); }
float->float filter Mean(int n) { work pop 1 peek n push 1 { float sum = 0; for (int k = 0; k < n; k++) sum += peek(k); pop(); push(sum / n); } }
float->float filter Turn(int n) { work pop n push n { for (int k = 0; k < n; k++) push(peek(n - 1 - k)); for (int k = 0; k < n; k++) pop(); } }
float->float filter Early(int n) { prework push n { for (int k = 0; k < n; k++) push(k); } work pop 1 push 1 { push(pop()); } }
"""
STEREO = """/// @title Both "sides"
/// @range width 0 2 % log
float[2]->float[2] filter Width(float width = 1) {
    work pop 1 push 1 {
        float[2] frame = pop();
        float middle = (frame[0] + frame[1]) / 2;
        float side = width * (frame[0] - frame[1]) / 2;
        float[2] made = {middle + side, middle - side};
        push(made);
    }
}
""".replace("0 2 % log", "0 2 widths")
DOUBLES = "double[3]->double filter Sum { work pop 1 push 1 { double[3] x = pop(); push(x[0] + x[1] + x[2]); } }\n"
TONE = """/// @range pitch 20 2000 Hz log
void->float filter Tone(float rate = sampleRate(48000), float pitch = 440) {
    float phase;
    work push 1 { push(phase); phase += pitch / rate; if (phase > 1) phase -= 1; }
}
"""
FAULTS = "float->float filter Faulty { float[4] a; work pop 1 push 1 { push(a[(int)pop()]); } }\n"
TUNED = """/// @range cutoff 20 20000 Hz log
float->float pipeline Tuned(float rate = sampleRate(48000), float cutoff = 1000) { add BiquadLowPass(rate, cutoff); }
"""


def noise(frames, channels=1, seed=1):
    draw = random.Random(seed)
    return array.array("f", [draw.uniform(-1, 1) for _ in range(frames * channels)])


class Plugins(Case):
    @classmethod
    def setUpClass(cls):
        cls.host = Path(os.environ.get("TMPDIR", "/tmp")) / f"strc-lv2-host-{os.getpid()}"
        flags = ["-DWITH_LV2"] if LV2.exists() else ["-include", "stdint.h"]
        subprocess.run([CC, "-std=gnu11", "-O1", "-Wall", "-Werror", *flags, "-rdynamic", "-o", cls.host, HERE / "host.c", "-ldl"], check=True)
        cls.addClassCleanup(cls.host.unlink)

    def build(self, text, name="p", status=0, options=()):
        path = text if isinstance(text, Path) else self.file(f"{name}.str", text)
        declared = re.findall(r"^\S+->\S+ (?:filter|pipeline) (\w+)", path.read_text(), re.M)[0]
        _, err = self.call("build", "--plugin=lv2", f"--top={declared}", *options, "-o", f"{name}.lv2", path, status=status)
        return declared, err

    def play(self, declared, sound, inputs, outputs, controls=(), rate=48000, block=64, status=0, name="p"):
        command = [self.host, f"./{name}.lv2/{declared}.so", rate, block, inputs, outputs, len(controls), *controls]
        done = subprocess.run([str(each) for each in command], cwd=self.folder, input=sound.tobytes(), capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, status, done.stderr)
        made = array.array("f", done.stdout)
        latency = re.search(r"latency (\d+)", done.stderr.decode())
        return made, int(latency[1]) if latency else None, done.stderr.decode()

    def run_strc(self, declared, sound, *options, name="p.str"):
        self.file("in.raw", sound.tobytes())
        self.call("run", f"--top={declared}", "--in", "in.raw", "--out", "out.raw", "--in-format=raw", "--out-format=raw", *options, name)
        return array.array("f", self.bytes("out.raw"))


class Sound(Plugins):
    def test_blocks_of_any_size_are_what_a_run_gives(self):
        declared, _ = self.build(SLOW)
        sound = noise(700)
        for block in (1, 7, 64, 500):
            made, latency, _ = self.play(declared, sound, 1, 1, block=block)
            wanted = self.run_strc(declared, array.array("f", [0] * latency) + sound)
            self.assertEqual(len(made), len(sound))
            self.assertEqual(made[: len(wanted)], wanted[: len(made)])
        self.assertGreater(latency, 0)

    def test_frames_are_channels(self):
        declared, _ = self.build(STEREO)
        sound = noise(300, 2)
        made, latency, told = self.play(declared, sound, 2, 2, [0.25])
        self.assertEqual((latency, told.split(",")[0]), (0, "urn:strc:Width"))
        self.assertEqual(made, self.run_strc(declared, sound, "-D", "width=0.25"))

    def test_doubles_and_other_numbers_of_channels(self):
        declared, _ = self.build(DOUBLES)
        sound = noise(100, 3)
        made, _, _ = self.play(declared, sound, 3, 1)
        wanted = array.array("f", [sound[k] + sound[k + 1] + sound[k + 2] for k in range(0, 300, 3)])
        self.assertEqual(made, wanted)

    def test_a_source_takes_the_rate_of_the_host(self):
        declared, _ = self.build(TONE)
        made, _, _ = self.play(declared, array.array("f", [0] * 100), 0, 1, [500], rate=8000)
        self.assertAlmostEqual(made[1], 500 / 8000, places=6)

    def test_a_control_moves_and_what_is_outside_is_moved_to_its_end(self):
        declared, _ = self.build(GAIN)
        sound = array.array("f", [1] * 2000)
        made, _, _ = self.play(declared, sound, 1, 1, ["2:7"])
        self.assertEqual(set(made), {2})
        made, _, _ = self.play(declared, sound, 1, 1, ["nan"])
        self.assertEqual(set(made), {0.5})
        made, _, _ = self.play(declared, sound, 1, 1, ["1:-1"])
        self.assertEqual(sorted(set(made)), [-1, 1])

    def test_a_smoothed_control_takes_its_time(self):
        declared, _ = self.build(GAIN.replace("/// @range", "/// @smooth gain 10 ms\n/// @range"))
        made, _, _ = self.play(declared, array.array("f", [1] * 4000), 1, 1, ["0:2"])
        moving = [x for x in made if 0 < x < 2]
        self.assertLessEqual(abs(len(moving) - 480), 64)
        self.assertEqual(moving, sorted(moving))
        self.assertEqual(made[-1], 2)

    def test_another_control_does_not_wait_for_one_that_moves(self):
        declared, _ = self.build("""/// @range gain 0 1
/// @smooth gain 10 ms
/// @range more 0 100
float->float filter Both(float gain = 0, float more = 0) { work pop 1 push 1 { push(gain * pop() + more); } }
""")
        made, _, _ = self.play(declared, array.array("f", [1] * 2000), 1, 1, ["0:1", "0:0:100"], block=7)
        before = 7 * 7 + 3  # every third block is of one frame; the first control moves from the eleventh on, the other one from the twelfth
        self.assertEqual(made[before - 1], 0)
        self.assertTrue(all(0 < x < 1 for x in made[before : before + 7]), made[before : before + 7])
        self.assertGreater(made[before + 7], 100)

    def test_coefficients_follow_and_the_rate_counts(self):
        declared, _ = self.build(TUNED)
        sound = noise(500)
        made, _, _ = self.play(declared, sound, 1, 1, [300], rate=44100)
        self.assertEqual(made, self.run_strc(declared, sound, "-D", "cutoff=300", "-D", "rate=44100"))

    def test_a_value_that_the_program_refuses_is_left_out(self):
        declared, _ = self.build(TUNED)
        sound = noise(500)
        made, _, _ = self.play(declared, sound, 1, 1, [15000], rate=22050)  # beyond half of the rate
        self.assertEqual(made, self.run_strc(declared, sound, "-D", "cutoff=1000", "-D", "rate=22050"))

    def test_another_rate_than_the_program_has_is_refused(self):
        fixed = TUNED.replace("sampleRate(48000)", "48000")
        declared, _ = self.build(fixed)
        _, _, told = self.play(declared, noise(10), 1, 1, [300], rate=44100, status=3)
        self.assertIn("built for 48000 samples a second, but the host has 44100", told)
        self.play(declared, noise(10), 1, 1, [300], rate=48000)

    def test_after_a_fault_it_starts_again(self):
        declared, _ = self.build(FAULTS.replace("a;", "a = {1, 2, 3, 4};"))
        made, _, _ = self.play(declared, array.array("f", [1, 2, 9, 1, 2, 3, 1, 2, 3]), 1, 1, block=3)
        self.assertEqual(list(made), [2, 3, 0, 2, 3, 4, 2, 3, 4])

    def test_a_network_is_a_plugin(self):
        path = EXAMPLES / "wavenet_amp/amplifier.str"
        declared, _ = self.build(path)
        sound = noise(900)
        made, latency, _ = self.play(declared, sound, 1, 1, block=100)
        self.assertEqual(made, self.run_strc(declared, array.array("f", [0] * latency) + sound, name=path)[: len(made)])


class Folder(Plugins):
    def test_the_folder_has_what_hosts_look_for(self):
        self.build(EXAMPLES / "guitar_pedal/guitar_pedal.str")
        self.assertEqual(sorted(p.name for p in (self.folder / "p.lv2").iterdir()), ["GuitarPedal.so", "GuitarPedal.ttl", "manifest.ttl"])
        text = self.bytes("p.lv2/GuitarPedal.ttl").decode()
        for wanted in ('doap:name "Guitar pedal"', "lv2:default 12.0", "pprops:logarithmic", "units:unit units:hz", "lv2:toggled", "lv2:reportsLatency"):
            self.assertIn(wanted, text)

    def test_a_name_by_default_and_once_more(self):
        self.file("gain.str", GAIN)
        for _ in range(2):
            self.call("build", "--plugin=lv2", "--top=Gain", "gain.str")
        self.assertTrue((self.folder / "gain.lv2/manifest.ttl").exists())

    def test_nothing_is_there_after_a_failure(self):
        self.build(GAIN, options=["--linker=/bin/false"], status=1)
        self.assertFalse((self.folder / "p.lv2").exists())

    @unittest.skipUnless(LV2.exists(), "needs Debian's package lv2-dev")
    def test_the_interface_is_that_of_the_headers(self):
        subprocess.run([CC, "-std=c11", "-fsyntax-only", "-Werror", "-I", ROOT / "runtime/plugins", HERE / "layout.c"], check=True)

    @unittest.skipUnless(shutil.which("sord_validate") and Path("/usr/lib/lv2/core.lv2").exists(), "needs Debian's packages sordi and lv2-dev")
    def test_the_turtle_is_valid(self):
        for k, source in enumerate([EXAMPLES / "guitar_pedal/guitar_pedal.str", STEREO, TONE, DOUBLES]):
            self.build(source, f"v{k}")
            files = [*Path("/usr/lib/lv2").glob("*.lv2/*.ttl"), *(self.folder / f"v{k}.lv2").glob("*.ttl")]
            done = subprocess.run(["sord_validate", *files], capture_output=True, text=True)
            ours = [line for line in done.stderr.splitlines() if str(self.folder) in line or "urn:strc" in line]
            self.assertEqual(ours, [], done.stderr)

    @unittest.skipUnless(shutil.which("lv2apply"), "needs Debian's package lilv-utils")
    def test_lv2apply_hears_what_a_run_gives(self):
        path = EXAMPLES / "wavenet_amp/amplifier.str"
        self.build(path, "amp")
        environment = {**os.environ, "LV2_PATH": str(self.folder), "LC_ALL": "C"}
        listed = subprocess.run(["lv2ls"], env=environment, capture_output=True, text=True, check=True).stdout
        self.assertIn("urn:strc:Amplifier", listed)
        sound = EXAMPLES / "wavenet_amp/guitar.wav"
        command = ["lv2apply", "-i", sound, "-o", self.folder / "made.wav", "urn:strc:Amplifier"]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        self.call("run", "--top=Amplifier", "--in", sound, "--out", "wanted.wav", "--out-sample=float", path)
        self.file("copy.str", "float->float filter Copy { work pop 1 push 1 { push(pop()); } }")
        values = []
        for name in ("made", "wanted"):
            self.call("run", "--top=Copy", "--in", f"{name}.wav", "--out", f"{name}.raw", "copy.str")
            values.append(array.array("f", self.bytes(f"{name}.raw")))
        made, wanted = values
        worst = max(abs(a - b) for a, b in zip(made, wanted))
        self.assertGreater(max(map(abs, made)), 0.01)
        self.assertLess(worst, 1e-4)

    @unittest.skipUnless(shutil.which("jalv") and shutil.which("jackd"), "needs Debian's packages jalv and jackd2")
    def test_jalv_plays_it(self):
        self.build(EXAMPLES / "guitar_pedal/guitar_pedal.str")
        server = f"strc-{os.getpid()}"
        environment = {**os.environ, "LV2_PATH": str(self.folder), "JACK_DEFAULT_SERVER": server, "JACK_NO_START_SERVER": "1", "LC_ALL": "C"}
        jack = subprocess.Popen(["jackd", "-r", "-n", server, "-d", "dummy", "-r", "48000", "-p", "256"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(jack.wait, SECONDS)
        self.addCleanup(jack.terminate)  # by its own way, since it has memory that others share
        time.sleep(1)
        if jack.poll() is not None:
            self.skipTest("JACK's dummy driver does not start here")
        jalv = subprocess.Popen(["jalv", "-x", "-p", "-c", "drive=20", "urn:strc:examples:guitar-pedal"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.end, jalv)
        try:
            out, _ = jalv.communicate(timeout=3)
        except subprocess.TimeoutExpired:
            jalv.terminate()
            out, _ = jalv.communicate(timeout=SECONDS)
        self.assertIn("Guitar pedal", out.decode())
        self.assertIn("48000", out.decode())


class Refused(Plugins):
    def refuse(self, text, *wanted, options=()):
        _, err = self.build(text, status=1, options=options)
        for each in wanted:
            self.assertIn(each, err)
        self.assertFalse((self.folder / "p.lv2").exists())

    def test_two_parameters_that_are_the_rate(self):
        text = TUNED.replace("(float rate = sampleRate(48000)", "(float rate = sampleRate(48000), float other = sampleRate(44100)").replace("(rate, cutoff)", "(rate + other, cutoff)")
        self.refuse(text, "its parameters 'rate' and 'other' are both the host's rate", "plugin-ends")
        self.build(text, options=["-D", "other=44100"])

    def test_annotations_that_are_none(self):
        cases = [
            ("@range volume 0 1", "p.str:1:5: error: annotation '@range': 'Gain' has no parameter 'volume'"),
            ("@range", "the name of a parameter is missing"),
            ("@range gain 1 0", "the least and the greatest value are needed"),
            ("@range gain 0 nan", "the least and the greatest value are needed"),
            ("@range gain 0 1 log", "a logarithmic range lies above 0"),
            ("@range gain 0 1 dB log more", "'more' is too much"),
            ("@range gain 1 2", "the value of 'gain', 0.5, lies outside of it"),
            ("@range gain 0 1\n/// @range gain 0 1", "has a range already"),
            ("@label gain", "has no '@range'"),
            ("@range gain 0 1\n/// @label gain", "the text is missing"),
            ("@range gain 0 1\n/// @smooth gain soon", "a time is needed"),
            ("@rnage gain 0 1", "no annotation is called so"),
            ("@uri my plugin", "a URI is needed"),
            ("@title", "the text is missing"),
        ]
        for annotation, wanted in cases:
            with self.subTest(annotation):
                self.refuse(GAIN.replace("@range gain -1 2", annotation), wanted, "bad-annotation")
        self.refuse(GAIN.replace("float gain = 0.5", "int gain = 1").replace("-1 2", "-0.5 2"), "is an int")

    def test_other_comments_are_left_alone(self):
        text = "/// @range gain 0 2\n\n" + GAIN.replace("/// @range gain -1 2", "/*\n * @param gain louder\n * @author me\n * @range gain 0 3\n */")
        self.build(text)
        self.assertIn("lv2:maximum 3.0", self.bytes("p.lv2/Gain.ttl").decode())
        self.build(GAIN.replace("-1 2", "1e-14 3e-13").replace("0.5", "2e-13"), options=["-D", "gain=1e-14"])
        text = self.bytes("p.lv2/Gain.ttl").decode()
        self.assertIn("lv2:minimum 0.00000000000001 ", text)
        self.assertIn("lv2:maximum 0.0000000000003", text)

    def test_programs_that_are_no_plugins(self):
        self.refuse("int->int filter A { work pop 1 push 1 { push(pop()); } }\n", "items of type 'int'", "plugin-ends")
        self.refuse("float->float filter A { work pop 2 push 1 { push(pop() + pop()); } }\n", "it gives 1 items for 2")
        self.refuse("float->float filter A { work pop [1, *] push 1 { push(pop()); } }\n", "depends on them", options=["--bound=9"])
        self.refuse(GAIN.replace("/// @range gain -1 2", "//"), "kept open without a range", options=["--keep-param=gain"])
        self.refuse('float->float filter A { work pop 1 push 1 { println("x"); push(pop()); } }\n', "library-effect")

    def test_options_that_exclude_each_other(self):
        self.file("p.str", GAIN)
        for other in ("--static", "--shared", "--bundle=d", "--emit=obj", "--gnuradio", "--header=h.h"):
            _, err = self.call("build", "--plugin=lv2", other, "p.str", status=2)
            self.assertIn("exclude each other", err)
        _, err = self.call("build", "--plugin=vst", "p.str", status=2)
        self.assertIn("'vst' is not a value for --plugin: lv2 is needed", err)


if __name__ == "__main__":
    unittest.main()
