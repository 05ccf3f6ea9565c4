#!/usr/bin/env python3
"""How exact the filters and sources of the library are, beside definitions in binary64 and in exact numbers.

precision.py --strc STRC    measures signal to noise and distortion, responses and phases, in both engines
"""

from __future__ import annotations

import argparse
import array
import cmath
import math
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Callable

TWO_PI = 2 * math.pi
Run = Callable[..., list[float]]


def runner(strc: str, engine: list[str], folder: Path) -> Run:
    def run(stream: str, items: int, double: bool = False) -> list[float]:
        """The first items of `void->float pipeline Main` with this body."""
        kind = "double" if double else "float"
        (folder / "program.str").write_text(f"void->{kind} pipeline Main {{ {stream} }}\n", encoding="ascii")
        command = [strc, "run", *engine, "--top", "Main", "program.str", "--out", "out.raw", "--limit", str(items)]
        subprocess.run(command, cwd=folder, check=True)
        values = array.array("d" if double else "f")
        values.frombytes((folder / "out.raw").read_bytes())
        return list(values)[:items]

    return run


def decibels(ratio: float) -> float:
    return 20 * math.log10(max(ratio, 1e-300))


def sinad(values: list[float], frequency: float) -> float:
    """Signal to all else, in decibels: the sine of this frequency (a part of the rate) that fits best is the signal."""
    ss = sc = cc = sv = cv = 0.0
    for n, value in enumerate(values):
        # An exact phase: the product of a large n would lose more than is measured.
        angle = TWO_PI * float(Fraction(frequency) * n % 1)
        s, c = math.sin(angle), math.cos(angle)
        ss, sc, cc, sv, cv = ss + s * s, sc + s * c, cc + c * c, sv + s * value, cv + c * value
    determinant = ss * cc - sc * sc
    a, b = (sv * cc - cv * sc) / determinant, (cv * ss - sv * sc) / determinant
    noise = 0.0
    for n, value in enumerate(values):
        angle = TWO_PI * float(Fraction(frequency) * n % 1)
        noise += (value - a * math.sin(angle) - b * math.cos(angle)) ** 2
    return decibels(math.sqrt((a * a + b * b) / 2 / (noise / len(values))))


def response(h: list[float], frequency: float) -> complex:
    return sum(c * cmath.exp(-1j * TWO_PI * frequency * n) for n, c in enumerate(h))


Row = tuple[str, float, float]  # what it is, what was measured, what it has to be at least


def resamplers(run: Run) -> list[Row]:
    rows = []
    for up, down in ((147, 160), (160, 147), (3, 2), (2, 3), (1, 4), (4, 1)):
        for kind, least in (("", 100), ("Double", 140)):
            to_float = "" if kind else "add DoubleToFloat; "
            stream = f"add DoubleSineSource(48000, 1000); {to_float}add {kind}Resampler({up}, {down});"
            values = run(stream, 2000, bool(kind))
            rows.append((f"{kind}Resampler({up}, {down}) at 1 kHz", sinad(values, Fraction(down, 48 * up)), least))
    # What the lower rate cannot hold: 23 of 48 kHz would come back as 21 of 44.
    for kind, least in (("", 100), ("Double", 140)):
        to_float = "" if kind else "add DoubleToFloat; "
        values = run(f"add DoubleSineSource(48000, 23000); {to_float}add {kind}Resampler(11, 12);", 1500, bool(kind))
        rows.append((f"aliases of {kind}Resampler(11, 12)", -decibels(max(map(abs, values))), least))
    values = run("add SineSource(48000, 19000); add Resampler(11, 12);", 1500)
    rows.append(("what Resampler(11, 12) passes at 19 kHz", -abs(decibels(max(map(abs, values)))), -0.01))
    return rows


