#!/usr/bin/env python3
"""Tensors in safetensors files and pictures, in every engine."""

import json
import os
import struct
import subprocess
import unittest
import zlib
from array import array

from command import Case, STRC

TWICE = "tensor->tensor filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n"
BOTH = """tensor->tensor splitjoin Both {
    split roundrobin;
    add Twice();
    add Less();
    join roundrobin;
}
tensor->tensor filter Less { work pop 1 push 1 { push(pop() - 1); } }
"""
TYPES = {"F32": "f", "F64": "d", "I32": "i", "I64": "q", "I8": "b"}


def safetensors(**tensors):
    """`tensors`: type, shape, numbers."""
    header, data = {}, b""
    for name, (kind, shape, numbers) in tensors.items():
        more = array(TYPES[kind], numbers).tobytes()
        header[name.replace("__", ".")] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensors_in(contents):
    size, = struct.unpack("<Q", contents[:8])
    header = json.loads(contents[8:8 + size])
    data = contents[8 + size:]
    assert size % 8 == 0

    def numbers(about):
        begin, end = about["data_offsets"]
        return array(TYPES[about["dtype"]], data[begin:end]).tolist()

    return {name: (about["dtype"], about["shape"], numbers(about)) for name, about in header.items()}


def png(width, height, channels, samples):
    def chunk(name, contents):
        return struct.pack(">I", len(contents)) + name + contents + struct.pack(">I", zlib.crc32(name + contents))

    row = width * channels
    rows = b"".join(b"\0" + bytes(samples[k * row:(k + 1) * row]) for k in range(height))
    colour = {1: 0, 3: 2, 4: 6}[channels]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


PICTURES = """tensor->tensor filter Same { work pop 1 push 1 { push(pop()); } }
tensor<float>[1, 2, 3]->tensor filter Grey { work pop 1 push 1 { push(pop()); } }
void->void pipeline Copy { add ImageReader<tensor>("in.png"); add ImageWriter<tensor>("out.ppm"); }
"""


