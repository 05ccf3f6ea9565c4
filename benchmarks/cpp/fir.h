#pragma once
// Windowed sums, which several twins need.

#include <cmath>
#include <cstddef>

static constexpr float kPi = 3.1415927F;
static constexpr std::size_t kLanes = 16;

/// Real functions as the language has them: in double precision, rounded once.
inline float cosine(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }
inline float sine(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }

/// y[i] = h[0] x[step i] + h[1] x[step i + 1] + ... for i below n, summed in this order. Reads up to
/// kLanes windows more than are asked for.
template <int taps, int step = 1>
void fir(const float* h, const float* x, float* y, std::size_t n) {
    for (std::size_t i = 0; i < n; i += kLanes) {
        float sum[kLanes] = {};
        for (int k = 0; k < taps; k++)
            for (std::size_t j = 0; j < kLanes; j++) sum[j] += h[k] * x[step * (i + j) + k];
        for (std::size_t j = 0; j < kLanes && i + j < n; j++) y[i + j] = sum[j];
    }
}
