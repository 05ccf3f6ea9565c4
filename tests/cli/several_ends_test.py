#!/usr/bin/env python3
"""Programs with several inputs and outputs: a file for each of them in all engines, an array for each in libraries and in C source, whose items are
those of the one stream in which they take turns."""

import array
import ctypes
import os
import random
import struct
import subprocess
import unittest

from command import ENGINE, SECONDS, Case

CC = os.environ.get("CC") or "cc"
# Eight samples and three numbers that go with them; two outputs of other rates.
CONTROLLED = """float->float pipeline Controlled {
    add splitjoin { split roundrobin(8, 3); add Window; add Sums; join roundrobin(8, 1); }
    add splitjoin { split roundrobin(8, 1); add Identity<float>; add Twice; join roundrobin(8, 2); }
}
float->float filter Window { work pop 1 peek 3 push 1 { push(peek(0) + 2 * peek(1) - peek(2)); pop(); } }
float->float stateful filter Sums { float sum; work pop 3 push 1 { sum += pop(); sum += pop(); pop(); push(sum); } }
float->float filter Twice { work pop 1 push 2 { push(peek(0)); push(-pop()); } }
"""
# Turns of one, which the engines may make something else of; three outputs.
MIXED = """float->float pipeline Mixed {
    add splitjoin { split roundrobin; add Identity<float>; add Identity<float>; join roundrobin; }
    add float->float filter { work pop 2 push 3 { float a = pop(); float b = pop(); push(a + b); push(a - b); push(a); } };
    add splitjoin { split roundrobin; add Identity<float>; add Identity<float>; add Identity<float>; join roundrobin; }
}
"""
SOURCE = """void->int pipeline Source {
    add void->int stateful filter { int n; work push 1 { push(n++); } };
    add splitjoin { split roundrobin(2, 1); add Identity<int>; add Identity<int>; join roundrobin(2, 1); }
}
"""
SINK = """int->void pipeline Sink {
    add splitjoin { split roundrobin(1, 2); add Identity<int>; add Identity<int>; join roundrobin(1, 2); }
    add int->void filter { work pop 3 { println(pop() + 10 * pop() + 100 * pop()); } };
}
"""
# A branch without items is no input.
EMPTY = """int->int splitjoin Empty {
    split roundrobin(1, 0, 2);
    add Identity<int>;
    add void->int filter { work push 1 { push(7); } };
    add Identity<int>;
    join roundrobin(1, 1, 2);
}
"""


def floats(count, seed=1):
    draw = random.Random(seed)
    return array.array("f", [draw.uniform(-1, 1) for _ in range(count)])


