#!/usr/bin/env python3
"""Native functions that take and give tensors: the same in all engines, in executables and libraries; what does not fit is
explained.

tensors_test.py STRC LIBRARY INCLUDE
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "tensors.str"
STREAMS = ["Views", "Others", "Calls", "Counts"]
ENGINES = [["--interpret"], ["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-O2", "--disable-pass=copy-elision"],
           ["-O2", "--disable-pass=fuse-tensors"]]  # fmt: skip
STRC, LIBRARY, INCLUDE = "", "", ""
ROUNDS = 4

# What is wrong with a program, where, and words of the explanation.
NATIVE = "native P { float f(tensor<float>[2, _] x); tensor<float>[n] g(tensor x); }\nstatic { int n = 3; }\n"
WRONG = [
    ("tensor-shape", 4, "'P.f'", "argument 1", "tensor<float>[2, _]", "tensor<float>[3, 1]",
     NATIVE + "void->void filter Main { work {\n println(P.f(ones(3, 1))); } }"),
    ("not-convertible", 4, "'tensor<int>'", "argument 1",
     NATIVE + "void->void filter Main { work {\n println(P.f((int) ones(2, 1))); } }"),
    ("tensor-shape", 4, "'x'", "tensor<float>[4]", "tensor<float>[3]",
     NATIVE + "void->void filter Main { work {\n tensor<float>[4] x = P.g(ones(3)); println(x); } }"),
    ("tensor-place", 1, "extents", "native P { tensor<float>[2, _] g(); }\nvoid->void filter Main { work { println(P.g()); } }"),
    ("bound-negative", 1, "-1", "native P { tensor<float>[m - 1] g(); }\nstatic { int m = 0; }\n"
     "void->void filter Main { work { println(P.g()); } }"),
    ("native-unavailable", 4, "'P.g'",
     NATIVE + "void->void filter Main { work {\n println(P.g(ones(3))); } }"),
]  # fmt: skip


def call(*command, **how):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1800, check=False, **how)


def sections():
    """What each stream prints, by its name."""
    texts = (HERE / "tensors.out").read_text(encoding="ascii").split("== ")[1:]
    return {name: text for name, _, text in (each.partition("\n") for each in texts)}


class Tensors(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = Path(self.holder.name)

    def tearDown(self):
        self.holder.cleanup()

    def test_engines(self):
        expected = sections()
        for top in STREAMS:
            for engine in ENGINES:
                with self.subTest(top=top, engine=engine):
                    done = call(STRC, "run", *engine, "--native", LIBRARY, "--top", top, "-i", ROUNDS, PROGRAM)
                    self.assertEqual(done.stderr, "")
                    self.assertEqual(done.stdout, expected[top])

    def test_shapes_that_only_the_run_knows(self):
        text = PROGRAM.read_text(encoding="ascii")
        stop = "        if (rounds++ > 0) return;\n"
        program = self.folder / "symbolic.str"
        program.write_text(text.replace(stop, "        if (rounds > 9) println(zeros(rounds));\n" + stop), encoding="ascii")
        for top in ("Views", "Others"):
            done = call(STRC, "run", "--native", LIBRARY, "--top", top, "-i", ROUNDS, program)
            self.assertEqual(done.stdout, sections()[top])
            self.assertIn("[symbolic-shape]", done.stderr)

    def test_executables(self):
        expected = sections()
        for top in STREAMS:
            with self.subTest(top=top):
                built = call(STRC, "build", "--native", LIBRARY, "--top", top, "-o", self.folder / top, PROGRAM)
                self.assertEqual(built.returncode, 0, built.stderr)
                done = call(self.folder / top, "-i", ROUNDS)
                # Composites print while the graph is built.
                said = built.stdout + done.stdout
                self.assertEqual((said, done.stderr), (expected[top], ""))

    def test_library(self):
        built = call(STRC, "build", "--shared", "--native", LIBRARY, "--top", "Passed", "--input", "1",
                     "-o", self.folder / "libpassed.so", PROGRAM)  # fmt: skip
        self.assertEqual(built.returncode, 0, built.stderr)
        library = ctypes.CDLL(str(self.folder / "libpassed.so"))
        library.Passed_create.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(library.Passed_create(None))
        items, results = (ctypes.c_float * 3)(5, 6, 7), (ctypes.c_float * 6)()
        size = ctypes.c_size_t
        status = library.Passed_process(handle, items, size(3), results, size(3), None, None)
        library.Passed_destroy(handle)
        self.assertEqual((status, list(results)), (0, [0, 5, 1, 6, 2, 7]))

    def test_nothing_is_copied(self):
        """What is popped goes to C where it lies in the channel, and so does the room for what is pushed."""
        for words, is_copied in (([], False), (["--disable-pass=copy-elision"], True)):
            made = call(STRC, "build", "--shared", "--native", LIBRARY, "--top", "Passed", "--input", "1", "--emit=llvm", *words,
                        "-o", "-", PROGRAM)  # fmt: skip
            self.assertIn("call void @Sample_ticket(", made.stdout, made.stderr)
            self.assertEqual(bool(re.search(r"memcpy| load ", made.stdout)), is_copied, words)

    def test_wrong(self):
        for name, line, *words, text in WRONG:
            with self.subTest(words=words):
                (self.folder / "p.str").write_text(text, encoding="ascii")
                done = call(STRC, "run", "-i", "1", "p.str", cwd=self.folder)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"[{name}]", done.stderr)
                self.assertIn(f"p.str:{line}:", done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_header(self):
        """It stands beside DLPack's own header, of both ways to number versions, and is C++ as well."""
        own = "typedef enum { kDLCPU = 1 } DLDeviceType; typedef struct { DLDeviceType device_type; int device_id; } DLDevice;" \
              "typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;" \
              "typedef struct DLTensor { void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape, *strides;" \
              "uint64_t byte_offset; } DLTensor;\n"  # fmt: skip
        for compiler, language, version in (("cc", "c", ""), ("c++", "c++", ""), ("cc", "c", "DLPACK_VERSION 80"),
                                            ("c++", "c++", "DLPACK_MAJOR_VERSION 1")):  # fmt: skip
            before = f"#include <stdint.h>\n#define {version}\n{own}" if version else ""
            text = before + '#include "strc/dlpack.h"\n#include "strc/dlpack.h"\nint n(const DLTensor *x) { return x->ndim; }\n'
            compiled = call(os.environ.get(compiler.upper().replace("C++", "CXX"), compiler), f"-I{INCLUDE}", "-Wall", "-Wextra",
                            "-Werror", "-fsyntax-only", "-x", language, "-std=" + language + "11", "/dev/stdin", input=text)  # fmt: skip
            self.assertEqual(compiled.returncode, 0, compiled.stderr)


if __name__ == "__main__":
    STRC, LIBRARY, INCLUDE = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
