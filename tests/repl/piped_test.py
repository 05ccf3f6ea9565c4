"""`strc repl` for pipes and tools: results only, and JSON lines."""

import json
import os
import signal
import struct
import subprocess
import tempfile
import time
import unittest

STRC = os.environ["STRC"]
PATIENCE = 5  # seconds that a machine may take that is busy with other things; alone it is well below one
TWICE = "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }"


class Piped(unittest.TestCase):
    def say(self, text, *options, status=0):
        done = subprocess.run([STRC, "repl", *options], input=text, text=True, timeout=1800,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def test_remarks_are_no_results(self):
        with tempfile.TemporaryDirectory() as folder:
            out, err = self.say(f"{TWICE}\n{TWICE.replace('2', '3')}\nint k = 1\nTwice <- [1, 2] -> v\ntake 3\nTwice\n"
                                f":save {folder}/s.str\n:plot v > {folder}/v.svg\n:graph > {folder}/g.dot\n")
            self.assertEqual(out, "")
            self.assertEqual(err, "0 of 3: the stream waits for more input\n"
                                  "int->int waits for input: '<- [1, 2, 3]' feeds it\n")

    def test_results_only(self):
        out, err = self.say("1 + 1\nint n = 20\ntake 3 IntRamp()\nn / 3\n")
        self.assertEqual((out, err), ("2\n0 1 2\n6\n", ""))

    def test_lines_that_go_on(self):
        out, _ = self.say("int->int filter Twice {\n  work pop 1 push 1 {\n    push(2 * pop());\n  }\n}\n"
                          "Twice <- [1,\n2]\n")
        self.assertEqual(out, "2 4\n")

    def test_statements_over_several_lines(self):
        out, _ = self.say("int x = 0\ndo {\n  x++;\n}\nwhile (x < 3);\nx\nif (x > 3) {\n  println(1);\n}\nelse {\n  println(2);\n}\n"
                          "if (x == 3) println(4);\nx\nint->int\nfilter F {\n work pop 1 push 1 { push(pop() + x); } }\nF <- [1]\n")
        self.assertEqual(out, "3\n2\n4\n3\n4\n")

    def test_who_asks_and_waits_is_answered(self):
        process = subprocess.Popen([STRC, "repl"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        for number in range(3):
            process.stdin.write(f"if (true) println({number});\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), f"{number}\n")
        process.stdin.close()
        process.wait(20)

    def test_an_error_is_told_and_the_rest_goes_on(self):
        out, err = self.say("nope\n1 + 1\n", status=1)
        self.assertEqual(out, "2\n")
        self.assertIn("<input 1>:1:1: error: unknown variable 'nope'", err)

    def test_what_lacks_its_end_is_told(self):
        _, err = self.say("int->int filter F {\n", status=1)
        self.assertIn("error", err)

    def test_commands_that_are_not_clear(self):
        for text, why in ((":b", "':b' may be :back or :break"), (":help b", "':b' may be"),
                          (":helo", "did you mean ':help'?"), (":where foo", ":where takes no arguments"),
                          (":quit 5", ":quit takes no arguments")):
            told = self.say(text + "\n", status=1)[1]
            self.assertIn(why, told)
            self.assertIn("[prompt-command]", told)

    def test_a_full_disk_is_a_fault(self):
        for options, text in (((), "1 + 1\n"), ((), "println(1); while (true) println(2);\n"),
                              (("--json",), '{"op":"eval","text":"1"}\n')):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([STRC, "repl", *options], input=text, text=True, timeout=1800, stdout=full,
                                      stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write 'standard output': No space left on device [cannot-write-file]", done.stderr)

    def test_a_reader_that_has_had_enough_ends_it(self):
        process = subprocess.Popen([STRC, "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        process.stdout.close()
        process.stdin.write(b"println(1); while (true) println(2);\n")
        process.stdin.close()
        self.assertEqual((process.wait(20), process.stderr.read()), (0, b""))

    def test_quit_ends(self):
        self.assertEqual(self.say("1\n:quit\n2\n")[0], "1\n")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "twice.str")
            with open(path, "w", encoding="ascii") as file:
                file.write("static { int K = 7; }\n\n  " + TWICE + "\n")
            out, _ = self.say("Twice <- [1, K]\n", path)
            self.assertEqual(out, "2 14\n")
            saved = os.path.join(folder, "saved.str")
            self.say(f"{TWICE}\nint n = 5\nfloat[2] f = {{0.1, 1}}\n:save {saved}\n")
            out, _ = self.say("Twice <- [n]\nf\n", saved)
            self.assertTrue(out.endswith("10\n{0.1, 1.0}\n"), out)
            with open(path, "w", encoding="ascii") as file:
                file.write("\n\nint->int filter Twice { work pop 1 push 1 { push(nope); } }\n")
            _, err = self.say(f":load {path}\n", status=1)
            self.assertIn(f"{path}:3:50: error", err)

    def test_looking_at_a_stream_does_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "keep.raw")
            with open(path, "wb") as file:
                file.write(b"12345678")
            stream = f'Ramp() | Loud() | FileWriter<float>("{path}")'
            loud = 'float->float filter Loud() { init { println("init"); } work pop 1 push 1 { push(pop()); } }'
            for engine in ("interpret", "jit"):
                out, err = self.say(f":engine {engine}\n{loud}\n:type {stream}\n:rates {stream}\n:schedule {stream}\n"
                                    f":graph {stream}\n")
                self.assertEqual(err, "")
                self.assertTrue(out.startswith("void->void\nfilter"), out)
                self.assertNotIn("init\n", out)
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), b"12345678")

    def test_a_file_goes_on_feeding_its_stream(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "big.npy")
            for engine in ("interpret", "jit"):
                out, err = self.say(f':engine {engine}\ntake 10000 IntRamp() -> "{path}"\n'
                                    f's = Identity<int>()\ntake 3 s <- "{path}"\ntake 5000 s -> more\nmore[4999]\n'
                                    's -> rest\nrest[4996]\ns <- [7]\n:type more\n:type rest\n')
                self.assertEqual((out, err), ("0 1 2\n5002\n9999\n7\nint[5000]\nint[4997]\n", ""))
            out, err = self.say(f'take 1 Identity<int>() <- "{path}"\n<- [-1] -> all\nall[4095]\n:type all\n')
            self.assertEqual((out, err), ("0\n-1\nint[4096]\n", "the rest of the file that fed it is not read\n"))

    def test_what_is_read_is_not_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.csv")
            link = os.path.join(folder, "link.csv")
            with open(path, "w", encoding="ascii") as file:
                file.write("1,2,3\n")
            os.symlink(path, link)
            for line in (f'Identity<float>() <- "{path}" -> "{path}"', f'Identity<float>() <- "{path}" -> "{link}"',
                         f'take 2 FileReader<float>("{path}") -> "{link}"'):
                _, err = self.say(line + "\n", status=1)
                self.assertIn("is in use by this stream", err)
                with open(path, encoding="ascii") as file:
                    self.assertEqual(file.read(), "1,2,3\n")

    def test_results_before_a_faulty_item_are_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.csv")
            with open(path, "w", encoding="ascii") as file:
                file.write("1,2,3\n4,x,6\n")
            out, err = self.say(f'Identity<int>() <- "{path}"\n<- [5]\n', status=1)
            self.assertEqual(out, "1 2 3 4\n5\n")
            self.assertIn(":1:20: error: ", err)

    def test_files_are_loaded_again_together(self):
        def write(path, text):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)

        with tempfile.TemporaryDirectory() as folder:
            user, used = os.path.join(folder, "user.str"), os.path.join(folder, "used.str")
            versions = (("static { int K = 1; }\nhelper M { int f(int x) { return x; } }\n", "M.f(pop())"),
                        ("static { int L = 2; }\nhelper M { int f(int x, int y) { return x * y; } }\n",
                         "M.f(pop(), L)"))
            filter_ = "int->int filter User {{ work pop 1 push 1 {{ push({}); }} }}\n"
            write(used, versions[0][0])
            write(user, filter_.format(versions[0][1]))
            prompt = subprocess.Popen([STRC, "repl", "--plain", user, used], text=True, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            prompt.stdin.write("User <- [3]\n")
            prompt.stdin.flush()
            while prompt.stdout.readline() != "3\n":  # before it: what was not declared yet
                self.assertIsNone(prompt.poll())
            write(used, versions[1][0])
            write(user, filter_.format(versions[1][1]))
            out, err = prompt.communicate(":reload\nUser <- [3]\n", timeout=1800)
            self.assertEqual((out, err), ("6\n", ""))

    def test_values_are_saved_with_all_digits(self):
        declared = ("struct P { int x; float[2] y; double z; }", "P p", "p.x = 7; p.z = 1; p.z = p.z / 3;", "P[2] q",
                    "q[1].x = 3", "double third = 1", "third = third / 3", "double tenth = 0.1",
                    "double big = 1e30; big = big * big * big / 3;",
                    "double tiny = 1e-30; for (int k = 0; k < 9; k++) tiny = tiny * 1e-30; tiny = tiny / 7;",
                    "double smallest = tiny * 1e-20 / 3", "float3 v = float3(1, 2.5, -0.0)", "complex c = 1 - 2i",
                    "float zero = -0.0", "float endless = 1.0 / 0.0", "complex w; w.imag = -endless;", "int least = 0x80000000")
        asked = "p; q; third; tenth; big; tiny; smallest; v; c; zero; endless; w; least\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "saved.str")
            out, _ = self.say("\n".join(declared) + f"\n:save {path}\n{asked}")
            values = out
            self.assertIn("3.333333483807998E89\n1.4285714738725266E-301\n", values)
            self.assertEqual(self.say(asked, path)[0], values)

    def test_real_literals_are_floats_as_in_a_file(self):
        program = "void->double filter D { double d = 0.1; work push 1 { push(d); } }\n"
        self.assertEqual(self.say(f"{program}double d = 0.1\nd\ntake 1 D\n")[0], "0.10000000149011612\n" * 2)

    def test_a_pipe_gets_all_items(self):
        out, _ = self.say("take 5000 IntRamp()\n")
        self.assertEqual(out.split(), [str(k) for k in range(5000)])
        self.assertTrue(out.startswith("0 1 2 3 4 5 6 7 8 9\n10 11"))
        out, _ = self.say("take 12 IntRamp()\n:plot\n")
        self.assertTrue(out.startswith("0 1 2 3 4 5 6 7 8 9\n10 11\n11 ┤"), out)

    def test_comments_behind_commands(self):
        out, _ = self.say("s = Identity<int> // a stream\ns <- [1, 2] // two\n:type 1 // an int\n:where // here\n"
                          ":back 1 // one\n:rates // of it\n")
        self.assertTrue(out.startswith("1 2\nint\n"), out)
        self.assertIn("after 1 firing", out)

    def test_what_is_meant_is_told(self):
        for text, why in (("help", "did you mean ':help'?"), ("exit", "did you mean ':quit'?"),
                          ("help :peek", "did you mean ':help'?"), ("x = 5", "'x' is not declared yet: 'int x = 5' declares it"),
                          ("s = Rmap() | Print()", "there is no stream 'Rmap'; did you mean 'Ramp'?"),
                          ("IntRmap()", "did you mean 'IntRamp'?"), ("sni(2)", "unknown function 'sni'"),
                          ("x = 2.5 * 2", "'float x = 2.5 * 2' declares it"),
                          ("int square(int x) { return x * x; }", "'helper Name { int square(…) { … } }'"),
                          ("Identity<int> <- [1] <- [2]", "has one source"), ("Identity<int> <- [1, 3 .. 9]", "a range stands alone"), ("Identity<int> <- 1, 2", "in brackets: [1, 2"),
                          ("1 /* and", "<input 1>:1:3: error: this comment has no end"), ("take", "'take' wants a number"),
                          ("Identity<int> <- [1.5]", "in a list of items"), ("take 3.5 IntRamp()", "in a count"),
                          ("pop()", "what is typed at the prompt"), ("((((1", "before the end of the line"),
                          (":save a b", "quotes hold one"), ("else println(1);", "belongs on the line")):
            told = self.say(text + "\n", status=1)[1]
            self.assertIn(why, told)
            self.assertNotIn("items__", told)
        self.assertEqual(self.say("Identity<int> <- [3 .. 1]\n'c'\n'c' + \"x\"\n")[0], "c\ncx\n")

    def test_counts_are_expressions(self):
        out, _ = self.say("int n = 3\nint[2] a = {1, 2}\ntake 2*2 IntRamp()\ntake n - a[0] IntRamp()\n"
                          "take (int)min(n, 2) + 1 IntRamp()\ntake (n)\n")
        self.assertEqual(out, "0 1 2 3\n0 1\n0 1 2\n3 4 5\n")

    def test_streams_called_it(self):
        out, _ = self.say("int->int filter it { work pop 1 push 1 { push(2 * pop()); } }\nit <- [1]\nIntRamp() | it -> v\nv\n"
                          ":type it\n")
        self.assertEqual(out, "2\n{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}\nint->int filter it\n")

    def test_random_numbers_go_on(self):
        lines = self.say("random()\nrandom()\nprintln(random()); println(random())\n")[0].split()
        self.assertEqual(len(set(lines)), 4)
        loop = self.say("for (int i = 0; i < 4; i++) println(random());\n")[0].split()
        self.assertEqual(lines, loop)

    def test_variables_do_not_disturb_locals(self):
        square = "int->int filter Sq { work pop 1 push 1 { int x = pop(); push(x * x); } }\n"
        self.assertEqual(self.say(f"{square}int x = 3\nSq <- [2]\n:type Sq <- [1]\n{square}"), ("4\nint->int\n", ""))

    def test_home_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, HOME=folder)
            text = 'int n = 3\n:save ~/a.str\n:load ~/a.str\nIntRamp() -> "~/r.npy"\nIdentity<int> <- "~/r.npy"\n'
            done = subprocess.run([STRC, "repl"], input=text, text=True, env=environment, capture_output=True, check=True)
            self.assertEqual(sorted(os.listdir(folder)), ["a.str", "r.npy"])
            self.assertIn("0 1 2 3 4 5 6 7 8 9\n", done.stdout)
            path = os.path.join(folder, "with a blank.str")
            with open(path, "w", encoding="ascii") as file:
                file.write("static { int m = 4; }")
            self.assertEqual(self.say("m\n", path)[0], "4\n")

    def test_files_are_whole_when_a_compiled_stream_rests(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "seen.raw")
            written = ("int->int splitjoin Both { split duplicate; add Identity<int>; "
                       f'add FileWriter<int>("{path}"); join roundrobin(1, 0); }}\n')
            process = subprocess.Popen([STRC, "repl"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(process.stdout.close)
            process.stdin.write(f":engine jit\n{written}b = Both\nb <- [1, 2, 3]\n1\n")
            process.stdin.flush()
            while process.stdout.readline() != "1\n":
                self.assertIsNone(process.poll())
            self.assertEqual(os.path.getsize(path), 12)
            process.stdin.close()
            process.wait(20)

    def test_streams_that_are_dropped_complete_their_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.wav")
            for engine in ("interpret", "jit"):
                out, err = self.say(f':engine {engine}\ns = Identity<float> | WavWriter<float>("{path}", 8000)\ns <- [0, 0, 0]\n'
                                    f's = Identity<float>\ntake 9 WavReader<float>("{path}")\n')
                self.assertEqual((out, err), ("0.0 0.0 0.0\n", "the end of the input is reached\n"))

    def test_sources_without_an_end_give_ten_items_to_files_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path, copy = os.path.join(folder, "ramp.raw"), os.path.join(folder, "copy.npy")
            out, err = self.say(f'Ramp() -> "{path}"\nRamp() -> v\n:type v\ntake 20 Ramp() -> "{path}"\n'
                                f'FileReader<float>("{path}") -> "{copy}"\n:engine jit\nRamp() -> v\n:type v\n')
            more = "`take N` gives more.\n"
            self.assertEqual((out, err), ("float[10]\n" * 2, f"{more}{more}the end of the input is reached\n{more}"))
            self.assertEqual(os.path.getsize(path), 80)
            self.assertEqual(os.path.getsize(copy), 128 + 80)

    def test_take_counts_what_is_written_or_steady_states(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fw.raw")
            self.say(f'take 5 Ramp() | FileWriter<float>("{path}")\ntake 2\n')
            self.assertEqual(os.path.getsize(path), 28)
            sink = "float->void filter Sink { float s; work pop 2 { s += pop() + pop(); } }\n"
            out, _ = self.say(sink + "take 3 Ramp() | Sink\ntake 2\n:where\n")
            self.assertIn("5 steady states\n", out)
            _, err = self.say(sink + ":engine jit\ntake 3 Ramp() | Sink\n", status=1)
            self.assertIn("<input 3>:1:6: error: machine code counts", err)

    def test_written_files_are_complete_when_a_run_stops(self):
        with tempfile.TemporaryDirectory() as folder:
            path, source = os.path.join(folder, "ramp.raw"), os.path.join(folder, "source.raw")
            out, _ = self.say(f'take 3 Ramp(1) -> "{source}"\n'
                              f's = FileReader<float>("{source}") | FileWriter<float>("{path}")\ns\n'
                              f'take 9 FileReader<float>("{path}")\n')
            self.assertIn("1.0 2.0 3.0\n", out)

    def test_lists_are_drawn(self):
        out, _ = self.say(":plot [1, 2 * 2, 9]\n")
        self.assertIn("9 ┤", out)
        self.assertIn("0 … 2", out)
        _, err = self.say(":plot [1, 2\n", status=1)
        self.assertIn("error", err)

    def test_streams_of_tensors_are_compiled(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "framed")
            out, _ = self.say(f"t = Ramp() | frame({{2, 2}})\n:type t\ntake 1 Ramp() | frame({{2, 2}})\n:compile {path}\n")
            self.assertIn("void->tensor<float>[2, 2]", out)
            subprocess.run([path, "-i", "1", "--out", f"{path}.raw"], check=True)
            with open(f"{path}.raw", "rb") as file:
                self.assertEqual(struct.unpack("<4f", file.read()), (0, 1, 2, 3))

    def test_compiled_streams(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program")
            self.say(f"int first = 3\ntake 1 IntRamp(first) | IntPrint()\n:compile {path}\n")
            out = subprocess.run([path, "--limit", "3"], text=True, capture_output=True, check=True)
            self.assertEqual(out.stdout, "3\n4\n5\n")

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            svg, png = os.path.join(folder, "a.svg"), os.path.join(folder, "a.png")
            self.say(f":plot take 9 Ramp() > {svg}\n:plot take 9 Ramp() > {png}\n")
            with open(svg, encoding="utf-8") as file:
                self.assertTrue(file.read().startswith("<svg "))
            with open(png, "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_arrays_on_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.npy")
            out, _ = self.say(f'{TWICE}\nTwice <- [1 .. 4] -> "{path}"\nTwice <- "{path}"\n')
            self.assertEqual(out, "4 8 12 16\n")

    def signalled(self, text, number, until):
        """What a session has written that gets a signal after `until`, and how it ended."""
        process = subprocess.Popen([STRC, "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        process.stdin.write(text.encode())
        process.stdin.flush()
        said = b""
        while until.encode() not in said:
            piece = os.read(process.stdout.fileno(), 65536)
            self.assertTrue(piece, said)
            said += piece
        time.sleep(0.3)
        process.send_signal(number)
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        status = process.wait(20)
        return status, (said + process.stdout.read()).decode()

    def test_signals_end_a_run_and_the_session(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            status, said = self.signalled("1 + 1\nprintln(7); while (true);\n100 + 1\n", number, "7\n")
            self.assertEqual(status, 128 + number)
            self.assertTrue(said.startswith("2\n7\n"), said)
            self.assertNotIn("101", said)

    def test_signals_end_the_wait_for_a_line(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen([STRC, "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(process.stdin.close)
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.kill)
            process.stdin.write(b"1 + 1\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"2\n")
            time.sleep(0.3)
            process.send_signal(number)
            self.assertEqual(process.wait(20), 128 + number)


class Json(unittest.TestCase):
    def setUp(self):
        self.start()

    def start(self, *options):
        self.process = subprocess.Popen([STRC, "repl", "--json", *options], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end, self.process)

    @staticmethod
    def end(process):
        process.stdin.close()
        process.stdout.close()
        process.wait(20)

    def send(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, **request):
        self.send(**request)
        return self.receive()

    def test_values(self):
        self.assertTrue(self.ask(id=1, op="eval", text=TWICE)["declared"])
        answer = self.ask(id="two", op="eval", text="Twice <- [1, 2]")
        self.assertEqual((answer["id"], answer["ok"], answer["type"], answer["value"], answer["output"]),
                         ("two", True, "int", [2, 4], "2 4\n"))

    def test_diagnostics(self):
        answer = self.ask(id=1, op="eval", text="int n = 1\n n + nope")
        self.assertFalse(answer["ok"])
        found = answer["diagnostics"][0]
        self.assertEqual(found["code"], "unknown-variable")
        self.assertIn("<input 1>:2:6: error", found["text"])

    def test_check_complete_and_tokens(self):
        self.assertEqual(self.ask(id=1, op="check", text="int->int filter F {"),
                         {"id": 1, "complete": False, "depth": 1})
        self.ask(op="eval", text=TWICE)
        answer = self.ask(id=2, op="complete", text="/* é */ Twi", cursor=11)
        self.assertEqual((answer["from"], answer["to"]), (8, 11))
        self.assertIn("Twice", [each["text"] for each in answer["items"]])
        tokens = self.ask(id=3, op="tokens", text="/* é */ Twice")["tokens"]
        self.assertEqual(tokens, [[0, 7, "comment"], [8, 13, "stream"]])

    def test_paths_with_spaces_are_quoted(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "my folder"))
            for name in ("a b.str", "ab.str", "my folder/c d.str"):
                with open(os.path.join(folder, name), "w", encoding="ascii"):
                    pass
            def complete(text):
                return [each["text"] for each in self.ask(op="complete", text=text)["items"]]
            self.assertEqual(complete(f":load {folder}/a"), [f'"{folder}/a b.str"', f"{folder}/ab.str"])
            self.assertEqual(complete(f":load {folder}/my"), [f'"{folder}/my folder/'])
            self.assertEqual(complete(f':load "{folder}/my folder/'), [f"{folder}/my folder/c d.str"])

    def test_values_that_nobody_wants(self):
        self.assertEqual(self.ask(op="eval", text="[1]", value=False).get("value"), None)
        self.assertEqual(self.ask(op="eval", text="1 + 1", value=False).get("value"), None)
        self.assertEqual(self.ask(op="eval", text="1 + 1", value=True)["value"], 2)

    def test_characters_come_whole(self):
        self.start("--events")
        loop = "for (int i = 0; i < 2; i++) { print(\"\\303\"); print(\"\\251\"); } print(\"\\303\");"
        self.send(id=1, op="eval", text=loop)
        text = ""
        while "event" in (answer := self.receive()):
            text += answer["text"]
        self.assertEqual((text, answer["ok"]), ("éé\ufffd", True))

    def test_tokens_of_other_scripts(self):
        self.assertEqual(self.ask(op="tokens", text="日本 int")["tokens"],
                         [[0, 1, "operator"], [1, 2, "operator"], [3, 6, "type"]])

    def test_what_is_no_request(self):
        self.process.stdin.write("hello\n[1]\n{}\n\n \n")
        self.process.stdin.flush()
        for _ in range(5):
            self.assertIn("error", self.receive())
        self.assertTrue(self.ask(op="eval", text="1")["ok"])

    def test_what_is_nested_too_deeply(self):
        for deep in ("[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000):
            self.process.stdin.write(f'{{"id":{deep},"op":"eval","text":"1"}}\n')
            self.process.stdin.flush()
            answer = self.receive()
            self.assertIsNone(answer["id"])
            self.assertIn("at most 100", answer["error"])
        self.assertEqual(self.ask(id=[[1]], op="eval", text="1")["id"], [[1]])

    def test_interrupt(self):
        self.start("--events")
        self.send(id=1, op="eval", text="void->void pipeline P { add Ramp(); add Print(); }\nP")
        while "0.0" not in self.receive().get("text", ""):
            pass
        time.sleep(0.2)
        self.process.send_signal(signal.SIGINT)
        while "event" in (answer := self.receive()):
            pass
        self.assertEqual((answer["ok"], answer["interrupted"]), (False, True))
        self.send(id=2, op="eval", text="1 + 1")
        self.assertEqual(self.receive()["text"], "2\n")
        self.assertTrue(self.receive()["ok"])

    def test_interrupt_of_an_endless_firing(self):
        self.ask(op="eval", text="void->int filter F { work push 1 { while (true) {} push(1); } }\nf = F")
        self.send(id=1, op="eval", text="take 1 f")
        time.sleep(0.5)
        self.process.send_signal(signal.SIGINT)
        self.assertTrue(self.receive()["interrupted"])
        self.assertEqual(self.ask(op="eval", text=":where")["ok"], True)

    def interrupted(self, text):
        """Interrupts a line that takes a while, sooner where the machine is fast: it soon ends."""
        for after in (1, 0.5, 0.2, 0.1):
            self.send(op="eval", text=text)
            time.sleep(after)
            self.process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            answer = self.receive()
            self.assertLess(time.monotonic() - begin, PATIENCE)
            if answer["interrupted"]:
                return
        self.fail(answer)

    def test_interrupt_of_many_items(self):
        for engine in ("interpret", "jit"):
            self.ask(op="eval", text=f":engine {engine}")
            self.interrupted("take 100000000 IntRamp()")

    def test_interrupt_of_a_large_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "large.str")
            with open(path, "w", encoding="ascii") as file:
                file.write("static { int[2000000] a = {" + ",".join(str(k) for k in range(2_000_000)) + "}; }\n")
            self.interrupted(f":load {path}")
            self.assertEqual(self.ask(op="eval", text="1 + 1")["value"], 2)

    def test_termination(self):
        self.ask(id=0, op="eval", text="1")
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(20), 143)
        self.start()
        self.ask(id=0, op="eval", text="1")
        self.send(id=1, op="eval", text="println(7); while (true);")
        time.sleep(0.5)
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.receive()["output"][:2], "7\n")
        self.assertEqual(self.process.wait(20), 143)

    def test_interrupt_of_a_statement(self):
        self.send(id=1, op="eval", text="println(7); while (true);")
        time.sleep(0.5)
        self.process.send_signal(signal.SIGINT)
        answer = self.receive()
        self.assertEqual((answer["ok"], answer["interrupted"]), (False, True))

    def test_quit(self):
        self.assertTrue(self.ask(op="eval", text=":quit")["quit"])
        self.assertEqual(self.process.wait(20), 0)


if __name__ == "__main__":
    unittest.main()
