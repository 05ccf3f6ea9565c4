// The Fourier transform as a recursive C++ function, two times: of streams, and of staged values.
//
// `transform(n)` puts streams together down to blocks of 8 items; `fftOf` computes those in one filter: the recursion runs while the
// graph is built, and leaves straight code whose factors are constants.
#include <cmath>
#include <vector>

#include "example.h"

using namespace strc;

namespace {

/// exp(-2 pi i k / n), as the language computes it.
Complex root(int k, int n) {
    const float angle = 2 * 3.14159265f * static_cast<float>(k) / static_cast<float>(n);
    return {static_cast<float>(std::cos(static_cast<double>(angle))),
            -static_cast<float>(std::sin(static_cast<double>(angle)))};
}

using Values = std::vector<Value<Complex>>;

Values fftOf(const Values& x) {
    const int n = static_cast<int>(x.size());
    if (n == 1) return x;
    Values even, odd;
    for (int i = 0; i < n; i += 2) {
        even.push_back(x[static_cast<std::size_t>(i)]);
        odd.push_back(x[static_cast<std::size_t>(i) + 1]);
    }
    const Values a = fftOf(even), b = fftOf(odd);
    Values sum, difference;
    for (std::size_t k = 0; k < a.size(); k++) {
        const auto turned = k == 0 ? b[k] : b[k] * root(static_cast<int>(k), n);
        sum.push_back(a[k] + turned);
        difference.push_back(a[k] - turned);
    }
    for (const auto& each : difference) sum.push_back(each);
    return sum;
}

Stream block(int n) {
    return filter<Complex, Complex>("Block", {.pop = n, .push = n}, [=](auto& f) {
        Values x;
        for (int i = 0; i < n; i++) x.push_back(f.pop());
        for (const auto& each : fftOf(x)) f.push(each);
    });
}

Stream butterflies(int n) {
    std::vector<float> re, im;
    for (int k = 0; k < n / 2; k++) {
        re.push_back(root(k, n).real());
        im.push_back(root(k, n).imag());
    }
    return filter<Complex, Complex>("Butterflies", [&](Filter<Complex, Complex>& f) {
        auto wr = f.table("wr", re), wi = f.table("wi", im);
        f.work({.pop = n, .push = n, .peek = n}, [&] {
            auto side = [&](bool isSecond) {
                For(0, n / 2, [&](Value<int> k) {
                    Var<Complex> w("w", 0);
                    real(w) = wr[k];
                    imag(w) = wi[k];
                    const auto turned = f.peek(n / 2 + k) * w;
                    f.push(isSecond ? f.peek(k) - turned : f.peek(k) + turned);
                });
            };
            side(false);
            side(true);
            For(0, n, [&](Value<int>) { f.pop(); });
        });
    });
}

Stream transform(int n) {
    if (n <= 8) return block(n);
    const Stream half = transform(n / 2);
    return pipeline(splitjoin(roundrobin(1), half, half, roundrobin(n / 2)), butterflies(n))
        .as("Transform");
}

Stream source() {
    return filter<void, Complex>("Source", [](Filter<void, Complex>& f) {
        auto state = f.field<int>("state", 1);
        f.work({.push = 1}, [&] {
            Var<Complex> z;
            state = state * 1664525 + 1013904223;
            real(z) = (state >> 16) / 32768.0f;
            state = state * 1664525 + 1013904223;
            imag(z) = (state >> 16) / 32768.0f;
            f.push(z);
        });
    });
}

Stream printer() {
    return filter<Complex, void>("Printer", {.pop = 1}, [](auto& f) {
        const auto z = f.pop();
        print(real(z));
        print(" ");
        println(imag(z));
    });
}

/// Random numbers, their transform in blocks of n, as text.
Stream fft(int n) { return pipeline(source(), transform(n), printer()).as("Fft"); }

}  // namespace

int main(int argc, char** argv) {
    Program program = compile(fft(64));
    std::fputs(program.errors().c_str(), stderr);
    if (!program) return 1;
    if (argc > 1 && std::strcmp(argv[1], "--str") == 0)
        return std::fputs(program.str().c_str(), stdout) < 0;
    const RunResult result = program.run({.iterations = 8});
    std::fputs(result.printed.c_str(), stdout);
    return result ? 0 : 1;
}
