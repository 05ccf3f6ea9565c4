#!/usr/bin/env python3
"""Blocks of `strc build --gnuradio` in flow graphs: their output is that of `strc run`. Skipped without Debian's package gnuradio."""

import array
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "cli"))
from command import SECONDS, Case  # noqa: E402

PYTHON = "/usr/bin/python3"  # of Debian, which its GNU Radio is for
RADIO = ROOT / "examples/fm_radio"


def is_there():
    if not Path(PYTHON).exists():
        return False
    return subprocess.run([PYTHON, "-c", "from gnuradio import gr, blocks"], capture_output=True).returncode == 0


HAS_RADIO = is_there()
FIR = """complex->complex filter Half(int n = 3, float gain = 1, boolean turn = false, complex more = 0) {
    work pop 2 peek n push 1 {
        complex sum = 0;
        for (int k = 0; k < n; k++) sum += peek(k);
        pop(); pop();
        push((turn ? -gain : gain) * sum + more);
    }
}
"""
ROWS = "float[3]->float[3] filter Turn { work pop 1 push 1 { float[3] x = pop(); float[3] y = {x[2], x[1], x[0]}; push(y); } }\n"
COUNT = "void->int filter Count { int n; work push 1 { push(n++); } }\n"
PACKETS = "int->int filter Packets { work pop [1, *] push * { int n = pop() & 3; for (int k = 0; k < n; k++) push(pop()); } }\n"
DIVIDE = "int->int filter Divide { work pop 1 push 1 { push(100 / pop()); } }\n"