def joined(parts, turns):
    """Whole rounds."""
    made, rounds = array.array(parts[0].typecode), min(len(part) // turn for part, turn in zip(parts, turns))
    for k in range(rounds):
        for part, turn in zip(parts, turns):
            made += part[k * turn : (k + 1) * turn]
    return made


def parted(items, turns, place=0):
    owners = [k for k, turn in enumerate(turns) for _ in range(turn)]
    made = [array.array(items.typecode) for _ in turns]
    for k, item in enumerate(items):
        made[owners[(place + k) % len(owners)]].append(item)
    return made


class Files(Case):
    def run_all(self, text, words, status=0):
        """Of all engines: what each says."""
        path = self.file("p.str", text)
        top = text.split()[2]
        run = ["run", "--top", top, *words]
        calls = [(run + ["--interpret", path], None), (run + [path], None)]
        if not ENGINE:
            self.call("build", "-o", "made", "--top", top, path)
            calls.append((words, "./made"))
        for call, program in calls:
            yield self.call(*call, executable=program, status=status)

    def check(self, text, ins, outs, more=()):
        """Several files give what one gives in which the items take turns."""
        (in_turns, parts), out_turns = ins, outs
        type_ = parts[0].typecode if parts else "i"
        words = []
        for k, part in enumerate(parts):
            self.file(f"in{k}.raw", part.tobytes())
            words += ["--in", f"in{k}.raw"]
        one = []
        if parts:
            self.file("all.raw", joined(parts, in_turns).tobytes())
            one = ["--in", "all.raw"]
        if out_turns:
            one += ["--out", "one.raw"]
            words += [word for k in range(len(out_turns)) for word in ("--out", f"out{k}.raw")]
        path = self.file("p.str", text)
        said = self.call("run", "--top", text.split()[2], *one, *more, path)[0]
        for out, _ in self.run_all(text, [*words, *more]):
            if not out_turns:
                self.assertEqual(out, said)
                continue
            wanted = parted(array.array(type_, self.bytes("one.raw")), out_turns)
            self.assertTrue(wanted[0])
            for k, part in enumerate(wanted):
                self.assertEqual(self.bytes(f"out{k}.raw"), part.tobytes())

    def test_rates(self):
        self.check(CONTROLLED, ((8, 3), [floats(8 * 700), floats(3 * 700, 2)]), (8, 2))

    def test_turns_of_one(self):
        self.check(MIXED, ((1, 1), [floats(5000), floats(5000, 2)]), (1, 1, 1))

    def test_one_side(self):
        self.check(SOURCE, ((), []), (2, 1), ["--limit", "300"])
        self.check(SINK, ((1, 2), [array.array("i", range(40)), array.array("i", range(80))]), ())

    def test_branch_without_items(self):
        self.check(EMPTY, ((1, 2), [array.array("i", range(40)), array.array("i", range(80))]), (1, 1, 2))

    def test_ends_of_different_length(self):
        """The first that is over ends the run; what is left of the others is told."""
        self.file("in0.raw", floats(8 * 10).tobytes())
        self.file("in1.raw", floats(3 * 7 + 1).tobytes())
        words = ["--in", "in0.raw", "--in", "in1.raw", "--out", "out0.raw", "--out", "out1.raw"]
        for _, err in self.run_all(CONTROLLED, words):
            self.assertIn("24 items left over at the end of 'in0.raw' [input-left-over]", err)
            self.assertIn("1 item left over at the end of 'in1.raw' [input-left-over]", err)
            self.assertEqual(len(self.bytes("out1.raw")) // 4, 2 * 6)

    def test_formats(self):
        """Each by its own name."""
        self.file("in0.txt", "1 2 3 4\n")
        self.file("in1.raw", struct.pack("<4f", 10, 20, 30, 40))
        words = ["--in", "in0.txt", "--in", "in1.raw", "--out", "sum.txt", "--out", "difference.raw", "--out", "-"]
        for out, _ in self.run_all(MIXED, words):
            self.assertEqual(self.bytes("sum.txt").split(), [b"11.0", b"22.0", b"33.0", b"44.0"])
            self.assertEqual(self.bytes("difference.raw"), struct.pack("<4f", -9, -18, -27, -36))
            self.assertEqual(out, struct.pack("<4f", 1, 2, 3, 4))

    def test_sounds_keep_their_rates(self):
        """A sound of eight samples for three numbers: what comes out eight times has its rate."""
        path = self.file("copy.str", "float->float filter Copy { work pop 1 push 1 { push(pop()); } }")
        self.file("in.raw", floats(8 * 100).tobytes())
        self.call("run", "--top", "Copy", "--in", "in.raw", "--out", "in.wav", "--out-rate", "16000", path)
        self.file("in1.raw", floats(3 * 100).tobytes())
        for _ in self.run_all(CONTROLLED, ["--in", "in.wav", "--in", "in1.raw", "--out", "a.wav", "--out", "b.wav"]):
            rates = [struct.unpack("<I", self.bytes(name)[24:28])[0] for name in ("a.wav", "b.wav")]
            self.assertEqual(rates, [16000, 4000])

    def test_wrong_number_of_files(self):
        for name in ("a.raw", "b.raw", "c.raw"):
            self.file(name, floats(48).tobytes())
        three = ["--in", "a.raw", "--in", "b.raw", "--in", "c.raw"]
        for _, err in self.run_all(CONTROLLED, [*three, "--out", "out.raw"], status=2):
            self.assertIn("'--in' is given 3 times, but main stream 'Controlled' has 2 inputs [number-of-files]", err)
            self.assertIn("round-robin splitter", err)
            self.assertFalse((self.folder / "out.raw").exists())
        words = ["--in", "a.raw", "--out", "x.raw", "--out", "y.raw", "--out", "z.raw"]
        for _, err in self.run_all(CONTROLLED, words, status=2):
            self.assertIn("'--out' is given 3 times, but main stream 'Controlled' has 2 outputs [number-of-files]", err)

    def test_one_input(self):
        text = "float->float filter One { work pop 1 push 1 { push(pop()); } }"
        for name in ("a.raw", "b.raw"):
            self.file(name, floats(48).tobytes())
        for _, err in self.run_all(text, ["--in", "a.raw", "--in", "b.raw", "--out", "out.raw"], status=2):
            self.assertIn("'--in' is given 2 times, but main stream 'One' has 1 input [number-of-files]", err)

    def test_same_file(self):
        self.file("a.raw", floats(48).tobytes())
        both = ["--in", "a.raw", "--in", "a.raw"]
        for _, err in self.run_all(MIXED, [*both, *("--out", "x.raw") * 2, "--out", "y.raw"], status=2):
            self.assertIn("--out and another --out with the same file", err)
        for _, err in self.run_all(MIXED, ["--in", "-", "--in", "-", "--out", "x.raw"], status=2):
            self.assertIn("'--in -' and another '--in -'", err)
        for _ in self.run_all(MIXED, [*both, "--out", "x.raw", "--out", "y.raw", "--out", "z.raw"]):
            self.assertEqual(set(array.array("f", self.bytes("y.raw"))), {0.0})

    def test_missing_and_wrong_files(self):
        self.file("a.raw", floats(48).tobytes())
        for _, err in self.run_all(MIXED, ["--in", "a.raw", "--in", "none.raw", "--out", "x.raw"], status=1):
            self.assertIn("none.raw", err)
            self.assertFalse((self.folder / "x.raw").exists())
        self.file("empty.raw", b"")
        for _, err in self.run_all(MIXED, ["--in", "a.raw", "--in", "empty.raw", "--out", "x.raw"], status=1):
            self.assertIn("'empty.raw'", err)
        for _, err in self.run_all(MIXED, ["--in", "a.raw", "--in", "a.xyz", "--out", "x.raw"], status=2):
            self.assertIn("[unknown-format]", err)

    def test_loops(self):
        self.file("a.raw", array.array("f", [1, 2]).tobytes())
        self.file("b.raw", array.array("f", [10, 20]).tobytes())
        words = ["--in", "a.raw", "--in", "b.raw", "--loop-input", "--limit", "15", *(w for k in range(3) for w in ("--out", f"{k}.raw"))]
        for _ in self.run_all(MIXED, words):
            self.assertEqual(array.array("f", self.bytes("0.raw")).tolist(), [11, 22, 11, 22, 11])

    def test_pipes(self):
        """What has come is answered before more comes."""
        path = self.file("p.str", MIXED)
        for name in ("a", "b"):
            os.mkfifo(self.folder / name)
        words = ["--in-format", "raw", "--in", "a", "--in", "b", "--out", "x", "--out", "y", "--out", "-", "--disable-pass=scaling"]
        process = self.start("run", "--top", "Mixed", *words, path)
        with open(self.folder / "a", "wb", buffering=0) as a, open(self.folder / "b", "wb", buffering=0) as b:
            for value in (1.0, 2.0, 3.0):
                a.write(struct.pack("<f", value))
                b.write(struct.pack("<f", 10 * value))
                self.assertEqual(struct.unpack("<f", process.stdout.read(4))[0], value)
        self.assertEqual(process.wait(SECONDS), 0)
        self.assertEqual(array.array("f", self.bytes("x")).tolist(), [11, 22, 33])


class End(ctypes.Structure):
    _fields_ = [("items", ctypes.c_void_p), ("count", ctypes.c_size_t), ("done", ctypes.c_size_t)]


class Ends:
    """Arrays at one side that are handed over in pieces."""

    def __init__(self, parts, room=None):
        self.parts = [(ctypes.c_char * max(1, len(part))).from_buffer_copy(part or b"\0") for part in parts]
        self.sizes = [len(part) // 4 for part in parts]
        self.at = [0] * len(parts)

    def ends(self, draw, most):
        made = (End * max(1, len(self.parts)))()
        for end, part, at, size in zip(made, self.parts, self.at, self.sizes):
            end.items, end.count, end.done = ctypes.addressof(part) + 4 * at, min(size - at, draw.randint(0, most)), 77
        return made

    def move(self, ends):
        for k in range(len(self.parts)):
            assert ends[k].done <= ends[k].count, (k, ends[k].done, ends[k].count)
            self.at[k] += ends[k].done


class Libraries(Case):
    def library(self, name, kind):
        path = self.file("p.str", {"Controlled": CONTROLLED, "Mixed": MIXED, "Source": SOURCE}[name])
        if kind == "shared":
            self.call("build", "--shared", "--top", name, "-o", "libp.so", path)
        else:
            self.call("build", "--emit=c", "--top", name, "-o", "p.c", path)
            subprocess.run([CC, "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", "libp.so", "p.c", "-lm"],
                           cwd=self.folder, check=True, timeout=SECONDS)  # fmt: skip
        library = ctypes.CDLL(str(self.folder / "libp.so"), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        for word in ("create", "message", "clone"):
            getattr(library, f"{name}_{word}").restype = ctypes.c_void_p
        getattr(library, f"{name}_state_size").restype = ctypes.c_size_t
        return library

    def pieces(self, name, kind, in_turns, out_turns, rounds, seed):
        """All of the input in pieces of any size, in both ways of calling, with states that are saved and restored in between."""
        library = self.library(name, kind)
        call = lambda word, *given: getattr(library, f"{name}_{word}")(*given)  # noqa: E731
        parts = [floats(turn * rounds, k) for k, turn in enumerate(in_turns)]
        handle, draw = ctypes.c_void_p(call("create", None)), random.Random(seed)
        ins = Ends([part.tobytes() for part in parts])
        outs = Ends([bytes(4 * turn * rounds) for turn in out_turns])
        state = ctypes.create_string_buffer(call("state_size", handle))
        for k in range(4000):
            if k % 7 == 3:
                size = ctypes.c_size_t()
                self.assertEqual(call("save", handle, state, ctypes.c_size_t(len(state)), ctypes.byref(size)), 0)
                call("reset", handle)
                self.assertEqual(call("restore", handle, state, size), 0)
            given, room = ins.ends(draw, 40), outs.ends(draw, 40)
            self.assertEqual(call("process_ends", handle, given if in_turns else None, room), 0)
            ins.move(given)
            outs.move(room)
            if ins.at == ins.sizes and not any(end.done for end in room) and all(end.count for end in room) or outs.at == outs.sizes:
                break
        if in_turns:
            room = outs.ends(random.Random(1), 0)
            for end, at, size in zip(room, outs.at, outs.sizes):
                end.count = size - at
            self.assertEqual(call("drain_ends", handle, room), 0)
            outs.move(room)
        return [array.array("f", bytes(part)[: 4 * at]) for part, at in zip(outs.parts, outs.at)], parts

    def wanted(self, name, parts, in_turns, out_turns, text, limit):
        path = self.file("p.str", text)
        words = ["--limit", str(limit)]
        if parts:
            self.file("all.raw", joined(parts, in_turns).tobytes())
            words += ["--in", "all.raw"]
        self.call("run", "--interpret", "--top", name, *words, "--out", "one.raw", path)
        return parted(array.array("f", self.bytes("one.raw")), out_turns)

    def check(self, name, text, in_turns, out_turns, rounds=60):
        for kind in ("shared", "c"):
            for seed in (1, 2):
                found, parts = self.pieces(name, kind, in_turns, out_turns, rounds, seed)
                wanted = self.wanted(name, parts, in_turns, out_turns, text, sum(out_turns) * rounds)
                for one, other in zip(found, wanted):
                    self.assertTrue(one)
                    self.assertEqual(one[: len(other)].tobytes(), other[: len(one)].tobytes(), (kind, seed))
                    self.assertEqual(len(one), len(other))

    def test_rates(self):
        self.check("Controlled", CONTROLLED, (8, 3), (8, 2))

    def test_turns_of_one(self):
        self.check("Mixed", MIXED, (1, 1), (1, 1, 1))

    def test_header(self):
        for kind, header in (("shared", "libp.h"), ("c", "p.h")):
            self.library("Controlled", kind)
            text = self.bytes(header).decode()
            self.assertIn("8 items of input 1, then 3 items of input 2; 8 items of output 1, then 2 items of output 2", text)
            self.assertIn("#define Controlled_INPUTS 2\n", text)
            self.assertIn("#define Controlled_IN2_TURN 3\n", text)

    def test_without_input(self):
        for kind in ("shared", "c"):
            found, _ = self.pieces("Source", kind, (), (2, 1), 20, 1)
            self.assertEqual(array.array("i", found[0].tobytes()).tolist()[:6], [0, 1, 3, 4, 6, 7])
            self.assertEqual(array.array("i", found[1].tobytes()).tolist()[:3], [2, 5, 8])

    def test_missing_arrays(self):
        for kind in ("shared", "c"):
            library = self.library("Mixed", kind)
            handle = ctypes.c_void_p(library.Mixed_create(None))
            ins, outs = (End * 2)(), (End * 3)()
            self.assertEqual(library.Mixed_process_ends(handle, None, outs), 4)
            self.assertEqual(ctypes.string_at(library.Mixed_message(handle)), b"an array of items is NULL")
            ins[1].count = 1
            self.assertEqual(library.Mixed_process_ends(handle, ins, outs), 4)
            self.assertEqual(library.Mixed_process_ends(None, ins, outs), 4)
            ins[1].count = 0
            self.assertEqual(library.Mixed_process_ends(handle, ins, outs), 0)


if __name__ == "__main__":
    unittest.main()
