#!/usr/bin/env python3
"""Executables: what `strc build` makes, what it refuses, and that what they write and say is what `strc run`
does. Most of what they do is tested by running commands_test.py and streams_test.py with them
(STRC_ENGINE=executable)."""

import array
import os
import re
import resource
import shutil
import stat
import struct
import subprocess
import unittest
from pathlib import Path

from command import COPY, COUNTER, SECONDS, STRC, TWICE, Case, clean

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 244_000
LIBRARIES = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "libmvec.so.1", "ld-linux-x86-64.so.2",
             "ld-linux-aarch64.so.1"}  # fmt: skip


# Fields of 4 MB each: of zeros, of zeros but for a few numbers, of zeros as an operand that nobody writes.
ZEROS = """void->void pipeline Main { add Count; add Table; add Sum; add Operand; add Show; }
void->float stateful filter Count { float n; work push 1 { push(n++); } }
float->float stateful filter Table {
    float[1000000] few; float[1000000] none; int k = 500000;
    init { few[0] = 1; few[k] = 2; few[999999] = 3; }
    work pop 1 push 1 { none[k] = none[k] + pop(); push(few[0] + few[k] + few[999999] + few[7] + none[k] + none[k + 1]); }
}
float->float stateful filter Sum { float[1000000] none; float sum = 0.5; work pop 1 push 1 { none[3] += pop(); sum += none[3]; push(sum); } }
float->tensor filter Operand { tensor zero = zeros(1000, 1000); work pop 1 push 1 { float x = pop(); push(sum(zero * x, 0) + x); } }
tensor->void filter Show { work pop 1 { println(pop()[7]); } }
"""


class Executables(Case):
    """Builds programs, and runs what was built."""

    def build(self, text, *options, name="p"):
        self.file(f"{name}.str", text)
        return self.call("build", *options, f"{name}.str")

    def execute(self, *words, name="p", input=b"", status=0, **options):
        """Output as bytes, messages as text."""
        done = subprocess.run([f"./{name}", *map(str, words)], cwd=self.folder, input=input, capture_output=True,
                              timeout=SECONDS, env=clean(), **options)
        err = done.stderr.decode()
        self.assertEqual(done.returncode, status, f"{name} {words}\n{err}")
        return done.stdout, err

    def files(self):
        return sorted(os.listdir(self.folder))


