#!/usr/bin/env python3
"""Programs that read and write files, as one filter between these (--tapes=arrays): files, messages, ends and figures are those of the
program as it was."""

import json
import struct
import unittest

from command import Case

# Its window has to be filled first, blocks stay on tapes, and one filter has a state that is carried.
CHAIN = """void->void pipeline Main { add Source; add Work; add FileWriter<int>("out.raw"); }
void->int pipeline Source { add FileReader<int>("in.raw"); }
int->int pipeline Work { add Window; add Block(4); add Sum; }
int->int filter Window { work pop 1 peek 3 push 1 { push(peek(0) + 2 * peek(1) - peek(2)); pop(); } }
int->int filter Block(int n) { work pop n push n { for (int k = 0; k < n; k++) push(3 * pop()); } }
int->int filter Sum { int s; work pop 1 push 1 { s = 5 * s + pop(); push(s); } }
"""
READS = CHAIN.replace('add FileWriter<int>("out.raw")', "add int->void filter { work pop 1 { println(pop()); } }")
WRITES = """void->void pipeline Main { add Ramp; add FileWriter<int>("out.raw"); }
void->int filter Ramp { int n; work push 3 { for (int k = 0; k < 3; k++) push(n++); println(n); } }
"""
OPEN_INPUT = CHAIN.replace("void->void", "int->void", 1).replace("add Source; ", "")
OPEN_OUTPUT = CHAIN.replace("void->void", "void->int", 1).replace(' add FileWriter<int>("out.raw");', "")
COPIES = 'void->void pipeline Main { add FileReader<float>("in.raw"); add FileWriter<float>("out.raw"); }'
# A branch that drops what it gets, and items that are enqueued.
SPLIT = """void->void pipeline Main { add FileReader<int>("in.raw"); add Two; add FileWriter<int>("out.raw"); }
int->int splitjoin Two {
    split roundrobin(1, 2);
    add int->int filter { int a; prework push 2 { push(7); push(8); } work pop 1 push 1 { a += pop(); push(a); } };
    add int->int filter { work pop 4 push 2 { push(pop() ^ pop()); push(pop() - pop()); } };
    join roundrobin(1, 1);
}
"""
FAULT = CHAIN.replace("push(3 * pop())", "push(1000 / (40 - pop()))")
# Two files of different types and lengths, of which windows keep different numbers of items.
JOINED = """void->void pipeline Main { add Both; add Show; add FileWriter<int>("out.raw"); }
void->int splitjoin Both { split roundrobin(0); add First; add Second; join roundrobin(2, 1); }
void->int pipeline First { add FileReader<int>("in.raw"); add Window; }
void->int pipeline Second { add FileReader<float>("more.raw"); add Scale; }
int->int filter Window { work pop 1 peek 5 push 1 { push(peek(0) + 2 * peek(1) - peek(4)); pop(); } }
float->int filter Scale { int last; prework pop 2 push 1 { push((int)(pop() + pop())); } work pop 3 push 1 { last += (int)(peek(0) - peek(1) * peek(2)); for (int k = 0; k < 3; k++) pop(); push(last & 1023); } }
int->int filter Show { work pop 3 push 2 { int a = pop(); push(a ^ pop()); push(a + pop()); } }
"""
# Readers and writers within loops of the phase.
LOOPS = """void->void pipeline Main { add Both; add Parts; }
void->int splitjoin Both { split roundrobin(0); add First; add FileReader<int>("more.raw"); join roundrobin(7, 5); }
void->int pipeline First { add FileReader<int>("in.raw"); add Sum(3); add Sum(4); }
int->int stateful filter Sum(int f) { int s; work pop 1 push 1 { s = s / f + pop(); push(s); } }
int->void splitjoin Parts { split roundrobin(3, 5); add Last; add FileWriter<int>("other.raw"); join roundrobin(0); }
int->void pipeline Last { add Sum(2); add int->int filter { work pop 2 push 3 { int a = pop(); push(a); push(pop()); push(-a); } }; add FileWriter<int>("out.raw"); }
"""
# Beside open ends: what is written goes to a file and on, what is read comes from a file, too.
OPEN_BOTH = """int->int pipeline Main { add Three; add Sum; add Five; add Copy; }
int->int filter Five { work pop 5 push 2 { int a = pop(); pop(); push(a - pop()); push(pop() ^ pop()); } }
int->int splitjoin Three { split roundrobin(1, 0); add Twice; add FileReader<int>("in.raw"); join roundrobin(1, 2); }
int->int filter Twice { work pop 1 peek 2 push 1 { push(2 * peek(1) - pop()); } }
int->int filter Sum { int s; work pop 3 push 2 { s += pop(); push(s ^ pop()); push(pop()); } }
int->int splitjoin Copy { split duplicate; add int->int filter { work pop 1 push 1 { push(pop() + 1); } }; add FileWriter<int>("out.raw"); join roundrobin(1, 0); }
"""
FAULTS = JOINED.replace("push(a + pop())", "push(a / (40 - pop()))")


