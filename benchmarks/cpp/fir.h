#pragma once
// Windowed sums, which several twins need.

#include <algorithm>
#include <cmath>
#include <cstddef>

static constexpr float kPi = 3.1415927F;
static constexpr std::size_t kLanes = 16;

/// Real functions as the language has them: in double precision, rounded once.
inline float cosine(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }
inline float sine(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
inline float power(float x, float y) {
    return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
}

/// y[i] = h[0] x[i] + h[1] x[i + 1] + ... for i below n, summed in this order. Reads up to kLanes
/// windows more than are asked for.
template <int taps>
void fir(const float* h, const float* x, float* y, std::size_t n) {
    for (std::size_t i = 0; i < n; i += kLanes) {
        float sum[kLanes] = {};
        for (int k = 0; k < taps; k++)
            for (std::size_t j = 0; j < kLanes; j++) sum[j] += h[k] * x[i + j + k];
        for (std::size_t j = 0; j < kLanes && i + j < n; j++) y[i + j] = sum[j];
    }
}

/// The same for windows that begin `step` items apart: y[i] = h[0] x[step i] + ... The items are
/// first dealt out to `step` rows, so that neighbouring windows read neighbouring items.
template <int taps, int step>
void decimatingFir(const float* h, const float* x, float* y, std::size_t n) {
    constexpr std::size_t kMost = 4 * kLanes, kColumns = kMost + (taps + step - 1) / step;
    for (std::size_t first = 0; first < n; first += kMost) {
        float rows[step][kColumns];
        std::size_t count = std::min(kMost, n - first);
        for (std::size_t i = 0; i < count + kColumns - kMost; i++)
            for (int r = 0; r < step; r++) rows[r][i] = x[step * (first + i) + r];
        for (std::size_t i = 0; i < count; i += kLanes) {
            float sum[kLanes] = {};
            for (int k = 0; k < taps; k++)
                for (std::size_t j = 0; j < kLanes; j++)
                    sum[j] += h[k] * rows[k % step][i + j + k / step];
            for (std::size_t j = 0; j < kLanes && i + j < count; j++) y[first + i + j] = sum[j];
        }
    }
}
