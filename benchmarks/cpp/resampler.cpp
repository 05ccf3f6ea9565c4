// Twin of programs/resampler.str.

#include <algorithm>

#include "fir.h"
#include "twin.h"

static constexpr int kUp = 4, kDown = 3, kTaps = 32, kGroups = 1024;
static constexpr int kKeep = kTaps - 1;
static float h[kUp][kTaps];
static float x[kKeep + kDown * (kGroups + kLanes)], phase[kGroups], y[kGroups][kUp];

static void design(int number) {
    constexpr int length = kUp * kTaps;
    for (int k = 0; k < kTaps; k++) {
        int i = length - 1 - (kUp * k + kUp - 1 - number * kDown % kUp);
        float m = (static_cast<float>(i) - (length - 1) / 2.0F) / kUp;
        float shape = 0.54F - 0.46F * cosine(2 * kPi * static_cast<float>(i) / (length - 1));
        h[number][k] = sine(kPi * m) / (kPi * m) * shape;
    }
}

int main(int argc, char** argv) {
    for (int number = 0; number < kUp; number++) design(number);
    Twin twin(argc, argv);
    twin.read(x, kKeep);
    while (std::size_t n = twin.read(x + kKeep, kDown * kGroups, kDown) / kDown) {
        for (int number = 0; number < kUp; number++) {
            decimatingFir<kTaps, kDown>(h[number], x + number * kDown / kUp, phase, n);
            for (std::size_t i = 0; i < n; i++) y[i][number] = phase[i];
        }
        twin.write(&y[0][0], kUp * n);
        std::copy_n(x + kDown * n, kKeep, x);
    }
}
