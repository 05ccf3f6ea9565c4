"""Rows of refusals.py: classical filters, convolvers, receivers and parameters."""

from __future__ import annotations

N_TAPS = "taps lies between 3 and 1000000"
DECIMATION = "decimation is at least 1"
CUTOFF = "cutoff lies between 0 and half the rate"
EDGES = "low is less than high, and both lie between 0 and half the rate"
ORDER = "order lies between 1 and 500"
RIPPLE = "ripple lies between 0.000001 and 100 decibels"
STOP = "stopband lies between 0.000001 and 300 decibels"
NAN = "0.0 / 0"


def each(names: str, said: str, *arguments: str) -> dict[str, str]:
    return {f"{name}({args})": said for name in names.split() for args in arguments}


def twice(names: str) -> str:
    """The filters of floats and of doubles."""
    return " ".join(f"{name} Double{name}" for name in names.split())


def classical(family: str, *rest: tuple[str, str]) -> dict[str, str]:
    rows = {}
    for form, edges, said in (("LowPass", "1000", CUTOFF), ("HighPass", "1000", CUTOFF),
                              ("BandPass", "500, 900", EDGES), ("BandStop", "500, 900", EDGES)):
        names = twice(family + form)
        wrong = ("0", "4000", "0 - 1", NAN) if said == CUTOFF else ("900, 500", "0, 900", "500, 4000", f"{NAN}, 900")
        rows |= each(names, said, *(f"8000, {edge}" for edge in wrong), f"0, {edges}")
        rows |= each(names, ORDER, f"8000, {edges}, 0", f"8000, {edges}, 0 - 1", f"8000, {edges}, 501")
        for argument, why in rest:
            rows |= each(names, why, f"8000, {edges}, {argument}")
    return rows


WRONG = {
    **each("HilbertTransformer DoubleHilbertTransformer AnalyticSignal", N_TAPS, "2", "0", "0 - 5", "2000000"),
    **each("ComplexTapFir RealComplexTapFir", DECIMATION, "{1i}, 0", "{1i}, 0 - 1"),
    **each("OneSidedBandPass", "taps lies between 1 and 1000000", "8000, 1, 2, 0", "8000, 1, 2, 0 - 3"),
    **each("OneSidedBandPass", "low is less than high", "8000, 2, 1", "8000, 0 - 4001, 1", "8000, 1, 4001", f"8000, {NAN}, 1"),
    **each("OneSidedBandPass", DECIMATION, "8000, 1, 2, 9, 0"),
    **each(twice("SecondOrderSections"), "a0 of each section is 1", "{{1, 0, 0, 2, 0, 0}}"),
    **classical("Butterworth"),
    **classical("Chebyshev1", ("4, 0", RIPPLE), ("4, 101", RIPPLE), (f"4, {NAN}", RIPPLE)),
    **classical("Chebyshev2", ("4, 0", STOP), ("4, 301", STOP), (f"4, {NAN}", STOP)),
    **classical("Elliptic", ("4, 0", RIPPLE), ("4, 1, 301", STOP), ("4, 40, 40", "stopband is greater than ripple")),
    **each(twice("RecursiveFilter"), ORDER, "0, 0, 8000, 100, 200, 0, 1, 60"),
    **each("Convolver ZeroLatencyConvolver", "h has at least one coefficient", "{}"),
    **each("Convolver ZeroLatencyConvolver", "block lies between 2 and 65536", "{1}, 0", "{1}, 0 - 4", "{1}, 131072"),
    **each("Convolver ZeroLatencyConvolver", "block is a power of two", "{1}, 48"),
    **each("Convolver ZeroLatencyConvolver", "largest is 0, or lies between block and 65536", "{1}, 64, 32"),
    **each("Convolver ZeroLatencyConvolver", "largest is a power of two", "{1}, 64, 100"),
    **each("Dither ShapedDither", "bits lies between 2 and 24", "1", "25", "0 - 1"),
    **each("DoubleDither DoubleShapedDither", "bits lies between 2 and 31", "1", "32", "0 - 1"),
    **each(twice("Smoother RampSmoother SmoothGain"), "rate is greater than 0", "0, 1", "0 - 1, 1", f"{NAN}, 1"),
    **each(twice("Smoother RampSmoother"), "time is greater than 0", "8000, 0", "8000, 0 - 1", f"8000, {NAN}"),
    **each(twice("SmoothGain"), "time is not negative", "8000, 1, 0 - 1", f"8000, 1, {NAN}"),
    **each(twice("StateVariableFilter StateVariableBank"), CUTOFF, "8000, 0", "8000, 4000", "0, 1", f"8000, {NAN}"),
    **each(twice("StateVariableFilter StateVariableBank"), "q is greater than 0", "8000, 500, 0", f"8000, 500, {NAN}"),
    **each("ModulatedStateVariableBank", "rate is greater than 0", "0", "0 - 1"),
    **each("ModulatedStateVariableBank", "q is greater than 0", "8000, 0"),
    **each("Agc ComplexAgc", "rate, level and most are greater than 0", "0", "8000, 0", "8000, most = 0", NAN),
    **each("Agc ComplexAgc", "attack and release are greater than 0", "8000, 1, 0", "8000, release = 0 - 1"),
    **each("Pll PllFrequency CarrierTracker", "frequency lies between minus and plus half the rate",
           "8000, 4000, 10", "0, 0, 10", f"8000, {NAN}, 10"),
    **each("Pll PllFrequency CarrierTracker", "bandwidth lies between 0 and a quarter of the rate",
           "8000, 100, 0", "8000, 100, 2000", f"8000, 100, {NAN}"),
    **each("Pll PllFrequency CarrierTracker", "damping is greater than 0", "8000, 100, 10, 0"),
    **each("PhaseTracker", "damping is greater than 0", "8000, 100, 10, 0"),
    **each("CostasLoop", "phases is 2, 4 or 8", "8000, 10, 3", "8000, 10, 0"),
    **each("CostasLoop", "rate is greater than 0", "0, 10"),
    **each("CostasLoop", "bandwidth lies between 0 and a quarter of the rate", "8000, 0", "8000, 2000"),
    **each("CostasLoop", "damping is greater than 0", "8000, 10, 4, 0"),
    **each("SymbolTiming ComplexSymbolTiming", "samples lies between 2 and 100000", "1.5", "0 - 8", "1e6", NAN),
    **each("SymbolTiming ComplexSymbolTiming", "bandwidth lies between 0 and a quarter", "8, 0", "8, 0.25"),
    **each("SymbolTiming ComplexSymbolTiming", "damping is greater than 0", "8, 0.1, 0"),
}

# Parts of convolvers, which those that use them have checked.
PARTS = set("PartitionedConvolver DirectConvolver BlockConvolver OverlappingBlocks SpectrumConvolver".split())