class Making(Executables):
    def test_names(self):
        self.assertEqual(self.build(COUNTER), (b"", ""))
        self.assertEqual(self.files(), ["p", "p.str"])
        self.assertEqual(self.execute("-i2")[0], b"0\n1\n")
        self.call("build", "-o", "other", "-D", "n=3", "p.str")
        self.assertEqual(self.execute("-i2", name="other")[0], b"0\n3\n")
        (self.folder / "sub").mkdir()
        shutil.copy(self.folder / "p.str", self.folder / "sub/q.str")
        self.call("build", "sub/q.str")
        self.assertIn("q", self.files())

    def test_a_name_is_needed(self):
        _, err = self.call("build", "-", input=COUNTER.encode(), status=2)
        self.assertIn("-o FILE is missing", err)
        self.call("build", "-o", "p", "-", input=COUNTER.encode())
        self.assertEqual(self.execute("-i1")[0], b"0\n")
        self.file("program", COUNTER)
        _, err = self.call("build", "program", status=2)
        self.assertIn("-o FILE is missing", err)
        _, err = self.call("build", "-o", "program", "program", status=2)
        self.assertIn("exclude each other", err)
        self.assertEqual(self.bytes("program"), COUNTER.encode())

    def test_permissions_are_as_asked_for(self):
        self.file("p.str", COUNTER)
        self.call("build", "p.str", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(stat.S_IMODE((self.folder / "p").stat().st_mode), 0o750)

    def test_nothing_but_the_c_library(self):
        self.build(COUNTER.replace("n * i++", "n * (int)(sin(i++) * 100)"))
        out = subprocess.run(["ldd", self.folder / "p"], capture_output=True, text=True, check=True).stdout
        names = {line.split()[0].split("/")[-1] for line in out.splitlines()}
        self.assertLessEqual(names, LIBRARIES)

    def test_static(self):
        self.build(COUNTER, "--static")
        done = subprocess.run(["ldd", self.folder / "p"], capture_output=True, text=True)
        self.assertIn("not a dynamic executable", done.stdout + done.stderr)
        self.assertEqual(self.execute("-i2")[0], b"0\n1\n")

    def test_static_with_functions_of_the_processor_at_hand(self):
        self.build(COUNTER.replace("println(pop())", "println(sin(pop()))"), "--static", "-O0")
        self.assertEqual(self.execute("-i", "2")[0], b"0.0\n0.84147096\n")

    def test_size(self):
        self.call("build", "-o", "radio", ROOT / "examples/fm_radio/fm_radio.str")
        subprocess.run(["strip", self.folder / "radio"], check=True)
        self.assertLess((self.folder / "radio").stat().st_size, MOST_BYTES)

    def test_zeros_take_no_room(self):
        self.build(ZEROS)
        self.assertLess((self.folder / "p").stat().st_size, MOST_BYTES)
        self.assertEqual(self.execute("-i3")[0], self.call("run", "--interpret", "-i3", "p.str")[0])

    def test_levels_and_checks(self):
        text = """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { work push 1 { push(7); } }
int->void filter Sink { int n; work pop 2 { println(pop()); n++; if (n > 1) pop(); } }
"""
        for level in range(4):
            self.build(text, f"-O{level}")
            out, err = self.execute("-i2", status=1)
            self.assertEqual(out, b"7\n")
            self.assertIn("p.str:3:", err)
            self.assertIn("[pop-rate-violated]", err)
        self.build(text, "--check=none")
        self.assertEqual(self.execute("-i2"), (b"7\n7\n", ""))

    def test_rings(self):
        """Items of the open ends and of files go round the ends of their rings, too."""
        text = """float->float pipeline Main { add Window; add splitjoin { split duplicate; add Half; add Identity<float>;
join roundrobin(1, 2); }; }
float->float filter Window { work pop 3 push 5 peek 7 { for (int i = 0; i < 5; i++) push(peek(i) - peek(6 - i));
for (int i = 0; i < 3; i++) pop(); } }
float->float filter Half { work pop 2 push 1 { push(pop() / 2 + pop()); } }
"""
        items = array.array("f", range(3001)).tobytes()
        raw = ["--in-format=raw", "--out-format=raw"]
        self.build(text, "--top=Main")
        expected = self.execute(*raw, input=items)
        self.assertGreater(len(expected[0]), 4 * 4000)
        for options in (["-O0"], ["-O3"], ["-g"]):
            self.build(text, "--top=Main", "--tapes=ring", *options)
            self.assertEqual(self.execute(*raw, input=items), expected)

    def test_object_files(self):
        self.file("p.str", COUNTER)
        self.call("build", "--emit=obj", "-o", "p.o", "p.str")
        self.call("run", "--emit=obj", "-o", "q.o", "p.str")
        self.assertEqual(self.bytes("p.o"), self.bytes("q.o"))
        self.assertEqual(self.bytes("p.o")[:4], b"\x7fELF")
        names = subprocess.run(["nm", self.folder / "p.o"], capture_output=True, text=True, check=True).stdout
        self.assertIn(" strc_program\n", names)

    def test_processors(self):
        self.build(COUNTER, "--march=x86-64")
        self.assertEqual(self.execute("-i2")[0], b"0\n1\n")
        for name in ("i386", "pentium4"):  # of 32 bits
            for command in ("build", "run"):
                self.assertIn(f"no processor is called '{name}'", self.call(command, f"--march={name}", "p.str", status=2)[1])
        _, err = self.call("build", "--march=x86-65", "p.str", status=2)
        self.assertIn("no processor is called 'x86-65'", err)

    def test_the_runtime_from_its_sources(self):
        """What is done for another machine, done for this one."""
        self.build(COUNTER, "--target=x86_64-linux-gnu", "--linker=cc")
        self.assertEqual(self.execute("-i2")[0], b"0\n1\n")

    def test_targets(self):
        _, err = self.call("build", "--target=riscv", "p.str", status=2)
        self.assertIn("'riscv' is not a value for --target: aarch64-linux-gnu or x86_64-linux-gnu is needed", err)
        self.file("p.str", COUNTER)
        _, err = self.call("build", "--target=aarch64-linux-gnu", "--march=haswell", "p.str", status=2)
        self.assertIn("no processor is called 'haswell'", err)
        _, err = self.call("build", "--target=aarch64-linux-gnu", "p.str", status=1, env={"PATH": "/nowhere"})
        self.assertIn("an executable needs 'aarch64-linux-gnu-gcc', which is not installed [tool-missing]", err)
        self.assertIn("package gcc-aarch64-linux-gnu", err)
        self.call("build", "--target=aarch64-linux-gnu", "--emit=obj", "-o", "p.o", "p.str")
        self.assertEqual(struct.unpack_from("<H", self.bytes("p.o"), 18)[0], 183)  # EM_AARCH64

    def test_other_processors_say_so(self):
        features = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        wanted = {"haswell": "avx2", "skylake-avx512": "avx512f", "icelake-server": "avx512_bitalg"}
        missing = [name for name, flag in wanted.items() if features and flag not in features[1].split()]
        if not missing:
            self.skipTest("this processor has everything")
        self.build(COUNTER, f"--march={missing[0]}")
        out, err = self.execute("-i1", status=1)
        self.assertEqual(out, b"")
        self.assertIn("[processor-feature]", err)


class Refusing(Executables):
    def refuse(self, text, code, *options, status=1):
        out, err = self.build_status(text, status, *options)
        self.assertEqual(out, b"")
        self.assertIn(f"[{code}]", err)
        self.assertEqual(self.files(), ["p.str"])
        return err

    def build_status(self, text, status, *options):
        self.file("p.str", text)
        return self.call("build", *options, "p.str", status=status)

    def test_programs_that_cannot_be_compiled(self):
        err = self.refuse("""int->int filter Main {
    prework pop 1 peek 3 push 1 { push(peek(2)); pop(); }
    work pop 1 push 1 { push(pop()); }
}
""", "cannot-compile", "--top=Main")
        self.assertIn("p.str:1:", err)
        self.refuse(COUNTER, "cannot-compile", "--lenient")
        self.refuse(COUNTER, "cannot-compile", "--step-limit=100000")

    def test_tapes_that_take_too_much_memory_together(self):
        err = self.refuse("""void->void pipeline Main { add A(); add B(); add C(); }
void->float filter A { work push 150000000 { for (int i = 0; i < 150000000; i++) push(i); } }
float->float filter B { work pop 150000000 push 150000000 { for (int i = 0; i < 150000000; i++) push(pop()); } }
float->void filter C { work pop 150000000 { for (int i = 0; i < 150000000; i++) pop(); println(1); } }
""", "limit-exceeded")
        self.assertIn("p.str:1:1: error: the memory of all tapes and filters exceeds the limit of 1073741824", err)

    def test_formats_that_are_left_out(self):
        err = self.refuse("""void->void pipeline Main { add IntRamp; add ImageWriter<int>("a.png", 4, 4); }
""", "format-left-out", "--static")
        self.assertIn("p.str:1:", err)
        self.assertIn("in instance Main.ImageWriter", err)
        self.assertIn("take a library that the program loads", err)
        self.build(TWICE, "--top=Twice", "--static")
        _, err = self.execute("--in", "a.png", status=2)
        self.assertIn("'a.png' is a PNG file, which executables cannot read or write [format-left-out]", err)

    def test_linkers(self):
        err = self.refuse(COUNTER, "tool-missing", "--linker=nosuchthing")
        self.assertIn("'nosuchthing'", err)
        self.assertIn("gcc", err)
        tool = self.file("../linker-that-fails", "#!/bin/sh\necho 'ld: No space left on device' >&2\nexit 1\n")
        self.addCleanup(tool.unlink)
        tool.chmod(0o755)
        err = self.refuse(COUNTER, "cannot-link", f"--linker={tool}")
        self.assertIn("No space left on device", err)

    def test_an_older_executable_stays(self):
        self.build(COUNTER)
        before = self.bytes("p")
        _, err = self.call("build", "-D", "n=2", "--linker=false", "p.str", status=1)
        self.assertIn("[cannot-link]", err)
        self.assertEqual(self.bytes("p"), before)
        self.assertEqual(self.files(), ["p", "p.str"])

    def test_places_that_cannot_be_written(self):
        for place in ("missing/p", "."):
            self.assertIn(f"'{place}'", self.refuse(COUNTER, "cannot-write-file", "-o", place))
        self.refuse(COUNTER, "cannot-write-file", "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_no_room_for_what_is_linked(self):
        self.file("p.str", COUNTER)
        _, err = self.call("build", "p.str", status=1, env={"TMPDIR": str(self.folder / "missing")})
        self.assertIn("[cannot-write-file]", err)
        self.assertEqual(self.files(), ["p.str"])

    def test_no_room_for_the_executable(self):
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        self.file("p.str", COUNTER)
        tool = self.file("linker", '#!/bin/sh\nexec head -c 40000 /dev/zero >"$2"\n')
        tool.chmod(0o755)
        _, err = self.call("build", "--linker=./linker", "p.str", status=1, preexec_fn=small)
        self.assertIn("File too large", err)
        self.assertEqual(self.files(), ["linker", "p.str"])

    def test_no_room_for_what_is_printed_to_a_file(self):
        """The file is as it was, or there is none."""
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        self.file("p.str", COUNTER)
        self.file("old.s", "as it was\n")
        for words in (["build", "--emit=obj", "-o", "p.o"], ["check", "--emit=asm", "-o", "old.s"],
                      ["graph", "-o", "p.json"], ["schedule", "-o", "p.txt"]):  # fmt: skip
            _, err = self.call(*words, "p.str", status=1, preexec_fn=small)
            self.assertIn(f"cannot write '{words[-1]}': File too large [cannot-write-file]", err)
            self.assertEqual(self.files(), ["old.s", "p.str"])
        self.assertEqual(self.bytes("old.s"), b"as it was\n")
        self.call("check", "--emit=asm", "-o", "old.s", "p.str")
        self.assertIn(b".text", self.bytes("old.s"))
        self.assertEqual(self.files(), ["old.s", "p.str"])

    def test_no_room_for_the_output(self):
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        self.build(COPY.replace("FileReader<int>(\"in.raw\")", "IntRamp"))
        _, err = self.execute("-i", 10000, status=1, preexec_fn=small)
        self.assertIn("p.str:1:41: error: cannot write 'out.raw': File too large [cannot-write-file]", err)
        self.assertIn("note: in instance Main.FileWriter", err)


class Running(Executables):
    def test_what_was_printed_while_the_graph_was_built(self):
        text = """void->void pipeline Main {
    println("built " + (int)(random() * 1000));
    add Source;
    add Print;
}
void->float filter Source {
    float first;
    init { first = random(); println(first); }
    work push 2 { push(first); push(random()); }
}
"""
        self.file("p.str", text)
        expected = self.call("run", "-w", "-i3", "p.str")[0]
        self.assertEqual(expected.count(b"\n"), 8)
        self.call("build", "-w", "p.str")
        self.assertEqual(self.execute("-i3")[0], expected)
        self.assertEqual(self.execute("-i0")[0], b"".join(expected.splitlines(True)[:2]))

    def test_help(self):
        self.build(COUNTER)
        out, err = self.execute("--help")
        self.assertIn(b"--iterations N", out)
        self.assertNotIn(b"--in-format", out)
        self.assertEqual(err, "")
        self.build(TWICE, "--top=Twice")
        formats = "raw, wav, flac, ogg, opus, npy, text, pcm, u8, s8, cu8, cs8, cs16, cf32, sigmf, png, jpeg, pgm or safetensors"  # as strc itself names them
        self.assertRegex(self.execute("-h")[0].decode(), f"--in-format F +{formats}")
        self.assertIn(f"{formats} is needed", self.execute("--in-format=foo", status=2)[1])

    def test_time(self):
        self.build(COUNTER)
        self.assertRegex(self.execute("-i3", "-t")[1], r"^[0-9]+\.[0-9]{3} s\n$")

    def test_faults_have_places(self):
        self.build("""void->void pipeline Main { add Source; add Sink; }
void->int stateful filter Source { int n = 2; work push 1 { n--; push(6 / n); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        out, err = self.execute("-i5", status=1)
        self.assertEqual(out, b"6\n")
        self.assertEqual(err, "p.str:2:73: error: integer division by zero [division-by-zero]\n"
                              "note: in instance Main.Source\n")
        said = self.call("run", "-i5", "p.str", status=1)[1].splitlines(True)
        self.assertEqual(err, said[0] + said[-1])  # without the picture

    def test_missing_files_have_places(self):
        self.build(COPY)
        _, err = self.execute(status=1)
        self.assertIn("p.str:1:28: error: cannot open 'in.raw': No such file or directory [cannot-open-file]", err)
        self.assertIn("note: in instance Main.FileReader", err)

    def test_wrong_calls(self):
        self.build(COUNTER)
        for words, message in (
            (("--limt", "3"), "unknown option '--limt'"),
            (("-x",), "unknown option '-x'"),
            (("--stats=1",), "unknown option '--stats=1'"),
            (("7",), "'7' is one argument too many"),
            (("-i",), "--iterations: 1 required N missing"),
            (("--limit=",), "--limit: 1 required N missing"),
            (("-i", "-1"), "'-1' is not a value for -i"),
            (("-i9223372036854775808",), "is not a value for -i"),
            (("--seconds=soon",), "'soon' is not a value for --seconds"),
            (("--tail=wag",), "'wag' is not a value for --tail: drop, pad or drain is needed"),
            (("--in=a.raw",), "--in is given, but main stream 'Main' has no input [main-stream-side]"),
        ):
            out, err = self.execute(*words, status=2)
            self.assertEqual(out, b"")
            self.assertIn(message, err)
        self.assertIn("did you mean '--limit'?", self.execute("--limt=3", status=2)[1])

    def test_memory_that_cannot_be_had(self):
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (100 << 20, 100 << 20))

        self.build("""void->void pipeline Main { add Source; add Sink; }
void->int filter Source { work push 100000000 { for (int i = 0; i < 100000000; i++) push(i); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        out, err = self.execute("-i1", status=1, preexec_fn=little)
        self.assertEqual(out, b"")
        self.assertRegex(err, r"^p: error: out of memory: the program needs \d+ bytes \[out-of-memory\]\n$")

    def test_arrays_of_a_body_that_cannot_be_had(self):
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

        self.build("""void->void pipeline Main { add Sums(8000); }
void->void filter Sums(int n) {
    float k;
    work { tensor x = full(k++, n, n); println(item(sum(matmul(x, x)))); }
}
""", "--top=Main")
        out, err = self.execute("-i1", status=1, preexec_fn=little)
        self.assertEqual(out, b"")
        self.assertRegex(err, r"^p: error: out of memory: the program needs \d+ bytes \[out-of-memory\]\n$")

    def test_names_are_shown_without_control_characters(self):
        self.build(TWICE, "--top=Twice")
        _, err = self.execute("--in", "a\x1b[31m\n\u00e9b", status=1)
        self.assertIn("cannot open 'a\ufffd[31m \u00e9b'", err)

    def test_silenced_left_overs(self):
        self.file("in.raw", bytes(6 * 4))
        text = COPY.replace("; }", "; }", 1).replace("add FileWriter", "add Pairs; add FileWriter")
        text += "int->int filter Pairs { work pop 4 push 1 { for (int i = 0; i < 4; i++) pop(); push(1); } }\n"
        self.build(text)
        self.assertIn("2 items left over at the end of 'in.raw'", self.execute()[1])
        self.build(text, "-Wno-input-left-over")
        self.assertEqual(self.execute()[1], "")
        self.build(text, "-Werror=input-left-over")
        self.assertIn("p: error: 2 items left over", self.execute(status=1)[1])

    def test_bytes_that_are_no_item(self):
        self.build(TWICE, "--top=Twice")
        left = "p: warning: {} left over at the end of '{}', too few for an item of 4 [bytes-left-over]\n"
        hint = "note: '--in-format' says what else it holds than raw items\n"
        stdin = "standard input"
        _, err = self.execute("--out=out.raw", input=bytes(9))
        self.assertEqual(err, left.format("1 byte", stdin) + hint)
        _, err = self.execute("--out=out.raw", "--in-format=raw", input=bytes(7))
        self.assertEqual(err, left.format("3 bytes", stdin))
        self.file("two.raw", bytes(2))
        empty = "p: error: input file '{}' holds no items [empty-input]\n"
        for name, words, given in (stdin, (), bytes(2)), ("two.raw", ("--in=two.raw",), b""):
            _, err = self.execute("--out=out.raw", *words, input=given, status=1)
            self.assertEqual(err, empty.format(name) + left.format("2 bytes", name) + hint)
        self.build(TWICE, "--top=Twice", "-Wno-bytes-left-over")
        self.assertEqual(self.execute("--out=out.raw", input=bytes(9))[1], "")


class Sounds(Executables):
    """Warnings about sound files, the same from all engines."""

    FLOATS = "float->float filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n"

    def said(self, text, *words, input=b""):
        """Messages of strc, without who says it."""
        self.build(text, "--top=Twice")
        _, compiled = self.execute(*words, input=input)
        for engine in ([], ["--interpret"]):
            _, err = self.call("run", *engine, "--top=Twice", *words, "p.str", input=input)
            self.assertEqual(err.replace("strc: ", "p: "), compiled)
        return compiled.replace("p: ", "")

    def test_clipped_samples(self):
        clipped = "warning: {} beyond full scale were clipped in '{}' [clipped-samples]\n"
        self.file("in.raw", struct.pack("<6f", 0.5, -0.5, 0.51, -3, float("nan"), float("inf")))
        for out in "out.wav", "out.pcm":
            self.assertEqual(self.said(self.FLOATS, "--in=in.raw", f"--out={out}"), clipped.format("3 samples", out))
        self.assertEqual(self.said(self.FLOATS, "--in=in.raw", "--out=out.wav", "--out-sample=float"), "")
        self.assertEqual(self.said(self.FLOATS, "--in=in.raw", "--out=out.wav", "--out-sample=8"),
                         clipped.format("3 samples", "out.wav"))  # fmt: skip
        self.assertEqual(self.said(self.FLOATS, "--in=in.raw", "--out-format=wav"),
                         clipped.format("3 samples", "standard output"))  # fmt: skip
        self.file("in.raw", struct.pack("<4i", 16383, 16384, -16384, 7))
        for out in "out.wav", "out.pcm":
            self.assertEqual(self.said(TWICE, "--in=in.raw", f"--out={out}"), clipped.format("1 sample", out))

    def test_files_that_end_too_soon(self):
        short = "warning: '{}' ends {} before its header says [short-file]\n"

        def wav(told, samples, more=b""):
            data = struct.pack(f"<{len(samples)}h", *samples)
            whole = min(36 + told, 0xFFFFFFFF)
            header = struct.pack("<4sI8sIHHIIHH", b"RIFF", whole, b"WAVEfmt ", 16, 1, 1, 8000, 16000, 2, 16)
            return header + more + struct.pack("<4sI", b"data", told) + data

        cases = [
            (wav(8, [1, 2, 3, 4]), None),
            (wav(8, [1, 2, 3]), "2 bytes"),
            (wav(8, [1, 2, 3]) + b"\1", "1 byte"),
            (wav(2000, [1, 2, 3], struct.pack("<4sI3sx", b"LIST", 3, b"abc")), "1994 bytes"),
            (wav(4, [1, 2]) + struct.pack("<4sI4s", b"LIST", 4, b"abcd"), None),
            (wav(0x7FFFFFDB, [1, 2]), None),  # as programs write into pipes
            (wav(0xFFFFFFFF, [1, 2]), None),
        ]
        for contents, missing in cases:
            with self.subTest(missing, size=len(contents)):
                self.file("in.wav", contents)
                said = short.format("in.wav", missing) if missing else ""
                self.assertEqual(self.said(TWICE, "--in=in.wav", "--out=out.raw"), said)
                said = short.format("standard input", missing) if missing else ""
                self.assertEqual(self.said(TWICE, "--in-format=wav", "--out=out.raw", input=contents), said)

    def test_switched_off(self):
        self.file("in.raw", struct.pack("<f", 3))
        self.build(self.FLOATS, "--top=Twice", "-Wno-clipped-samples")
        self.assertEqual(self.execute("--in=in.raw", "--out=out.wav"), (b"", ""))
        self.build(self.FLOATS, "--top=Twice", "-Werror=clipped-samples")
        self.assertIn("p: error: 1 sample beyond", self.execute("--in=in.raw", "--out=out.wav", status=1)[1])


class OpenParameters(Executables):
    TEXT = """void->void pipeline Main(int n = 2, float gain = 0.5, boolean loud = false, double d = 1, complex z = 1i) {
    add Source(n);
    add Inner(gain);
    add float->void filter { work pop 1 { print(pop()); if (loud) print("!"); println(" " + d + " " + z.imag); } };
}
float->float pipeline Inner(float gain) {
    add Scale(gain);
    add Scale(gain);
}
void->float stateful filter Source(int n) {
    int first = square(n);
    int[4] table;
    int square(int x) { return x * x; }
    init { for (int i = 0; i < 4; i++) table[i] = first + n * i; }
    int i;
    work push 1 { push(table[i++ & 3]); }
}
float->float filter Scale(float gain) { work pop 1 push 1 { push(gain * pop()); } }
"""

    def both(self, *defines):
        """What an executable with these values does is what strc does with them."""
        words = [word for define in defines for word in ("-D", define)]
        expected = self.call("run", "-i6", *words, "p.str")[0]
        self.assertEqual(self.execute("-i6", *words)[0], expected)
        return expected

    def test_values_come_when_it_starts(self):
        self.build(self.TEXT, *(f"--keep-param={name}" for name in ("n", "gain", "loud", "d", "z")))
        outs = {self.both(), self.both("n=3"), self.both("gain=-1.25"), self.both("loud=true"), self.both("d=1e300"),
                self.both("z=2-3i"), self.both("n=-7", "gain=1e10", "loud=true")}  # fmt: skip
        self.assertEqual(len(outs), 7)
        self.assertIn(b"Infinity 1.0 ", self.both("n=3", "gain=INF"))
        self.assertIn(b" -Infinity ", self.both("d=-inf"))
        self.assertIn(b"NaN ", self.both("gain=nan"))

    def test_defaults_are_those_of_the_build(self):
        self.build(self.TEXT, "--keep-param", "gain", "-D", "gain=2", "-D", "n=5")
        self.assertEqual(self.execute("-i1")[0], self.call("run", "-i1", "-D", "gain=2", "-D", "n=5", "p.str")[0])
        self.assertEqual(self.execute("-i1", "-Dgain=0.5")[0], self.call("run", "-i1", "-Dn=5", "p.str")[0])

    def test_what_init_does_happens_at_the_start(self):
        self.build("""void->void pipeline Main(int n = 1) { add Source(n); add IntPrint; }
void->int filter Source(int n) {
    int[3] a;
    init { println("init " + n); a[n] = 7; }
    work push 1 { push(a[n]); }
}
""", "--keep-param=n")
        self.assertEqual(self.execute("-i1", "-Dn=2")[0], b"init 2\n7\n")
        out, err = self.execute("-i1", "-Dn=3", status=1)
        self.assertEqual(out, b"init 3\n")
        self.assertIn("p.str:4:36: error: index 3 is outside of the array, whose length is 3", err)
        self.assertIn("in instance Main.Source", err)

    def test_composites_compute_with_them(self):
        """Arguments that are computed, in loops, through several composites, as arrays; of the library, too."""
        self.build("""void->void pipeline Main(int n = 3, float f = 1000, float rate = 48000) {
    add Rattle(n);
    add splitjoin {
        split duplicate;
        for (int i = 0; i < 3; i++) add Lane(rate, f * (i + 1), i);
        add BiquadPeak(rate, f, f / 500);
        join roundrobin;
    };
    float[4] h;
    for (int i = 0; i < 4; i++) { if (n > i) h[i] = f / (rate + i); else h[i] = i; }
    add Fir(4, h);
    add LowPass(rate, f < 200 ? 200 : f, 16);
    add Show;
}
float->float pipeline Lane(float rate, float f, int i) {
    float g = f;
    if (i == 1) g = g / 3;
    add BiquadLowPass(rate, g);
    for (int k = 0; k < 2; k++) add Scale(g / (k + 1));
}
float->float filter Scale(float by) { work pop 1 push 1 { push(by * pop()); } }
void->float stateful filter Rattle(int n) {
    int x;
    work push 1 { x = x * 1103515245 + 12345 + n; push((x >> 16) / 32768.0); }
}
float->void filter Show { work pop 1 { println(pop()); } }
""", "--keep-param=n", "--keep-param=f", "--keep-param=rate")
        outs = {self.both(), self.both("f=2500"), self.both("rate=44100"), self.both("n=1"), self.both("f=100", "n=-4", "rate=8000")}
        self.assertEqual(len(outs), 5)

    def refused(self, define, *words):
        """At the start, as `strc run` would say it."""
        _, told = self.call("run", "-i1", "-D", define, "p.str", status=1)
        out, err = self.execute("-i1", "-D", define, status=1)
        self.assertEqual(out, b"")
        self.assertIn(told.splitlines()[0].split(" in instance")[0], err)
        for word in words:
            self.assertIn(word, err)

    SHOWN = """add Show; }
void->float stateful filter Saw { float x; work push 1 { x = x > 1 ? -1 : x + 0.1; push(x); } }
float->void filter Show { work pop 1 { println(pop()); } }
"""

    def test_library_filters_refuse_values(self):
        """All designs, closed and open alike to the bit, in floats and doubles; and what they require."""
        adds = ["BiquadLowPass(rate, f)", "BiquadHighPass(rate, f)", "BiquadBandPass(rate, f, 2)", "BiquadNotch(rate, f)",
                "BiquadPeak(rate, f, 6)", "BiquadLowShelf(rate, f, -6)", "BiquadHighShelf(rate, f, 3)", "OnePole(rate, f)",
                "LowPass(rate, f, 15)", "HighPass(rate, f, 15)", "BandPass(rate, f / 2, f, 15)"]  # fmt: skip
        self.build("void->void pipeline Main(float rate = 48000, float f = 1000) { add Saw;\n"
                   + "\n".join(f"add {each};" for each in adds) + self.SHOWN, "--keep-param=f", "--keep-param=rate")
        outs = {self.both(), self.both("f=9000"), self.both("rate=8000"), self.both("f=20", "rate=96000")}
        self.assertEqual(len(outs), 4)
        self.refused("f=0", "p.str:2:1: error: 'BiquadLowPass': frequency lies between 0 and half the rate [tensor-shape]")
        self.refused("rate=2000", "p.str:2:1: error: 'BiquadLowPass': frequency lies")
        for add in adds[7:9]:  # a filter, which requires by itself, and a pipeline
            name = add.split("(")[0]
            with self.subTest(name):
                self.build(f"void->void pipeline Main(float rate = 48000, float f = 1000) {{ add Saw;\nadd {add};" + self.SHOWN, "--keep-param=f")
                self.both("f=300")
                _, err = self.execute("-i1", "-D", "f=24000", status=1)
                self.assertIn(f"p.str:2:1: error: '{name}': cutoff lies between 0 and half the rate [tensor-shape]\n", err)
        self.build("""void->void pipeline Main(float f = 0.5) { add Saw;
add Loud(0.25);
add Loud(f); add Show; }
float->float filter Loud(float by) {
    float gain;
    init { require(by < 1, "by is less than 1"); gain = 2 * by; }
    work pop 1 push 1 { push(gain * pop()); }
}
""" + self.SHOWN.removeprefix("add Show; }"), "--keep-param=f")
        self.refused("f=2", "p.str:3:1: error: 'Loud': by is less than 1 [tensor-shape]")

    def test_composites_that_only_hand_them_on_require(self):
        """Somebody checks, also where nothing is computed."""
        self.build("void->void pipeline Main(float g = 1) { add Saw;\nadd Loud(g); add Loud(g);" + self.SHOWN + """
float->float pipeline Loud(float g) {
    require(g > 0 && g < 8, "g lies between 0 and " + 8);
    add Identity<float>();
    add Scale(g);
}
float->float filter Scale(float by) { work pop 1 push 1 { push(by * pop()); } }
""", "--keep-param=g")
        self.assertNotEqual(self.both(), self.both("g=2"))
        self.refused("g=8", "g lies between 0 and 8 [tensor-shape]")
        _, err = self.execute("-D", "g=8", status=1)
        self.assertEqual(err, "p.str:2:1: error: 'Loud': g lies between 0 and 8 [tensor-shape]\nnote: in instance Main.Loud[0]\n")
        _, err = self.call("build", "--keep-param=g", "-Dg=9", "p.str", status=1)
        self.assertIn("p.str:2:1: error: 'Loud': g lies between 0 and 8 [tensor-shape]", err)

    def test_defaults_that_are_computed_from_them(self):
        self.file("p.str", """void->void pipeline Main(int n = 1) {
    add Source(n + 1);
    add Sink;
}
void->int filter Source(int n, int m = 2 * n) { work push 1 { push(n + m); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        _, err = self.call("build", "--keep-param=n", "p.str", status=1)
        self.assertIn("p.str:2:5: error: parameter 'n' stays open, so 'm', whose default value is computed from it, has to be given", err)

    def test_help_lists_them(self):
        self.build(self.TEXT, "--keep-param=gain")
        self.assertRegex(self.execute("--help")[0].decode(), r"-D.*NAME=VALUE[^$]*Parameters:\n  gain, float\n")

    def test_fields_of_tensors_do_not_wait_for_them(self):
        self.file("p.str", """tensor<float>[3]->tensor filter Main(float g) {
    tensor<float>[3] w;
    init { w = ones(3) * g; }
    work pop 1 push 1 { push(pop() * w); }
}
""")
        _, err = self.call("build", "--top=Main", "--keep-param=g", "-Dg=1", "p.str", status=1)
        self.assertIn("p.str:3:5: error: what open parameters make of the fields of a filter with tensors", err)
        self.assertIn("[tensor-unknown]", err)

    def test_values_that_are_none(self):
        self.build(self.TEXT, "--keep-param=gain", "--keep-param=loud")
        for define, message in (
            ("gain=loud", "'loud' is not a value of type 'float' for parameter 'gain' [bad-define-value]"),
            ("loud=1", "'1' is not a value of type 'boolean' for parameter 'loud' [bad-define-value]"),
            ("n=3", "main stream 'Main' has no parameter 'n' [unknown-define]\n"
                    "note: parameters can be given that were left open by '--keep-param'"),
            ("gain", "'gain' is not a value for -D: NAME=VALUE is needed [bad-option-value]"),
        ):
            self.assertIn(message, self.execute("-D", define, status=2)[1])

    def test_what_cannot_be_left_open(self):
        sink = "int->void filter Sink { work pop 1 { println(pop()); } }\n"
        for body, line, message in (
            ("add Twice(n + 1);", 5, "nothing that happens while the graph is built can depend on it"),
            ("int m; if (n > 2) m = 1; add Rate(m);", 3, "nothing that happens while the graph is built"),
            ("if (n > 2) add Source(1); else add Source(2);", 1, "nothing that happens while the graph is built"),
            ("add Source(n + (int)(10 * random()));", 1, "random numbers, files and native functions cannot stand where"),
            ("for (int i = 0; i < n; i++) add Source(1);", 1, "nothing that happens while the graph is built"),
            ("println(n); add Source(1);", 1, "nothing that happens while the graph is built"),
            ("int m = n; while (m > 0) { add Source(1); m--; }", 1, "nothing that happens while the graph is built"),
            ("add Rate(n);", 3, "nothing that happens while the graph is built"),
            ("add Array(n);", 4, "nothing that happens while the graph is built"),
            ("add Array(2 * n);", 4, "nothing that happens while the graph is built"),
        ):
            with self.subTest(body):
                text = f"void->void pipeline Main(int n = 1) {{ {body} add Sink; }}\n" \
                    "void->int filter Source(int n) { work push 1 { push(n); } }\n" \
                    "void->int filter Rate(int n) { work push n { for (int i = 0; i < n; i++) push(n); } }\n" \
                    "void->int filter Array(int n) { int[n] a; work push 1 { push(a[0]); } }\n" \
                    "void->int pipeline Twice(int n) { for (int i = 0; i < n; i++) add Source(1); }\n" + sink
                self.file("p.str", text)
                _, err = self.call("build", "-w", "--keep-param=n", "p.str", status=1)
                self.assertIn(f"p.str:{line}:", err)
                self.assertIn(f"parameter 'n' stays open, so {message}", err)
        self.file("p.str", "void->void pipeline Main(int n = 1) { add Source(n); add Sink; }\n"
                  "void->int filter Source(int n) { work push 1 { push(n); } }\n" + sink)
        _, err = self.call("build", "--keep-param=m", "p.str", status=2)
        self.assertIn("main stream 'Main' has no parameter 'm'", err)


class Formats(Executables):
    """Byte for byte what `strc run` writes."""

    SAME = "{0}->{0} filter Same {{ work pop 1 push 1 {{ push(pop()); }} }}\n"

    def compare(self, name, *words, input=b"", fails=False):
        """The same call of both: exit status, standard output, messages and files. What it writes to standard
        output."""
        results = []
        for out, command in (("run", [STRC, "run", "--top=Same", f"{name}.str"]), ("built", [f"./{name}"])):
            call = [word.replace("OUT", out) for word in words]
            done = subprocess.run([*command, *call], cwd=self.folder, input=input, capture_output=True,
                                  timeout=SECONDS, env=clean())
            err = re.sub(f"^{name}: ", "strc: ", done.stderr.decode(), flags=re.M).replace(f"{out}.", "OUT.")
            written = [self.bytes(word.split("=")[1]) for word in call if word.startswith("--out=")]
            results.append((done.returncode, done.stdout, err, written))
        self.assertEqual(results[0], results[1], words)
        self.assertEqual(results[0][0] != 0, fails, results[0][2])
        return results[0][1]

    def same(self, item, name="same"):
        self.build(self.SAME.format(item), "--top=Same", name=name)

    NUMBERS = {"int": "0 1 -1 255 256 -40000 70000 2147483647 -2147483648 0x10",
               "float": "0 0.1 -0.5 2 -2.5 1e-5 0.9999999 254.6 1e30 -1e-40 nan inf -infinity",
               "double": "0 0.1 -0.5 2 -2.5 1e-5 0.9999999 254.6 1e300 1e-310 nan inf -0.0",
               "complex": "1+2i -1-0.5i 3i 4 0.25-1e-3i -1e2+1e+1i",
               "boolean": "true false 1 0 true", "bit": "1 0 1 1 0 0 1 0 1"}  # fmt: skip

    def test_sounds(self):
        for item in ("int", "float", "complex"):
            self.same(item, item)
            self.file("in.txt", self.NUMBERS[item])
            for sample in ("8", "16", "24", "32", "float", "double"):
                for channels in ("1", "2", "6"):
                    options = ("--in=in.txt", f"--out-sample={sample}", f"--out-channels={channels}")
                    self.compare(item, *options, "--out=OUT.wav", "--out-rate=8000")
                    data = self.compare(item, *options, "--out-format=wav")  # a pipe
                    (self.folder / "in.wav").write_bytes(self.bytes("run.wav"))
                    self.compare(item, "--in=in.wav", "--out-format=text")
                    self.compare(item, "--in=in.wav", "--out=OUT.raw")
                    self.compare(item, "--in-format=wav", "--out-format=text", input=data)
                    self.compare(item, "--in=in.wav", "--out=OUT2.wav")  # as the input is

    def test_numbers(self):
        for item, words in self.NUMBERS.items():
            self.same(item, item)
            self.file("in.txt", words)
            for format in ("text", "npy", "raw", "pcm"):
                if format == "pcm" and item not in ("int", "float", "double", "complex"):
                    continue
                self.compare(item, "--in=in.txt", f"--out=OUT.{format}")
                self.compare(item, f"--in=run.{format}", "--out-format=text")
                data = self.compare(item, "--in=in.txt", f"--out-format={format}")
                self.compare(item, f"--in-format={format}", "--out-format=text", input=data)

    def test_pictures(self):
        for item in ("int", "float", "int[3]"):
            name = item[:3]
            self.same(item, name)
            self.file("in.txt", " ".join(str(k * 37 % 300 - 20) for k in range(36)))
            for options in ((), ("--out-width=4",), ("--out-width=2", "--out-height=3"),
                            ("--out-sample=16",), ("--out-channels=3",)):  # fmt: skip
                self.compare(name, "--in=in.txt", "--out=OUT.pgm", *options)
                self.compare(name, "--in=run.pgm", "--out-format=text")
                self.compare(name, "--in=run.pgm", "--out=OUT2.ppm")
        self.file("plain.pgm", "P2 # grey\n3 2 # size\n1000\n0 500 1000\n1 2 3\nP3 1 1 9 1 2 3")
        self.compare("flo", "--in=plain.pgm", "--out-format=text")
        self.compare("flo", "--in=plain.pgm", "--loop-input", "--limit=20", "--out-format=text")

    def test_structures(self):
        struct_text = "struct Inner { bit b; double d; }\nstruct Point { int x; Inner[2] inner; float2 v; boolean t; }\n"
        self.build(struct_text + self.SAME.format("Point"), "--top=Same", name="point")
        self.file("in.txt", "\n".join(f"{k} 1 {k}.5 0 -{k} 0.25 1e3 true" for k in range(5)))
        self.compare("point", "--in=in.txt", "--out=OUT.raw")
        self.compare("point", "--in=run.raw", "--out-format=text")
        self.same("float[2][3]", "array")
        self.file("in.txt", " ".join(str(k / 4) for k in range(18)))
        for format in ("npy", "raw", "text", "wav"):
            self.compare("array", "--in=in.txt", f"--out=OUT.{format}")
            self.compare("array", f"--in=run.{format}", "--out-format=text")

    def test_arrays_of_other_programs(self):
        self.same("double", "double")
        self.same("complex", "complex")
        for descr, data in ((">i2", struct.pack(">3h", -1, 2, 300)), ("<u8", struct.pack("<3Q", 1, 2, 2**63)),
                            ("|u1", bytes((0, 1, 255))), ("<f2", b"\x00\x3c\x00\xfc\x01\x00"), ("?", bytes((0, 1, 2))),
                            (">f8", struct.pack(">3d", 0.5, -1e300, 3)), ("<c16", struct.pack("<6d", *range(6)))):
            header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (3, 1L), }}"
            self.file("a.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
            self.compare("complex", "--in=a.npy", "--out-format=text")
            self.compare("double", "--in=a.npy", "--out-format=text", fails="c" in descr)

    def test_broken_files(self):
        self.same("int", "int")
        for name, contents in (
            ("a.txt", "1 2 three"), ("a.txt", "1 " + 300 * "9"), ("a.txt", ""), ("a.txt", "# nothing\n"),
            ("a.npy", "no"), ("a.npy", b"\x93NUMPY\x09\x00" + bytes(9)), ("a.pgm", "P7"), ("a.pgm", "P5 0 1 255 "),
            ("a.pgm", "P5 2 2 255 abc"), ("a.pgm", "P2 2 2 9 1 2 10 1"), ("a.pgm", "P2 2 2 70000 1"),
            ("a.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<U4'}"), ("a.npy", b"\x93NUMPY\x01\x00\x0b\x00{'x': False}"),
            ("a.raw", "abc"), ("missing.raw", None),
        ):  # fmt: skip
            if contents is not None:
                self.file(name, contents)
            with self.subTest(name, contents=contents):
                self.compare("int", f"--in={name}", "--out-format=text", fails=True)

    def test_broken_sounds(self):
        self.same("int", "int")
        head = b"RIFF\x00\x00\x00\x00WAVE"
        form = b"fmt \x10\x00\x00\x00" + struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16)
        for contents in (b"RIFX", head, head + form, head + form.replace(b"\x01\x00\x01\x00", b"\x63\x00\x01\x00"),
                         head + b"data\x04\x00\x00\x00abcd"):  # fmt: skip
            self.file("a.wav", contents)
            with self.subTest(contents=contents):
                self.compare("int", "--in=a.wav", fails=True)

    def test_items_that_formats_do_not_hold(self):
        self.same("boolean", "boolean")
        self.file("in.txt", "true false")
        for format in ("wav", "pcm", "pgm"):
            _, err = self.execute("--in=in.txt", f"--out=a.{format}", name="boolean", status=2)
            self.assertIn("files cannot hold items of type 'boolean' [format-item-type]", err)


if __name__ == "__main__":
    unittest.main()
