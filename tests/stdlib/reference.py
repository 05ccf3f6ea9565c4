#!/usr/bin/env python3
"""What the programs in this folder have to print, computed from definitions in double precision.

reference.py           writes NAME.out for each NAME.str
reference.py --check   compares the files with what it computes; exit status 1 if they differ

A signal is a function from an index n >= 0 to a value; convolution, difference equations and
transforms are written down as the textbook has them.
"""

import cmath
import io
import math
import re
import struct
import sys
import wave
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import compare  # noqa: E402

TWO_PI = 2 * math.pi
sys.setrecursionlimit(10000)


def signal(function):
    return lru_cache(maxsize=None)(function)


def floor_mod(x):
    return x - math.floor(x)


# Sources ---------------------------------------------------------------------------------------


def lcg(seed):
    state = seed
    while True:
        state = (state * 1664525 + 1013904223) % 2**32
        yield state


def from_generator(values):
    seen = []

    def at(n):
        while len(seen) <= n:
            seen.append(next(values))
        return seen[n]

    return at


def noise(amplitude=1, seed=1):
    return from_generator(amplitude * ((s - (s >> 31 << 32)) // 256) / 2**23 for s in lcg(seed))


def gaussian(deviation, seed):
    uniform = noise(1, seed)
    return lambda n: deviation * sum(uniform(12 * n + i) for i in range(12)) / 2


def phase(rate, frequency, start=0):
    return lambda n: 2 * floor_mod(start + n * frequency / rate) - 1


def sine(rate, frequency, amplitude=1, start=0):
    return lambda n: amplitude * math.sin(TWO_PI * (start + n * frequency / rate))


def ramp(start=0, step=1):
    return lambda n: start + n * step


def chirp(rate, start, end, length):
    def at(n):
        n %= length
        return math.sin(TWO_PI * sum(start + (end - start) * i / length for i in range(n)) / rate)

    return at


# Filters ---------------------------------------------------------------------------------------


def fir(x, h, decimation=1):
    """The first output is the first for which all taps have an input."""
    return lambda n: sum(c * x(decimation * n + len(h) - 1 - k) for k, c in enumerate(h))


def sinc(x):
    return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)


def hamming(i, n):
    return 0.54 - 0.46 * math.cos(TWO_PI * i / (n - 1))


def low_pass(rate, cutoff, taps=64):
    h = [
        2 * cutoff / rate * sinc(2 * cutoff / rate * (i - (taps - 1) / 2)) * hamming(i, taps)
        for i in range(taps)
    ]
    return [c / sum(h) for c in h]


def high_pass(rate, cutoff, taps=65):
    taps += 1 - taps % 2
    h = [-c for c in low_pass(rate, cutoff, taps)]
    h[taps // 2] += 1
    return h


def band_pass(rate, low, high, taps=64):
    return [
        (2 * high / rate * sinc(2 * high / rate * m) - 2 * low / rate * sinc(2 * low / rate * m))
        * hamming(i, taps)
        for i, m in ((i, i - (taps - 1) / 2) for i in range(taps))
    ]


def band_stop(rate, low, high, taps=65):
    h = [-c for c in band_pass(rate, low, high, taps)]
    h[taps // 2] += 1
    return h


def difference_equation(x, b, a):
    """a[0] y[n] = sum b[k] x[n-k] - sum over k > 0 of a[k] y[n-k]."""

    @signal
    def y(n):
        value = sum(c * x(n - k) for k, c in enumerate(b) if n >= k)
        value -= sum(c * y(n - k) for k, c in enumerate(a) if 0 < k <= n)
        return value / a[0]

    return y


def bilinear(numerator, denominator, rate, frequency):
    """(n0 + n1 s + n2 s^2) / (d0 + d1 s + d2 s^2), s in units of `frequency`."""
    c = 1 / math.tan(math.pi * frequency / rate)

    def transform(p):
        return [
            p[0] + p[1] * c + p[2] * c * c,
            2 * p[0] - 2 * p[2] * c * c,
            p[0] - p[1] * c + p[2] * c * c,
        ]

    return transform(numerator), transform(denominator)


Q = math.sqrt(0.5)


def biquad_low_pass(x, rate, frequency, q=Q):
    return difference_equation(x, *bilinear([1, 0, 0], [1, 1 / q, 1], rate, frequency))


def biquad_high_pass(x, rate, frequency, q=Q):
    return difference_equation(x, *bilinear([0, 0, 1], [1, 1 / q, 1], rate, frequency))


def biquad_band_pass(x, rate, frequency, q=Q):
    return difference_equation(x, *bilinear([0, 1 / q, 0], [1, 1 / q, 1], rate, frequency))


def biquad_notch(x, rate, frequency, q=Q):
    return difference_equation(x, *bilinear([1, 0, 1], [1, 1 / q, 1], rate, frequency))


def biquad_peak(x, rate, frequency, gain, q=Q):
    a = 10 ** (gain / 40)
    return difference_equation(x, *bilinear([1, a / q, 1], [1, 1 / (a * q), 1], rate, frequency))


def biquad_low_shelf(x, rate, frequency, gain, q=Q):
    a = 10 ** (gain / 40)
    r = math.sqrt(a) / q
    return difference_equation(x, *bilinear([a * a, a * r, a], [1, r, a], rate, frequency))


def biquad_high_shelf(x, rate, frequency, gain, q=Q):
    a = 10 ** (gain / 40)
    r = math.sqrt(a) / q
    return difference_equation(x, *bilinear([a, a * r, a * a], [a, r, 1], rate, frequency))


def one_pole(x, rate, cutoff):
    k = 1 - math.exp(-TWO_PI * cutoff / rate)
    return difference_equation(x, [k], [1, k - 1])


def envelope(x, rate, attack=0.005, release=0.05):
    def values():
        level = 0.0
        n = 0
        while True:
            distance = abs(x(n)) - level
            level += distance * (1 - math.exp(-1 / ((attack if distance > 0 else release) * rate)))
            yield level
            n += 1

    return from_generator(values())


def echo(x, delay, gain=0.5):
    return difference_equation(x, [1], [1] + [0] * (delay - 1) + [-gain])


def damped_echo(x, delay, gain, damping):
    """Y = X + gain z^-delay (1 - damping) / (1 - damping z^-1) Y."""
    b = [1, -damping]
    a = [1, -damping] + [0] * (delay - 1)
    a[delay] -= gain * (1 - damping)
    return difference_equation(x, b, a)


def all_pass(x, delay, gain):
    return difference_equation(
        x, [-gain] + [0] * (delay - 1) + [1], [1] + [0] * (delay - 1) + [-gain]
    )


def bessel(x):
    """The modified Bessel function of order 0."""
    return sum(((x / 2) ** k / math.factorial(k)) ** 2 for k in range(100))


# Kaiser's formulas for 7 decibels more than asked for, as the library takes them.
def kaiser_span(stopband):
    return (stopband + 7 - 7.95) / 14.36


@lru_cache(maxsize=None)
def kaiser_low_pass(cutoff, taps, stopband=100):
    """The cutoff is a part of the sampling rate; gain 1 at frequency 0."""
    beta = 0.1102 * (stopband + 7 - 8.7)
    places = [2 * i / (taps - 1) - 1 for i in range(taps)]
    h = [
        sinc(2 * cutoff * (i - (taps - 1) / 2)) * bessel(beta * math.sqrt(1 - x * x))
        for i, x in enumerate(places)
    ]
    return [c / sum(h) for c in h]


def polyphase(x, up, down, taps=0, passband=0.9):
    edge = 0.5 / max(up, down)
    width = kaiser_span(100) / (taps - 1) if taps else edge * (1 - passband)
    taps = taps or math.ceil(kaiser_span(100) / width + 1)
    h = [c * up for c in kaiser_low_pass(edge - width / 2, taps)]
    stuffed = fir(lambda m: x(m // up) if m % up == 0 else 0.0, h)
    return lambda n: stuffed(n * down)


# Transforms ------------------------------------------------------------------------------------


def dft(x, sign=-1):
    n = len(x)
    return [
        sum(v * cmath.exp(sign * 1j * TWO_PI * i * k / n) for i, v in enumerate(x))
        for k in range(n)
    ]


def by_block(x, n, transform, gives=None):
    """Output m of a transform of blocks of n items into `gives` items."""
    gives = gives or n

    @signal
    def block(k):
        return transform([x(k * n + i) for i in range(n)])

    return lambda m: block(m // gives)[m % gives]


def dct(x):
    n = len(x)
    return [
        math.sqrt((1 if k == 0 else 2) / n)
        * sum(v * math.cos(math.pi * (i + 0.5) * k / n) for i, v in enumerate(x))
        for k in range(n)
    ]


# Programs --------------------------------------------------------------------------------------


def number(value):
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else repr(float("%.9g" % (value + 0.0)))


def rows(*columns):
    """Lines with `count` items of each column in turn; a column is a signal or (signal, count)."""
    columns = [c if isinstance(c, tuple) else (c, 1) for c in columns]

    def line(n):
        return " ".join(number(x(n * count + i)) for x, count in columns for i in range(count))

    return line


def join(pair):
    return lambda n: (pair(n // 2).real, pair(n // 2).imag)[n % 2]


def complex_pairs(x):
    return signal(lambda n: complex(x(2 * n), x(2 * n + 1)))


def sources():
    square = phase(10, 1.1)
    triangle = phase(10, 1.1)
    return rows(
        lambda n: 2.5,
        lambda n: 0.0,
        ramp(1, 0.5),
        ramp(0.0),
        lambda n: float(n % 3 == 0),
        lambda n: float(n == 0),
        phase(10, 1.1),
        phase(10, 1.1, 0.3),
        sine(8000, 440, 0.5),
        lambda n: math.cos(TWO_PI * 440 * n / 8000),
        lambda n: 2 * phase(10, 1.1)(n),
        lambda n: 3.0 if square(n) < -0.3 else -3.0,
        lambda n: 2 - 4 * abs(triangle(n)),
        chirp(100, 1, 10, 20),
        noise(2, 5),
        noise(),
        gaussian(1.5, 7),
    )


def int_sources():
    def integers(bound, seed):
        return from_generator((s >> 16) * bound // 65536 for s in lcg(seed))

    def wrapped(n):
        return (2147483640 + 3 * n + 2**31) % 2**32 - 2**31

    return rows(lambda n: n, wrapped, integers(6, 1), integers(32768, 99))


def print_booleans():
    return rows(lambda n: n % 3 == 0)


def print_bit_rows():
    return lambda n: format((n - 3) % 32, "05b")


def arithmetic():
    x = ramp(-2.0, 0.375)

    def clip(limit):
        return lambda n: max(-limit, min(limit, x(n)))

    def decibels(reference, least):
        return lambda n: least if x(n) == 0 else max(least, 20 * math.log10(abs(x(n)) / reference))

    return rows(
        lambda n: -3 * x(n),
        lambda n: x(n) + 1.5,
        clip(1.25),
        clip(1.0),
        lambda n: abs(x(n)),
        lambda n: x(n) ** 2,
        lambda n: math.sqrt(abs(x(n))),
        lambda n: -x(n),
        decibels(2, -40.0),
        decibels(1, -120.0),
    )


def blocks():
    x = ramp(-2.0, 0.375)

    def of_six(function):
        return (lambda n: function([x(6 * n + i) for i in range(6)])), 2

    def pairs(v):
        return (v[0] - v[1]) + (v[2] - v[3]) + (v[4] - v[5])

    def mixture(n):
        v = [x(12 * n + i) for i in range(12)]
        s = [v[4 * i] * v[4 * i + 1] + v[4 * i + 2] * v[4 * i + 3] for i in range(3)]
        return s[0] - s[1] + 0.5 * s[2]

    gains = [1, 0.5, -1, 0.25, 0, 2]
    return rows(
        of_six(sum),
        of_six(lambda v: sum(v) / 6),
        of_six(math.prod),
        of_six(max),
        of_six(min),
        of_six(pairs),
        mixture,
        of_six(lambda v: sum(a * b for a, b in zip(v, gains))),
    )


def int_arithmetic():
    x = ramp(-5, 2)

    def integral(n):
        return sum(x(2 * k + 1) - x(2 * k) for k in range(3 * n + 1))

    return rows(
        lambda n: 3 * sum(x(6 * n + i) for i in range(6)),
        lambda n: 600 + sum(x(6 * n + i) for i in range(6)),
        integral,
    )


def complex_arithmetic():
    z = complex_pairs(ramp(-3.0, 0.5))
    columns = [
        lambda n: 2 * z(3 * n),
        lambda n: z(3 * n) + z(3 * n + 1) + z(3 * n + 2),
        lambda n: z(3 * n) * z(3 * n + 1) * z(3 * n + 2),
        lambda n: z(3 * n).conjugate(),
        lambda n: z(3 * n),
    ]
    return rows(*[(join(c), 2) for c in columns])


def convert():
    x = ramp(-4.0, 0.75)
    z = complex_pairs(x)
    return rows(
        lambda n: z(n).real,
        lambda n: z(n).imag,
        lambda n: abs(z(n)),
        lambda n: abs(z(n)) ** 2,
        lambda n: cmath.phase(z(n)),
        lambda n: 0.0,
        lambda n: float(math.trunc(x(2 * n))),
        lambda n: float(math.floor(x(2 * n) + 0.5)),
    )


def bits():
    return rows(
        lambda n: (250 + n) % 256,
        lambda n: 250 + n,
        lambda n: (250 + n) % 256 // 16 + (250 + n) % 16,
        lambda n: n % 2,
    )


def delayed(x, n, initial=0.0):
    return lambda k: x(k - n) if k >= n else initial


def interleaved(columns, per):
    """Blocks of `per` items of each column, transposed: item by item through the columns."""

    def line(n):
        return " ".join(number(x(per * n + i)) for i in range(per) for x in columns)

    return line


def reorder():
    x = ramp(1.0)
    return interleaved(
        [
            delayed(x, 4),
            delayed(x, 2, 0.5),
            lambda n: x(n + 3),
            lambda n: x(n // 6 * 6 + 5 - n % 6),
            lambda n: x(n // 6 * 6 + n % 2 * 3 + n % 6 // 2),
            lambda n: x(n // 2 * 2),
            x,
            delayed(x, 2),
        ],
        6,
    )


def int_reorder():
    x = ramp(1)
    return interleaved(
        [
            delayed(x, 4, 7),
            lambda n: x(n + 3),
            lambda n: x(n // 6 * 6 + 5 - n % 6),
            lambda n: x(n // 6 * 6 + n % 3 * 2 + n % 6 // 3),
            lambda n: x(n // 3 * 3),
        ],
        6,
    )


def frames():
    x = ramp(1.0)

    def overlapped(n):
        """Item n is in every frame of six that starts at an even place from n - 5 to n."""
        return x(n) * sum(1 for start in range(0, n + 1, 2) if n < start + 6)

    return rows((lambda n: x(n // 4 * 2 + n % 4), 4), (overlapped, 2))


def windows():
    def cosine(a0, a1, a2, n):
        return lambda i: a0 - a1 * math.cos(TWO_PI * i / n) + a2 * math.cos(2 * TWO_PI * i / n)

    def periodic(w, n):
        return lambda i: w(i % n)

    shapes = periodic(
        lambda i: cosine(0.42, 0.5, 0.08, 15)(i) + 10 * cosine(0.5, 0.5, 0, 15)(i) + 1, 16
    )
    return rows(
        periodic(cosine(0.5, 0.5, 0, 8), 8),
        periodic(cosine(0.54, 0.46, 0, 8), 8),
        periodic(cosine(0.42, 0.5, 0.08, 8), 8),
        periodic(cosine(0.5, 0.5, 0, 16), 16),
        shapes,
    )


def fir_coefficients():
    x = noise(1, 42)
    h = [1, -0.5, 0.25, 2]

    def window(n, function):
        return (lambda k: function([x(k + i) for i in range(n)])), 2

    return rows(
        (fir(x, h), 2),
        fir(x, h, 2),
        window(5, lambda v: sum(v) / 5),
        window(4, max),
        window(5, lambda v: sorted(v)[2]),
        window(2, lambda v: v[1] - v[0]),
    )


def fir_design():
    x = noise(1, 43)
    slow = fir(x, low_pass(8000, 1500, 21), 2)
    return rows(
        fir(x, low_pass(8000, 1000)),
        fir(x, low_pass(8000, 1000, 31)),
        lambda n: slow(n // 2),
        fir(x, high_pass(8000, 1000)),
        fir(x, high_pass(8000, 2500, 20)),
        fir(x, band_pass(8000, 500, 1500)),
        fir(x, band_pass(8000, 0, 2000, 33)),
        fir(x, band_stop(8000, 500, 1500)),
        fir(x, low_pass(8000, 1000)),
    )


def iir():
    x = noise(1, 44)
    return rows(
        difference_equation(x, [0.2, 0.4, 0.2], [1, -0.5, 0.3]),
        biquad_low_pass(x, 8000, 500),
        biquad_high_pass(x, 8000, 500, 2),
        biquad_band_pass(x, 8000, 900, 3),
        biquad_notch(x, 8000, 900, 3),
        biquad_peak(x, 8000, 900, 6, 3),
        biquad_low_shelf(x, 8000, 300, -6),
        biquad_high_shelf(x, 8000, 2000, 9, 1),
        one_pole(x, 8000, 300),
        difference_equation(x, [1, -1], [1, -0.995]),
        difference_equation(x, [1], [1, -1]),
        envelope(x, 8000),
        envelope(x, 8000, 0.001, 0.01),
    )


def doubles():
    x = noise(1, 44)
    columns = [
        difference_equation(x, [0.25, 0.5, 0.25], [1, -0.5, 0.375]),
        biquad_low_pass(x, 8000, 500),
        biquad_high_pass(x, 8000, 500, 2),
        biquad_band_pass(x, 8000, 900, 3),
        biquad_notch(x, 8000, 900, 3),
        biquad_peak(x, 8000, 900, 6, 3),
        biquad_low_shelf(x, 8000, 300, -6),
        biquad_high_shelf(x, 8000, 2000, 9, 1),
        one_pole(x, 8000, 300),
        difference_equation(x, [1, -1], [1, -0.75]),
        difference_equation(x, [1], [1, -1]),
        envelope(x, 8000, 0.125, 0.0625),
        fir(x, [1, 2, 0.5]),
        fir(x, [1, 0.5]),
        lambda n: 3 * x(n - 2) + 0.25 if n >= 2 else 0.5,
        lambda n: x(n + 1),
    ]
    return rows(*columns, lambda n: sum(column(n) for column in columns))


def double_sources():
    columns = [
        lambda n: 2.5,
        ramp(1, 0.5),
        lambda n: float(n % 3 == 0),
        phase(10, 1.25, 0.25),
        sine(8000, 440, 0.5),
        noise(2, 5),
    ]
    return lambda n: number(columns[n % 6](n // 6))


def delays():
    columns = []
    for x in (lambda n: float(n % 17 == 0), noise(1, 45)):
        columns += [echo(x, 5), echo(x, 3, -0.7), damped_echo(x, 4, 0.8, 0.3), all_pass(x, 6, 0.6)]
    return rows(*columns)


def fft():
    z = complex_pairs(noise(1, 46))

    def inverse(block):
        return [v / len(block) for v in dft(block, 1)]

    columns = [by_block(z, 16, dft), by_block(z, 16, inverse), z, z, by_block(z, 2, dft)]
    return rows(*[(join(c), 2) for c in columns])


def real_fft():
    x = by_block(noise(1, 47), 16, lambda block: dft(block)[:9], 9)
    return rows((join(x), 2))


def fft_of_any_number():
    x = noise(1, 49)
    z = complex_pairs(noise(1, 49))

    def inverse(block):
        return [v / len(block) for v in dft(block, 1)]

    columns = [by_block(z, 30, dft), by_block(z, 15, inverse), by_block(z, 7, dft)]
    return rows(*[(join(c), 2) for c in columns], (x, 2))


def real_fft_inverse():
    x = noise(1, 48)
    return rows(x, x, x, x, by_block(x, 4, dct), by_block(x, 5, dct))


def spectrum():
    """A Hann window spreads each tone over its bin and half as much over the two beside it."""
    lines = {5: 0.5, 4: 0.25, 6: 0.25, 11: 0.25, 10: 0.125, 12: 0.125}
    return rows(lambda n: lines.get(n % 33, 0.0))


def analysis():
    x = signal(lambda n: sine(1000, 100, 0.5)(n) + sine(1000, 240, 0.25, 0.1)(n))

    def power(frequency):
        return by_block(
            x,
            50,
            lambda v: [
                abs(
                    sum(a * cmath.exp(-1j * TWO_PI * frequency * i / 1000) for i, a in enumerate(v))
                )
                ** 2
            ],
            1,
        )

    return rows(
        power(100),
        power(240),
        power(130),
        by_block(x, 50, lambda v: [math.sqrt(sum(a * a for a in v) / 50)], 1),
    )


def resample():
    x = signal(sine(100, 7))

    def linear(n):
        return x(n // 2) if n % 2 == 0 else (x(n // 2) + x(n // 2 + 1)) / 2

    return rows(
        (polyphase(x, 3, 2), 9),
        (polyphase(x, 2, 3, 48), 4),
        (polyphase(x, 1, 2), 3),
        (polyphase(x, 3, 1, 60), 18),
        (linear, 12),
    )


def modulate():
    x = noise(0.8, 49)

    @signal
    def angle(n):
        return 0.0 if n < 0 else angle(n - 1) + TWO_PI * 1500 / 8000 * x(n)

    def carrier(n, frequency):
        return math.cos(TWO_PI * frequency * n / 8000)

    return rows(
        lambda n: x(n) * carrier(n, 1000),
        lambda n: (1 + 0.7 * x(n)) * carrier(n, 3000),
        lambda n: (1 + 0.5 * x(n)) * carrier(n, 2000),
        lambda n: math.cos(angle(n)),
        lambda n: math.sin(angle(n) - TWO_PI * 1234 * n / 8000),
        lambda n: x(n + 1),
    )


def program_wins():
    high = fir(ramp(1.0), high_pass(8000, 1000, 3))
    return rows(lambda n: 6.0 * (n + 1), lambda n: 2 * high(n))


NUMBERS = [0.5, -0.25, 0.125, 1.0, 0.0, -1.0, 0.75, -0.5]  # numbers.txt


def files():
    """grey.pgm holds these samples, stereo.wav i / 32 and -i / 16."""
    grey = [0, 10, 20, 30, 200, 210, 220, 255]
    return rows(
        lambda n: NUMBERS[n],
        (lambda n: (n // 2) / 32 if n % 2 == 0 else -(n // 2) / 16, 2),
        lambda n: float(grey[n]),
    )


def file_arrays():
    """What an impulse makes of the numbers and of both channels."""
    return rows(lambda n: NUMBERS[n], lambda n: n / 32, lambda n: -n / 16)


def written_files():
    """What files_there_and_back has to write."""
    sound = io.BytesIO()
    with wave.open(sound, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(struct.pack("<8h", *(min(32767, round(32768 * x)) for x in NUMBERS)))
    image = [max(0, math.floor(100 * x + 0.5)) for x in NUMBERS]
    return {
        "sound.wav": sound.getvalue(),
        "text.txt": "".join(f"{x}\n" for x in NUMBERS).encode("ascii"),
        "image.pgm": b"P5\n4 2\n255\n" + bytes(image),
    }


PROGRAMS = {
    "files": files,
    "file_arrays": file_arrays,
    "files_there_and_back": lambda: rows(),
    "reader_wins": lambda: rows(lambda n: 3.0),
    "sources": sources,
    "int_sources": int_sources,
    "print_floats": lambda: rows(ramp(-1.0, 0.75)),
    "print_ints": lambda: rows(ramp(-2)),
    "print_bits": lambda: rows(lambda n: n // 2 % 4 >> (1 - n % 2) & 1),
    "print_bit_rows": print_bit_rows,
    "print_booleans": print_booleans,
    "print_complex": lambda: rows((ramp(1.0, 0.5), 2)),
    "discard": lambda: rows(ramp(0)),
    "arithmetic": arithmetic,
    "blocks": blocks,
    "int_arithmetic": int_arithmetic,
    "complex_arithmetic": complex_arithmetic,
    "convert": convert,
    "bits": bits,
    "reorder": reorder,
    "int_reorder": int_reorder,
    "frames": frames,
    "windows": windows,
    "fir": fir_coefficients,
    "fir_design": fir_design,
    "iir": iir,
    "doubles": doubles,
    "double_sources": double_sources,
    "delays": delays,
    "fft": fft,
    "fft_of_any_number": fft_of_any_number,
    "real_fft": real_fft,
    "real_fft_inverse": real_fft_inverse,
    "spectrum": spectrum,
    "analysis": analysis,
    "resample": resample,
    "modulate": modulate,
    "program_wins": program_wins,
}


def main():
    programs = {path.stem for path in HERE.glob("*.str")}
    assert programs == set(PROGRAMS), programs ^ set(PROGRAMS)
    faults = 0
    for name, program in PROGRAMS.items():
        text = (HERE / f"{name}.str").read_text(encoding="ascii")
        count = int(re.search(r"^// lines: (\d+)$", text, re.MULTILINE).group(1))
        line = program()
        lines = [line(n) for n in range(count)]
        out = HERE / f"{name}.out"
        if "--check" in sys.argv:
            difference = compare.first_difference(
                lines, out.read_text(encoding="ascii").splitlines(), count
            )
            if difference:
                print(f"{name}.out: {difference}")
                faults += 1
        else:
            out.write_text("\n".join(lines) + "\n", encoding="ascii")
    for name, contents in written_files().items():
        path = HERE / f"{name}.expected"
        if "--check" not in sys.argv:
            path.write_bytes(contents)
        elif path.read_bytes() != contents:
            print(f"{path.name} has other bytes")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
