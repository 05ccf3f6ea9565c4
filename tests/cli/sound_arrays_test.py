#!/usr/bin/env python3
"""Files as arrays while the graph is built, what headers tell, and file names that an executable is told: the same from
the interpreter, compiled programs and executables."""

import struct
import subprocess
import unittest

from command import SECONDS, STRC, Case, clean
from sounds_test import form, wav, words

FILTER = "void->void pipeline Main {{ add Items({0}); add Drop; }}\n"


def show(element):
    """A source that prints an array, and its length."""
    return (f"void->int filter Items({element}[_] h) {{ work push 1 {{ println(h.length); "
            "for (int k = 0; k < h.length; k++) println(h[k]); push(0); } }\n"
            "int->void filter Drop { work pop 1 { pop(); } }\n")  # fmt: skip


class Program(Case):
    """A program that all engines run."""

    def results(self, source, *options, build=(), status=0, folder="."):
        self.file("p.str", source)
        path = "p.str" if folder == "." else "../p.str"
        (self.folder / folder).mkdir(exist_ok=True)
        self.call("build", *build, "p.str")
        commands = [[STRC, "run", "--interpret", *build, path], [STRC, "run", "--no-interpret", *build, path],
                    ["./p" if folder == "." else "../p"]]  # fmt: skip
        found = []
        for command in commands:
            done = subprocess.run([*command, *options], cwd=self.folder / folder, capture_output=True, env=clean(),
                                  timeout=SECONDS)  # fmt: skip
            self.assertEqual(done.returncode, status, done.stderr)
            err = done.stderr.decode().replace("strc: ", "p: ")
            found.append((done.stdout, [line for line in err.split("\n") if ": warning: " in line or ": error: " in line]))
        for each in found:
            self.assertEqual(each, found[0])
        return found[0][0], found[0][1]

    def lines(self, source, *options, **more):
        out, err = self.results(source, *options, **more)
        self.assertEqual(err, [])
        return out.decode().split()

    def fault(self, source):
        """The first line of the error of what cannot be built."""
        self.file("p.str", source)
        for words_ in (["run", "--interpret"], ["run", "--no-interpret"], ["check"], ["build"]):
            out, err = self.call(*words_, "p.str", status=1)
            self.assertEqual(out, b"")
        return err.split("\n")[0]


