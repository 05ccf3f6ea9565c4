#!/usr/bin/env python3
"""Sounds as files and through pipes, the same from the interpreter, compiled programs and executables."""

import os
import struct
import subprocess
import unittest

from command import SECONDS, STRC, Case, clean

SAME = "{0}->{0} filter Same {{ work pop 1 push 1 {{ push(pop()); }} }}\n"
PARTS = "struct P { float i; float q; }\nstruct M { float i; int q; }\n"
ENDLESS = 0xFFFFFFFF


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def form(code=1, channels=1, rate=8000, bits=16, more=b"", frame=None):
    frame = channels * ((bits + 7) // 8) if frame is None else frame
    return chunk(b"fmt ", struct.pack("<HHIIHH", code, channels, rate, rate * frame & ENDLESS, frame, bits) + more)


def extensible(code, guid=bytes.fromhex("000000001000800000aa00389b71"), bits=16):
    return form(0xFFFE, bits=bits, more=struct.pack("<HHIH", 22, bits, 4, code) + guid)


def wav(chunks, data, told=None, whole=None, name=b"RIFF"):
    told = len(data) if told is None else told
    body = b"WAVE" + chunks + b"data" + struct.pack("<I", told) + data
    return name + struct.pack("<I", len(body) if whole is None else whole) + body


def long_sizes(data, whole=0):
    return chunk(b"ds64", struct.pack("<QQQI", whole, data, 0, 0))


def words(*samples):
    return struct.pack(f"<{len(samples)}h", *samples)


class Sounds(Case):
    """Each call is done by all engines."""

    def build(self, item, more=""):
        self.file("p.str", more + SAME.format(item))
        self.call("build", "--top=Same", "p.str")

    def commands(self):
        yield [STRC, "run", "--interpret", "--top=Same", "p.str"]
        yield [STRC, "run", "--no-interpret", "--top=Same", "p.str"]
        yield ["./p"]

    def same(self, *options, input=b"", status=0):
        """What all write to standard output and error."""
        results = []
        for command in self.commands():
            done = subprocess.run([*command, *options], cwd=self.folder, input=input, capture_output=True, env=clean(),
                                  timeout=SECONDS)  # fmt: skip
            self.assertEqual(done.returncode, status, done.stderr)
            results.append((done.stdout, done.stderr.decode().replace("strc: ", "p: ")))
        for result in results:
            self.assertEqual(result, results[0])
        return results[0]

    def read(self, contents, item="<i"):
        """The items of a file, which come from a pipe, too."""
        self.file("in.wav", contents)
        out, _ = self.same("--in=in.wav", "--out-format=raw")
        self.assertEqual(self.same("--in-format=wav", input=contents)[0], out)
        return [each[0] for each in struct.iter_unpack(item, out)]


class Headers(Sounds):
    def test_samples_of_every_kind(self):
        self.build("int")
        self.assertEqual(self.read(wav(form(bits=8), bytes([128, 255, 0]))), [0, 127, -128])
        self.assertEqual(self.read(wav(form(bits=24), b"\1\0\0\xff\xff\xff\0\0\x80")), [1, -1, -8388608])
        self.assertEqual(self.read(wav(form(bits=32), struct.pack("<2i", 5, -(2**31)))), [5, -(2**31)])
        self.assertEqual(self.read(wav(form(bits=20), b"\x10\0\0\xf0\xff\x7f")), [16, 0x7FFFF0])
        self.assertEqual(self.read(wav(form(3, bits=32), struct.pack("<3f", 0.5, -1, 2))), [16384, -32768, 32767])
        self.assertEqual(self.read(wav(extensible(1), words(1, -2))), [1, -2])
        self.assertEqual(self.read(wav(extensible(3, bits=64), struct.pack("<d", 0.25))), [8192])
        laws = bytes([0x00, 0x2A, 0x55, 0x80, 0xD5, 0xFF])
        self.assertEqual(self.read(wav(form(6, bits=8), laws)), [-5504, -32256, -8, 5504, 8, 848])
        self.assertEqual(self.read(wav(form(7, bits=8), laws)), [-32124, -5372, -716, 32124, 716, 0])
        self.build("float")
        self.assertEqual(self.read(wav(form(bits=8), bytes([0, 192])), "<f"), [-1, 0.5])
        self.assertEqual(self.read(wav(form(6, bits=8), b"\xd5"), "<f"), [8 / 32768])
        self.assertEqual(self.read(wav(form(3, bits=64), struct.pack("<2d", 0.1, 4)), "<f")[1], 4)

    def test_long_files(self):
        """RF64 has its sizes in a chunk; an odd chunk in front, and one behind the samples."""
        self.build("int")
        data = words(1, 2, 3)
        more = chunk(b"LIST", b"abc")
        for name in b"RF64", b"BW64":
            contents = wav(long_sizes(6) + more + form(), data + more, ENDLESS, ENDLESS, name)
            self.assertEqual(self.read(contents), [1, 2, 3])
        for size in 0, 2**64 - 1:  # nobody knew
            self.assertEqual(self.read(wav(long_sizes(size) + form(), data, ENDLESS, ENDLESS, b"RF64")), [1, 2, 3])
        _, err = self.same("--in-format=wav", input=wav(long_sizes(2**40) + form(), data, ENDLESS, ENDLESS, b"RF64"))
        self.assertIn(f"ends {2**40 - 6} bytes before its header says [short-file]", err)

    def test_lengths_that_nobody_knew(self):
        """As programs write into pipes; a file may be what came out of one, or what nobody completed."""
        self.build("int")
        for told, whole in ((ENDLESS, ENDLESS), (0, 0), (0, 36), (0, ENDLESS), (0x7FFFF000, 0x7FFFF024),
                            (0x80000000, 0x80000024), (ENDLESS - 36, ENDLESS)):  # fmt: skip
            with self.subTest(told=told, whole=whole):
                self.assertEqual(self.read(wav(form(), words(1, 2, 3), told, whole)), [1, 2, 3])

    def test_hostile_headers(self):
        self.build("int")
        data = words(1, 2)
        ends = "it ends in its header"
        contradicts = "its header contradicts itself"
        unknown = "its samples are of a kind that is not known"
        cases = [
            (b"RIFX" + wav(form(), data)[4:], "it does not begin as one"),
            (wav(form(), data).replace(b"WAVE", b"AVI "), "it does not begin as one"),
            (wav(b"", data), "it does not tell its format"),
            (wav(chunk(b"LIST", b"") * 70000 + form(), data), "its header does not end"),
            (wav(form() + form(), data), "it tells its format twice"),
            (wav(form(2, bits=4), data), unknown),
            (wav(form(bits=0), data), unknown),
            (wav(form(bits=40), data), unknown),
            (wav(form(3, bits=16), data), unknown),
            (wav(extensible(1, bytes(14)), data), unknown),
            (wav(form(channels=0), data), contradicts),
            (wav(form(channels=2000), data), contradicts),
            (wav(form(rate=0), data), contradicts),
            (wav(form(rate=2**31), data), contradicts),
            (wav(form(frame=3), data), contradicts),
            (wav(chunk(b"fmt ", bytes(8)), data), "its header is not known"),
            (wav(chunk(b"fmt ", bytes(5000)), data), "its header is not known"),
            (b"RIFF\0\0\0\0WAVEjunk" + struct.pack("<I", ENDLESS) + data, ends),
            (b"RF64\0\0\0\0WAVEds64" + struct.pack("<I", ENDLESS) + data, ends),
        ]
        cases += [(wav(form(), data)[:size], ends) for size in (1, 11, 12, 19, 24, 40, 43)]
        for contents, why in cases:
            with self.subTest(why, contents=contents[:60]):
                self.file("in.wav", contents)
                for name, options in ("in.wav", ["--in=in.wav"]), ("standard input", ["--in-format=wav"]):
                    _, err = self.same(*options, input=contents, status=1)
                    self.assertIn(f"'{name}' is not a valid WAV file: {why} [malformed-input]", err)

    def test_empty_sounds(self):
        self.build("int")
        for contents in wav(form(), b""), wav(form(), b"", whole=36 + 12) + chunk(b"LIST", b"abcd"):
            self.file("in.wav", contents)
            self.assertIn("holds no items", self.same("--in=in.wav", status=1)[1])


class Pipes(Sounds):
    """What has come is handed on, while the other end is still open."""

    def answers(self, header, samples, item, options):
        for command in self.commands():
            process = self.start_other(command, options)
            process.stdin.write(header)
            for sample in samples:
                process.stdin.write(sample)
                process.stdin.flush()
                size = struct.calcsize(item)
                self.assertEqual(len(process.stdout.read(size)), size)
            process.stdin.close()
            self.assertEqual(process.wait(SECONDS), 0)
            process.stdout.close()

    def start_other(self, command, options):
        process = subprocess.Popen([*command, *options], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env=clean())  # fmt: skip
        self.addCleanup(self.end, process)
        return process

    def test_items_are_answered_at_once(self):
        self.build("float")
        samples = [words(k) for k in range(1, 6)]
        for header in (wav(form(), b"", ENDLESS, ENDLESS), wav(form(), b"", 0, 0), wav(form(), b"", 10),
                       wav(long_sizes(10) + form(), b"", ENDLESS, ENDLESS, b"RF64")):  # fmt: skip
            self.answers(header, samples, "<f", ["--in-format=wav", "--out-format=raw"])
        for name, sample in ("pcm", words(1)), ("u8", b"a"), ("s8", b"b"), ("text", b"1\n"), ("raw", bytes(4)):
            self.answers(b"", [sample] * 3, "<f", [f"--in-format={name}", "--out-format=raw"])

    def test_readers_in_programs(self):
        """Of a name that is a pipe, and of standard input."""
        for name in "/dev/stdin", "pipe":
            sink = "int->void filter { work pop 1 { println(pop()); } }"
            self.file("p.str", f'void->void pipeline Main {{ add WavReader<int>("{name}"); add {sink}; }}\n')
            self.call("build", "p.str")
            if name == "pipe":
                os.mkfifo(self.folder / name)
            for command in ([STRC, "run", "--interpret", "p.str"], [STRC, "run", "--no-interpret", "p.str"], ["./p"]):
                process = self.start_other(command, [])
                into = open(self.folder / name, "wb") if name == "pipe" else process.stdin
                into.write(wav(form(), b"", ENDLESS, ENDLESS))
                for k in range(3):
                    into.write(words(k))
                    into.flush()
                    self.assertEqual(process.stdout.readline(), b"%d\n" % k)
                into.close()
                self.assertEqual(process.wait(SECONDS), 0)
                process.stdout.close()

    def test_memory_does_not_grow(self):
        """64 MB more take no more memory; all of them as items would be 128 MB."""
        self.build("int")
        piece = words(*range(0, 32000, 2)) * 64
        for small, large in zip(self.peaks(piece, 2), self.peaks(piece, 34)):
            self.assertLess(large - small, 16 * 1024)

    def peaks(self, piece, count):
        """Kilobytes at the most, of each engine."""
        peaks = []
        for command in self.commands():
            with open(os.devnull, "wb") as none:
                process = subprocess.Popen([*command, "--in-format=wav", "--out-format=pcm"], cwd=self.folder,
                                           stdin=subprocess.PIPE, stdout=none, env=clean())  # fmt: skip
            process.stdin.write(wav(form(), b"", ENDLESS, ENDLESS))
            for _ in range(count):
                process.stdin.write(piece)
            process.stdin.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            peaks.append(usage.ru_maxrss)
        return peaks


class Samples(Sounds):
    """Formats that are nothing but samples."""

    def there_and_back(self, item, name, contents, *values, more=""):
        self.build(item, more)
        text, _ = self.same(f"--in-format={name}", "--out-format=text", input=contents)
        self.assertEqual(text.decode().split("\n")[:-1], list(values))
        self.file(f"in.{name}", contents)
        self.assertEqual(self.same(f"--in=in.{name}", "--out-format=text")[0], text)
        back, err = self.same(f"--in-format={name}", f"--out-format={name}", input=contents)
        self.assertEqual((back, err), (contents, ""))

    def test_values(self):
        self.there_and_back("int", "u8", bytes([0, 128, 255]), "-128", "0", "127")
        self.there_and_back("int", "s8", bytes([0, 127, 128]), "0", "127", "-128")
        self.there_and_back("float", "u8", bytes([0, 128, 192]), "-1.0", "0.0", "0.5")
        self.there_and_back("double", "s8", bytes([64, 192]), "0.5", "-0.5")
        self.there_and_back("complex", "cu8", bytes([192, 64]), "0.5-0.5i")
        self.there_and_back("complex", "u8", bytes([192, 64]), "0.5-0.5i")
        self.there_and_back("float[2]", "cs8", bytes([64, 192]), "0.5,-0.5")
        self.there_and_back("P", "cs16", words(16384, -8192), "0.5,-0.25", more=PARTS)
        self.there_and_back("complex", "cs16", words(1, -32768), "3.0517578E-5-1.0i")
        self.there_and_back("complex", "pcm", words(16384, -8192), "0.5-0.25i")
        self.there_and_back("P", "pcm", words(16384, -8192), "0.5,-0.25", more=PARTS)
        self.there_and_back("complex", "cf32", struct.pack("<2f", 1.5, -3), "1.5-3.0i")
        self.there_and_back("P[2]", "raw", struct.pack("<4f", 1, 2, 3, 4), "1.0,2.0,3.0,4.0", more=PARTS)
        self.there_and_back("complex", "raw", struct.pack("<2f", 1, 2), "1.0+2.0i")

    def test_clipping(self):
        self.build("complex")
        for name, most in ("cs8", b"\x7f\x80"), ("cu8", b"\xff\x00"), ("cs16", words(32767, -32768)):
            out, err = self.same("--in-format=text", f"--out-format={name}", input=b"2-3i")
            self.assertEqual(out, most)
            self.assertIn("2 samples beyond full scale were clipped", err)
        out, err = self.same("--in-format=text", "--out-format=cf32", input=b"2-3i")
        self.assertEqual((out, err), (struct.pack("<2f", 2, -3), ""))
        out, _ = self.same("--in-format=text", "--out-format=cs8", input=b"nan")
        self.assertEqual(out, b"\0\0")

    def test_structs_are_channels(self):
        self.build("P", PARTS)
        self.same("--in-format=text", "--out=a.wav", input=b"0.5 -0.25")
        self.assertEqual(self.bytes("a.wav"), wav(form(channels=2, rate=44100), words(16384, -8192)))
        self.assertEqual(self.same("--in=a.wav", "--out-format=text")[0], b"0.5,-0.25\n")

    def test_items_without_pairs(self):
        self.build("float")
        _, err = self.same("--in-format=cu8", input=b"abcd", status=2)
        self.assertIn("cu8 files cannot hold items of type 'float'", err)
        self.build("M", PARTS)
        _, err = self.same("--in-format=pcm", input=b"abcd", status=2)
        self.assertIn("PCM files cannot hold items of type 'M'", err)


class Written(Sounds):
    """What a writer in a program says of its file, and what it takes from the sound that is read."""

    def written(self, text, *options, input=b""):
        """What all engines write to out.wav."""
        self.file("p.str", text)
        self.call("build", *options, "p.str")
        results = []
        words = [option for option in options if option.startswith("--top")]
        for command in ([STRC, "run", "--interpret", *words, "p.str"], [STRC, "run", *words, "p.str"], ["./p"]):
            done = subprocess.run(command, cwd=self.folder, input=input, capture_output=True, env=clean(),
                                  timeout=SECONDS)  # fmt: skip
            results.append((done.returncode, done.stderr.decode().replace("strc: ", "p: "), self.bytes("out.wav")))
            (self.folder / "out.wav").unlink()
            self.assertEqual(results[-1], results[0])
        self.assertEqual(results[0][:2], (0, ""))
        return results[0][2]

    def through(self, reads, middle, writes):
        return self.written(f"void->void pipeline Main {{ add {reads}; {middle} add {writes}; }}\n")

    def test_as_the_input(self):
        stereo = wav(form(channels=2, rate=48000, bits=24), bytes(range(12)))
        self.file("in.wav", stereo)
        for item in "int", "float[2]", "complex":
            out = self.through(f'WavReader<{item}>("in.wav")', "", f'WavWriter<{item}>("out.wav")')
            self.assertEqual(out, stereo)
        out = self.through('WavReader<int[2]>("in.wav")', "", 'WavWriter<int[2]>("out.wav", 24000, bits = 32)')
        self.assertEqual(out[:44], wav(form(channels=2, rate=24000, bits=32), bytes(16))[:44])

    def test_channels_are_of_items(self):
        """Items of one sample that are made of pairs are one channel."""
        self.file("in.wav", wav(form(channels=2, rate=48000), words(1, 2, 3, 4)))
        add = "add int[2]->int filter { work pop 1 push 1 { int[2] p = pop(); push(p[0] + p[1]); } };"
        out = self.through('WavReader<int[2]>("in.wav")', add, 'WavWriter<int>("out.wav")')
        self.assertEqual(out, wav(form(rate=48000), words(3, 7)))

    def test_inputs_that_differ(self):
        self.file("a.wav", wav(form(rate=48000), words(1, 2)))
        self.file("b.wav", wav(form(rate=16000), words(3, 4)))
        readers = 'add WavReader<int>("a.wav"); add WavReader<int>("b.wav");'
        both = f"void->int splitjoin Both {{ split roundrobin(0); {readers} join roundrobin; }}"
        program = '{0}\nvoid->void pipeline Main {{ add Both; add WavWriter<int>("out.wav"); }}\n'
        asked = both.replace('"a.wav"', '"a.wav", 48000').replace('"b.wav"', '"b.wav", 16000')
        self.assertEqual(self.written(program.format(asked)), wav(form(rate=44100), words(1, 3, 2, 4)))

    def test_the_open_input(self):
        tap = 'int->void pipeline Tap { add WavWriter<int>("out.wav"); }\n'
        self.file("p.str", tap)
        self.call("build", "--top=Tap", "p.str")
        sound = wav(form(rate=12000, bits=8), bytes([1, 2]))
        self.file("in.wav", sound)
        for command in ([STRC, "run", "--interpret", "--top=Tap", "p.str"], [STRC, "run", "--top=Tap", "p.str"], ["./p"]):
            subprocess.run([*command, "--in=in.wav"], cwd=self.folder, check=True, timeout=SECONDS)
            self.assertEqual(self.bytes("out.wav"), sound)
            (self.folder / "out.wav").unlink()

    def test_every_sample_format(self):
        for arguments, kind, sample in (
            ("bits = 8", (1, 8), b"\xc0"), ("bits = 24", (1, 24), b"\0\0\x40"), ("bits = 32", (1, 32), b"\0\0\0\x40"),
            ("", (1, 16), b"\0\x40"), ("floating = 1", (3, 32), struct.pack("<f", 0.5)),
            ("bits = 64, floating = 1", (3, 64), struct.pack("<d", 0.5)),
        ):  # fmt: skip
            with self.subTest(arguments):
                half = wav(form(), words(16384))
                self.file("in.wav", half)
                writer = f'WavWriter<float>("out.wav", rate = 8000{", " + arguments if arguments else ""})'
                out = self.through('WavReader<float>("in.wav")', "", writer)
                code, bits = kind
                fact = chunk(b"fact", struct.pack("<I", 1)) if code == 3 else b""
                self.assertEqual(out[:-1] if len(sample) % 2 else out, wav(form(code, bits=bits) + fact, sample,
                                 whole=len(out) - 8))  # fmt: skip

    def read_by(self, arguments):
        """Status, standard output and messages of a program that reads pairs."""
        show = "float[2]->void filter { work pop 1 { println(pop()[0]); } }"
        self.file("p.str", f'void->void pipeline Main {{ add WavReader<float[2]>("in.wav"{arguments}); add {show}; }}\n')
        self.call("build", "p.str")
        results = []
        for command in ([STRC, "run", "--interpret", "p.str"], [STRC, "run", "p.str"], ["./p"]):
            done = subprocess.run(command, cwd=self.folder, capture_output=True, env=clean(), timeout=SECONDS)
            results.append((done.returncode, done.stdout, done.stderr.decode().replace("strc: ", "p: ")))
        self.assertEqual(results[1][:2], results[0][:2])
        self.assertEqual(results[2][:2], results[0][:2])
        for _, _, err in results:
            self.assertEqual(err.split("\n")[0], results[0][2].split("\n")[0])
        return results[0]

    def test_what_is_asked_of_the_input(self):
        self.file("in.wav", wav(form(rate=48000), words(16384, 0)))
        self.assertEqual(self.read_by(", rate = 48000, channels = 1"), (0, b"0.5\n", ""))
        for arguments, why in ((", 44100", "48000 samples a second are in it, not 44100"),
                               (", channels = 2", "1 channel is in it, not 2")):  # fmt: skip
            status, out, err = self.read_by(arguments)
            self.assertEqual((status, out), (1, b""))
            self.assertIn(f"p.str:1:28: error: cannot read 'in.wav': {why} [cannot-read-file]", err)
        self.file("in.wav", wav(form(channels=2), words(16384, 0)))
        self.assertEqual(self.read_by(", 8000, 2"), (0, b"0.5\n", ""))

    def test_what_no_sound_is(self):
        self.file("in.wav", wav(form(), words(1)))
        for arguments, why in (("bits = 12", "samples have 8, 16, 24 or 32 bits"),
                               ("bits = 16, floating = 1", "floating-point samples have 32 or 64 bits"),
                               ("channels = 2000", "sounds have 1 to 1024 channels"),
                               ("rate = -1", "sounds have at least 1 sample a second")):  # fmt: skip
            text = f'void->void pipeline Main {{ add WavReader<int>("in.wav"); add WavWriter<int>("out.wav", {arguments}); }}\n'
            self.file("p.str", text)
            self.call("build", "p.str")
            for command in ([STRC, "run", "--interpret", "p.str"], [STRC, "run", "p.str"], ["./p"]):
                done = subprocess.run(command, cwd=self.folder, capture_output=True, env=clean(), timeout=SECONDS)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"p.str:1:58: error: cannot write 'out.wav': {why}", done.stderr.decode())
                self.assertFalse((self.folder / "out.wav").exists())


if __name__ == "__main__":
    unittest.main()
