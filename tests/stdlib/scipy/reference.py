#!/usr/bin/env python3
"""What the programs in this folder have to print, computed by SciPy and NumPy in double precision.

reference.py           writes NAME.out for each NAME.str
reference.py --check   compares the files with what it computes; exit status 1 if they differ

Loops with feedback, which SciPy does not have, are written down as their sources have them; what makes them loops that
work (they lock, errors are small, noise is white) is asserted of the results.
"""

import importlib.util
import math
import re
import sys
from pathlib import Path

import numpy as np
from scipy import signal

HERE = Path(__file__).resolve().parent


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(HERE.parent.parent / "conformance"))
import compare  # noqa: E402

library = load("library_reference", HERE.parent / "reference.py")


def noise(seed, count):
    at = library.noise(1, seed)
    return np.array([at(n) for n in range(count)])


def impulse(count):
    return np.eye(1, count)[0]


def rows(*columns):
    return [" ".join(repr(float(x)) for x in row) for row in zip(*columns)]


def one_by_one(*columns):
    return [repr(float(x)) for row in zip(*columns) for x in row]


# Classical recursive filters -------------------------------------------------------------------

FORMS = {"lowpass": 900, "highpass": 900, "bandpass": [500, 900], "bandstop": [500, 900]}


def butter(order, form, edges=None):
    return signal.butter(order, edges or FORMS[form], form, output="sos", fs=8000)


def cheby1(order, ripple, form, edges=None):
    return signal.cheby1(order, ripple, edges or FORMS[form], form, output="sos", fs=8000)


def cheby2(order, stopband, form, edges=None):
    return signal.cheby2(order, stopband, edges or FORMS[form], form, output="sos", fs=8000)


def ellip(order, ripple, stopband, form, edges=None):
    return signal.ellip(order, ripple, stopband, edges or FORMS[form], form, output="sos", fs=8000)


BY_HAND = np.array([[0.5, 0.25, 0.125, 1, -0.5, 0.25], [1, 0, -1, 1, 0.25, 0.5]])


def classic(count):
    x = noise(5, count)
    filters = [
        butter(4, "lowpass"), butter(3, "highpass"), butter(2, "bandpass"), butter(3, "bandstop"),
        cheby1(4, 1, "lowpass"), cheby1(5, 0.5, "highpass"), cheby1(3, 3, "bandpass"), cheby1(2, 0.5, "bandstop"),
        cheby2(4, 60, "lowpass"), cheby2(5, 40, "highpass"), cheby2(3, 30, "bandpass"), cheby2(2, 30, "bandstop"),
        ellip(4, 1, 60, "lowpass"), ellip(5, 0.5, 40, "highpass"), ellip(3, 2, 30, "bandpass"),
        ellip(2, 0.5, 30, "bandstop"), BY_HAND, ellip(8, 0.5, 80, "lowpass", 10),
    ]  # fmt: skip
    return rows(*(signal.sosfilt(sos, x) for sos in filters))


