#!/usr/bin/env python3
"""Executables that are several processes: the bytes of one, whatever happens, over sockets and under mpirun."""

import contextlib
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest
from pathlib import Path

from command import Case, clean

HEAVY = """
float->float filter Smooth(float a, int n) {
    float last;
    work pop 1 push 1 {
        float x = pop();
        for (int k = 0; k < n; k++) x = x + a * (sin(x) - last);
        last = x;
        push(x);
    }
}
float->float filter Window(int n) {
    work peek n pop 1 push 1 {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += peek(k) / (k + 1);
        push(sum);
        pop();
    }
}
"""
CHAIN = HEAVY + """float->float pipeline Main {
    add Smooth(0.5, 20); add Window(40); add Smooth(0.25, 20); add Window(7); add Smooth(0.125, 20);
}
"""
GAIN = HEAVY + """float->float filter Gain(float by) { work pop 1 push 1 { push(by * pop()); } }
float->float pipeline Main(float gain = 2) { add Smooth(0.5, 20); add Gain(gain); add Smooth(0.25, 20); }
"""
BRANCHES = HEAVY + """float->float pipeline Main {
    add Smooth(0.5, 5);
    add splitjoin { split duplicate; for (int k = 1; k < 5; k++) add Window(10 * k); join roundrobin; };
    add splitjoin { split roundrobin(2, 1, 1); for (int k = 1; k < 4; k++) add Smooth(0.1 * k, 9); join roundrobin(2, 1, 1); };
    add Window(5);
}
"""
LOOP = HEAVY + """float->float pipeline Main {
    add Smooth(0.5, 10);
    add feedbackloop { join roundrobin(1, 1); body float->float filter { work pop 2 push 2 { float x = pop() + 0.5 * pop(); push(x); push(x); } };
                       split roundrobin(1, 1); loop Identity<float>; enqueue 1.0; enqueue 2.0; };
    add Window(9); add Smooth(0.5, 10);
}
"""
FILES = HEAVY + """void->void pipeline Main {
    add FileReader<float>("in.raw"); add Smooth(0.5, 20); add Window(30); add Smooth(0.1, 20);
    add splitjoin { split duplicate; add FileWriter<float>("one.raw"); add pipeline { add Window(3); add FileWriter<float>("two.raw"); }; join roundrobin(0); };
}
"""
FAULT = HEAVY + """void->void pipeline Main {
    add FileReader<float>("in.raw"); add Smooth(0.5, 20); add Window(30);
    add float->float filter { int n; work pop 1 push 1 { int[4] x; n++; x[n / 5000] = 1; push(pop() + x[0]); } };
    add Smooth(0.1, 20); add FileWriter<float>("one.raw");
}
"""
PRINTS = HEAVY + """void->void pipeline Main {
    add void->float filter { int n; work push 1 { push(n++ % 100); } };
    add Smooth(0.5, 20); add Window(30); add Smooth(0.1, 20); add float->void filter { work pop 1 { println(pop()); } };
}
"""
RANDOM = HEAVY + """void->float pipeline Main {
    add Random(); add Smooth(0.5, 20); add Window(30); add Smooth(0.1, 20);
}
void->float filter Random { work push 1 { push(random()); } }
"""


def floats(count):
    values = random.Random(7)
    return struct.pack(f"{count}f", *(values.uniform(-1, 1) for _ in range(count)))


