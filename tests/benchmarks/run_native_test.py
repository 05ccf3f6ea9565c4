#!/usr/bin/env python3
"""The machinery of run_native.py, on a tiny input: run_native_test.py STRC [CASE]..."""

import array
import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.dont_write_bytecode = True
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
import catalogue  # noqa: E402
import native_report  # noqa: E402
import sides  # noqa: E402

STRC = "strc"


def floats(*values):
    return array.array("f", values).tobytes()


class Comparison(unittest.TestCase):
    def test_without_tolerance_every_bit_counts(self):
        self.assertIsNone(catalogue.difference("float", floats(1, 2), floats(1, 2), None))
        fault = catalogue.difference("float", floats(1, 2), floats(1, 2.0000002), None)
        self.assertIn("item 1", fault)
        self.assertIn("bytes", catalogue.difference("float", floats(0), floats(-0.0), None))
        self.assertIn("bytes", catalogue.difference("bit", b"\x01", b"\x02", None) or "")

    def test_tolerance_is_relative_to_the_largest_item(self):
        want = floats(100, 1)
        self.assertIsNone(catalogue.difference("float", want, floats(100, 1.005), 1e-4))
        self.assertIn("item 1", catalogue.difference("float", want, floats(100, 1.02), 1e-4))
        self.assertIn("item 0", catalogue.difference("float", want, floats(float("nan"), 1), 1e-4))

    def test_lengths_count(self):
        self.assertIn("4 bytes", catalogue.difference("float", floats(1, 2), floats(1), 1e-4))

    def test_ints_may_differ_where_the_benchmark_says_so(self):
        want, got = (array.array("i", (1000, value)).tobytes() for value in (5, 6))
        self.assertIn("item 1", catalogue.difference("int", want, got, None))
        self.assertIsNone(catalogue.difference("int", want, got, 1e-3))
        exact = catalogue.Benchmark("x", "X", 1, "", output="int")
        self.assertIsNone(exact.allowed)


class Report(unittest.TestCase):
    RESULT = {
        "what": "x",
        "items": 1000,
        "work": {"jit": [4e-6, 2e-6, 9e-6], "C++": [2e-6], "C++ contracted": [1e-6]},
        "whole": {"jit": [3.0], "C++": [1.0], "C++ contracted": [1.0]},
        "compile": {"jit": 0.25, "C++": 0.5, "C++ contracted": 0.5},
        "by": {"C++": "gcc", "C++ contracted": "clang"},
        "figure": "median",
    }

    def test_table_has_medians_and_ratios(self):
        rows = native_report.table({"x": self.RESULT}, ["jit"]).splitlines()
        row = next(row for row in rows if row.startswith("| x "))
        self.assertEqual(row, "| x | 0.0 M | 4.00 | 2.00 | gcc | 1.00 | clang | 2.00 | 3.00 | 0.25 s | 0.50 s |")

    def test_variants_are_compared_with_the_usual_engine(self):
        work = {**self.RESULT["work"], "jit ring": [8e-6], "jit unchecked": [2e-6], "jit fast": [3e-6]}
        whole = {**self.RESULT["whole"], "jit ring": [9.0], "jit unchecked": [3.0], "jit fast": [2.0]}
        text = native_report.table(
            {"x": {**self.RESULT, "work": work, "whole": whole}, "y": self.RESULT},
            ["jit", "jit fast", "jit unchecked", "jit ring"],
        )
        for line in (
            "| x | 0.0 M | 4.00 | 3.00 | 2.00 | 8.00 | 2.00 | gcc | 1.00 | clang | 2.00 | 2.00 | 2.00 | 3.00 | 3.00 "
            "| 0.25 s | 0.50 s |",
            "| y | 0.0 M | 4.00 |  |  |  | 2.00 | gcc | 1.00 | clang | 2.00 |  |  |  | 3.00 | 0.25 s | 0.50 s |",
            "Geometric mean of jit fast / C++ contracted: 3.00",
            "Geometric mean of jit ring / jit: 2.00",
            "Geometric mean of jit / jit unchecked: 2.00",
        ):
            self.assertIn(line, text.splitlines())

    def test_the_twin_is_made_by_the_compiler_whose_code_is_faster(self):
        result = {
            "work": {"C++, clang": [3, 5, 9], "C++, gcc": [4, 4, 4], "C++ contracted, clang": [7]},
            "whole": {"C++, clang": [10], "C++, gcc": [20], "C++ contracted, clang": [30]},
            "compile": {"C++, clang": 0.5, "C++, gcc": 0.25, "C++ contracted, clang": 0.5},
        }
        sides.choose_best(result, native_report.FIGURES["median"])
        self.assertEqual(result["by"], {"C++": "gcc", "C++ contracted": "clang"})
        self.assertEqual((result["work"]["C++"], result["whole"]["C++"]), ([4, 4, 4], [20]))
        self.assertEqual(result["compile"]["C++"], 0.5)
        sides.choose_best(result, native_report.FIGURES["least"])
        self.assertEqual(result["by"]["C++"], "clang")

    def test_plot_is_xml(self):
        root = xml.fromstring(native_report.plot({"x": self.RESULT}, ["jit"]))
        self.assertIn("2.00", [each.text for each in root.iter()])


