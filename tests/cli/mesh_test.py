#!/usr/bin/env python3
"""Executables whose ranks share large products: the bytes of one process with the same parts, over sockets and under mpirun."""

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import unittest
from pathlib import Path

from command import Case, clean

NET = """float->float pipeline Main {
    add frame({64, 256});
    add linear(256, 256, weights = "up"); add relu(); add linear(256, 128, weights = "down");
    add unframe({64, 128});
}
"""
PRINTS = """void->void pipeline Main {
    add float->float pipeline { add Count; add frame({64, 256}); add linear(256, 256, weights = "up"); add unframe({64, 256}); };
    add float->void filter { work pop 16384 { float sum = 0; for (int k = 0; k < 16384; k++) sum += pop(); println(sum); } };
}
void->float filter Count { int n; work push 1 { push(n++ % 100); } }
"""
SILENT = """void->void pipeline Main {
    add float->float pipeline { add Count; add frame({64, 256}); add linear(256, 256, weights = "up"); add unframe({64, 256}); };
    add float->void filter { float sum; work pop 16384 { for (int k = 0; k < 16384; k++) sum += pop(); } };
}
void->float filter Count { int n; work push 1 { push(n++ % 100); } }
"""
NO_PRODUCT = """void->void pipeline Main { add void->int filter { int n; work push 1 { push(n++); } }; add int->void filter { int sum; work pop 1 { sum += pop(); } }; }
"""
RANDOMS = """void->float pipeline Main {
    add void->float filter { work push 1 { push(random()); } }; add frame({64, 256}); add linear(256, 256, weights = "up"); add unframe({64, 256});
    add float->float filter { work pop 1 push 1 { push(pop() + random()); } };
}
"""
TANGLED = """float->float pipeline Main {
    add frame({64, 256});
    add linear(256, 512, weights = "a");
    add splitjoin { split duplicate; add pipeline { add linear(512, 512, weights = "b"); add gelu(); }; add Same; join roundrobin; };
    add Sum;
    add linear(512, 256, weights = "c"); add softmax(dim = 1); add linear(256, 320, weights = "d"); add relu(); add linear(320, 320, weights = "e");
    add tanh(); add linear(320, 256, weights = "f");
    add unframe({64, 256});
}
tensor->tensor filter Same { work pop 1 push 1 { push(pop()); } }
tensor->tensor filter Sum { work pop 2 push 1 { tensor x = pop(); push(x + pop()); } }
"""
LARGE = """tensor->tensor pipeline Main { add linear(64, 4096, weights = "up"); }
"""
FAULT = """float->float pipeline Main {
    add frame({64, 256}); add linear(256, 256, weights = "up"); add unframe({64, 256});
    add float->float filter { int n; work pop 16384 push 1 { int[4] x; n++; x[n] = 1; push(peek(0) + x[0]); for (int k = 0; k < 16384; k++) pop(); } };
}
"""
ITEM = 64 * 256
SPLITS = ("1:64", "1:100", "0:16", "sums:64", "sums:100", "pairs:64", "pairs:100")
LAUNCHERS = [name for name in ("mpirun.openmpi", "mpirun.mpich") if shutil.which(name)]


def floats(count):
    values = random.Random(7)
    return struct.pack(f"{count}f", *(values.uniform(-1, 1) for _ in range(count)))


