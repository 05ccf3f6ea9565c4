// Twin of programs/biquad.str: each sample goes through all sections.

#include "fir.h"
#include "twin.h"

static constexpr int kSections = 8, kBlock = 4096;
static float b0[kSections], b1[kSections], b2[kSections], a1[kSections], a2[kSections];
static float block[kBlock];

static void design(int i, float rate, float frequency, float gain, float q) {
    float a = power(10, gain / 40);
    float w = 2 * kPi * frequency / rate;
    float alpha = sine(w) / (2 * q);
    float a0 = 1 + alpha / a;
    b0[i] = (1 + alpha * a) / a0;
    b1[i] = -2 * cosine(w) / a0;
    b2[i] = (1 - alpha * a) / a0;
    a1[i] = b1[i];
    a2[i] = (1 - alpha / a) / a0;
}

int main(int argc, char** argv) {
    for (int i = 0; i < kSections; i++)
        design(i, 48000, 60 * power(2, static_cast<float>(i)), i % 2 == 0 ? 4 : -4, 1.2F);
    float s1[kSections] = {}, s2[kSections] = {};
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(block, kBlock)) {
        for (std::size_t i = 0; i < n; i++) {
            float x = block[i];
            for (int k = 0; k < kSections; k++) {
                float y = b0[k] * x + s1[k];
                s1[k] = b1[k] * x - a1[k] * y + s2[k];
                s2[k] = b2[k] * x - a2[k] * y;
                x = y;
            }
            block[i] = x;
        }
        twin.write(block, n);
    }
}
