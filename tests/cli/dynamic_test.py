#!/usr/bin/env python3
"""Dynamic rates, messages: every engine ends in the same way, with the same words."""

import struct
import subprocess
import unittest

from command import SECONDS, STRC, Case

ENDS = """
void->int filter Count { int k = 0; work push 1 { push(k++); } }
int->void filter Out { work pop 1 { println(pop()); } }
"""
PIPE = "void->void pipeline Main { add Count; add D; add Out; }\n"
ENGINES = [["--interpret"], ["-O0", "--no-interpret"], ["--no-interpret"]]


class Dynamic(Case):
    def outcomes(self, text, options):
        """Output, what is reported and exit status, of all engines; places without the picture of the source."""
        self.file("p.str", text + ENDS)
        found = [self.start("run", "-w", *engine, *options, "p.str") for engine in ENGINES]
        self.call("build", "-w", "-o", "program", "p.str")
        found.append(subprocess.Popen([self.folder / "program", *options], cwd=self.folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        for process in found:
            out, err = process.communicate(timeout=SECONDS)
            lines = [line for line in err.decode().splitlines() if "|" not in line]
            yield out.decode().split(), lines, process.returncode

    def check(self, text, lines, report, *options, status=1):
        for outcome in self.outcomes(text, options or ("-i", "60")):
            self.assertEqual(outcome, ([str(line) for line in lines], report, status))

    def check_filter(self, rates, body, lines, report):
        text = f"{PIPE}int->int filter D {{ int[5] a; work {rates} {{ {body} }} }}\n"
        self.check(text, lines, [f"p.str:2:{report}", "note: in instance Main.D"])

    def test_long_rows_of_filters(self):
        """A pop fires the sources that it waits for, and so on."""
        text = "void->void pipeline Main { add Count; for (int i = 0; i < 20000; i++) add D; add Out; }\n"
        self.file("p.str", text + "int->int filter D { work pop * push 1 { push(pop()); } }\n" + ENDS)
        out, _ = self.call("run", "-w", "--interpret", "-i2", "p.str")
        self.assertEqual(out, b"0\n1\n")

    def test_more_than_the_range(self):
        self.check_filter("pop 1 push [0, 3]", "int n = pop(); for (int i = 0; i < n; i++) push(n);",
                          [1, 2, 2, 3, 3, 3],
                          "99: error: 'D' declares push [0, 3], but one firing pushes 4 [dynamic-rate-violated]")
        self.check_filter("pop [0, 3] push 1", "int n = 0; for (int i = 0; i < iter(); i++) n += pop(); push(n);",
                          [0, 0, 3, 12],
                          "105: error: 'D' declares pop [0, 3], but one firing pops 4 [dynamic-rate-violated]")

    def test_less_than_the_range(self):
        self.check_filter("pop [1, 3] push 1", "int n = 0; for (int i = 2; i > iter(); i--) n += pop(); push(n);",
                          [1, 2],
                          "31: error: 'D' declares pop [1, 3], but one firing pops 0 [dynamic-rate-violated]")

    def test_static_rates_beside_dynamic_ones(self):
        self.check_filter("pop * push 1", "int n = pop(); push(n); if (n > 2) push(n);", [0, 1, 2],
                          "86: error: 'work' of 'D' declares push 1, but pushes 2 [push-rate-violated]")
        self.check_filter("pop 2 push *", "int n = pop(); if (n < 4) pop(); push(n);", [0, 2],
                          "31: error: 'work' of 'D' declares pop 2, but pops 1 [pop-rate-violated]")

    def test_faults_of_bodies(self):
        self.check_filter("pop 1 push *", "int n = pop(); push(a[n] + n); push(n);", [0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
                          "73: error: index 5 is outside of the array, whose length is 5 [index-out-of-range]")

    def test_firings_that_do_nothing(self):
        self.check_filter("pop * push *", "if (iter() < 3) push(pop());", [0, 1, 2],
                          "31: error: 'D' fired 1000000 times in a row without moving an item [empty-firings]")

    def test_items_that_need_themselves(self):
        text = """void->void pipeline Main { add Count; add Loop; add Out; }
int->int feedbackloop Loop { join roundrobin(1, 1); body D; loop Identity<int>; split duplicate; enqueue 7; }
int->int filter D { work pop * push 1 { int n = pop(); n += pop(); if (n > 20) pop(); push(n); } }
"""
        self.check(text, [7, 8, 10, 13, 17], [], status=0)

    def test_queues_that_fill_the_memory(self):
        text = """void->void pipeline Main { add Big; add Ways; add Show; }
void->int[2000000] filter Big { int[2000000] k; work push 1 { push(k); k[0]++; } }
int[2000000]->int[2000000] splitjoin Ways { split roundrobin; add Thin; add Identity<int[2000000]>; join roundrobin; }
int[2000000]->int[2000000] filter Thin { work pop 1 push * { int[2000000] n = pop(); if (n[0] < 5) push(n); } }
int[2000000]->void filter Show { work pop 1 { println(pop()[0]); } }
"""
        self.check(text, [0, 1, 2, 3, 4, 5],
                   ["p.str:3:45: error: the memory for items on tapes exceeds the limit of 1073741824 [limit-exceeded]",
                    "note: in instance Main.Ways.split"])

    def test_the_end_of_a_file(self):
        self.file("numbers.raw", struct.pack("<8i", *range(1, 9)))
        text = """void->void pipeline Main { add FileReader<int>("numbers.raw"); add Groups; add Out; }
int->int filter Groups { work pop [1, *] push 1 { int n = pop(); int s = n; for (int i = 1; i < n; i++) s += pop(); push(s); } }
"""
        self.check(text, [1, 5, 22], [], "--limit", "9", status=0)

    def test_messages_that_come_too_late(self):
        text = """void->void pipeline Main { portal<G> p; add Count; add G to p; add D(p); add Out; }
int->int filter G { int g = 1; work pop 1 push 1 { push(g * pop()); } handler set(int v) { g = v; } }
int->int filter D(portal<G> p) { work pop 1 push 1 { int n = pop(); if (n == 4) p.set(7) [0:-n]; push(n); } }
"""
        self.check(text, [0, 1, 2, 3], ["p.str:3:81: error: the message from 'Main.D' to 'Main.G' is due before firing 2, "
                                        "which is already past [missed-deadline]",
                                        "note: in instance Main.D"])


class InBatches(Case):
    """Static parts of programs with dynamic rates fire often at a stretch, which nobody can tell."""

    PARTS = """
int->int filter Group { work pop [1, *] push 1 { int n = pop(); int s = n; for (int i = 0; i < (n & 3); i++) s += pop(); push(s); } }
int->int filter Fir { work pop 1 peek 33 push 1 { int s = 0; for (int i = 0; i < 33; i++) s += (i + 1) * (peek(i) ^ (s >> 3)); pop(); push(s); } }
int->int filter Pair { int n; work pop 2 push 1 { n++; push(pop() - 3 * pop() + n); } }
int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }
"""
    ENGINES = [["--interpret"], ["--no-interpret", "-j1"], ["--no-interpret", "-j2", "--no-tune"],
               ["--no-interpret", "-j3", "--no-tune", "--chunk=2"]]

    def test_files_of_any_length(self):
        for name, middle in [("behind", "add Group; add Fir; add Pair;"), ("before", "add Fir; add Pair; add Group;"),
                             ("both", "add Pair; add Fir; add Group; add Fir; add Pair;")]:
            self.file("p.str", f"int->int pipeline Main {{ {middle} }}{self.PARTS}")
            self.call("build", "--top=Main", "-o", "program", "p.str")
            for count in (1, 40, 1000, 20011):
                with self.subTest(program=name, items=count):
                    (self.folder / "in.raw").write_bytes(struct.pack(f"{count}i", *(k * k % 8191 for k in range(count))))
                    ends = ["--in", "in.raw", "--out", "out.raw"]
                    found = []
                    for engine in self.ENGINES:
                        out, err = self.call("run", "-w", "--top=Main", *engine, *ends, "p.str")
                        found.append((out, err, (self.folder / "out.raw").read_bytes()))
                    subprocess.run([self.folder / "program", *ends], cwd=self.folder, check=True)
                    self.assertEqual((self.folder / "out.raw").read_bytes(), found[0][2])
                    for other in found[1:]:
                        self.assertEqual(other, found[0])

    def test_a_pipe_gets_its_answer_at_once(self):
        """Iterations of which the input is not there yet are not waited for."""
        self.file("p.str", f"int->int pipeline Main {{ add Group; add Twice; add Twice; }}{self.PARTS}")
        process = subprocess.Popen([STRC, "run", "-w", "--top=Main", "--no-interpret", "p.str"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for k in range(300):
            process.stdin.write(struct.pack("i", 4 * k))  # of which Group takes no more than this one
            process.stdin.flush()
            self.assertEqual(struct.unpack("i", process.stdout.read(4))[0], 16 * k)
        process.stdin.close()
        self.assertEqual(process.wait(timeout=SECONDS), 0)
        process.stdout.close()


if __name__ == "__main__":
    unittest.main()
