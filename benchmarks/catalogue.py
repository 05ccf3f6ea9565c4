"""The programs that are compared with C++ (run_native.py): what they are given and what is to come.

A program is programs/PROGRAM.str, run from the stream `top`; its twin is cpp/TWIN.cpp. Some have
a Faust program faust/PROGRAM.dsp, or do the same with a library: libraries/PROGRAM_LIBRARY.cpp.
Input comes from a file, or from a generator in the program itself (programs/lcg.str).

Called as a program, it prints a line for each test: the benchmark, its twin's name, source and macros.
"""

import array
import random
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Benchmark:
    name: str
    top: str
    items: int  # of input, in a measured run
    what: str
    program: str = ""  # if it is not called as the benchmark
    twin: str = ""  # if it is not called as the program
    input: str = "float"
    output: str = "float"
    parameters: dict = field(default_factory=dict)  # -D of strc, and in capitals of the twin
    small: int = 0  # items of input in a test; 0: a few thousand will do
    tolerance: float | None = None  # of the largest output, where sums are fused or in other order
    fast: bool = True  # what --fast-math gives can be compared: no angles that jump
    libraries: tuple = ()  # (library, items that it gives before the first of the program)
    faust: int | None = None  # the same of Faust; None: no such program
    known: tuple = ()  # published input and output, as hexadecimal digits of the files

    @property
    def file(self):
        return self.program or self.name

    @property
    def twin_file(self):
        return self.twin or self.file

    @property
    def macros(self):
        """Of the twin, as NAME=VALUE."""
        return [f"{name.upper()}={value}" for name, value in self.parameters.items()]

    @property
    def has_lcg(self):
        return self.input != "bit"

    @property
    def bits(self):
        """Of a generated int."""
        return BITS.get(self.input, 32)

    @property
    def lcg_top(self):
        """The stream that makes its input itself."""
        source = {"float": "LcgFloats", "complex": "LcgComplex"}
        noise = source.get(self.input, f"LcgInts({self.bits})")
        values = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"void->{self.output} pipeline {{ add {noise}; add {self.top}({values}); }}"

    @property
    def allowed(self):
        """The tolerance; numbers that are no floats have to be the same unless it is given."""
        if self.tolerance is not None:
            return self.tolerance
        return 1e-4 if self.output in ("float", "complex") else None


def firs():
    for taps, millions in ((16, 16), (64, 16), (256, 4), (1024, 1)):
        yield Benchmark(
            f"fir{taps}",
            "Fir",
            millions << 20,
            f"FIR filter, {taps} taps",
            program="fir",
            parameters={"taps": taps},
            faust=taps - 1,
            libraries=(("liquid", taps - 1),),
        )


def recursive_ffts():
    for points in (64, 256):
        yield Benchmark(
            f"fft_recursive{points}",
            "Transform",
            16 << 20,
            f"Fourier transforms of {points} points as nested splitjoins",
            program="fft_recursive",
            twin="fft",
            parameters={"n": points},
        )


