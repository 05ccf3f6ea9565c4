"""Special functions element by element: in doubles, from series and fractions that hold for all arguments."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from .floats import StreamFilter


def rounded(value: float) -> float:
    """As a float of 32 bits."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def exact(value: float) -> str:
    """A number of binary64 as a sum of floats, which the language's literals are."""
    parts: list[str] = []
    rest = value
    while rest and len(parts) < 3:
        part = rounded(rest)
        parts.append(repr(float(f"{part:.9g}")))
        rest -= part
    if len(parts) == 1:
        return f"(double) {parts[0]}" if float(parts[0]) >= 0 else f"(double) ({parts[0]})"
    return "((double) " + " + ".join(f"({part})" if part.startswith("-") else part for part in parts) + ")"


def horner(variable: str, numbers: list[float]) -> str:
    """A polynomial, the highest power first."""
    text = exact(numbers[0])
    for number in numbers[1:]:
        text = f"({text}) * {variable} + {exact(number)}"
    return text


def _filter(name: str, lines: str, result: str, takes: int = 1, functions: str = "") -> StreamFilter:
    pops = "\n".join(f"        tensor {letter} = (double) pop();" for letter in ("x",) if takes == 1) or "\n".join(
        f"        tensor {letter} = (double) pop();" for letter in "ab"
    )
    body = "\n".join(f"        {line}" for line in lines.strip().splitlines())
    return StreamFilter(name, (), f"""
tensor->tensor filter NAME {{
    work pop {takes} push 1 {{
{pops}
{body}
        push({result});
    }}
}}""")


LANCZOS = [  # g = 7, n = 9
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]
_SUM = " + ".join([exact(LANCZOS[0]), *(f"{exact(number)} / (z + {k + 1})" for k, number in enumerate(LANCZOS[1:]))])
_LGAMMA = f"""
tensor reflects = x < 0.5;
tensor z = where(reflects, 1 - x, x) - 1;
tensor sum = {_SUM};
tensor t = z + 7.5;
tensor above = {exact(0.5 * math.log(2 * math.pi))} + (z + 0.5) * log(t) - t + log(sum);
tensor sine = abs(sin({exact(math.pi)} * (x - 2 * floor(x / 2))));
tensor below = log({exact(math.pi)} / sine) - above;
tensor pole = where(x <= 0, x == floor(x), false);
tensor y = where(abs(x) == 1.0 / 0.0, 1.0 / 0.0, where(pole, 1.0 / 0.0, where(reflects, below, above)));"""

_DIGAMMA = f"""
tensor reflects = x < 0;
tensor z = where(reflects, 1 - x, x);
tensor sum = {" + ".join(f"1 / (z + {k})" for k in range(10))};
tensor w = z + 10;
tensor v = 1 / (w * w);
tensor above = log(w) - 0.5 / w - v * (1 / (double) 12 - v * (1 / (double) 120 - v * (1 / (double) 252 - v * (1 / (double) 240)))) - sum;
tensor share = {exact(math.pi)} * (x - floor(x));
tensor y = where(x == 0, -1 / x, where(reflects, where(x == floor(x), 0.0 / 0.0, above - {exact(math.pi)} / tan(share)), above));"""

# Hurwitz's zeta function by the formula of Euler and Maclaurin.
_BERNOULLI = [Fraction(1, 6), Fraction(-1, 30), Fraction(1, 42), Fraction(-1, 30), Fraction(5, 66), Fraction(-691, 2730), Fraction(7, 6)]


def _zeta_terms() -> str:
    lines, factor = [], "a"
    for k, number in enumerate(_BERNOULLI):
        share = exact(float(number / math.factorial(2 * k + 2)))
        lines.append(f"tensor t{k} = {share} * f{k} * p{k};")
        lines.append(f"tensor f{k + 1} = f{k} * (a + {2 * k + 1}) * (a + {2 * k + 2});")
        lines.append(f"tensor p{k + 1} = p{k} / (w * w);")
    return "\n".join([f"tensor f0 = {factor};", "tensor p0 = last / w;", *lines])


_ZETA = f"""
tensor sum = {" + ".join(f"pow(b + {k}, -a)" for k in range(12))};
tensor w = b + 12;
tensor last = pow(w, -a);
{_zeta_terms()}
tensor rest = last * w / (a - 1) + 0.5 * last + {" + ".join(f"t{k}" for k in range(len(_BERNOULLI)))};
tensor pole = where(b <= 0, b == floor(b), false);
tensor y = where(a == 1, 1.0 / 0.0, where(a < 1, 0.0 / 0.0, where(pole, 1.0 / 0.0, where(b <= 0, where(a == floor(a), sum + rest, 0.0 / 0.0), sum + rest))));"""