class Arrays(Program):
    def shown(self, expression, element="float"):
        return self.lines(FILTER.format(expression) + show(element), "-i", "1")

    def test_a_sound(self):
        self.file("a.wav", wav(form(), words(16384, -8192, 0)))
        self.assertEqual(self.shown('wav("a.wav")'), ["3", "0.5", "-0.25", "0.0"])
        self.assertEqual(self.shown('wav("a.wav", 0)'), ["3", "0.5", "-0.25", "0.0"])
        self.assertEqual(self.shown('wav("a.wav")', "double"), ["3", "0.5", "-0.25", "0.0"])
        self.assertEqual(self.shown('wav("a.wav")', "int"), ["3", "16384", "-8192", "0"])

    def test_channels(self):
        self.file("a.wav", wav(form(channels=2), words(16384, -8192, 0, 8192)))
        self.assertEqual(self.shown('wav("a.wav", 0)'), ["2", "0.5", "0.0"])
        self.assertEqual(self.shown('wav("a.wav", 1)'), ["2", "-0.25", "0.25"])
        self.assertEqual(self.shown('wav("a.wav", -1)'), ["4", "0.5", "-0.25", "0.0", "0.25"])
        self.assertEqual(self.shown('wav("a.wav")', "complex"), ["2", "0.5-0.25i", "0.0+0.25i"])

    def test_other_formats(self):
        self.file("a.txt", "1, 2.5;\n\t-3e0 # three\n4")
        for name in "text", "csv":
            self.assertEqual(self.shown(f'{name}("a.txt")'), ["4", "1.0", "2.5", "-3.0", "4.0"])
        self.file("i.txt", "1 0x10\n")
        self.assertEqual(self.shown('text("i.txt")', "int"), ["2", "1", "16"])
        self.file("a.raw", struct.pack("<3i", 1, 2, -1))
        self.assertEqual(self.shown('raw("a.raw")', "int"), ["3", "1", "2", "-1"])
        self.file("a.pcm", words(16384, 1))
        self.assertEqual(self.shown('pcm("a.pcm")', "int"), ["2", "16384", "1"])
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }".ljust(117) + b"\n"
        self.file("a.npy", b"\x93NUMPY\1\0" + struct.pack("<H", 118) + header + struct.pack("<2d", 0.5, 2))
        self.assertEqual(self.shown('npy("a.npy")'), ["2", "0.5", "2.0"])

    def test_where_arrays_may_be(self):
        """Variables, fields, static variables, default values, init, and where an array of known length is wanted."""
        self.file("a.txt", "1 2 3")
        wanted = ["3", "1.0", "2.0", "3.0"]
        tail = show("float")
        variable = "void->void pipeline Main {{ float[{0}] h = text(\"a.txt\"); add Items(h); add Drop; }}\n"
        for length in "_", "3", 'text("a.txt").length':
            with self.subTest(length):
                self.assertEqual(self.lines(variable.format(length) + tail, "-i", "1"), wanted)
        static = 'static { float[_] h = text("a.txt"); int n = h.length; }\n' + FILTER.format("h") + tail
        self.assertEqual(self.lines(static, "-i", "1"), wanted)
        default = "void->void pipeline Main { add Items; add Drop; }\n" + tail.replace("float[_] h)", 'float[_] h = text("a.txt"))', 1)
        self.assertEqual(self.lines(default, "-i", "1"), wanted)
        for length, initial, init in (("_", ' = text("a.txt")', ""), ("3", ' = text("a.txt")', ""),
                                      ("3", "", 'h = text("a.txt");')):  # fmt: skip
            with self.subTest(length + init):
                source = ("void->void pipeline Main { add F; add Drop; }\n"
                          f"void->int filter F {{ float[{length}] h{initial}; init {{ {init} }} work push 1 {{ "
                          "println(h.length); for (int k = 0; k < h.length; k++) println(h[k]); push(0); } }\n"
                          "int->void filter Drop { work pop 1 { pop(); } }\n")  # fmt: skip
                self.assertEqual(self.lines(source, "-i", "1"), wanted)
        braces = "void->void pipeline Main { int[_] h = {4, 5}; add Items(h); add Drop; }\n" + show("int")
        self.assertEqual(self.lines(braces, "-i", "1"), ["2", "4", "5"])

    def test_filters_of_the_library(self):
        """As with the same numbers in braces."""
        self.file("ir.wav", wav(form(), words(16384, 8192, -8192)))
        program = "void->void pipeline Main {{ add ImpulseSource; add {0}; add Print; }}\n"
        for stream in "Fir(3, {0})", "Convolver({0}, block = 2)", "ZeroLatencyConvolver({0}, block = 2)":
            wanted = self.lines(program.format(stream.format("{0.5, 0.25, -0.25}")), "--limit", "6")
            self.assertEqual(self.lines(program.format(stream.format('wav("ir.wav")')), "--limit", "6"), wanted)

    def test_beside_the_source(self):
        """From the working directory, else from the folder of the source."""
        self.file("a.txt", "1")
        source = FILTER.format('text("a.txt")') + show("float")
        self.assertEqual(self.lines(source, "-i", "1", folder="below"), ["1", "1.0"])
        self.file("below/a.txt", "2")
        done = subprocess.run([STRC, "run", "-i", "1", "../p.str"], cwd=self.folder / "below", capture_output=True,
                              timeout=SECONDS)  # fmt: skip
        self.assertEqual(done.stdout.split(), [b"1", b"2.0"])

    def test_values_are_built_in(self):
        self.file("a.txt", "1 2")
        self.file("p.str", FILTER.format('text("a.txt")') + show("int"))
        self.call("build", "p.str")
        (self.folder / "a.txt").unlink()
        done = subprocess.run(["./p", "-i", "1"], cwd=self.folder, capture_output=True, timeout=SECONDS)
        self.assertEqual(done.stdout.split(), [b"2", b"1", b"2"])
        self.file("a.txt", "3 4")
        fir = 'float->float pipeline Top { add Fir(2, text("a.txt")); }\n'
        self.file("lib.str", fir)
        self.call("build", "--shared", "--top", "Top", "lib.str")

    def test_faults(self):
        program = FILTER + show("float").replace("{", "{{").replace("}", "}}")
        self.file("two.wav", wav(form(channels=2), words(1, 2)))
        self.file("one.wav", wav(form(), words(1)))
        self.file("bad.wav", b"RIFX" + bytes(40))
        self.file("bad.txt", "1\n2 x\n")
        self.file("empty.txt", "")
        place = "p.str:1:38: error: "
        for call, message in (
            ('wav("none.wav")', "cannot open 'none.wav': No such file or directory [cannot-open-file]"),
            ('wav(".")', "cannot read '.': it is a directory [cannot-read-file]"),
            ('wav("bad.wav")', "'bad.wav' is not a valid WAV file: it does not begin as one [malformed-input]"),
            ('text("bad.txt")', "'bad.txt' is not a valid text file: line 2: 'x' is not a number [malformed-input]"),
            ('text("empty.txt")', "input file 'empty.txt' holds no items [empty-input]"),
            ('wav("two.wav")', "'two.wav' has 2 channels, so which one has to be said: 0 is the first, -1 stands for all "
                               "of them in turn [file-channels]"),
            ('wav("two.wav", 2)', "'two.wav' has 2 channels, so there is no channel 2 [file-channels]"),
            ('wav("one.wav", 1)', "'one.wav' has 1 channel, so there is no channel 1 [file-channels]"),
        ):  # fmt: skip
            with self.subTest(call):
                self.assertEqual(self.fault(program.format(call)), place + message)
        length = 'void->void pipeline Main { float[2] h = wav("one.wav"); add Items(h); add Drop; }\n' + show("float")
        self.assertEqual(self.fault(length), "p.str:1:41: error: the array has length 1, but 2 is needed [array-length]")
        late = ("void->void pipeline Main { add Late; add Print; }\n"
                'void->float filter Late { work push 1 { push(wav("one.wav")[0]); } }\n')  # fmt: skip
        self.assertEqual(self.fault(late), "p.str:2:46: error: 'wav' looks at a file while the graph is built, which is over in "
                                           "work [file-placement]")  # fmt: skip
        self.assertIn("[argument-count]", self.fault(program.format('text("bad.txt", 1)')))


