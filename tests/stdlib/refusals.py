#!/usr/bin/env python3
"""What the streams of the library refuse: arguments that nobody should give, of every stream that has parameters.

refusals.py --strc STRC    every row of WRONG is refused at its `add`, in these words; every one of RIGHT runs;
                           no stream of the library with parameters is without a row
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = HERE.parent.parent / "stdlib"
sys.path.insert(0, str(HERE.parent / "tensors"))
import refusals as tensors  # noqa: E402
import refused_signals as signals  # noqa: E402

N = "n is at least 1"
NOT_NEGATIVE = "n is at least 0"
POWER = "n is a power of two"
CUTOFF = "cutoff lies between 0 and half the rate"
FREQUENCY = "frequency lies between 0 and half the rate"
OSCILLATOR = "frequency is half the rate at most"
EDGES = "low is less than high, and both lie within half the rate"
TAPS = "taps is at least 1, or 0 for as many as it takes"
STOP = "stopband is 0, or 21 to 250 decibels"
TRANSITION = "transition is greater than 0, and for a stop band without taps"
DECIMATION = "decimation is at least 1"
FITS = "the transition does not fit between the edges"
COEFFICIENTS = "there are as many coefficients as taps"
UP_DOWN = "up and down are at least 1"
TAPS_FIT = "the taps do not fit: a stop band of 1"
GAIN = "gain lies between -1 and 1"
NAN = "0.0 / 0"


def windowed(name: str, edges: str, wrong: dict[str, str], decimates: bool) -> dict[str, str]:
    """The filters that are designed by a window: their own edges, and what they all share."""
    shared = {
        "taps = 0 - 3": TAPS,
        "stopband = 0 - 100": STOP,
        "stopband = 20": STOP,
        "stopband = 1000": STOP,
        f"stopband = {NAN}": STOP,
        "transition = 100": TRANSITION,
        "stopband = 100, transition = 0 - 1": TRANSITION,
        "taps = 100, stopband = 100, transition = 100": TRANSITION,
        "taps = 9, stopband = 100": FITS,
        "stopband = 100, transition = 3000": FITS,
        "stopband = 100, transition = 0.001": "it takes no more than 1000000 taps",
    }
    if decimates:
        shared |= {"decimation = 0": DECIMATION, "decimation = 0 - 2": DECIMATION}
    rows = {f"{name}(8000, {args})": said for args, said in wrong.items()}
    return rows | {f"{name}(8000, {edges}, {args})": said for args, said in shared.items()}


def cut(name: str, decimates: bool) -> dict[str, str]:
    bad = ("0", "0 - 100", "4000", "9000", NAN)
    return windowed(name, "1000", {each: CUTOFF for each in bad}, decimates) | {f"{name}(0, 1000)": CUTOFF}


def band(name: str, decimates: bool) -> dict[str, str]:
    bad = ("0 - 1, 1000", "2000, 1000", "1000, 1000", "1000, 4001", f"{NAN}, 1000", f"1000, {NAN}")
    return windowed(name, "1000, 2000", {each: EDGES for each in bad}, decimates)


def biquad(name: str, gain: bool) -> dict[str, str]:
    rest = ", 6" if gain else ""
    rows = {f"{name}({args}{rest})": FREQUENCY for args in ("8000, 0", "8000, 4000", "8000, 0 - 5", f"8000, {NAN}", "0, 1")}
    rows |= {f"{name}(8000, 100{rest}, {q})": "q is greater than 0" for q in ("0", "0 - 1", NAN)}
    if gain:
        rows |= {f"{name}(8000, 100, {g})": "gain lies between" for g in ("1e6", NAN)}
    return rows


def resampler(name: str, factors: tuple[str, ...], right: str) -> dict[str, str]:
    rows = {f"{name}({each})": UP_DOWN if "," in right else "factor is at least 1" for each in factors}
    return rows | {
        f"{name}({right}, 0 - 5)": TAPS,
        f"{name}({right}, 16)": TAPS_FIT,
        f"{name}({right}, stopband = 10)": "stopband lies between 21 and",
        f"{name}({right}, stopband = 300)": "stopband lies between 21 and",
        f"{name}({right}, passband = 1)": "passband lies between 0 and 1",
        f"{name}({right}, passband = 0)": "passband lies between 0 and 1",
        f"{name}({right}, passband = {NAN})": "passband lies between 0 and 1",
        f"{name}({right}, passband = 0.9999999)": "it takes no more than 1000000 taps",
    }


def each(names: str, said: str, *arguments: str) -> dict[str, str]:
    return {f"{name}({args})": said for name in names.split() for args in arguments}


WRONG = {
    **each("Adder IntAdder DoubleAdder ComplexAdder Mean Multiplier ComplexMultiplier Maximum Minimum", N, "0", "0 - 1"),
    **each("Clip", "limit is at least 0", "0 - 1", NAN),
    **each("Decibels", "reference is greater than 0", "0", "0 - 1", NAN),
    **each("Mixer", N, "0, {1.0}", "0 - 1, {1.0}"),
    **each("Mixer", "there are n gains", "2, {1.0}"),
    **each("BitsToInt", "n lies between 1 and 31", "0", "32", "0 - 1"),
    **each("IntToBits", "n lies between 1 and 32", "0", "33", "0 - 1"),
    **each("Delay IntDelay DoubleDelay ComplexDelay Skip IntSkip DoubleSkip", NOT_NEGATIVE, "0 - 1"),
    **each("Downsample IntDownsample ComplexDownsample Upsample ComplexUpsample Repeat IntRepeat Reverse IntReverse", N,
           "0", "0 - 1"),
    **each("Transpose IntTranspose", "rows and columns are at least 1", "0, 2", "2, 0", "0 - 2, 0 - 3"),
    **each("Transpose IntTranspose", "the matrix has more than 2147483647 items", "65536, 65536"),
    **each("Frames", "n and hop are at least 1", "0, 2", "4, 0", "4, 0 - 1"),
    **each("OverlapAdd", "hop lies between 1 and n", "4, 0", "4, 5", "0 - 4, 0 - 5"),
    **each("PrintRow IntPrintRow BitPrintRow", N, "0", "0 - 1"),
    **each("Echo DampedEcho AllPass", "delay lies between 1 and 1000000", "0", "0 - 1", "2000000000"),
    **each("Echo DampedEcho AllPass", GAIN, "3, 1", "3, 0 - 1", "3, 2", f"3, {NAN}"),
    **each("DampedEcho", "damping is at least 0 and less than 1", "3, 0.5, 1", "3, 0.5, 0 - 1", f"3, 0.5, {NAN}"),
    **each("Fir DoubleFir ComplexFir", "taps is at least 1", "0, {1.0}", "0 - 1, {1.0}"),
    **each("Fir DoubleFir ComplexFir", COEFFICIENTS, "2, {1.0}"),
    **each("Fir DoubleFir ComplexFir", DECIMATION, "1, {1.0}, 0", "1, {1.0}, 0 - 1"),
    **cut("LowPass", True), **cut("DoubleLowPass", True), **cut("ComplexLowPass", True),
    **cut("HighPass", False), **cut("DoubleHighPass", False),
    **band("BandPass", True), **band("DoubleBandPass", True),
    **band("BandStop", False), **band("DoubleBandStop", False),
    **each("WindowedFir DoubleWindowedFir ComplexWindowedFir", TAPS, "true, false, 8, 0, 2, 0 - 1, 1, 0, 0"),
    **each("MovingAverage MovingMaximum", N, "0", "0 - 1"),
    **each("MovingMedian", "n is odd and at least 1", "0", "2", "0 - 1"),
    **biquad("BiquadLowPass", False), **biquad("DoubleBiquadLowPass", False),
    **biquad("BiquadHighPass", False), **biquad("DoubleBiquadHighPass", False),
    **biquad("BiquadBandPass", False), **biquad("DoubleBiquadBandPass", False),
    **biquad("BiquadNotch", False), **biquad("DoubleBiquadNotch", False),
    **biquad("BiquadPeak", True), **biquad("DoubleBiquadPeak", True),
    **biquad("BiquadLowShelf", True), **biquad("DoubleBiquadLowShelf", True),
    **biquad("BiquadHighShelf", True), **biquad("DoubleBiquadHighShelf", True),
    **each("OnePole DoubleOnePole", CUTOFF, "8000, 0", "8000, 4000", "0, 100", "8000, 0 - 1", f"8000, {NAN}"),
    **each("DcBlock DoubleDcBlock", "r is at least 0 and less than 1", "1", "0 - 0.5", NAN),
    **each("Envelope DoubleEnvelope", "rate is greater than 0", "0", "0 - 8000"),
    **each("Envelope DoubleEnvelope", "attack and release are greater than 0", "8000, 0", "8000, release = 0 - 1"),
    **each("HannWindow HammingWindow BlackmanWindow", "n lies between 1 and 16777216", "0", "0 - 1", "1000000000"),
    **each("KaiserWindow", "n lies between 1 and 16777216", "0, 5"),
    **each("KaiserWindow", "beta lies between 0 and 500", "8, 0 - 1", "8, 1000", f"8, {NAN}"),
    **each("ApplyWindow", N, "0, {1.0}"),
    **each("ApplyWindow", "there are n weights", "2, {1.0}"),
    **each("Fft InverseFft MixedFftOrder", "n lies between 1 and 16777216", "0", "0 - 8", "1073741824"),
    **each("FftOrder", POWER, "0", "100", "3", "0 - 8", "1073741824"),
    **each("MixedFft", "n lies between 2 and 16777216", "1, 1", "0 - 8, 1", "1073741824, 1"),
    **each("MixedFft", "sign is 1 or -1", "6, 0"),
    **each("MixedFftStage", "factor is at least 2, and n a multiple of it up to 16777216", "6, 1, 1", "6, 4, 1", "0, 2, 1"),
    **each("MixedFftStage", "sign is 1 or -1", "6, 3, 2"),
    **each("FftStage", "n is even, from 2 to 16777216", "0, 1", "3, 1", "0 - 2, 1"),
    **each("FftStage", "sign is 1 or -1", "4, 0"),
    **each("RealFft RealFftUntangle InverseRealFft RealFftTangle Spectrum", "n is even, from 2 to 16777216", "1", "99", "0", "0 - 8", "1073741824"),
    **each("Dct InverseDct", "n lies between 1 and 8192", "0", "0 - 1", "8193"),
    **each("Goertzel", N, "8000, 440, 0", "8000, 440, 0 - 1"),
    **each("Goertzel", FREQUENCY, "8000, 4001, 8", "8000, 0 - 1, 8", f"8000, {NAN}, 8"),
    **each("Goertzel", "rate is greater than 0", "0, 0, 8"),
    **each("Rms", N, "0", "0 - 1"),
    **resampler("Resampler", ("0, 1", "1, 0", "0 - 2, 3"), "3, 2"),
    **resampler("DoubleResampler", ("0, 1", "1, 0", "0 - 2, 3"), "3, 2"),
    **resampler("Decimator", ("0", "0 - 2"), "4"), **resampler("DoubleDecimator", ("0", "0 - 2"), "4"),
    **resampler("Interpolator", ("0", "0 - 2"), "4"), **resampler("DoubleInterpolator", ("0", "0 - 2"), "4"),
    **each("Resampler DoubleResampler", "up and down are 10000 at most", "20000, 3", "2, 100000"),
    **each("Resampler", TAPS_FIT, "147, 160, 128"),
    **each("Polyphase DoublePolyphase", UP_DOWN, "0, 1, 1, {1.0}", "1, 0, 1, {1.0}", "0 - 1, 1, 1, {1.0}"),
    **each("Polyphase DoublePolyphase", "up and down are 10000 at most", "100000, 100000, 1, {1.0}"),
    **each("Polyphase DoublePolyphase", "taps is at least 1", "1, 1, 0, {1.0}"),
    **each("Polyphase DoublePolyphase", COEFFICIENTS, "1, 1, 2, {1.0}"),
    **each("LinearInterpolator", "factor is at least 1", "0", "0 - 1"),
    **each("ImpulseSource DoubleImpulseSource", "period is at least 0", "0 - 1"),
    **each("PhaseSource DoublePhaseSource SineSource DoubleSineSource SawtoothSource SquareSource TriangleSource", OSCILLATOR,
           "8000, 4001", "8000, 0 - 4001", "0, 0", f"8000, {NAN}"),
    **each("SquareSource", "duty lies between 0 and 1", "8000, 100, 1, 2", "8000, 100, 1, 0 - 1", f"8000, 100, 1, {NAN}"),
    **each("ChirpSource", "length is at least 1", "8000, 1, 100, 0", "8000, 1, 100, 0 - 1"),
    **each("ChirpSource", "start and end are half the rate at most", "8000, 1, 5000, 9", "8000, 5000, 1, 9", "0, 1, 1, 9"),
    **each("GaussianSource", "deviation is at least 0", "0 - 1", NAN),
    **each("IntNoiseSource", "bound lies between 1 and 32768", "0", "0 - 1", "32769"),
    **each("FrequencyShift RingModulator", OSCILLATOR, "8000, 4001", "0, 1", f"8000, {NAN}"),
    **each("AmModulator", "carrier is half the rate at most", "8000, 4001", "0, 1", f"8000, {NAN}"),
    **each("FmModulator FmDemodulator", "rate is greater than 0", "0, 1", "0 - 8000, 1"),
    **each("FmModulator FmDemodulator", "deviation is not 0, and the rate at most", "8000, 0", "8000, 9000", f"8000, {NAN}"),
}

# Streams of which every argument makes sense.
ANY = set("""Gain IntGain ComplexGain DoubleGain Offset IntOffset DoubleOffset Constant DoubleConstant Ramp DoubleRamp IntRamp
NoiseSource DoubleNoiseSource Biquad DoubleBiquad FloatBiquad BiquadSection""".split())

# Tensors: slopes, thresholds and switches of which every one makes sense, and parts that a checked stream makes.
ANY_TENSOR = set("""leakyrelu gelu elu softplus const BatchNorm Recurrent Separator Pick PadWith PadFrom Interpolate Smoothed Frame Unframe print_labels""".split())

# The least and the most that is right.
RIGHT = """
Adder(1) Clip(0) Mixer(1, {2.0}) BitsToInt(31) IntToBits(32) Delay(0) Skip(0) Downsample(1) Transpose(1, 1) OverlapAdd(4, 4)
Frames(2, 5) Echo(1) AllPass(1, 0) DampedEcho(1, 0.5, 0) Fir(1, {2.0}) LowPass(8000, 3999) LowPass(8000, 1, 1)
LowPass(8000, 1000, stopband = 250) BandPass(8000, 0, 4000) BandPass(8000, 0, 2000, stopband = 100) BandStop(8000, 100, 4000)
BandStop(8000, 1000, 2000, stopband = 21, transition = 1000) HighPass(8000, 3999, 1) MovingMedian(1) BiquadPeak(8000, 3999, 0)
OnePole(8000, 3999) DcBlock(0) HannWindow(1) KaiserWindow(5, 0) Fft(1) InverseFft(2) Fft(15) MixedFft(2, 1) MixedFftOrder(1) MixedFftStage(9, 3, 1) RealFft(2) InverseRealFft(2) Spectrum(2)
Dct(1) Goertzel(8000, 4000, 1) Goertzel(8000, 0, 1) Resampler(1, 1) Resampler(3, 2, 100) DoubleDecimator(1) Interpolator(1)
PhaseSource(8000, 4000) PhaseSource(8000, 0 - 4000) SineSource(2, 1) SquareSource(8000, 0, 1, 0) ChirpSource(2, 0 - 1, 1, 1)
IntNoiseSource(32768) IntNoiseSource(1) RingModulator(8000, 4000) FmModulator(8000, 0 - 8000) ImpulseSource(1)
"""
DECLARATION = re.compile(r"^(\w+)->(\w+) (?:stateful )?(?:filter|pipeline|splitjoin|feedbackloop) (\w+)(\(?)", re.MULTILINE)


def declarations(folder: Path) -> dict[str, tuple[str, str]]:
    """The types of the streams with parameters."""
    texts = (path.read_text(encoding="ascii") for path in sorted(folder.glob("*.str")))
    return {name: (takes, gives) for text in texts for takes, gives, name, brace in DECLARATION.findall(text) if brace}


def name_of(row: str) -> str:
    return row.split("(")[0]


def program(row: str, types: tuple[str, str]) -> str:
    takes, gives = types
    given = "" if takes == "void" else f"add void->{takes} filter {{ work push 1 {{ {takes} x; push(x); }} }};"
    taken = "" if gives == "void" else f"add {gives}->void filter {{ work pop 1 {{ pop(); }} }};"
    return f"void->void pipeline Main {{\n    {given}\n    add {row};\n    {taken}\n}}\n"


def check(strc: str, folder: Path, number: int, row: str, said: str, types: tuple[str, str]) -> str | None:
    """What is wrong."""
    path = folder / f"{number}.str"
    path.write_text(program(row, types), encoding="ascii")
    ran = subprocess.run([strc, "run", "--interpret", "-i", "2", str(path)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if not said:
        return None if ran.returncode == 0 else f"{row} is refused:\n{ran.stderr}"
    first = ran.stderr.split("\n")[0]
    good = ran.returncode == 1 and first.startswith(f"{path}:3:5: error: ") and said in first
    return None if good else f"{row}: status {ran.returncode}, not '{said}':\n{ran.stderr}"


def without_row(streams: dict[str, tuple[str, str]]) -> list[str]:
    rows = {name_of(row) for row in WRONG} | ANY
    faults = [f"{name} is not in the library" for name in rows - set(streams)]
    rows |= {name_of(row) for row in signals.WRONG} | signals.PARTS
    faults += [f"{name} has parameters and no row" for name in streams if name not in rows]
    rows = {name_of(row.filter) for row in tensors.WRONG}
    faults += [f"tensor filter {name} has parameters and no row" for name in declarations(LIBRARY / "tensor")
               if name not in rows | ANY_TENSOR]
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strc", required=True)
    strc = parser.parse_args().strc
    streams = declarations(LIBRARY)
    faults = without_row(streams)
    right = re.findall(r"\w+\([^)]*\)", RIGHT)
    rows = [(row, said) for row, said in (WRONG | signals.WRONG).items()] + [(row, "") for row in right]
    rows = [(row, said) for row, said in rows if name_of(row) in streams]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        found = pool.map(
            lambda at: check(strc, Path(folder), at[0], *at[1], streams[name_of(at[1][0])]), enumerate(rows)
        )
        faults += [fault for fault in found if fault]
    print("\n".join(faults) + f"\n{len(rows)} rows, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