class Ranks(Case):
    def build(self, text, *words, name="made"):
        path = self.file(f"{name}.str", text)
        self.call("build", "--ranks", "-o", name, "--top", "Main", *words, path)

    def made(self, *words, name="made", status=0, **how):
        return self.call(*words, executable=f"./{name}", status=status, **how)

    def begin(self, *words, env=None):
        return subprocess.Popen(["./made", *words], cwd=self.folder, env=clean(env), start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def graph(self, *words):
        return self.call("graph", *words)[0].decode()

    def results(self, names):
        return [self.bytes(name) for name in names]

    def alone(self, text, words, files, items):
        """What one process does: options for files, names of outputs, what it said, what it wrote."""
        self.build(text)
        self.file("in.raw", floats(items))
        how = ("--in", "in.raw", "--out", "out.raw") if not files and "float->float pipeline Main" in text else ()
        names = files or (("out.raw",) if how else ())
        alone = self.made(*how, *words)
        whole = self.results(names)
        return how, names, alone, whole

    def check(self, text, *words, files=(), items=30_000):
        """With one process, and with several."""
        how, names, alone, whole = self.alone(text, words, files, items)
        self.assertTrue(all(whole))
        for ranks in (2, 3, 4):
            for more in ((), ("-j2",)):
                with self.subTest(ranks=ranks, more=more):
                    self.assertEqual(self.made("--ranks", ranks, *how, *more, *words), alone)
                    self.assertEqual(self.results(names), whole)

    def test_chain(self):
        self.check(CHAIN)

    def test_branches(self):
        self.check(BRANCHES)

    def test_loop(self):
        self.check(LOOP)

    def test_files_of_filters(self):
        self.check(FILES, files=("one.raw", "two.raw"))

    def test_prints(self):
        self.check(PRINTS, "-i", "20000")

    def test_limits(self):
        self.check(CHAIN, "-i", "12345")
        self.check(CHAIN, "--limit", "7777")
        self.check(FILES, "--limit", "7777", files=("one.raw", "two.raw"))

    def test_random(self):
        self.build(RANDOM)
        whole = self.made("-i", "20000", "--out", "out.raw") and self.bytes("out.raw")
        self.made("-i", "20000", "--out", "out.raw", "--ranks", "3")
        self.assertEqual(self.bytes("out.raw"), whole)

    def test_fault(self):
        """As in one process: the text, the place, and what had been written."""
        self.build(FAULT)
        self.file("in.raw", floats(30_000))
        alone = self.made(status=1)
        self.assertIn("index-out-of-range", alone[1])
        whole = self.bytes("one.raw")
        for ranks in (2, 4):
            self.assertEqual(self.made("--ranks", ranks, status=1), alone)
            self.assertEqual(self.bytes("one.raw"), whole)

    def test_slow_network(self):
        self.build(CHAIN)
        self.file("in.raw", floats(8_000))
        self.made("--in", "in.raw", "--out", "out.raw")
        whole = self.bytes("out.raw")
        self.made("--in", "in.raw", "--out", "out.raw", "--ranks", "3", env={"STRC_TEST_NETWORK": "2000000 0.1"})
        self.assertEqual(self.bytes("out.raw"), whole)

    def test_numbers_of_the_run(self):
        """Once, with the items of all ranks."""
        self.build(CHAIN)
        self.file("in.raw", floats(8_000))
        told = [self.made("--in", "in.raw", "--out", "out.raw", *more, "--stats", "--time")[1] for more in ((), ("--ranks", "3"))]
        alone, shared = (re.sub(r"\d+\.\d+ s|\([^)]*/s\)", "", text) for text in told)
        self.assertIn("; 8000 items read", alone)
        self.assertEqual(shared, alone)

    def test_many_ranks(self):
        """A process has a socket to rank 0 and to its neighbours, and not to each other one."""

        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))

        self.build(CHAIN)
        self.file("in.raw", floats(8_000))
        self.made("--in", "in.raw", "--out", "out.raw")
        whole = self.bytes("out.raw")
        self.made("--in", "in.raw", "--out", "out.raw", "--ranks", "48", preexec_fn=few)
        self.assertEqual(self.bytes("out.raw"), whole)

    def test_sounds_on_both_sides(self):
        """What the input tells is known to the rank that writes."""
        self.build(CHAIN)
        self.file("in.raw", floats(9_000))
        path = self.file("wave.str", "float->float filter Main { work pop 1 push 1 { push(pop()); } }")
        self.call("run", "--top", "Main", "--in", "in.raw", "--out", "in.wav", "--out-rate", "8000", path)
        self.made("--in", "in.wav", "--out", "one.wav")
        self.made("--in", "in.wav", "--out", "two.wav", "--ranks", "3")
        self.assertEqual(self.bytes("one.wav"), self.bytes("two.wav"))

    # ---- what cannot be

    def refused(self, text, why, *words):
        path = self.file("no.str", text)
        err = self.call("build", "--ranks", "-o", "no", "--top", "Main", *words, path, status=1)[1]
        self.assertIn(why, err)
        self.assertFalse((self.folder / "no").exists())

    def test_refusals(self):
        self.refused("void->void filter Main { int n; work { println(n++); } }", "ranks cannot share it: there is nothing between")
        self.refused("float->float pipeline Main { add float->float filter { work pop * push 1 { push(pop()); } }; add Identity<float>; }",
                     "ranks cannot share it: what follows what is decided by the items, as rates are dynamic")
        self.refused("""void->void pipeline Main { portal<Told> all; add Count; add Tell(all); add Told to all; }
void->int filter Count { int n; work push 1 { push(n++); } }
int->int filter Tell(portal<Told> all) { work pop 1 push 1 { int x = pop(); push(x); if (x % 7 == 0) all.take(x) [2:2]; } }
int->void filter Told { int kept; work pop 1 { println(pop() + kept); } handler take(int x) { kept = x; } }
""", "ranks cannot share it: it sends messages, which have an order")
        path = self.file("made.str", CHAIN)
        for word in ("--shared", "--static", "--profile"):
            self.assertIn("conflicting-options", self.call("build", "--ranks", word, "--top", "Main", "-o", "x", path, status=2)[1])

    def test_numbers_that_are_none(self):
        self.build(CHAIN)
        for number in ("0", "1025", "-1", "two", "1.5"):
            self.assertIn(f"'{number}' is not a value for --ranks: a number from 1 to 1024 is needed", self.made("--ranks", number, status=2)[1])
        for word in ("-1", "often", "1s"):
            self.assertIn("a number of seconds is needed", self.made("--checkpoint", "kept", "--every", word, status=2)[1])
        self.assertIn("--every needs --checkpoint", self.made("--every", "3", status=2)[1])

    def test_options_of_others(self):
        path = self.file("made.str", CHAIN)
        self.call("build", "-o", "made", "--top", "Main", path)
        self.assertIn("'--ranks' is for executables that were built with --ranks", self.made("--ranks", "2", status=2)[1])
        self.build(CHAIN)
        self.assertIn("--resume needs --checkpoint", self.made("--resume", status=2)[1])

    def test_files_that_cannot_be_opened(self):
        self.build(CHAIN)
        err = self.made("--in", "missing.raw", "--out", "out.raw", "--ranks", "3", status=1)[1]
        self.assertEqual(err.count("error"), 1, err)
        self.assertIn("cannot open 'missing.raw'", err)
        self.file("in.raw", floats(100))
        err = self.made("--in", "in.raw", "--out", "no/such/out.raw", "--ranks", "3", status=1)[1]
        self.assertIn("'no/such/out.raw'", err)

    # ---- checkpoints

    ON = ("--in", "in.raw", "--out", "out.raw", "--checkpoint", "kept", "--every", "0")

    def test_killed_at_random(self):
        """Whatever rank is killed, and whenever: the next run goes on, and in the end the file is that of one."""
        self.build(CHAIN)
        self.file("in.raw", floats(120_000))
        self.made("--in", "in.raw", "--out", "out.raw")
        whole = self.bytes("out.raw")
        moments = random.Random(3)
        for ranks in (2, 4):
            shutil.rmtree(self.folder / "kept", ignore_errors=True)
            self.file("out.raw", b"")
            for _ in range(6):
                run = self.begin("--ranks", str(ranks), *self.ON, "--resume")
                time.sleep(moments.uniform(0.02, 0.4))
                children = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True).stdout.split()
                victims = [run.pid, *map(int, children)]
                try:
                    os.kill(moments.choice(victims), signal.SIGKILL)
                except ProcessLookupError:
                    pass
                run.communicate(timeout=60)
            self.made("--ranks", ranks, *self.ON, "--resume")
            self.assertEqual(self.bytes("out.raw"), whole)

    def checkpoint(self, ranks=2):
        self.build(CHAIN)
        self.file("in.raw", floats(60_000))
        self.made("--ranks", ranks, *self.ON)
        return self.bytes("out.raw"), sorted((self.folder / "kept").glob("rank-1.*"))[0]

    def test_goes_on_from_the_last(self):
        whole, _ = self.checkpoint()
        self.file("in.raw", bytes(120_000) + self.bytes("in.raw")[120_000:])  # who began anew would read other items
        self.made("--ranks", "2", *self.ON, "--resume")
        self.assertEqual(self.bytes("out.raw"), whole)
        self.assertEqual(len(list((self.folder / "kept").iterdir())), 3)

    def test_a_run_from_the_start_leaves_no_checkpoint_of_another(self):
        """Killed before its first checkpoint it would be taken for the run before."""
        self.checkpoint()
        self.made("--ranks", "2", *self.ON[:-1], "1000")
        self.assertFalse((self.folder / "kept/checkpoint").exists())

    def test_what_is_wrong_with_a_checkpoint(self):
        _, path = self.checkpoint()
        good = path.read_bytes()

        def fails(why, ranks=2):
            err = self.made("--ranks", ranks, *self.ON, "--resume", status=1)[1]
            self.assertIn(why, err)
            self.assertIn("[cannot-read-file]", err)

        path.write_bytes(good[:-100])
        fails("it is not complete: its end is missing")
        path.write_bytes(good[:200] + bytes([good[200] ^ 1]) + good[201:])
        fails("it is damaged")
        path.unlink()
        fails("No such file")
        path.write_bytes(good)
        fails("2 ranks have written it, and these are 3", 3)
        manifest = self.folder / "kept" / "checkpoint"
        text = manifest.read_text()
        manifest.write_text(text[:-4])
        fails("it is damaged, or no checkpoint")
        manifest.write_text(text)
        self.build(CHAIN.replace("0.125", "0.25"))
        fails("it is of another program")

    def test_a_checkpoint_of_a_run_with_other_options(self):
        """What is written behind it would not go with what was written before."""
        self.build(GAIN, "--keep-param", "gain")
        self.file("in.raw", floats(4000))
        first = ("-D", "gain=2", "--limit", "2000")
        self.made("--ranks", "2", *self.ON, *first)
        whole = self.bytes("out.raw")
        for other in (("-D", "gain=3", "--limit", "2000"), ("-D", "gain=2", "--limit", "3000"), ("-D", "gain=2")):
            with self.subTest(options=other):
                err = self.made("--ranks", "2", *self.ON, *other, "--resume", status=1)[1]
                self.assertIn("it is of a run with other values of parameters, or another --limit", err)
                self.assertEqual(self.bytes("out.raw"), whole)
        self.made("--ranks", "2", *self.ON, *first, "--resume")
        self.assertEqual(self.bytes("out.raw"), whole)

    def test_a_checkpoint_of_another_layout(self):
        _, path = self.checkpoint()
        good, manifest = path.read_bytes(), self.folder / "kept" / "checkpoint"
        text = manifest.read_text()
        for layout, why in ((1, "an older strc has written it"), (99, "a newer strc has written it")):
            path.write_bytes(good[:8] + struct.pack("<I", layout) + good[12:])
            self.assertIn(why, self.made("--ranks", "2", *self.ON, "--resume", status=1)[1])
            path.write_bytes(good)
            manifest.write_text(text.replace("checkpoint 2", f"checkpoint {layout}"))
            self.assertIn(why, self.made("--ranks", "2", *self.ON, "--resume", status=1)[1])
            manifest.write_text(text)

    def test_what_is_wrong_with_the_checkpoint_of_any_rank(self):
        """Who is not concerned ends as well, and nothing is told but what is wrong."""
        self.checkpoint(3)
        whole = self.bytes("out.raw")
        for rank in range(3):
            path = next((self.folder / "kept").glob(f"rank-{rank}.*"))
            good = path.read_bytes()
            newer = good[:8] + struct.pack("<I", 99) + good[12:]
            for bad, why in ((good[:-1], "its end is missing"), (good[:-9] + b"?" + good[-8:], "it is damaged"), (newer, "a newer strc"), (b"", "no checkpoint")):
                with self.subTest(rank=rank, why=why):
                    path.write_bytes(bad)
                    err = self.made("--ranks", "3", *self.ON, "--resume", status=1)[1]
                    self.assertIn(path.name, err)
                    self.assertIn(why, err)
                    self.assertEqual(err.count("error"), 1, err)
            path.write_bytes(good)
        self.made("--ranks", "3", *self.ON, "--resume")
        self.assertEqual(self.bytes("out.raw"), whole)

    def test_what_interrupted_runs_have_left_goes(self):
        """Files of other epochs, half ones, and those of more ranks; other files of the folder stay."""
        self.checkpoint()
        kept = self.folder / "kept"
        stay = {"rank-1", "rank-1.x", "rank-x.7", "rank-1.7.newer", "notes"}
        for name in {"rank-0.7", "rank-1.7", "rank-1.99.new", "rank-5.7", "rank-5.8.new", *stay}:
            (kept / name).write_bytes(b"")
        self.made("--ranks", "2", *self.ON)
        left = {path.name for path in kept.iterdir()}
        epoch = (kept / "checkpoint").read_text().split()[4]
        self.assertEqual(left, {"checkpoint", f"rank-0.{epoch}", f"rank-1.{epoch}", *stay})

    def test_outputs_that_cannot_be_taken_up(self):
        self.build(CHAIN)
        self.file("in.raw", floats(1000))
        err = self.made("--ranks", "2", "--in", "in.raw", "--checkpoint", "kept", status=1)[1]
        self.assertIn("with --checkpoint an output has to be a regular file", err)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no full device")
    def test_full_disk(self):
        """The checkpoint before stays whole."""
        self.build(CHAIN)
        self.file("in.raw", floats(60_000))
        self.made("--in", "in.raw", "--out", "out.raw")
        whole = self.bytes("out.raw")
        size = len(whole) // 2

        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        err = self.made("--ranks", "2", *self.ON, status=1, preexec_fn=small)[1]
        self.assertIn("File too large", err)
        self.made("--ranks", "2", *self.ON, "--resume")
        self.assertEqual(self.bytes("out.raw"), whole)

    # ---- a death

    def test_death_ends_the_others(self):
        self.build(CHAIN)
        os.mkfifo(self.folder / "in.raw")
        run = self.begin("--ranks", "3", "--in", "in.raw", "--out", "out.raw")
        with open(self.folder / "in.raw", "wb") as pipe:
            pipe.write(floats(1000))
            pipe.flush()
            children = []
            for _ in range(200):
                children = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True).stdout.split()
                if len(children) == 2:
                    break
                time.sleep(0.01)
            os.kill(int(children[-1]), signal.SIGKILL)
            with contextlib.suppress(BrokenPipeError):
                pipe.write(floats(200_000))
                pipe.flush()
        err = run.communicate(timeout=60)[1]
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("its process has ended", err)

    # ---- what is shown

    def test_graph(self):
        path = self.file("made.str", CHAIN)
        for count in (2, 4):
            text = self.graph("--ranks", count, "--format", "txt", "--top", "Main", path)
            self.assertIn(f"{count} of {count} ranks, 10 us from one to another", text)
            self.assertIn("bytes a steady state", text)
            self.assertIn("\n 1024 ", text)
            self.assertIn("Main.Smooth[", text.splitlines()[-1])
        picture = self.graph("--ranks", "2", "--top", "Main", path)
        self.assertIn("rank 1", picture)
        self.assertIn("times as fast as one rank by the model", picture)
        slow = self.graph("--ranks", "4", "--network", "1ms,1Mb", "--format", "txt", "--top", "Main", path)
        self.assertNotEqual(slow.splitlines()[0].split(":")[1], text.splitlines()[0].split(":")[1])
        for other in ("1.2.3us,1Gb", "..us,1Gb", "9" * 400 + "us,1Gb", "1us,0.0Gb"):
            self.assertIn("--network", self.call("graph", "--ranks", "2", "--network", other, "--top", "Main", path, status=2)[1])
        err = self.call("graph", "--ranks", "2", "--network", "fast", "--top", "Main", path, status=2)[1]
        self.assertIn("a time and a rate, such as 10us,10Gb", err)

    def test_graph_says_why_one_rank_does_all(self):
        def summary(text, *words):
            lines = self.graph("--ranks", "4", "--format", "txt", "--top", "Main", *words, self.file("made.str", text)).splitlines()
            self.assertTrue(lines[0].startswith("1 of 4 ranks, "), lines[0])
            why = lines[0].split("; ")[1]
            self.assertTrue(lines[-1].endswith(why), lines[-1])
            self.assertTrue(next(line for line in lines if line.split()[:2] == ["1", "1"]).endswith("  one rank does all"))
            return why

        loop = ("int->int feedbackloop Main { join roundrobin(1, 1); split roundrobin(1, 1); loop Identity<int>; enqueue 1; "
                "body int->int filter { work pop 2 push 2 { int x = pop() + pop(); push(x); push(x); } }; }")
        self.assertRegex(summary(loop), r"one rank does all: \d+% of the work is that of Main.filter, which cannot be cut \(a feedback loop\)")
        one = HEAVY + "float->float pipeline Main { add Smooth(0.5, 200); add float->float filter { work pop 1 push 1 { push(-pop()); } }; }"
        self.assertRegex(summary(one), r"one rank does all: \d+% of the work is that of Main.Smooth, which cannot be cut")
        light = "float->float pipeline Main { for (int k = 0; k < 4; k++) add float->float filter { float x; work pop 1 push 1 { x = x * 0.5 + pop(); push(x); } }; }"
        self.assertEqual(summary(light, "--network", "1ms,1Mb"), "one rank does all: to hand items on takes longer than others would save")

    def test_graph_of_what_cannot_be_cut(self):
        path = self.file("no.str", "void->void filter Main { int n; work { println(n++); } }")
        out = self.graph("--ranks", "2", "--format", "txt", "--top", "Main", path)
        self.assertIn("ranks cannot share this program: there is nothing between which it could be cut", out)


