#!/usr/bin/env python3
"""Tensors in safetensors files and pictures, in every engine."""

import json
import struct
import unittest
import zlib
from array import array

from command import Case

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


class TensorFiles(Case):
    def ways(self, top, *shapes):
        """Calls that run a stream: each engine, and an executable."""
        path = self.file("p.str", TWICE + BOTH)
        inputs = [word for shape in shapes for word in ("--input", shape)]
        self.call("build", "-o", "made", "--top", top, *inputs, path)
        run = [lambda *words, engine=engine, **how: self.call("run", engine, "--top", top, path, *words, **how)
               for engine in ("--interpret", "-O1")]
        return [*run, self.run_made]

    def run_made(self, *words, status=0):
        import subprocess
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

    def test_pictures_are_channels_rows_and_columns(self):
        samples = [10 * k for k in range(18)]
        self.file("in.png", png(3, 2, 3, samples))
        planes = [samples[k::3] for k in range(3)]
        path = self.file("p.str", """tensor<int>->tensor filter Same { work pop 1 push 1 { push(pop() + 0); } }
tensor<float>[1, 3, 2, 3]->tensor filter Unit { work pop 1 push 1 { push(pop() * 255); } }
void->tensor pipeline Read { add ImageReader<tensor<int>[3, _, _]>("in.png"); add Same; }
""")
        for engine in ("--interpret", "-O1"):
            self.call("run", engine, "--top", "Same", path, "--in", "in.png", "--out", "out.safetensors")
            self.assertEqual(self.written(), {"output": ("I32", [3, 2, 3], sum(planes, []))})
            self.call("run", engine, "--top", "Read", path, "--out", "out.safetensors")
            self.assertEqual(self.written(), {"output": ("I32", [3, 2, 3], sum(planes, []))})
            self.call("run", engine, "--top", "Unit", path, "--in", "in.png", "--out", "out.safetensors")
            kind, shape, numbers = self.written()["output"]
            self.assertEqual((kind, shape), ("F32", [1, 3, 2, 3]))
            for got, wanted in zip(numbers, sum(planes, [])):
                self.assertAlmostEqual(got, wanted, places=4)

    def test_pictures_are_written(self):
        self.file("in.png", png(3, 2, 3, [10 * k for k in range(18)]))
        path = self.file("p.str", """tensor->tensor filter Same { work pop 1 push 1 { push(pop()); } }
void->void pipeline Copy { add ImageReader<tensor>("in.png"); add ImageWriter<tensor>("out.ppm"); }
""")
        for engine in ("--interpret", "-O1"):
            self.call("run", engine, "--top", "Copy", path)
            self.assertEqual(self.bytes("out.ppm"), b"P6\n3 2\n255\n" + bytes(10 * k for k in range(18)))
            self.call("run", engine, "--top", "Same", path, "--in", "in.png", "--out", "out.jpg")
            self.assertEqual(self.bytes("out.jpg")[:3], b"\xff\xd8\xff")
            self.call("run", engine, "--top", "Same", path, "--in", "out.jpg", "--out", "again.safetensors")
            kind, shape, numbers = self.written("again.safetensors")["output"]
            self.assertEqual((kind, shape), ("F32", [3, 2, 3]))
            for got, wanted in zip(numbers, (k / 25.5 for c in range(3) for k in range(c, 18, 3))):
                self.assertLess(abs(got - wanted), 0.2)

    def test_executables_have_no_pictures_of_tensors(self):
        path = self.file("p.str", """void->void pipeline Main {
    add ImageReader<tensor<float>[3, 2, 2]>("in.NAME");
    add FileWriter<tensor>("out.safetensors");
}
""")
        for name in ("png", "jpg", "ppm"):
            self.file("q.str", path.read_text().replace("NAME", name))
            err = self.call("build", "q.str", status=1)[1]
            self.assertIn("q.str:2:5: error: 'in." + name, err)
            self.assertIn("[format-left-out]", err)
        damaged = self.file("bad.jpg", b"\xff\xd8\xff\xe0 no picture")
        self.file("q.str", TWICE)
        err = self.call("run", "--top", "Twice", "q.str", "--in", damaged, status=1)[1]
        self.assertIn("is not a valid JPEG file", err)


if __name__ == "__main__":
    unittest.main()
