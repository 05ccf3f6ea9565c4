// An FM receiver, as in examples/fm_radio: the filters' windows are computed by C++.
//
//   fm_radio < recording > sound        unsigned bytes, I and Q in turn; floats, 8000 a second
#include <cmath>
#include <vector>

#include "example.h"

using namespace strc;

namespace {

constexpr float pi = 3.14159265f;

/// Functions of the language are computed in double precision and rounded once.
float sine(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
float cosine(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }

/// A low-pass filter's window of `taps` samples.
std::vector<float> lowPass(float rate, float cutoff, int taps) {
    std::vector<float> h;
    for (int i = 0; i < taps; i++) {
        const float m = static_cast<float>(i) - static_cast<float>(taps - 1) / 2.0f;
        const float window =
            0.54f - 0.46f * cosine(2 * pi * static_cast<float>(i) / static_cast<float>(taps - 1));
        h.push_back(sine(2 * pi * cutoff / rate * m) / (pi * m) * window);
    }
    return h;
}

/// A word of four bytes holds two samples, the first in the low half.
Stream unpackIq() {
    return filter<int, Complex>("UnpackIq", [](Filter<int, Complex>& f) {
        auto level = f.function<float(int)>(
            "level", [](const Var<int>& byte) { return ((byte & 255) - 127.5f) / 127.5f; });
        f.work({.pop = 1, .push = 2}, [&] {
            const auto word = f.pop();
            for (int i = 0; i < 2; i++) {
                Var<Complex> z;
                real(z) = level(word >> (16 * i));
                imag(z) = level(word >> (16 * i + 8));
                f.push(z);
            }
        });
    });
}

/// Turns every sample backwards by the station's frequency.
Stream tune(float rate, float station) {
    const int step = static_cast<int>(-station / rate * 4294967296.0f);
    return filter<Complex, Complex>("Tune", [=](Filter<Complex, Complex>& f) {
        auto angle = f.field<int>("angle");
        f.work({.pop = 1, .push = 1}, [&] {
            const auto a = pi * (angle / 2147483648.0f);
            Var<Complex> turn;
            real(turn) = cos(a);
            imag(turn) = sin(a);
            f.push(f.pop() * turn);
            angle += step;
        });
    });
}

/// Keeps low frequencies, and one sample of every `decimation`.
template <typename T>
Stream decimate(const char* name, const std::vector<float>& window, int decimation) {
    const int taps = static_cast<int>(window.size());
    return filter<T, T>(name, [&](Filter<T, T>& f) {
        auto h = f.table("h", window);
        f.work({.pop = decimation, .push = 1, .peek = taps}, [&] {
            Var<T> sum("sum", 0);
            For(0, taps, [&](Value<int> i) { sum += f.peek(i) * h[i]; });
            f.push(sum);
            For(0, decimation, [&](Value<int>) { f.pop(); });
        });
    });
}

/// The angle from one sample to the next.
Stream demodulate(float rate, float deviation) {
    const float scale = rate / (2 * pi * deviation);
    return filter<Complex, float>("Demodulate", {.pop = 1, .push = 1, .peek = 2}, [=](auto& f) {
        Var<Complex> a("a", f.pop());
        imag(a) = -imag(a);
        const auto turn = f.peek(0) * a;
        f.push(scale * atan2(imag(turn), real(turn)));
    });
}

Stream radio(float station) {
    const float rate = 64000;
    return pipeline(unpackIq(), tune(rate, station),
                    decimate<Complex>("ChannelFilter", lowPass(rate, 9000, 96), 4),
                    demodulate(rate / 4, 5000),
                    decimate<float>("AudioFilter", lowPass(rate / 4, 3000, 64), 2))
        .as("FmRadio");
}

}  // namespace

int main(int argc, char** argv) {
    Program fm = compile(radio(-14000));
    std::fputs(fm.errors().c_str(), stderr);
    if (!fm) return 1;
    if (argc > 1 && std::strcmp(argv[1], "--str") == 0)
        return std::fputs(fm.str().c_str(), stdout) < 0;

    std::vector<int> in(4096);
    std::vector<float> out(4096);
    while (const std::size_t count = std::fread(in.data(), sizeof(int), in.size(), stdin)) {
        const Progress done = fm.process(std::span(in.data(), count), out);
        std::fwrite(out.data(), sizeof(float), done.given, stdout);
        if (!done || done.taken < count) return 1;
    }
    const Progress rest = fm.drain(out);
    std::fwrite(out.data(), sizeof(float), rest.given, stdout);
    return rest ? 0 : 1;
}
