// Twin of programs/fm_radio.str.

#include <algorithm>
#include <vector>

#include "fir.h"
#include "twin.h"

static constexpr int kTaps = 64, kBands = 10, kDecimation = 4;
static constexpr int kBlock = 1024;  // samples of sound

static void lowPass(float rate, float cutoff, float* h) {
    for (int i = 0; i < kTaps; i++) {
        float m = static_cast<float>(i) - (kTaps - 1) / 2.0F;
        float window = 0.54F - 0.46F * cosine(2 * kPi * static_cast<float>(i) / (kTaps - 1));
        h[i] = sine(2 * kPi * cutoff / rate * m) / (kPi * m) * window;
    }
}

/// A delay line for blocks: what is left of the last block stands before the next one.
struct Line {
    explicit Line(std::size_t keep) : kept(keep), items(keep + kDecimation * (kBlock + kLanes)) {}
    float* fresh() { return items.data() + kept; }
    void advance(std::size_t n) { std::copy_n(items.data() + n, kept, items.data()); }
    std::size_t kept;
    std::vector<float> items;
};

static float air[kTaps], low[kBands][kTaps], high[kBands][kTaps];
static float below[kBlock + kLanes], above[kBlock + kLanes], sound[kBlock];

static void equalise(const float* x, std::size_t n) {
    std::fill_n(sound, n, 0.0F);
    for (int band = 0; band < kBands; band++) {
        float gain = 1 + 0.1F * static_cast<float>(band);
        fir<kTaps>(high[band], x, above, n);
        fir<kTaps>(low[band], x, below, n);
        for (std::size_t i = 0; i < n; i++) sound[i] += gain * (above[i] - below[i]);
    }
}

int main(int argc, char** argv) {
    constexpr float rate = 62500, amplitude = 27000, bandwidth = 10000;
    lowPass(250000, 10800, air);
    for (int band = 0; band < kBands; band++) {
        float octave = power(2, static_cast<float>(band));
        lowPass(rate, 55 * (2 * octave), high[band]);
        lowPass(rate, 55 * octave, low[band]);
    }
    const float gain = amplitude * (rate / (bandwidth * kPi)) / 27000;

    Twin twin(argc, argv);
    // How many items each part still lacks before its first window is full.
    std::size_t lacking[] = {1, kTaps - 1};
    Line radio(kTaps - kDecimation), tuned(1), audio(kTaps - 1);
    twin.read(radio.items.data(), kTaps - kDecimation);
    while (std::size_t n = twin.read(radio.fresh(), kDecimation * kBlock, kDecimation)) {
        n /= kDecimation;
        decimatingFir<kTaps, kDecimation>(air, radio.items.data(), tuned.fresh(), n);
        radio.advance(kDecimation * n);

        // The first sample has no predecessor.
        const float* x = tuned.items.data() + lacking[0];
        std::size_t count = n - lacking[0];
        float* samples = audio.fresh();
        for (std::size_t i = 0; i < count; i++)
            samples[i] = gain * static_cast<float>(std::atan(static_cast<double>(x[i] * x[i + 1])));
        tuned.advance(n);
        lacking[0] = 0;

        // Nor have the first windows of the equaliser anything before them.
        std::size_t skipped = std::min(lacking[1], count);
        equalise(audio.items.data() + skipped, count - skipped);
        twin.write(sound, count - skipped);
        audio.advance(count);
        lacking[1] -= skipped;
    }
}
