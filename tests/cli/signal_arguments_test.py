#!/usr/bin/env python3
"""What the streams for signals refuse, at the line that adds them, and how a block holds up a loop."""

import unittest

from command import Case

EDGES = "low is less than high, and both lie between 0 and half the rate"
CUTOFF = "cutoff lies between 0 and half the rate"
REAL = [
    ("ButterworthLowPass(8000, 4000)", CUTOFF),
    ("ButterworthHighPass(8000, -1)", CUTOFF),
    ("ButterworthLowPass(0, 0)", CUTOFF),
    ("Chebyshev1BandPass(8000, 900, 500)", EDGES),
    ("Chebyshev2BandStop(8000, 500, 4000)", EDGES),
    ("ButterworthLowPass(8000, 500, 0)", "order lies between 1 and 500"),
    ("EllipticLowPass(8000, 500, 501)", "order lies between 1 and 500"),
    ("Chebyshev1LowPass(8000, 500, 4, 0)", "ripple lies between 0.000001 and 100 decibels"),
    ("Chebyshev2LowPass(8000, 500, 4, 301)", "stopband lies between 0.000001 and 300 decibels"),
    ("EllipticBandPass(8000, 500, 900, 4, 40, 40)", "stopband is greater than ripple"),
    ("ButterworthLowPass(8000, 1e-6)", "poles are nearer to the unit circle than doubles can tell"),
    ("EllipticLowPass(8000, 1000, 60, 0.1, 40)", "poles are nearer to the unit circle than doubles can tell"),
    ("SecondOrderSections({{1, 0, 0, 2, 0, 0}})", "a0 of each section is 1"),
    ("SecondOrderSections({{1, 0, 0, 1, 0, 1}}, true)", "poles are nearer to the unit circle than doubles can tell"),
    ("SecondOrderSections({{1, 0, 0, 1, -2.5, 0.9}}, stable = true)", "poles are nearer to the unit circle than doubles can tell"),
    ("Convolver({})", "h has at least one coefficient"),
    ("Convolver({1, 2}, 48)", "block is a power of two"),
    ("Convolver({1, 2}, 0)", "block lies between 2 and 65536"),
    ("ZeroLatencyConvolver({1, 2}, 64, 32)", "largest is 0, or lies between block and 65536"),
    ("ZeroLatencyConvolver({1, 2}, 64, 100)", "largest is a power of two"),
    ("HilbertTransformer(2)", "taps lies between 3 and 1000000"),
    ("StateVariableFilter(8000, 4000)", CUTOFF),
    ("StateVariableFilter(8000, 500, 0)", "q is greater than 0"),
    ("Smoother(8000, 0)", "time is greater than 0"),
    ("RampSmoother(-1, 0.5)", "rate is greater than 0"),
    ("SmoothGain(8000, 1, -1)", "time is not negative"),
    ("Dither(1)", "bits lies between 2 and 24"),
    ("Dither(25)", "bits lies between 2 and 24"),
    ("Agc(8000, 0)", "rate, level and most are greater than 0"),
    ("Agc(8000, 1, 0)", "attack and release are greater than 0"),
    ("SymbolTiming(1.5)", "samples lies between 2 and 100000"),
    ("SymbolTiming(8, 0.25)", "bandwidth lies between 0 and a quarter"),
]
COMPLEX = [
    ("OneSidedBandPass(8000, 500, -500)", "low is less than high, and both lie between minus and plus half the rate"),
    ("ComplexTapFir({1i}, 0)", "decimation is at least 1"),
    ("Pll(8000, 4000, 10)", "frequency lies between minus and plus half the rate"),
    ("CarrierTracker(8000, 0, 2000)", "bandwidth lies between 0 and a quarter of the rate"),
    ("CostasLoop(8000, 10, 3)", "phases is 2, 4 or 8"),
    ("CostasLoop(8000, 10, 4, 0)", "damping is greater than 0"),
]


class Arguments(Case):
    def refused(self, text, line, why):
        path = self.file("p.str", text)
        for engine in (["--interpret"], []):
            _, err = self.call("run", *engine, "-i", "1", path, status=1)
            self.assertTrue(err.startswith(f"{path}:{line}:"), err)
            self.assertIn(why, err)
            self.assertEqual(err.count("error:"), 1, err)

    def test_real_streams_refuse(self):
        for add, why in REAL:
            with self.subTest(add):
                self.refused("void->void pipeline Main {\n    add NoiseSource;\n    add %s;\n    add Discard;\n}\n" % add, 3, why)

    def test_complex_streams_refuse(self):
        for add, why in COMPLEX:
            with self.subTest(add):
                self.refused("void->void pipeline Main {\n    add NoiseSource;\n    add RealToComplex;\n"
                             "    add %s;\n    add ComplexDiscard;\n}\n" % add, 4, why)

    def test_only_blocks_hold_up_a_loop(self):
        text = """void->void pipeline Main {
    add Constant(1);
    add feedbackloop {
        join roundrobin(1, 1);
        body Adder(2);
        loop %s({0.5, 0.25}, 4);
        split duplicate;
        enqueue 0.0;
    };
    add Print;
}
"""
        path = self.file("p.str", text % "ZeroLatencyConvolver")
        for engine in (["--interpret"], []):
            out, _ = self.call("run", *engine, "--limit", "4", path)
            self.assertEqual(out.decode(), "1.0\n1.5\n2.0\n2.375\n")
        self.refused(text % "Convolver", 3, "[deadlock]")


if __name__ == "__main__":
    unittest.main()