BENCHMARKS = {
    each.name: each
    for each in (
        *firs(),
        Benchmark("fm_radio", "Radio", 4 << 20, "FM radio with a ten-band equaliser"),
        Benchmark(
            "matmul",
            "Product",
            3600 * 48 * 48,
            "products of matrices of 48 x 48",
            small=4 * 48 * 48,
        ),
        Benchmark(
            "matmul_blocks",
            "BlockedProduct",
            4096 * 2 * 32 * 32,
            "products of matrices of 32 x 32, blocks of 8 x 8 as branches",
        ),
        Benchmark(
            "fft",
            "Transform",
            16384 * 512,
            "Fourier transforms of 512 complex points",
            input="complex",
            output="complex",
            small=20 * 512,
            libraries=(("fftw", 0),),
        ),
        *recursive_ffts(),
        Benchmark("dct", "Dct2d", 16 << 20, "cosine transforms of 8 x 8", libraries=(("fftw", 0),)),
        Benchmark(
            "dct_direct",
            "DirectDct",
            1 << 20,
            "cosine transforms of 8 x 8, cosines in four loops",
            small=2000,
        ),
        Benchmark(
            "jpeg",
            "Jpeg",
            4 << 20,
            "JPEG's blocks to coefficients and back, cosines in the loops",
            input="sample",
            output="int",
            tolerance=0.05,  # a last bit decides how a coefficient is rounded
        ),
        Benchmark("autocorrelation", "Autocorrelation", 8 << 20, "128 samples, 32 lags"),
        Benchmark(
            "autocorrelation128",
            "Autocorrelation",
            4 << 20,
            "256 samples, 128 lags",
            program="autocorrelation",
            parameters={"n": 256, "lags": 128},
        ),
        Benchmark("lattice", "Lattice", 8 << 20, "lattice filter of ten stages", faust=0),
        Benchmark(
            "lattice_stages",
            "LatticeStages",
            8 << 20,
            "the same with stages that have states",
            twin="lattice",
        ),
        Benchmark(
            "bitonic",
            "Sort",
            16 << 20,
            "bitonic sorting network of 64 items",
            input="int",
            output="int",
        ),
        Benchmark(
            "counting_sort",
            "CountingSort",
            8 << 20,
            "sorting 32 items by comparison counting",
            input="int",
            output="int",
        ),
        Benchmark(
            "comparison_counting",
            "ComparisonCounting",
            8 << 20,
            "the same by comparing each pair once",
            twin="counting_sort",
            input="int",
            output="int",
        ),
        Benchmark(
            "radix_sort",
            "RadixSort",
            8 << 20,
            "radix sort of 64 items of 16 bits, bit by bit",
            input="int",
            output="int",
        ),
        Benchmark(
            "radix_sort16",
            "RadixSort",
            8 << 20,
            "radix sort of 16 items",
            program="radix_sort",
            input="int",
            output="int",
            parameters={"n": 16},
        ),
        Benchmark(
            "des",
            "Cipher",
            4 << 20,
            "DES on a tape of bits",
            input="bit",
            output="bit",
            small=6400,
            known=("0123456789abcdef", "85e813540f0ab405"),
        ),
        Benchmark(
            "serpent",
            "Serpent",
            4 << 20,
            "Serpent on words",
            input="word",
            output="int",
            known=("000102030405060708090a0b0c0d0e0f", "de269ff833e432b85b2e88d2701ce75c"),
        ),
        Benchmark("filter_bank", "FilterBank", 4 << 20, "eight bands there and back, 32 taps"),
        Benchmark("channel_vocoder", "ChannelVocoder", 1 << 20, "pitch and 16 bands of speech"),
        Benchmark(
            "vocoder",
            "PhaseVocoder",
            2 << 20,
            "phase vocoder: 256 points",
            tolerance=2e-2,
            fast=False,
        ),
        Benchmark(
            "tde",
            "Tde",
            12_000 * 216,
            "time-delay equalisation: six channels there and back by FFT",
            input="complex",
            output="complex",
            small=20 * 216,
        ),
        Benchmark(
            "beamformer",
            "Beamformer",
            12 << 18,
            "radar: 12 antennas, 4 beams, complex filters of 64 taps",
            input="complex",
        ),
        Benchmark(
            "mpeg2",
            "Blocks",
            8 << 20,
            "MPEG-2 intra blocks: coefficients to samples",
            input="small",
            output="int",
            tolerance=1 / 255,  # rounded to integers
        ),
        Benchmark(
            "biquad",
            "Cascade",
            8 << 20,
            "eight second-order sections",
            tolerance=1e-3,
            libraries=(("liquid", 0),),
            faust=0,
        ),
        Benchmark("reverb", "Reverb", 4 << 20, "Schroeder's reverberator: feedback loops", faust=0),
        Benchmark("resampler", "Resampler", 12 << 20, "polyphase resampler, 4 for 3, 128 taps"),
        Benchmark("goertzel", "Keypad", 8 << 20, "eight Goertzel detectors"),
        Benchmark("wavelet", "Wavelet", 16 << 20, "wavelet transform, 8 taps, 5 levels"),
        Benchmark("tiny_scale", "Scale", 32 << 20, "times a constant, plus a constant"),
        Benchmark("tiny_smooth", "Smooth", 32 << 20, "gain, mean of three, every other one"),
        Benchmark("tiny_leaky", "Leaky", 16 << 20, "leaky integrator and limiter"),
        Benchmark(
            "tiny_delta",
            "Delta",
            16 << 20,
            "differences without sign, with check sums",
            input="int",
            output="int",
        ),
    )
}

# Type code of the array module and bytes an item of raw files; bits are packed.
CODES = {"int": "i", "float": "f", "complex": "f", "bit": "B"}


BITS = {"int": 16, "sample": 8, "small": 4}  # of the ints of an input, with sign


def make_input(kind, items, path):
    """Writes noise: floats in [-1, 1), ints of few bits, words of 32, bytes full of bits."""
    source = random.Random(f"{kind} {items}")
    with open(path, "wb") as file:
        if kind == "bit":
            file.write(source.randbytes((items + 7) // 8))
            return
        numbers = items * (2 if kind == "complex" else 1)
        while numbers > 0:
            count = min(numbers, 1 << 20)
            words = array.array("i", source.randbytes(4 * count))
            if kind in BITS:
                words = array.array("i", (word >> (32 - BITS[kind]) for word in words))
            elif kind != "word":
                words = array.array("f", (word * 2.0**-31 for word in words))
            words.tofile(file)
            numbers -= count


def difference(kind, expected, actual, tolerance):
    """What is wrong with raw output `actual`, in words, or None. Without tolerance bits count."""
    if expected == actual:
        return None
    if len(expected) != len(actual):
        return f"{len(actual)} bytes instead of {len(expected)}"
    code = CODES[kind]
    want, got = (array.array(code, data[: len(data) // 4 * 4]) for data in (expected, actual))
    bound = 0.0
    if tolerance:
        bound = tolerance * max(map(abs, want[:: max(1, len(want) // 100_000)]))
    for place, (a, b) in enumerate(zip(want, got)):
        if a != b and not abs(a - b) <= bound:
            return f"item {place} is {b} instead of {a} (allowed: {bound:g})"
    return None if bound else "bytes differ that are no numbers, or signs of zeros"


def print_tests():
    for benchmark in BENCHMARKS.values():
        source, macros = benchmark.twin_file, benchmark.macros
        twin = "_".join([source, *(macro.replace("=", "").lower() for macro in macros)])
        print(benchmark.name, twin, source, *macros)


if __name__ == "__main__":
    print_tests()
