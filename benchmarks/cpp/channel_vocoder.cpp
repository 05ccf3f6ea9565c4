// Twin of programs/channel_vocoder.str.

#include "fir.h"
#include "twin.h"

static constexpr int kBands = 16, kHop = 64, kTaps = 64, kWindow = 256;
static constexpr int kShortest = 20, kLongest = 120;
static constexpr int kHops = 16, kBlock = kHop * kHops;
static constexpr float kRate = 8000;

static float speech[kTaps], bands[kBands][kTaps], smooth[kTaps];
static float x[kTaps - 1 + kBlock + kLanes];
static float low[kWindow + kBlock + kLanes];  // the windows of the pitch reach furthest
static float loud[kBands][kWindow + kBlock + kLanes];
static float frames[kHops][1 + kBands];

static float ideal(float cutoff, int i) {
    float m = static_cast<float>(i) - (kTaps - 1) / 2.0F;
    float window = 0.54F - 0.46F * cosine(2 * kPi * static_cast<float>(i) / (kTaps - 1));
    return sine(2 * kPi * cutoff / kRate * m) / (kPi * m) * window;
}

static void design() {
    for (int i = 0; i < kTaps; i++) {
        speech[i] = ideal(3600, i);
        smooth[i] = ideal(50, i);
        for (int band = 0; band < kBands; band++) {
            auto edge = static_cast<float>(200 * band);
            bands[band][i] = ideal(300 + edge, i) - ideal(100 + edge, i);
        }
    }
}

static float pitch(const float* window) {
    float clipped[kWindow + kLongest] = {};  // zeros follow
    float loudest = 0;
    for (int i = 0; i < kWindow; i++) loudest = std::max(loudest, std::fabs(window[i]));
    float level = 0.5F * loudest;
    for (int i = 0; i < kWindow; i++) {
        float s = window[i];
        clipped[i] = s > level ? s - level : s < -level ? s + level : 0;
    }
    float power = 0, sums[kLongest - kShortest] = {};
    for (int i = 0; i < kWindow; i++) {
        power += clipped[i] * clipped[i];
        for (int lag = kShortest; lag < kLongest; lag++)
            sums[lag - kShortest] += clipped[i] * clipped[i + lag];
    }
    float best = 0.3F * power;
    int period = 0;
    for (int lag = kShortest; lag < kLongest; lag++) {
        if (sums[lag - kShortest] > best) {
            best = sums[lag - kShortest];
            period = lag;
        }
    }
    return static_cast<float>(period);
}

/// Frames of the samples of `low`, which holds `count`; how many.
static std::size_t analyse(std::size_t count) {
    if (count < kWindow) return 0;
    std::size_t hops = std::min<std::size_t>((count - kWindow) / kHop + 1, kHops);
    for (std::size_t i = 0; i < hops; i++) frames[i][0] = pitch(low + kHop * i);
    std::size_t samples = kHop * (hops - 1) + kTaps;
    for (int band = 0; band < kBands; band++) {
        fir<kTaps>(bands[band], low, loud[band], samples);
        for (std::size_t i = 0; i < samples; i++) loud[band][i] = std::fabs(loud[band][i]);
        for (std::size_t i = 0; i < hops; i++) {
            float sum = 0;
            for (int k = 0; k < kTaps; k++) sum += smooth[k] * loud[band][kHop * i + k];
            frames[i][1 + band] = sum;
        }
    }
    return hops;
}

int main(int argc, char** argv) {
    design();
    Twin twin(argc, argv);
    std::size_t waiting = 0;
    twin.read(x, kTaps - 1);
    while (std::size_t n = twin.read(x + kTaps - 1, kBlock)) {
        fir<kTaps>(speech, x, low + waiting, n);
        std::copy_n(x + n, kTaps - 1, x);
        waiting += n;
        std::size_t hops = analyse(waiting);
        twin.write(&frames[0][0], hops * (1 + kBands));
        waiting -= hops * kHop;
        std::copy_n(low + hops * kHop, waiting, low);
    }
}
