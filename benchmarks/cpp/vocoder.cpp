// Twin of programs/vocoder.str.

#include "fft.h"
#include "twin.h"

static constexpr int kSize = 256, kHalf = kSize / 2, kHop = 64, kOutHop = 96;
static constexpr float kStretch = static_cast<float>(kOutHop) / kHop;
static float window[kSize], last[kHalf + 1], angles[kHalf + 1];
static Complex twiddle[kHalf + 1];

static float wrap(float x) { return x - 2 * kPi * std::floor(x / (2 * kPi) + 0.5F); }
static Complex conjugate(Complex z) { return {z.real, -z.imag}; }

/// The first half of the spectrum of a frame: its even and odd samples go together as real and
/// imaginary parts.
static void analyse(const Fft<kHalf>& fft, const float* x, Complex* spectrum) {
    Complex pairs[kHalf], mixed[kHalf];
    for (int i = 0; i < kHalf; i++)
        pairs[i] = {x[2 * i] * window[2 * i], x[2 * i + 1] * window[2 * i + 1]};
    fft.run(pairs, mixed);
    for (int k = 0; k <= kHalf; k++) {
        Complex a = mixed[k % kHalf], b = conjugate(mixed[(kHalf - k) % kHalf]);
        Complex even = (a + b) * Complex{0.5F, 0}, odd = (a - b) * Complex{-0.0F, -0.5F};
        spectrum[k] = even + twiddle[k] * odd;
    }
}

/// The same backwards, added to `sum`.
static void synthesise(const Fft<kHalf>& fft, const Complex* spectrum, float* sum) {
    Complex mixed[kHalf], pairs[kHalf];
    for (int k = 0; k < kHalf; k++) {
        Complex a = spectrum[k], b = conjugate(spectrum[kHalf - k]);
        Complex even = (a + b) * Complex{0.5F, 0};
        Complex odd = (a - b) * Complex{0.5F, 0} * conjugate(twiddle[k]);
        mixed[k] = even + odd * Complex{0, 1};
    }
    fft.run(mixed, pairs);
    for (int i = 0; i < kHalf; i++) {
        Complex pair = pairs[i] * Complex{1.0F / kHalf, 0};
        sum[2 * i] += pair.real * window[2 * i];
        sum[2 * i + 1] += pair.imag * window[2 * i + 1];
    }
}

/// Lets each bin go on as fast as it does, but for longer.
static void stretch(Complex* spectrum) {
    for (int k = 0; k <= kHalf; k++) {
        Complex z = spectrum[k];
        float radius = std::sqrt(z.real * z.real + z.imag * z.imag);
        auto phase = static_cast<float>(
            std::atan2(static_cast<double>(z.imag), static_cast<double>(z.real)));
        float step = 2 * kPi * static_cast<float>(k) * kHop / kSize;
        float change = wrap(phase - last[k] - step);
        last[k] = phase;
        angles[k] = wrap(angles[k] + (step + change) * kStretch);
        spectrum[k] = {radius * cosine(angles[k]), radius * sine(angles[k])};
    }
}

int main(int argc, char** argv) {
    static const Fft<kHalf> forward(-1, Twiddles::OfLibrary), backward(1, Twiddles::OfLibrary);
    for (int i = 0; i < kSize; i++)
        window[i] = static_cast<float>(0.5 - 0.5 * std::cos(6.283185307179586 * i / kSize));
    for (int k = 0; k <= kHalf; k++) twiddle[k] = turn(k, kSize, -1);
    static float frame[kSize], sum[kSize];
    static Complex spectrum[kHalf + 1];
    constexpr int keep = kSize - kHop, rest = kSize - kOutHop;
    Twin twin(argc, argv);
    twin.read(frame, keep);
    while (twin.read(frame + keep, kHop, kHop)) {
        analyse(forward, frame, spectrum);
        stretch(spectrum);
        synthesise(backward, spectrum, sum);
        twin.write(sum, kOutHop);
        std::copy_n(sum + kOutHop, rest, sum);
        std::fill_n(sum + rest, kOutHop, 0.0F);
        std::copy_n(frame + kHop, keep, frame);
    }
}
