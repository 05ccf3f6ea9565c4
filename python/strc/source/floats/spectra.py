"""Filters of spectra: the windows of a sequence, transforms, and complex values as pairs of numbers."""

from __future__ import annotations

from .filter import StreamFilter


def _pairs(name: str, about: str, pops: str, *pushes: str) -> StreamFilter:
    """A filter that makes numbers of some."""
    letters = pops.split()
    lines = [f"// {about}", "float->float filter NAME {", f"    work pop {len(letters)} push {len(pushes)} {{"]
    lines += [f"        float {letter} = pop();" for letter in letters] + [f"        push({value});" for value in pushes]
    return StreamFilter(name, (), "\n".join([*lines, "    }", "}"]))


COMPLEX = {
    "complex_real": _pairs("RealParts", "The real parts of pairs.", "x y", "x"),
    "complex_imag": _pairs("ImaginaryParts", "The imaginary parts of pairs.", "x y", "y"),
    "complex_abs": _pairs("Magnitudes", "The absolute values of pairs.", "x y", "sqrt(x * x + y * y)"),
    "complex_angle": _pairs("Angles", "The angles of pairs.", "x y", "atan2(y, x)"),
    "complex_polar": _pairs("Polar", "Pairs of absolute values and angles.", "r t", "r * cos(t)", "r * sin(t)"),
    "complex_mul": _pairs(
        "ComplexProduct", "Products of pairs, of which the real parts come first.", "a b x y", "a * b - x * y", "a * y + x * b",
    ),
    "complex_div": _pairs(
        "ComplexQuotient", "Quotients of pairs, of which the real parts come first.", "a b x y",
        "(a * b + x * y) / (b * b + y * y)", "(x * b - a * y) / (b * b + y * y)",
    ),
}

# Those that take the numbers of their operands in turns.
PAIRS = {"complex_of", "complex_polar", "complex_mul", "complex_div"}

TRANSFORMS = {
    "stream_windows": StreamFilter("Windows", ("n", "hop", "channels"), """
// The last n frames under a window, every `hop` frames; for each channel n numbers follow each other.
float->float filter NAME(int n, int hop, int channels, String weights) {
    tensor<float>[n] window = stored("", weights);
    work peek (int) max(n, hop) * channels pop hop * channels push n * channels {
        for (int c = 0; c < channels; c++)
            for (int k = 0; k < n; k++) push(peek(k * channels + c) * window[k]);
        for (int k = 0; k < hop * channels; k++) pop();
    }
}"""),
    "stream_mirrored_windows": StreamFilter("MirroredWindows", ("n", "hop", "channels", "mirrored", "late", "reach"), """
// As windows, of which the first ones begin `mirrored` frames before the sequence: there it is mirrored at its first frame. That comes
// in the firing with number `late`.
float->float filter NAME(int n, int hop, int channels, int mirrored, int late, int reach, String weights) {
    tensor<float>[n] window = stored("", weights);
    int before = mirrored + late * hop;
    work peek (int) max(reach, hop) * channels pop hop * channels push n * channels {
        int missing = before > mirrored ? 0 : before;
        for (int c = 0; c < channels; c++)
            for (int k = 0; k < n; k++) {
                int at = k < missing ? 2 * missing - k : k;
                push(at < reach ? peek(at * channels + c) * window[k] : 0);
            }
        if (before > 0) before -= hop;
        for (int k = 0; k < hop * channels; k++) pop();
    }
}"""),
    "stream_spectrum": StreamFilter("SpectrumOf", ("n",), """
// The first half of the spectrum of n numbers, as pairs.
float->float pipeline NAME(int n) {
    add RealFft(n);
    add ComplexToPair;
}"""),
    "stream_of_spectrum": StreamFilter("OfSpectrum", ("n",), """
// n numbers of the first half of their spectrum. The imaginary parts of its ends count for nothing.
float->float pipeline NAME(int n) {
    add float->float filter {
        work pop n + 2 push n + 2 {
            for (int k = 0; k < n + 2; k++) push(k == 1 || k == n + 1 ? 0 : peek(k));
            for (int k = 0; k < n + 2; k++) pop();
        }
    };
    add PairToComplex;
    add InverseRealFft(n);
}"""),
    "stream_overlap": StreamFilter("OverlapAdd", ("n", "hop", "channels"), """
// Parts of n numbers under a window, one for each channel, added where they overlap; of each firing `hop` frames are complete. They are
// divided by the sum of the windows' squares, as torch.istft does it.
float->float filter NAME(int n, int hop, int channels, String weights) {
    int parts = (n + hop - 1) / hop;
    tensor<float>[n] window = stored("", weights);
    float[parts][hop] gains;
    int before = 0;
    init {
        for (int k = 0; k < hop; k++) {
            double sum = 0;
            for (int part = 0; part < parts; part++) {
                int at = part * hop + k;
                if (at < n) sum += (double) window[at] * window[at];
                gains[part][k] = sum > 1e-11 ? (float) (1 / sum) : 0.0;
            }
        }
    }
    work peek parts * n * channels pop n * channels push hop * channels {
        for (int k = 0; k < hop; k++)
            for (int c = 0; c < channels; c++) {
                float sum = 0;
                for (int part = 0; part < parts; part++) {
                    int at = part * hop + k;
                    if (at < n) sum += peek(((parts - 1 - part) * channels + c) * n + at) * window[at];
                }
                push(sum * gains[before][k]);
            }
        if (before < parts - 1) before++;
        for (int k = 0; k < n * channels; k++) pop();
    }
}"""),
}