def stop_bands(run: Run) -> list[Row]:
    rows = []

    def measure(kind: str, stream: str, bands: list[tuple[int, int]], least: float, taps: int) -> None:
        # One firing of a filter takes all its taps, so that the impulse comes late enough to be seen whole.
        delay = "" if kind else "add DoubleToFloat; "
        h = run(f"add DoubleImpulseSource(); add DoubleDelay({taps}); {delay}add {kind}{stream};", 2 * taps, bool(kind))
        worst = max(abs(response(h, f / 8000)) for low, high in bands for f in range(low, high + 1, 25))
        rows.append((kind + stream, -decibels(worst), least))

    for kind, stop in (("", 100), ("Double", 150)):
        measure(kind, f"LowPass(8000, 1000, stopband = {stop})", [(1250, 4000)], stop, 400)
        measure(kind, f"LowPass(8000, 1000, 301, stopband = {stop})", [(1200, 4000)], stop, 400)
        measure(kind, f"HighPass(8000, 1000, stopband = {stop}, transition = 400)", [(0, 800)], stop, 400)
        measure(kind, f"BandPass(8000, 1000, 2000, stopband = {stop})", [(0, 750), (2250, 4000)], stop, 400)
        measure(kind, f"BandStop(8000, 1000, 2500, stopband = {stop})", [(1250, 2250)], stop, 400)
    return rows


def biquads(run: Run) -> list[Row]:
    """The response at frequency 0 and at 1 kHz; errors in decibels, with the sign turned."""
    rows = []
    low_passes = [("", 20), ("", 1), ("Double", 20), ("", 400), ("", 2000)]
    for kind, frequency in low_passes:
        step = "add DoubleConstant(1); " + ("" if kind else "add DoubleToFloat; ")
        items = min(400000, 48000 * 20 // frequency)
        values = run(f"{step}add {kind}BiquadLowPass(48000, {frequency});", items, bool(kind))
        gain = sum(values[-100:]) / 100 if frequency > 1 else values[-1]
        rows.append((f"{kind}BiquadLowPass(48000, {frequency}) at 0 Hz", -abs(decibels(gain)), -1e-3))
    # A peak of 12 decibels: a sine there is four times as large when the start has died away.
    for kind, frequency in (("", 30), ("Double", 30), ("", 1000)):
        sine = f"add DoubleSineSource(48000, {frequency}, 1, 0.25); " + ("" if kind else "add DoubleToFloat; ")
        values = run(f"{sine}add {kind}BiquadPeak(48000, {frequency}, 12);", 48000, bool(kind))
        period = 48000 // frequency
        last = values[-period:]
        level = math.sqrt(2 * sum(x * x for x in last) / period)
        rows.append((f"{kind}BiquadPeak(48000, {frequency}, 12)", -abs(decibels(level) - 12), -1e-3))
    values = run("add Constant(1); add OnePole(48000, 0.5);", 480000)
    rows.append(("OnePole(48000, 0.5) at 0 Hz", -abs(decibels(values[-1])), -1e-4))
    return rows


def oscillators(run: Run) -> list[Row]:
    """The phase after two million items, in periods, beside exact numbers of the rate and frequency that floats are."""
    rows = []
    count = 2000000
    for kind, frequency, allowed in (("", 440.1, 1e-7), ("", 0.01, 1e-7), ("", -19999.0, 1e-7), ("Double", 440.1, 1e-12)):
        written = array.array("f", [frequency])[0]
        values = run(f"add {kind}PhaseSource(44100, {frequency}); add {kind}Skip({count});", 20, bool(kind))
        step = Fraction(written) / 44100
        worst = max(
            abs(Fraction(v) / 2 + Fraction(1, 2) - step * (count + n) % 1) for n, v in enumerate(values)
        )
        rows.append((f"{kind}PhaseSource(44100, {frequency}) later", -float(worst), -allowed))
    for kind, least in (("", 130), ("Double", 250)):
        values = run(f"add {kind}SineSource(48000, 997); add {kind}Skip({count});", 3000, bool(kind))
        rows.append((f"{kind}SineSource(48000, 997) later", sinad(values, Fraction(997, 48000)), least))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--strc", required=True)
    strc = str(Path(parser.parse_args().strc).resolve())
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for engine in ([], ["--interpret"]):
            run = runner(strc, engine, Path(folder))
            # The interpreter takes its time for long streams; the bits are the same.
            groups = (resamplers, stop_bands) if engine else (resamplers, stop_bands, biquads, oscillators)
            for name, measured, least in (row for group in groups for row in group(run)):
                good = measured >= least
                print(f"{'ok  ' if good else 'BAD '} {name}: {measured:.9g}, at least {least:.9g}")
                faults += not good
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
