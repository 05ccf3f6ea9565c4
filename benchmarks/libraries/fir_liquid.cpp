// programs/fir.str with liquid-dsp.

#include <liquid/liquid.h>

#include "fir.h"
#include "twin.h"

static constexpr int kTaps = TAPS;
static constexpr unsigned kBlock = 4096;
static float h[kTaps], x[kBlock], y[kBlock];

int main(int argc, char** argv) {
    for (int i = 0; i < kTaps; i++) {
        float m = static_cast<float>(i) - (kTaps - 1) / 2.0F;
        float shape = 0.54F - 0.46F * cosine(2 * kPi * static_cast<float>(i) / (kTaps - 1));
        h[i] = sine(kPi * m / 2) / (kPi * m) * shape;
    }
    firfilt_rrrf filter = firfilt_rrrf_create(h, kTaps);
    {
        Twin twin(argc, argv);
        while (std::size_t n = twin.read(x, kBlock)) {
            firfilt_rrrf_execute_block(filter, x, static_cast<unsigned>(n), y);
            twin.write(y, n);
        }
    }
    firfilt_rrrf_destroy(filter);
}