class Whole(unittest.TestCase):
    def test_a_run_leaves_table_times_and_plot(self):
        with tempfile.TemporaryDirectory(prefix="strc-native-test-") as folder:
            command = [BENCHMARKS / "run_native.py", "--strc", STRC]
            for engine in ("jit", "jit unchecked", "jit ring"):
                command += ["--engine", engine]
            command += ["--pairs", "1", "--scale", "0.002", "--out", folder, "matmul"]
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            results = json.loads(Path(folder, "native.json").read_text("utf-8"))["results"]
            for engine in ("jit", "jit unchecked", "jit ring"):
                self.assertGreater(results["matmul"]["work"][engine][0], 0)
            self.assertIn("| matmul |", Path(folder, "native.md").read_text("utf-8"))
            self.assertTrue(Path(folder, "native.svg").is_file())

    def test_one_compiler_is_enough(self):
        with tempfile.TemporaryDirectory(prefix="strc-native-test-") as folder:
            command = [BENCHMARKS / "run_native.py", "--strc", STRC, "--engine", "jit", "--pairs", "1"]
            command += ["--scale", "0.002", "--out", folder, "--clang", "no-such-compiler", "des"]
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(json.loads(Path(folder, "native.json").read_text("utf-8"))["results"]["des"]["by"]["C++"], "gcc")
            done = subprocess.run([sys.executable, *command, "--gcc", "none"], capture_output=True, text=True)
            self.assertIn("neither no-such-compiler nor none is installed", done.stdout + done.stderr)

    def test_programs_make_their_input_themselves_for_a_given_processor(self):
        with tempfile.TemporaryDirectory(prefix="strc-native-test-") as folder:
            command = [BENCHMARKS / "run_native.py", "--strc", STRC, "--engine", "build", "--pairs", "1"]
            command += ["--scale", "0.002", "--out", folder, "--input", "both", "--clock", "processor"]
            command += ["--march", "x86-64-v2", "radix_sort16", "des"]
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            results = json.loads(Path(folder, "native.json").read_text("utf-8"))["results"]
            self.assertEqual([*results], ["radix_sort16", "radix_sort16, lcg", "des"])
            self.assertIn("code for x86-64-v2", Path(folder, "native.md").read_text("utf-8"))

    def test_costs_of_growing_graphs(self):
        with tempfile.TemporaryDirectory(prefix="strc-scaling-test-") as folder:
            command = [BENCHMARKS / "scaling.py", "--strc", STRC, "--engine", "jit"]
            command += ["--runs", "1", "--most", "10", "--out", folder]
            done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            results = json.loads(Path(folder, "scaling.json").read_text("utf-8"))["results"]
            self.assertEqual(len(results), 4)
            for result in results:
                self.assertGreater(result["cost"]["firing"], 0)
                self.assertGreater(result["cost"]["memory"], 1_000_000)
            self.assertIn("| splitjoin, alike | 10 |", Path(folder, "scaling.md").read_text("utf-8"))


if __name__ == "__main__":
    STRC = sys.argv.pop(1)
    unittest.main()
