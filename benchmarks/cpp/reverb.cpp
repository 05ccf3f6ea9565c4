// Twin of programs/reverb.str: each echo goes over a whole block before the next one.

#include <algorithm>
#include <vector>

#include "twin.h"

static constexpr std::size_t kBlock = 4096;

/// y[n] = x[n] + gain y[n - delay], added to the sums of others.
struct Comb {
    Comb(std::size_t delay, float amount) : ring(delay), gain(amount) {}
    void run(const float* x, float* sum, std::size_t n) {
        for (std::size_t i = 0; i < n;) {
            std::size_t count = std::min(n - i, ring.size() - at);
            for (std::size_t j = 0; j < count; j++) {
                float y = x[i + j] + gain * ring[at + j];
                ring[at + j] = y;
                sum[i + j] += y;
            }
            i += count;
            at = (at + count) % ring.size();
        }
    }
    std::vector<float> ring;
    float gain;
    std::size_t at = 0;
};

/// v[n] = x[n] + gain v[n - delay], y[n] = v[n - delay] - gain v[n], in place.
struct AllPass {
    AllPass(std::size_t delay, float amount) : ring(delay), gain(amount) {}
    void run(float* x, std::size_t n) {
        for (std::size_t i = 0; i < n;) {
            std::size_t count = std::min(n - i, ring.size() - at);
            for (std::size_t j = 0; j < count; j++) {
                float old = ring[at + j];
                float v = x[i + j] + gain * old;
                x[i + j] = old - gain * v;
                ring[at + j] = v;
            }
            i += count;
            at = (at + count) % ring.size();
        }
    }
    std::vector<float> ring;
    float gain;
    std::size_t at = 0;
};

static float x[kBlock], y[kBlock];

int main(int argc, char** argv) {
    Comb combs[] = {{1687, 0.773F}, {1601, 0.802F}, {2053, 0.753F}, {2251, 0.733F}};
    AllPass passes[] = {{347, 0.7F}, {113, 0.7F}};
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(x, kBlock)) {
        std::fill_n(y, n, 0.0F);
        for (Comb& comb : combs) comb.run(x, y, n);
        for (std::size_t i = 0; i < n; i++) y[i] *= 0.25F;
        for (AllPass& pass : passes) pass.run(y, n);
        twin.write(y, n);
    }
}
