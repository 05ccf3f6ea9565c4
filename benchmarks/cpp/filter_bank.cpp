// Twin of programs/filter_bank.str.

#include "fir.h"
#include "twin.h"

static constexpr int kBands = 8, kTaps = 32, kLength = kTaps / kBands, kGroups = 256;
static constexpr int kKeep = kTaps - kBands;
static float analysis[kBands][kTaps], synthesis[kBands][kLength][kBands];
static float x[kKeep + kBands * (kGroups + kLanes)], y[kGroups][kBands];
static float bands[kBands][kLength - 1 + kGroups];  // what is left of the last block comes first

static float prototype(int i) { return sine(kPi * (static_cast<float>(i) + 0.5F) / kTaps); }
static float modulation(int band, int i) {
    float m = static_cast<float>(i) - (kTaps - 1) / 2.0F;
    return cosine(kPi / kBands * (static_cast<float>(band) + 0.5F) * m);
}

static void design() {
    for (int band = 0; band < kBands; band++) {
        for (int i = 0; i < kTaps; i++)
            analysis[band][i] = 2 * (prototype(i) / kBands) * modulation(band, i);
        for (int k = 0; k < kLength; k++) {
            for (int phase = 0; phase < kBands; phase++) {
                int i = kTaps - 1 - (kBands * (kLength - 1 - k) + phase);
                synthesis[band][k][phase] = 2 * prototype(i) * modulation(band, i);
            }
        }
    }
}

/// Adds up what all bands give for a window of each.
static void synthesise(std::size_t group, float* out) {
    for (int phase = 0; phase < kBands; phase++) out[phase] = 0;
    for (int band = 0; band < kBands; band++) {
        float sum[kBands] = {};
        for (int k = 0; k < kLength; k++)
            for (int phase = 0; phase < kBands; phase++)
                sum[phase] += synthesis[band][k][phase] * bands[band][group + k];
        for (int phase = 0; phase < kBands; phase++) out[phase] += sum[phase];
    }
}

int main(int argc, char** argv) {
    design();
    Twin twin(argc, argv);
    std::size_t lacking = kLength - 1;
    twin.read(x, kKeep);
    while (std::size_t n = twin.read(x + kKeep, kBands * kGroups, kBands) / kBands) {
        for (int band = 0; band < kBands; band++)
            decimatingFir<kTaps, kBands>(analysis[band], x, bands[band] + kLength - 1, n);
        std::copy_n(x + kBands * n, kKeep, x);
        // The first windows of the bands have nothing before them.
        std::size_t skipped = std::min(lacking, n);
        for (std::size_t i = skipped; i < n; i++) synthesise(i, y[i]);
        twin.write(&y[skipped][0], kBands * (n - skipped));
        lacking -= skipped;
        for (auto& band : bands) std::copy_n(band + n, kLength - 1, band);
    }
}