class TensorFiles(Case):
    def ways(self, top, *shapes, text=TWICE + BOTH):
        """Calls that run a stream: each engine, and an executable."""
        path = self.file("p.str", text)
        inputs = [word for shape in shapes for word in ("--input", shape)]
        self.call("build", "-o", "made", "--top", top, *inputs, path)
        run = [lambda *words, engine=engine, **how: self.call("run", engine, "--top", top, path, *words, **how)
               for engine in ("--interpret", "-O1")]
        return [*run, self.run_made]

    def run_made(self, *words, status=0):
        ran = subprocess.run([self.folder / "made", *words], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL)
        self.assertEqual(ran.returncode, status, ran.stderr)
        return ran.stdout, ran.stderr.decode()

    def written(self, name="out.safetensors"):
        found = tensors_in(self.bytes(name))
        (self.folder / name).unlink()
        return found

    def test_the_only_tensor_or_the_one_that_is_named(self):
        numbers = [1, 2, 3, 4, 5, 6]
        self.file("one.safetensors", safetensors(x=("F32", [2, 3], numbers)))
        self.file("two.safetensors", safetensors(a=("F32", [6], [0] * 6), deep__x=("F32", [2, 3], numbers)))
        twice = [2 * n for n in numbers]
        for run in self.ways("Twice", "2x3"):
            run("--in", "one.safetensors", "--out", "out.safetensors")
            self.assertEqual(self.written(), {"output": ("F32", [2, 3], twice)})
            run("--in", "two.safetensors:deep.x", "--out", "out.safetensors:new.y")
            self.assertEqual(self.written(), {"new.y": ("F32", [2, 3], twice)})

    def test_all_tensors_of_a_file_take_turns(self):
        """In the order of their names, of which numbers count as such."""
        self.file("in.safetensors", safetensors(x10=("F32", [3], [1, 2, 3]), x9=("F32", [2], [4, 5])))
        for run in self.ways("Both", "2", "3"):
            run("--in", "in.safetensors", "--out", "out.safetensors")
            self.assertEqual(self.written(), {"output": ("F32", [2], [8, 10]), "output.1": ("F32", [3], [0, 1, 2])})

    def test_names_that_do_not_say_the_format(self):
        self.file("in", safetensors(x10=("F32", [3], [1, 2, 3]), x9=("F32", [2], [4, 5])))
        words = ("--in=in", "--in-format=safetensors", "--out=out", "--out-format=safetensors")
        first, second, made = self.ways("Both", "2", "3")
        for run, shapes in ((first, ["--input=2", "--input=3"]), (second, ["--input=2", "--input=3"]), (made, [])):
            run(*words, *shapes)
            self.assertEqual(self.written("out"), {"output": ("F32", [2], [8, 10]), "output.1": ("F32", [3], [0, 1, 2])})

    def test_looking_inside_with_files(self):
        """They say which tensors arrive, as when the program runs."""
        self.file("in.safetensors", safetensors(x=("F32", [3, 5], range(15))))
        path = self.file("p.str", TWICE)
        words = ("run", "--top=Twice", path, "--in=in.safetensors")
        self.assertIn(b"float[15]", self.call(*words, "--emit=graph")[0])
        self.assertIn(b"@Twice.work", self.call(*words, "--emit-after=codegen")[0])

    def test_several_go_to_one_file_by_name(self):
        self.file("in.safetensors", safetensors(a=("F32", [2], [1, 2]), b=("F32", [2], [3, 4])))
        for run in self.ways("Both", "2"):
            run("--in", "in.safetensors:b", "--in", "in.safetensors:a", "--out", "out.safetensors:p", "--out",
                "out.safetensors:q")
            self.assertEqual(self.written(), {"p": ("F32", [2], [6, 8]), "q": ("F32", [2], [0, 1])})
            run("--in", "in.safetensors:b", "--in", "in.safetensors:a", "--out", "out.safetensors", "--out", "other.safetensors")
            self.assertEqual(self.written(), {"output": ("F32", [2], [6, 8])})
            self.assertEqual(self.written("other.safetensors"), {"output": ("F32", [2], [0, 1])})

    def test_types_of_elements_and_items(self):
        for kind, element in zip(TYPES, ("float", "double", "int", "long", "int8")):
            self.file("in.safetensors", safetensors(x=(kind, [2, 2], [1, 2, -3, 60])))
            path = self.file("p.str", f"tensor<{element}>[2]->tensor filter Rows {{ work pop 1 push 1 {{ push(2 * pop()); }} }}\n")
            self.call("run", "--top", "Rows", path, "--in", "in.safetensors", "--out", "out.safetensors")
            self.assertEqual(self.written(), {"output": (kind, [2, 2], [2, 4, -6, 120])})

    def test_elements_of_two_bytes(self):
        path = self.file("p.str", """void->tensor filter Source { work push 1 { push(KIND(full(1.5, 2))); } }
void->tensor pipeline Net { add Source; add Twice; }
""" + TWICE)
        for kind, name, bits in (("half", "F16", 0x4200), ("bfloat16", "BF16", 0x4040)):
            self.file("q.str", path.read_text().replace("KIND", kind))
            self.call("build", "-o", "made", "--top", "Net", "q.str")
            for run in (lambda *words: self.call("run", "--top", "Net", "q.str", *words), self.run_made):
                run("-i1", "--out", "out.safetensors")
                contents = self.bytes("out.safetensors")
                self.assertIn(f'"dtype":"{name}","shape":[2]'.encode(), contents)
                self.assertEqual(contents[-4:], struct.pack("<HH", bits, bits))

    def test_filters_read_and_write_them(self):
        self.file("in.safetensors", safetensors(a=("I64", [2, 3], [1, 2, 3, 4, 5, 1 << 40])))
        path = self.file("p.str", """void->void pipeline Main {
    add FileReader<tensor>("in.safetensors:a");
    add FileWriter<tensor>("out.safetensors:b");
}
""")
        self.call("build", "-o", "made", path)
        for run in (lambda: self.call("run", "--interpret", path), lambda: self.call("run", path), self.run_made):
            run()
            self.assertEqual(self.written(), {"b": ("I64", [2, 3], [1, 2, 3, 4, 5, 1 << 40])})

    def test_what_is_wrong_is_told(self):
        self.file("in.safetensors", safetensors(a=("F32", [2], [1, 2])))
        for run in self.ways("Twice", "2"):
            err = run("--in", "in.safetensors:b", "--out", "x.npy", status=1)[1]
            self.assertIn("it has no tensor 'b', but a", err)
            err = run("--in", "in.safetensors", "--out", "in.safetensors:c", status=2)[1]
            self.assertIn("--in and --out with the same file exclude each other", err)
        contents = self.bytes("in.safetensors")
        self.file("in.safetensors", contents[:-1])
        for run in self.ways("Twice", "2"):
            self.assertIn("'in.safetensors' is not a valid safetensors file", run("--in", "in.safetensors", status=1)[1])
        self.file("in.safetensors", contents)
        path = self.file("p.str", "void->void pipeline Main { add FileReader<tensor<float>[3]>(\"in.safetensors\"); add Sink; }\n"
                         "tensor->void filter Sink { work pop 1 { println(pop()); } }\n")
        err = self.call("run", path, status=1)[1]
        self.assertIn("p.str:1:", err)
        self.assertIn("'in.safetensors' holds tensor<float>[2], but Main.FileReader takes tensor<float>[3]", err)

    def test_no_pipe_is_read(self):
        contents = safetensors(a=("F32", [2], [1, 2]))
        self.ways("Twice", "2")
        ways = [[self.folder / "made"]]
        ways += [[STRC, "run", engine, "--top=Twice", "--input=2", "p.str"] for engine in ("--interpret", "-O1")]
        for way in ways:
            for given in ([], ["--in", "-"]):
                words = [*way, *given, "--in-format=safetensors", "--out-format=text"]
                ran = subprocess.run(words, cwd=self.folder, input=contents, capture_output=True)
                self.assertEqual(ran.returncode, 1, ran.stderr)
                self.assertIn(b"'standard input' is not a valid safetensors file: it is no regular file", ran.stderr)

    def test_pictures_are_channels_rows_and_columns(self):
        samples = [10 * k for k in range(18)]
        self.file("in.png", png(3, 2, 3, samples))
        planes = [samples[k::3] for k in range(3)]
        text = """tensor<int>->tensor filter Same { work pop 1 push 1 { push(pop() + 0); } }
tensor<float>[1, 3, 2, 3]->tensor filter Unit { work pop 1 push 1 { push(pop() * 255); } }
void->tensor pipeline Read { add ImageReader<tensor<int>[3, _, _]>("in.png"); add Same; }
"""
        for run in self.ways("Same", "3x2x3:int", text=text):
            run("--in", "in.png", "--out", "out.safetensors")
            self.assertEqual(self.written(), {"output": ("I32", [3, 2, 3], sum(planes, []))})
        for run in self.ways("Read", text=text):
            run("--out", "out.safetensors")
            self.assertEqual(self.written(), {"output": ("I32", [3, 2, 3], sum(planes, []))})
        for run in self.ways("Unit", text=text):
            run("--in", "in.png", "--out", "out.safetensors")
            kind, shape, numbers = self.written()["output"]
            self.assertEqual((kind, shape), ("F32", [1, 3, 2, 3]))
            for got, wanted in zip(numbers, sum(planes, [])):
                self.assertAlmostEqual(got, wanted, places=4)

    def test_pictures_are_written(self):
        self.file("in.png", png(3, 2, 3, [10 * k for k in range(18)]))
        for run in self.ways("Copy", text=PICTURES):
            run()
            self.assertEqual(self.bytes("out.ppm"), b"P6\n3 2\n255\n" + bytes(10 * k for k in range(18)))
            (self.folder / "out.ppm").unlink()
        for run in self.ways("Same", "3x2x3", text=PICTURES):
            run("--in", "in.png", "--out", "out.jpg")
            self.assertEqual(self.bytes("out.jpg")[:3], b"\xff\xd8\xff")
            run("--in", "out.jpg", "--out", "again.safetensors")
            kind, shape, numbers = self.written("again.safetensors")["output"]
            self.assertEqual((kind, shape), ("F32", [3, 2, 3]))
            for got, wanted in zip(numbers, (k / 25.5 for c in range(3) for k in range(c, 18, 3))):
                self.assertLess(abs(got - wanted), 0.2)

    def test_pictures_are_the_same_in_every_engine(self):
        """Of each format and element, with 8 bits and 16, and grey ones."""
        coloured = [(37 * k) % 256 for k in range(18)]
        self.file("a.png", png(3, 2, 3, coloured))
        self.file("a.ppm", b"P6 3 2 65535 " + bytes((91 * k) % 256 for k in range(36)))
        self.file("film.pgm", b"P5 3 2 255 " + bytes(range(6)) + b"P5 3 2 255 " + bytes(range(100, 106)))
        for element in ("int", "float", "double"):
            made = {}
            text = PICTURES.replace("tensor->tensor filter Same", f"tensor<{element}>->tensor filter Same")
            for run in self.ways("Same", f"3x2x3:{element}", text=text):
                for sample in ("8", "16"):
                    for name in ("png", "jpg", "ppm"):
                        run("--in", "a.png", "--out", f"out.{name}", "--out-sample", sample)
                        made.setdefault((name, sample), set()).add(self.bytes(f"out.{name}"))
                run("--in", "a.ppm", "--out", "wide.png", "--out-sample", "16")
                made.setdefault("wide", set()).add(self.bytes("wide.png"))
            for run in self.ways("Grey", "1x2x3", text=PICTURES):
                run("--in", "film.pgm", "--out", "out.pgm")
                pictures = [b"P5\n3 2\n255\n" + bytes(range(first, first + 6)) for first in (0, 100)]
                self.assertEqual(self.bytes("out.pgm"), b"".join(pictures))
            for what, results in made.items():
                self.assertEqual(len(results), 1, (element, what))

    def test_pictures_that_do_not_fit(self):
        """Nothing is written, and an older file stays."""
        self.file("in.safetensors", safetensors(x=("F32", [5, 2, 3], [0.5] * 30)))
        self.file("out.png", b"older")
        told = set()
        for run in self.ways("Same", "5x2x3", text=PICTURES):
            _, err = run("--in", "in.safetensors", "--out", "out.png", status=2)
            told.add(err.split("error: ")[1])
            self.assertEqual(self.bytes("out.png"), b"older")
        self.assertEqual(told, {"PNG files cannot hold items of type 'tensor<float>[5, 2, 3]' [format-item-type]\n"})
        self.file("in.png", png(3, 2, 3, range(18)))
        for run in self.ways("Grey", "1x2x3", text=PICTURES):
            _, err = run("--in", "in.png", "--out", "out.png", status=1)
            self.assertRegex(err, r"'in.png' holds tensor<float>\[3, 2, 3\], but the .* takes tensor<float>\[1, 2, 3\]")

    def test_damaged_pictures(self):
        """What is wrong with them is said in the same words; nothing is made up for what lacks."""
        noise = [(k * k * 31 + 7 * k) % 256 for k in range(40 * 30 * 3)]
        self.file("whole.png", png(40, 30, 3, noise))
        runs = self.ways("Same", "3x30x40", text=PICTURES)
        runs[0]("--in", "whole.png", "--out", "whole.jpg")
        for name in ("png", "jpg"):
            whole = self.bytes(f"whole.{name}")
            middle = len(whole) // 2
            flipped = whole[:middle] + bytes([whole[middle] ^ 0xff]) + whole[middle + 1:]
            faults = (whole[:middle], whole[:20], b"no picture", flipped if name == "png" else whole[:-2])
            for contents in faults:
                self.file(f"bad.{name}", contents)
                told = {run("--in", f"bad.{name}", "--out", "out.ppm", status=1)[1].split("error: ")[1] for run in runs}
                self.assertEqual(len(told), 1, told)
                self.assertIn(f"'bad.{name}' is not a valid {'PNG' if name == 'png' else 'JPEG'} file: ", told.pop())
                self.assertFalse((self.folder / "out.ppm").exists())
        self.file("bad.png", b"")
        for run in runs:
            self.assertIn("input file 'bad.png' holds no items", run("--in", "bad.png", status=1)[1])

    def test_a_network_classifies_a_picture(self):
        """Which quarter of it is the brightest, by a layer that adds up each."""
        quarters = [[float((row < 2, k < 2) == quarter) for row in range(4) for k in range(4)]
                    for quarter in ((False, False), (False, True), (True, False), (True, True))]  # fmt: skip
        self.file("w.safetensors", safetensors(fc__weight=("F32", [4, 16], sum(quarters, []))))
        self.file("p.str", """tensor<float>[1, 4, 4]->tensor filter Net {
    tensor<float>[4, 16] weight = stored("", "fc.weight");
    work pop 1 push 1 { push(argmax(matmul(weight, reshape(pop(), 16)))); }
}
tensor->void filter Show { work pop 1 { println(pop()); } }
void->void pipeline Main { add ImageReader<tensor>("in.png"); add Net; add Show; }
""")
        for quarter, shown in enumerate(quarters):
            self.file("in.png", png(4, 4, 1, [10 + int(200 * pixel) for pixel in shown]))
            if quarter == 0:
                self.call("build", "--weights", "w.safetensors", "-o", "made", "p.str")
            for out in (self.call("run", "--weights", "w.safetensors", "p.str")[0], self.run_made()[0]):
                self.assertEqual(out, b"%d\n" % quarter)

    def test_libraries_of_pictures(self):
        """They are looked for when there is a picture, and a bundle has them."""
        self.file("in.png", png(3, 2, 3, range(18)))
        path = self.file("p.str", PICTURES)
        self.call("build", "--top", "Same", "--input", "3x2x3", "--bundle", "all", "-o", "made", path)
        names = os.listdir(self.folder / "all")
        self.assertTrue(any(name.startswith("libpng") for name in names), names)
        self.assertTrue(any(name.startswith("libjpeg") for name in names), names)
        os.rename(self.folder / "all", self.folder / "moved")
        ran = subprocess.run(["moved/made", "--in", "in.png", "--out", "out.jpg"], cwd=self.folder, capture_output=True,
                             env={**os.environ, "LD_DEBUG": "libs"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        loaded = [line.split(b": ")[-1] for line in ran.stderr.splitlines() if b"calling init:" in line]
        for name in (b"libpng", b"libz", b"libjpeg"):
            self.assertTrue(any(b"moved/" + name in path for path in loaded), loaded)
        for name in os.listdir(self.folder / "moved"):
            if name.startswith("lib"):
                (self.folder / "moved" / name).write_bytes(b"no library")
        err = subprocess.run(["moved/made", "--in", "in.png"], cwd=self.folder, capture_output=True).stderr
        self.assertRegex(err, rb"cannot read 'in.png': .*libpng.*: file too short|invalid ELF header")
        self.assertIn(b"[cannot-read-file]", err)

    def test_executables_that_load_nothing_have_no_pictures(self):
        path = self.file("p.str", """void->void pipeline Main {
    add ImageReader<tensor<float>[3, 2, 2]>("in.NAME");
    add FileWriter<tensor>("out.safetensors");
}
""")
        for name in ("png", "jpg"):
            self.file("q.str", path.read_text().replace("NAME", name))
            err = self.call("build", "--static", "q.str", status=1)[1]
            self.assertIn("q.str:2:5: error: 'in." + name, err)
            self.assertIn("[format-left-out]", err)

    def test_format_that_the_name_says_too(self):
        text = "tensor<float>[2]->tensor filter Main { work pop 1 push 1 { push(pop() + 1); } }"
        self.file("q.raw", struct.pack("<4f", 1, 2, 3, 4))
        out = self.call("run", "--top", "Main", "--in", "q.raw", "--in-format", "raw", self.file("p.str", text))[0]
        self.assertEqual(out, b"[2. 3.]\n[4. 5.]\n")


if __name__ == "__main__":
    unittest.main()