def classic_double(count):
    x = impulse(count // 96)
    filters = []
    for n in range(1, 6):
        filters += [butter(n, form) for form in FORMS]
        filters += [cheby1(n, 0.5, form) for form in FORMS]
        filters += [cheby2(n, 50, form) for form in FORMS]
        filters += [ellip(n, 0.5, 50, form) for form in FORMS]
    filters += [
        butter(1, "bandpass", [5, 3990]), butter(5, "bandpass", [5, 3990]), butter(60, "lowpass", 2000),
        cheby1(20, 2, "lowpass", 300), cheby2(4, 100, "bandstop", [1000, 1010]),
        ellip(2, 0.125, 120, "lowpass", 500), ellip(16, 0.125, 60, "lowpass", 500),
        ellip(4, 0.125, 60, "highpass", 3999), ellip(4, 0.125, 60, "bandpass", [100, 101]),
        ellip(3, 0.125, 20, "bandstop", [100, 3000]), ellip(1, 0.125, 200, "lowpass", 3000), BY_HAND,
        butter(9, "highpass"), cheby1(10, 0.5, "bandpass"), cheby2(11, 50, "lowpass"), ellip(9, 0.5, 50, "bandstop"),
    ]  # fmt: skip
    return one_by_one(*(signal.sosfilt(sos, x) for sos in filters))


# Convolution -----------------------------------------------------------------------------------

FEW = [1, -2, 3, 0.5, 0.25]


def convolution(count):
    i = np.arange(700)
    h = np.sin(0.125 * i * i) * np.exp(-0.00390625 * i)
    x = noise(7, count)
    long, few, one = signal.lfilter(h, 1, x), signal.lfilter(FEW, 1, x), 2 * x
    return rows(long, long, long, few, one, long, long, long, long, few, few, one)


def convolution_loop(count):
    i = np.arange(150)
    h = 0.25 * np.cos(0.5 * i * i) * np.exp(-0.03125 * i)
    return one_by_one(signal.lfilter([1], np.concatenate([[1], -h]), noise(8, count)))


# Analytic signals and complex coefficients -----------------------------------------------------


def hilbert(taps):
    m = np.arange(taps) - taps // 2
    ideal = [2 / (math.pi * k) if k % 2 else 0 for k in m]
    return ideal * signal.windows.hamming(taps)


def one_sided(low, high, taps):
    m = np.arange(taps) - (taps - 1) / 2
    return signal.firwin(taps, (high - low) / 2, fs=8000) * np.exp(1j * math.pi * (low + high) / 8000 * m)


def whole(x, h):
    """The results for which all taps have an input."""
    return signal.lfilter(h, 1, x)[len(h) - 1 :]


TAPS = [1 + 2j, -1j, 0.5, 0.25 - 1j]


def analytic(count):
    x = noise(9, count + 100)
    late = np.concatenate([np.zeros(16), x])
    later = np.concatenate([np.zeros(21), x])
    twice = whole(whole(x, [1 + 2j, 1j]), [1 - 1j, 3j, 0.5])
    first = whole(x, TAPS)
    return rows(
        whole(late, hilbert(33)), whole(late, hilbert(33)), whole(x, hilbert(65)), whole(later, hilbert(43)), x,
        first.real, first.imag, twice.real, twice.imag, whole(x, one_sided(500, 1500, 33)).real,
        whole(x, one_sided(-1000, 250, 65)).imag,
    )[:count]  # fmt: skip


def analytic_tone(count):
    n = np.arange(-1600, 1600)
    z = signal.hilbert(0.5 * np.sin(2 * math.pi * 1250 / 8000 * n))[1600 + 32 :]
    return rows(z.real, z.imag, z.imag)[:count]


def decimated(count):
    x = noise(10, 3 * count + 40)
    columns = [whole(x, TAPS).real, whole(x, [1j, 2]).imag, whole(x, one_sided(250, 750, 21)).imag]
    return rows(*(y[::3] for y in columns))[:count]


# State-variable filters ------------------------------------------------------------------------


def second_order(x, cutoff, q, low, band, high):
    w = 2 * 8000 * math.tan(math.pi * cutoff / 8000)
    b, a = signal.bilinear([high / w**2, band / (q * w), low], [1 / w**2, 1 / (q * w), 1], 8000)
    return signal.lfilter(b, a, x)


def statevariable(count):
    x = noise(11, count)
    shapes = [(700, math.sqrt(0.5), 1, 0, 0), (700, 5, 0, 1, 0), (700, 2, 0, 0, 1), (700, 3, 1, 0, 1), (700, 3, 1, 4, 1),
              (1200, 2, 1, 0, 0), (1200, 2, 0, 1, 0), (1200, 2, 0, 0, 1)]  # fmt: skip
    return rows(*(second_order(x, *shape) for shape in shapes))


def statevariable_double(count):
    x = noise(11, count // 4)
    shapes = [(700, 0.5, 1, 4, 1), (1200, 2, 1, 0, 0), (1200, 2, 0, 1, 0), (1200, 2, 0, 0, 1)]
    return one_by_one(*(second_order(x, *shape) for shape in shapes))


def trapezoidal(x, settings):
    """Two trapezoidal integrators in a loop, solved anew for each item: low, band and high."""
    s = np.zeros(2)
    out = []
    for value, (cutoff, q) in zip(x, settings):
        g = math.tan(math.pi * cutoff / 8000)
        # high + band / q + low = x, band = s0 + g high, low = s1 + g band
        high, band, low = np.linalg.solve([[1, 1 / q, 1], [-g, 1, 0], [0, -g, 1]], [value, s[0], s[1]])
        s = np.array([band + g * high, low + g * band])
        out.append((low, band / q, high))
    return np.array(out).T


def statevariable_moved(count):
    x = noise(12, count)
    tuned = [(700, math.sqrt(0.5)) if n < 20 else (2000, 4) if n < 50 else (100, 0.5) for n in range(count)]
    moved = [(min(60 * n, 0.49 * 8000), 2) for n in range(count)]
    return rows(trapezoidal(x, tuned)[0], *trapezoidal(x, moved))


# Parameters ------------------------------------------------------------------------------------


def jumps(count):
    return np.array([n // 30 % 3 - 0.5 for n in range(count)])


def smooth(x, items):
    keep = math.exp(-1 / items)
    return signal.lfilter([1 - keep], [1, -keep], x, zi=[keep * x[0]])[0]


def ramps(x, length):
    """A line of `length` items from where it is to each new value."""
    y, start, left = [x[0]], x[0], 0
    for n in range(1, len(x)):
        if x[n] != x[n - 1]:
            start, left = y[-1], length
        left = max(left - 1, 0)
        y.append(x[n] + (start - x[n]) * left / length)
    return np.array(y)


def gains(count):
    return np.array([0.5 if n < 10 else 0.25 if n < 50 else -1 if n < 55 else 2 for n in range(count)])


def smoothing(count):
    x = jumps(count)
    return rows(smooth(x, 8), ramps(x, 16), ramps(x, 63), x * ramps(gains(count), 16), x * gains(count))


def smoothing_double(count):
    x = jumps(count // 4)
    slow = [smooth(x, 7.8125), ramps(x, 16), ramps(x, 63), x * ramps(gains(len(x)), 16)]
    return one_by_one(*slow)


# Dither ----------------------------------------------------------------------------------------


def dithered(x, bits, seed=1, shape=(0,)):
    step = 2.0 ** (1 - bits)
    uniform = library.noise(0.5, seed)
    errors = [0.0] * len(shape)
    y = []
    for n, value in enumerate(x):
        wanted = value - sum(c * e for c, e in zip(shape, errors))
        level = math.floor(wanted / step + uniform(2 * n) + uniform(2 * n + 1) + 0.5)
        errors = [level * step - wanted, *errors[:-1]]
        y.append(min(max(level * step, -1), 1 - step))
    return np.array(y)


def check_dither():
    """The error has mean 0 and variance step^2 / 4 whatever the input is, and the shape's spectrum."""
    step = 2.0**-7
    for constant in (0, step / 4, step / 2):
        error = dithered(np.full(20000, constant), 8) - constant
        assert abs(error.mean()) < 0.02 * step and abs(error.var() - step**2 / 4) < 0.01 * step**2
    error = dithered(np.zeros(20000), 8, 1, (2, -1))
    white = signal.lfilter([1], [1, -2, 1], error)
    assert abs(white.var() - step**2 / 4) < 0.01 * step**2


def dither(count):
    check_dither()
    x = 1.125 * (np.arange(count) * 37 % 1024 / 512 - 1)
    return rows(dithered(x, 6), dithered(x, 16, 3), dithered(x, 6, 1, (1,)), dithered(x, 5, 4, (2, -1)), dithered(x, 24, 5))


def dither_double(count):
    x = np.arange(count // 3) % 64 / 64
    return one_by_one(dithered(x, 8), dithered(x, 31, 3), dithered(x, 8, 4, (2, -1)))


# Receivers -------------------------------------------------------------------------------------


def gain_control(x, level, attack, release, most=10000):
    gain, out = 1.0, []
    for value in x:
        y = gain * value
        size = max(abs(y), 1e-6 * level)
        items = 8000 * (attack if size > level else release)
        gain = min(most, gain * (level / size) ** (1 - math.exp(-1 / items)))
        out.append(y)
    return np.array(out)


def loop_gains(bandwidth, damping):
    """Rice, equation C.61, for a detector and an oscillator of gain 1."""
    theta = bandwidth / (damping + 1 / (4 * damping))
    scale = 4 / (1 + 2 * damping * theta + theta**2)
    return scale * damping * theta, scale * theta**2


def phase_loop(x, detector, frequency, bandwidth, damping=math.sqrt(0.5)):
    """The oscillator, its frequency in hertz, and the input without it."""
    proportional, integral = loop_gains(bandwidth / 8000, damping)
    phase, step = 0.0, 2 * math.pi * frequency / 8000
    carrier, frequencies = [], []
    for value in x:
        carrier.append(np.exp(1j * phase))
        frequencies.append(step * 8000 / (2 * math.pi))
        error = detector(value * np.exp(-1j * phase))
        step += integral * error
        phase += step + proportional * error
    carrier = np.array(carrier)
    return carrier, np.array(frequencies), x * carrier.conj()


def loops(count):
    n = np.arange(count)
    x = 3 * np.exp(2j * math.pi * 503 / 8000 * n)
    level = abs(gain_control(x, 1, 0.005, 0.05))
    assert abs(level[-1] - 1) < 0.01
    carrier, _, rest = phase_loop(x, np.angle, 500, 40)
    _, frequency, _ = phase_loop(x, np.angle, 490, 40, 1)
    assert abs(frequency[-1] - 503) < 0.05 and abs(np.angle(rest[-1])) < 0.01
    return rows(level, gain_control(x.real, 0.5, 0.002, 0.01), gain_control(x.real, 100, 0.002, 0.001, 4), carrier.real,
                frequency, rest.imag)  # fmt: skip


def detector(phases):
    def sign(x):
        return 1 if x > 0 else -1

    def detect(y):
        a, b = sign(y.real) * y.imag, sign(y.imag) * y.real
        if phases == 2:
            return y.real * y.imag
        if phases == 4:
            return (a - b) / math.sqrt(2)
        k = math.tan(math.pi / 8)
        slope = math.cos(math.pi / 8) + k * math.sin(math.pi / 8)
        return (a - k * b if abs(y.real) >= abs(y.imag) else k * a - b) / slope

    return detect


def costas(count):
    symbols = library.from_generator((s >> 16) * 8 >> 16 for s in library.lcg(3))
    numbers = np.array([symbols(n) for n in range(count)])
    columns = []
    for phases in (2, 4, 8):
        n = np.arange(count)
        x = np.exp(2j * math.pi * (numbers % phases / phases + n * 7 / 8000 + 0.05))
        y = phase_loop(x, detector(phases), 0, 80)[2]
        ideal = phases * np.angle(y[-100:]) - (0 if phases == 2 else math.pi)
        assert abs(np.angle(np.exp(1j * ideal))).max() < 0.1, phases
        columns += [y.real, y.imag]
    return rows(*columns)


def pulses(t, offset=0):
    def symbol(k):
        return 1 if (k * 1103515245 + 12345) >> 16 & 1 else -1

    k = int(t)
    w = 0.5 - 0.5 * math.cos(math.pi * (t - k))
    return (1 - w) * symbol(k + offset) + w * symbol(k + 1 + offset)


def timing_loop(x, samples, bandwidth, damping, count):
    """Gardner's detector and a cubic through the four items around each place; x[n] is the item n."""
    proportional, integral = (samples * gain for gain in loop_gains(bandwidth, damping))

    def value(place):
        i = math.floor(place)
        return np.polynomial.polynomial.polyval(place - i, np.linalg.solve(VANDERMONDE, x[i - 1 : i + 3]))

    period, at, last, out, periods = float(samples), 1.0 + samples, 0.0, [], []
    for _ in range(count):
        middle, now = value(at - period / 2), value(at)
        error = min(max(((now - last) * np.conj(middle)).real, -1), 1)
        period = min(max(period - integral * error, 0.75 * samples), 1.25 * samples)
        at += max(period - proportional * error, period / 2)
        last = now
        out.append(now)
        periods.append(period)
    return np.array(out), np.array(periods)


VANDERMONDE = np.vander([-1.0, 0, 1, 2], increasing=True)


def timing(count):
    x = np.array([pulses(n / 8.05) for n in range(9 * count)])
    y, periods = timing_loop(x, 8, 0.02, math.sqrt(0.5), count)
    assert abs(periods[-50:].mean() - 8.05) < 0.01 and abs(abs(y[-50:]) - 1).max() < 0.05
    return one_by_one(y)


def timing_complex(count):
    x = np.array([pulses(n / 3.0625) + 1j * pulses(n / 3.0625, 7) for n in range(4 * count)])
    y, periods = timing_loop(x, 3, 0.02, 1, count)
    assert abs(periods[-50:].mean() - 3.0625) < 0.01 and abs(abs(y[-50:].real) - 1).max() < 0.05
    return rows(y.real, y.imag)


PROGRAMS = [
    classic, classic_double, convolution, convolution_loop, analytic, analytic_tone, decimated, statevariable,
    statevariable_double, statevariable_moved, smoothing, smoothing_double, dither, dither_double, loops, costas, timing,
    timing_complex,
]  # fmt: skip


def main():
    names = {path.stem for path in HERE.glob("*.str")}
    assert names == {program.__name__ for program in PROGRAMS}, names
    faults = 0
    for program in PROGRAMS:
        name = program.__name__
        text = (HERE / f"{name}.str").read_text(encoding="ascii")
        count = int(re.search(r"^// lines: (\d+)$", text, re.MULTILINE).group(1))
        tolerance = re.search(r"^// tolerance: (\S+)$", text, re.MULTILINE)
        lines = program(count)
        assert len(lines) >= count, name
        out = HERE / f"{name}.out"
        if "--check" in sys.argv:
            difference = compare.first_difference(
                lines, out.read_text(encoding="ascii").splitlines(), count, tolerance and float(tolerance.group(1))
            )
            if difference:
                print(f"{name}.out: {difference}")
                faults += 1
        else:
            out.write_text("\n".join(lines[:count]) + "\n", encoding="ascii")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
