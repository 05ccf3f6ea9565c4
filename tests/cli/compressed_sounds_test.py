#!/usr/bin/env python3
"""FLAC and Ogg, the same from the interpreter, compiled programs and executables. The files are made by the writers."""

import math
import os
import struct
import subprocess
import unittest

from command import SECONDS, STRC, clean
from sounds_test import Sounds as Engines
from sounds_test import form, wav, words

RATE = 48000
# It fades away, since Opus overshoots where a sound ends all at once.
SECOND = [
    round((9000 * math.sin(k * 0.05) + 6000 * math.sin(k * 0.31)) * min(1, (RATE - k) / 12000)) for k in range(RATE)
]


class Compressed(Engines):
    def convert(self, start, end):
        """The bytes of the file into which each engine has copied the other; they are the same, if Ogg's random numbers are left out."""
        made = []
        for command in self.commands():
            done = subprocess.run([*command, "--in", start, "--out", end], cwd=self.folder, capture_output=True,
                                  env=clean(), timeout=SECONDS)  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            made.append(self.bytes(end))
        if not end.endswith((".ogg", ".oga", ".opus")):
            self.assertEqual(set(made), {made[0]})
        return made[-1]


class Lossless(Compressed):
    def test_there_and_back(self):
        """Bits, channels and rate stay, and so does every sample."""
        cases = {
            8: bytes(k * 7 % 256 for k in range(3000)),
            16: words(*SECOND[:3000], 32767, -32768, 0),
            24: b"".join(struct.pack("<i", k * 123457 % 2**32 - 2**31)[1:] for k in range(3000)),
        }
        for item in "int", "float", "float[3]", "complex":
            self.build(item)
            for bits, data in cases.items():
                for channels in (3,) if item != "complex" else (2,):
                    with self.subTest(item=item, bits=bits):
                        size = 2 * 3 * bits // 8
                        sound = wav(form(channels=channels, rate=RATE, bits=bits), data[: len(data) // size * size])
                        self.file("a.wav", sound)
                        self.assertEqual(self.convert("a.wav", "a.flac")[:4], b"fLaC")
                        self.assertEqual(self.convert("a.flac", "b.wav"), sound)
        self.assertLess(len(self.bytes("a.flac")), len(sound))

    def test_more_bits_than_there_are(self):
        """What has more than 24 bits gets 24; full scale is cut off, with the warning."""
        self.build("float")
        self.file("a.wav", wav(form(3, bits=32), struct.pack("<3f", 0.5, -1 / 2**23, 0)))
        self.convert("a.wav", "a.flac")
        self.convert("a.flac", "b.wav")
        self.assertEqual(self.bytes("b.wav")[44:], b"\x00\x00\x40\xff\xff\xff\x00\x00\x00\x00")
        _, err = self.same("--in-format=text", "--out=a.flac", input=b"2 0.5 -3")
        self.assertIn("2 samples beyond full scale were clipped in 'a.flac' [clipped-samples]", err)
        out, _ = self.same("--in=a.flac", "--out-format=text")
        self.assertEqual(out, b"0.9999695\n0.5\n-1.0\n")

    def test_input_again(self):
        self.build("int")
        self.same("--in-format=text", "--out=a.flac", input=b"1 2 3")
        out, _ = self.same("--in=a.flac", "--loop-input", "-i7", "--out-format=text")
        self.assertEqual(out.split(), b"1 2 3 1 2 3 1".split())

    def test_an_incomplete_frame_and_nothing(self):
        self.build("int")
        self.same("--in-format=text", "--out=a.flac", "--out-channels=2", input=b"1 2 3")
        self.assertEqual(self.same("--in=a.flac", "--out-format=text")[0].split(), b"1 2 3 0".split())
        _, err = self.same("--in-format=text", "--out=b.flac", "-i0", input=b"1 2 3")
        _, err = self.same("--in=b.flac", status=1)
        self.assertIn("holds no items [empty-input]", err)

    def test_pipes(self):
        """One that is written does not tell how long it is; none is read."""
        self.build("int")
        out, _ = self.same("--in-format=text", "--out-format=flac", input=b"1 2 3 4 5")
        self.file("a.flac", out)
        self.assertEqual(self.same("--in=a.flac", "--out-format=text")[0].split(), b"1 2 3 4 5".split())
        _, err = self.same("--in-format=flac", input=out, status=1)
        self.assertIn("'standard input' is not a valid FLAC file: it is no regular file", err)

    def test_in_programs(self):
        """Readers and writers go by the name, arrays and questions about the header too."""
        self.build("int")
        self.file("a.wav", wav(form(channels=1, rate=22050), words(1, -2, 3)))
        self.convert("a.wav", "a.flac")
        self.file("q.str", """void->void pipeline Main {
    int[_] all = wav("a.flac");
    add WavReader<int>("a.flac", rate = sampleRate("a.flac"), channels = channels("a.flac"));
    add Plus(all[1]);
    add WavWriter<int>("b.flac");
}
int->int filter Plus(int n) { work pop 1 push 1 { push(pop() + n); } }
""")
        self.call("build", "q.str")
        for command in ([STRC, "run", "--interpret", "q.str"], [STRC, "run", "--no-interpret", "q.str"], ["./q"]):
            (self.folder / "b.flac").unlink(missing_ok=True)
            done = subprocess.run(command, cwd=self.folder, capture_output=True, env=clean(), timeout=SECONDS)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(self.convert("b.flac", "b.wav"), wav(form(channels=1, rate=22050), words(-1, -4, 1)))


class Lossy(Compressed):
    def check(self, end, item="float", channels=1):
        self.build(item)
        self.file("a.wav", wav(form(channels=channels, rate=RATE), words(*SECOND)))
        self.assertEqual(self.convert("a.wav", "a" + end)[:4], b"OggS")
        back = self.convert("a" + end, "b.wav")
        self.assertEqual(back[:44], self.bytes("a.wav")[:44])
        got = struct.unpack(f"<{RATE}h", back[44:])
        wrong = sum((a - b) ** 2 for a, b in zip(SECOND, got))
        self.assertLess(wrong, 0.05 * sum(a * a for a in SECOND))

    def test_vorbis(self):
        self.check(".ogg")
        self.check(".oga", "float[2]", 2)

    def test_opus(self):
        self.check(".opus")

    def test_ints_count_as_16_bits(self):
        self.build("float")
        self.file("a.wav", wav(form(rate=RATE), words(*SECOND)))
        self.convert("a.wav", "a.ogg")
        floats = struct.unpack(f"<{RATE}f", self.same("--in=a.ogg", "--out-format=raw")[0])
        self.build("int")
        ints = struct.unpack(f"<{RATE}i", self.same("--in=a.ogg", "--out-format=raw")[0])
        self.assertTrue(all(abs(real * 32768 - whole) <= 0.5 for real, whole in zip(floats, ints)))

    def test_opus_inside_of_ogg(self):
        """The extension says what is written; either coding is read."""
        self.build("float")
        self.file("a.wav", wav(form(rate=RATE), words(*SECOND)))
        os.rename(self.folder / "a.wav", self.folder / "c.wav")
        self.convert("c.wav", "c.opus")
        os.rename(self.folder / "c.opus", self.folder / "c.ogg")
        self.assertEqual(len(self.convert("c.ogg", "d.wav")), 44 + 2 * RATE)


class Refused(Compressed):
    def refuse(self, contents, why, name="in.flac"):
        self.file(name, contents)
        _, err = self.same(f"--in={name}", "--out=none", status=1)
        self.assertRegex(err, f"'{name}' is not a valid (FLAC|Ogg) file: {why} \\[malformed-input\\]")
        self.assertEqual(err.count("\n"), 1, "a decoder prints for itself")

    def test_broken_files(self):
        self.build("int")
        data = wav(form(rate=RATE), words(*SECOND))
        self.file("a.wav", data)
        sound = self.convert("a.wav", "a.flac")
        ogg = self.convert("a.wav", "a.ogg")
        self.refuse(b"words, words", "it does not begin as one")
        self.refuse(data, "it does not begin as one")
        self.refuse(ogg, "it does not begin as one")
        self.refuse(b"\xff\xfb\x90\x00" + bytes(500), "it does not begin as one")  # as MP3 does
        self.refuse(b"\xff\xe7\x03\xe7" + bytes(range(256)), "it does not begin as one", "in.ogg")
        self.refuse(sound, "it does not begin as one", "in.ogg")
        self.refuse(sound[:30], ".+")
        self.refuse(ogg[:30], ".+", "in.ogg")
        self.refuse(sound[: len(sound) // 2], ".+")

    def test_broken_later(self):
        """What lies before the fault is used."""
        self.build("int")
        self.file("a.wav", wav(form(rate=RATE), words(*SECOND)))
        sound = self.convert("a.wav", "a.flac")
        self.file("in.flac", sound[: len(sound) // 2])
        out, err = self.same("--in=in.flac", "--out-format=raw", status=1)
        self.assertIn("[malformed-input]", err)
        self.assertGreater(len(out), RATE)
        self.assertEqual(out, struct.pack(f"<{RATE}i", *SECOND)[: len(out)])

    def test_sounds_that_there_are_not(self):
        self.build("int")
        for options, why in (
            (("--out=a.flac", "--out-channels=9"), "sounds have 1 to 8 channels in this format"),
            (("--out=a.flac", "--out-rate=700000"), "sounds have at most 655350 samples a second in this format"),
            (("--out=a.ogg", "--out-channels=256"), "sounds have 1 to 255 channels in this format"),
            (("--out=a.opus", "--out-rate=44100"), "sounds have 8000, 12000, 16000, 24000 or 48000 samples a second in this format"),
        ):
            with self.subTest(options=options):
                _, err = self.same("--in-format=text", *options, input=b"1 2 3", status=1)
                self.assertIn(f"cannot write '{options[0][6:]}': {why} [cannot-write-file]", err)
        self.file("a.wav", wav(form(rate=44100), words(1, 2)))
        _, err = self.same("--in=a.wav", "--out=a.opus", status=1)
        self.assertIn("24000 or 48000 samples a second in this format [cannot-write-file]", err)
        self.assertEqual(err.count("cannot-write-file"), 1)

    def test_items_that_are_no_samples(self):
        self.build("bit")
        _, err = self.same("--in-format=text", "--out=a.flac", input=b"1 0", status=2)
        self.assertIn("FLAC files cannot hold items of type 'bit' [format-item-type]", err)


class Without(Compressed):
    """The library is not there, or is none: what is found first is an empty file."""

    def commands(self):
        for command in super().commands():
            yield ["env", f"LD_LIBRARY_PATH={self.folder}", *command]

    def test_missing_library(self):
        self.build("int")
        self.file("in.flac", b"fLaC")
        self.file("libsndfile.so.1", b"")
        for options in ("--in=in.flac",), ("--in-format=text", "--out=in.flac"), ("--in-format=text", "--out=in.opus"):
            with self.subTest(options=options):
                _, err = self.same(*options, input=b"1", status=1)
                name = options[-1].split("=")[1]
                self.assertIn(f"'{name}' needs the library of the package 'libsndfile1': ", err)
                self.assertIn("libsndfile.so.1: file too short [missing-library]", err)
        self.assertEqual(self.bytes("in.flac"), b"fLaC")

    def test_executables_that_load_nothing(self):
        """As with pictures."""
        self.file("p.str", "void->void pipeline Main { add WavReader<float>(\"a.flac\"); add Print; }\n")
        _, err = self.call("build", "--static", "p.str", status=1)
        self.assertIn("[format-left-out]", err)
        self.assertIn("such sounds take a library that the program loads when it runs", err)


if __name__ == "__main__":
    unittest.main()