# Acklam's quotients, made exact by a step of Halley's method on the error function.
_TAIL = ([-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e00, -2.549732539343734e00, 4.374664141464968e00, 2.938163982698783e00],
         [7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e00, 3.754408661907416e00, 1.0])
_MIDDLE = ([-3.969683028665376e01, 2.209460984245205e02, -2.759285104469687e02, 1.383577518672690e02, -3.066479806614716e01, 2.506628277459239e00],
           [-5.447609879822406e01, 1.615858368580409e02, -1.556989798598866e02, 6.680131188771972e01, -1.328068155288572e01, 1.0])
_NDTRI = f"""
tensor lower = min(p, 1 - p);
tensor r = sqrt(-2 * log(lower));
tensor tail = ({horner("r", _TAIL[0])}) / ({horner("r", _TAIL[1])});
tensor q = p - 0.5;
tensor s = q * q;
tensor middle = ({horner("s", _MIDDLE[0])}) * q / ({horner("s", _MIDDLE[1])});
tensor guess = where(lower < 0.02425, where(p < 0.5, tail, -tail), middle);
tensor error = (0.5 * (1 + erf(guess * {exact(math.sqrt(0.5))})) - p) * {exact(math.sqrt(2 * math.pi))} * exp(0.5 * guess * guess);
tensor better = guess - error / (1 + 0.5 * guess * error);
tensor finite = where(lower < 0.00000001, guess, better);
tensor found = where(p == 0, -1.0 / 0.0, where(p == 1, 1.0 / 0.0, where(lower < 0, 0.0 / 0.0, finite)));"""


def _bessel_i(order: int) -> str:
    """Its series up to 20, from there what it tends to; without the factor exp(|x|)."""
    series = "1 + t / " + str(55 * (55 + order))
    lines = ["tensor size = abs(x);", "tensor t = min(size, 20.0) * min(size, 20.0) / 4;", f"tensor s55 = {series};"]
    lines += [f"tensor s{k} = 1 + t / {k * (k + order)} * s{k + 1};" for k in range(54, 0, -1)]
    mu, term, shares = 4 * order * order, Fraction(1), [1.0]
    for k in range(1, 9):
        term *= Fraction(-(mu - (2 * k - 1) ** 2), 8 * k)
        shares.append(float(term))
    lines += [
        "tensor w = 1 / max(size, 20.0);", f"tensor far = ({horner('w', shares[::-1])}) * sqrt(w) * {exact(1 / math.sqrt(2 * math.pi))};",
        f"tensor near = s1 * exp(-size){' * size / 2' if order else ''};",
        "tensor scaled = where(size == 1.0 / 0.0, 0.0, where(size > 20, far, near));",
    ]
    if order:
        lines.append("scaled = where(x < 0, -scaled, scaled);")
    return "\n".join(lines)


_ERFCX = f"""
tensor z = max(x, 2.0);
tensor f20 = z + 10 / z;
{chr(10).join(f"tensor f{k} = z + {k / 2} / f{k + 1};" for k in range(19, 0, -1))}
tensor far = {exact(1 / math.sqrt(math.pi))} / f1;
tensor n = min(x, 2.0);
tensor scaled = where(x > 2, far, exp(n * n) * (1 - erf(n)));"""

SPECIAL: dict[str, StreamFilter] = {
    "lgamma": _filter("Lgamma", _LGAMMA, "y"),
    "digamma": _filter("Digamma", _DIGAMMA, "y"),
    "zeta": _filter("Zeta", _ZETA, "y", 2),
    "erfinv": _filter("Erfinv", "tensor p = (x + 1) / 2;\n" + _NDTRI.strip(), f"found * {exact(math.sqrt(0.5))}"),
    "ndtri": _filter("Ndtri", "tensor p = x;\n" + _NDTRI.strip(), "found"),
    "bessel_i0e": _filter("BesselI0e", _bessel_i(0), "scaled"),
    "bessel_i1e": _filter("BesselI1e", _bessel_i(1), "scaled"),
    "erfcx": _filter("Erfcx", _ERFCX, "scaled"),
}
