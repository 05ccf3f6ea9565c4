// programs/biquad.str with liquid-dsp: one filter of second-order sections.

#include <liquid/liquid.h>

#include "fir.h"
#include "twin.h"

static constexpr int kSections = 8;
static constexpr unsigned kBlock = 4096;
static float b[3 * kSections], a[3 * kSections], x[kBlock], y[kBlock];

static void design(int i, float rate, float frequency, float gain, float q) {
    float amplitude = power(10, gain / 40);
    float w = 2 * kPi * frequency / rate;
    float alpha = sine(w) / (2 * q);
    float a0 = 1 + alpha / amplitude;
    b[3 * i] = (1 + alpha * amplitude) / a0;
    b[3 * i + 1] = a[3 * i + 1] = -2 * cosine(w) / a0;
    b[3 * i + 2] = (1 - alpha * amplitude) / a0;
    a[3 * i] = 1;
    a[3 * i + 2] = (1 - alpha / amplitude) / a0;
}

int main(int argc, char** argv) {
    for (int i = 0; i < kSections; i++)
        design(i, 48000, 60 * power(2, static_cast<float>(i)), i % 2 == 0 ? 4 : -4, 1.2F);
    iirfilt_rrrf filter = iirfilt_rrrf_create_sos(b, a, kSections);
    {
        Twin twin(argc, argv);
        while (std::size_t n = twin.read(x, kBlock)) {
            iirfilt_rrrf_execute_block(filter, x, static_cast<unsigned>(n), y);
            twin.write(y, n);
        }
    }
    iirfilt_rrrf_destroy(filter);
}