LAUNCHERS = [name for name in ("mpirun.openmpi", "mpirun.mpich") if shutil.which(name)]


@unittest.skipUnless(LAUNCHERS, "there is no MPI")
class Mpi(Ranks):
    """The same over MPI, as far as it is there."""

    @staticmethod
    def env():
        return clean({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"})

    def launch(self, launcher, ranks, *words, status=0):
        more = ["--oversubscribe"] if "openmpi" in launcher else []
        run = subprocess.run([launcher, *more, "-n", str(ranks), *words], cwd=self.folder, env=self.env(), capture_output=True, text=True,
                             timeout=300)
        if status is not None:
            self.assertEqual(run.returncode, status, run.stderr)
        return run

    def check(self, text, *words, files=(), items=30_000):
        how, names, alone, whole = self.alone(text, words, files, items)
        for launcher in LAUNCHERS:
            for ranks in (2, 3):
                with self.subTest(launcher=launcher, ranks=ranks):
                    run = self.launch(launcher, ranks, "./made", *how, *words)
                    self.assertEqual(run.stdout, alone[0].decode())
                    self.assertEqual(self.results(names), whole)

    @unittest.skipUnless("mpirun.openmpi" in LAUNCHERS and shutil.which("unshare"), "there is no namespace for Open MPI")
    def test_a_network_of_its_own(self):
        """Over TCP in a network namespace: slowed down by netem where the kernel has it, else by the messages themselves."""
        script = """ip link set lo up || exit 77
if ! tc qdisc add dev lo root netem delay 1ms rate 100mbit 2>/dev/null; then export STRC_TEST_NETWORK='1000000 0.0125'; fi
exec mpirun.openmpi --oversubscribe --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo -x STRC_TEST_NETWORK -n 3 "$@"
"""
        self.build(CHAIN)
        self.file("in.raw", floats(8_000))
        self.made("--in", "in.raw", "--out", "out.raw")
        whole = self.bytes("out.raw")
        self.file("out.raw", b"")
        run = subprocess.run(["unshare", "--map-root-user", "--net", "sh", "-c", script, "sh", "./made", "--in", "in.raw", "--out", "out.raw"],
                             cwd=self.folder, env=self.env(), capture_output=True, text=True, timeout=300)
        if run.returncode == 77 or "unshare" in run.stderr:
            self.skipTest(f"there can be no namespace: {run.stderr}")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.bytes("out.raw"), whole)

    def test_another_program(self):
        self.build(CHAIN)
        self.build(CHAIN.replace("0.125", "0.25"), name="other")
        self.file("in.raw", floats(1000))
        for launcher in LAUNCHERS:
            words = ("--in", "in.raw", "--out", "out.raw")
            run = self.launch(launcher, 1, "./made", *words, ":", "-n", "1", "./other", *words, status=None)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("rank 1", run.stderr)
            self.assertIn("it runs another program than rank 0", run.stderr)

    def test_another_number_than_mpirun_has(self):
        self.build(CHAIN)
        self.file("in.raw", floats(1000))
        for launcher in LAUNCHERS:
            run = self.launch(launcher, 2, "./made", "--in", "in.raw", "--out", "out.raw", "--ranks", "3", status=None)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("'3' is not a value for --ranks: 2, the number that mpirun has started, is needed", run.stderr)

    def test_without_the_library(self):
        """An mpirun has started the ranks, and its library is not where they look for it."""
        self.build(CHAIN)
        self.file("in.raw", floats(1000))
        for launcher in LAUNCHERS:
            run = self.launch(launcher, 2, "env", "STRC_MPI_LIB=libnone.so.1", "./made", "--in", "in.raw", "--out", "out.raw", status=None)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("cannot open 'MPI': libnone.so.1: cannot open shared object file", run.stderr)

    def test_another_limit(self):
        """It would have another cut."""
        self.build(CHAIN)
        self.file("in.raw", floats(1000))
        for launcher in LAUNCHERS:
            words = ("--in", "in.raw", "--out", "out.raw", "--limit")
            run = self.launch(launcher, 1, "./made", *words, "100", ":", "-n", "1", "./made", *words, "200", status=None)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("its parameters, or its --limit, have other values than those of rank 0", run.stderr)

    def test_an_output_that_cannot_be_opened(self):
        """Ranks that have opened theirs do not wait for the one that has not."""
        self.build(CHAIN)
        self.file("in.raw", floats(1000))
        for launcher in LAUNCHERS:
            run = self.launch(launcher, 3, "./made", "--in", "in.raw", "--out", "no/such/out.raw", status=None)
            self.assertNotEqual(run.returncode, 0)
            self.assertEqual(run.stderr.count("'no/such/out.raw'"), 1, run.stderr)

    def ranks_that_run(self):
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(path / "exe") == str(self.folder / "made"):
                    found.append(int(path.name))
        return found

    def test_killed_under_mpirun(self):
        """A death ends the job, and the next one goes on."""
        self.build(CHAIN)
        self.file("in.raw", floats(200_000))
        self.made("--in", "in.raw", "--out", "out.raw")
        whole = self.bytes("out.raw")
        for launcher in LAUNCHERS:
            shutil.rmtree(self.folder / "kept", ignore_errors=True)
            self.file("out.raw", b"")
            more = ["--oversubscribe"] if "openmpi" in launcher else []
            for _ in range(2):
                run = subprocess.Popen([launcher, *more, "-n", "3", "./made", *self.ON, "--resume"], cwd=self.folder, env=self.env(),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                manifest = self.folder / "kept" / "checkpoint"
                before = manifest.read_text() if manifest.exists() else ""
                while run.poll() is None and (not manifest.exists() or manifest.read_text() == before):
                    time.sleep(0.01)
                running = self.ranks_that_run()
                if running:
                    os.kill(running[-1], signal.SIGKILL)
                run.wait(60)
            self.launch(launcher, 3, "./made", *self.ON, "--resume")
            self.assertEqual(self.bytes("out.raw"), whole)


for name in [name for name in dir(Ranks) if name.startswith("test_")]:
    if name not in {"test_chain", "test_branches", "test_files_of_filters", "test_prints", "test_limits"} and name in Ranks.__dict__:
        setattr(Mpi, name, None)  # these are about other things than the transport

if __name__ == "__main__":
    unittest.main()
