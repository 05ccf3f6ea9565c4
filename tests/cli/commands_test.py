#!/usr/bin/env python3
"""Each command and option, and each exit status."""

import json
import os
import re
import shutil
import stat
import struct
import subprocess
import unittest
from pathlib import Path

from command import COPY, COUNTER, ENGINE, SECONDS, STRC, TWICE, Case, clean

SPARE = COUNTER + "int->int filter Spare { work pop 1 push 1 { push(pop()); } }\n"


class Run(Case):
    def test_iterations(self):
        self.file("p.str", COUNTER)
        self.assertEqual(self.call("run", "-i", "3", "p.str"), (b"0\n1\n2\n", ""))
        self.assertEqual(self.call("run", "p.str", "--iterations=2")[0], b"0\n1\n")
        self.assertEqual(self.call("run", "-i", "0", "p.str")[0], b"")

    def test_limit(self):
        self.file("p.str", COUNTER)
        self.assertEqual(self.call("run", "--limit", "4", "p.str")[0], b"0\n1\n2\n3\n")

    def test_seconds(self):
        self.file("p.str", COUNTER)
        out, _ = self.call("run", "--seconds", "0.2", "p.str")
        self.assertTrue(out.startswith(b"0\n1\n") and out.endswith(b"\n"))

    def test_several_files_are_one_program(self):
        lines = COUNTER.splitlines(keepends=True)
        self.file("main.str", lines[0])
        self.file("rest.str", "".join(lines[1:]))
        self.assertEqual(self.call("run", "-i", "1", "rest.str", "main.str")[0], b"0\n")

    def test_source_from_standard_input(self):
        self.assertEqual(self.call("run", "-i", "1", "-", input=COUNTER.encode())[0], b"0\n")

    def test_define(self):
        self.file("p.str", COUNTER)
        self.assertEqual(self.call("run", "-i", "2", "-D", "n=7", "p.str")[0], b"0\n7\n")
        _, err = self.call("run", "-D", "m=7", "p.str", status=2)
        self.assertIn("main stream 'Main' has no parameter 'm'", err)
        _, err = self.call("run", "-D", "n=x", "p.str", status=2)
        self.assertIn("[bad-define-value]", err)

    def test_top(self):
        self.file("p.str", COUNTER + "void->void pipeline Other { add Source(3); add Sink; }\n")
        self.assertEqual(self.call("run", "-i", "2", "--top", "Other", "p.str"), (b"0\n3\n", ""))
        self.assertIn("'Main' is never used", self.call("check", "--top=Other", "-Wunused-stream", "p.str")[1])
        _, err = self.call("run", "p.str", status=1)
        self.assertIn("[several-main-streams]", err)
        text = ["--in-format=text", "--out-format=text", "p.str"]
        self.assertEqual(self.call("run", "--top=Clip", "-Dlimit=2", *text, input=b"1 2 3")[0], b"1.0\n2.0\n2.0\n")  # of the library
        _, err = self.call("run", "--top=Gain", *text, status=1, input=b"1")
        self.assertIn("parameter 'factor' of main stream 'Gain' has no value [main-stream-parameter]", err)
        _, err = self.call("run", "--top=Othre", "p.str", status=2)
        self.assertIn("did you mean 'Other'?", err)

    def test_top_with_arguments(self):
        self.file("p.str", "float->float filter Fir(float[_] h, float scale = 1) {\n"
                           "  work pop 1 peek h.length push 1 {\n"
                           "    float sum = 0;\n"
                           "    for (int i = 0; i < h.length; i++) sum += scale * h[i] * peek(i);\n"
                           "    push(sum); pop(); } }\n"
                           "int->int filter Top { int Top_; work pop 1 push 1 { push(pop()); } }\n")
        text = ("--in-format=text", "--out-format=text", "p.str")
        for top, out in (("Fir({1, 2, 1}, scale = 0.5)", b"4.0\n6.0\n"), ("Fir(scale = 2, h = {1})", b"2.0\n4.0\n6.0\n8.0\n"),
                         ("Identity<int>", b"1\n2\n3\n4\n"), ("Top()", b"1\n2\n3\n4\n"),
                         ("pipeline { add Fir({3}); add Fir({2}); }", b"6.0\n12.0\n18.0\n24.0\n")):
            self.assertEqual(self.call("run", "-w", "--top", top, *text, input=b"1 2 3 4")[0], out, top)
        for top, fault in (("Fir({1}, 2, 3)", "[argument-count]"), ("Fir({1}, scal = 2)", "did you mean 'scale'?"),
                           ("Fir({1}", "<top>:2:12: error: "), ("Fri({1})", "did you mean 'Fir'?"),
                           ("Fir(h)", "<top>:2:9: error: ")):
            _, err = self.call("run", "--top", top, *text, status=1)
            self.assertIn(fault, err)
        _, err = self.call("run", "--top=Fir({1})", "-Dscale=2", *text, status=2)
        self.assertIn("main stream 'Top__' has no parameter 'scale'", err)

    def test_top_with_arguments_that_prints(self):
        self.file("p.str", "void->void pipeline Count(int from) {\n"
                           "  add void->int filter { int n = from; work push 1 { push(n++); } };\n"
                           "  add int->void filter { work pop 1 { println(pop()); } }; }\n")
        for engine in ("--interpret", "-O2"):
            self.assertEqual(self.call("run", engine, "-i", "2", "--top", "Count(5)", "p.str"), (b"5\n6\n", ""))

    def test_end_of_input(self):
        self.file("p.str", COPY)
        self.file("in.raw", struct.pack("<3i", 1, 2, 3) + b"\x01")
        left = ("strc: warning: 1 byte left over at the end of 'in.raw', "
                "too few for an item of 4 [bytes-left-over]\n")  # fmt: skip
        self.assertEqual(self.call("run", "p.str"), (b"", left))
        self.assertEqual(self.bytes("out.raw"), struct.pack("<3i", 1, 2, 3))

    def test_loop_input(self):
        self.file("p.str", COPY)
        self.file("in.raw", struct.pack("<2i", 1, 2))
        self.call("run", "--loop-input", "-i", "5", "p.str")
        self.assertEqual(self.bytes("out.raw"), struct.pack("<5i", 1, 2, 1, 2, 1))

    def test_left_over_and_tail(self):
        self.file("p.str", """void->void pipeline Main { add FileReader<int>("in.raw"); add Pairs; }
int->void filter Pairs { work pop 2 { println(pop() + pop()); } }
""")
        self.file("in.raw", struct.pack("<3i", 1, 2, 3))
        out, err = self.call("run", "p.str")
        self.assertEqual(out, b"3\n")
        self.assertEqual(err, "strc: warning: 1 item left over at the end of 'in.raw' [input-left-over]\n")
        self.assertEqual(self.call("run", "--tail=pad", "p.str"), (b"3\n3\n", ""))

    def test_print_format(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Sink; }
