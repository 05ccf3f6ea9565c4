// Twin of programs/fir.str. Sixteen outputs are summed side by side, so that the compiler can use
// vectors while each sum keeps its order.

#include "fir.h"

#include <algorithm>

#include "twin.h"

#ifndef TAPS
#define TAPS 64
#endif

static constexpr int kTaps = TAPS;
static constexpr int kBlock = 4096;
static float h[kTaps], x[kBlock + kTaps - 1 + kLanes], y[kBlock];

int main(int argc, char** argv) {
    for (int i = 0; i < kTaps; i++) {
        float m = static_cast<float>(i) - (kTaps - 1) / 2.0F;
        float shape = 0.54F - 0.46F * cosine(2 * kPi * static_cast<float>(i) / (kTaps - 1));
        h[i] = sine(kPi * m / 2) / (kPi * m) * shape;
    }
    Twin twin(argc, argv);
    twin.read(x, kTaps - 1);
    while (std::size_t n = twin.read(x + kTaps - 1, kBlock)) {
        fir<kTaps>(h, x, y, n);
        twin.write(y, n);
        std::copy(x + n, x + n + kTaps - 1, x);
    }
}