class Files(Case):
    def setUp(self):
        super().setUp()
        self.executables = {}
        self.untold = ()

    def read(self, name):
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def outcome(self, words, executable=None, status=0, data=b""):
        """What is printed, the messages without the places, and the files."""
        for name in ("out.raw", "other.raw"):
            (self.folder / name).unlink(missing_ok=True)
        out, err = self.call(*words, input=data, executable=executable, status=status)
        err = [line for line in err.splitlines() if "error: " in line or "warning: " in line]
        err = [line for line in err if not any(name in line for name in self.untold)]
        return out, err, self.read("out.raw"), self.read("other.raw")

    def alike(self, text, count, *words, build=(), status=0, data=b""):
        """All engines, and what they agree on."""
        path = self.file("p.str", text)
        self.file("in.raw", struct.pack(f"<{count}i", *(k * k % 101 for k in range(count))))
        ends = [*build, *words, path]
        expected = self.outcome(["run", "--interpret", *ends], status=status, data=data)
        for engine in (
            ["--interpret"], ["--no-interpret"], ["--no-interpret", "-O0"], ["--no-interpret", "-j3", "--no-tune", "--chunk=2"],
            ["--no-interpret", "-j3", "--no-tune", "--chunk=64", "-O0"],
        ):  # fmt: skip
            self.assertEqual(self.outcome(["run", "--tapes=arrays", *engine, *ends], status=status, data=data), expected, engine)
        made = self.built(path, *build)
        self.assertEqual(self.outcome(words, made, status=status, data=data), expected)
        return expected

    def built(self, path, *build):
        """The executable, made once for a program."""
        text = path.read_bytes()
        if text not in self.executables:
            self.executables[text] = f"./made{len(self.executables)}"
            self.call("build", "--tapes=arrays", "-o", self.executables[text], *build, path)
        return self.executables[text]

    def test_between_files(self):
        for text in (CHAIN, READS, SPLIT, COPIES):
            self.alike(text, 20000)
        for text in (CHAIN, SPLIT):
            for count, tail in ((1, "drop"), (6, "pad"), (6, "drain"), (5003, "pad"), (5003, "drain")):
                self.alike(text, count, f"--tail={tail}")

    def test_a_file_and_an_open_end(self):
        numbers = b" ".join(b"%d" % (k % 97) for k in range(5003))
        self.alike(OPEN_INPUT, 1, "--in-format=text", build=["--top", "Main"], data=numbers)
        out, _, written, _ = self.alike(OPEN_OUTPUT, 5003, "--out-format=text", build=["--top", "Main"])
        self.assertGreater(len(out.split()), 4900)
        self.assertIsNone(written)

    def test_iterations_and_limits(self):
        for count in (0, 1, 1000):
            self.assertEqual(len(self.alike(WRITES, 1, "-i", count)[2] or b""), 12 * count)
        self.alike(CHAIN, 5003, "-i", 7)
        self.assertEqual(len(self.alike(CHAIN, 5003, "--limit", 1001)[2]), 4 * 1001)

    def test_faults(self):
        """Before the steady state with the fault all is written."""
        _, err, written, _ = self.alike(FAULT, 1003, status=1)
        self.assertIn("division", err[0])
        self.assertIsNotNone(written)
        self.places(path="p.str", instance="Main.Work.Block")

    def places(self, path, instance):
        """What each engine says of the fault: the same of the one filter as of the program as it was."""
        expected = self.call("run", "--interpret", path, status=1)[1]
        self.assertIn(f"in instance {instance}\n", expected)
        for engine in ("--interpret", "--no-interpret"):
            self.assertEqual(self.call("run", "--tapes=arrays", engine, path, status=1)[1], expected, engine)

    def test_where_faults_are(self):
        """The filter is named whose firing it is: the second one of two that share their functions, one in whose function the
        fault is, one that looks further than it may, one that fires many times in a loop, and one in `prework`."""
        chain = "void->void pipeline Main {{ add Ramp; {} add int->void filter {{ work pop 1 {{ println(pop()); }} }}; }}\n"
        ramp = "void->int filter Ramp { int n; work push 1 { push(n++); } }\n"
        divide = "int->int filter Divide(int at) { work pop 1 push 1 { push(1000 / (at - pop())); } }\n"
        function = "int->int filter Far { int part(int x) { return 7 % (50 - x); } work pop 1 push 1 { push(part(pop())); } }\n"
        peeks = "int->int filter Peeks { work pop 1 push 1 peek 3 { push(peek(peek(0))); pop(); } }\n"
        late = "int->int filter Late { int[4] a; prework pop 1 push 1 { push(a[5 + pop()]); } work pop 1 push 1 { push(pop()); } }\n"
        many = "int->int filter Many(int n) { work pop n push n { for (int k = 0; k < n; k++) push(pop()); } }\n"
        for parts, text, instance in (
            ("add Divide(5000); add Divide(200);", divide, "Main.Divide[1]"),
            ("add Far;", function, "Main.Far"),
            ("add Peeks;", peeks, "Main.Peeks"),
            ("add Many(3); add Far; add Many(4);", function + many, "Main.Far"),
            ("add Late;", late, "Main.Late"),
        ):
            with self.subTest(parts):
                self.places(self.file("p.str", chain.format(parts) + ramp + text), instance)

    def test_files_that_are_not_there(self):
        path = self.file("p.str", CHAIN)
        expected = self.outcome(["run", path], status=1)
        for engine in (["--interpret"], ["--no-interpret"]):
            self.assertEqual(self.outcome(["run", "--tapes=arrays", *engine, path], status=1), expected)
        self.file("in.raw", b"")
        expected = self.outcome(["run", path], status=1)
        for engine in (["--interpret"], ["--no-interpret"]):
            words = ["run", "--tapes=arrays", *engine, path]
            self.assertEqual(self.outcome(words, status=1), expected)
            self.assertIn("in instance Main.Source.FileReader", self.call(*words, status=1)[1])

    def test_as_one_filter(self):
        """The plan fires the reader, the filter and the writer, and threads share chunks of it."""
        path = self.file("p.str", CHAIN)
        plan = self.call("run", "--tapes=arrays", "-j3", "--no-tune", "--chunk=64", "--emit=plan", path)[0].decode()
        self.assertIn("chunk of", plan)
        for part in ("Main.Source.FileReader -> Main.Main", "Main.Main -> Main.FileWriter", "of 16 Main.Main"):
            self.assertIn(part, plan)

    def test_profiles(self):
        """Firings of all filters, and time that each takes."""
        path = self.file("p.str", CHAIN)
        self.file("in.raw", bytes(4 * 200003))
        rows = []
        for words in ([], ["--tapes=arrays"]):
            self.call("run", "--no-interpret", "-j1", *words, "--profile=p.json", path)
            rows.append({row["path"]: row for row in json.loads(self.bytes("p.json"))["strc"]["filters"]})
        plain, one = ({name: row["firings"] for name, row in each.items()} for each in rows)
        self.assertEqual(one, plain)
        for name in ("Main.Source.FileReader", "Main.FileWriter"):
            self.assertGreater(rows[1][name]["seconds"], 0)

    def more(self, count, code="i"):
        """The second input."""
        self.file("more.raw", struct.pack(f"<{count}{code}", *(k * 7 % 13 for k in range(count))))

    def test_several_files(self):
        """Whichever ends first."""
        for more in (20000, 1003, 0):
            self.more(more, "f")
            self.alike(JOINED, 5003, status=0 if more else 1)
        for count, more in ((6, 4000), (5003, 2500)):
            for tail in ("drop", "pad", "drain"):
                self.more(more, "f")
                self.alike(JOINED, count, f"--tail={tail}")
                self.more(more)
                self.alike(LOOPS, count, f"--tail={tail}")

    def test_files_beside_open_ends(self):
        self.file("numbers.txt", b" ".join(b"%d" % (k % 97) for k in range(2003)))
        text = ["--in=numbers.txt", "--in-format=text", "--out-format=text"]
        for tail in ("drop", "pad", "drain"):
            if tail == "drain":  # engines have read differently far ahead in the input that has not ended
                self.untold = ("[input-left-over]",)
            for count in (7, 104, 9000):
                out, _, written, _ = self.alike(OPEN_BOTH, count, *text, f"--tail={tail}", build=["--top", "Main"])
                self.assertEqual(bool(out), bool(written))

    def test_limits_of_several_files(self):
        self.more(20000, "f")
        self.alike(JOINED, 20000, "-i", 7)
        self.assertEqual(len(self.alike(JOINED, 20000, "--limit", 1001)[2]), 4 * 1001)
        self.more(20000)
        self.alike(LOOPS, 20000, "-i", 501)

    def test_faults_between_several_files(self):
        self.more(20000, "f")
        _, err, *_ = self.alike(FAULTS, 5003, status=1)
        self.assertIn("division", err[0])
        self.places(path="p.str", instance="Main.Show")

    def test_profiles_of_several_files(self):
        path = self.file("p.str", JOINED)
        self.file("in.raw", bytes(4 * 200003))
        self.more(300004, "f")
        firings = []
        for words in ([], ["--tapes=arrays"]):
            self.call("run", "--no-interpret", "-j1", *words, "--profile=p.json", path)
            filters = json.loads(self.bytes("p.json"))["strc"]["filters"]
            firings.append({row["path"]: row["firings"] for row in filters})
        self.assertEqual(*firings)

    def test_libraries_with_files_are_refused_as_before(self):
        for text in ('int->void pipeline Main { add FileWriter<int>("out.raw"); }', COPIES, OPEN_OUTPUT):
            path = self.file("p.str", text)
            words = [self.call("build", "--shared", "--top", "Main", *more, path, status=1)[1] for more in ((), ("--tapes=arrays",))]
            self.assertIn("file '", words[0])
            self.assertEqual(words[0], words[1])

    def test_what_has_no_lower_form_yet(self):
        path = self.file("p.str", "void->void pipeline Main { add void->int filter { work push [0, 2] { push(1); } }; add int->void filter { work pop 1 { pop(); } }; }")
        _, err = self.call("build", "--tapes=arrays", path, status=1)
        self.assertIn("it has dynamic rates [cannot-compile]", err)


if __name__ == "__main__":
    unittest.main()