void->float filter Source { work push 1 { push(0.1); } }
float->void filter Sink { work pop 1 { println(pop()); } }
""")
        self.assertEqual(self.call("run", "-i1", "p.str")[0], b"0.1\n")
        self.assertEqual(self.call("run", "-i1", "--print-format=c", "p.str")[0], b"0.100000\n")

    def test_lenient(self):
        self.file("p.str", COUNTER + "int->int filter Broken { work pop 1 push 1 { push(nothing); } }\n")
        self.call("run", "-i1", "p.str", status=1)
        out, err = self.call("run", "-i1", "--lenient", "p.str")
        self.assertEqual(out, b"0\n")
        self.assertIn("warning: unknown variable 'nothing'", err)

    def test_lenient_warns_once(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Some; add Sink; }
void->int stateful filter Source { int n; work push 2 { push(n++); push(n++); } }
int->int filter Some { work pop 2 push 1 { push(pop()); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        out, err = self.call("run", "-i3", "--lenient", "p.str")
        self.assertEqual(out, b"0\n2\n4\n")
        self.assertEqual(err.count("[pop-rate-violated]"), 1, err)

    def test_lenient_rates_have_no_plan(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Some; add Sink; }
void->int stateful filter Source { int n; work push 2 { push(n++); push(n++); } }
int->int filter Some { work pop 2 push 1 { push(pop()); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        for command in (["build", "-o", "p"], ["check", "--emit=plan"]):
            _, err = self.call(*command, "--lenient", "p.str", status=1)
            self.assertIn("[cannot-compile]", err)
        self.assertFalse((self.folder / "p").exists())

    def test_step_limit(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { int n; init { while (n < 10) n = n * 2; } work push 1 { push(n); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        _, err = self.call("run", "--step-limit=1000", "p.str", status=1)
        self.assertIn("p.str:2:", err)
        self.assertIn("'init' of 'Source' takes more than 1000 steps", err)
        self.assertIn("in instance Main.Source", err)
        self.assertIn("[step-limit]", err)

    def test_step_limit_of_work_on_large_arrays(self):
        arrays = "while (true) { int[60000000] a; a[1] = 1; }"
        # Steps of `work` are counted by the interpreter alone; an executable has no such option.
        for init, work in ((arrays, ""), ("", arrays))[: 1 if ENGINE == "executable" else 2]:
            self.file("p.str", """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { init { %s }
work push 1 { %s push(1); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""" % (init, work))
            _, err = self.call("run", "--step-limit=1000000", "p.str", status=1)
            self.assertIn("p.str:%d:" % (2 if init else 3), err)
            self.assertIn("of 'Source' takes more than 1000000 steps [step-limit]", err)

    def test_array_files(self):
        for folder in ("one", "two"):
            (self.folder / folder).mkdir()
        self.file("one/numbers", "1\n")
        self.file("two/numbers", "2\n")
        sink = "int->void filter Sink { work pop 1 { println(pop()); } }\n"
        text = """void->int filter %s { int[1] a = init_array_1D_int("numbers", 1); work push 1 { push(a[0]); } }
"""
        self.file("one/a.str", text % "A" + sink + """void->void pipeline Main { add S; add Sink; }
void->int splitjoin S { split roundrobin; add A; add B; join roundrobin; }
""")
        self.file("two/b.str", text % "B")
        # beside the source that asks, whatever the order
        self.assertEqual(self.call("run", "-i1", "one/a.str", "two/b.str")[0], b"1\n2\n")
        self.assertEqual(self.call("run", "-i1", "two/b.str", "one/a.str")[0], b"1\n2\n")
        # the working directory comes first
        self.file("numbers", "3\n")
        self.assertEqual(self.call("run", "-i1", "two/b.str", "one/a.str")[0], b"3\n3\n")
        # sources without a folder, or without a name
        alone = text % "A" + sink + "void->void pipeline Main { add A; add Sink; }"
        self.file("alone.str", alone)
        self.assertEqual(self.call("run", "-i1", "alone.str")[0], b"3\n")
        self.assertEqual(self.call("run", "-i1", "-", input=alone.encode())[0], b"3\n")
        (self.folder / "numbers").unlink()
        for name in ("alone.str", "-"):
            _, err = self.call("run", "-i1", name, input=alone.encode(), status=1)
            self.assertIn("cannot open array file 'numbers': no such file here or beside the source", err)
        # a file without end
        self.file("alone.str", alone.replace("numbers", "/dev/zero"))
        _, err = self.call("run", "-i1", "alone.str", status=1)
        self.assertIn("cannot open array file '/dev/zero': it has more than 268435456 bytes", err)

    def test_interpret_schedule_and_stats(self):
        self.file("p.str", COUNTER)
        self.assertEqual(self.call("run", "-i1", "--interpret", "--schedule=latency", "p.str"), (b"0\n", ""))
        out, err = self.call("run", "-i3", "--stats", "p.str")
        self.assertEqual(out, b"0\n1\n2\n")
        self.assertRegex(err, r"^3 steady states, 6 firings, [0-9.]+ s\n$")

    def test_stats_count_what_a_limit_let_through(self):
        self.file("p.str", COUNTER)
        for limit in (1, 3, 1000):
            out, err = self.call("run", "--stats", "--limit=%d" % limit, "p.str")
            self.assertEqual(len(out.splitlines()), limit)
            self.assertRegex(err, r"^%d steady states, %d firings, " % (limit - 1, 2 * limit - 2))
        self.file("p.str", TWICE)
        _, err = self.call("run", "--stats", "--limit=7", "--top=Twice", "p.str", input=bytes(4000))
        self.assertRegex(err, r"^[67] steady states, .*; 7 items written \(.*/s\)\n$")

    def test_prints_while_the_graph_is_built_leave_items_alone(self):
        self.file("p.str", 'int->int pipeline Main { println("built"); add Identity<int>(); }\n')
        out, err = self.call("run", "-w", "--top", "Main", "p.str", input=b"\1\0\0\0")
        self.assertEqual(out, b"\1\0\0\0")
        self.assertIn("built\n", err)

    def test_a_limit_ends_all_outputs_alike(self):
        self.file("p.str", """void->void pipeline Main { add IntRamp; add Tap; }
int->void splitjoin Tap { split duplicate; add FileWriter<int>("tap.raw"); add IntPrint; join roundrobin(0); }
""")
        for engine in ((), ("--interpret",)) if ENGINE != "executable" else ((),):
            self.call("run", "--limit=4", *engine, "p.str")
            self.assertEqual((self.folder / "tap.raw").stat().st_size, 16, engine)

    def test_faults_of_files_have_a_place(self):
        source = "void->void pipeline Main { add IntRamp;\nadd FileWriter<int>(\"/dev/full\"); }\n"
        reader = "void->void pipeline Main {\nadd CsvReader<float>(\"in.csv\"); add Print; }\n"
        self.file("in.csv", "1 2 3\nq")
        for text, fault in ((source, "cannot write '/dev/full'"), (reader, "'in.csv' is not a valid text file")):
            self.file("p.str", text)
            for engine in ((), ("--interpret",)) if ENGINE != "executable" else ((),):
                _, err = self.call("run", *engine, "p.str", status=1)
                self.assertIn(fault, err)
                self.assertIn("p.str:2:", err)
                self.assertIn("in instance Main.", err)

    def test_a_file_is_read_or_written(self):
        self.file("in.raw", bytes(400))
        (self.folder / "link.raw").symlink_to("in.raw")
        for name in ("in.raw", "link.raw"):
            self.file("p.str", COPY.replace("out.raw", name))
            for engine in ((), ("--interpret",)) if ENGINE != "executable" else ((),):
                _, err = self.call("run", *engine, "p.str", status=1)
                self.assertIn("p.str:1:", err)
                self.assertIn(f"'{name}' cannot be written here, since Main.FileReader reads it", err)
        self.assertEqual((self.folder / "in.raw").read_bytes(), bytes(400))

    def test_options_without_values(self):
        self.file("p.str", COUNTER)
        for word in ("--limit=", "--top="):
            _, err = self.call("run", word, "p.str", status=2)
            said = ("there is no value after", "required N missing")  # the latter by executables
            self.assertTrue(any(each in err for each in said), err)
        self.call("run", "--interpret=no", "p.str", status=2)

    def test_stats_count_items(self):
        self.file("p.str", COPY)
        self.file("in.raw", bytes(40))
        _, err = self.call("run", "--stats", "p.str")
        self.assertRegex(err, r"; 10 items read \(.*/s\); 10 items written \(.*/s\)\n$")

    def test_fault_of_the_run(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Sink; }
void->int stateful filter Source { int n = 2; work push 1 { n--; push(6 / n); } }
int->void filter Sink { work pop 1 { println(pop()); } }
""")
        out, err = self.call("run", "-i", "5", "p.str", status=1)
        self.assertEqual(out, b"6\n")
        self.assertIn("p.str:2:", err)
        self.assertIn("[division-by-zero]", err)
        self.assertIn("Main.Source", err)

    def test_without_checks(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Sink; }
void->int filter Source { work push 1 { push(7); } }
int->void filter Sink { int n; work pop 2 { println(pop()); n++; if (n > 1) pop(); } }
""")
        out, err = self.call("run", "-i", "2", "p.str", status=1)
        self.assertEqual(out, b"7\n")
        self.assertIn("[pop-rate-violated]", err)
        self.assertEqual(self.call("run", "-i", "2", "--check", "none", "p.str"), (b"7\n7\n", ""))

    def test_endless_recursion_without_checks(self):
        self.file("p.str", """void->void pipeline Main { add Source; add IntPrint; }
void->int filter Source {
    int f(int n) { if (n < 0) return 0; return f(n + 1) + 1; }
    work push 1 { push(f(1)); }
}
""")
        out, err = self.call("run", "-i", "1", "--check", "none", "p.str", status=1)
        self.assertEqual(out, b"")
        self.assertIn("p.str:3:", err)
        self.assertIn("[stack-overflow]", err)

    def test_library_folder(self):
        (self.folder / "lib").mkdir()
        self.file("lib/a.str", "int->int filter Negate { work pop 1 push 1 { push(-pop()); } }\n")
        self.file("p.str", COUNTER.replace("add Sink;", "add Negate; add Sink;"))
        self.assertEqual(self.call("run", "-i2", "--stdlib", "lib", "p.str")[0], b"0\n-1\n")
        self.call("run", "-i2", "--stdlib", "nowhere", "p.str", status=1)


class Open(Case):
    """A stream with data sides over standard input and output, or files."""

    def setUp(self):
        super().setUp()
        self.file("twice.str", TWICE)
        self.words = struct.pack("<3i", 1, 2, 3)
        self.doubled = struct.pack("<3i", 2, 4, 6)

    def test_standard_streams_are_raw(self):
        self.assertEqual(self.call("run", "--top", "Twice", "twice.str", input=self.words), (self.doubled, ""))

    def test_files(self):
        self.file("a.raw", self.words)
        self.call("run", "--top=Twice", "--in=a.raw", "--out=b.raw", "twice.str")
        self.assertEqual(self.bytes("b.raw"), self.doubled)

    def test_formats_by_name_and_option(self):
        self.file("a.txt", "1 2 # two\n3\n")
        self.call("run", "--top=Twice", "--in=a.txt", "--out=b.npy", "twice.str")
        self.call("run", "--top=Twice", "--in=b.npy", "--out=c.wav", "--out-rate=8000", "twice.str")
        out, _ = self.call("run", "--top=Twice", "--in=c.wav", "--out-format=text", "twice.str")
        self.assertEqual(out, b"8\n16\n24\n")
        out, _ = self.call("run", "--top=Twice", "--in-format=text", "--out-format=csv", "twice.str", input=b"5,6")
        self.assertEqual(out, b"10\n12\n")

    def test_sound_is_like_its_input(self):
        data = struct.pack("<4h", 1, 2, 3, 4)
        header = struct.pack("<4sI8sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVEfmt ", 16, 1, 2, 11025, 44100, 4, 16,
                             b"data", len(data))
        self.file("a.wav", header + data)
        self.call("run", "--top=Twice", "--in=a.wav", "--out=b.wav", "twice.str")
        self.assertEqual(self.bytes("b.wav"), header + struct.pack("<4h", 2, 4, 6, 8))

    def test_channels_stay_together(self):
        """Items of two samples are frames of a WAV file with two channels."""
        self.file("swap.str", """float[2]->float[2] filter Swap {
    work pop 1 push 1 { float[2] x = pop(); float[2] y = {x[1], x[0]}; push(y); }
}
int->int filter Left { work pop 2 push 1 { push(pop()); pop(); } }
int[2]->int filter First { work pop 1 push 1 { int[2] x = pop(); push(x[0]); } }
""")
        data = struct.pack("<6h", 1, -1, 2, -2, 3, -3)
        header = struct.pack("<4sI8sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVEfmt ", 16, 1, 2, 8000, 32000, 4, 16,
                             b"data", len(data))
        self.file("a.wav", header + data)
        self.call("run", "--top=Swap", "--in=a.wav", "--out=b.wav", "swap.str")
        self.assertEqual(self.bytes("b.wav"), header + struct.pack("<6h", -1, 1, -2, 2, -3, 3))
        for top in ("Left", "First"):
            self.call("run", f"--top={top}", "--in=a.wav", "--out=c.wav", "--out-channels=1", "swap.str")
            self.assertEqual(self.bytes("c.wav")[22:26], struct.pack("<HH", 1, 8000))
            self.assertEqual(self.bytes("c.wav")[44:], struct.pack("<3h", 1, 2, 3))

    def test_every_format_on_both_sides(self):
        """What is written is read again, through files and through pipes."""
        for item, words in (("int", "-1 0 1 255 70 7"), ("float", "-0.5 0.25 0.5 -0.25 0.0 0.75")):
            self.file("same.str", f"{item}->{item} filter Same {{ work pop 1 push 1 {{ push(pop()); }} }}")
            self.file("a.txt", words)
            lines = "".join(word + "\n" for word in words.split()).encode()
            for name in ("raw", "wav", "npy", "text", "pcm", "png", "pgm"):
                if name in ("png", "pgm"):  # these are never negative
                    positive = words.replace("-", "").replace("0.", "") if item == "float" else words.replace("-", "")
                    self.file("a.txt", positive)
                    values = [float(word) if item == "float" else word for word in positive.split()]
                    lines = "".join(f"{value}\n" for value in values).encode()
                with self.subTest(item, format=name):
                    same = ("run", "--top=Same")
                    self.call(*same, "--in=a.txt", f"--out=b.{name}", "--out-width=3", "same.str")
                    out, _ = self.call(*same, f"--in=b.{name}", "--out-format=text", "same.str")
                    self.assertEqual(out, lines)
                    piped, _ = self.call(*same, f"--in=b.{name}", f"--out-format={name}", "same.str")
                    out, _ = self.call(*same, f"--in-format={name}", "--out-format=text", "same.str", input=piped)
                    self.assertEqual(out, lines)

    def test_pictures_that_are_damaged_or_full(self):
        self.file("a.txt", "1 2 3 4 5 6")
        self.file("same.str", "int->int filter Same { work pop 1 push 1 { push(pop()); } }")
        for name, kind, why in (("png", "PNG", "it ends too early"), ("jpg", "JPEG", "Premature end of JPEG file")):
            words = ("run", "--top=Same", "--out-width=3", "same.str")
            self.call(*words, "--in=a.txt", f"--out=b.{name}")
            self.file(f"b.{name}", self.bytes(f"b.{name}")[:-14])
            out, err = self.call(*words, f"--in=b.{name}", "--out=c.txt", status=1)
            self.assertIn(f"'b.{name}' is not a valid {kind} file: {why} [malformed-input]", err)
            self.assertFalse((self.folder / "c.txt").exists())
            _, err = self.call(*words, "--in=a.txt", f"--out=d.{name}", "--out-height=1", status=1)
            self.assertIn(f"cannot write 'd.{name}': the image is full, and more items come", err)
            _, err = self.call(*words, "--in=a.txt", f"--out=d.{name}", "--out-channels=5", status=1)
            samples = "1 to 4" if name == "png" else "1 or 3"
            self.assertIn(f"cannot write 'd.{name}': pixels have {samples} samples in this format, not 5", err)

    def test_image_is_like_its_input(self):
        self.file("a.pgm", b"P5 3 2 255 \x01\x02\x03\x04\x05\x06")
        self.call("run", "--top=Twice", "--in=a.pgm", "--out=b.pgm", "twice.str")
        self.assertEqual(self.bytes("b.pgm"), b"P5\n3 2\n255\n\x02\x04\x06\x08\x0a\x0c")
        self.call("run", "--top=Twice", "--in=a.pgm", "--out=b.pgm", "--out-width=6", "twice.str")
        self.assertEqual(self.bytes("b.pgm"), b"P5\n6 1\n255\n\x02\x04\x06\x08\x0a\x0c")

    def test_limit_counts_items(self):
        out, _ = self.call("run", "--top=Twice", "--limit=2", "twice.str", input=self.words)
        self.assertEqual(out, self.doubled[:8])

    def test_prints_go_to_standard_error(self):
        self.file("p.str", "int->int filter P { work pop 1 push 1 { println(peek(0)); push(pop()); } }\n")
        self.assertEqual(self.call("run", "--top=P", "p.str", input=self.words), (self.words, "1\n2\n3\n"))
        self.assertEqual(self.call("run", "--top=P", "--out=o.raw", "p.str", input=self.words), (b"1\n2\n3\n", ""))

    def test_sources_and_sinks(self):
        self.file("p.str", COUNTER)
        out, _ = self.call("run", "--top=Source", "-Dn=2", "-i3", "--out-format=text", "p.str")
        self.assertEqual(out, b"0\n2\n4\n")
        out, _ = self.call("run", "--top=Sink", "--in-format=text", "p.str", input=b"4\n5\n")
        self.assertEqual(out, b"4\n5\n")

    def test_faults(self):
        self.file("empty.raw", b"")
        self.file("words.txt", "one\n")
        top = ("run", "--top=Twice")
        for words, status, text in (
            (("--in=none.raw",), 1, "cannot open 'none.raw': No such file or directory"),
            (("--in=.",), 1, "cannot open '.': Is a directory"),
            (("--in=empty.raw",), 1, "input file 'empty.raw' holds no items"),
            ((), 1, "input file 'standard input' holds no items"),
            (("--in=words.txt",), 1, "'words.txt' is not a valid text file: line 1: 'one' is not an int"),
            (("--in=twice.str",), 2, "the format of 'twice.str' is not known"),
            (("--out=no/such/file.raw",), 1, "cannot write 'no/such/file.raw': No such file or directory"),
            (("--in=words.txt", "--out=words.txt"), 2, "exclude each other"),
        ):
            with self.subTest(words):
                out, err = self.call(*top, *words, "twice.str", status=status)
                self.assertIn(text, err)
                self.assertEqual(out, b"")
        self.assertEqual(self.bytes("words.txt"), b"one\n")
        _, err = self.call("run", "--top=Twice", "-", input=TWICE.encode(), status=2)
        self.assertIn("source file '-' and input from standard input exclude each other", err)

    def test_bytes_that_are_no_item(self):
        def left(number, file):
            return (f"strc: warning: {number} left over at the end of '{file}', "
                    "too few for an item of 4 [bytes-left-over]\n")  # fmt: skip

        self.file("six.raw", b"\1\0\0\0ab")
        self.file("three.raw", b"abc")
        hint = "note: '--in-format' says what else it holds than raw items\n"
        empty = "strc: error: input file '{}' holds no items [empty-input]\n"
        for engine in (), ("--interpret",):
            run = "run", *engine, "--top=Twice", "--out-format=text", "twice.str"
            with self.subTest(engine):
                stdin = "standard input"
                out = self.call(*run, input=b"\1\0\0\0ab")
                self.assertEqual(out, (b"2\n", left("2 bytes", stdin) + hint))
                out = self.call(*run, "--in=six.raw")
                self.assertEqual(out, (b"2\n", left("2 bytes", "six.raw") + hint))
                out = self.call(*run, "--in-format=raw", input=b"\1\0\0\0a")
                self.assertEqual(out, (b"2\n", left("1 byte", stdin)))
                out = self.call(*run, input=b"abc", status=1)
                self.assertEqual(out, (b"", empty.format(stdin) + left("3 bytes", stdin) + hint))
                out = self.call(*run, "--in=three.raw", status=1)
                self.assertEqual(out, (b"", empty.format("three.raw") + left("3 bytes", "three.raw") + hint))
                self.assertEqual(self.call(*run, "-i1", "--in=six.raw"), (b"2\n", ""))
                self.assertEqual(self.call(*run, "-Wno-bytes-left-over", "--in=six.raw"), (b"2\n", ""))

    def test_samples_that_are_no_item(self):
        """The same of samples without a header, from files and pipes, by the compiler and by executables."""
        def left(number, file, size):
            return f"warning: {number} left over at the end of '{file}', too few for an item of {size} [bytes-left-over]\n"

        programs = {item: f"{item}->{item} filter Same {{ work pop 1 push 1 {{ push(pop()); }} }}\n" for item in ("complex", "float[3]", "float")}
        for item, cases in (
            ("complex", (("cu8", 5, "1 byte", 2), ("cs8", 3, "1 byte", 2), ("cs16", 10, "2 bytes", 4), ("cf32", 15, "7 bytes", 8), ("pcm", 7, "3 bytes", 4))),
            ("float[3]", (("u8", 8, "2 bytes", 3), ("pcm", 11, "5 bytes", 6))),
            ("float", (("pcm", 5, "1 byte", 2), ("s8", 5, None, 1))),
        ):
            self.file("p.str", programs[item])
            self.call("build", "--top=Same", "p.str")
            for form, size, bytes_left, each in cases:
                name = f"a.{form}"
                self.file(name, bytes(size))
                for command in ([STRC, "run", "--interpret", "--top=Same", "p.str"], [STRC, "run", "--no-interpret", "--top=Same", "p.str"], ["./p"]):
                    for words, source, shown in (([f"--in={name}"], b"", name), ([f"--in-format={form}"], bytes(size), "standard input")):
                        with self.subTest(item=item, form=form, command=command, shown=shown):
                            done = subprocess.run([*command, "--out=o.raw", *words], cwd=self.folder, capture_output=True,
                                                  input=source, env=clean(), timeout=SECONDS)  # fmt: skip
                            speaker = "p" if command == ["./p"] else "strc"
                            wanted = f"{speaker}: {left(bytes_left, shown, each)}" if bytes_left else ""
                            self.assertEqual((done.returncode, done.stderr.decode()), (0, wanted))

    def test_items_that_a_format_cannot_hold(self):
        self.file("p.str", "struct P { int x; float y; }\nP->P filter Same { work pop 1 push 1 { push(pop()); } }\n")
        _, err = self.call("run", "--top=Same", "--out=o.wav", "p.str", input=self.words, status=2)
        self.assertIn("WAV files cannot hold items of type 'P'", err)
        self.assertFalse((self.folder / "o.wav").exists())


class Check(Case):
    def test_says_nothing_if_all_is_well(self):
        self.file("p.str", COUNTER)
        self.assertEqual(self.call("check", "p.str"), (b"", ""))

    def test_does_not_run(self):
        self.file("p.str", COPY)
        self.call("check", "p.str")
        self.assertFalse((self.folder / "out.raw").exists())

    def test_files_that_are_no_programs(self):
        self.file("garbage.str", os.urandom(3000))
        self.file("zeros.str", bytes(1000))
        self.file("empty.str", "")
        for words, text in ((("none.str",), "cannot open 'none.str': No such file or directory"),
                            ((".",), "cannot open '.': Is a directory"),
                            (("garbage.str",), "garbage.str:1:"),
                            (("zeros.str",), "zeros.str:1:"),
                            (("empty.str",), "[no-main-stream]")):
            with self.subTest(words):
                out, err = self.call("check", *words, status=1)
                self.assertIn(text, err)
                self.assertEqual(out, b"")

    def test_warnings(self):
        self.file("p.str", SPARE)
        _, err = self.call("check", "p.str")
        self.assertIn("p.str:4:17: warning: stream 'Spare' is never used [unused-stream]\n", err)
        for words in (("-w",), ("-Wno-unused-stream",), ("-Wno-all",), ("-Wall", "-Wno-unused-stream")):
            self.assertEqual(self.call("check", *words, "p.str")[1], "", words)
        for words in (("-Werror",), ("-Werror=unused-stream",), ("-Werror=all",)):
            self.assertIn("error: stream 'Spare'", self.call("check", *words, "p.str", status=1)[1], words)
        _, err = self.call("check", "-Wnonsense", "p.str", status=2)
        self.assertIn("no diagnostic is called 'nonsense'", err)
        for word in ("-Wunused-steam", "-Wno-unused-steam", "-Werror=unused-steam"):
            _, err = self.call("check", word, "p.str", status=2)
            self.assertIn("no diagnostic is called 'unused-steam'", err)
            self.assertIn("did you mean 'unused-stream'?", err)

    def test_json(self):
        self.file("p.str", SPARE + "int->int filter Broken { work pop 1 push 1 { push(nothing); } }\n")
        _, err = self.call("check", "--diagnostics=json", "p.str", status=1)
        found = [json.loads(line) for line in err.splitlines()]
        self.assertEqual([d["code"] for d in found if d["severity"] == "error"], ["unknown-variable"])
        start = [d for d in found if d["severity"] == "error"][0]["range"]["start"]
        self.assertEqual((start["line"], start["column"]), (5, 51))

    def test_json_of_a_wrong_call(self):
        for words in (("check", "--diagnostics=json", "--nonsense"), ("check", "--diagnostics", "json", "none.str"),
                      ("explain", "--diagnostics=json", "nonsense"), ("run", "-i", "x", "--diagnostics=json", "p")):
            process = self.start(*words)
            _, err = process.communicate()
            self.assertIn(process.returncode, (1, 2))
            for line in err.decode().splitlines():
                self.assertEqual(json.loads(line)["severity"], "error")

    def test_colours(self):
        self.file("p.str", "x")
        self.assertNotIn("\x1b", self.call("check", "p.str", status=1)[1])
        self.assertNotIn("\x1b", self.call("check", "--color=never", "p.str", status=1)[1])
        self.assertIn("\x1b[", self.call("check", "--color=always", "p.str", status=1)[1])
        self.assertIn("\x1b[", self.call("check", "--colour", "always", "p.str", status=1)[1])

    def test_emit(self):
        self.file("p.str", COUNTER)
        for stage, text in (("ast", b"Source"), ("ir", b"filter Sink int->void {"), ("graph", b"filter Sink pop 1"),
                            ("schedule", b"Main.Source -> Main.Sink"), ("program", b"\nprogram\nkernel "),
                            ("plan", b"Main.Sink from 0")):
            out, err = self.call("check", "--emit", stage, "p.str")
            self.assertIn(text, out)
            self.assertEqual(err, "")
            self.assertEqual(self.call("run", f"--emit={stage}", "-o", "o.txt", "p.str"), (b"", ""))
            self.assertEqual(self.bytes("o.txt"), out)
        self.call("check", "--emit=ast", "-o", "no/such", "p.str", status=1)
        _, err = self.call("check", "--emit=code", "p.str", status=2)
        self.assertIn("ast, ir, graph, schedule, program, plan, llvm, asm, obj or c", err)

    def test_code_that_cannot_be_made_is_not_shown(self):
        self.file("p.str", """void->void pipeline Main { add Source; add Sink; }
void->float filter Source { work push 1 { float[2] a = init_array_1D_float("a.txt", 2); push(a[0]); } }
float->void filter Sink { work pop 1 { println(pop()); } }
""")
        for stage in ("llvm", "asm"):
            out, err = self.call("check", f"--emit={stage}", "p.str", status=1)
            self.assertEqual(out, b"")
            self.assertIn("a filter reads an array while it runs [cannot-compile]", err)

    LOOKS_AHEAD = """int->int filter Main {
    prework pop 1 peek 3 push 1 { push(peek(2)); pop(); }
    work pop 1 push 1 { push(pop()); }
}
"""

    def test_emit_of_a_program_without_a_plan(self):
        self.file("p.str", self.LOOKS_AHEAD)
        out, err = self.call("check", "--emit=plan", "--top=Main", "p.str", status=1)
        self.assertEqual(out, b"")
        self.assertIn("p.str:1:1: error: the program cannot be compiled yet: its first firing", err)

    def test_what_cannot_be_compiled_is_interpreted_or_refused(self):
        self.file("p.str", self.LOOKS_AHEAD)
        words = ["run", "--top=Main", "--in-format=text", "--out-format=text", "p.str"]
        out, _ = self.call(*words, input=b"1 2 3 4")
        self.assertEqual(out.split(), [b"3", b"2", b"3", b"4"])
        out, err = self.call(*words, "--no-interpret", input=b"1 2 3 4", status=1)
        self.assertEqual(out, b"")
        self.assertIn("[cannot-compile]", err)
        self.file("q.str", COUNTER)
        for option in "--lenient", "--step-limit=100000":
            _, err = self.call("run", "-i1", "--no-interpret", option, "q.str", status=1)
            self.assertIn("[cannot-compile]", err)
        _, err = self.call("run", "--interpret", "--no-interpret", "q.str", status=2)
        self.assertIn("exclude each other", err)

    def test_emitted_code_begins_with_the_program(self):
        self.file("p.str", "void->void pipeline Main { add IntRamp; add Nothing; }\n"
                           "int->void filter Nothing { work pop 1 { pop(); } }\n")
        out, _ = self.call("check", "--emit=ir", "p.str")
        streams = re.findall(r"^(?:filter|pipeline|splitjoin|feedbackloop) (\S+)", out.decode(), re.M)
        self.assertEqual(streams, ["Main", "Nothing", "IntRamp"])

    def test_emit_of_a_broken_program(self):
        self.file("p.str", "void->void pipeline Main { add Nobody; }\n")
        self.assertIn(b"Nobody", self.call("check", "--emit=ast", "p.str")[0])
        self.assertEqual(self.call("check", "--emit=ir", "p.str", status=1)[0], b"")


class GraphAndSchedule(Case):
    def test_schedule(self):
        self.file("p.str", COUNTER)
        out, err = self.call("schedule", "p.str")
        self.assertIn(b"steady: 2 firings\n", out)
        self.assertEqual(err, "")
        self.call("schedule", "--schedule=single-appearance", "-o", "s.txt", "p.str")
        self.assertIn(b"init: 0 firings\n", self.bytes("s.txt"))

    def test_formats(self):
        self.file("p.str", COUNTER)
        self.assertTrue(self.call("graph", "p.str")[0].startswith(b"digraph"))
        json.loads(self.call("graph", "--format=json", "p.str")[0])
        self.assertIn(b"pipeline Main", self.call("graph", "--format", "txt", "p.str")[0])
        self.assertEqual(self.call("check", "--emit=graph", "p.str"), self.call("graph", "--format", "txt", "p.str"))
        self.call("graph", "-o", "g.json", "p.str")
        json.loads(self.bytes("g.json"))
        self.call("graph", "-o", "g.dot", "--no-fold", "p.str")
        self.assertTrue(self.bytes("g.dot").startswith(b"digraph"))
        _, err = self.call("graph", "-o", "g.bmp", "p.str", status=2)
        self.assertIn("the format of 'g.bmp' is not known", err)

    def test_large_graphs_are_folded(self):
        self.file("p.str", """void->void pipeline Main { add IntRamp; for (int i = 0; i < 10; i++) add Wide; add IntPrint; }
int->int splitjoin Wide { split roundrobin; for (int i = 0; i < 1000; i++) add Inc; join roundrobin; }
int->int filter Inc { work pop 1 push 1 { push(pop() + 1); } }
""")
        out, _ = self.call("graph", "p.str")
        self.assertLess(len(out), 2000)
        self.assertIn("Wide \u00d7 10 in a row", out.decode())
        self.assertIn("Inc \u00d7 1000", out.decode())
        graph = json.loads(self.call("graph", "--format=json", "p.str")[0])
        self.assertEqual((len(graph["nodes"]), len(graph["edges"])), (10022, 20011))
        self.assertEqual(self.call("graph", "--format=txt", "p.str")[0].count(b"filter Inc"), 10000)
        self.assertEqual(self.call("graph", "--no-fold", "p.str")[0].count(b"Inc"), 10000)
        if shutil.which("dot"):
            svg, _ = self.call("graph", "--format=svg", "p.str")
            self.assertLess(len(svg), 20000)
            self.assertIn("Inc \u00d7 1000", svg.decode().replace("&#215;", "\u00d7"))

    def test_svg_needs_a_tool(self):
        self.file("p.str", COUNTER)
        _, err = self.call("graph", "--format=svg", "p.str", status=1, env={"PATH": "/nowhere"})
        self.assertIn("needs 'dot', which is not installed", err)
        (self.folder / "bin").mkdir()
        tool = self.file("bin/dot", "#!/bin/sh\nexec /bin/sed s/digraph/drawn/\n")
        tool.chmod(0o755)
        out, _ = self.call("graph", "--format=svg", "p.str", env={"PATH": str(self.folder / "bin")})
        self.assertTrue(out.startswith(b"drawn"))
        tool.write_text("#!/bin/sh\necho 'bad luck' >&2\nexit 3\n")
        _, err = self.call("graph", "--format=svg", "p.str", status=1, env={"PATH": str(self.folder / "bin")})
        self.assertIn("bad luck", err)

    def test_broken_programs(self):
        self.file("p.str", "void->void pipeline Main { add Nobody; }\n")
        for command in ("graph", "schedule"):
            self.assertEqual(self.call(command, "p.str", status=1)[0], b"")


class Fmt(Case):
    UGLY = "void->void pipeline Main{add A ;// why\n}\n"

    def setUp(self):
        super().setUp()
        self.file("ugly.str", self.UGLY)
        self.neat = self.call("fmt", "ugly.str")[0]

    def test_prints(self):
        self.assertIn(b"// why", self.neat)
        self.assertNotEqual(self.neat, self.UGLY.encode())
        self.assertEqual(self.bytes("ugly.str"), self.UGLY.encode())
        self.assertEqual(self.call("fmt", "-", input=self.UGLY.encode())[0], self.neat)

    def test_check(self):
        self.file("neat.str", self.neat)
        self.assertEqual(self.call("fmt", "--check", "neat.str", "ugly.str", status=1), (b"ugly.str\n", ""))
        self.assertEqual(self.call("fmt", "--check", "neat.str"), (b"", ""))

    def test_write(self):
        path = self.folder / "ugly.str"
        path.chmod(0o640)
        os.symlink("ugly.str", self.folder / "link.str")
        for option in ("--write", "-i"):
            self.assertEqual(self.call("fmt", option, "link.str"), (b"", ""))
        self.assertEqual(path.read_bytes(), self.neat)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
        self.assertTrue((self.folder / "link.str").is_symlink())
        self.assertEqual(sorted(os.listdir(self.folder)), ["link.str", "ugly.str"])

    def test_an_unchanged_file_is_not_touched(self):
        path = self.file("neat.str", self.neat)
        os.utime(path, (1, 1))
        self.call("fmt", "--write", "neat.str")
        self.assertEqual(path.stat().st_mtime, 1)

    def test_what_is_no_program_stays(self):
        self.file("bad.str", "void->void pipeline Main { add ; }")
        out, err = self.call("fmt", "--write", "bad.str", "ugly.str", status=1)
        self.assertEqual(out, b"")
        self.assertIn("bad.str:1:", err)
        self.assertEqual(self.bytes("bad.str"), b"void->void pipeline Main { add ; }")
        self.assertEqual(self.bytes("ugly.str"), self.neat)
        self.call("fmt", "none.str", status=1)


class Explain(Case):
    def test_page(self):
        out, err = self.call("explain", "deadlock")
        self.assertTrue(out.startswith(b"deadlock (error)\n  <kind of stream> '<name>' deadlocks: '<stream>' waits "))
        self.assertEqual(err, "")
        out, _ = self.call("explain", "deadlock", "unused-stream")
        self.assertIn(b"\nunused-stream (warning)\n", out)

    def test_list(self):
        names = [line.split()[0] for line in self.call("explain")[0].decode().splitlines()]
        self.assertIn("deadlock", names)
        self.assertGreater(len(names), 150)
        self.assertNotIn(b"{", self.call("explain")[0])
        for name in (names[0], names[-1]):
            self.call("explain", name)

    def test_unknown(self):
        _, err = self.call("explain", "dead-lock", status=2)
        self.assertIn("did you mean 'deadlock'?", err)


class Calls(Case):
    def test_version(self):
        self.assertRegex(self.call("version")[0], rb"^strc \d+\.\d+\.\d+\n$")
        self.assertEqual(self.call("--version"), self.call("version"))

    def test_help(self):
        out, err = self.call("--help")
        self.assertEqual(err, "")
        self.assertEqual(self.call()[0], out)
        self.file("same.str", "int->int filter Same { work pop 1 push 1 { push(pop()); } }")
        self.call("build", "--top=Same", "same.str")
        program = subprocess.run(["./same", "--help"], cwd=self.folder, capture_output=True, check=True)
        helps = [program.stdout.decode()]
        for command in ("run", "live", "build", "check", "graph", "schedule", "fmt", "opt", "explain", "repl", "controls", "completion",
                        "man", "version"):
            self.assertIn(command.encode(), out)
            help_text, _ = self.call(command, "--help")
            self.assertTrue(f"Usage: strc {command} ".encode() in help_text, command)
            self.assertIn(f"\nExamples:\n  strc {command}".encode(), help_text, command)
            self.assertEqual(self.call("help", command)[0], help_text)

    def test_options_are_documented(self):
        page = (Path(__file__).resolve().parents[2] / "docs/command-line.md").read_text(encoding="utf-8")
        documented = set(re.findall(r"`(?:[^`\n]* )?(--?[a-zA-Z][a-z-]*)", page))
        known = {"--top", "--version"}
        self.file("same.str", "int->int filter Same { work pop 1 push 1 { push(pop()); } }")
        self.call("build", "--top=Same", "same.str")
        program = subprocess.run(["./same", "--help"], cwd=self.folder, capture_output=True, check=True)
        helps = [program.stdout.decode()]
        for command in ("run", "live", "build", "check", "graph", "schedule", "fmt", "opt", "explain", "repl", "controls", "completion",
                        "man", "version"):
            helps.append(self.call(command, "--help")[0].decode().split("\nExamples:")[0])
        for text in helps:
            for options in re.findall(r"^  (-[^ ]*)", text, re.M):
                known |= set(options.split(","))
        self.assertEqual(known - documented, {"-h"})
        self.assertEqual({word for word in documented - known if not word.startswith(("-W", "-i4"))}, set())

    def test_wrong_calls(self):
        for words, text in ((("chekc", "p.str"), "did you mean 'check'?"), (("p.str",), "did you mean 'strc run p.str'?"),
                            (("run",), "no source file given"), (("run", "--limt=3", "p"), "did you mean '--limit'?"),
                            (("run", "-i", "many", "p"), "'many' is not a value for -i"), (("run", "p", "-i"), "-i"),
                            (("version", "more"), "'more' is one argument too many"),
                            (("fmt", "--write", "--check", "p"), "exclude each other")):
            with self.subTest(words):
                out, err = self.call(*words, status=2)
                self.assertIn(text, err)
                self.assertEqual(out, b"")


if __name__ == "__main__":
    unittest.main()