class Mesh(Case):
    FILES = ("--in", "in.raw", "--out", "out.raw")

    def build(self, text, split, *words, name="made", weights="random:1", status=0):
        path = self.file(f"{name}.str", text)
        return self.call("build", "--ranks", "--split", split, "--weights", weights, "-o", name, "--top", "Main", *words, path, status=status)

    def made(self, *words, name="made", status=0, **how):
        return self.call(*words, executable=f"./{name}", status=status, **how)

    def alone(self, items=3):
        self.file("in.raw", floats(items * ITEM))
        self.made(*self.FILES)
        return self.bytes("out.raw")

    def launch(self, launcher, ranks, *words):
        more = ["--oversubscribe"] if "openmpi" in launcher else []
        env = clean({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"})
        return subprocess.run([launcher, *more, "-n", str(ranks), *words], cwd=self.folder, env=env, capture_output=True, text=True, timeout=300)

    def children(self, run, count):
        """The ranks other than the first, once there are so many: then all hear signals."""
        while len(found := [int(word) for word in Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()]) < count:
            self.assertIsNone(run.poll(), "it has ended")
            time.sleep(0.01)
        return found

    def test_all_parts_over_sockets(self):
        for split in SPLITS:
            self.build(NET, split)
            whole = self.alone()
            self.assertEqual(len(whole), 3 * 64 * 128 * 4)
            for ranks in (2, 3, 4):
                with self.subTest(split=split, ranks=ranks):
                    self.file("out.raw", b"")
                    self.made("--ranks", ranks, *self.FILES)
                    self.assertEqual(self.bytes("out.raw"), whole)

    @unittest.skipUnless(LAUNCHERS, "there is no MPI")
    def test_under_mpirun(self):
        for split in ("1:100", "sums:100", "pairs:100"):
            self.build(NET, split)
            whole = self.alone()
            for launcher in LAUNCHERS:
                for ranks in (2, 3):
                    with self.subTest(split=split, launcher=launcher, ranks=ranks):
                        self.file("out.raw", b"")
                        run = self.launch(launcher, ranks, "./made", *self.FILES)
                        self.assertEqual(run.returncode, 0, run.stderr)
                        self.assertEqual(self.bytes("out.raw"), whole)

    def test_close_to_the_whole_product(self):
        for text, split in ((NET, "sums:64"), (NET, "pairs:64"), (TANGLED, "pairs:100")):
            self.build(text, split)
            parts = self.alone()
            self.call("build", "--weights", "random:1", "-o", "plain", "--top", "Main", self.file("made.str", text))
            self.made(*self.FILES, name="plain")
            whole = self.bytes("out.raw")
            self.assertEqual(len(whole), len(parts))
            for one, two in zip(struct.iter_unpack("f", whole), struct.iter_unpack("f", parts)):
                self.assertAlmostEqual(one[0], two[0], delta=1e-4 * max(1, abs(one[0])))

    def test_run_has_the_same_parts(self):
        """In the process of the compiler, with any number of workers."""
        self.build(NET, "sums:100")
        whole = self.alone()
        for workers in ("1", "3"):
            self.file("out.raw", b"")
            self.call("run", "--split", "sums:100", "-j", workers, "--weights", "random:1", "--top", "Main", *self.FILES, self.file("made.str", NET))
            self.assertEqual(self.bytes("out.raw"), whole)

    def graph_of(self, layers, *words):
        path = self.file("made.str", f"tensor->tensor pipeline Main {{ {layers} }}\n")
        return self.call("graph", "--ranks", "2", "--weights", "random:1", "--input", "64x256", "--format", "txt", "--top", "Main", *words, path)[0].decode()

    def test_pairs(self):
        """Columns of the first product stay where the second one sums them up, if what is between goes place by place, and nobody else reads them."""
        up, down = 'add linear(256, 512, weights = "up");', 'add linear(512, 128, weights = "down");'
        for between in ("", "add relu();", "add gelu();", "add tanh();"):
            with self.subTest(between):
                text = self.graph_of(f"{up} {between} {down}", "--split", "pairs:64")
                self.assertEqual(text.count("8 parts of 64 columns, at most 4 on a rank with their weights alone; they stay there for the next product"), 1, text)
                self.assertEqual(text.count("8 parts of 64 sums, at most 4 on a rank with their weights alone; "), 1, text)
                # Two stripes of half of 64 x 128 floats for four parts and the sums.
                self.assertIn("in a steady state 81920 bytes come to each rank", text)
        for between in ("add softmax(dim = 1);", 'add layernorm({512}, weights = "norm");'):
            with self.subTest(between):
                text = self.graph_of(f"{up} {between} {down}", "--split", "pairs:64")
                self.assertNotIn("they stay there", text)
                self.assertEqual(text.count("parts of 64 columns"), 2, text)
        self.assertIn("whole on each rank, as it has no more than 600 columns", self.graph_of(f"{up} {down}", "--split", "pairs:600"))

    def test_what_is_read_elsewhere_is_no_pair(self):
        """A shortcut, two readers, what goes along the columns, and three products behind each other: all ranks give the same."""
        self.build(TANGLED, "pairs:64")
        whole = self.alone(2)
        for ranks in (2, 3):
            self.file("out.raw", b"")
            self.made("--ranks", ranks, *self.FILES)
            self.assertEqual(self.bytes("out.raw"), whole)

    def test_a_reader_that_starts_otherwise_is_no_pair(self):
        """Its prework would take a whole array of which each rank has some columns."""
        text = """float->float pipeline Main {
    add frame({64, 256}); add linear(256, 512, weights = "up"); add Down; add unframe({64, 128});
}
tensor->tensor filter Down {
    tensor<float>[128, 512] weight = stored("down", "weight");
    prework pop 1 push 1 { tensor x = pop(); push(2 * matmul(x, transpose(weight, 0, 1))); }
    work pop 1 push 1 { tensor x = pop(); push(matmul(x, transpose(weight, 0, 1))); }
}
"""
        self.build(text, "pairs:64")
        whole = self.alone(2)
        self.file("out.raw", b"")
        self.made("--ranks", "2", *self.FILES)
        self.assertEqual(self.bytes("out.raw"), whole)

    def test_prints_once(self):
        self.build(PRINTS, "1:64")
        alone = self.made("-i", "4")
        self.assertEqual(alone[0].count(b"\n"), 4)
        self.assertEqual(self.made("-i", "4", "--ranks", "3"), alone)

    def test_limits(self):
        self.build(NET, "1:64")
        self.file("in.raw", floats(5 * ITEM + 7))
        for words in ((), ("--limit", "9000"), ("-i", "2"), ("--tail", "pad")):
            self.made(*self.FILES, *words)
            whole = self.bytes("out.raw")
            self.file("out.raw", b"")
            self.made(*self.FILES, *words, "--ranks", "3")
            self.assertEqual(self.bytes("out.raw"), whole)

    def test_fault(self):
        """As in one process, and told once."""
        self.build(FAULT, "1:64")
        self.file("in.raw", floats(8 * ITEM))
        alone = self.made(*self.FILES, status=1)
        self.assertIn("index-out-of-range", alone[1])
        whole = self.bytes("out.raw")
        self.file("out.raw", b"")
        self.assertEqual(self.made(*self.FILES, "--ranks", "3", status=1), alone)
        self.assertEqual(self.bytes("out.raw"), whole)

    def test_time_and_signals(self):
        self.build(PRINTS, "1:64")
        self.made("--seconds", "0.5", "--ranks", "2")
        run = subprocess.Popen(["./made", "--ranks", "2"], cwd=self.folder, env=clean(None), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.children(run, 1)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)

    def test_time_and_signals_where_nothing_is_read_or_written(self):
        for name, text in (("products", SILENT), ("none", NO_PRODUCT)):
            with self.subTest(name):
                self.build(text, "1:64")
                self.made("--seconds", "0.3", "--ranks", "3")
                run = subprocess.Popen(["./made", "--ranks", "3"], cwd=self.folder, env=clean(None), stderr=subprocess.PIPE)
                self.children(run, 2)
                run.send_signal(signal.SIGTERM)
                run.communicate(timeout=120)
                self.assertEqual(run.returncode, 143)

    @unittest.skipUnless(LAUNCHERS, "there is no MPI")
    def test_messages_that_mpi_has_to_take_in_pieces(self):
        for split in ("1:100", "sums:100"):
            self.build(NET, split)
            whole = self.alone()
            for launcher in LAUNCHERS:
                with self.subTest(split=split, launcher=launcher):
                    self.file("out.raw", b"")
                    run = self.launch(launcher, 3, "env", "STRC_TEST_MESSAGE=1000", "./made", *self.FILES)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(self.bytes("out.raw"), whole)

    def test_no_memory_for_parts(self):
        """64 partial results of 64 MB are more than there is."""
        self.build(LARGE, "sums:1", "--input", "4096x64")
        self.file("in.raw", bytes(4096 * 64 * 4))
        self.file("limited", '#!/bin/sh\nulimit -v 3000000\nexec ./made "$@"\n')
        (self.folder / "limited").chmod(0o755)
        files = ("--in", "in.raw", "--in-format", "raw", "--out", "out.raw")
        for words, who in (((), "adding up a product"), (("--ranks", "2"), "which is adding up a product,")):
            err = self.made(*words, *files, name="limited", status=1)[1]
            self.assertRegex(err, f"out of memory: .*{who} needs [0-9]+ bytes")
            self.assertNotIn("cannot read", err)

    def test_a_rank_that_dies(self):
        self.build(PRINTS, "1:64")
        run = subprocess.Popen(["./made", "--ranks", "3"], cwd=self.folder, env=clean(None), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        os.kill(self.children(run, 2)[0], signal.SIGKILL)
        err = run.communicate(timeout=60)[1]
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("its process has ended, and with it the run", err)

    @unittest.skipUnless(LAUNCHERS, "there is no MPI")
    def test_other_programs(self):
        self.build(NET, "1:64")
        self.alone()
        for name, how in (("weights", {"weights": "random:2"}), ("parts", {})):
            self.build(NET, "1:32" if name == "parts" else "1:64", name="other", **how)
            self.file("choose", '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && exec ./other "$@"\nexec ./made "$@"\n')
            (self.folder / "choose").chmod(0o755)
            run = self.launch(LAUNCHERS[0], 2, "./choose", *self.FILES)
            with self.subTest(name):
                self.assertNotEqual(run.returncode, 0)
                self.assertIn("rank 1", run.stderr)
                self.assertIn("it runs another program than rank 0, or one with other weights", run.stderr)

    def test_pictures(self):
        """What is shared, and what crosses for it: 64 x 256 floats, three quarters of which each rank does not have."""
        words = ("--weights", "random:1", "--top", "Main", self.file("made.str", NET))
        picture = self.call("graph", "--ranks", "4", "--split", "1:64", *words)[0].decode()
        self.assertIn("4 parts of 64 columns\\n49152 bytes to each rank", picture)
        self.assertIn("4 ranks share large products, '--split 1:64'", picture)
        self.assertIn("in a steady state 98304 bytes come to each rank", picture)
        self.assertEqual(picture.count("fillcolor=\"#"), 2)
        graph = json.loads(self.call("graph", "--ranks", "4", "--split", "sums:200", "--format", "json", *words)[0])
        products = [node["products"] for node in graph["nodes"] if node.get("products")]
        self.assertEqual(len(products), 2)
        self.assertEqual({key: products[0][0][key] for key in ("parted", "parts", "places", "most")}, {"parted": "sums", "parts": 2, "places": 200, "most": 1})
        self.assertIn("come to each rank", graph["ranks"]["summary"])
        whole = self.call("graph", "--ranks", "4", "--split", "sums:256", *words)[0].decode()
        self.assertIn("whole on each rank", whole)
        self.assertNotIn("fillcolor=\"#", whole)

    def test_why_nothing_is_shared(self):
        self.file("made.str", RANDOMS)
        for command in (("build", "--ranks", "-o", "made"), ("graph", "--ranks", "2", "--format", "txt")):
            out, err = self.call(*command, "--split", "1:64", "--weights", "random:1", "--top", "Main", "made.str")
            self.assertIn("'--split 1:64' splits nothing: it has dynamic rates, messages, or several filters that print or draw random numbers", err)
        self.assertIn("whole on each rank, as it has dynamic rates, messages", out.decode())
        self.assertEqual(self.made("-i", "2", "--ranks", "2"), self.made("-i", "2"))

    def test_graph_needs_ranks(self):
        for words in (("--split", "1:64"), ("--network", "1us,1Gb")):
            self.assertIn(f"{words[0]} needs --ranks", self.call("graph", *words, "--weights", "random:1", "--top", "Main", self.file("made.str", NET), status=2)[1])

    def test_refusals(self):
        for word in ("--static", "--profile"):
            self.assertIn("conflicting-options", self.build(NET, "1:64", word, status=2)[1])
        self.build(NET, "1:64")
        err = self.made("--checkpoint", "kept", status=2)[1]
        self.assertIn("'--checkpoint' is for executables that were built with --ranks and without --split", err)
        self.assertIn("splits nothing", self.build(NET, "1:5000")[1])
        self.assertIn("--split", self.build(NET, "columns:4", status=2)[1])


if __name__ == "__main__":
    unittest.main()