class Facts(Program):
    def test_named_files(self):
        self.file("a.wav", wav(form(channels=2, rate=48000), words(1, 2)))
        program = ('static { int all = channels("a.wav"); }\n'
                   'void->void pipeline Main { add F(sampleRate("a.wav")); add Drop; }\n')  # fmt: skip
        filters = ("void->int filter F(float rate) { work push all { println(rate); for (int k = 0; k < all; k++) push(k); } }\n"
                   "int->void filter Drop { work pop 1 { println(pop()); } }\n")  # fmt: skip
        self.assertEqual(self.lines(program + filters, "-i", "1"), ["48000.0", "0", "1"])
        missing = 'void->void pipeline Main { add ImpulseSource; add LowPass(sampleRate("none.wav"), 1000); add Print; }\n'
        self.assertEqual(self.fault(missing), "p.str:1:59: error: cannot open 'none.wav': No such file or directory [cannot-open-file]")

    def test_executables_refuse_other_files(self):
        """What the program was told of a file that it reads holds when it runs."""
        self.file("a.wav", wav(form(rate=48000), words(16384)))
        self.file("p.str", 'void->void pipeline Main { add WavReader<float>("a.wav"); add Gain(sampleRate("a.wav")); add Print; }\n')
        self.call("build", "p.str")
        done = subprocess.run(["./p"], cwd=self.folder, capture_output=True, timeout=SECONDS)
        self.assertEqual((done.stdout, done.stderr), (b"24000.0\n", b""))
        self.file("a.wav", wav(form(rate=8000), words(16384)))
        done = subprocess.run(["./p"], cwd=self.folder, capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot read 'a.wav': 8000 samples a second are in it, not 48000", done.stderr)

    def test_the_input(self):
        self.file("a.wav", wav(form(channels=2, rate=48000), words(16384, 8192)))
        tell = "float->float pipeline Tell(float rate = sampleRate({0}), int n = channels({1})) {{ add Gain(rate * n); }}\n"
        self.file("p.str", tell.format("44100", "1"))
        for engine in "--interpret", "--no-interpret":
            out, err = self.call("run", engine, "--top=Tell", "--in=a.wav", "--out-format=text", "p.str")
            self.assertEqual((out.split(), err), ([b"48000.0", b"24000.0"], ""))
        out, err = self.call("run", "--top=Tell", "--in-format=text", "--out-format=text", "p.str", input=b"1")
        self.assertEqual(out, b"44100.0\n")
        self.call("build", "--top=Tell", "p.str")
        done = subprocess.run(["./p", "--in=a.wav", "--out-format=text"], cwd=self.folder, capture_output=True, timeout=SECONDS)
        self.assertEqual(done.stdout.split(), [b"22050.0", b"11025.0"])
        self.assertIn(b"'a.wav' has 48000 samples a second, but the program was made for 44100 [sound-rate]", done.stderr)
        self.assertIn(b"'a.wav' has 2 channels, but the program was made for 1 [sound-channels]", done.stderr)
        self.file("p.str", tell.format("", ""))
        for words_ in (["check"], ["build"], ["run", "--in-format=text"], ["build", "--shared"]):
            _, err = self.call(*words_, "--top=Tell", "p.str", status=1, input=b"1")
            self.assertIn("p.str:1:41: error: 'sampleRate()' is not known while the graph is built: ", err)
        self.call("run", "--top=Tell", "-D", "rate=1", "-D", "n=1", "--in-format=text", "p.str", input=b"1")

    def test_open_parameters_follow_the_input(self):
        self.file("a.wav", wav(form(rate=48000), words(16384)))
        self.file("p.str", "float->float pipeline Tell(double rate = sampleRate(44100)) { add Gain((float)rate); }\n")
        self.call("build", "--top=Tell", "--keep-param=rate", "p.str")

        def run(*options, source=b""):
            done = subprocess.run(["./p", "--out-format=text", *options], cwd=self.folder, capture_output=True, input=source,
                                  timeout=SECONDS)  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            return done.stdout

        self.assertEqual(run("--in=a.wav"), b"24000.0\n")
        self.assertEqual(run("--in-format=wav", source=self.bytes("a.wav")), b"24000.0\n")
        self.assertEqual(run("--in=a.wav", "-D", "rate=2"), b"1.0\n")
        self.assertEqual(run("--in-format=text", source=b"1"), b"44100.0\n")


class Warnings(Program):
    def warnings(self, source, *options):
        return [line.split(": warning: ")[1] for line in self.results(source, *options)[1] if "[sound-" in line]

    def reading(self, item, streams, file="a.wav", more=""):
        return f'void->void pipeline Main {{ add WavReader<{item}>("{file}"{more}); {streams} }}\n'

    def test_channels(self):
        left = "add float[2]->float filter { work pop 1 push 1 { push(pop()[0]); } }; add Print;"
        self.file("a.wav", wav(form(), words(1, 2)))
        message = "'a.wav' has 1 channel, but an item takes 2 samples [sound-channels]"
        self.assertEqual(self.warnings(self.reading("float[2]", left)), [message])
        self.assertEqual(self.warnings(self.reading("float[2]", left, more=", channels = 1")), [])
        self.file("a.wav", wav(form(channels=2), words(1, 2, 3, 4)))
        self.assertEqual(self.warnings(self.reading("float[2]", left)), [])
        smooth = "add Fir(2, {0.5, 0.5}); add Print;"
        message = "'a.wav' has 2 channels, but the program takes its samples as those of one channel [sound-channels]"
        self.assertEqual(self.warnings(self.reading("float", smooth)), [message])
        self.assertEqual(self.warnings(self.reading("float", smooth, more=", channels = 2")), [])
        both = "add splitjoin { split roundrobin; add Fir(2, {0.5, 0.5}); add Fir(2, {0.5, 0.5}); join roundrobin; }; add Print;"
        self.assertEqual(self.warnings(self.reading("float", both)), [])
        self.assertEqual(self.warnings(self.reading("float", "add Gain(2); add Print;")), [])

    ONE = "'a.wav' has 2 channels, but the program takes its samples as those of one channel [sound-channels]"

    def test_streams_of_the_library_that_take_whole_frames(self):
        """Also where a steady state takes as many samples of one channel as of the other."""
        self.file("a.wav", wav(form(channels=2), words(*range(512))))
        self.file("p.str", "void->void filter Main { work { } }\n")
        for top in ("Resampler(3, 2)", "Decimator(2)", "Convolver({0.5, 0.25})", "ZeroLatencyConvolver({0.5, 0.25})", "Spectrum(64)",
                    "RealFft(64)", "Rms(64)", "Mean(4)", "Dct(8)", "Interpolator(2)", "LowPass(8000, 1000)"):  # fmt: skip
            with self.subTest(top):
                for engine in "--interpret", "--no-interpret":
                    _, err = self.call("run", engine, "--top", top, "--in=a.wav", "--out=o.raw", "p.str")
                    self.assertEqual(err.count(self.ONE), 1, err)
        for top in ("Rms(2)", "Adder(2)", "Mixer(2, {0.5, 0.5})", "PairToComplex", "Transpose(4, 2)", "Frames(8, 4)", "Downsample(2)",
                    "Reverse(2)", "Repeat(2)", "Gain(2)", "Clip"):  # fmt: skip
            with self.subTest(top):
                _, err = self.call("run", "--top", top, "--in=a.wav", "--out=o.raw", "p.str")
                self.assertNotIn("sound-channels", err)
        self.file("p.str", "float->float pipeline Half { add Gain(2); add Decimator(2); }\n")
        self.call("build", "--top=Half", "p.str")
        done = subprocess.run(["./p", "--in=a.wav", "--out=o.raw"], cwd=self.folder, capture_output=True, timeout=SECONDS)
        self.assertIn(self.ONE, done.stderr.decode())
        self.file("a.wav", wav(form(), words(*range(512))))
        done = subprocess.run(["./p", "--in=a.wav", "--out=o.raw"], cwd=self.folder, capture_output=True, timeout=SECONDS)
        self.assertNotIn("sound-", done.stderr.decode())

    def test_where_samples_go(self):
        self.file("a.wav", wav(form(channels=2), words(*range(64))))
        both = "add splitjoin {{ split {}; add {}; add {}; join roundrobin; }}; add Print;"
        half = "Decimator(2)"
        own = "add float->float filter { work pop 2 push 2 peek 6 { for (int k = 0; k < 2; k++) push(peek(k) + peek(k + 4)); pop(); pop(); } }; add Print;"
        swap = "float->float filter { work pop 2 push 2 { push(peek(1)); push(pop()); pop(); } }"
        for streams, warns in (
            (both.format("roundrobin", half, half), False),
            (both.format("roundrobin(2)", half, half), True),
            (both.format("duplicate", half, half), True),
            (both.format("roundrobin", "Gain(2)", "Gain(3)").replace("add Print", f"add {half}; add Print"), True),
            (both.format("roundrobin(1, 3)", half, half).replace("join roundrobin", "join roundrobin(1, 3)"), True),
            (both.format("roundrobin", "Delay(3)", "Skip(1)").replace("add Print", "add Adder(2); add Print"), False),
            (own, False),
            (f"add {swap}; add Adder(2); add Print;", False),
            (f"add Negate; add Delay(2); add {half}; add Print;", True),
            (f"add Downsample(2); add {half}; add Print;", False),
        ):
            with self.subTest(streams):
                self.assertEqual(self.warnings(self.reading("float", streams)), [self.ONE] if warns else [])
                self.assertEqual(self.warnings(self.reading("float", streams, more=", channels = 2")), [])

    def test_rates(self):
        self.file("a.wav", wav(form(rate=48000), words(*range(20))))
        low = "add BiquadLowPass({0}, 1000); add Print;"
        message = "'a.wav' has 48000 samples a second, but streams of the program are told that there are 44100 [sound-rate]"
        self.assertEqual(self.warnings(self.reading("float", low.format(44100))), [message])
        self.assertEqual(self.warnings(self.reading("float", low.format(44100), more=", rate = 48000")), [])
        self.assertEqual(self.warnings(self.reading("float", low.format(48000))), [])
        self.assertEqual(self.warnings(self.reading("float", low.format('sampleRate("a.wav")'))), [])
        halved = "add float->float filter { work pop 2 push 1 { push(pop()); pop(); } }; add BiquadLowPass(24000, 1000); add Print;"
        self.assertEqual(self.warnings(self.reading("float", halved)), [])

    def test_sounds_side_by_side(self):
        self.file("a.wav", wav(form(rate=48000), words(1, 2, 3, 4)))
        self.file("b.wav", wav(form(rate=24000), words(1, 2)))
        mix = ("void->void pipeline Main {{ add void->float splitjoin {{ split roundrobin(0); "
               'add WavReader<float>("a.wav"); add WavReader<float>("b.wav"); join roundrobin({0}, 1); }}; add Print; }}\n')  # fmt: skip
        message = "'b.wav' has 24000 samples a second, but another sound is read with 48000 [sound-rate]"
        self.assertEqual(self.warnings(mix.format(1)), [message])
        self.assertEqual(self.warnings(mix.format(2)), [])

    def test_the_open_input(self):
        self.file("a.wav", wav(form(), words(1, 2)))
        self.file("p.str", "float[2]->float filter Left { work pop 1 push 1 { push(pop()[0]); } }\n")
        self.call("build", "--top=Left", "p.str")
        message = "'a.wav' has 1 channel, but an item takes 2 samples [sound-channels]"
        for command in ([STRC, "run", "--interpret", "--top=Left", "p.str"], [STRC, "run", "--top=Left", "p.str"], ["./p"]):
            done = subprocess.run([*command, "--in=a.wav", "--out-format=text"], cwd=self.folder, capture_output=True,
                                  env=clean(), timeout=SECONDS)  # fmt: skip
            self.assertEqual((done.returncode, done.stdout), (0, b"3.0517578E-5\n"))
            self.assertIn(message, done.stderr.decode())
        call = ("run", "--top=Left", "--in=a.wav", "--out-format=text", "p.str")
        for option in ("-Wno-sound-channels", "-Wno-all", "-w"):
            self.assertEqual(self.call(*call, option)[1], "")
        for option in ("-Werror=sound-channels", "-Werror"):
            self.assertIn(f"error: {message}", self.call(*call, option, status=1)[1])


class Headers(Program):
    """Rate and channels of what is written."""

    BY = ("float->float filter By(int take, int give) { work pop take push give { "
          "for (int k = 0; k < give; k++) push(peek(k % take)); for (int k = 0; k < take; k++) pop(); } }\n")  # fmt: skip

    def header(self, name="out.wav"):
        return struct.unpack_from("<HI", self.bytes(name), 22)

    def written(self, source, *options, top=None):
        self.file("p.str", source)
        tops = [f"--top={top}"] if top else []
        self.call("build", *tops, "p.str")
        found = []
        for command in ([STRC, "run", "--interpret", *tops, "p.str"], [STRC, "run", "--no-interpret", *tops, "p.str"], ["./p"]):
            subprocess.run([*command, *options], cwd=self.folder, check=True, capture_output=True, timeout=SECONDS)
            found.append(self.header())
            (self.folder / "out.wav").unlink()
        self.assertEqual(found[1:], found[:1] * 2)
        return found[0]

    def test_rates_follow_the_program(self):
        self.file("in.wav", wav(form(rate=48000), words(*range(480))))
        through = 'void->void pipeline Main {{ add WavReader<float>("in.wav"); {0} add WavWriter<float>("out.wav"{1}); }}\n'
        for streams, rate in (("add By(2, 1);", 24000), ("add By(1, 3);", 144000), ("", 48000),
                              ("add By(160, 147);", 44100)):  # fmt: skip
            self.assertEqual(self.written(through.format(streams, "") + self.BY), (1, rate))
        self.assertEqual(self.written(through.format("add By(2, 1);", ", rate = 8000") + self.BY), (1, 8000))
        top = "float->float pipeline Half { add By(2, 1); }\n" + self.BY
        self.assertEqual(self.written(top, "--in=in.wav", "--out=out.wav", top="Half"), (1, 24000))
        self.assertEqual(self.written(top, "--in=in.wav", "--out=out.wav", "--out-rate=8000", top="Half"), (1, 8000))

    def test_channels_follow_the_program(self):
        self.file("in.wav", wav(form(channels=2, rate=48000), words(*range(480))))
        mono = "float->float filter Mono { work pop 2 push 1 { push(0.5 * pop() + 0.5 * pop()); } }\n"
        self.assertEqual(self.written(mono, "--in=in.wav", "--out=out.wav", top="Mono"), (1, 48000))
        pair = "float[2]->float filter Mono { work pop 1 push 1 { push(pop()[0]); } }\n"
        self.assertEqual(self.written(pair, "--in=in.wav", "--out=out.wav", top="Mono"), (1, 48000))
        same = "float->float filter Same { work pop 1 push 1 { push(pop()); } }\n"
        self.assertEqual(self.written(same, "--in=in.wav", "--out=out.wav", top="Same"), (2, 48000))
        self.file("in.wav", wav(form(rate=48000), words(*range(480))))
        wide = "float->float[2] filter Wide { work pop 1 push 1 { float[2] both; both[0] = pop(); push(both); } }\n"
        self.assertEqual(self.written(wide, "--in=in.wav", "--out=out.wav", top="Wide"), (2, 48000))

    def test_readers_inside(self):
        """The open output is as what the program reads by itself."""
        self.file("in.wav", wav(form(rate=48000, bits=24), bytes(30)))
        source = 'void->float pipeline From { add WavReader<float>("in.wav"); add By(2, 1); }\n' + self.BY
        self.assertEqual(self.written(source, "--out=out.wav", top="From"), (1, 24000))
        self.call("run", "--top=From", "--out=out.wav", "p.str")
        self.assertEqual(struct.unpack_from("<H", self.bytes("out.wav"), 34), (24,))


class Names(Program):
    """--keep-param of texts."""

    COPY = ('void->void pipeline Main(String from, String into = "out.txt") {{ {0}add CsvReader<int>({1}); add Through({2}); }}\n'
            "int->void pipeline Through(String into) {{ add CsvWriter<int>(into); }}\n")  # fmt: skip

    def run_p(self, *options, status=0):
        done = subprocess.run(["./p", *options], cwd=self.folder, capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr.decode()

    def test_files(self):
        self.file("a.txt", "1\n2\n")
        self.file("b.txt", "3\n")
        self.file("p.str", self.COPY.format("", "from", "into"))
        self.call("build", "-D", "from=a.txt", "--keep-param=from", "--keep-param=into", "p.str")
        self.run_p()
        self.assertEqual(self.bytes("out.txt"), b"1\n2\n")
        self.run_p("-D", "from=b.txt", "-D", "into=c.txt")
        self.assertEqual(self.bytes("c.txt"), b"3\n")
        _, err = self.run_p("-D", "from=none.txt", status=1)
        self.assertIn("p.str:1:66: error: cannot open 'none.txt': No such file or directory [cannot-open-file]", err)
        _, err = self.run_p("-D", "into=a.txt", status=1)
        self.assertIn("[file-read-and-written]", err)
        self.assertEqual(self.bytes("a.txt"), b"1\n2\n")
        out, _ = self.run_p("--help")
        self.assertIn(b"from", out)

    def test_texts_that_are_printed(self):
        source = ('void->void pipeline Main(String label = "x") { add Source; add Show(label); }\n'
                  "void->int filter Source { work push 1 { push(1); } }\n"
                  'int->void filter Show(String label) { work pop 1 { println(label + "=" + pop()); } }\n')  # fmt: skip
        self.file("p.str", source)
        self.call("build", "--keep-param=label", "p.str")
        self.assertEqual(self.run_p("-i", "1")[0], b"x=1\n")
        self.assertEqual(self.run_p("-i", "1", "-D", "label=a=b")[0], b"a=b=1\n")

    def refused(self, source, *options):
        self.file("p.str", source)
        _, err = self.call("build", "--keep-param=from", *options, "-D", "from=a.txt", "p.str", status=1)
        self.assertIn("[open-parameter]", err)
        return err

    def test_what_cannot_be(self):
        self.file("a.txt", "1")
        only = "p.str:1:66: error: parameter 'from' stays open, so it can only be handed on as it is, not be put together"
        self.assertIn(only, self.refused(self.COPY.format("", 'from + ".txt"', "into")))
        passed = self.COPY.format("", '"a.txt"', 'from + ".txt"')
        self.assertIn("so it can only be handed on as it is", self.refused(passed))
        built = self.COPY.format('if (from == "a.txt") ', "from", "into")
        self.assertIn("nothing that happens while the graph is built can depend on it", self.refused(built))
        image = 'void->void pipeline Main(String from) { add ImageReader<int>(from); add FileWriter<int>("o"); }\n'
        self.assertIn("the format of the picture, which its name says, cannot be told", self.refused(image))
        read = 'void->void pipeline Main(String from) { add ImpulseSource; add Fir(1, text(from)); add Print; }\n'
        self.assertIn("[open-parameter]", self.refused(read))
        library = "float->float pipeline Top(String from) { add Show(from); }\nfloat->float filter Show(String from) { work pop 1 push 1 { push(pop()); } }\n"
        self.assertIn("libraries have no setters of texts", self.refused(library, "--shared", "--top=Top"))


if __name__ == "__main__":
    unittest.main()