class Blocks(Case):
    def build(self, text, *options, status=0):
        self.file("p.str", text)
        name = re.search(r"->\S+ (?:filter|pipeline) (\w+)", text)[1]
        return self.call("build", "--gnuradio", f"--top={name}", "-o", "gr", *options, "p.str", status=status)[1]

    def flow(self, module, taken, given, length, data, *words):
        command = [PYTHON, HERE / "flow_graph.py", "gr", module, taken, given, str(length), *words]
        environment = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        done = subprocess.run(command, cwd=self.folder, env=environment, input=data, capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr.decode()

    def run_strc(self, name, data, *options):
        self.file("in.raw", data)
        self.call("run", f"--top={name}", "--in", "in.raw", "--out", "out.raw", *options, "p.str")
        return self.bytes("out.raw")


@unittest.skipUnless(HAS_RADIO, "needs Debian's package gnuradio")
class Flow(Blocks):
    def test_rates_and_parameters(self):
        self.build(FIR, "--keep-param=gain", "--keep-param=turn", "--keep-param=more")
        data = array.array("f", [k % 17 - 8 for k in range(20002)]).tobytes()
        made, _ = self.flow("half", "complex64", "complex64", 1, data, "gain=0.5", "turn=True", "more:1+2j")
        self.assertEqual(made, self.run_strc("Half", data, "-D", "gain=0.5", "-D", "turn=true", "-D", "more=1+2i"))

    def test_items_are_vectors(self):
        self.build(ROWS)
        data = array.array("f", range(3000)).tobytes()
        self.assertEqual(self.flow("turn", "float32", "float32", 3, data)[0], self.run_strc("Turn", data))

    def test_a_source(self):
        self.build(COUNT)
        self.assertEqual(self.flow("count", "-", "int32", 1, b"")[0], array.array("i", range(1000)).tobytes())

    def test_dynamic_rates(self):
        self.build(PACKETS, "--bound=16")
        data = array.array("i", [k * k for k in range(4001)]).tobytes()
        self.assertEqual(self.flow("packets", "int32", "int32", 1, data)[0], self.run_strc("Packets", data))

    def test_a_fault_ends_the_graph_behind_what_came_before(self):
        self.build(DIVIDE)
        made, told = self.flow("divide", "int32", "int32", 1, array.array("i", [1, 2, 0, 4]).tobytes())
        self.assertEqual(made, array.array("i", [100, 50]).tobytes())
        self.assertIn("division by zero", told)

    def test_the_example(self):
        self.call("build", "--gnuradio", "-o", "gr", "--top=Receiver", RADIO / "receiver.str", RADIO / "fm_radio.str")
        self.call("run", "--top=Receiver", "-D", "station=14000", "--in", RADIO / "iq.raw", "--in-format=cu8", "--out", "wanted.raw", RADIO / "receiver.str", RADIO / "fm_radio.str")
        environment = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        done = subprocess.run([PYTHON, RADIO / "flow_graph.py", "gr", RADIO / "iq.raw", "made.wav", "14000"], cwd=self.folder, env=environment, capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.file("copy.str", "float->float filter Copy { work pop 1 push 1 { push(pop()); } }")
        self.call("run", "--top=Copy", "--in", "made.wav", "--out", "made.raw", "copy.str")
        made, wanted = (array.array("f", self.bytes(f"{name}.raw")) for name in ("made", "wanted"))
        self.assertGreater(len(made), 1000)
        self.assertLess(len(wanted) - len(made), 64)  # what a block of the end leaves
        self.assertLess(max(abs(a - b) for a, b in zip(made, wanted)), 1e-5)

    @unittest.skipUnless(shutil.which("grcc"), "needs grcc")
    def test_the_companion_takes_the_description(self):
        self.build(FIR, "--keep-param=gain")
        flow = HERE / "companion.grc"
        environment = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder), "GRC_BLOCKS_PATH": str(self.folder / "gr"), "PYTHONPATH": str(self.folder / "gr")}
        done = subprocess.run(["grcc", "-o", self.folder, flow], env=environment, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        made = self.bytes("companion.py").decode()
        self.assertIn("half.half(0.25)", made)
        ran = subprocess.run([PYTHON, "companion.py"], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


class Files(Blocks):
    def test_what_is_in_the_folder(self):
        self.build(FIR, "--keep-param=gain", "--keep-param=turn")
        self.assertEqual(sorted(p.name for p in (self.folder / "gr").iterdir()), ["half.block.yml", "half.py", "libhalf.h", "libhalf.so"])
        text = self.bytes("gr/half.block.yml").decode()
        for wanted in ("id: half\n", "dtype: complex\n", "- set_gain(${gain})", "default: 'False'", "make: half.half(${gain}, ${turn})"):
            self.assertIn(wanted, text)

    def test_the_module_is_python(self):
        self.build(COUNT)
        compile(self.bytes("gr/count.py"), "count.py", "exec")
        self.build(FIR, "--keep-param=more")
        compile(self.bytes("gr/half.py"), "half.py", "exec")

    def test_names_that_mean_something_else(self):
        for text, said in (
            ("float->float filter Main(float lambda = 0.5) { work pop 1 push 1 { push(lambda * pop()); } }\n", "its parameter is 'lambda', which means something else"),
            ("float->float filter Pass { work pop 1 push 1 { push(pop()); } }\n", "its module would be 'pass', which means something else"),
            ("float->float filter Null { work pop 1 push 1 { push(pop()); } }\n", "its module would be 'null', which means something else"),
        ):
            err = self.build(text, *(["--keep-param=lambda"] if "lambda" in text else []), status=1)
            self.assertIn(said, err)
            self.assertIn("plugin-ends", err)

    def test_a_module_of_python_is_not_hidden(self):
        self.build("float->float filter Copy { work pop 1 push 1 { push(pop()); } }\n")
        self.assertEqual(sorted(p.name for p in (self.folder / "gr").iterdir()), ["copy_block.block.yml", "copy_block.py", "libcopy_block.h", "libcopy_block.so"])
        self.assertIn("make: copy_block.copy_block()", self.bytes("gr/copy_block.block.yml").decode())
        if HAS_RADIO:
            data = array.array("f", range(100)).tobytes()
            self.assertEqual(self.flow("copy_block", "float32", "float32", 1, data)[0], data)

    def test_items_that_blocks_have_not(self):
        err = self.build("double->float filter A { work pop 1 push 1 { push((float)pop()); } }\n", status=1)
        self.assertIn("'A' cannot be a block of GNU Radio: it takes items of type 'double'", err)
        self.assertFalse((self.folder / "gr").exists())


if __name__ == "__main__":
    unittest.main()
